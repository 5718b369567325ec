//! The judgements of `story`: what a plan says, what a claim is worth, what a change touches.

pub mod base;
pub mod claim;
pub mod collected;
pub mod declaration;
pub mod evidence;
pub mod execution;
pub mod explanation;
pub mod gates;
pub mod generated;
pub mod import;
pub mod operation;
pub mod plan;
pub mod progress;
pub mod prompt;
pub mod proof;
pub mod scope;
pub mod stale;
pub mod standing;
pub mod tool;
pub mod update;
mod words;
pub mod work;
