//! Bot API servers on loopback: a scripted one for faults ([`ScriptedApi`]), and the people who
//! write to the bot ([`Sender`]).

pub mod limits;
mod scripted;
mod sender;
mod updates;

pub use self::{
    scripted::{Answer, ApiRequest, ScriptedApi},
    sender::Sender,
};
