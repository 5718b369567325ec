//! What an installed hook is tried with, and what must come of it.

use provost_kernel::guard::{Harness, client::Gate};
use serde_json::Value;

use super::client_semantics::Obeyed;

/// One call of an installed hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// What it is called in the record.
    pub name: &'static str,
    /// The client's event whose entry is started.
    pub event: &'static str,
    pub gate: Gate,
    pub input: Vec<u8>,
    pub expected: Obeyed,
}

/// A command that no policy of ours allows.
const DESTRUCTIVE: &str = "sudo rm -rf /";

/// A harmless command.
const ORDINARY: &str = "echo provost";

/// More than a hook reads.
const LARGE: usize = 5 << 20;

/// Every call that an installed hook must stand, in a folder.
pub fn trials(harness: Harness, folder: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    for it in harness.entry().gates {
        let (event, gate) = (it.event, it.gate);
        let payload = |command: &str| payload(it.payload, event, command, folder);
        let bytes = |payload: Value| payload.to_string().into_bytes();
        let mut add = |name, input, expected| {
            trials.push(Trial { name, event, gate, input, expected });
        };
        add("destructive", bytes(payload(DESTRUCTIVE)), Obeyed::Refused);
        // A permission that is not refused is left to the person: nothing is said.
        add("ordinary", bytes(payload(ORDINARY)), Obeyed::Passed);
        add("bad_json", b"{\"tool_name\": ".to_vec(), Obeyed::Refused);
        add("empty", Vec::new(), Obeyed::Refused);
        add("large", bytes(payload(&format!("{ORDINARY} {}", "x".repeat(LARGE)))), Obeyed::Refused);
    }
    trials
}

/// A payload in the client's own words.
fn payload(template: &str, event: &str, command: &str, folder: &str) -> Value {
    let mut payload = serde_json::from_str(template).unwrap_or_default();
    fill(&mut payload, &[("@event", event), ("@command", command), ("@folder", folder)]);
    payload
}

fn fill(value: &mut Value, values: &[(&str, &str)]) {
    match value {
        Value::String(text) => {
            if let Some((_, known)) = values.iter().find(|it| it.0 == text) {
                (*known).clone_into(text);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|it| fill(it, values)),
        Value::Object(object) => object.values_mut().for_each(|it| fill(it, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use provost_kernel::guard::{HookType, UnknownFields, client::Meaning};

    use super::*;
    use crate::{Reading, Request, event, read};

    /// What is tried is what the guard understands: a refusal comes from its policy, and not from
    /// a payload that no client would send.
    #[test]
    fn the_payloads_are_read_and_the_rest_is_not() {
        for &harness in Harness::ALL {
            for trial in trials(harness, "/w") {
                let client = harness.client();
                let hook = match event::meaning(client, trial.event) {
                    Some(Meaning::Hook(hook)) => hook,
                    _ => HookType::PermissionRequest,
                };
                let reading = read(Request {
                    bytes: &trial.input,
                    client: Some(client),
                    hook: Some(hook),
                    active: &BTreeSet::new(),
                    unknown_fields: UnknownFields::Drop,
                });
                let is_payload = matches!(trial.name, "destructive" | "ordinary");
                let about = format!("{harness} {} {}", trial.event, trial.name);
                match reading {
                    Ok(Reading::Hook(question)) => {
                        assert!(is_payload, "{about}");
                        assert_eq!(question.normalised.dropped, Vec::<String>::new(), "{about}");
                    }
                    Ok(other) => panic!("{about}: {other:?}"),
                    Err(refusal) => assert!(!is_payload, "{about}: {refusal:?}"),
                }
            }
        }
    }

    #[test]
    fn every_gate_is_tried_in_every_way() {
        for &harness in Harness::ALL {
            assert_eq!(trials(harness, "/w").len(), harness.entry().gates.len() * 5, "{harness}");
        }
    }
}
