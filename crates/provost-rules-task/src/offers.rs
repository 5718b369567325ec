//! What a person can do about a task now: one table, for command lines, pages and terminals.
//!
//! Every order that the task takes is offered, with the fields that it needs and their limits; what
//! is most likely wanted comes first. Beside the orders stands what only shows something.

mod every;
mod likely;
mod make;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeSet;

use provost_kernel::{
    Digest, Text,
    task::{PauseCode, State, Status},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{accept, phase::review_of};

/// What a person is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The command that does it.
    pub command: String,
    pub why: Text,
    /// None for what only shows something, or is about more than this task.
    pub order: Option<Box<OrderForm>>,
    /// Whether it is said without being asked for.
    pub is_told: bool,
}

/// An order with what is left to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderForm {
    pub action: Action,
    pub label: Text,
    pub fields: Vec<OfferField>,
    /// What is known of the payload already.
    pub payload: Map<String, Value>,
}

/// An order that a task takes now, as a page shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Offer {
    pub action: Action,
    pub label: Text,
    pub why: Text,
    pub command: String,
    pub fields: Vec<OfferField>,
    pub payload: Map<String, Value>,
    /// Whether a person is asked once more before it is sent.
    pub confirms: bool,
    pub is_likeliest: bool,
    pub tone: Tone,
}

/// What a person fills in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OfferField {
    /// Its place in the payload, such as `because` or `changes.0.value`.
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
    pub label: Text,
    pub max_chars: Option<usize>,
    pub min: Option<u64>,
    pub max: Option<u64>,
    pub choices: Option<Vec<String>>,
    pub value: Option<Value>,
}

/// What is written into a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    Text,
    Number,
    Word,
    Branch,
    Path,
}

/// How an offer is meant: to take the result, to refuse or undo something, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    Yes,
    No,
    Plain,
}

/// What can be ordered: the orders of a task's queue, and what a process is started for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    Approve,
    Reject,
    Answer,
    Pause,
    PauseNow,
    Resume,
    Reset,
    Rerun,
    Rejudge,
    Edit,
    Override,
    Set,
    Rollback,
    Accept,
    /// Begin a task that waits for its turn.
    Run,
    Land,
    UndoLand,
}

/// What decides which orders can work, besides the status.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// Whether it was started on a commit that no branch was checked out for.
    pub is_branchless: bool,
    /// The files that the task itself allows to be changed; none where its spec cannot be read.
    pub allowed: Option<&'a [String]>,
    /// The globs that it forbids.
    pub forbidden: Option<&'a [String]>,
    /// Whether the newest attempt was tested, and its test failed.
    pub is_test_red: bool,
    /// Whether a person answered since the newest pause, and which fields were edited.
    pub is_answered: bool,
    pub edited: &'a BTreeSet<String>,
    /// How many versions of the overrides there are.
    pub n_overrides: u32,
    /// The findings of the newest attempt that a person can accept, and the files that they are
    /// about.
    pub acceptable: &'a [String],
    pub digest: Option<Digest>,
}

/// Everything that can be done about a task, what is most likely wanted first.
pub fn proposals(status: &Status, known: &Circumstances<'_>) -> Vec<Proposal> {
    let mut proposals = likely::likely(status, known);
    if is_about_result(status, known) {
        let accepted: Vec<&str> = accept::of_attempt(&status.accepted, status.current_attempt)
            .map(|it| it.finding.as_str())
            .collect();
        let open = known.acceptable.iter().filter(|it| !accepted.contains(&it.as_str()));
        let open: Vec<Proposal> = open.map(|it| make::accept(status, it, known.digest)).collect();
        // What can be accepted was asked about: it comes before an answer in words.
        let is_asked = status.pause_reason_code == Some(PauseCode::WaitingUserInput);
        let at = if is_asked { 0 } else { proposals.len() };
        proposals.splice(at..at, open);
    }
    let told: BTreeSet<&'static str> =
        proposals.iter().filter_map(|it| Some(it.order.as_ref()?.action.as_str())).collect();
    let rest = every::every(status, known).into_iter();
    let rest: Vec<Proposal> = rest
        .filter(|it| {
            let action = it.order.as_ref().map(|it| it.action);
            // Each change of the spec is one of its own.
            action.is_none_or(|it| it == Action::Set || !told.contains(it.as_str()))
        })
        .collect();
    proposals.extend(rest);
    proposals
}

/// The orders among them, as a page shows them.
pub fn offers(proposals: Vec<Proposal>) -> Vec<Offer> {
    let orders = proposals.into_iter().filter_map(|it| {
        let Proposal { command, why, order, is_told } = it;
        let OrderForm { action, label, fields, payload } = *order?;
        let (confirms, tone) = (action.confirms(), action.tone());
        let is_likeliest = is_told;
        Some(Offer { action, label, why, command, fields, payload, confirms, is_likeliest, tone })
    });
    let mut offers: Vec<Offer> = orders.collect();
    let likeliest = offers.iter().position(|it| it.is_likeliest);
    for (at, offer) in offers.iter_mut().enumerate() {
        offer.is_likeliest = Some(at) == likeliest;
    }
    offers
}

/// Whether the newest result is still to be decided on.
fn is_about_result(status: &Status, known: &Circumstances<'_>) -> bool {
    match status.state {
        State::Running => false,
        State::Paused => !known.is_answered,
        State::ReadyForReview | State::Failed => review_of(status).is_none(),
    }
}

impl Action {
    /// The name, as requests write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "APPROVE",
            Self::Reject => "REJECT",
            Self::Answer => "ANSWER",
            Self::Pause => "PAUSE",
            Self::PauseNow => "PAUSE_NOW",
            Self::Resume => "RESUME",
            Self::Reset => "RESET",
            Self::Rerun => "RERUN",
            Self::Rejudge => "REJUDGE",
            Self::Edit => "EDIT",
            Self::Override => "OVERRIDE",
            Self::Set => "SET",
            Self::Rollback => "ROLLBACK",
            Self::Accept => "ACCEPT",
            Self::Run => "RUN",
            Self::Land => "LAND",
            Self::UndoLand => "UNDO_LAND",
        }
    }

    /// Whether it decides something for good, or costs something.
    fn confirms(self) -> bool {
        match self {
            Self::Approve
            | Self::Reject
            | Self::PauseNow
            | Self::Reset
            | Self::Rerun
            | Self::Rejudge
            | Self::Rollback
            | Self::Accept
            | Self::Land
            | Self::UndoLand => true,
            Self::Answer
            | Self::Pause
            | Self::Resume
            | Self::Edit
            | Self::Override
            | Self::Set
            | Self::Run => false,
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Approve | Self::Land => Tone::Yes,
            Self::Reject | Self::Reset | Self::PauseNow | Self::UndoLand => Tone::No,
            Self::Answer
            | Self::Pause
            | Self::Resume
            | Self::Rerun
            | Self::Rejudge
            | Self::Edit
            | Self::Override
            | Self::Set
            | Self::Rollback
            | Self::Accept
            | Self::Run => Tone::Plain,
        }
    }
}
