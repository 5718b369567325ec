//! A real client, driven against a scripted model on loopback.
//!
//! The model asks for two commands: a harmless one, the witness, and one that the guard
//! always refuses, the canary. Each leaves a file. The witness shows that the client really carried
//! out what the model asked for; without it an absent canary would say nothing. Nothing leaves this
//! machine, and what is seen here is judged elsewhere.

mod anthropic;
mod client;
mod conversation;
mod drive;
mod error;
mod gemini;
mod model;
mod responses;

pub use client::LiveClient;
pub use conversation::{CANARY, COMMANDS, WITNESS};
pub use drive::{Driven, Stage, drive, version};
pub use error::LiveError;
pub use model::{Heard, ScriptedModel};
