//! Bot API servers on loopback: one that is not ours ([`TestApi`]), a scripted one for faults
//! ([`ScriptedApi`]), and the people who write to the bot ([`Sender`]).

pub mod limits;
mod scripted;
mod sender;
mod test_api;
mod updates;

pub use self::{
    scripted::{Answer, ApiRequest, ScriptedApi},
    sender::Sender,
    test_api::{BotMessage, Button, TestApi},
};
