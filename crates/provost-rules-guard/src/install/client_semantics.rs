//! What a client does with the answer of a hook (R2 of the observed clients).
//!
//! The proof of a guard needs the client's eyes: an answer that was meant as a refusal and is in
//! the wrong form lets the tool run. Where a client was not observed, only the plainest forms count.

use provost_kernel::guard::{
    Harness,
    client::{Dialect, Gate},
};
use serde_json::{Map, Value};

/// What a program answered, as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered<'a> {
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub exit: i32,
}

/// What the client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obeyed {
    /// It does not do the thing, and does not ask anybody either.
    Refused,
    /// It goes on, as it was told.
    Passed,
    /// It cannot use the answer, and goes on.
    Ignored,
}

use Obeyed::{Ignored, Passed, Refused};

/// What a client does with an answer.
pub fn obeys(harness: Harness, gate: Gate, answered: Answered<'_>) -> Obeyed {
    match harness.entry().dialect {
        Dialect::Claude => claude(gate, answered),
        Dialect::Codex => codex(gate, answered),
        Dialect::Gemini => gemini(answered),
        Dialect::Cursor => cursor(answered),
        Dialect::Plain => plain(answered),
    }
}

fn claude(gate: Gate, answered: Answered<'_>) -> Obeyed {
    let Answered { stdout, exit, .. } = answered;
    match (exit, gate) {
        (2, Gate::Tool) => return Refused,
        (0, _) if stdout.trim().is_empty() => return Passed,
        (_, _) => {}
    }
    // Only what starts with a brace is read as a document, with whatever exit code.
    let Some(document) = object(stdout) else { return Ignored };
    let specific = document.get("hookSpecificOutput");
    match gate {
        Gate::Tool if denies(specific, "PreToolUse", "permissionDecision") => Refused,
        Gate::Tool if blocks(&document) => Refused,
        Gate::Permission if denies_permission(specific) => Refused,
        Gate::Tool | Gate::Permission => Ignored,
    }
}

/// Codex throws a document away for one key that it does not know.
fn codex(gate: Gate, answered: Answered<'_>) -> Obeyed {
    let Answered { stdout, stderr, exit } = answered;
    match exit {
        2 if stderr.trim().is_empty() => return Ignored,
        2 => return Refused,
        0 if stdout.trim().is_empty() => return Passed,
        0 => {}
        _ => return Ignored,
    }
    let Some(document) = object(stdout) else { return Ignored };
    let specific = document.get("hookSpecificOutput");
    let has_only = |value: Option<&Value>, known: &[&str]| {
        let keys = value.and_then(Value::as_object).map(Map::keys);
        keys.into_iter().flatten().all(|it| known.contains(&it.as_str()))
    };
    let known: &[&str] = match gate {
        Gate::Tool => &["hookEventName", "permissionDecision", "permissionDecisionReason"],
        Gate::Permission => &["hookEventName", "decision"],
    };
    let outer = ["hookSpecificOutput", "decision", "reason"];
    let is_known = document.keys().all(|it| outer.contains(&it.as_str()));
    if !is_known || !has_only(specific, known) {
        return Ignored;
    }
    let reason = specific.and_then(|it| it.get("permissionDecisionReason"));
    match gate {
        Gate::Tool if denies(specific, "PreToolUse", "permissionDecision") && is_said(reason) => {
            Refused
        }
        Gate::Tool if blocks(&document) => Refused,
        Gate::Permission if denies_permission(specific) => Refused,
        Gate::Tool | Gate::Permission => Ignored,
    }
}

/// Gemini CLI uses the document if there is one, and the exit code only if there is none.
fn gemini(answered: Answered<'_>) -> Obeyed {
    let Answered { stdout, stderr, exit } = answered;
    if let Some(document) = object(stdout) {
        let decision = document.get("decision").and_then(Value::as_str);
        let is_stopped = document.get("continue") == Some(&Value::Bool(false));
        return match decision {
            Some("deny" | "block") => Refused,
            _ if is_stopped => Refused,
            None | Some("allow") if exit == 0 => Passed,
            Some(_) | None => Ignored,
        };
    }
    match exit {
        0 if stdout.trim().is_empty() => Passed,
        0 | 1 => Ignored,
        _ if stdout.trim().is_empty() && stderr.trim().is_empty() => Ignored,
        _ => Refused,
    }
}

fn cursor(answered: Answered<'_>) -> Obeyed {
    let Answered { stdout, exit, .. } = answered;
    if exit == 2 {
        return Refused;
    }
    let document = object(stdout).filter(|_| exit == 0);
    let word = document.as_ref().and_then(|it| it.get("permission")?.as_str());
    match word {
        Some("deny") => Refused,
        Some("allow") => Passed,
        Some(_) | None => Ignored,
    }
}

/// The plugin is ours: whatever is not a clear yes stops the tool.
fn plain(answered: Answered<'_>) -> Obeyed {
    let document = object(answered.stdout).filter(|_| answered.exit == 0);
    let goes_on = document.is_some_and(|it| it.get("continue") == Some(&Value::Bool(true)));
    if goes_on { Passed } else { Refused }
}

fn object(stdout: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(stdout).ok().filter(|_| stdout.starts_with('{'))
}

fn denies(specific: Option<&Value>, event: &str, key: &str) -> bool {
    let text = |key: &str| specific.and_then(|it| it.get(key)?.as_str());
    text("hookEventName") == Some(event) && text(key) == Some("deny")
}

fn denies_permission(specific: Option<&Value>) -> bool {
    let Some(specific) = specific else { return false };
    specific.get("hookEventName").and_then(Value::as_str) == Some("PermissionRequest")
        && specific.pointer("/decision/behavior").and_then(Value::as_str) == Some("deny")
}

fn blocks(document: &Map<String, Value>) -> bool {
    document.get("decision").and_then(Value::as_str) == Some("block")
        && is_said(document.get("reason"))
}

fn is_said(reason: Option<&Value>) -> bool {
    reason.and_then(Value::as_str).is_some_and(|it| !it.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::{HookAnswer, HookType};

    use super::*;
    use crate::dialect::{Asker, reply};

    const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    const BLOCK: &str = r#"{"decision":"block","reason":"no"}"#;
    const STOP: &str = r#"{"continue":false,"stopReason":"no"}"#;

    #[track_caller]
    fn check(harness: Harness, (stdout, stderr, exit): (&str, &str, i32), expected: Obeyed) {
        let answered = Answered { stdout, stderr, exit };
        assert_eq!(obeys(harness, Gate::Tool, answered), expected, "{harness} {answered:?}");
    }

    /// HOOK-1.5: the rows that were observed with Claude Code.
    #[test]
    fn claude_code() {
        let check =
            |answered: (&str, &str, i32), expected| check(Harness::Claude, answered, expected);
        check(("", "", 0), Passed);
        check((DENY, "", 0), Refused);
        check((DENY, "", 1), Refused);
        check((DENY, "no", 2), Refused);
        check(("", "no", 2), Refused);
        check((BLOCK, "", 0), Refused);
        check((STOP, "", 0), Ignored);
        check(("", "", 1), Ignored);
        check(("", "", 127), Ignored);
        check(("no", "", 0), Ignored);
        check((&format!("x{DENY}"), "", 0), Ignored);
        check((&DENY.replace("PreToolUse", "Stop"), "", 0), Ignored);
        check((&DENY.replace("\"deny\"", "\"block\""), "", 0), Ignored);
    }

    /// HOOK-1.5: the rows that were observed with Codex.
    #[test]
    fn codex() {
        let check =
            |answered: (&str, &str, i32), expected| check(Harness::Codex, answered, expected);
        check(("", "", 0), Passed);
        check((DENY, "", 0), Refused);
        check((DENY, "no", 2), Refused);
        check(("", "no", 2), Refused);
        check((DENY, "", 2), Ignored);
        check((BLOCK, "", 0), Refused);
        check((&DENY.replace("\"no\"", "\"\""), "", 0), Ignored);
        check((&DENY.replacen('{', r#"{"suppressOutput":true,"#, 1), "", 0), Ignored);
        check((&DENY.replace("\"deny\",", "\"deny\",\"x\":1,"), "", 0), Ignored);
        check((&DENY.replace("\"deny\"", "\"ask\""), "", 0), Ignored);
        check((STOP, "", 0), Ignored);
        check(("{", "", 0), Ignored);
        check((DENY, "", 1), Ignored);
        check(("", "", 127), Ignored);
    }

    /// HOOK-1.5: the rows that were observed with Gemini CLI.
    #[test]
    fn gemini() {
        let check =
            |answered: (&str, &str, i32), expected| check(Harness::Gemini, answered, expected);
        check(("", "", 0), Passed);
        check((r#"{"decision":"deny","reason":"no"}"#, "", 0), Refused);
        check((r#"{"decision":"allow"}"#, "", 0), Passed);
        check(("", "no", 2), Refused);
        check((STOP, "", 0), Refused);
        check(("", "not found", 127), Refused);
        check(("", "", 1), Ignored);
        check(("{", "", 0), Ignored);
        check((DENY, "", 0), Passed);
        check((DENY, "no", 2), Ignored);
    }

    #[test]
    fn the_others() {
        let allow = r#"{"permission":"allow"}"#;
        let deny = r#"{"permission":"deny"}"#;
        check(Harness::Cursor, (allow, "", 0), Passed);
        check(Harness::Cursor, (deny, "", 0), Refused);
        check(Harness::Cursor, (allow, "", 2), Refused);
        check(Harness::Cursor, ("", "", 0), Ignored);
        check(Harness::Cursor, (deny, "", 1), Ignored);
        check(Harness::Opencode, (r#"{"continue":true}"#, "", 0), Passed);
        check(Harness::Opencode, (r#"{"continue":true}"#, "", 1), Refused);
        check(Harness::Opencode, (r#"{"continue":"true"}"#, "", 0), Refused);
        check(Harness::Opencode, (r#"{"continue":false}"#, "", 0), Refused);
        check(Harness::Opencode, ("", "", 0), Refused);
    }

    /// HOOK-1.5: what our dialects say is what the clients obey.
    #[test]
    fn our_own_answers_are_obeyed() {
        let deny = HookAnswer::Deny { reason: "no".to_owned() };
        for &harness in Harness::ALL {
            for (gate, hook, event) in [
                (Gate::Tool, HookType::PreToolUse, "PreToolUse"),
                (Gate::Permission, HookType::PermissionRequest, "PermissionRequest"),
            ] {
                // A plugin of ours asks for a permission, always.
                let is_plugin = harness.entry().dialect == Dialect::Plain;
                let hook = if is_plugin { HookType::PermissionRequest } else { hook };
                let asker = Asker { client: harness.client(), hook, event: Some(event) };
                for (answer, expected) in [(&deny, Refused), (&HookAnswer::Allow, Passed)] {
                    let it = reply(asker, answer);
                    let (stdout, stderr) = (it.stdout.as_str(), it.stderr.as_str());
                    let answered = Answered { stdout, stderr, exit: it.exit.into() };
                    assert_eq!(obeys(harness, gate, answered), expected, "{asker:?} {answered:?}");
                }
            }
        }
    }

    /// HOOK-1.5: a person is asked where a permission is refused in the form of a tool.
    #[test]
    fn a_permission_is_refused_by_its_own_form_alone() {
        let check = |harness, stdout: &str, exit, expected| {
            let answered = Answered { stdout, stderr: "no", exit };
            assert_eq!(obeys(harness, Gate::Permission, answered), expected, "{answered:?}");
        };
        let deny = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny"}}}"#;
        check(Harness::Claude, deny, 0, Refused);
        check(Harness::Claude, deny, 2, Refused);
        check(Harness::Claude, "", 2, Ignored);
        check(Harness::Claude, BLOCK, 0, Ignored);
        check(Harness::Claude, DENY, 0, Ignored);
        check(Harness::Codex, deny, 0, Refused);
        check(Harness::Codex, "", 2, Refused);
        check(Harness::Codex, &deny.replace("\"deny\"", "\"ask\""), 0, Ignored);
    }
}
