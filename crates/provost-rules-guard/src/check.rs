//! A payload judged alone: the field rules and the built-in policy, never a project's own.

use std::collections::BTreeSet;

use provost_kernel::{
    Finding, Lang, Message, Severity,
    guard::{
        Client, HookAnswer, HookType, UnknownFields,
        policy::{Effect, Policy, PolicyRuling},
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    Question, Reading, Refusal, Request,
    answer::{failure_text, presentable},
    event,
    judge::{Place, judge},
    normalise, read,
};

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedHook {
    /// The original's answer: false only for a permission that failed or was denied (HOOK-1.4).
    #[serde(rename = "continue")]
    pub continues: bool,
    /// Why it was refused; absent when it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The payload after the normaliser; nothing if it was not taken.
    pub input: Option<Map<String, Value>>,
    /// The client's names of the fields that were left out.
    pub dropped: Vec<String>,
    pub findings: Vec<Finding>,
    /// Whether nothing speaks against it.
    #[serde(skip)]
    pub passed: bool,
}

/// Judges a payload as one of this type.
pub fn check(bytes: &[u8], hook: HookType, lang: Lang) -> CheckedHook {
    let payload = normalise::parse_marked(bytes).ok();
    let recognised = payload.as_ref().and_then(event::recognise);
    let client = recognised.map_or(Client::Plain, |it| it.client);
    let active = BTreeSet::new();
    let (client, hook) = (Some(client), Some(hook));
    let request =
        Request { bytes, client, hook, active: &active, unknown_fields: UnknownFields::Drop };
    match read(request) {
        Ok(Reading::Hook(question)) => judged(*question, lang),
        // The type is given, so no event decides it.
        Ok(Reading::NoType { .. }) => CheckedHook {
            continues: true,
            message: None,
            input: None,
            dropped: Vec::new(),
            findings: Vec::new(),
            passed: true,
        },
        Err(refusal) => refused(&refusal, lang),
    }
}

fn judged(question: Question, lang: Lang) -> CheckedHook {
    let normalised = question.normalised;
    let input = &normalised.input;
    let judged = judge(&Policy::default(), input, &Place::default(), lang);
    let message = match judged.answer {
        HookAnswer::Deny { reason } | HookAnswer::Ask { reason } => Some(presentable(&reason)),
        HookAnswer::Nothing | HookAnswer::Allow | HookAnswer::Note { .. } => None,
    };
    let mut findings = normalised.findings;
    findings.extend(judged.ruling.as_ref().and_then(|it| finding(it, lang)));
    CheckedHook {
        continues: message.is_none() || input.hook != HookType::PermissionRequest,
        passed: message.is_none(),
        input: Some(input.to_object()),
        message,
        dropped: normalised.dropped,
        findings,
    }
}

/// What a ruling amounts to; a call that nobody has anything against is no finding.
fn finding(ruling: &PolicyRuling, lang: Lang) -> Option<Finding> {
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
        message: ruling.why.render(lang).into(),
        hint: ruling.hint.as_ref().map(|it| it.render(lang)).map(Into::into),
    })
}

fn refused(refusal: &Refusal, lang: Lang) -> CheckedHook {
    let error = &refusal.error;
    let finding = Finding {
        rule: format!("hook.{}", error.code()).into(),
        severity: Severity::P0,
        subject: refusal.hook.map_or("", HookType::as_str).to_owned(),
        message: presentable(&error.text().render(lang)).into(),
        hint: error.hints_in(lang).into_iter().next().map(Into::into),
    };
    CheckedHook {
        continues: refusal.hook.is_some_and(|it| it != HookType::PermissionRequest),
        message: Some(presentable(&failure_text(error, lang))),
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
        let checked = check(payload.to_string().as_bytes(), hook, Lang::En);
        let rules: Vec<_> = checked.findings.iter().map(|it| it.rule.as_ref()).collect();
        assert_eq!((checked.passed, checked.continues, &*rules), expected, "{hook} {payload}");
        assert_eq!(checked.message.is_some(), !checked.passed, "{hook} {payload}");
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
        let checked = check(payload.to_string().as_bytes(), HookType::SessionEnd, Lang::En);
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
        let checked = check(payload.to_string().as_bytes(), HookType::PreToolUse, Lang::Zh);
        assert!(!checked.passed);
        assert!(checked.message.unwrap().contains("拒绝"));
    }
}
