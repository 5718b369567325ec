//! The bot over real files, against Bot API servers on loopback.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has nothing to say")]

mod faults;
mod orders;
mod reading;
mod transcript;
mod world;
