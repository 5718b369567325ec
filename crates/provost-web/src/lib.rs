//! HTTP API, event stream and the embedded page. Everything is read and ordered through the desk.
//!
//! It decides nothing and starts nothing: an order goes to the desk, which checks, audits and
//! remembers it, and what needs a process goes through a port that the binary fills ([`Launch`]).
//! One table of routes makes both the router and the `OpenAPI` document.

mod answer;
mod app;
mod assets;
mod chain;
mod connections;
mod cursor;
mod error;
mod etag;
mod gate;
mod gzip;
mod headers;
mod i18n;
mod launch;
mod lean;
mod listen;
mod openapi;
mod pages;
mod pulse;
mod rate;
mod refusal;
mod route;
mod routes;
mod serve;
mod session;
mod stream;
mod table;
mod turns;
mod watching;
mod wire;
mod words;

pub use self::{
    app::{App, Setup},
    error::ServeError,
    launch::{AdapterRow, Connection, Creation, Landing, Launch, Preview, PreviewFinding},
    listen::{Address, Listening},
    serve::{Stop, serve},
};
