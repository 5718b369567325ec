//! `provost rm`: remove a task with everything that belongs to it.

use std::path::Path;

use provost_engine::task::{rehearsal::Unwatched, remove};
use provost_kernel::{Exit, Message, TaskId};
use serde::Serialize;

use crate::{
    ask::{self, Asked},
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring::{Wiring, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost rm t1\n\nRemoves its files, its work folder and the names of its results in the repository; what has landed\nstays on its branch. The audit log keeps one line, and the id is free again. It is refused where an\nagent runs (1), and while the task runs (5)."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    id: String,
    /// Remove it without a question
    #[arg(long, short)]
    yes: bool,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer {
    task_id: TaskId,
    removed: bool,
}

#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.rm")]
enum RemovalError {
    #[message(
        en = "`{given}` is the start of `{task}`: `--yes` takes a whole id",
        zh = "`{given}` 是 `{task}` 的开头：使用 `--yes` 时须写完整 id",
        hint(en = "`provost rm {task} --yes`", zh = "`provost rm {task} --yes`")
    )]
    Shortened { task: TaskId, given: String },
    #[message(
        en = "`{task}` is not removed without your consent, and no terminal is there to ask at",
        zh = "未经确认不会删除 `{task}`，而此处没有终端可供询问",
        hint(
            en = "add `--yes`: `provost rm {task} --yes`",
            zh = "请加上 `--yes`：`provost rm {task} --yes`"
        )
    )]
    Unconfirmed { task: TaskId },
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let desk = desk(session)?;
        let (task, spec) = desk.removable(&self.id)?;
        if self.yes && task.as_str() != self.id {
            return Err(RemovalError::Shortened { task, given: self.id.clone() }.into());
        }
        if !self.yes && !confirm(session, &task)? {
            session.output.show(&Answer { task_id: task, removed: false });
            return Ok(Exit::Refused);
        }
        let wiring = Wiring::new(session, Path::new(&spec.value.repo_path), &spec.value.base_ref)?;
        remove(wiring.engine(&Unwatched), &task)?;
        session.output.show(&Answer { task_id: task, removed: true });
        Ok(Exit::Success)
    }
}

/// Asks the person at the terminal.
fn confirm(session: &Session, task: &TaskId) -> Result<bool, AnyFault> {
    let question = session.output.lang.pick(
        format!("Remove `{task}` with its attempts and results?"),
        format!("确定删除 `{task}` 及其全部尝试和结果吗？"),
    );
    match ask::confirm(&question) {
        Asked::Yes => Ok(true),
        Asked::No => Ok(false),
        Asked::Nobody => Err(RemovalError::Unconfirmed { task: task.clone() }.into()),
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let task = &self.task_id;
        let line = if self.removed {
            page.lang.pick(format!("`{task}` is removed"), format!("已删除 `{task}`"))
        } else {
            page.lang.pick(format!("`{task}` stays"), format!("已保留 `{task}`"))
        };
        page.line(&line);
    }
}
