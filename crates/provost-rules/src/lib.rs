//! The judgements that every capability shares.
//!
//! Each is a pure function over kernel types with a table of cases beside it. The same input
//! gives the same answer, byte for byte: nothing here reads a file, a clock or the environment.

pub mod config;
pub mod ecosystem;
pub mod fence;
pub mod identity;
pub mod json_reply;
pub mod no_llm;
pub mod rate;
pub mod retry;
pub mod secret;
pub mod statistics;
pub mod sudo;
pub mod text;
pub mod word_list;
