//! The use cases of `guard`: answering hooks, and what people order of it.

pub mod after;
mod error;
mod facts;
pub mod hook;
pub mod install;
mod links;
pub mod live;
pub mod mode;
pub mod orders;
pub mod place;
pub mod policy;
mod record;
pub mod sweep;
pub mod test;
mod way_out;

pub use self::{error::GuardError, facts::AskGit, links::links};
