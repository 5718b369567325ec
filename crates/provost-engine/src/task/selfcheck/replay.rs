//! The calibration cases with their recorded answers: offline, and the same each time.

use std::{collections::BTreeMap, num::NonZeroU32};

use provost_adapter::recording::RecordingAdapter;
use provost_exec::sandbox::{Network, Requirement};
use provost_kernel::{Message as _, Text, task::TaskType};
use provost_rules_task::verdict::Yardstick;

use crate::task::{
    calibration::{Judge, Outcome, Place, Suite, run_case},
    rehearsal::Host,
};

/// How the replay of the shipped cases came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    pub passed: usize,
    /// The cases that did not pass, as `type/case`.
    pub failed: Vec<String>,
    pub missing: Vec<String>,
}

/// Replays every case that provost ships.
pub fn replay(host: &Host) -> Result<Replay, Text> {
    replay_with(host, &BTreeMap::new())
}

/// Replays every case, with other answers for some types.
pub fn replay_with(host: &Host, other: &BTreeMap<TaskType, &str>) -> Result<Replay, Text> {
    let suite = Suite::embedded().map_err(|it| it.text())?;
    let yardstick = Yardstick::embedded().map_err(|it| it.text())?;
    let place = Place {
        guardian: &host.guardian,
        env: BTreeMap::new(),
        writable: Vec::new(),
        hidden: Vec::new(),
        network: Network::Off(Requirement::Accept),
        check: &|_| Ok(()),
    };
    let mut replay = Replay::default();
    for &task_type in TaskType::ALL {
        let recorded = suite.recordings.get(&task_type).map_or("", String::as_str);
        let text = other.get(&task_type).copied().unwrap_or(recorded);
        let adapter = RecordingAdapter::read("recording", text).map_err(|it| it.text())?;
        let repeat = NonZeroU32::MIN;
        let judge = Judge { adapter: &adapter, model: None, repeat, place: &place };
        for case in suite.of(task_type) {
            let result = run_case(case, &judge, &yardstick).map_err(|it| it.text())?;
            let name = format!("{task_type}/{}", case.case.case_id);
            match result.result {
                Outcome::Passed => replay.passed += 1,
                Outcome::Failed => replay.failed.push(name),
                Outcome::Missing => replay.missing.push(name),
            }
        }
    }
    Ok(replay)
}
