//! The MCP server: stories as tools, resources and a prompt, over stdio and streamable HTTP.
//!
//! It decides nothing. The official SDK speaks the protocol; a call is checked against the table
//! that its schema is made from, carried out by the engine on a thread of its own, and answered
//! with what the engine said. Nothing that a client sends ends the server: a message that cannot be
//! read is answered or skipped, and a panic is an answer.

mod address;
mod calls;
mod error;
mod failures;
mod gate;
mod host;
mod lines;
mod message;
mod offer;
mod operator;
mod page;
mod reply;
mod resources;
mod serve;
mod server;
mod tools;
mod watch;

pub use self::{
    error::ServeError,
    gate::Token,
    host::{Host, HostError, Place, PlanFile},
    reply::Reply,
    serve::{Listening, LoopbackAddress, Stop, http, stdio},
    server::{Offer, Server},
};
