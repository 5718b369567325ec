//! What a person permits of what was refused (KEEP-1): which call a code stands for, how long it
//! holds, and what uses it up.
//!
//! A permission is for exactly the call that was refused: its tool, its input, its folder and its
//! session. Everything here is pure; the engine brings time and randomness, and the vault keeps it.

use provost_kernel::{
    Digest, Millis,
    guard::{
        HookInput, HookType, PendingRefusal, PendingRefusals, Permit, PermitScope, Permits,
        RefusalCode, Snooze, TrustedPath,
    },
};
use serde_json::{Value, json};

use super::policy::is_shell;

/// For how long a refusal can be permitted, and a permission for one call be used.
pub const MINUTES: u64 = 15;
/// For how long a permission for a session holds, should its session not end before.
pub const SESSION_HOURS: u64 = 24;
/// For how long at most nothing is asked about.
pub const LONGEST_SNOOZE: u64 = 120;
/// How many refusals wait for a person at a time; the oldest give way.
pub const MOST_REFUSALS: usize = 32;

/// How far a clock may have gone back. A permission from the future holds no longer.
const TOLERANCE: u64 = 60_000;

/// Words that a model adds to a command for people to read, and another time writes differently.
const REMARKS: [&str; 4] = ["description", "explanation", "justification", "timeout"];

/// What waits for a person, and what people permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    pub refusals: Vec<PendingRefusal>,
    pub permits: Permits,
}

/// By whose word a call passed that a rule speaks against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PermittedBy {
    Code { code: RefusalCode, scope: PermitScope },
    Snooze,
}

/// The digest of the call that a payload is about: two calls share it if they do the same in the
/// same folder and session. None for a payload that is about no call.
pub fn call_digest(input: &HookInput) -> Option<Digest> {
    let tool = input.tool_name.as_deref()?;
    let mut given = input.tool_input.clone().unwrap_or(Value::Null);
    if let Some(object) = given.as_object_mut().filter(|_| is_shell(tool)) {
        object.retain(|key, _| !REMARKS.contains(&key.as_str()));
    }
    let call = json!({
        "tool": tool,
        "input": given,
        "directory": input.directory,
        "session": input.session_id,
    });
    Digest::of_json(&call).ok()
}

/// Adds a refusal to those that wait, and says under which code it does. The same call keeps its
/// code; what has had its time goes.
pub fn note(mut known: PendingRefusals, new: PendingRefusal) -> (PendingRefusals, RefusalCode) {
    known.refusals.retain(|it| holds(it.at, it.expires, new.at) && it.code != new.code);
    let before = known.refusals.iter().position(|it| it.call == new.call);
    let code = match before {
        Some(at) => known.refusals.remove(at).code,
        None => new.code.clone(),
    };
    known.refusals.push(PendingRefusal { code: code.clone(), ..new });
    let surplus = known.refusals.len().saturating_sub(MOST_REFUSALS);
    known.refusals.drain(..surplus);
    (known, code)
}

/// The refusals that can be permitted at this time, the newest first.
pub fn open_refusals(known: &PendingRefusals, now: Millis) -> Vec<&PendingRefusal> {
    known.refusals.iter().rev().filter(|it| holds(it.at, it.expires, now)).collect()
}

/// What could be permitted at this time, and what is. A permission that was used permits nothing
/// any more.
pub fn overview(known: &PendingRefusals, permits: Permits, now: Millis) -> Overview {
    let mut permits = swept(permits, now);
    permits.permits.retain(|it| !it.is_spent);
    let is_left = |it: &&PendingRefusal| permits.permits.iter().all(|p| p.code != it.code);
    let open = open_refusals(known, now);
    let refusals = open.into_iter().filter(is_left).cloned().collect();
    Overview { refusals, permits }
}

/// Adds a permission; one for the same call gives way, and so does what has had its time.
pub fn grant(permits: Permits, new: Permit) -> Permits {
    let now = new.at;
    let mut permits = swept(permits, now);
    permits.permits.retain(|it| it.call != new.call && it.code != new.code);
    permits.permits.push(new);
    permits
}

/// Takes permissions back: that of a code, or every one. How many there were comes with it.
pub fn revoke(mut permits: Permits, code: Option<&RefusalCode>) -> (Permits, Vec<Permit>) {
    let is_meant = |it: &Permit| code.is_none_or(|code| it.code == *code);
    let (gone, left) = permits.permits.into_iter().partition(is_meant);
    permits.permits = left;
    (permits, gone)
}

/// Adds a path to those that agents may write to, in place of an earlier word on it.
pub fn trust(mut permits: Permits, new: TrustedPath) -> Permits {
    permits.trusted.retain(|it| it.path != new.path);
    permits.trusted.push(new);
    permits
}

/// The permission of a call, if there is one.
pub fn find(permits: &Permits, call: Digest, hook: HookType, now: Millis) -> Option<&Permit> {
    let is_one = |it: &&Permit| {
        it.call == call && holds(it.at, it.expires, now) && (!it.is_spent || is_question(hook))
    };
    permits.permits.iter().find(is_one)
}

/// Uses the permission of a call, if there is one, and says what is left of them all.
///
/// A client that shows a question of its own asks twice about one call: before the tool runs, and
/// before its question. So one that is spent on the first is kept for the second, which runs
/// nothing by itself; whoever comes with the second alone has used it up.
pub fn take(
    mut permits: Permits,
    call: Digest,
    hook: HookType,
    now: Millis,
) -> (Permits, Option<Permit>) {
    let Some(found) = find(&permits, call, hook, now).cloned() else { return (permits, None) };
    match found.scope {
        PermitScope::Session => {}
        PermitScope::Once if is_question(hook) => {
            permits.permits.retain(|it| it.code != found.code);
        }
        PermitScope::Once => {
            for permit in permits.permits.iter_mut().filter(|it| it.code == found.code) {
                permit.is_spent = true;
            }
        }
    }
    (permits, Some(found))
}

/// Whether nothing is asked about at this time.
pub fn is_snoozed(permits: &Permits, now: Millis) -> bool {
    permits.snooze.as_ref().is_some_and(|it| snooze_holds(it, now))
}

/// What people permitted that still holds.
pub fn swept(mut permits: Permits, now: Millis) -> Permits {
    permits.permits.retain(|it| holds(it.at, it.expires, now));
    permits.snooze = permits.snooze.filter(|it| snooze_holds(it, now));
    permits
}

fn snooze_holds(snooze: &Snooze, now: Millis) -> bool {
    holds(snooze.at, snooze.expires, now) && now.0 < snooze.at.0 + LONGEST_SNOOZE * 60_000
}

fn is_question(hook: HookType) -> bool {
    hook == HookType::PermissionRequest
}

fn holds(at: Millis, expires: Millis, now: Millis) -> bool {
    at.0 <= now.0.saturating_add(TOLERANCE) && now.0 < expires.0
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Actor, Source};

    use super::*;

    fn input(command: &str) -> HookInput {
        HookInput {
            tool_name: Some("Bash".to_owned()),
            tool_input: Some(json!({ "command": command, "description": "x" })),
            directory: Some("/p".to_owned()),
            session_id: Some("s1".to_owned()),
            ..HookInput::empty(HookType::PreToolUse)
        }
    }

    fn code(n: u8) -> RefusalCode {
        RefusalCode::of_random([n; 6])
    }

    fn refusal(n: u8, call: &str, at: u64) -> PendingRefusal {
        PendingRefusal {
            code: code(n),
            call: call_digest(&input(call)).unwrap(),
            rule: "git.reset-hard".to_owned(),
            subject: call.to_owned(),
            tool: "Bash".to_owned(),
            directory: "/p".to_owned(),
            session: "s1".to_owned(),
            at: Millis(at),
            expires: Millis(at + MINUTES * 60_000),
            permanent: None,
        }
    }

    fn permit(n: u8, call: &str, scope: PermitScope) -> Permit {
        Permit {
            code: code(n),
            call: call_digest(&input(call)).unwrap(),
            scope,
            rule: "git.reset-hard".to_owned(),
            subject: call.to_owned(),
            because: "why".to_owned(),
            by: Actor { source: Source::Cli, id: "ann".to_owned() },
            at: Millis(1_000_000),
            expires: Millis(2_000_000),
            is_spent: false,
        }
    }

    /// KEEP-1: a permission is for the call that was refused and for no other.
    #[test]
    fn a_call_is_its_tool_input_folder_and_session() {
        let call = input("git reset --hard");
        let digest = call_digest(&call).unwrap();
        let mut same = call.clone();
        same.tool_input = Some(json!({ "command": "git reset --hard", "description": "y" }));
        same.hook = HookType::PermissionRequest;
        assert_eq!(call_digest(&same), Some(digest), "a description is not part of a command");
        for other in [
            input("git reset --hard HEAD~1"),
            HookInput { directory: Some("/q".to_owned()), ..call.clone() },
            HookInput { session_id: Some("s2".to_owned()), ..call.clone() },
            HookInput { session_id: None, ..call.clone() },
            HookInput { tool_name: Some("Shell".to_owned()), ..call.clone() },
        ] {
            assert_ne!(call_digest(&other), Some(digest), "{other:?}");
        }
        // What describes a command is the content of another tool.
        let issue = |text: &str| HookInput {
            tool_name: Some("mcp__tracker__create".to_owned()),
            tool_input: Some(json!({ "description": text })),
            ..call.clone()
        };
        assert_ne!(call_digest(&issue("a")), call_digest(&issue("b")));
        assert_eq!(call_digest(&HookInput { tool_name: None, ..call }), None);
    }

    #[test]
    fn refusals_are_bounded_and_the_same_call_keeps_its_code() {
        let (known, first) = note(PendingRefusals::default(), refusal(0, "a", 0));
        let (known, again) = note(known, refusal(1, "a", 60_000));
        assert_eq!((first.clone(), again), (code(0), code(0)));
        assert_eq!(known.refusals.len(), 1);
        assert_eq!(open_refusals(&known, Millis(15 * 60_000)).len(), 1, "its time begins anew");
        assert_eq!(open_refusals(&known, Millis(16 * 60_000)).len(), 0);
        let full = (0..50).fold(known, |known, n| {
            note(known, refusal(n % 30, &format!("call {n}"), 70_000 + u64::from(n))).0
        });
        assert!(full.refusals.len() <= MOST_REFUSALS, "{}", full.refusals.len());
        let newest = open_refusals(&full, Millis(70_100))[0].subject.clone();
        assert_eq!(newest, "call 49");
        let (later, _) = note(full, refusal(3, "late", 99_999_999));
        assert_eq!(later.refusals.len(), 1, "what has had its time is gone");
    }

    #[test]
    fn one_permission_lets_one_call_run() {
        let (now, tool, question) =
            (Millis(1_500_000), HookType::PreToolUse, HookType::PermissionRequest);
        let call = call_digest(&input("a")).unwrap();
        let other = call_digest(&input("b")).unwrap();
        let granted = grant(Permits::default(), permit(1, "a", PermitScope::Once));
        assert_eq!(take(granted.clone(), other, tool, now), (granted.clone(), None));
        let (spent, used) = take(granted.clone(), call, tool, now);
        assert_eq!(used.unwrap().code, code(1));
        assert_eq!(take(spent.clone(), call, tool, now).1, None, "it runs once");
        // The client's own question about the call that may run.
        let (gone, used) = take(spent, call, question, now);
        assert!(used.is_some() && gone.permits.is_empty());
        assert_eq!(take(gone, call, question, now).1, None);
        // Where a client asks in this way alone, it is the call.
        let (gone, used) = take(granted.clone(), call, question, now);
        assert!(used.is_some());
        assert_eq!(take(gone, call, tool, now).1, None);

        for late in [2_000_000, 3_000_000, 900_000] {
            assert_eq!(take(granted.clone(), call, tool, Millis(late)).1, None, "at {late}");
        }
    }

    #[test]
    fn a_permission_for_a_session_lasts() {
        let call = call_digest(&input("a")).unwrap();
        let granted = grant(Permits::default(), permit(1, "a", PermitScope::Session));
        let mut permits = granted.clone();
        for hook in [HookType::PreToolUse, HookType::PermissionRequest, HookType::PreToolUse] {
            let (after, used) = take(permits, call, hook, Millis(1_500_000));
            assert!(used.is_some() && after == granted, "nothing is written for it");
            permits = after;
        }
        let (left, gone) = revoke(permits, Some(&code(1)));
        assert_eq!((left, gone.len()), (Permits::default(), 1));
    }

    #[test]
    fn an_overview_has_what_waits_and_what_holds() {
        let now = Millis(1_500_000);
        let known = PendingRefusals {
            refusals: vec![
                refusal(1, "a", 1_000_000),
                refusal(2, "b", 1_400_000),
                refusal(3, "c", 0),
            ],
        };
        let spent = Permit { is_spent: true, ..permit(4, "d", PermitScope::Once) };
        let late = Permit { expires: Millis(1_200_000), ..permit(5, "e", PermitScope::Session) };
        let permits = Permits {
            permits: vec![permit(1, "a", PermitScope::Once), spent, late],
            ..Permits::default()
        };
        let Overview { refusals, permits } = overview(&known, permits, now);
        let codes: Vec<_> = refusals.into_iter().map(|it| it.code).collect();
        assert_eq!(codes, [code(2)], "one is permitted, one has had its time");
        let codes: Vec<_> = permits.permits.into_iter().map(|it| it.code).collect();
        assert_eq!(codes, [code(1)], "one is used, one has had its time");
    }

    #[test]
    fn what_holds_has_begun_and_not_ended() {
        let snoozed = |at, expires| Permits {
            snooze: Some(Snooze {
                because: "x".to_owned(),
                by: Actor { source: Source::Cli, id: "ann".to_owned() },
                at: Millis(at),
                expires: Millis(expires),
            }),
            ..Permits::default()
        };
        assert!(is_snoozed(&snoozed(100, 200), Millis(150)));
        assert!(!is_snoozed(&snoozed(100, 200), Millis(200)));
        assert!(is_snoozed(&snoozed(60_000, 99_000), Millis(0)), "a clock is set a little");
        assert!(!is_snoozed(&snoozed(61_000, 99_000), Millis(0)), "and not by much");
        assert_eq!(swept(snoozed(100, 200), Millis(300)), Permits::default());
    }
}
