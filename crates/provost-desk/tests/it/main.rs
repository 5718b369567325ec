//! A desk over real files: what it reads, what it takes, and what it refuses.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has nothing to say")]

mod board;
mod detail;
mod explaining;
mod looking;
mod ordering;
mod request;
mod trail;

pub(crate) use provost_testkit::stage;
