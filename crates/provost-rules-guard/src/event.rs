//! Which client asks, and which hook type its event means, by the table of clients.

pub(super) mod translation;

use std::collections::BTreeSet;

use provost_kernel::guard::{
    Client, Harness, HookType, Mode,
    client::{ClientEntry, Dialect, Meaning},
};
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

/// The name of the event that a payload is about.
pub fn name(payload: &Map<String, Value>) -> Option<&str> {
    let named = EVENT_NAME.iter().find_map(|it| payload.get(*it).and_then(Value::as_str));
    let is_known =
        |name: &&str| Harness::entries().any(|it| it.events.untyped_by_type.contains(name));
    named.or_else(|| payload.get("type").and_then(Value::as_str).filter(is_known))
}

/// Which client sent a payload; nothing if it could be any program.
///
/// An event that one client alone has names it, and then a field that one client alone sends does.
pub fn recognise(payload: &Map<String, Value>) -> Option<Recognised> {
    let name = name(payload)?;
    let knows = |it: &ClientEntry| it.marks.is_some() && it.events.meaning(name).is_some();
    let is_marked = |it: &ClientEntry| {
        let has = |key: &&str| payload.get(*key).is_some_and(|it| !it.is_null());
        it.marks.is_some_and(|it| it.fields.iter().any(has))
    };
    let known: Vec<_> = Harness::entries().filter(|it| knows(it)).collect();
    let certainly = |it: &ClientEntry| Some(Recognised { client: it.client, is_certain: true });
    if let [only] = known.as_slice() {
        return certainly(only);
    }
    let marked = Harness::entries().find(|it| is_marked(it));
    if let Some(marked) = marked.filter(|it| knows(it)) {
        return certainly(marked);
    }
    let is_silent = |it: &&ClientEntry| it.marks.is_some_and(|it| !it.are_always_sent);
    let left: Vec<_> = known.iter().copied().filter(is_silent).collect();
    if let [only] = left.as_slice() {
        return certainly(only);
    }
    let strict = left.iter().find(|it| it.dialect == Dialect::Codex);
    let client = strict.or(left.first()).or(known.first())?.client;
    Some(Recognised { client, is_certain: false })
}

/// What a client's event means; nothing if the client has no event of this name.
pub fn meaning(client: Client, name: &str) -> Option<Meaning> {
    client.entry().events.meaning(name)
}

/// The hook type that handles an event, given its payload and the modes that are active.
pub fn hook(
    meaning: Meaning,
    payload: &Map<String, Value>,
    active: &BTreeSet<Mode>,
) -> Option<HookType> {
    match meaning {
        Meaning::Hook(hook) => Some(hook),
        Meaning::Stop => Some(at_stop(active)),
        Meaning::Setup => match payload.get("trigger").and_then(Value::as_str) {
            Some("init") => Some(HookType::SetupInit),
            Some("maintenance") => Some(HookType::SetupMaintenance),
            _ => None,
        },
        Meaning::NoType => None,
    }
}

/// Whether a hook of this type may be called with an event.
pub fn fits(meaning: Meaning, hook: HookType, payload: &Map<String, Value>) -> bool {
    match meaning {
        // Autopilot has no event of its own: it rides on a prompt or a stop.
        Meaning::Hook(it) => {
            it == hook || (it, hook) == (HookType::KeywordDetector, HookType::Autopilot)
        }
        Meaning::Stop => matches!(
            hook,
            HookType::Ralph
                | HookType::PersistentMode
                | HookType::StopContinuation
                | HookType::Autopilot
        ),
        Meaning::Setup => self::hook(meaning, payload, &BTreeSet::new()) == Some(hook),
        Meaning::NoType => false,
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
        check(
            json!({"hook_event_name": "Notification", "timestamp": "x", "turn_id": "t"}),
            "claude",
        );
        check(json!({"hook_event_name": "PreToolUse", "timestamp": "x"}), "codex?");
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
        for events in Harness::entries().map(|it| it.events) {
            for (_, meaning) in events.installed.iter().chain(events.understood) {
                for trigger in ["init", "maintenance"] {
                    let payload = object(json!({"trigger": trigger}));
                    asked.extend(stops.iter().filter_map(|it| hook(*meaning, &payload, it)));
                }
            }
        }
        assert_eq!(asked.len(), HookType::ALL.len(), "{asked:?}");
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
            assert_eq!(hook(Meaning::Setup, &payload, &BTreeSet::new()), expected);
            for &it in HookType::ALL {
                assert_eq!(fits(Meaning::Setup, it, &payload), Some(it) == expected, "{it}");
            }
        }
        check(json!({"trigger": "init"}), Some(HookType::SetupInit));
        check(json!({"trigger": "maintenance"}), Some(HookType::SetupMaintenance));
        check(json!({"trigger": "manual"}), None);
        check(json!({"trigger": 1}), None);
        check(json!({}), None);
    }
}
