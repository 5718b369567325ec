//! Which client asks, and which hook type its event means.
//!
//! The names of the events are the clients' own; what each of them means is a row of a table.

pub mod cursor;

use std::collections::BTreeSet;

use provost_kernel::guard::{Client, HookType, Mode};
use serde_json::{Map, Value};

use super::fields::EVENT_NAME;

/// Who sent a payload, as far as the payload says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recognised {
    pub client: Client,
    /// Whether it can be no other. Where Claude Code and Codex look alike, the client is Codex:
    /// what is written for its strict reader is valid for both.
    pub is_certain: bool,
}

/// What an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Hook(HookType),
    /// The agent wants to stop: the active modes say which type handles it.
    Stop,
    /// The client sets itself up: the trigger says which type it is.
    Setup,
    /// The client says it, and no hook type is about it.
    NoType,
}

use Meaning::{Hook, NoType, Setup, Stop};

/// Claude Code 2.1.325.
const CLAUDE: [(&str, Meaning); 33] = [
    ("PreToolUse", Hook(HookType::PreToolUse)),
    ("PostToolUse", Hook(HookType::PostToolUse)),
    ("PostToolUseFailure", Hook(HookType::PostToolUse)),
    ("PostToolBatch", NoType),
    ("Notification", NoType),
    ("UserPromptSubmit", Hook(HookType::KeywordDetector)),
    ("UserPromptExpansion", NoType),
    ("SessionStart", Hook(HookType::SessionStart)),
    ("SessionEnd", Hook(HookType::SessionEnd)),
    ("Stop", Stop),
    ("StopFailure", NoType),
    ("SubagentStart", Hook(HookType::SubagentStart)),
    ("SubagentStop", Hook(HookType::SubagentStop)),
    ("PreCompact", Hook(HookType::PreCompact)),
    ("PostCompact", NoType),
    ("PreModelSwitch", NoType),
    ("PostModelSwitch", NoType),
    ("PermissionRequest", Hook(HookType::PermissionRequest)),
    ("PermissionDenied", NoType),
    ("Setup", Setup),
    ("TeammateIdle", NoType),
    ("TaskCreated", NoType),
    ("TaskCompleted", NoType),
    ("Elicitation", NoType),
    ("ElicitationResult", NoType),
    ("ConfigChange", NoType),
    ("WorktreeCreate", NoType),
    ("WorktreeRemove", NoType),
    ("InstructionsLoaded", NoType),
    ("CwdChanged", NoType),
    ("FileChanged", NoType),
    ("DirectoryAdded", NoType),
    ("MessageDisplay", NoType),
];

/// Codex 0.166. The last is its older notification, which has a `type` and no event name.
const CODEX: [(&str, Meaning); 12] = [
    ("PreToolUse", Hook(HookType::PreToolUse)),
    ("PermissionRequest", Hook(HookType::PermissionRequest)),
    ("PostToolUse", Hook(HookType::PostToolUse)),
    ("PreCompact", Hook(HookType::PreCompact)),
    ("PostCompact", NoType),
    ("SessionStart", Hook(HookType::SessionStart)),
    ("SessionEnd", Hook(HookType::SessionEnd)),
    ("UserPromptSubmit", Hook(HookType::KeywordDetector)),
    ("SubagentStart", Hook(HookType::SubagentStart)),
    ("SubagentStop", Hook(HookType::SubagentStop)),
    ("Stop", Stop),
    (TURN_COMPLETE, NoType),
];

const TURN_COMPLETE: &str = "agent-turn-complete";

/// Gemini CLI 0.61.
const GEMINI: [(&str, Meaning); 11] = [
    ("SessionStart", Hook(HookType::SessionStart)),
    ("SessionEnd", Hook(HookType::SessionEnd)),
    ("BeforeAgent", Hook(HookType::KeywordDetector)),
    ("AfterAgent", Stop),
    ("BeforeModel", NoType),
    ("AfterModel", NoType),
    ("BeforeToolSelection", NoType),
    ("BeforeTool", Hook(HookType::PreToolUse)),
    ("AfterTool", Hook(HookType::PostToolUse)),
    ("Notification", NoType),
    ("PreCompress", Hook(HookType::PreCompact)),
];

/// The name of the event that a payload is about.
pub fn name(payload: &Map<String, Value>) -> Option<&str> {
    let named = EVENT_NAME.iter().find_map(|it| payload.get(*it).and_then(Value::as_str));
    let older = || payload.get("type").and_then(Value::as_str).filter(|it| *it == TURN_COMPLETE);
    named.or_else(older)
}

/// Which client sent a payload; nothing if it could be any program.
pub fn recognise(payload: &Map<String, Value>) -> Option<Recognised> {
    let name = name(payload)?;
    let has = |key: &str| payload.get(key).is_some_and(|it| !it.is_null());
    let knows = |client| meaning(client, name).is_some();
    let certainly = |client| Some(Recognised { client, is_certain: true });

    let (claude, codex) = (knows(Client::Claude), knows(Client::Codex));
    if knows(Client::Cursor) {
        return certainly(Client::Cursor);
    }
    let is_marked = has("effort") || has("prompt_id") || has("turn_id");
    if knows(Client::Gemini) && (!(claude || codex) || has("timestamp") && !is_marked) {
        return certainly(Client::Gemini);
    }
    match (claude, codex) {
        (false, false) => None,
        (true, false) => certainly(Client::Claude),
        (false, true) => certainly(Client::Codex),
        (true, true) if has("effort") || has("prompt_id") => certainly(Client::Claude),
        (true, true) => Some(Recognised { client: Client::Codex, is_certain: has("turn_id") }),
    }
}

/// What a client's event means; nothing if the client has no event of this name.
///
/// A plain caller passes on what it was told, so its names are Claude Code's.
pub fn meaning(client: Client, name: &str) -> Option<Meaning> {
    let table: &[(&str, Meaning)] = match client {
        Client::Claude | Client::Plain => &CLAUDE,
        Client::Codex => &CODEX,
        Client::Gemini => &GEMINI,
        Client::Cursor => &cursor::EVENTS,
    };
    table.iter().find(|it| it.0 == name).map(|it| it.1)
}

impl Meaning {
    /// The hook type that handles the event, given its payload and the modes that are active.
    pub fn hook(self, payload: &Map<String, Value>, active: &BTreeSet<Mode>) -> Option<HookType> {
        match self {
            Self::Hook(hook) => Some(hook),
            Self::Stop => Some(at_stop(active)),
            Self::Setup => match payload.get("trigger").and_then(Value::as_str) {
                Some("init") => Some(HookType::SetupInit),
                Some("maintenance") => Some(HookType::SetupMaintenance),
                _ => None,
            },
            Self::NoType => None,
        }
    }

    /// Whether a hook of this type may be called with the event.
    pub fn fits(self, hook: HookType, payload: &Map<String, Value>) -> bool {
        match self {
            // Autopilot has no event of its own: it rides on a prompt or a stop.
            Self::Hook(it) => {
                it == hook || (it, hook) == (HookType::KeywordDetector, HookType::Autopilot)
            }
            Self::Stop => matches!(
                hook,
                HookType::Ralph
                    | HookType::PersistentMode
                    | HookType::StopContinuation
                    | HookType::Autopilot
            ),
            Self::Setup => self.hook(payload, &BTreeSet::new()) == Some(hook),
            Self::NoType => false,
        }
    }
}

/// The one type that handles a stop: ralph before persistent modes before the rest.
pub fn at_stop(active: &BTreeSet<Mode>) -> HookType {
    if active.contains(&Mode::Ralph) {
        return HookType::Ralph;
    }
    let is_persistent = active.contains(&Mode::Autopilot) || active.contains(&Mode::Ultrawork);
    if is_persistent { HookType::PersistentMode } else { HookType::StopContinuation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(object) = value else { panic!("{value} is no object") };
        object
    }

    /// The expected text is the client, with a `?` where it might be another one.
    #[track_caller]
    fn check(payload: Value, expected: &str) {
        let actual = match recognise(&object(payload.clone())) {
            None => "nobody".to_owned(),
            Some(it) => format!("{}{}", it.client, if it.is_certain { "" } else { "?" }),
        };
        assert_eq!(actual, expected, "{payload}");
    }

    /// HOOK-1.5: an answer in the wrong dialect does not block, so the asker must be known.
    #[test]
    fn a_payload_shows_its_client() {
        check(json!({"hook_event_name": "PreToolUse", "effort": {"level": "high"}}), "claude");
        check(json!({"hook_event_name": "PreToolUse", "prompt_id": "p"}), "claude");
        check(json!({"hook_event_name": "PreToolUse", "turn_id": "t"}), "codex");
        check(json!({"hook_event_name": "PreToolUse", "turn_id": "t", "prompt_id": "p"}), "claude");
        check(json!({"hook_event_name": "PreToolUse"}), "codex?");
        check(json!({"hook_event_name": "PreToolUse", "effort": null, "turn_id": null}), "codex?");
        check(json!({"hookEventName": "PreToolUse", "turn_id": "t"}), "codex");
        check(json!({"hook_event_name": "Setup"}), "claude");
        check(json!({"hook_event_name": "PostToolUseFailure", "turn_id": "t"}), "claude");
        check(json!({"hook_event_name": "BeforeTool"}), "gemini");
        check(json!({"hook_event_name": "SessionStart", "timestamp": "x"}), "gemini");
        check(json!({"hook_event_name": "SessionStart"}), "codex?");
        check(
            json!({"hook_event_name": "SessionStart", "timestamp": "x", "prompt_id": "p"}),
            "claude",
        );
        check(json!({"hook_event_name": "SessionEnd", "timestamp": "x"}), "gemini");
        check(json!({"hook_event_name": "Notification", "timestamp": "x"}), "gemini");
        check(json!({"hook_event_name": "Notification"}), "claude");
        check(json!({"hook_event_name": "beforeShellExecution"}), "cursor");
        check(json!({"hook_event_name": "stop"}), "cursor");
        check(json!({"type": "agent-turn-complete"}), "codex");
        check(json!({"type": "something"}), "nobody");
        check(json!({"hook_event_name": "pretooluse"}), "nobody");
        check(json!({"hook_event_name": 7}), "nobody");
        check(json!({}), "nobody");
    }

    /// HOOK-1.1: each type has an event, except autopilot, which rides on others.
    #[test]
    fn every_type_is_asked_about() {
        let mut asked = BTreeSet::from([HookType::Autopilot]);
        let stops = [Mode::Ralph, Mode::Ultrawork, Mode::Team].map(|it| BTreeSet::from([it]));
        for &client in Client::ALL {
            let events = CLAUDE.iter().chain(&CODEX).chain(&GEMINI).chain(&cursor::EVENTS);
            for (name, _) in events {
                let Some(meaning) = meaning(client, name) else { continue };
                for trigger in ["init", "maintenance"] {
                    let payload = object(json!({"trigger": trigger}));
                    asked.extend(stops.iter().filter_map(|it| meaning.hook(&payload, it)));
                }
            }
        }
        assert_eq!(asked.len(), HookType::ALL.len(), "{asked:?}");
    }

    #[test]
    fn a_name_stands_once_in_each_table() {
        for table in [&CLAUDE[..], &CODEX, &GEMINI, &cursor::EVENTS] {
            let names: BTreeSet<_> = table.iter().map(|it| it.0).collect();
            assert_eq!(names.len(), table.len());
        }
    }

    #[test]
    fn one_type_handles_a_stop() {
        #[track_caller]
        fn check(active: &[Mode], expected: HookType) {
            assert_eq!(at_stop(&active.iter().copied().collect()), expected, "{active:?}");
        }
        check(&[], HookType::StopContinuation);
        check(&[Mode::Team], HookType::StopContinuation);
        check(&[Mode::Ultrawork], HookType::PersistentMode);
        check(&[Mode::Autopilot], HookType::PersistentMode);
        check(&[Mode::Autopilot, Mode::Ralph], HookType::Ralph);
        check(&[Mode::Ralph, Mode::Ultrawork, Mode::Team], HookType::Ralph);
    }

    #[test]
    fn the_trigger_says_which_setup_it_is() {
        #[track_caller]
        fn check(payload: Value, expected: Option<HookType>) {
            let payload = object(payload);
            assert_eq!(Setup.hook(&payload, &BTreeSet::new()), expected);
            for &hook in HookType::ALL {
                assert_eq!(Setup.fits(hook, &payload), Some(hook) == expected, "{hook}");
            }
        }
        check(json!({"trigger": "init"}), Some(HookType::SetupInit));
        check(json!({"trigger": "maintenance"}), Some(HookType::SetupMaintenance));
        check(json!({"trigger": "manual"}), None);
        check(json!({"trigger": 1}), None);
        check(json!({}), None);
    }
}
