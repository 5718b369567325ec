//! The judgements of `learn`: what is a ticket, what a model is shown, what its answers count for,
//! what it may propose, and what becomes of the guidance.

pub mod agreement;
pub mod answer;
pub mod bound;
pub mod budget;
pub mod census;
pub mod closure;
pub mod contract;
pub mod draw;
pub mod gate;
pub mod guidance;
pub mod hypothesis;
pub mod import;
pub mod judge;
pub mod judge_mission;
pub mod lifecycle;
pub mod malformed;
pub mod measure;
pub mod metrics;
pub mod mission;
pub mod pool;
pub mod prompt;
pub mod proposal;
pub mod reply;
pub mod review;
pub mod signature;
pub mod text;
pub mod ticket;
pub mod ticket_mission;
pub mod vote;
mod words;
