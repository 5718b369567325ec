//! The words of `learn`: tickets with a label, a mission, guidance in two namespaces, what a model
//! is asked and answers, and what it may propose.
//!
//! Scaffold rules and mutable rules have keys of two types, so that nothing which changes guidance
//! can even name a scaffold rule.

mod call;
mod current;
mod guidance;
mod key;
mod mission;
mod proposal;
mod resolution;
mod ticket;
mod vote;

pub use self::{
    call::{Answer, CallKind, CallProblem, Spent},
    current::{Current, CurrentError, Rulebook},
    guidance::{Guidance, Rule, Scaffold, ScaffoldError},
    key::{GroupId, KeyError, MissionName, RuleKey, RunName, ScaffoldKey, TicketKey},
    mission::{
        Budget, Edition, Endpoint, Feedback, GateMode, GateSettings, GuidanceSettings,
        HypothesesMode, Lifecycle, Mission, Output, Override, Pools, Price, Reflection, Runner,
        Sampler, Source, VerdictTerms,
    },
    proposal::{Hypothesis, Operation, Reject, RejectCode, RejectKind},
    resolution::{Resolution, Resolved},
    ticket::{Item, Label, LabelSource, Split, Ticket},
    vote::{FailureReason, FormatProblem, Warning},
};
