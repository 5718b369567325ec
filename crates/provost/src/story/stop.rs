//! `provost story stop`: stops a plan, as a person.

use provost_engine::story::{
    Operated, operate,
    operation::{Afterwards, Operation},
};
use provost_kernel::Exit;

use super::{desk, person};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Nothing is deleted: what happened stays in the claims log. With `--archive` the plan goes into\nhistory, and its branch is free for another one. It is for people: it is refused where an agent\nruns.\n\nExamples:\n  provost story stop ralph/login\n  provost story stop ralph/login --archive\n\nExits with 0 when the plan is stopped, with 2 when there is none, and with 5 when it cannot be\nstopped any more."
)]
pub(super) struct Args {
    /// The branch of the plan
    #[arg(value_name = "BRANCH")]
    branch: String,
    /// Archive it, so that its branch is free
    #[arg(long)]
    archive: bool,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let desk = desk(session)?;
        let afterwards = if self.archive { Afterwards::History } else { Afterwards::Listed };
        let operated = operate(&desk, &self.branch, &Operation::Stop(afterwards))?;
        session.output.show(&operated);
        Ok(Exit::Success)
    }
}

impl View for Operated {
    fn page(&self, page: &mut Page<'_>) {
        let branch = &self.branch;
        page.line(&if self.is_archived {
            page.lang.pick(
                format!("stopped and archived `{branch}`"),
                format!("`{branch}` 已停止并归入历史"),
            )
        } else {
            page.lang.pick(format!("stopped `{branch}`"), format!("`{branch}` 已停止"))
        });
    }
}
