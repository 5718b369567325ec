//! `provost ls`: tasks, the one that changed last first.

use std::{collections::BTreeMap, num::NonZeroUsize};

use provost_desk::task::{Listing, Overview, Phase, Proof, Row, Spent};
use provost_kernel::{
    Clock as _, Exit, Lang, Message as _, TaskId, Timestamp, WordError, task::State,
};
use provost_vault::SystemClock;
use serde::Serialize;

use super::{
    page::{age, spent},
    show::complain_of_altered,
};
use crate::{
    paint::{Span, Tone},
    session::{AnyFault, Run, Session},
    table::{Side, Table},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost ls\n  provost ls --state PAUSED --limit 20\n\nMarks: ✓ ready or approved, ● landed, … running, ! paused, ✗ failed or rejected.\nOn a narrow terminal, the cost and the age are left out first."
)]
pub(crate) struct Args {
    /// Only tasks in this state: RUNNING, PAUSED, `READY_FOR_REVIEW` or FAILED
    #[arg(long, value_name = "S")]
    state: Option<String>,
    /// The maximum number of tasks
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    tasks: &'a [Row],
    left_out: usize,
    unreadable: &'a [String],
    /// Tasks whose state does not match the audit chain, with its file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    altered: &'a BTreeMap<TaskId, String>,
    /// What the attempts cost that ended since midnight, UTC.
    spent_today: Spent,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let state = self.state.as_deref().map(state_of).transpose()?;
        let listing = Listing { state, limit: self.limit.map(NonZeroUsize::get) };
        let overview = desk(session)?.overview(listing)?;
        let Overview { rows, left_out, unreadable, altered, today } = overview;
        for path in &unreadable {
            session.output.complain(&session.output.lang.pick(
                format!("cannot read `{path}`; the files of the task are complete"),
                format!("无法读取 `{path}`；任务自身的文件仍然完整"),
            ));
        }
        for (task, path) in &altered {
            complain_of_altered(session, task, path);
        }
        session.output.show(&Answer {
            tasks: &rows,
            left_out,
            unreadable: &unreadable,
            altered: &altered,
            spent_today: today,
        });
        Ok(Exit::Success)
    }
}

/// The state that a person means, in whatever case.
fn state_of(text: &str) -> Result<State, WordError> {
    text.to_ascii_uppercase().parse().or_else(|_| text.parse())
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        if self.tasks.is_empty() {
            return;
        }
        let table = table(self.tasks, SystemClock.now(), page.lang);
        for line in table.lines(page.screen().width) {
            page.spans(&line);
        }
        if let Some(today) = spent(self.spent_today, page.lang) {
            let label = page.lang.pick("spent today (UTC)", "今日花费（UTC）");
            page.spans(&[Tone::Dim.of(page.labelled(label, today))]);
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        if self.tasks.is_empty() {
            page.message("no tasks", "没有任务");
        }
        if self.left_out > 0 {
            let left_out = self.left_out;
            page.message(
                format!("{left_out} more; `--limit` shows more of them"),
                format!("还有 {left_out} 个；用 `--limit` 显示更多"),
            );
        }
    }
}

fn table(tasks: &[Row], now: Timestamp, lang: Lang) -> Table {
    let head = [
        ("", "", Side::Left),
        ("TASK", "任务", Side::Left),
        ("STATE", "状态", Side::Left),
        ("PROOF", "证明", Side::Left),
        ("TRY", "尝试", Side::Left),
        ("COST", "花费", Side::Right),
        ("AGE", "时间", Side::Right),
        ("WAITS FOR", "等待", Side::Left),
    ];
    Table {
        head: head.map(|(en, zh, side)| (lang.pick(en, zh).to_owned(), side)).to_vec(),
        rows: tasks.iter().map(|it| row(it, now, lang)).collect(),
        names: 1,
        // What a task waits for says more than what it cost, and when.
        dropped: vec![5, 6, 4],
    }
}

fn row(task: &Row, now: Timestamp, lang: Lang) -> Vec<Span> {
    let none = || "–".to_owned();
    let Row { entry, phase, proof, spent: cost, tries, waits_for } = task;
    let (mark, tone) = mark(*phase);
    let proven = match proof {
        None => Tone::Dim,
        Some(Proof::Verified) => Tone::Ok,
        Some(Proof::Gaps) => Tone::Warn,
        Some(Proof::Red | Proof::Refused) => Tone::Bad,
    };
    let cost = cost.map(|it| spent(it, lang).unwrap_or_else(none)).unwrap_or_default();
    let waits_for = waits_for.as_ref().map(|it| lang.render(it)).unwrap_or_default();
    vec![
        tone.of(mark),
        Tone::Bold.of(entry.task_id.as_str()),
        tone.of(lang.render(&phase.text())),
        proven.of(proof.map_or_else(none, |it| lang.render(&it.text()))),
        Tone::Plain.of(tries.map_or_else(none, |it| format!("{}/{}", it.count, it.of))),
        Tone::Dim.of(cost),
        Tone::Dim.of(age(now, entry.updated_at)),
        Tone::Plain.of(waits_for),
    ]
}

/// The mark of a phase, and what it means.
pub(super) fn mark(phase: Phase) -> (&'static str, Tone) {
    match phase {
        Phase::Queued | Phase::Running => ("…", Tone::Run),
        Phase::Paused | Phase::Landing | Phase::Stale | Phase::Undone => ("!", Tone::Warn),
        Phase::Ready | Phase::Approved => ("✓", Tone::Ok),
        Phase::Landed => ("●", Tone::Ok),
        Phase::Rejected | Phase::Failed | Phase::Untrusted => ("✗", Tone::Bad),
    }
}
