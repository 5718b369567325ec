//! The use cases of `guard`: answering hooks, and what people order of it.

pub mod after;
mod error;
pub mod hook;
pub mod install;
pub mod live;
pub mod mode;
pub mod place;
pub mod policy;
mod record;
pub mod sweep;
pub mod test;

pub use self::error::GuardError;
