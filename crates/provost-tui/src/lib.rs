//! The terminal dashboard: the list and the inbox of the page, live, with keys for orders.
//!
//! Everything is read and ordered through the desk; what starts a process goes through a port that
//! the binary fills. What is seen is a pure function of what is known (`screen`), and what a key
//! does is one of the state (`app`).

mod app;
mod clean;
mod input;
mod keys;
mod launch;
mod look;
mod model;
mod present;
mod request;
mod run;
mod screen;
mod source;
mod strip;
mod terminal;
mod width;
mod words;
mod worker;

pub use self::{
    launch::{Coordinate, LandRequest},
    look::{Look, Marks},
    run::{Ended, Settings, TerminalError},
    source::DeskSource,
};

/// Shows the board of a desk until the person leaves, or a signal comes.
pub fn run(settings: &Settings, source: DeskSource) -> Result<Ended, TerminalError> {
    run::run(settings, move || source::Reader::new(source))
}
