//! A payload judged alone: the field rules and the built-in policy, never a project's own.

use std::collections::BTreeSet;

use provost_kernel::{
    Finding, Severity, Text,
    guard::{
        Client, HookAnswer, HookType, UnknownFields,
        policy::{Effect, Policy, PolicyRuling},
    },
};
use serde_json::{Map, Value};

use super::{
    Question, Reading, Refusal, Request,
    answer::failure_lines,
    event,
    judge::{Place, judge},
    normalise, read,
};

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedHook {
    /// The original's answer: false only for a permission that failed or was denied (HOOK-1.4).
    pub continues: bool,
    /// Why it was refused, in lines; absent when it was not.
    pub reason: Option<Vec<Text>>,
    /// The payload after the normaliser; nothing if it was not taken.
    pub input: Option<Map<String, Value>>,
    /// The client's names of the fields that were left out.
    pub dropped: Vec<String>,
    pub findings: Vec<Finding>,
    /// Whether nothing was found against it.
    pub passed: bool,
}

/// Judges a payload as one of this type.
pub fn check(bytes: &[u8], hook: HookType) -> CheckedHook {
    let payload = normalise::parse_marked(bytes).ok();
    let recognised = payload.as_ref().and_then(event::recognise);
    let client = recognised.map_or(Client::Plain, |it| it.client);
    let active = BTreeSet::new();
    let (client, hook) = (Some(client), Some(hook));
    let request =
        Request { bytes, client, hook, active: &active, unknown_fields: UnknownFields::Drop };
    match read(request) {
        Ok(Reading::Hook(question)) => judged(*question),
        // The type is given, so no event decides it.
        Ok(Reading::NoType { .. }) => CheckedHook {
            continues: true,
            reason: None,
            input: None,
            dropped: Vec::new(),
            findings: Vec::new(),
            passed: true,
        },
        Err(refusal) => refused(&refusal),
    }
}

fn judged(question: Question) -> CheckedHook {
    let normalised = question.normalised;
    let input = &normalised.input;
    let judged = judge(&Policy::default(), input, &Place::default());
    let reason = match judged.answer {
        HookAnswer::Deny { reason } | HookAnswer::Ask { reason } => Some(reason),
        HookAnswer::Nothing | HookAnswer::Allow | HookAnswer::Note { .. } => None,
    };
    let mut findings = normalised.findings;
    findings.extend(judged.ruling.as_ref().and_then(finding));
    CheckedHook {
        continues: reason.is_none() || input.hook != HookType::PermissionRequest,
        passed: reason.is_none(),
        input: Some(input.to_object()),
        reason,
        dropped: normalised.dropped,
        findings,
    }
}

/// What a ruling amounts to; a call that no rule refuses is not a finding.
fn finding(ruling: &PolicyRuling) -> Option<Finding> {
    let severity = match ruling.effect {
        Effect::Allow => return None,
        Effect::Record => Severity::P2,
        Effect::Ask => Severity::P1,
        Effect::Deny => Severity::P0,
    };
    Some(Finding {
        rule: ruling.rule.clone(),
        severity,
        subject: ruling.subject.clone(),
        message: ruling.why.clone(),
        hint: ruling.hint.clone(),
    })
}

fn refused(refusal: &Refusal) -> CheckedHook {
    let error = &refusal.error;
    let rule = format!("hook.{}", error.code());
    let subject = refusal.hook.map_or("", HookType::as_str);
    let finding = Finding::new(rule, Severity::P0, subject, error);
    CheckedHook {
        continues: refusal.hook.is_some_and(|it| it != HookType::PermissionRequest),
        reason: Some(failure_lines(error)),
        input: None,
        dropped: Vec::new(),
        findings: vec![finding],
        passed: false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn case(hook: HookType, payload: &Value, expected: (bool, bool, &[&str])) {
        let checked = check(payload.to_string().as_bytes(), hook);
        let rules: Vec<_> = checked.findings.iter().map(|it| it.rule.as_ref()).collect();
        assert_eq!((checked.passed, checked.continues, &*rules), expected, "{hook} {payload}");
        assert_eq!(checked.reason.is_some(), !checked.passed, "{hook} {payload}");
    }

    /// HOOK-1.4: only a permission that failed or was denied says `continue: false`.
    #[test]
    fn a_payload_is_judged_by_its_fields_and_the_built_in_rules() {
        use HookType::{PermissionRequest, PreToolUse, SessionEnd, SessionStart};
        let call = |command: &str| {
            json!({
                "session_id": "s1", "cwd": "/p", "tool_name": "Bash",
                "tool_input": {"command": command},
            })
        };
        case(PermissionRequest, &call("cargo test"), (true, true, &[]));
        case(PreToolUse, &call("cargo test"), (true, true, &[]));
        case(PermissionRequest, &call("sudo ls"), (false, false, &["command.sudo"]));
        case(PreToolUse, &call("sudo ls"), (false, true, &["command.sudo"]));
        case(PermissionRequest, &call("npm publish"), (false, false, &["publish"]));
        case(PermissionRequest, &json!({}), (false, false, &["hook.missing_field"]));
        case(SessionEnd, &json!({}), (false, true, &["hook.missing_field"]));
        case(PermissionRequest, &json!([]), (false, false, &["hook.not_an_object"]));
        case(SessionStart, &json!({"session_id": "s1", "cwd": "/p"}), (true, true, &[]));
    }

    /// HOOK-1.2: what is left out is named, and what comes through has one spelling.
    #[test]
    fn the_input_is_shown_as_the_rest_of_provost_sees_it() {
        let payload = json!({"session_id": "s1", "cwd": "/p", "extra": 1, "reason": "other"});
        let checked = check(payload.to_string().as_bytes(), HookType::SessionEnd);
        assert_eq!(
            Value::from(checked.input.unwrap()),
            json!({"sessionId": "s1", "directory": "/p", "reason": "other"}),
        );
        assert_eq!(checked.dropped, ["extra"]);
        assert!(checked.passed);
    }

    #[test]
    fn a_payload_of_cursor_is_read_in_its_own_words() {
        let payload = json!({
            "hook_event_name": "beforeShellExecution", "conversation_id": "c1",
            "generation_id": "g1", "workspace_roots": ["/p"], "command": "sudo ls", "cwd": "/p",
        });
        let checked = check(payload.to_string().as_bytes(), HookType::PreToolUse);
        assert!(!checked.passed);
        assert_eq!(checked.findings[0].rule, "command.sudo");
    }
}
