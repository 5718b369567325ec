//! The judgements of `guard`: what a hook was told, and how a client must be answered.
//!
//! [`read`] takes the bytes of a payload and says what is asked; whatever it cannot take is a
//! [`Refusal`], and [`refuse`] puts that into words which the client obeys. Between the two lies
//! the permission policy. Everything fails closed: there is no error that lets a tool run.

pub mod answer;
pub mod check;
pub mod compiled;
pub mod dialect;
pub mod event;
pub mod fields;
pub mod install;
pub mod judge;
pub mod live;
pub mod merge;
pub mod mode;
pub mod normalise;
pub mod own_rule;
pub mod permit;
pub mod policy;
pub mod replay;
pub mod sanitize;
pub mod scan;
#[cfg(test)]
mod tests;
pub mod tool_error;
mod touched;
pub mod tracking;

use std::collections::BTreeSet;

use provost_form::ProblemKind;
use provost_kernel::{
    Fault, Text,
    guard::{Client, HookAnswer, HookType, Mode, UnknownFields, client::Meaning},
};
use serde_json::{Map, Value};

use self::{
    dialect::{Asker, Effect, Reply},
    event::Recognised,
    normalise::{BYTE_ORDER_MARK, InputError, Normalised},
};

/// What the process was started with, and what it was told.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub bytes: &'a [u8],
    /// The client that the command line names.
    pub client: Option<Client>,
    /// The type that the command line names.
    pub hook: Option<HookType>,
    /// The modes that are active: they say which type handles a stop.
    pub active: &'a BTreeSet<Mode>,
    pub unknown_fields: UnknownFields,
}

/// What came of a payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    Hook(Box<Question>),
    /// An event of the client that no hook type is about.
    NoType {
        client: Client,
        event: String,
    },
}

/// A payload that was taken, and what is needed to answer it.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub client: Client,
    /// Whether it can be no other client: see [`event::Recognised`].
    pub is_certain: bool,
    pub event: Option<String>,
    pub normalised: Normalised,
}

/// A payload that was not taken, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub client: Option<Client>,
    pub hook: Option<HookType>,
    pub event: Option<String>,
    pub error: InputError,
}

/// An answer, and the client that it is for as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub client: Option<Client>,
    pub hook: Option<HookType>,
    pub event: Option<String>,
    pub answer: HookAnswer,
}

impl Question {
    /// Who is to be answered.
    pub fn asker(&self) -> Asker<'_> {
        let hook = self.normalised.input.hook;
        Asker { client: self.client, hook, event: self.event.as_deref() }
    }
}

/// Reads a payload.
pub fn read(request: Request<'_>) -> Result<Reading, Refusal> {
    let Request { client, hook, .. } = request;
    let fail = |error| Refusal { client, hook, event: None, error };
    let payload = parse(request.bytes, client).map_err(fail)?;
    let named = client.map(|client| Recognised { client, is_certain: true });
    let Some(recognised) = named.or_else(|| event::recognise(&payload)) else {
        return Err(fail(InputError::UnknownClient));
    };
    let Recognised { client, is_certain } = recognised;
    if !allows_byte_order_mark(client) && request.bytes.starts_with(BYTE_ORDER_MARK) {
        let error = InputError::json(ProblemKind::ByteOrderMark);
        return Err(Refusal { client: Some(client), ..fail(error) });
    }

    let event = event::name(&payload).map(str::to_owned);
    let fail = |hook, error| Refusal { client: Some(client), hook, event: event.clone(), error };
    let hook = choose(request, client, event.as_deref(), &payload)
        .map_err(|(hook, error)| fail(hook, error))?;
    let Some(hook) = hook else {
        return Ok(Reading::NoType { client, event: event.unwrap_or_default() });
    };
    let payload = match client.entry().translation {
        Some(by) => event::translation::translate(by, event.as_deref(), payload),
        None => payload,
    };
    let normalised = normalise::normalise(hook, payload, request.unknown_fields)
        .map_err(|error| fail(Some(hook), error))?;
    Ok(Reading::Hook(Box::new(Question { client, is_certain, event, normalised })))
}

/// The type that a payload is of; nothing if its event is not one that a type is about.
///
/// The command line and the payload must agree: a hook that was installed for one event and is
/// called for another would judge by the wrong rules. The failure weighs what the graver of the
/// two types says.
fn choose(
    request: Request<'_>,
    client: Client,
    event: Option<&str>,
    payload: &Map<String, Value>,
) -> Result<Option<HookType>, (Option<HookType>, InputError)> {
    let meaning = event.and_then(|it| event::meaning(client, it));
    let meant = meaning.and_then(|it| event::hook(it, payload, request.active));
    match (request.hook, event, meaning) {
        (Some(hook), Some(event), Some(meaning)) if !event::fits(meaning, hook, payload) => {
            let error = InputError::OtherType { event: event.to_owned(), hook };
            Err((Some(graver(hook, meant)), error))
        }
        // The general type of a stop is what an installation names: the modes say more.
        (Some(HookType::StopContinuation), _, Some(Meaning::Stop)) => Ok(meant),
        (Some(hook), _, _) => Ok(Some(hook)),
        // A plain caller has no events of its own: a name that is not known says nothing.
        (None, Some(_), None) if client.entry().marks.is_none() => {
            Err((None, InputError::NoEvent { client }))
        }
        (None, None, _) => Err((None, InputError::NoEvent { client })),
        (None, Some(_), _) => Ok(meant),
    }
}

/// Answers a payload that was rejected.
pub fn refuse(refusal: &Refusal) -> Response {
    let Refusal { client, hook, event, error } = refusal;
    fail(*client, *hook, event.as_deref(), error)
}

/// Answers when the guard itself failed.
///
/// Where the client or the type is unknown, the answer is the one that stops every client.
pub fn fail(
    client: Option<Client>,
    hook: Option<HookType>,
    event: Option<&str>,
    fault: &dyn Fault,
) -> Response {
    let answer = match (client, hook) {
        (Some(_), Some(hook)) => answer::failure(hook, fault),
        (None, _) | (_, None) => HookAnswer::Deny { reason: answer::failure_lines(fault) },
    };
    Response { client, hook, event: event.map(str::to_owned), answer }
}

impl Response {
    /// The answer to a question.
    pub fn to(question: &Question, answer: HookAnswer) -> Self {
        let Question { client, event, normalised, .. } = question;
        let hook = Some(normalised.input.hook);
        Self { client: Some(*client), hook, event: event.clone(), answer }
    }

    /// The answer to an event that no hook type is about.
    pub fn to_no_type(client: Client) -> Self {
        Self { client: Some(client), hook: None, event: None, answer: HookAnswer::Nothing }
    }

    /// Encodes the answer in the dialect of the client; `render` turns its lines into a text.
    pub fn encode(&self, render: impl FnOnce(&[Text]) -> String) -> Reply {
        let answer = self.answer.map(|it| render(it));
        match (self.client, self.hook, &answer) {
            (Some(client), Some(hook), answer) => {
                let asker = Asker { client, hook, event: self.event.as_deref() };
                dialect::reply(asker, answer)
            }
            (_, _, HookAnswer::Deny { reason } | HookAnswer::Ask { reason }) => {
                dialect::reply_to_unknown(reason)
            }
            (_, _, HookAnswer::Nothing | HookAnswer::Allow | HookAnswer::Note { .. }) => {
                dialect::reply_to_no_type()
            }
        }
    }

    /// What the client does with the answer, and how the process exits.
    pub fn outcome(&self) -> (Effect, u8) {
        // Neither depends on the text.
        let reply = self.encode(|_| String::new());
        (reply.effect, reply.exit)
    }
}

/// Reads the bytes. Some clients may put a byte order mark before them.
fn parse(bytes: &[u8], client: Option<Client>) -> Result<Map<String, Value>, InputError> {
    // Without a client, the payload says whose the mark was.
    if client.is_none_or(allows_byte_order_mark) {
        normalise::parse_marked(bytes)
    } else {
        normalise::parse(bytes)
    }
}

fn allows_byte_order_mark(client: Client) -> bool {
    client.entry().translation.is_some_and(|it| it.allows_byte_order_mark)
}

/// Of two types, the one on which a failure weighs more.
fn graver(hook: HookType, other: Option<HookType>) -> HookType {
    match other {
        Some(other) if other.failure_severity() < hook.failure_severity() => other,
        Some(_) | None => hook,
    }
}
