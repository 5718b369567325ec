//! `provost accept`: accept a finding of a task or the missing proof of a story, as a person.

use provost_desk::{Desk, task::Acceptable};
use provost_kernel::{
    Exit, Message, TaskId,
    story::{CriterionId, StoryName},
    task::Order,
};

use super::{order::Addressed, text};
use crate::{
    session::{AnyFault, Run, Session},
    story::{person, waive_criterion},
    wiring::desk,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost accept t1 EXPECTATION_CHANGED --because \"the interface changed\"\n  provost accept US-001 AC-2 --because \"checked by hand\"\n\nAn acceptance verifies nothing. It is about the newest attempt, is shown wherever its result is\nshown, and is void for other files. It is for people: it is refused where an agent runs (1)."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
    /// The code of the finding, as `show` names it; for a story, the criterion
    #[arg(value_name = "FINDING")]
    finding: String,
    /// Why; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    because: String,
}

/// What cannot be accepted.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.accept")]
enum AcceptError {
    #[message(
        en = "cannot accept `{finding}`: nothing speaks against the newest result of `{task}`",
        zh = "无法接受 `{finding}`：`{task}` 的最新结果没有需要接受的发现",
        hint(en = "see `provost show {task}`", zh = "请查看 `provost show {task}`")
    )]
    Nothing { task: TaskId, finding: String },
    #[message(
        en = "cannot accept `{finding}`: it does not speak against the newest result of `{task}`",
        zh = "无法接受 `{finding}`：它不是 `{task}` 的最新结果中的发现",
        hint(en = "these do: {known:names}", zh = "可接受的有：{known:names}")
    )]
    Unknown { task: TaskId, finding: String, known: Vec<String> },
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let because = text::read(&self.because)?;
        let id = self.to.id();
        if let (Ok(story), Ok(criterion)) =
            (id.parse::<StoryName>(), self.finding.parse::<CriterionId>())
        {
            return waive_criterion(session, &story, criterion, &because);
        }
        let desk = desk(session)?;
        let task = desk.meant(Some(id))?;
        let order = acceptance(&desk, &task, self.finding.clone(), because)?;
        self.to.give(session, order)
    }
}

/// The order that accepts a finding of the newest result.
pub(crate) fn acceptance(
    desk: &Desk,
    task: &TaskId,
    finding: String,
    because: String,
) -> Result<Order, AnyFault> {
    let Acceptable { attempt, digest, findings } = desk.acceptable(task)?;
    let task = task.clone();
    if findings.is_empty() {
        return Err(AcceptError::Nothing { task, finding }.into());
    }
    if !findings.contains_key(&finding) {
        let known = findings.into_keys().collect();
        return Err(AcceptError::Unknown { task, finding, known }.into());
    }
    Ok(Order::Accept { finding, because, attempt, digest })
}
