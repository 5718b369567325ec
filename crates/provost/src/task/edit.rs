//! `provost edit`: change what a task asks for, or say what the next attempt should do.

use std::path::Path;

use provost_engine::task::{check_changes, rehearsal::Unwatched};
use provost_kernel::{
    Exit,
    task::{Order, SpecChange},
};
use provost_rules_task::edit::parse;

use super::{order::Addressed, text};
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
    wiring::{Wiring, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost edit t1 --set budget.usd=5 --set allowed_paths+=docs\n  provost edit t1 --set \"goal=total() must not go below 0\"\n  provost edit t1 --instruction \"only touch src/parser.rs\"\n\nAn edit holds from the next attempt on. A new goal, test or limit of paths makes an earlier result\nstale. Every edit is a version: `provost override ID --rollback` takes it back. `--set` is for\npeople: it is refused where an agent runs (1)."
)]
pub(crate) struct Args {
    #[command(flatten)]
    to: Addressed,
    #[command(flatten)]
    what: What,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct What {
    /// Change a field of the spec: `KEY=VALUE`; for a list also `KEY+=VALUE` and `KEY-=VALUE`
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The instruction of the next attempt; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    instruction: Option<String>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let instruction = self.what.instruction.as_deref().map(text::read).transpose()?;
        if !self.what.set.is_empty() {
            let changes = self.changes(session)?;
            self.to.give(session, Order::Set { changes })?;
        }
        match instruction {
            Some(instruction) => self.to.give(session, Order::Edit { instruction }),
            None => Ok(Exit::Success),
        }
    }
}

impl Args {
    /// The changes, as far as they can be made.
    fn changes(&self, session: &mut Session) -> Result<Vec<SpecChange>, AnyFault> {
        person(session)?;
        let desk = desk(session)?;
        let task = desk.meant(Some(self.to.id()))?;
        let changes = self.what.set.iter().map(|it| parse(it).map_err(|it| it.of_task(&task)));
        let changes = changes.collect::<Result<Vec<_>, _>>()?;
        let spec = desk.with_changes(&task, &changes)?.value;
        let wiring = Wiring::new(session, Path::new(&spec.repo_path), &spec.base_ref)?;
        Ok(check_changes(wiring.engine(&Unwatched), &task, changes)?)
    }
}
