//! What holds for every payload, whoever asks about whatever. The fuzz target includes this file,
//! so that it and the replay of its corpus assert the same.

use std::collections::BTreeSet;

use provost_kernel::{
    Lang, Text,
    guard::{Client, HookAnswer, HookType, Mode, UnknownFields, client::Dialect, policy::Policy},
};
use provost_rules_guard::{
    Question, Reading, Refusal, Request, Response,
    dialect::{self, Asker, Effect, Reply},
    judge::{Judged, Place, judge},
    read, refuse,
};
use serde_json::Value;

/// How many bytes stand before the payload: they choose the client, the type and the rest.
const HEADER: usize = 3;

/// The longest text for people: a reason, and the end of its line.
const LONGEST: usize = 4_001;

/// Checks what a hook answers to these bytes. A header that is cut off chooses nothing.
pub(crate) fn hook(bytes: &[u8]) {
    let mut header = [0; HEADER];
    let n_chosen = bytes.len().min(HEADER);
    header[..n_chosen].copy_from_slice(&bytes[..n_chosen]);
    let [client, hook, more] = header;
    let active = if more & 4 == 0 { BTreeSet::new() } else { BTreeSet::from([Mode::Ralph]) };
    check(Request {
        bytes: &bytes[n_chosen..],
        client: choose(Client::ALL, client),
        hook: choose(HookType::ALL, hook),
        active: &active,
        unknown_fields: if more & 1 == 0 { UnknownFields::Drop } else { UnknownFields::Pass },
    });
}

/// One of the words, or none of them.
fn choose<T: Copy>(all: &[T], byte: u8) -> Option<T> {
    usize::from(byte).checked_rem(all.len() + 1)?.checked_sub(1).and_then(|it| all.get(it).copied())
}

/// Checks one payload in both languages: the words differ, and what comes of them does not.
pub(crate) fn check(request: Request<'_>) {
    let reading = read(request);
    assert_eq!(reading, read(request), "the same bytes mean the same");
    match &reading {
        Ok(Reading::Hook(question)) => check_question(request, question),
        Ok(Reading::NoType { client, .. }) => {
            assert_eq!(request.hook, None, "a type was named");
            assert!(request.client.is_none_or(|it| it == *client));
            let reply = dialect::reply_to_no_type();
            assert_eq!((reply.stdout.as_str(), reply.stderr.as_str(), reply.exit), ("", "", 0));
        }
        Err(refusal) => check_refusal(request, refusal),
    }
}

/// A payload that was taken is judged as what it was asked about, and answered so.
fn check_question(request: Request<'_>, question: &Question) {
    let input = &question.normalised.input;
    // An installation names the general type of a stop; the active modes refine it.
    let is_refined = request.hook == Some(HookType::StopContinuation)
        && !request.active.is_empty()
        && !is_gate(input.hook);
    assert!(is_refined || request.hook.is_none_or(|it| it == input.hook));
    assert!(request.client.is_none_or(|it| it == question.client));
    let place = Place {
        root: Some("/home/user/project".to_owned()),
        granted: Vec::new(),
        home: Some("/home/user/project/.provost".to_owned()),
        user_home: Some("/home/user".to_owned()),
        program: None,
        facts: Vec::new(),
        links: Vec::new(),
    };
    let answer = |lang| {
        let judged = judge(&Policy::default(), input, &place);
        let response = Response::to(question, judged.answer.clone());
        let reply = response.encode(|it| lines(it, lang));
        assert_eq!(response.outcome(), (reply.effect, reply.exit), "without rendering");
        check_reply(question.asker(), &reply);
        (judged, reply)
    };
    let (Judged { answer, ruling, permitted_by: _, code: _ }, reply) = answer_in_both(answer);

    assert_eq!(ruling.is_some(), is_gate(input.hook), "only what asks before a tool is ruled on");
    let passes = ruling.as_ref().is_none_or(|it| it.effect.passes());
    assert_eq!(answer.is_permission(), passes);
    assert_eq!(reply.effect == Effect::Passed, passes, "{answer:?} {reply:?}");
    match answer {
        HookAnswer::Deny { .. } => check_stopped(question.asker(), &reply),
        // Where nobody can be asked, it is refused.
        HookAnswer::Ask { .. } if reply.effect != Effect::Asked => {
            check_stopped(question.asker(), &reply);
        }
        HookAnswer::Ask { .. }
        | HookAnswer::Nothing
        | HookAnswer::Allow
        | HookAnswer::Note { .. } => assert_eq!((reply.stderr.as_str(), reply.exit), ("", 0)),
    }
}

fn lines(texts: &[Text], lang: Lang) -> String {
    texts.iter().map(|it| lang.render(it)).collect::<Vec<_>>().join("\n")
}

/// The same in both languages, but for its words.
fn answer_in_both(answer: impl Fn(Lang) -> (Judged, Reply)) -> (Judged, Reply) {
    let ((english, said), (chinese, same)) = (answer(Lang::En), answer(Lang::Zh));
    assert_eq!(english.ruling, chinese.ruling);
    assert_eq!((said.exit, said.effect), (same.exit, same.effect));
    (english, said)
}

/// A payload that was not taken lets no tool run.
fn check_refusal(request: Request<'_>, refusal: &Refusal) {
    assert!(request.client.is_none() || request.client == refusal.client);
    for lang in [Lang::En, Lang::Zh] {
        let reply = refuse(refusal).encode(|it| lines(it, lang));
        let (Some(client), Some(hook)) = (refusal.client, refusal.hook) else {
            assert_eq!((reply.stdout.as_str(), reply.exit), ("", 2), "{refusal:?}");
            assert_eq!(reply.effect, Effect::Refused);
            check_text(&reply.stderr);
            assert!(!reply.stderr.trim().is_empty());
            continue;
        };
        let asker = Asker { client, hook, event: refusal.event.as_deref() };
        check_reply(asker, &reply);
        // What was named is what was asked about, or something graver that the payload says.
        let named = request.hook.unwrap_or(hook);
        if is_gate(hook) || is_gate(named) {
            check_stopped(asker, &reply);
        }
    }
}

/// What each client was seen to obey. A plain caller knows one way to be stopped, and only at a
/// permission: elsewhere it is told, and goes on.
fn check_stopped(asker: Asker<'_>, reply: &Reply) {
    let document: Value = serde_json::from_str(&reply.stdout).unwrap_or_default();
    let specific = &document["hookSpecificOutput"];
    let is_tool = asker.hook == HookType::PreToolUse;
    let dialect = asker.client.entry().dialect;
    let word = match dialect {
        Dialect::Claude | Dialect::Codex if is_tool => &specific["permissionDecision"],
        Dialect::Claude | Dialect::Codex => &specific["decision"]["behavior"],
        Dialect::Gemini => &document["decision"],
        Dialect::Cursor => &document["permission"],
        Dialect::Plain => &document["continue"],
    };
    if dialect == Dialect::Plain {
        assert_eq!(
            (word.as_bool(), reply.effect),
            if is_tool {
                (Some(true), Effect::Unblockable)
            } else {
                (Some(false), Effect::Refused)
            }
        );
    } else {
        assert_eq!((word.as_str(), reply.effect), (Some("deny"), Effect::Refused), "{reply:?}");
        // Claude Code takes exit code 2 on a permission for no answer.
        let is_exit = is_tool || dialect != Dialect::Claude;
        assert_eq!(reply.exit == 2, is_exit, "{asker:?} {reply:?}");
    }
    assert!(!reply.stderr.trim().is_empty(), "{reply:?}");
}

/// What every reply is: nothing or one document, and texts that a terminal can bear.
fn check_reply(asker: Asker<'_>, reply: &Reply) {
    let dialect = asker.client.entry().dialect;
    assert!(matches!(reply.exit, 0 | 2), "{reply:?}");
    check_text(&reply.stderr);
    let Some(line) = reply.stdout.strip_suffix('\n') else {
        assert_eq!(reply.stdout, "");
        let must_speak = matches!(dialect, Dialect::Cursor | Dialect::Plain);
        assert!(!must_speak, "silence is a failure");
        return;
    };
    assert!(line.starts_with('{') && !line.contains(char::is_control), "{line:?}");
    let document: Value = serde_json::from_str(line).unwrap();
    match dialect {
        Dialect::Codex => check_strict(asker.hook, &document),
        Dialect::Claude => assert_eq!(document.get("continue"), None, "it stops no tool"),
        Dialect::Gemini | Dialect::Cursor | Dialect::Plain => {}
    }
}

/// Codex ignores a whole reply for one key that it does not know, or for an empty reason.
fn check_strict(hook: HookType, document: &Value) {
    let known: &[&str] = if hook == HookType::PreToolUse {
        &[
            "/hookSpecificOutput/hookEventName",
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
        ]
    } else if hook == HookType::PermissionRequest {
        &[
            "/hookSpecificOutput/hookEventName",
            "/hookSpecificOutput/decision/behavior",
            "/hookSpecificOutput/decision/message",
        ]
    } else {
        &[
            "/decision",
            "/reason",
            "/systemMessage",
            "/hookSpecificOutput/hookEventName",
            "/hookSpecificOutput/additionalContext",
        ]
    };
    each_leaf(String::new(), document, &mut |at, leaf| {
        let is_text = leaf.as_str().is_some_and(|it| !it.trim().is_empty());
        assert!(known.contains(&at) && is_text, "{hook}: `{at}` of {document}");
    });
}

/// Visits every value that is no object, with its place.
fn each_leaf(at: String, value: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    let Value::Object(object) = value else { return visit(&at, value) };
    for (key, inner) in object {
        each_leaf(format!("{at}/{key}"), inner, visit);
    }
}

/// A text for people is not endless, and controls no terminal.
fn check_text(text: &str) {
    let is_bare = |it: char| it != '\n' && it.is_control();
    assert!(!text.contains(is_bare), "{text:?}");
    assert!(text.chars().count() <= LONGEST, "{} characters", text.chars().count());
}

/// Whether the type asks before something is done that cannot be undone.
fn is_gate(hook: HookType) -> bool {
    matches!(hook, HookType::PreToolUse | HookType::PermissionRequest)
}
