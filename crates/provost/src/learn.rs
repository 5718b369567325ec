//! `provost learn`: guidance from labelled cases, under rules that it cannot rewrite.

mod adopt;
mod agreement;
mod ask;
mod diff;
mod export;
mod hypotheses;
mod init;
mod live;
mod mission;
mod page;
mod queue;
mod resolve;
mod rollback;
mod rules;
mod run;
mod season;
mod status;
mod supplies;
mod verify;
mod why;

use camino::Utf8Path;
use provost_engine::learn::{LearnError, MissionDir, read_mission};
use provost_kernel::{Message, learn::RunName};
use provost_rules_learn::mission::MissionError;
use provost_vault::Layout;

use crate::{
    environment,
    output::Format,
    session::{AnyFault, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost learn init --tickets cases.csv --base-url URL --model M\n  provost learn run MISSION.toml\n  provost learn status demo\n  provost learn rules demo\n  provost learn rollback demo --step 1\n\nA mission is named by its name in the home, or by its file."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    deed: Deed,
}

#[derive(Debug, clap::Subcommand)]
enum Deed {
    /// Put a rule in force by your decision
    Adopt(adopt::Args),
    /// Show how well the judge agrees with people
    Agreement(agreement::Args),
    /// Ask for the review that tells most about a rule
    Ask(ask::Args),
    /// Show what learning changed in the rules
    Diff(diff::Args),
    /// Print scaffold and rules as an initial guidance file
    Export(export::Args),
    /// List proposed rules with their supporting tickets
    Hypotheses(hypotheses::Args),
    /// Make a mission out of a file of labelled cases
    Init(init::Args),
    /// Print a mission that teaches a judge from your reviews
    Mission(mission::Args),
    /// List the unresolved tickets
    Queue(queue::Args),
    /// Resolve a ticket from the queue
    Resolve(resolve::Args),
    /// Restore the rules of an earlier step
    Rollback(rollback::Args),
    /// List the rules with their supporting tickets
    Rules(rules::Args),
    /// Run a mission, or resume it
    Run(run::Args),
    /// Begin anew, because the judge has changed
    Season(season::Args),
    /// Show the progress and result of a run
    Status(status::Args),
    /// Recompute the ledger of a mission
    Verify(verify::Args),
    /// Show where a rule comes from and what it changed
    Why(why::Args),
}

impl Args {
    pub(crate) fn as_run(&self) -> &dyn Run {
        match &self.deed {
            Deed::Adopt(it) => it,
            Deed::Agreement(it) => it,
            Deed::Ask(it) => it,
            Deed::Diff(it) => it,
            Deed::Export(it) => it,
            Deed::Hypotheses(it) => it,
            Deed::Init(it) => it,
            Deed::Mission(it) => it,
            Deed::Queue(it) => it,
            Deed::Resolve(it) => it,
            Deed::Rollback(it) => it,
            Deed::Rules(it) => it,
            Deed::Run(it) => it,
            Deed::Season(it) => it,
            Deed::Status(it) => it,
            Deed::Verify(it) => it,
            Deed::Why(it) => it,
        }
    }
}

/// Which mission, and which of its runs.
#[derive(Debug, clap::Args)]
struct Which {
    /// The name of a mission, or its file
    #[arg(value_name = "MISSION")]
    mission: String,
    /// The run [default: the most recent one]
    #[arg(long, value_name = "NAME")]
    run: Option<RunName>,
}

impl Which {
    /// The mission, and where everything of the home lies.
    fn find(&self, session: &mut Session) -> Result<(MissionDir, Layout), AnyFault> {
        find(session, &self.mission)
    }
}

/// The mission of a name or of a file.
fn find(session: &mut Session, mission: &str) -> Result<(MissionDir, Layout), AnyFault> {
    let layout = session.layout()?;
    if !is_file(mission) {
        return Ok((MissionDir::named(&layout, mission)?, layout));
    }
    let path = environment::current_folder()?.join(mission);
    let read = read_mission(&path).map_err(|error| in_file(session, &path, error))?;
    let folder = path.parent().unwrap_or(Utf8Path::new("/"));
    Ok((MissionDir::of(&layout, &read, folder), layout))
}

/// Whether a word names a file: the name of a mission has no `/`.
fn is_file(mission: &str) -> bool {
    mission.contains('/') || Utf8Path::new(mission).extension() == Some("toml")
}

/// Lists everything that is wrong with a file of a mission before the error that stands for it.
fn in_file(session: &mut Session, path: &Utf8Path, error: LearnError) -> AnyFault {
    let LearnError::Mission(error) = error else { return error.into() };
    let lang = session.output.lang;
    let path = path.to_string();
    // A script reads one document, and finds all of it there.
    if session.output.format() != Format::Text || error.0.problems.len() < 2 {
        return BadMission::Whole { path, error: *error }.into();
    }
    let label = lang.pick("error: ", "错误：");
    for problem in &error.0.problems {
        session.output.complain(&format!("{label}{}", lang.render(&problem.text())));
    }
    let count = error.0.problems.len() + error.0.left_out;
    BadMission::Listed { path, count, error: *error }.into()
}

/// A file that is not a mission.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "cli.learn.bad_mission")]
enum BadMission {
    #[message(en = "`{path}`: {error}", zh = "`{path}`：{error}", inherit = error)]
    Whole { path: String, error: MissionError },
    /// The problems were printed before.
    #[message(
        en = "`{path}`: invalid mission: {count} {count:error|errors}",
        zh = "`{path}`：无效的任务目标，共 {count} 处错误",
        inherit = error
    )]
    Listed { path: String, count: usize, error: MissionError },
}
