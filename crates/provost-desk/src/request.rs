//! Requests from afar that do not join a task's queue: audited before anything is done, and carried out
//! once, however often they are sent.

use provost_kernel::{Actor, Digest, RequestId, task::Seen};
use provost_rules::secret::redact;
use provost_rules_task::request::{self, Repetition};
use provost_vault::{
    Durable,
    audit::{Audit, AuditError, Event},
    requests::{RequestLine, Requests},
};
use serde_json::{Value, json};

use crate::{DISK, Desk, DeskError};

/// A request on its way in.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    pub actor: Actor,
    /// What is asked for, as the audit names it, such as `task.land`.
    pub action: &'a str,
    /// What it is about, as the audit names it: `task:t1`, or `tasks` for one that is yet to be made.
    pub subject: &'a str,
    pub request_id: &'a RequestId,
    pub payload: &'a Value,
    /// What was looked at; the same id with another one is another request.
    pub seen: Option<Seen>,
}

/// Whether a request came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// It is new, and on record: carry it out, then say what was answered.
    First,
    /// The same came before. None while the first is being carried out, and where a crash cut that off.
    Repeated { receipt: Option<Value> },
}

impl Desk {
    /// Whether a request came before, without a trace of this question. The same id with another body is
    /// refused.
    pub fn recall_request(&self, claim: &Claim<'_>) -> Result<Claimed, DeskError> {
        let known = Requests::new(&DISK, &self.layout).of(claim.request_id)?;
        let remembered = known.first().map(|it| it.body);
        Ok(match request::check(claim.request_id, remembered, body(claim)?)? {
            Repetition::First => Claimed::First,
            Repetition::Same => Claimed::Repeated { receipt: receipt(&known) },
        })
    }

    /// Whether any request was claimed under an id.
    pub fn is_claimed(&self, request_id: &RequestId) -> Result<bool, DeskError> {
        Ok(!Requests::new(&DISK, &self.layout).of(request_id)?.is_empty())
    }

    /// Claims a request: the first with its id is audited, and on record before anything is started. The
    /// same id with another body is refused.
    pub fn claim_request(&self, claim: &Claim<'_>) -> Result<Claimed, DeskError> {
        let (id, body) = (claim.request_id, body(claim)?);
        let requests = Requests::new(&DISK, &self.layout);
        let mut answered = None;
        let is_new = requests.claim(id, body, &*self.clock, |known| {
            answered = receipt(known);
            let remembered = known.first().map(|it| it.body);
            match request::check(id, remembered, body)? {
                Repetition::Same => Ok::<_, DeskError>(false),
                Repetition::First => {
                    self.audit_request(claim)?;
                    Ok(true)
                }
            }
        })?;
        Ok(if is_new { Claimed::First } else { Claimed::Repeated { receipt: answered } })
    }

    /// Remembers what was answered to a request that was claimed.
    pub fn settle_request(&self, claim: &Claim<'_>, receipt: Value) -> Result<(), DeskError> {
        let requests = Requests::new(&DISK, &self.layout);
        Ok(requests.settle(claim.request_id, body(claim)?, receipt, &*self.clock)?)
    }

    fn audit_request(&self, claim: &Claim<'_>) -> Result<(), AuditError> {
        let payload = claim.payload.to_string();
        let payload = String::from_utf8_lossy(&redact(payload.as_bytes())).into_owned();
        let payload = serde_json::from_str(&payload).unwrap_or(Value::String(payload));
        let entry = Event {
            actor: claim.actor.clone(),
            action: format!("{}.requested", claim.action),
            subject: claim.subject.to_owned(),
            request_id: Some(claim.request_id.clone()),
            detail: json!({ "payload": payload }),
        };
        let mut chain = Audit::open(&DISK, &self.layout)?;
        chain.append(&entry, &*self.clock, Durable::Now)?;
        Ok(())
    }
}

/// What was answered last.
fn receipt(known: &[RequestLine]) -> Option<Value> {
    known.iter().rev().find_map(|it| it.receipt.clone())
}

/// What a request id stands for.
fn body(claim: &Claim<'_>) -> Result<Digest, DeskError> {
    let mut whole =
        json!({ "action": claim.action, "subject": claim.subject, "payload": claim.payload });
    if let (Some(seen), Some(fields)) = (claim.seen, whole.as_object_mut()) {
        fields.insert("seen".to_owned(), json!(seen));
    }
    let action = || claim.action.to_owned();
    Digest::of_json(&whole).map_err(|source| AuditError::Entry { action: action(), source }.into())
}
