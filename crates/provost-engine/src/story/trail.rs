//! What is said about a story leaves an entry in the audit chain, bound to its line in the claims
//! log: a log that was exchanged no longer fits the chain.

use provost_desk::{Desk, story::StoriesError};
use provost_kernel::{
    Actor, Digest, RequestId,
    story::{EventBody, Execution, StoryEvent},
};
use provost_vault::{
    Durable, RealDisk,
    audit::{Audit, Event},
};
use serde_json::{Value, json};

use super::StoryError;

/// Enters what a verdict is built on into the audit chain: a beginning, a declaration, a claim, a
/// verification, a waiver or another base. What else happens is in the log alone.
pub(super) fn keep(desk: &Desk, actor: &Actor, event: &StoryEvent) -> Result<(), StoryError> {
    keep_ordered(desk, actor, None, event)
}

/// The same for what somebody ordered under an id of their own.
pub(super) fn keep_ordered(
    desk: &Desk,
    actor: &Actor,
    request_id: Option<&RequestId>,
    event: &StoryEvent,
) -> Result<(), StoryError> {
    let Some((action, said)) = said(&event.body) else { return Ok(()) };
    let digest =
        Digest::of_json(event).map_err(|source| StoriesError::Event { seq: event.seq, source })?;
    let story = event.story_id.as_ref().map(ToString::to_string).unwrap_or_default();
    let subject = format!("story:{}:{story}", event.execution_id);
    let detail = json!({"seq": event.seq, "digest": digest, "said": said});
    enter_ordered(desk, (actor, request_id), action, subject, detail)
}

/// Enters something that a person ordered.
pub(super) fn enter(
    desk: &Desk,
    actor: &Actor,
    action: &str,
    subject: String,
    detail: Value,
) -> Result<(), StoryError> {
    enter_ordered(desk, (actor, None), action, subject, detail)
}

fn enter_ordered(
    desk: &Desk,
    (actor, request_id): (&Actor, Option<&RequestId>),
    action: &str,
    subject: String,
    detail: Value,
) -> Result<(), StoryError> {
    let entry = Event {
        actor: actor.clone(),
        action: action.to_owned(),
        subject,
        request_id: request_id.cloned(),
        detail,
    };
    let mut chain = Audit::open(&RealDisk, desk.layout())?;
    let head = chain.append(&entry, desk.clock(), Durable::Now)?;
    Ok(chain.store_head(head, action, desk.clock())?)
}

fn said(body: &EventBody) -> Option<(&'static str, Value)> {
    match body {
        EventBody::Updated(it) => {
            let passes = it.outcome.passes;
            let said =
                json!({"result": it.result, "passes": passes, "claimed": it.original_passes});
            Some(("story.update", said))
        }
        EventBody::Verified(it) => Some(("story.verify", json!({"passes": it.outcome.passes}))),
        EventBody::Waived(it) => {
            let said = json!({"criterion": it.criterion, "digest": it.digest});
            Some(("story.waive", said))
        }
        EventBody::Rebased(it) => {
            Some(("story.rebase", json!({"before": it.before, "base": it.base})))
        }
        EventBody::Started(it) => {
            let Execution { branch, base_commit_sha: base, plan_digest: plan, .. } = &it.execution;
            Some(("story.start", json!({"branch": branch, "base": base, "plan": plan})))
        }
        EventBody::Declared(it) => Some(("story.declare", json!({"isLate": it.is_late}))),
        EventBody::Changed(_) | EventBody::Replanned(_) | EventBody::Imported(_) => None,
    }
}
