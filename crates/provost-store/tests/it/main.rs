//! The index on real files.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests fail loudly and do damage from outside"
)]

mod fold;
mod legacy;
mod open;
mod query;
mod rebuild;
mod world;
