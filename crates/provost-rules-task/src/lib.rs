//! The judgements of `task`: what is valid, what it scores, and what becomes of the task.
//!
//! [`decision::decide`] is the only maker of a state. What it is asked comes from the others: the
//! spec, the policy over a change, the verdict, its score, and what was counted so far.

pub mod accept;
pub mod agent_config;
pub mod attempts;
pub mod budget;
pub mod calibration;
pub mod checks;
pub mod concern;
pub mod decision;
pub mod detect;
pub mod edit;
pub mod evidence;
pub mod facts;
#[cfg(test)]
mod fixture;
pub mod goal;
pub mod inputs;
pub mod judgement;
pub mod landing;
pub mod moved;
pub mod notice;
pub mod offers;
pub mod orders;
pub mod overrides;
pub mod phase;
pub mod policy;
pub mod prepare;
pub mod preview;
pub mod progress;
pub mod prompt;
pub mod proven;
pub mod question;
pub mod reasons;
pub mod refusals;
pub mod remote_write;
pub mod reply;
pub mod request;
pub mod resumption;
pub mod rubric;
pub mod score;
pub mod seals;
pub mod sections;
pub mod selfcheck;
pub mod session;
pub mod setup;
pub mod spec;
pub mod status;
pub mod story;
pub mod timeouts;
pub mod verdict;
pub mod verification;
