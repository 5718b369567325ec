//! `provost story`: plans of stories, and the claims of agents about them.

mod answer;
mod declare;
mod get;
mod import;
mod person;
mod prompt;
mod rebase;
mod start;
mod status;
mod stop;
mod update;
mod verify;
mod waive;

use provost_desk::Desk;
use provost_engine::story::{Freshness, find};
use provost_kernel::story::{Execution, StoryName, StoryRow};
use provost_vault::{RealDisk, prepare_home};

pub(crate) use self::{
    person::{agent_at, is_job, person},
    status::show_notices,
    waive::waive_criterion,
};
use crate::{
    environment,
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
    /// Declare the files of a story before changing them
    Declare(declare::Args),
    /// Show a story with its criteria, evidence and updates
    Get(get::Args),
    /// Import a `state.json` of the original
    Import(import::Args),
    /// Print the prompt for the agent of a story
    Prompt(prompt::Args),
    /// Measure a plan from a newer base, after a merge or a rebase
    Rebase(rebase::Args),
    /// Start a plan: freeze its criteria, base it on HEAD
    Start(start::Args),
    /// Show the progress of every story
    Status(status::Args),
    /// Stop a plan without deleting anything
    Stop(stop::Args),
    /// Submit an update; its claims are run again
    Update(update::Args),
    /// Verify earlier claims on the current worktree
    Verify(verify::Args),
    /// Waive the proof of a criterion, with a reason
    Waive(waive::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.deed {
            Deed::Declare(it) => it,
            Deed::Get(it) => it,
            Deed::Import(it) => it,
            Deed::Prompt(it) => it,
            Deed::Rebase(it) => it,
            Deed::Start(it) => it,
            Deed::Status(it) => it,
            Deed::Stop(it) => it,
            Deed::Update(it) => it,
            Deed::Verify(it) => it,
            Deed::Waive(it) => it,
        }
    }
}

/// The desk at an existing home: the index of the stories lies in it.
pub(crate) fn desk(session: &mut Session) -> Result<Desk, AnyFault> {
    let desk = wiring::desk(session)?;
    prepare_home(&RealDisk, desk.layout())?;
    Ok(desk)
}

/// What compares worktrees with what was proven.
pub(crate) fn freshness(session: &Session) -> Result<Freshness, AnyFault> {
    let path = session.environment.text("PATH")?.unwrap_or_default();
    Ok(Freshness::new(environment::guardian()?, path))
}

/// The story of a name, and the wiring to check it: the configuration is that of its base.
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
