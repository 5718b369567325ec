//! `provost story stop`: a person ends a plan.

use provost_engine::story::{
    operate,
    operation::{Afterwards, Operation},
};
use provost_kernel::Exit;

use super::{desk, person};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is deleted: what happened stays in the claims log. With `--archive` the plan goes into\nhistory, and its branch is free for another one. It is for people: it is refused where an agent\nworks.\n\nExamples:\n  provost story stop ralph/login\n  provost story stop ralph/login --archive\n\nExits with 0 when the plan is stopped, with 2 when there is none, and with 5 when it cannot be\nstopped any more."
)]
pub(super) struct Args {
    /// The branch of the plan
    #[arg(value_name = "BRANCH")]
    branch: String,
    /// Put it into history, so that its branch is free
    #[arg(long)]
    archive: bool,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let desk = desk(session)?;
        let afterwards = if self.archive { Afterwards::History } else { Afterwards::Listed };
        let operated = operate(&desk, &self.branch, &Operation::Stop(afterwards))?;
        let lang = session.output.lang;
        match session.output.format() {
            Format::Json => session.output.document(&operated),
            Format::Text => {
                let branch = &operated.branch;
                session.output.line(&if operated.is_archived {
                    lang.pick(
                        format!("`{branch}` is stopped, and in history"),
                        format!("`{branch}` 已停止并归入历史"),
                    )
                } else {
                    lang.pick(format!("`{branch}` is stopped"), format!("`{branch}` 已停止"))
                });
            }
        }
        Ok(Exit::Success)
    }
}
