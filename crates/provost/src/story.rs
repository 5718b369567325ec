//! `provost story`: plans of stories, and what agents claim about them.

mod declare;
mod get;
mod import;
mod page;
mod person;
mod prompt;
mod start;
mod status;
mod stop;
mod update;
mod verify;
mod waive;

use provost_desk::Desk;
use provost_engine::story::find;
use provost_kernel::story::{Execution, StoryName, StoryRow};
use provost_vault::{RealDisk, prepare_home};

pub(crate) use self::{person::person, status::tell_all};
use crate::{
    session::{AnyFault, Run, Session},
    wiring::{self, Wiring},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost story start docs/prd.md\n  provost story prompt US-001\n  provost story declare US-001 src/login.rs tests/login.rs\n  provost story update US-001 --file update.json\n\nA story is named by its id, `US-001`, or together with its branch, `ralph/login:US-001`."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// Say which files a story will touch, before they are touched
    Declare(declare::Args),
    /// Show everything about a story: each criterion, its evidence, every update
    Get(get::Args),
    /// Take in what the original knew: its `state.json`
    Import(import::Args),
    /// Print what an agent is told about a story
    Prompt(prompt::Args),
    /// Start a plan: its criteria are frozen, and the last commit is its base
    Start(start::Args),
    /// Show how far every story is
    Status(status::Args),
    /// End a plan, as a person; nothing of it is deleted
    Stop(stop::Args),
    /// Take an agent's update: what it claims is run again on a clean checkout
    Update(update::Args),
    /// Run again what was claimed before, on the tree as it is now
    Verify(verify::Args),
    /// Do without the proof of a criterion, as a person who says why
    Waive(waive::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.deed {
            Deed::Declare(it) => it,
            Deed::Get(it) => it,
            Deed::Import(it) => it,
            Deed::Prompt(it) => it,
            Deed::Start(it) => it,
            Deed::Status(it) => it,
            Deed::Stop(it) => it,
            Deed::Update(it) => it,
            Deed::Verify(it) => it,
            Deed::Waive(it) => it,
        }
    }
}

/// The desk at a home that is there: the index of the stories lies in it.
pub(crate) fn desk(session: &mut Session) -> Result<Desk, AnyFault> {
    let desk = wiring::desk(session)?;
    prepare_home(&RealDisk, desk.layout())?;
    Ok(desk)
}

/// The story that a name leads to, and what is needed to look at it: the configuration is that of
/// its base.
fn wiring(
    session: &mut Session,
    name: &StoryName,
) -> Result<(Wiring, Execution, StoryRow), AnyFault> {
    let desk = desk(session)?;
    let (execution, row) = find(&desk.stories()?, name)?;
    let base = execution.base_commit_sha.as_deref().unwrap_or("HEAD");
    let wiring = Wiring::new(session, execution.project_root.as_ref(), base)?;
    wiring.listen()?;
    Ok((wiring, execution, row))
}
