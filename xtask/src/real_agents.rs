//! Real clients against a scripted model, apart from the test command: it needs npm and takes
//! minutes.
//!
//! The clients are installed at fixed versions under `target/clients`. One part proves the guard,
//! one plays a command of each of its rules, one plays tasks in which a real client judges, or codes, what tries to take it over, and one
//! walks from `provost init` to a landed commit.

mod client;
mod guard;
mod journey;
mod judge;
mod model;
mod outcome;
mod plants;
mod rules;
mod script;
mod told;
mod wire;

pub(crate) use self::client::inherited;
use crate::failure::Failure;

/// Runs one of the parts.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    match options {
        ["journey", names @ ..] => journey::run(names),
        ["judge", names @ ..] => judge::run(names),
        ["rules", names @ ..] => rules::run(names),
        names => guard::run(names),
    }
}
