//! Requests from afar that start a process instead of joining a task's queue: audited before anything
//! is started, and carried out once, however often they are sent.

use provost_kernel::{Actor, Digest, RequestId, TaskId};
use provost_rules::secret::redact;
use provost_rules_task::request::{self, Repetition};
use provost_vault::{
    Durable,
    audit::{Audit, AuditError, Event},
    requests::Requests,
};
use serde_json::{Value, json};

use crate::{DISK, Desk, DeskError};

/// A request on its way in.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    pub actor: Actor,
    /// What is asked for, as the audit names it, such as `task.land`.
    pub action: &'a str,
    /// None for a task that is yet to be made.
    pub task: Option<&'a TaskId>,
    pub request_id: &'a RequestId,
    pub payload: &'a Value,
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
    /// Claims a request: the first with its id is audited, and on record before anything is started. The
    /// same id with another body is refused.
    pub fn claim_request(&self, claim: &Claim<'_>) -> Result<Claimed, DeskError> {
        let (id, body) = (claim.request_id, body(claim)?);
        let requests = Requests::new(&DISK, &self.layout);
        let mut receipt = None;
        let is_new = requests.claim(id, body, &*self.clock, |known| {
            receipt = known.iter().rev().find_map(|it| it.receipt.clone());
            let remembered = known.first().map(|it| it.body);
            match request::check(id, remembered, body)? {
                Repetition::Same => Ok::<_, DeskError>(false),
                Repetition::First => {
                    self.audit_request(claim)?;
                    Ok(true)
                }
            }
        })?;
        Ok(if is_new { Claimed::First } else { Claimed::Repeated { receipt } })
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
            subject: claim.task.map_or_else(|| "tasks".to_owned(), |it| format!("task:{it}")),
            request_id: Some(claim.request_id.clone()),
            detail: json!({ "payload": payload }),
        };
        let mut chain = Audit::open(&DISK, &self.layout)?;
        chain.append(&entry, &*self.clock, Durable::Now)?;
        Ok(())
    }
}

/// What a request id stands for.
fn body(claim: &Claim<'_>) -> Result<Digest, DeskError> {
    let whole = json!({ "action": claim.action, "task": claim.task, "payload": claim.payload });
    let action = || claim.action.to_owned();
    Digest::of_json(&whole).map_err(|source| AuditError::Entry { action: action(), source }.into())
}
