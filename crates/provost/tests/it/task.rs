//! The commands that read a task and that order something of it.
//!
//! The tasks are written by a desk, as a run would write them; no agent runs here.

#[macro_use]
mod stage;

mod forged;
mod gone;
mod orders;
mod overrides;
mod reading;
mod requests;
