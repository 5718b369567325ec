//! `provost show`: where a task stands, what is verified, and what to do next.

use provost_desk::{
    LookError,
    task::{AttemptView, BaseView, Next, Phase, View as TaskView, meaning, review_of},
};
use provost_kernel::{
    Clock as _, Exit, Lang, Message as _, RecordFile, TaskId,
    task::{
        Acceptance, Checked, Metrics, ProofEffect, ProofLabel, Standing, Status, TaskType,
        TestProof, VerdictSummary,
    },
};
use provost_vault::{SystemClock, lock::Holder};
use serde::Serialize;

use super::{
    ls::mark,
    page::{ago, landed, review},
};
use crate::{
    paint::Tone,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost show t1\n\nExits with 0 in every state, and with 6 if the state cannot be read\nor does not match the audit chain."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the task that changed last, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer<'a> {
    status: &'a RecordFile<Status>,
    attempts: &'a [AttemptView],
    checks: &'a [Checked],
    /// What the newest green test proves; null without one.
    test_proof: Option<&'a TestProof>,
    /// What people accepted of the newest attempt.
    accepted: &'a [Acceptance],
    /// How the test comes out on the base; null before it ran there.
    base_test: Option<&'a BaseView>,
    /// The task type; null without one, and then nothing is scored.
    rubric: Option<&'static str>,
    holder: Option<&'a Holder>,
    next: &'a [Next],
    unreadable: &'a [String],
    /// The file of the state, if it does not match the audit chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    altered: Option<&'a str>,
    #[serde(skip)]
    view: &'a TaskView,
}

/// How many changed tests are named.
const SHOWN: usize = 20;
/// What the check of the verdict's rubric is called.
pub(super) const RUBRIC: &str = "rubric";

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        let task = desk.meant(self.id.as_deref())?;
        let view = desk.view(&task)?;
        complain_of(session, &view.unreadable);
        session.output.show(&Answer {
            status: &view.looked.status,
            attempts: &view.attempts,
            checks: &view.checks(),
            test_proof: view.proof.as_ref(),
            accepted: &view.accepted(),
            base_test: view.base.as_ref(),
            rubric: rubric(&view),
            holder: view.looked.holder.as_deref(),
            next: &view.next,
            unreadable: &view.unreadable,
            altered: view.looked.altered.as_deref(),
            view: &view,
        });
        match &view.looked.altered {
            Some(path) => {
                complain_of_altered(session, &task, path);
                Ok(Exit::Integrity)
            }
            None => Ok(Exit::Success),
        }
    }
}

/// Complains about files of a task that cannot be read: the answer lacks what they hold.
pub(super) fn complain_of(session: &mut Session, unreadable: &[String]) {
    let lang = session.output.lang;
    for path in unreadable {
        session
            .output
            .complain(&lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`")));
    }
}

/// Complains about a state that does not match the audit chain, and says what to do.
pub(super) fn complain_of_altered(session: &mut Session, task: &TaskId, path: &str) {
    let lang = session.output.lang;
    let altered = LookError::StatusAltered { task: task.clone(), path: path.to_owned() };
    session.output.complain(&lang.render(&altered.text()));
    for hint in altered.hints() {
        let hint = lang.render(&hint);
        session.output.complain(&lang.pick(format!("hint: {hint}"), format!("提示：{hint}")));
    }
}

fn rubric(view: &TaskView) -> Option<&'static str> {
    view.spec.as_ref().and_then(|it| it.value.task_type).map(TaskType::as_str)
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, view, status) = (page.lang, self.view, self.view.status());
        page.row("task", "任务", status.task_id.as_str());
        let phase = match view.looked.altered {
            Some(_) => Phase::Untrusted,
            None => Phase::of(status),
        };
        page.toned("state", "状态", mark(phase).1.of(state(status, lang)));
        if view.looked.altered.is_some() {
            let not = lang.pick("does not match the audit chain", "与审计链不符");
            page.row("integrity", "完整性", not);
        }
        if let Some(holder) = view.looked.holder_text().map(|it| lang.render(&it)) {
            page.row("run by", "运行者", &holder);
        }
        let meaning = status.pause_reason_code.map(meaning);
        let message = lang.render(&status.text());
        let is_repeated = meaning.is_some_and(|it| lang.render(&it) == message);
        if !message.is_empty() && !is_repeated {
            page.row("message", "消息", &message);
        }
        if status.is_stale() {
            let attempt = status.current_attempt;
            let stale = lang.pick(
                format!("stale: the task was edited after attempt {attempt}"),
                format!("已过期：任务在第 {attempt} 次尝试之后已修改"),
            );
            page.row("result", "结果", &stale);
        }
        let (consumed, most) = (status.attempts_consumed, status.effective_max_attempts);
        let counted = lang.pick(
            format!("{consumed} of {most} consumed"),
            format!("已计 {consumed} 次，共 {most} 次"),
        );
        page.row("attempts", "尝试", &counted);
        for it in &view.attempts {
            let number = it.attempt.to_string();
            page.item(&number, &number, attempt(it, lang));
        }
        if let Some(summary) = &status.verdict_summary {
            verdict(page, summary);
        }
        if let Some(red) = view.base.as_ref().and_then(|it| it.message.as_ref()) {
            page.row("base", "基准", lang.render(red));
        }
        checks(page, view);
        if let Some(it) = &view.proof {
            proof(page, it);
        }
        for it in self.accepted {
            page.row("accepted", "已接受", acceptance(it, lang));
        }
        if let Some(instruction) = &status.next_instruction {
            page.row("instruction for the next attempt", "下一次尝试的指示", instruction);
        }
        for question in status.questions() {
            page.row("question", "问题", lang.render(&question));
        }
        if let Some(it) = review_of(status) {
            page.row("review", "复核", review(it, lang));
        }
        if let Some(it) = &status.landed {
            page.row("landed", "合入", landed(it, lang));
        }
        page.next(self.next);
    }
}

fn state(status: &Status, lang: Lang) -> String {
    let since = ago(SystemClock.now(), status.updated_at, lang);
    match status.pause_reason_code {
        None => {
            lang.pick(format!("{}, {since}", status.state), format!("{}，{since}", status.state))
        }
        Some(code) => {
            let meaning = lang.render(&meaning(code));
            lang.pick(
                format!("{} ({code}: {meaning}), {since}", status.state),
                format!("{}（{code}：{meaning}），{since}", status.state),
            )
        }
    }
}

/// How an attempt was decided, how its steps ended, and what it cost.
fn attempt(it: &AttemptView, lang: Lang) -> String {
    let mut parts = vec![match &it.decision {
        None => lang.pick("not decided", "未决定").to_owned(),
        Some(record) => {
            let row = record.decision.row;
            if record.decision.consume_attempt {
                lang.pick(format!("{row}, consumed"), format!("{row}，计入次数"))
            } else {
                lang.pick(format!("{row}, not consumed"), format!("{row}，不计入次数"))
            }
        }
    }];
    if let Some(metrics) = &it.metrics {
        parts.push(exit_codes(metrics, lang));
    }
    if let Some(score) = it.final_score_0_100 {
        parts.push(lang.pick(format!("score {score}"), format!("得分 {score}")));
    }
    if let Some(metrics) = &it.metrics {
        parts.push(cost(metrics, lang));
    }
    parts.join(lang.pick("; ", "；"))
}

fn exit_codes(metrics: &Metrics, lang: Lang) -> String {
    let code = |it: Option<i32>| it.map_or_else(|| "-".to_owned(), |it| it.to_string());
    let Metrics { coder_rc, test_rc, judge_rc, .. } = metrics;
    let (coder, test, judge) = (code(*coder_rc), code(*test_rc), code(*judge_rc));
    lang.pick(
        format!("rc coder {coder}, test {test}, judge {judge}"),
        format!("退出码：编码 {coder}，测试 {test}，评审 {judge}"),
    )
}

/// What an attempt cost, as far as anybody reported it.
fn cost(metrics: &Metrics, lang: Lang) -> String {
    let mut parts = vec![format!("{}s", metrics.elapsed_seconds)];
    if let Some(tokens) = metrics.tokens {
        parts.push(lang.pick(format!("{tokens} tokens"), format!("{tokens} 个 token")));
    }
    if let Some(usd) = metrics.usd {
        parts.push(usd.to_string());
    }
    parts.join(lang.pick(", ", "，"))
}

fn verdict(page: &mut Page<'_>, summary: &VerdictSummary) {
    let lang = page.lang;
    let mut parts = vec![summary.decision.to_string()];
    if let Some(score) = summary.final_score_0_100 {
        parts.push(lang.pick(format!("{score} of 100"), format!("{score}/100")));
    }
    if summary.gated {
        parts.push(lang.pick("gated", "触发门槛").to_owned());
    }
    page.row("newest verdict", "最新裁决", parts.join(lang.pick(", ", "，")));
    for reason in &summary.gating_reasons {
        page.item("gate", "门槛", reason);
    }
    for issue in &summary.top_issues {
        page.item("issue", "问题", issue);
    }
}

fn checks(page: &mut Page<'_>, view: &TaskView) {
    let lang = page.lang;
    // A task without a type has no rubric: that is said below, in two words.
    let is_typed = rubric(view).is_some();
    for it in view.checks().iter().filter(|it| it.name != RUBRIC || is_typed) {
        let (tone, standing) = match it.standing {
            Standing::Verified => (Tone::Ok, lang.pick("verified", "已验证")),
            Standing::Failed => (Tone::Bad, lang.pick("FAILED", "未通过")),
            Standing::NotVerified => (Tone::Warn, lang.pick("not verified", "未验证")),
        };
        let detail = lang.render(&it.detail);
        let value = if detail.is_empty() {
            standing.to_owned()
        } else {
            lang.pick(format!("{standing} ({detail})"), format!("{standing}（{detail}）"))
        };
        page.toned(&it.name, label(&it.name), tone.of(value));
    }
    let value = match (&view.spec, rubric(view)) {
        (None, _) => lang.pick("not known", "未知").to_owned(),
        (Some(_), None) => lang.pick("none", "无").to_owned(),
        (Some(_), Some(task_type)) => {
            let version = view.status().rubric_version_used.as_deref().unwrap_or_default();
            format!("{task_type} {version}").trim_end().to_owned()
        }
    };
    page.row("type", "类型", &value);
    if view.is_judged_by_tests() {
        let by = lang.pick(
            "tests: what was verified decides, no model is asked",
            "tests：由已验证的事实决定，不询问模型",
        );
        page.row("judge", "评审", by);
    }
}

/// What did not hold of a green test: the files that could have bent it come first.
fn proof(page: &mut Page<'_>, proof: &TestProof) {
    let is_clean = proof.effect() == ProofEffect::Notice && proof.label != ProofLabel::NotRun;
    if is_clean && proof.changed_tests.is_empty() {
        return;
    }
    let lang = page.lang;
    page.row("proof", "证明", proof.label.as_str());
    for path in proof.changed_tests.iter().take(SHOWN) {
        page.item("changed test", "改动的测试", path);
    }
    let more = proof.changed_tests.len().saturating_sub(SHOWN);
    if more > 0 {
        let text = lang.pick(format!("{more} more"), format!("另有 {more} 个"));
        page.item("changed test", "改动的测试", &text);
    }
    for finding in &proof.findings {
        let code = finding.code.as_str();
        page.item(code, code, lang.render(&finding.text()));
    }
}

fn acceptance(it: &Acceptance, lang: Lang) -> String {
    let Acceptance { finding, because, actor, accepted_at, .. } = it;
    let who = &actor.id;
    lang.pick(
        format!("{finding} by {who}, {accepted_at}: {because}"),
        format!("{finding}（{who}，{accepted_at}）：{because}"),
    )
}

/// What a check is called in Chinese; one that is not known keeps its name.
pub(crate) fn label(name: &str) -> &str {
    match name {
        "tests" => "测试",
        "paths" => "路径",
        "verdict" => "裁决",
        "budget" => "预算",
        "criteria" => "验收标准",
        RUBRIC => "评分标准",
        other => other,
    }
}
