//! Every answer, on every type, in every dialect.

use serde_json::json;

use super::*;

const NO: &str = "no";

fn asker(client: Client, hook: HookType) -> Asker<'static> {
    Asker { client, hook, event: None }
}

fn deny() -> HookAnswer<String> {
    HookAnswer::Deny { reason: NO.to_owned() }
}

fn ask() -> HookAnswer<String> {
    HookAnswer::Ask { reason: NO.to_owned() }
}

fn note() -> HookAnswer<String> {
    HookAnswer::Note { text: NO.to_owned() }
}

/// The document (nothing is `null`), whether there is a text for people, the exit code, and what
/// the client does.
#[track_caller]
fn check(asker: Asker<'_>, answer: &HookAnswer<String>, expected: (Value, bool, u8, Effect)) {
    let reply = reply(asker, answer);
    let document = match reply.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    };
    let actual = (document, !reply.stderr.is_empty(), reply.exit, reply.effect);
    assert_eq!(actual, expected, "{asker:?} {answer:?}");
}

fn specific(value: Value) -> Value {
    json!({"hookSpecificOutput": value})
}

fn denied_tool() -> Value {
    specific(json!({
        "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": NO,
    }))
}

fn denied_permission() -> Value {
    let decision = json!({"behavior": "deny", "message": NO});
    specific(json!({"hookEventName": "PermissionRequest", "decision": decision}))
}

fn context(event: &str) -> Value {
    specific(json!({"hookEventName": event, "additionalContext": NO}))
}

const STOPS: [HookType; 4] =
    [HookType::Ralph, HookType::PersistentMode, HookType::StopContinuation, HookType::Autopilot];

/// What no client lets be stopped.
const QUIET: [HookType; 6] = [
    HookType::SessionStart,
    HookType::SessionEnd,
    HookType::SubagentStart,
    HookType::SubagentStop,
    HookType::SetupInit,
    HookType::SetupMaintenance,
];

/// HOOK-1.4, HOOK-1.5: the forms that were seen to stop Claude Code.
#[test]
fn claude_is_refused_in_its_own_words() {
    let at = |hook| asker(Client::Claude, hook);
    let refused = Effect::Refused;
    check(at(HookType::PreToolUse), &deny(), (denied_tool(), true, 2, refused));
    check(at(HookType::PermissionRequest), &deny(), (denied_permission(), true, 0, refused));
    let block = json!({"decision": "block", "reason": NO});
    check(at(HookType::KeywordDetector), &deny(), (block.clone(), true, 0, refused));
    for hook in STOPS {
        check(at(hook), &deny(), (block.clone(), true, 0, refused));
    }
    check(at(HookType::PostToolUse), &deny(), (block, false, 0, Effect::Unblockable));
    let failed = Asker { event: Some("PostToolUseFailure"), ..at(HookType::PostToolUse) };
    check(failed, &deny(), (context("PostToolUseFailure"), false, 0, Effect::Unblockable));
    check(at(HookType::PreCompact), &deny(), (Value::Null, true, 2, refused));
    for hook in QUIET {
        check(at(hook), &deny(), (Value::Null, false, 0, Effect::Unblockable));
    }
}

/// HOOK-1.4, HOOK-1.5: the same for Codex, where exit code 2 stops a permission as well.
#[test]
fn codex_is_refused_in_words_that_it_knows() {
    let at = |hook| asker(Client::Codex, hook);
    let refused = Effect::Refused;
    check(at(HookType::PreToolUse), &deny(), (denied_tool(), true, 2, refused));
    check(at(HookType::PermissionRequest), &deny(), (denied_permission(), true, 2, refused));
    let block = json!({"decision": "block", "reason": NO});
    check(at(HookType::KeywordDetector), &deny(), (block.clone(), true, 0, refused));
    for hook in STOPS {
        check(at(hook), &deny(), (block.clone(), true, 0, refused));
    }
    check(at(HookType::PostToolUse), &deny(), (block, false, 0, Effect::Unblockable));
    for hook in QUIET.into_iter().chain([HookType::PreCompact]) {
        check(at(hook), &deny(), (Value::Null, false, 0, Effect::Unblockable));
    }
}

/// HOOK-1.4, HOOK-1.5: the form that was seen to stop Gemini CLI.
#[test]
fn gemini_is_refused_in_its_own_words() {
    let at = |hook| asker(Client::Gemini, hook);
    let no = json!({"decision": "deny", "reason": NO});
    for hook in [HookType::PreToolUse, HookType::PermissionRequest, HookType::KeywordDetector] {
        check(at(hook), &deny(), (no.clone(), true, 2, Effect::Refused));
        check(at(hook), &ask(), (no.clone(), true, 2, Effect::Refused));
    }
    for hook in STOPS {
        check(at(hook), &deny(), (no.clone(), true, 0, Effect::Refused));
    }
    check(at(HookType::PostToolUse), &deny(), (no, false, 0, Effect::Unblockable));
    for hook in QUIET.into_iter().chain([HookType::PreCompact]) {
        check(at(hook), &deny(), (Value::Null, false, 0, Effect::Unblockable));
    }
}

/// HOOK-1.4, HOOK-1.5: Cursor's forms, and an explicit permission where nothing is refused.
#[test]
fn cursor_is_always_answered() {
    let at = |hook, event| Asker { client: Client::Cursor, hook, event };
    let no = |word: &str| json!({"permission": word, "user_message": NO, "agent_message": NO});
    let yes = json!({"permission": "allow"});
    let tool = HookType::PreToolUse;
    for event in ["preToolUse", "beforeReadFile", "beforeTabFileRead"] {
        check(at(tool, Some(event)), &deny(), (no("deny"), true, 2, Effect::Refused));
        check(at(tool, Some(event)), &ask(), (no("deny"), true, 2, Effect::Refused));
    }
    for event in ["beforeShellExecution", "beforeMCPExecution"] {
        check(at(tool, Some(event)), &deny(), (no("deny"), true, 2, Effect::Refused));
        check(at(tool, Some(event)), &ask(), (no("ask"), false, 0, Effect::Asked));
    }
    for hook in [tool, HookType::PermissionRequest] {
        check(at(hook, None), &deny(), (no("deny"), true, 2, Effect::Refused));
        check(at(hook, None), &ask(), (no("deny"), true, 2, Effect::Refused));
        for answer in [HookAnswer::Allow, HookAnswer::Nothing, note()] {
            check(at(hook, None), &answer, (yes.clone(), false, 0, Effect::Passed));
        }
    }
    let prompt = at(HookType::KeywordDetector, None);
    let stopped = json!({"continue": false, "user_message": NO});
    check(prompt, &deny(), (stopped, true, 2, Effect::Refused));
    check(prompt, &HookAnswer::Allow, (json!({"continue": true}), false, 0, Effect::Passed));
    for hook in STOPS {
        let again = json!({"followup_message": NO});
        check(at(hook, Some("stop")), &deny(), (again, true, 0, Effect::Refused));
        check(at(hook, Some("stop")), &note(), (json!({}), false, 0, Effect::Passed));
    }
    let told = json!({"additional_context": NO});
    for (hook, event) in
        [(HookType::PostToolUse, "postToolUse"), (HookType::SessionStart, "sessionStart")]
    {
        check(at(hook, Some(event)), &deny(), (told.clone(), false, 0, Effect::Unblockable));
        check(at(hook, Some(event)), &note(), (told.clone(), false, 0, Effect::Passed));
        check(at(hook, Some(event)), &HookAnswer::Allow, (json!({}), false, 0, Effect::Passed));
    }
    let after = at(HookType::PostToolUse, Some("afterFileEdit"));
    check(after, &deny(), (json!({}), false, 0, Effect::Unblockable));
    check(at(HookType::SubagentStart, None), &deny(), (yes, false, 0, Effect::Unblockable));
    for hook in [HookType::SessionEnd, HookType::SubagentStop, HookType::PreCompact] {
        check(at(hook, None), &deny(), (json!({}), false, 0, Effect::Unblockable));
    }
}

/// HOOK-1.4: `continue` is false for a permission that was denied or failed, and true otherwise.
#[test]
fn the_plain_form_blocks_permissions_alone() {
    for &hook in HookType::ALL {
        let at = asker(Client::Plain, hook);
        for answer in [deny(), ask()] {
            if hook == HookType::PermissionRequest {
                let no = json!({"continue": false, "message": NO});
                check(at, &answer, (no, true, 2, Effect::Refused));
            } else {
                let told = json!({"continue": true, "message": NO});
                check(at, &answer, (told, true, 0, Effect::Unblockable));
            }
        }
        let told = json!({"continue": true, "message": NO});
        check(at, &note(), (told, false, 0, Effect::Passed));
        for answer in [HookAnswer::Allow, HookAnswer::Nothing] {
            check(at, &answer, (json!({"continue": true}), false, 0, Effect::Passed));
        }
    }
}

/// HOOK-1.5: who cannot ask a person refuses.
#[test]
fn an_ask_reaches_a_person_or_is_a_refusal() {
    let asked = specific(json!({
        "hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": NO,
    }));
    let claude = asker(Client::Claude, HookType::PreToolUse);
    check(claude, &ask(), (asked, false, 0, Effect::Asked));
    let codex = asker(Client::Codex, HookType::PreToolUse);
    check(codex, &ask(), (denied_tool(), true, 2, Effect::Refused));
    for client in [Client::Claude, Client::Codex] {
        let permission = asker(client, HookType::PermissionRequest);
        check(permission, &ask(), (Value::Null, false, 0, Effect::Asked));
        let prompt = asker(client, HookType::KeywordDetector);
        let block = json!({"decision": "block", "reason": NO});
        check(prompt, &ask(), (block, true, 0, Effect::Refused));
    }
}

#[test]
fn a_note_is_said_where_it_is_heard() {
    let passed = |document| (document, false, 0, Effect::Passed);
    let system = json!({"systemMessage": NO});
    for client in [Client::Claude, Client::Codex] {
        let at = |hook| asker(client, hook);
        check(at(HookType::KeywordDetector), &note(), passed(context("UserPromptSubmit")));
        let mut opening = context("SessionStart");
        if client == Client::Claude {
            // The person reads it too.
            opening["systemMessage"] = NO.into();
        }
        check(at(HookType::SessionStart), &note(), passed(opening));
        check(at(HookType::PostToolUse), &note(), passed(context("PostToolUse")));
        check(at(HookType::SubagentStart), &note(), passed(context("SubagentStart")));
        check(at(HookType::SetupInit), &note(), passed(context("Setup")));
        check(at(HookType::SetupMaintenance), &note(), passed(context("Setup")));
        check(at(HookType::PreCompact), &note(), passed(system.clone()));
        let riding = Asker { event: Some("UserPromptSubmit"), ..at(HookType::Autopilot) };
        check(riding, &note(), passed(context("UserPromptSubmit")));
        let unheard = [HookType::SessionEnd, HookType::SubagentStop, HookType::PermissionRequest];
        for hook in STOPS.into_iter().chain(unheard) {
            check(at(hook), &note(), passed(Value::Null));
        }
    }
    check(asker(Client::Claude, HookType::PreToolUse), &note(), passed(context("PreToolUse")));
    check(asker(Client::Codex, HookType::PreToolUse), &note(), passed(Value::Null));

    let at = |hook| asker(Client::Gemini, hook);
    check(at(HookType::KeywordDetector), &note(), passed(context("BeforeAgent")));
    check(at(HookType::SessionStart), &note(), passed(context("SessionStart")));
    check(at(HookType::PostToolUse), &note(), passed(context("AfterTool")));
    check(at(HookType::PreToolUse), &note(), passed(system.clone()));
    check(at(HookType::PreCompact), &note(), passed(system));
    check(at(HookType::SessionEnd), &note(), passed(Value::Null));
}

/// Whatever is answered, to whomever.
fn everything() -> impl Iterator<Item = (Asker<'static>, HookAnswer<String>, Reply)> {
    let events = [
        None,
        Some("PreToolUse"),
        Some("PostToolUseFailure"),
        Some("UserPromptSubmit"),
        Some("BeforeTool"),
        Some("beforeShellExecution"),
        Some("postToolUse"),
        Some("nonsense"),
    ];
    let empty = HookAnswer::Deny { reason: " \u{1b}".to_owned() };
    let answers = [HookAnswer::Nothing, HookAnswer::Allow, deny(), ask(), note(), empty];
    Client::ALL.iter().flat_map(move |&client| {
        let answers = answers.clone();
        HookType::ALL.iter().flat_map(move |&hook| {
            let answers = answers.clone();
            events.into_iter().flat_map(move |event| {
                let asker = Asker { client, hook, event };
                let answers = answers.clone();
                answers.into_iter().map(move |it| (asker, it.clone(), reply(asker, &it)))
            })
        })
    })
}

/// HOOK-1.5: what must hold of every reply there is.
#[test]
fn no_reply_breaks_the_rules_of_its_client() {
    let mut n_replies = 0;
    for (asker, answer, reply) in everything() {
        let about = format!("{asker:?} {answer:?} {reply:?}");
        assert!(matches!(reply.exit, 0 | 2), "{about}");
        assert_eq!(reply.exit == 2, reply.exit == 2 && !reply.stderr.trim().is_empty(), "{about}");
        assert!(reply.exit == 0 || reply.effect == Effect::Refused, "{about}");
        assert!(reply.stdout.is_empty() || reply.stdout.starts_with('{'), "{about}");
        assert!(!reply.stdout.trim_end().contains('\n'), "one line: {about}");
        let is_critical = matches!(asker.hook, HookType::PreToolUse | HookType::PermissionRequest);
        let is_plain = asker.client.entry().dialect == Dialect::Plain;
        if !is_plain && is_critical && matches!(answer, HookAnswer::Deny { .. }) {
            assert_eq!(reply.effect, Effect::Refused, "{about}");
        }
        if answer.is_permission() {
            assert_eq!((reply.effect, reply.exit), (Effect::Passed, 0), "{about}");
        }
        match asker.client.entry().dialect {
            Dialect::Claude | Dialect::Codex => assert_strict(&reply, &about),
            Dialect::Gemini => assert!(!reply.stdout.contains("continue"), "{about}"),
            Dialect::Cursor | Dialect::Plain => assert!(!reply.stdout.is_empty(), "{about}"),
        }
        n_replies += 1;
    }
    assert_eq!(n_replies, Client::ALL.len() * 15 * 8 * 6);
}

/// Codex throws a reply away for one key that it does not know, or for an empty reason.
fn assert_strict(reply: &Reply, about: &str) {
    if reply.stdout.is_empty() {
        return;
    }
    let document: Value = serde_json::from_str(&reply.stdout).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let inner = match keys(&document).join(" ").as_str() {
        "decision reason" | "systemMessage" => Vec::new(),
        "hookSpecificOutput" => keys(&document["hookSpecificOutput"]),
        // Claude Code ignores what it does not know, and shows this to the person.
        "hookSpecificOutput systemMessage" if about.contains("client: Claude,") => {
            keys(&document["hookSpecificOutput"])
        }
        other => panic!("{other}: {about}"),
    };
    let inner = inner.join(" ");
    let known = [
        "",
        "hookEventName permissionDecision permissionDecisionReason",
        "decision hookEventName",
        "additionalContext hookEventName",
    ];
    assert!(known.contains(&inner.as_str()), "{inner}: {about}");
    let reason = document["hookSpecificOutput"]["permissionDecisionReason"].as_str();
    assert!(reason.is_none_or(|it| !it.trim().is_empty()), "{about}");
    assert!(document["reason"].as_str().is_none_or(|it| !it.trim().is_empty()), "{about}");
}

/// HOOK-1.5: no client is known to run a tool after this.
#[test]
fn an_unknown_client_is_stopped_without_a_document() {
    let expected = Reply {
        stdout: String::new(),
        stderr: "no\n".to_owned(),
        exit: 2,
        effect: Effect::Refused,
    };
    assert_eq!(reply_to_unknown(NO), expected);
    assert_eq!(reply_to_unknown("").stderr, "provost refuses this\n");
    assert_eq!(reply_to_no_type(), Reply::silent(Effect::Passed));
}
