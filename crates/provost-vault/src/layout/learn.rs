//! Where missions and their runs lie.

use camino::Utf8Path;
use provost_kernel::learn::{MissionName, RunName};

use super::Layout;
use crate::Location;

impl Layout {
    /// The folder of all missions.
    pub fn learn(&self) -> Location {
        self.home().join("learn")
    }

    /// The folder of a mission.
    pub fn mission(&self, mission: &MissionName) -> Location {
        self.learn().join(mission.as_str())
    }

    /// The tickets of a mission over reviews that count: made from its log whenever they are asked
    /// for.
    pub fn newest_tickets(&self, mission: &MissionName) -> Location {
        self.mission(mission).join("newest_tickets.jsonl")
    }

    /// The probes of a judge's mission: written before every run.
    pub fn probes(&self, mission: &MissionName) -> Location {
        self.mission(mission).join("probes.jsonl")
    }

    /// What draws follow from, besides the names of tasks: whoever knew it could name a task so that it
    /// is drawn, or never is.
    pub fn draw_key(&self) -> Location {
        self.home().join("keys").join("draw-key")
    }

    /// The folder of a run of a mission.
    pub fn learn_run(&self, mission: &MissionName, run: &RunName) -> Location {
        self.mission(mission).join(run.as_str())
    }

    /// The folder of a mission whose runs a person wants elsewhere than in the home.
    pub fn mission_elsewhere(root: &Utf8Path, mission: &MissionName) -> Location {
        Location::root(root).join(mission.as_str())
    }
}
