//! The Telegram bot: tasks, questions and orders in a chat, on top of the desk.
//!
//! [`Api`] is a client of the Bot API and the only place that knows the token. Views and the grammar of
//! buttons are pure. What starts a process goes through a port that the binary fills, and nothing below
//! this crate can call a model (LOOP-A10).

mod address;
mod api;
mod bot;
mod callback;
mod chat;
mod command;
mod delivery;
mod error;
mod html;
mod stop;
mod token;
mod update;
mod view;
mod words;

pub use self::{
    address::{Address, AddressError},
    api::{Api, BotIdentity, Button, Markup, Outgoing, Timeouts},
    bot::{BotError, BotSetup, run},
    delivery::{Note, Notes},
    error::{ApiError, NetworkFault},
    stop::Stop,
    token::{Token, TokenError},
    update::{Content, IncomingMessage, Person, PressedButton, RepliedTo, Update},
    view::{ROOM, Told, notification, short_notification, weight},
};
