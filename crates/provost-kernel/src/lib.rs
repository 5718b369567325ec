//! The words of provost.
//!
//! Everything that more than one layer talks about is defined here, once: ids that are safe to
//! use in a path, times, digests, findings, and the way an error speaks to a person. This crate
//! has no effects: no file, process, socket, clock, environment, thread or randomness.

// The derive names this crate by its own name, here too.
extern crate self as provost_kernel;

mod actor;
mod config;
mod decimal;
mod digest;
pub mod eval;
mod fault;
mod finding;
pub mod guard;
mod id;
mod lang;
pub mod learn;
pub mod message;
pub mod model;
pub mod notify;
mod record;
mod shorten;
pub mod story;
pub mod task;
mod text_id;
mod time;
mod words;

pub use actor::{Actor, Source};
pub use config::{
    Config, GateConfig, IdentityConfig, JobConfig, LockConfig, NotifyConfig, PrepareConfig,
    RemoteConfig, RetentionConfig, SandboxConfig, StoryConfig, TaskConfig, TaskLimits,
};
pub use decimal::Decimal;
pub use digest::{Digest, DigestError, Digester, canonical_json};
pub use fault::{Exit, Fault};
pub use finding::{Finding, Ruling, Severity};
pub use id::{AttemptNumber, AttemptNumberError, IdError, RequestId, SessionId, TaskId};
pub use lang::{Lang, LangError};
pub use message::{Message, Text};
pub use provost_macros::Message;
pub use record::{Record, RecordError, RecordFile};
pub use shorten::{shorten, shorten_to};
pub use time::{Clock, Millis, Timestamp, TimestampError};
pub use words::{WordError, WordSet};
