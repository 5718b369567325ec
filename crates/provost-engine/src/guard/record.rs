//! What the audit chain says of a hook. It never holds what a tool was given or gave back: a
//! ruling names the part that it stands on, with secrets taken out.

use provost_kernel::{
    Actor, Clock, Source, Text,
    guard::{Client, HookInput, HookType},
};
use provost_rules_guard::{
    Question, Refusal, dialect::Effect, judge::Judged, permit::PermittedBy, sanitize,
};
use provost_vault::{
    Disk, Durable, Layout,
    audit::{Audit, Event},
};
use serde_json::{Value, json};

use super::GuardError;

/// How many characters of a name that a client gave are kept.
const LONGEST_NAME: usize = 120;

/// How much an entry must outlast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    /// The process: something was let pass.
    Process,
    /// A power cut: something was refused.
    PowerCut,
    /// Somebody who cuts the chain: its head is stored apart from it.
    Apart,
}

/// Adds an entry to the chain.
pub(super) fn append<D: Disk>(
    disk: &D,
    layout: &Layout,
    clock: &dyn Clock,
    event: &Event,
    keeping: Keeping,
) -> Result<(), GuardError> {
    let durable = match keeping {
        Keeping::Process => Durable::Later,
        Keeping::PowerCut | Keeping::Apart => Durable::Now,
    };
    let mut chain = match keeping {
        Keeping::Process | Keeping::PowerCut => Audit::open_for_call(disk, layout)?,
        Keeping::Apart => Audit::open(disk, layout)?,
    };
    let head = chain.append(event, clock, durable)?;
    if keeping == Keeping::Apart {
        chain.store_head(head, &event.action, clock)?;
    }
    Ok(())
}

/// How much the entry for a question must outlast. Each session leaves a head at both its ends.
pub(super) fn keeping(hook: HookType, effect: Effect) -> Keeping {
    match (hook, effect) {
        (HookType::SessionStart | HookType::SessionEnd, _) => Keeping::Apart,
        (_, Effect::Passed) => Keeping::Process,
        (_, Effect::Refused | Effect::Asked | Effect::Unblockable) => Keeping::PowerCut,
    }
}

/// The entry for a question: every tool call, every refusal, the ends of a session, and what a
/// sensitive type dropped.
pub(super) fn question(question: &Question, judged: &Judged, effect: Effect) -> Option<Event> {
    let input = &question.normalised.input;
    let dropped = &question.normalised.dropped;
    let is_kept = judged.ruling.is_some()
        || matches!(input.hook, HookType::SessionStart | HookType::SessionEnd)
        || effect != Effect::Passed
        || (input.hook.is_sensitive() && !dropped.is_empty());
    if !is_kept {
        return None;
    }
    let mut detail = json!({
        "client": question.client,
        "effect": word(effect),
        "rule": judged.ruling.as_ref().map(|it| it.rule.clone()),
        "about": judged.ruling.as_ref().map(|it| name(&it.subject)),
        "permitted_by": judged.permitted_by.as_ref().map(permitted_by),
        "tool_use_id": input.text("tool_use_id").map(name),
        "agent_id": input.text("agent_id").map(name),
        "dropped": dropped.iter().map(|it| name(it)).collect::<Vec<_>>(),
    });
    // The order that permits the call names the same code, so the two entries belong together.
    if let Some(code) = &judged.code {
        detail["code"] = code.as_str().into();
    }
    let (actor, subject) = (actor(input), subject(input));
    let action = format!("guard.{}", input.hook);
    Some(Event { actor, action, subject, request_id: None, detail })
}

/// The entry for entries of a client's configuration that were changed since they were installed.
pub(super) fn tampered(question: &Question, said: &[Text]) -> Event {
    let input = &question.normalised.input;
    let said: Vec<String> = said.iter().map(ToString::to_string).collect();
    Event {
        actor: actor(input),
        action: "guard.tampered".to_owned(),
        subject: format!("client:{}", question.client),
        request_id: None,
        detail: json!({ "found": said }),
    }
}

/// The entry for a payload that was not taken.
pub(super) fn refusal(refusal: &Refusal) -> Event {
    let subject = refusal.hook.map_or_else(|| "hook:unknown".to_owned(), |it| format!("hook:{it}"));
    Event {
        actor: Actor { source: Source::Agent, id: "unknown".to_owned() },
        action: "guard.refused".to_owned(),
        subject,
        request_id: None,
        detail: json!({
            "client": refusal.client,
            "event": refusal.event.as_deref().map(name),
            "error": refusal.error.code(),
        }),
    }
}

/// The entry for an event that no type is about.
pub(super) fn no_type(client: Client, event: &str) -> Event {
    Event {
        actor: Actor { source: Source::Agent, id: "unknown".to_owned() },
        action: "guard.no-type".to_owned(),
        subject: format!("event:{}", name(event)),
        request_id: None,
        detail: json!({ "client": client }),
    }
}

fn actor(input: &HookInput) -> Actor {
    let id = input.session_id.as_deref().map_or_else(|| "unknown".to_owned(), name);
    Actor { source: Source::Agent, id }
}

fn subject(input: &HookInput) -> String {
    match &input.tool_name {
        Some(tool) => format!("tool:{}", name(tool)),
        None => format!("hook:{}", input.hook),
    }
}

/// A text as a client gave it, fit for one line, not endless, and without secrets.
fn name(text: &str) -> String {
    let plain: String = text.chars().filter(|it| !it.is_control()).collect();
    sanitize::text(&plain, LONGEST_NAME)
}

/// The person's word by which a call passed.
fn permitted_by(by: &PermittedBy) -> Value {
    match by {
        PermittedBy::Code { code, scope } => json!({ "code": code, "scope": scope }),
        PermittedBy::Snooze => "snooze".into(),
    }
}

fn word(effect: Effect) -> Value {
    let word = match effect {
        Effect::Passed => "passed",
        Effect::Refused => "refused",
        Effect::Asked => "asked",
        Effect::Unblockable => "unblockable",
    };
    word.into()
}
