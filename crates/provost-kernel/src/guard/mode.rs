//! The modes in which an agent may be kept working.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Moment;
use crate::{Record, words::words};

words! {
    /// A mode (HOOK-2.4). Only these eight words may become part of a path.
    pub enum Mode {
        Autopilot = "autopilot",
        Ultrapilot = "ultrapilot",
        Team = "team",
        Pipeline = "pipeline",
        Ralph = "ralph",
        Ultrawork = "ultrawork",
        Ultraqa = "ultraqa",
        Swarm = "swarm",
    }
}

/// The content of `MODE-state.json`: whether a mode is active, and since when.
///
/// Each mode of the original keeps more in its file; what is not listed here stays as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModeState {
    /// The mode; files of the original leave it to the name of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    #[serde(default)]
    pub active: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Moment>,
}

/// The content of `swarm-active.marker`, which other tools write while a swarm is at work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModeMarker {
    #[serde(default)]
    pub started_at: Option<Moment>,
}

impl Record for ModeState {
    const SCHEMA: &'static str = "provost.mode/1";
    const KEYS: &'static [&'static str] =
        &["mode", "active", "started_at", "session_id", "updated_at"];
}

impl Mode {
    /// Whether at most one mode of this kind is active at a time.
    pub fn is_exclusive(self) -> bool {
        match self {
            Self::Autopilot | Self::Ultrapilot | Self::Swarm | Self::Pipeline => true,
            Self::Team | Self::Ralph | Self::Ultrawork | Self::Ultraqa => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::RecordFile;

    /// HOOK-2.4: the eight words, spelled exactly.
    #[test]
    fn there_are_eight_modes_and_four_exclude_each_other() {
        assert_eq!(
            Mode::WORDS,
            [
                "autopilot",
                "ultrapilot",
                "team",
                "pipeline",
                "ralph",
                "ultrawork",
                "ultraqa",
                "swarm"
            ],
        );
        let exclusive: Vec<_> = Mode::ALL.iter().filter(|it| it.is_exclusive()).collect();
        assert_eq!(exclusive, [&Mode::Autopilot, &Mode::Ultrapilot, &Mode::Pipeline, &Mode::Swarm]);
    }

    /// The files of the original: what they hold besides is written back.
    #[test]
    fn a_state_of_the_original_is_read_and_kept() {
        #[track_caller]
        fn check(file: serde_json::Value, is_active: bool) {
            let kept = RecordFile::<ModeState>::read(file.clone()).unwrap();
            assert_eq!(kept.value.active, is_active, "{file}");
            let mut expected = file;
            expected["schema"] = json!("provost.mode/1");
            assert_eq!(serde_json::to_value(&kept).unwrap(), expected);
        }
        check(
            json!({
                "active": true, "iteration": 3, "max_iterations": 10, "prompt": "go on",
                "started_at": "2026-11-15T00:00:00.123Z", "session_id": "s1",
                "linked_ultrawork": true,
            }),
            true,
        );
        check(
            json!({
                "schema_version": 1, "mode": "team", "active": false, "session_id": "s1",
                "phase": "exec", "phase_history": [{"phase": "plan", "entered_at": "x"}],
                "started_at": "2026-11-15T00:00:00.123Z", "updated_at": "2026-11-15T00:01:00Z",
                "cancel": {"requested": false},
            }),
            false,
        );
        let empty = RecordFile::<ModeState>::read(json!({})).unwrap();
        assert_eq!(empty.value, ModeState::default());
        assert!(RecordFile::<ModeState>::read(json!({"active": "yes"})).is_err());
        assert!(RecordFile::<ModeState>::read(json!({"mode": "../x"})).is_err());
        assert!(RecordFile::<ModeState>::read(json!({"schema": "provost.mode/2"})).is_err());
    }

    #[test]
    fn a_state_knows_its_keys() {
        let schema = schemars::schema_for!(ModeState).to_value();
        let mut expected: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        let mut actual = ModeState::KEYS.to_vec();
        expected.sort_unstable();
        actual.sort_unstable();
        assert_eq!(actual, expected);
    }
}
