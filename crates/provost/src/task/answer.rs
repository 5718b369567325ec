//! `provost answer`: tell the agent something, and let the task go on.

use provost_desk::{Desk, task::Sought};
use provost_kernel::{Exit, Message, TaskId, task::Order};
use provost_rules_task::inputs;
use provost_vault::is_present;

use super::{
    changes::note_newer_settings,
    detach::{self, Background},
    order::{meant, show, take},
    run, text,
};
use crate::{
    output::Format,
    session::{AnyFault, Run, Session},
    story::person,
    wiring::{Wiring, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    allow_missing_positional = true,
    after_help = "Examples:\n  provost answer \"refuse it\"\n  provost answer t1 \"use port 8080\"\n  provost answer t1 --no-run - < answer.md\n  provost answer t1 \"yes\" --detach\n\nThe next attempt receives the message once. A task that waited for the answer continues, as with\n`provost resume`; with --json only if --run or --detach is given.\n\nExit codes: 0 recorded, or as `provost resume`"
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the only task that waits for an answer, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The message; `-` reads it from standard input
    #[arg(value_name = "TEXT", required = true)]
    text: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<String>,
    /// Record the message only
    #[arg(long, conflicts_with_all = ["run", "detach"])]
    no_run: bool,
    /// Continue the task with --json, too
    #[arg(long)]
    run: bool,
    #[command(flatten)]
    background: Background,
}

/// Why there is nothing to tell.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.answer",
    en = "`{task}` is a task, and the answer is missing",
    zh = "`{task}` 是任务 id，缺少答复内容",
    hint(en = "`provost answer {task} TEXT`", zh = "`provost answer {task} TEXT`")
)]
struct NoText {
    task: TaskId,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        if self.id.is_none() {
            refuse_id(&desk, &self.text)?;
        }
        let text = text::read(&self.text)?;
        // A permission is a person's, in whatever words it is given.
        if !inputs::accepted(std::slice::from_ref(&text)).is_empty() {
            person(session)?;
        }
        let task = meant(&desk, self.id.as_deref(), Sought::Question)?;
        // What may not run unattended is refused before anything is recorded.
        let unattended = if self.background.is_asked() {
            Some(self.unattended(session, &desk, &task)?)
        } else {
            None
        };
        let order = Order::Answer { text };
        let receipt = take(&desk, &task, order, self.request_id.as_deref())?;
        // The answer is on the disk from here on, whatever becomes of the run.
        if !self.goes_on(session, &desk, &task)? {
            return show(session, &desk, receipt);
        }
        let lang = session.output.lang;
        session.output.message(&lang.pick(
            format!("Answer recorded. `{task}` continues."),
            format!("答复已记录。`{task}` 继续运行。"),
        ));
        match unattended {
            Some(wiring) => detach::resume(session, &wiring, &task),
            None => run::resume(session, &task),
        }
    }
}

impl Args {
    /// What the task needs to run in the background, where it may.
    fn unattended(
        &self,
        session: &mut Session,
        desk: &Desk,
        task: &TaskId,
    ) -> Result<Wiring, AnyFault> {
        let spec = desk.spec(task)?.value;
        note_newer_settings(session, &spec);
        let wiring = run::wiring_of(session, &spec)?;
        self.background.check(session, &wiring, &spec)?;
        Ok(wiring)
    }

    /// Whether the task goes on: it waited for the answer, and nobody wants it to wait.
    fn goes_on(&self, session: &Session, desk: &Desk, task: &TaskId) -> Result<bool, AnyFault> {
        let is_wanted = self.run
            || self.background.is_asked()
            || (!self.no_run && session.output.format() == Format::Text);
        let status = desk.look(task)?.status.value;
        Ok(is_wanted && desk.response(&status)?.lets_go_on(&status))
    }
}

/// Refuses the id of a task in place of an answer.
fn refuse_id(desk: &Desk, text: &str) -> Result<(), NoText> {
    match text.parse::<TaskId>() {
        Ok(task) if is_present(&desk.layout().task_spec(&task)) => Err(NoText { task }),
        Ok(_) | Err(_) => Ok(()),
    }
}
