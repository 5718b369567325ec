//! The Telegram bot: tasks, questions and orders in a chat, on top of the desk.
//!
//! [`Api`] is a client of the Bot API and the only place that knows the token. Nothing below this
//! crate can start a process or call a model.

mod address;
mod api;
mod error;
mod token;
mod update;

pub use self::{
    address::{Address, AddressError},
    api::{Api, Bot, Button, Markup, Outgoing, Timeouts},
    error::{ApiError, NetworkFault},
    token::{Token, TokenError},
    update::{Content, IncomingMessage, Person, PressedButton, RepliedTo, Update},
};
