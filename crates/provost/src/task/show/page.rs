//! What `provost show` says, on one screen.

use provost_desk::task::{
    AttemptView, Phase, Spent, View as TaskView, addressed, meaning, review_of,
};
use provost_kernel::{
    Clock as _, Lang, Message as _, shorten,
    task::{LandedOn, ReviewOutcome, State, Status, short},
};
use provost_rules_task::evidence::Class;
use provost_vault::SystemClock;
use unicode_width::UnicodeWidthStr as _;

use super::{Answer, result};
use crate::{
    paint::Tone,
    task::{
        diff::title,
        live::few,
        ls::mark,
        page::{ago, landed, money, review, spent},
        step_output::readable,
    },
    view::{Page, View},
};

/// How many changed files are named.
const FILES: usize = 8;
/// How wide the column of labels is.
const LABEL: usize = 9;

impl Page<'_> {
    /// Writes one fact about a task: its label in a column, and what there is.
    pub(super) fn fact(&mut self, en: &str, zh: &str, tone: Tone, text: impl AsRef<str>) {
        let label = self.lang.pick(en, zh);
        let gap = " ".repeat(LABEL.saturating_sub(label.width()));
        let label = Tone::Dim.of(format!("  {label}{gap} "));
        let indent = LABEL + 3;
        self.indented(&[label, tone.of(text.as_ref())], indent);
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, view, status) = (page.lang, self.view, self.view.status());
        let phase = match view.looked.altered {
            Some(_) => Phase::Untrusted,
            None => Phase::of(status),
        };
        head(page, view, phase);
        let goal = view.spec.as_ref().map(|it| it.value.goal.trim()).filter(|it| !it.is_empty());
        if let Some(goal) = goal {
            page.fact("goal", "目标", Tone::Plain, readable(&shorten(goal)));
        }
        if view.looked.altered.is_some() {
            let not = lang.pick("does not match the audit chain", "与审计链不符");
            page.fact("integrity", "完整性", Tone::Bad, not);
        }
        if let Some(holder) = view.looked.holder_text().map(|it| lang.render(&it)) {
            page.fact("run by", "运行者", Tone::Plain, holder);
        }
        let why = why(status, lang);
        if let Some(why) = &why {
            let is_running = status.state == State::Running;
            let (en, zh) = if is_running { ("now", "当前") } else { ("why", "原因") };
            page.fact(en, zh, Tone::Plain, why);
        }
        if status.is_stale() {
            let attempt = status.current_attempt;
            let stale = lang.pick(
                format!("stale: the task was edited after attempt {attempt}"),
                format!("已过期：任务在第 {attempt} 次尝试之后已修改"),
            );
            page.fact("result", "结果", Tone::Warn, stale);
        }
        for said in &view.agent_said {
            page.fact("agent", "智能体", Tone::Plain, readable(said));
        }
        let mut reasons = view.reasons();
        let is_said = |it: &str| why.as_deref().is_some_and(|why| why.contains(it));
        reasons.retain(|it| !is_said(&lang.render(it)));
        let reasons = few(&reasons, lang);
        for reason in &reasons {
            page.fact("reason", "理由", Tone::Plain, reason);
        }
        result::write(page, view, &reasons);
        files(page, view);
        for it in self.accepted {
            page.fact("accepted", "已接受", Tone::Plain, result::acceptance(it, lang));
        }
        attempts(page, view);
        rejections(page, view);
        asked(page, view);
        if let Some(instruction) = &status.next_instruction
            && LandedOn::of(status).is_none()
        {
            let text = lang.pick("told to the next attempt", "将告知下一次尝试");
            let text = format!("{instruction} ({text})");
            page.fact("you said", "指示", Tone::Plain, text);
        }
        if let Some(it) = review_of(status) {
            page.fact("review", "审阅", Tone::Plain, review(it, lang));
        }
        if let Some(it) = &status.landed {
            page.fact("landed", "合入", Tone::Plain, landed(it, lang));
        }
        if view.change.is_some() && !view.is_refused_by_policy() {
            let (task, attempt) = (&status.task_id, status.current_attempt);
            let name = format!("refs/provost/attempts/{task}/{attempt}");
            page.fact("result", "结果", Tone::Plain, name);
        }
        page.next(self.next);
    }
}

/// The first line: the task, where it stands, since when, and how large its change is.
fn head(page: &mut Page<'_>, view: &TaskView, phase: Phase) {
    let (lang, status) = (page.lang, view.status());
    let tone = mark(phase).1;
    let mut state = lang.render(&phase.text()).to_uppercase();
    if let Some(it) = LandedOn::of(status) {
        let (branch, commit) = (&it.branch, it.short());
        state += &lang.pick(format!(" on {branch} as {commit}"), format!(" {branch} {commit}"));
    }
    let mut parts = vec![ago(SystemClock.now(), status.updated_at, lang)];
    parts.extend(origin(view, lang));
    page.indented(
        &[
            Tone::Bold.of(status.task_id.as_str()),
            Tone::Plain.of("  "),
            tone.of(state),
            Tone::Plain.of(format!(" · {}", parts.join(" · "))),
        ],
        2,
    );
}

/// Where a task set out from, and how much it changed.
fn origin(view: &TaskView, lang: Lang) -> Option<String> {
    let spec = &view.spec.as_ref()?.value;
    let commit = spec.base_commit().map_or(spec.base_ref.as_str(), short);
    let base = match &spec.target_branch {
        Some(branch) if *branch != spec.base_ref => format!("{branch}@{commit}"),
        Some(_) | None => commit.to_owned(),
    };
    let with_changes = lang.pick(" with uncommitted files", "（含未提交的文件）");
    let base = if spec.starts_from_changes() { base + with_changes } else { base };
    let change = view.change.as_ref().filter(|it| !it.files.is_empty());
    let Some(change) = change else { return Some(base) };
    let (files, added, removed) = (change.files.len(), change.added, change.removed);
    let noun = if files == 1 { "file" } else { "files" };
    Some(lang.pick(
        format!("{base} → {files} {noun}, +{added} −{removed}"),
        format!("{base} → {files} 个文件，+{added} −{removed}"),
    ))
}

/// The changed files, those first that could bend a verdict.
fn files(page: &mut Page<'_>, view: &TaskView) {
    let lang = page.lang;
    let Some(change) = &view.change else { return };
    let mut label = ("files", "文件");
    for it in change.files.iter().take(FILES) {
        let (path, added, removed) = (readable(&it.path), it.added, it.removed);
        let is_plain = it.class == Class::Product;
        let kind = if is_plain { String::new() } else { format!("  {}", title(it.class, lang)) };
        page.fact(label.0, label.1, Tone::Plain, format!("{path} +{added} −{removed}{kind}"));
        label = ("", "");
    }
    let more = change.files.len().saturating_sub(FILES);
    if more > 0 {
        let id = &view.status().task_id;
        let text = lang.pick(
            format!("{more} more: `provost diff {id} --stat`"),
            format!("另有 {more} 个：`provost diff {id} --stat`"),
        );
        page.fact("", "", Tone::Plain, text);
    }
}

/// What a person should have seen before the result lands: the task, what is proven, what is changed.
pub(in crate::task) fn brief(page: &mut Page<'_>, view: &TaskView) {
    head(page, view, Phase::of(view.status()));
    result::write(page, view, &[]);
    files(page, view);
}

/// Why a task stands where it stands; none where its state says it all.
fn why(status: &Status, lang: Lang) -> Option<String> {
    let message = Some(lang.render(&status.text())).filter(|it| !it.is_empty());
    match (status.state, status.pause_reason_code) {
        (State::ReadyForReview, _) => None,
        (_, Some(code)) => {
            let message = message.unwrap_or_else(|| lang.render(&meaning(code)));
            Some(lang.pick(format!("{message} ({code})"), format!("{message}（{code}）")))
        }
        (State::Running | State::Failed | State::Paused, None) => message,
    }
}

/// What was asked, and what was answered.
fn asked(page: &mut Page<'_>, view: &TaskView) {
    let (lang, response) = (page.lang, &view.response);
    let (en, zh) =
        if response.is_answered() { ("asked", "曾问") } else { ("question", "问题") };
    for question in view.status().questions() {
        let question = addressed(&lang.render(&question), &view.status().task_id);
        page.fact(en, zh, Tone::Plain, question);
    }
    for answer in &response.answers {
        page.fact("answered", "已答复", Tone::Plain, answer);
    }
}

/// Which attempt is the newest of those that count, how each ended, and what they cost.
fn attempts(page: &mut Page<'_>, view: &TaskView) {
    let lang = page.lang;
    let count = view.count();
    let counted = match count.count {
        0 => lang.render(&count.text()),
        newest => lang.pick(format!("{newest} of {}", count.of), format!("{newest}/{}", count.of)),
    };
    if view.attempts.is_empty() {
        page.fact("attempts", "尝试", Tone::Plain, counted);
        return;
    }
    let each: Vec<String> = view.attempts.iter().map(|it| attempt(it, view, lang)).collect();
    let mut text = format!("{counted}{}{}", lang.pick(": ", "："), each.join(" · "));
    let limit = view.spec.as_ref().and_then(|it| it.value.budget.usd);
    if let Some(total) = spent(Spent::of(&view.attempts), lang) {
        let limit = limit
            .map(|it| lang.pick(format!(" of {}", money(it)), format!("，上限 {}", money(it))));
        let limit = limit.unwrap_or_default();
        text += &lang.pick(format!(" · total {total}{limit}"), format!(" · 共 {total}{limit}"));
    }
    page.fact("attempts", "尝试", Tone::Plain, text);
}

/// Why results were rejected; the review of the newest one says it itself.
fn rejections(page: &mut Page<'_>, view: &TaskView) {
    let (lang, status) = (page.lang, view.status());
    let is_said = |it: &AttemptView| {
        it.attempt == status.current_attempt
            && review_of(status).is_some_and(|it| it.outcome == ReviewOutcome::Rejected)
    };
    for it in view.attempts.iter().filter(|it| !is_said(it)) {
        let Some(because) = &it.rejected_because else { continue };
        let (attempt, because) = (it.attempt, readable(because));
        let text = lang.pick(
            format!("attempt {attempt}: {because}"),
            format!("第 {attempt} 次尝试：{because}"),
        );
        page.fact("rejected", "已拒绝", Tone::Plain, text);
    }
}

/// How an attempt ended, and what it cost.
fn attempt(it: &AttemptView, view: &TaskView, lang: Lang) -> String {
    let status = view.status();
    let is_running = status.state == State::Running && it.attempt == status.current_attempt;
    let is_newest = it.attempt == status.current_attempt;
    let word = match &it.decision {
        None if is_running => lang.pick("running", "运行中"),
        None => lang.pick("not decided", "未决定"),
        Some(record) if record.decision.next_state == State::ReadyForReview => {
            let is_rejected = if is_newest {
                review_of(status).is_some_and(|it| it.outcome == ReviewOutcome::Rejected)
            } else {
                it.rejected_because.is_some()
            };
            // Only the newest result is counted without being used up.
            match (is_rejected, !is_newest && !record.decision.consume_attempt) {
                (false, false) => lang.pick("passed", "通过"),
                (false, true) => lang.pick("passed (not counted)", "通过（不计次数）"),
                (true, false) => lang.pick("passed (rejected)", "通过（已拒绝）"),
                (true, true) => {
                    lang.pick("passed (rejected, not counted)", "通过（已拒绝，不计次数）")
                }
            }
        }
        Some(record) if record.decision.consume_attempt => lang.pick("failed", "失败"),
        Some(_) => lang.pick("stopped (not counted)", "中止（不计次数）"),
    };
    let mut parts = vec![it.attempt.to_string(), word.to_owned()];
    if let Some(score) = it.final_score_0_100 {
        parts.push(lang.pick(format!("score {score}"), format!("得分 {score}")));
    }
    if let Some(metrics) = &it.metrics {
        if metrics.session_of.is_some() {
            parts.push(lang.pick("same session", "同一会话").to_owned());
        }
        parts.extend(metrics.usd.map(money));
        parts.push(format!("{}s", metrics.elapsed_seconds));
    }
    parts.join(" ")
}
