//! The judgements of provost.
//!
//! Each is a pure function over kernel types with a table of cases beside it. The same input
//! gives the same answer, byte for byte: nothing here reads a file, a clock or the environment.

pub mod command;
pub mod config;
pub mod eval;
pub mod guard;
pub mod identity;
pub mod json;
pub mod learn;
pub mod nearest;
pub mod secret;
pub mod story;
pub mod task;
