//! `provost explain`: which row of the decision table, and the facts that chose it.

use provost_desk::task::{Explained, Explanation, addressed, meaning};
use provost_kernel::{
    AttemptNumber, Exit, Finding, Lang,
    task::{DecisionRecord, PauseCode, State, Transition},
};

use super::show::{complain_of, complain_of_altered};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost explain t1\n  provost explain t1 --attempt 2\n\nWith --json, all facts are listed, not only the decisive ones."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the task that changed last, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Explain this attempt instead of the current state
    #[arg(long, value_name = "N")]
    attempt: Option<u16>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let attempt = self.attempt.map(AttemptNumber::try_from).transpose()?;
        let desk = desk(session)?;
        let task = desk.meant(self.id.as_deref())?;
        let view = desk.view(&task)?;
        complain_of(session, &view.unreadable);
        if let Some(path) = &view.looked.altered {
            complain_of_altered(session, &task, path);
        }
        let explanation = match attempt {
            Some(attempt) => Explanation::of_attempt(&view, attempt)?,
            None => Explanation::of(&view),
        };
        session.output.show(&explanation);
        Ok(Exit::Success)
    }
}

impl View for Explanation {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, it) = (page.lang, self);
        page.row("task", "任务", it.task_id.as_str());
        if let Some(undecided) = it.undecided {
            let running = lang.pick(
                format!("attempt {undecided} is running, and nothing is decided yet"),
                format!("第 {undecided} 次尝试正在运行，尚无决定"),
            );
            page.row("now", "当前", &running);
        }
        match (&it.record, &it.transition, it.source) {
            (Some(record), ..) => record_page(page, it, record),
            (None, Some(transition), _) => transition_page(page, it, transition),
            (None, None, Explained::Nothing | Explained::Attempt | Explained::Transition) => {
                page.row("decided", "决定", lang.pick("nothing yet", "尚无"));
            }
        }
        // The command that printed this is not offered again.
        let next: Vec<_> = it
            .next
            .iter()
            .filter(|it| !it.command.starts_with("provost explain "))
            .cloned()
            .collect();
        page.next(&next);
    }
}

fn record_page(page: &mut Page<'_>, it: &Explanation, record: &DecisionRecord) {
    let (lang, decision) = (page.lang, &record.decision);
    page.row("attempt", "尝试", record.attempt.to_string());
    page.row("row", "规则行", decision.row.as_str());
    for fact in &it.deciding_facts {
        let label = lang.render(&fact.label);
        match fact.value.as_str() {
            // Gates and thresholds are a judge's.
            "true" | "false" if it.is_judged_by_tests => {}
            "true" => page.item(&label, &label, lang.pick("yes", "是")),
            "false" => page.item(&label, &label, lang.pick("no", "否")),
            value => page.item(&label, &label, value),
        }
    }
    page.row("why", "原因", lang.render(&decision.message));
    if it.is_judged_by_tests {
        page.row("decided by", "决定者", lang.pick("the tests", "测试"));
    } else if let Some(judge) = record.judge_decision {
        let is_lowered = record.facts.verdict_decision.is_some_and(|it| it != judge);
        let said = if is_lowered {
            lang.pick(format!("{judge}, lowered by facts"), format!("{judge}，因事实而下调"))
        } else {
            judge.to_string()
        };
        page.row("the judge said", "评审意见", &said);
    }
    for against in &record.against {
        page.item("against it", "不利事实", addressed(&lang.render(against), &record.task_id));
    }
    // The reasons of a record are what the next attempt is told, in English: a finding says the
    // same in the reader's language.
    let repeats = |reason: &String, it: &Finding| {
        *reason == it.subject || *reason == format!("{}: {}", it.subject, it.message)
    };
    for reason in &record.reasons {
        if !record.findings.iter().any(|it| repeats(reason, it)) {
            page.item("reason", "理由", reason);
        }
    }
    for finding in &record.findings {
        let (subject, message) = (&finding.subject, lang.render(&finding.message));
        let found = lang.pick(format!("{subject}: {message}"), format!("{subject}：{message}"));
        page.item(&finding.rule, &finding.rule, found);
    }
    let counts = if decision.consume_attempt { ("yes", "是") } else { ("no", "否") };
    page.row("counts as an attempt", "计入尝试次数", lang.pick(counts.0, counts.1));
    let then = state(decision.next_state, decision.pause_reason_code, lang);
    page.row("then", "结果", &then);
}

fn transition_page(page: &mut Page<'_>, it: &Explanation, transition: &Transition) {
    let lang = page.lang;
    let no_attempt = lang
        .pick("this did not come from the result of an attempt", "此状态并非由某次尝试的结果得出");
    page.row("note", "说明", no_attempt);
    if let Some(attempt) = it.attempt {
        page.row("in attempt", "所在尝试", attempt.to_string());
    }
    if let Some(row) = it.row {
        page.row("row", "规则行", row.as_str());
    }
    if let Some(at) = transition.triggered_at {
        page.row("at", "时间", at.to_string());
    }
    page.row("why", "原因", lang.render(&transition.text()));
    let signal = transition.signal_name.clone();
    let code = transition.signal_or_rc.map(|it| it.to_string());
    if let Some(end) = signal.or(code) {
        page.row("ended by", "终止原因", &end);
    }
    page.row("then", "结果", state(it.state, it.pause_reason_code, lang));
}

fn state(state: State, code: Option<PauseCode>, lang: Lang) -> String {
    match code {
        None => state.to_string(),
        Some(code) => {
            let meaning = lang.render(&meaning(code));
            lang.pick(
                format!("{state} ({code}: {meaning})"),
                format!("{state}（{code}：{meaning}）"),
            )
        }
    }
}
