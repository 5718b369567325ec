//! What an attempt says about its checks, and about how it ended.

use provost_kernel::{Message, Text, task::ScoreOf100};

/// A note of an attempt.
#[derive(Debug, Message)]
#[message(code = "task.attempt")]
pub(super) enum Note {
    #[message(
        en = "neither the task nor `[task] {role}` of the configuration names one",
        zh = "任务与配置的 `[task] {role}` 都没有指定"
    )]
    NoAgent { role: &'static str },
    #[message(en = "{name}: {text}", zh = "{name}：{text}")]
    Named { name: String, text: Text },
    #[message(en = "{text} ({hints:clauses})", zh = "{text}（{hints:clauses}）")]
    WithHints { text: Text, hints: Vec<Text> },
    #[message(
        en = "{files} {files:file|files} changed, none forbidden, no secrets",
        zh = "改动 {files} 个文件，无禁止文件，无密钥"
    )]
    Paths { files: usize },
    #[message(en = "no file was changed", zh = "没有改动任何文件")]
    NoChange,
    #[message(
        en = "lead out of the repository or name another one: {paths:names}",
        zh = "指向仓库之外，或指向另一个仓库：{paths:names}"
    )]
    PathsAsked { paths: Vec<String> },
    #[message(en = "`{command}` exited with {rc}", zh = "`{command}` 退出码 {rc}")]
    Tested { command: String, rc: i32 },
    #[message(en = "`{command}` exited with 0: {label}", zh = "`{command}` 退出码 0：{label}")]
    Proven { command: String, label: &'static str },
    #[message(
        en = "`{command}` exited with 0: HOLDS (green without the change, too: it does not show the change)",
        zh = "`{command}` 退出码 0：HOLDS（不做改动也通过：未能体现这项改动）"
    )]
    Holds { command: String },
    #[message(
        en = "`{command}` exited with 0, but {finding}",
        zh = "`{command}` 退出码 0，但{finding}"
    )]
    NotProven { command: String, finding: Text },
    #[message(en = "`{command}` exited with 0; {finding}", zh = "`{command}` 退出码 0；{finding}")]
    Open { command: String, finding: Text },
    #[message(
        en = "`{command}` exited with 0; accepted by a person: {findings:names}",
        zh = "`{command}` 退出码 0；已获人工接受：{findings:names}"
    )]
    Accepted { command: String, findings: Vec<String> },
    #[message(en = "dependencies installed, {mb} MB", zh = "已安装依赖，{mb} MB")]
    Installed { mb: u64 },
    #[message(en = "environment reused, {mb} MB", zh = "复用已有环境，{mb} MB")]
    Reused { mb: u64 },
    #[message(en = "green before any work", zh = "尚未改动时通过")]
    GreenBase,
    #[message(
        en = "`{command}` ran 0 tests: only a new test can prove the change",
        zh = "`{command}` 没有运行任何测试：只有新测试才能证明改动"
    )]
    NoBaseTests { command: String },
    #[message(en = "not run: {why}", zh = "未运行：{why}")]
    NotPrepared { why: Text },
    #[message(en = "timed out", zh = "超时")]
    TimedOut,
    #[message(en = "the task has no `test_cmd`", zh = "任务没有 `test_cmd`")]
    NoTest,
    #[message(en = "score {score} of 100", zh = "得分 {score}/100")]
    Score { score: ScoreOf100 },
    #[message(en = "score {score} of 100, gated", zh = "得分 {score}/100，未过门槛")]
    GatedScore { score: ScoreOf100 },
    #[message(
        en = "all {sections} required sections are there",
        zh = "要求的 {sections} 个章节齐全"
    )]
    Sections { sections: usize },
    #[message(en = "missing: {missing:names}", zh = "缺少：{missing:names}")]
    SectionsMissing { missing: Vec<String> },
    #[message(en = "the task has no `task_type`", zh = "任务没有 `task_type`")]
    NoRubric,
    #[message(
        en = "{files} {files:file|files} that programs obey outside the sandbox: {paths:names}",
        zh = "{files} 个会在沙箱之外被程序遵照执行的文件：{paths:names}"
    )]
    Planted { files: usize, paths: Vec<String> },
    #[message(en = "permitted by a person: {paths:names}", zh = "已获人工允许：{paths:names}")]
    PlantedPermitted { paths: Vec<String> },
    #[message(
        en = "partial: {files} {files:file was|files were} not shown whole to the judge",
        zh = "不完整：{files} 个文件未向评审完整展示"
    )]
    PartialEvidence { files: usize },
}
