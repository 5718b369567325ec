//! `provost guard mode`: a person switches a mode on or off.

use provost_engine::guard::mode::{Switch, switch};
use provost_kernel::Exit;
use provost_vault::{RealDisk, SystemClock, prepare_home};

use super::modes::Row;
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::actor,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard mode ralph on\n  provost guard mode ralph off\n\nOf autopilot, ultrapilot, swarm and pipeline at most one is active. Every switch is recorded in\nthe audit chain before it takes effect, and so is a name that is no mode. Exits with 1 when the\nname is no mode, with 5 when another mode is in the way."
)]
pub(super) struct Args {
    /// The mode, spelled exactly: `provost guard modes` lists them
    #[arg(value_name = "NAME")]
    name: String,
    /// Switch it on or off
    #[arg(value_name = "on|off", value_enum)]
    way: Way,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Way {
    On,
    Off,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = session.layout()?;
        prepare_home(&RealDisk, &layout)?;
        let way = match self.way {
            Way::On => Switch::On,
            Way::Off => Switch::Off,
        };
        let switched = switch(&RealDisk, &layout, &SystemClock, &actor(), &self.name, way)?;
        let row = Row::of(switched.mode, &switched.state);
        session.output.show(&Answer { changed: switched.is_changed, mode: row });
        Ok(Exit::Success)
    }
}

/// The answer, as a script reads it.
#[derive(Debug, serde::Serialize)]
struct Answer {
    changed: bool,
    mode: Row,
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, mode) = (page.lang, self.mode.mode);
        page.line(&match (self.changed, self.mode.active) {
            (true, true) => lang.pick(format!("`{mode}` is on"), format!("`{mode}` 已开启")),
            (true, false) => lang.pick(format!("`{mode}` is off"), format!("`{mode}` 已关闭")),
            (false, true) => {
                lang.pick(format!("`{mode}` was on already"), format!("`{mode}` 先前已开启"))
            }
            (false, false) => {
                lang.pick(format!("`{mode}` was off already"), format!("`{mode}` 未开启"))
            }
        });
    }
}
