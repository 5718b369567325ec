//! A judge's reply that has the structure of a verdict.

use std::collections::BTreeMap;

use provost_kernel::{
    Decimal,
    task::{HalfPoints, VerdictDecision},
};

/// A reply with the structure of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// On a task with a type.
    Rubric(RubricReply),
    /// On a task without one.
    Plain(PlainReply),
}

/// What a judge said of a task with a type; its sums were checked and are not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubricReply {
    pub decision: VerdictDecision,
    /// One for each dimension of the rubric.
    pub scores: BTreeMap<String, HalfPoints>,
    pub penalty: HalfPoints,
    pub gated: bool,
    pub gating_reasons: Vec<String>,
    pub top_issues: Vec<String>,
    pub fix_suggestions: Vec<String>,
    pub deliverability_index_0_100: Option<u8>,
    pub improvement_potential_0_100: Option<u8>,
    pub reasons: Vec<String>,
    pub next_instructions: String,
    pub questions_for_user: Vec<String>,
}

/// What a judge said of a task without a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainReply {
    pub decision: VerdictDecision,
    pub reasons: Vec<String>,
    pub next_instructions: String,
    pub questions_for_user: Vec<String>,
    pub score: Option<Decimal>,
    pub gated: bool,
}
