//! `provost ls`: tasks, the one that changed last first.

use std::{collections::BTreeMap, num::NonZeroUsize};

use provost_desk::task::{Listed, Listing};
use provost_kernel::{
    Clock as _, Exit, Lang, TaskId, Timestamp, WordError,
    task::{IndexEntry, State},
};
use provost_vault::SystemClock;
use serde::Serialize;

use super::{
    page::{age, cut},
    show::complain_of_altered,
};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost ls\n  provost ls --state PAUSED --limit 20\n\nColumns: id, state, attempt of how many, score of 100, age, pause code, message."
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
    tasks: &'a [IndexEntry],
    left_out: usize,
    unreadable: &'a [String],
    /// Tasks whose state does not match the audit chain, with its file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    altered: &'a BTreeMap<TaskId, String>,
}

/// How much of a message fits beside the rest.
const MESSAGE: usize = 60;

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let state = self.state.as_deref().map(state_of).transpose()?;
        let listing = Listing { state, limit: self.limit.map(NonZeroUsize::get) };
        let Listed { tasks, left_out, unreadable, altered } = desk(session)?.list(listing)?;
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
            tasks: &tasks,
            left_out,
            unreadable: &unreadable,
            altered: &altered,
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
        for line in lines(self, SystemClock.now(), page.lang) {
            page.line(&line);
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

/// One line for each task, in columns.
fn lines(answer: &Answer<'_>, now: Timestamp, lang: Lang) -> Vec<String> {
    let tasks = answer.tasks;
    let is_altered = |it: &IndexEntry| answer.altered.contains_key(&it.task_id);
    let rows: Vec<[String; 6]> = tasks.iter().map(|it| row(it, is_altered(it), now)).collect();
    let width = |column: usize| rows.iter().map(|it| it[column].len()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4, 5].map(width);
    let line = |(row, task): (&[String; 6], &IndexEntry)| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}  "));
        let line = cells.collect::<String>() + &cut(&said(task, lang), MESSAGE);
        line.trim_end().to_owned()
    };
    rows.iter().zip(tasks).map(line).collect()
}

/// The message of a task; of one that has landed, where.
fn said(task: &IndexEntry, lang: Lang) -> String {
    match &task.landed {
        Some(it) => lang.pick(
            format!("landed on {} as {}", it.branch, it.short()),
            format!("已合入 {}：{}", it.branch, it.short()),
        ),
        None => lang.render(&task.text()),
    }
}

/// The columns before the message; all of them are ASCII.
fn row(task: &IndexEntry, is_altered: bool, now: Timestamp) -> [String; 6] {
    let none = || "-".to_owned();
    let mark = if is_altered { "!" } else { "" };
    [
        task.task_id.to_string(),
        format!("{}{mark}", task.state),
        format!("{}/{}", task.current_attempt, task.effective_max_attempts),
        task.final_score_0_100.map_or_else(none, |it| it.to_string()),
        age(now, task.updated_at),
        task.pause_reason_code.map_or_else(none, |it| it.to_string()),
    ]
}
