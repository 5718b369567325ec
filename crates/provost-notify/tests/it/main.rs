//! A notifier over real files and real receivers.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has nothing to say")]

mod faults;
mod rate;
mod world;
