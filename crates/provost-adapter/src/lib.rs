//! Agents and models.
//!
//! An [`Adapter`] turns a [`Request`] into a [`CallResult`]: a program of the person's that speaks
//! the protocol `provost.adapter/1` ([`command`]), a model over HTTP ([`chat`]), answers that were
//! recorded ([`recording`]), deterministic agents of provost itself ([`script`]) and the agents
//! that people already have ([`preset`]). [`select`] says which one a name means, and [`live`] drives
//! real clients against a scripted model, to see whether they obey their hooks. [`model`] is
//! the port through which models are asked, alone or many requests at once.
//!
//! Nothing here decides what becomes of a task, and nothing here asks a second time for an answer
//! that it does not like. What a program prints is a log for people: the answer is its reply file.

mod adapter;
mod assemble;
mod call_log;
mod call_result;
mod cancel;
pub mod chat;
pub mod command;
mod difference;
mod error;
mod exchange;
mod keys;
pub mod live;
mod log;
pub mod model;
pub mod pool;
pub mod preset;
mod process;
pub mod recording;
mod reply;
mod request;
mod schema;
pub mod script;
pub mod select;
mod support;
mod tail;

pub use adapter::{Adapter, Call, Seen, Workplace};
pub use assemble::{Supplies, assemble};
pub use call_result::{CallError, CallOutcome, CallResult, Failure, RetryAfter};
pub use cancel::Cancel;
pub use difference::Difference;
pub use error::{AdapterError, AddressProblem, ExchangeAction};
pub use exchange::{Exchange, ExchangeFile};
pub use keys::{ApiKey, Keys};
pub use log::Log;
pub use reply::{REPLY_CAP, Reply, ReplyProblem};
pub use request::{
    AgentRole, Dimension, JudgeRubric, Protocol, Request, Temperature, TemperatureError,
};
pub use schema::schemas;
pub use secrecy::SecretString;
pub use support::{Level, PartialRuns, Support, SupportGap};
