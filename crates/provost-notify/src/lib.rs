//! Tells people when a task needs them.
//!
//! A [`Notifier`] reads what changed from the desk's outbox and hands it to [`Channel`]s: a webhook, an
//! ntfy topic, the desktop, a program of the person's own, and, filled in by the binary, Telegram. Each
//! target has its own account in the outbox and its own rate limit, so one that hangs holds up no other.
//! Nothing here can call a model; programs are started through a port that the binary fills.

mod channel;
mod command;
mod desktop;
mod digest;
mod http;
mod ntfy;
mod payload;
mod redaction;
mod room;
mod sender;
mod text;
mod webhook;

pub use self::{
    channel::{Channel, Delivery, DeliveryError, DeliveryFailure, account},
    command::{Command, Launch, Program},
    desktop::Desktop,
    digest::digest,
    ntfy::Ntfy,
    payload::{NoticePayload, Payload, titled, told},
    redaction::Secrets,
    room::Room,
    sender::{Notifier, Round, Settings, StopSignal, Tried},
    text::{Headline, notice_lines, title},
    webhook::Webhook,
};
