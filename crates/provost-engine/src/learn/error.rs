//! Why a mission could not be learned.

use camino::Utf8PathBuf;
use provost_adapter::{AdapterError, model::ModelError};
use provost_desk::DeskError;
use provost_kernel::{
    DigestError, Message, Text,
    learn::{CurrentError, MissionName, RunName},
};
use provost_rules_learn::{
    census::CensusError,
    closure::ClosureError,
    guidance::{GuidanceError, LogError},
    measure::{
        book::BookError,
        ledger::{LedgerError, Moved},
    },
    mission::MissionError,
    prompt::PromptError,
    vote::OverrideError,
};
use provost_rules_task::verdict::YardstickError;
use provost_vault::{
    FileError,
    audit::AuditError,
    learn::{AccountLogError, ArtifactError, CurrentFileError},
    lock::LockError,
};

use super::{IngestReject, Refusal, identity::Part};

/// Something that a learning run could not do.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.run")]
pub enum LearnError {
    /// The files have no line.
    #[message(
        en = "the ticket files are empty",
        zh = "没有工单",
        hint(
            en = "a ticket is one line of JSON with `group_id`, `label` and `items`: see docs/learn.md",
            zh = "工单是一行 JSON，含 `group_id`、`label` 和 `items`：见 `docs/learn.md`"
        )
    )]
    NoTickets,
    /// Every line of every file was rejected.
    #[message(
        en = "no valid ticket in {rejected} {rejected:line|lines}: {first}",
        zh = "{rejected} 行中没有有效的工单：{first}",
        hint(
            en = "a ticket is one line of JSON with `group_id`, `label` and `items`: see docs/learn.md",
            zh = "工单是一行 JSON，含 `group_id`、`label` 和 `items`：见 `docs/learn.md`"
        )
    )]
    AllRejected { rejected: usize, first: Box<IngestReject> },
    /// The learn pool is empty.
    #[message(
        en = "the pool `learn` has no tickets",
        zh = "池 `learn` 中没有工单",
        hint(
            en = "give tickets `\"split\": \"learn\"`, or a larger share to `pools.learn`",
            zh = "为工单写 `\"split\": \"learn\"`，或增大 `pools.learn`"
        )
    )]
    NothingToLearn,
    /// Rules would take effect unmeasured.
    #[message(
        en = "`gate.mode = \"off\"` is not possible any more: a rule takes effect when later labels prove it, or when a person adopts it",
        zh = "`gate.mode = \"off\"` 已不再可用：规则须由其后的标签证明，或由人采纳，才会生效",
        hint(
            en = "remove the line, or write `gate.mode = \"shadow\"`; `provost learn adopt RULE` puts a rule in force by your decision",
            zh = "请去掉该行，或写 `gate.mode = \"shadow\"`；`provost learn adopt RULE` 可由您决定使规则生效"
        )
    )]
    GateOff,
    /// Somebody else added to the ledger after the run was interrupted.
    #[message(
        en = "the ledger of the mission went on since the run `{run}` was interrupted",
        zh = "运行 `{run}` 中断之后，任务目标的账本又有了新的记录",
        hint(
            en = "begin another run with `provost learn run MISSION.toml --run NAME`; labels that were read stay counted",
            zh = "用 `provost learn run MISSION.toml --run NAME` 另起运行；已读取的标签仍然计入"
        ),
        exit = Conflict
    )]
    LedgerMoved { run: RunName },
    /// The ledger of the mission is not what its own lines give.
    #[error(transparent)]
    #[message(transparent)]
    Accounts(Box<BookError>),
    #[error(transparent)]
    #[message(transparent)]
    Ledger(Box<LedgerError>),
    #[error(transparent)]
    #[message(transparent)]
    AccountLog(Box<AccountLogError>),
    #[error(transparent)]
    #[message(transparent)]
    Moved(Box<Moved>),
    /// Lines were rejected, and `--strict` forbids it.
    #[message(
        en = "{count} invalid {count:ticket|tickets} with `--strict`: {first}",
        zh = "`--strict` 下有 {count} 行不是工单：{first}",
        hint(
            en = "fix the lines, or omit `--strict`: they are then listed in `ingest_rejects.jsonl`",
            zh = "改正这些行，或去掉 `--strict`：它们会列在 `ingest_rejects.jsonl` 中"
        )
    )]
    Rejected { count: usize, first: Box<IngestReject> },
    #[message(
        en = "cannot read `{path}`",
        zh = "无法读取 `{path}`",
        hint(
            en = "paths in a mission are relative to the folder of its file",
            zh = "任务目标中的路径以其文件所在的目录为起点"
        )
    )]
    Unreadable { path: Utf8PathBuf, source: std::io::Error },
    /// A file is not what it was when the run began to read it.
    #[message(
        en = "`{path}` was changed while the run read it",
        zh = "运行期间 `{path}` 被改动",
        hint(
            en = "restore the files, or name another run: `provost learn run MISSION.toml --run NAME`",
            zh = "恢复原来的文件，或另起运行名：`provost learn run MISSION.toml --run NAME`"
        )
    )]
    TicketsChanged { path: Utf8PathBuf },
    #[message(
        en = "`{path}`, line {line}: the ticket belongs to the mission `{found}`, not to `{wanted}`",
        zh = "`{path}` 第 {line} 行：工单属于任务目标 `{found}`，而不是 `{wanted}`",
        hint(
            en = "keep the tickets of each mission in files of its own, and name them in `tickets`",
            zh = "每个任务目标的工单请放在各自的文件里，并在 `tickets` 中写明"
        )
    )]
    OtherMission { path: Utf8PathBuf, line: u64, found: String, wanted: MissionName },
    /// What the run would write differs from what is there.
    #[message(
        en = "line {seq} of `{file}` differs from the result of this run",
        zh = "`{file}` 的第 {seq} 行与本次运行的结果不同",
        hint(
            en = "restore the files, or name another run: `provost learn run MISSION.toml --run NAME`",
            zh = "恢复原来的文件，或另起运行名：`provost learn run MISSION.toml --run NAME`"
        ),
        exit = Integrity
    )]
    RunDiffers { file: &'static str, seq: u64 },
    /// The run was begun with other tickets, another mission or another scaffold.
    #[message(
        en = "the run `{run}` was begun with another {what}",
        zh = "运行 `{run}` 开始时的{what}与现在不同",
        hint(
            en = "restore the files, or name another run: `provost learn run MISSION.toml --run NAME`",
            zh = "恢复原来的文件，或另起运行名：`provost learn run MISSION.toml --run NAME`"
        ),
        exit = Conflict
    )]
    OtherInputs { run: String, what: Part },
    /// The worst case exceeds the cap.
    #[message(
        en = "reflection may need {worst} calls in an epoch, and the cap is {cap}",
        zh = "一轮反思最多需要 {worst} 次调用，而上限是 {cap}",
        hint(
            en = "raise `reflection.max_calls_per_epoch`, or start anyway with `--allow-partial`",
            zh = "提高 `reflection.max_calls_per_epoch`，或用 `--allow-partial` 照样开始"
        )
    )]
    BeyondBudget { worst: u64, cap: u64 },
    /// No endpoint answers.
    #[message(
        en = "no model answers: {detail}",
        zh = "没有模型应答：{detail}",
        hint(
            en = "run the same command again: it resumes at the call where it stopped",
            zh = "再次输入同一命令：运行从中断的调用处继续"
        )
    )]
    Unreachable { detail: Text },
    /// No endpoint answers, because the quota is spent.
    #[message(
        en = "no model answers: {detail}",
        zh = "没有模型应答：{detail}",
        hint(
            when = after.is_none(),
            en = "run the same command again when there is quota: it resumes at the call where it stopped",
            zh = "配额恢复后再次输入同一命令：运行从中断的调用处继续"
        ),
        hint(
            when = after.is_some(),
            en = "run the same command again when there is quota (after {after}): it resumes at the call where it stopped",
            zh = "配额恢复后（{after} 后）再次输入同一命令：运行从中断的调用处继续"
        ),
        exit = Quota
    )]
    Quota {
        detail: Text,
        /// When the provider wants to be asked again.
        after: Option<String>,
    },
    /// The model does not answer in the form that it is asked for.
    #[message(
        en = "{malformed} of {answers} {answers:answer|answers} could not be read ({problem}), for example: {text}",
        zh = "{answers} 个回答中有 {malformed} 个无法读取（{problem}），例如：{text}",
        hint(
            en = "see `failure_malformed.jsonl`; a larger `max_new_tokens`, `response_format = \"json_object\"` or another model may help",
            zh = "见 `failure_malformed.jsonl`；可增大 `max_new_tokens`、写 `response_format = \"json_object\"` 或换一个模型"
        ),
        hint(
            en = "to go on with such answers, raise `runner.max_malformed` and run the same command again",
            zh = "若要带着这些回答继续，请提高 `runner.max_malformed` 并再次输入同一命令"
        )
    )]
    Malformed { malformed: u64, answers: u64, problem: String, text: String },
    #[message(
        en = "the recording has no answer: {detail}",
        zh = "录制中没有此回答：{detail}",
        hint(
            en = "record anew with a real endpoint, or restore the mission as it was recorded",
            zh = "用真实端点重新录制，或恢复录制时的配置"
        )
    )]
    NotRecorded { detail: Text },
    #[message(
        en = "the run was interrupted",
        zh = "运行已被中止",
        hint(
            en = "run the same command again: it resumes at the call where it stopped",
            zh = "再次输入同一命令：运行从中断的调用处继续"
        ),
        exit = Paused
    )]
    Interrupted,
    /// An invariant of learning is violated: nothing is written after this.
    #[message(
        en = "an invariant of learning is violated: {what}",
        zh = "学习的不变式被破坏：{what}",
        exit = Integrity
    )]
    Invariant { what: String },
    #[message(en = "cannot encode a line", zh = "无法编码一行")]
    Encode(serde_json::Error),
    #[message(en = "cannot compute a digest", zh = "无法计算摘要")]
    Digest(#[source] DigestError),
    #[error(transparent)]
    #[message(transparent)]
    Mission(Box<MissionError>),
    #[error(transparent)]
    #[message(transparent)]
    Guidance(Box<GuidanceError>),
    #[error(transparent)]
    #[message(transparent)]
    Prompt(PromptError),
    #[error(transparent)]
    #[message(transparent)]
    Override(Box<OverrideError>),
    #[error(transparent)]
    #[message(transparent)]
    Census(CensusError),
    #[error(transparent)]
    #[message(transparent)]
    Closure(ClosureError),
    #[error(transparent)]
    #[message(transparent)]
    Log(Box<LogError>),
    #[error(transparent)]
    #[message(transparent)]
    Artifact(Box<ArtifactError>),
    #[error(transparent)]
    #[message(transparent)]
    Adapter(Box<AdapterError>),
    #[error(transparent)]
    #[message(transparent)]
    File(FileError),
    #[error(transparent)]
    #[message(transparent)]
    Refused(Box<Refusal>),
    #[error(transparent)]
    #[message(transparent)]
    Lock(Box<LockError>),
    #[error(transparent)]
    #[message(transparent)]
    Model(Box<ModelError>),
    #[error(transparent)]
    #[message(transparent)]
    Audit(Box<AuditError>),
    #[error(transparent)]
    #[message(transparent)]
    Desk(Box<DeskError>),
    /// The rubric or the keyword table of the program cannot be read.
    #[error(transparent)]
    #[message(transparent)]
    Yardstick(Box<YardstickError>),
    /// The guidance in force cannot be determined.
    #[error(transparent)]
    #[message(transparent)]
    Current(Box<CurrentFileError>),
    /// What was learned cannot be put in force.
    #[error(transparent)]
    #[message(transparent)]
    InForce(CurrentError),
}

macro_rules! from {
    ($($source:ty => $variant:ident $(($wrap:path))?),+ $(,)?) => {
        $(impl From<$source> for LearnError {
            fn from(error: $source) -> Self {
                Self::$variant($($wrap)?(error))
            }
        })+
    };
}

from! {
    MissionError => Mission(Box::new),
    GuidanceError => Guidance(Box::new),
    PromptError => Prompt,
    OverrideError => Override(Box::new),
    CensusError => Census,
    ClosureError => Closure,
    LogError => Log(Box::new),
    ArtifactError => Artifact(Box::new),
    AdapterError => Adapter(Box::new),
    FileError => File,
    DigestError => Digest,
    Refusal => Refused(Box::new),
    LockError => Lock(Box::new),
    DeskError => Desk(Box::new),
    ModelError => Model(Box::new),
    AuditError => Audit(Box::new),
    CurrentFileError => Current(Box::new),
    CurrentError => InForce,
    YardstickError => Yardstick(Box::new),
    BookError => Accounts(Box::new),
    LedgerError => Ledger(Box::new),
    AccountLogError => AccountLog(Box::new),
    Moved => Moved(Box::new),
}

impl LearnError {
    pub(super) fn encode(error: serde_json::Error) -> Self {
        Self::Encode(error)
    }
}
