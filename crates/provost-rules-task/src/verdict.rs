//! What a judge replied: whether it is a verdict, and whether it agrees with itself.
//!
//! A reply is valid, invalid (it breaks the contract) or inconsistent (its scores contradict its
//! issues). What it claims of sums and gates is recomputed in `score`; what it leaves out is
//! completed in [`complete`]. The validator stands alone as a command (LOOP-U2).

mod check;
mod complete;
mod consistency;
mod defect;
mod fields;
mod keywords;
mod plain;
mod typed;

use std::collections::BTreeMap;

use provost_kernel::{
    Finding, Lang,
    task::{Decimal, ErrorClass, HalfPoints, ScoringMode, TaskSpec, TaskType, VerdictDecision},
};
use serde::Serialize;
use serde_json::Value;

pub use self::{
    check::{CheckedVerdict, check},
    complete::{complete, complete_plain},
    defect::{Defect, DefectClass},
    keywords::{Cap, KeywordCaps, KeywordCapsError},
};
use super::{
    rubric::{Rubric, RubricError},
    strict::{self, Limits},
};

/// Far more than a verdict needs, and little enough to keep.
const LIMITS: Limits = Limits { bytes: 256 * 1024, depth: 16 };

/// Everything that a verdict is measured by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Yardstick {
    pub rubric: Rubric,
    pub keyword_caps: KeywordCaps,
}

/// What a task asks of its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    pub task_type: Option<TaskType>,
    pub scoring_mode: ScoringMode,
    /// Whether a plain verdict has to carry a `score`.
    pub needs_score: bool,
}

/// What became of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// What is wrong with it; empty when it is valid.
    pub defects: Vec<Defect>,
    /// The reply, if its structure is that of a verdict.
    pub reply: Option<Reply>,
}

/// In a word, what became of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictResult {
    Valid,
    Invalid,
    Inconsistent,
}

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

/// Why there is nothing to measure by.
#[derive(Debug, thiserror::Error)]
pub enum YardstickError {
    #[error(transparent)]
    Rubric(#[from] RubricError),
    #[error(transparent)]
    KeywordCaps(#[from] KeywordCapsError),
}

/// Judges a judge's reply.
pub fn validate(bytes: &[u8], yardstick: &Yardstick, judged: Judged) -> Assessment {
    let object = match strict::parse(bytes, LIMITS) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Assessment { defects: vec![Defect::NotAnObject], reply: None },
        Err(error) => return Assessment { defects: vec![Defect::Json(error)], reply: None },
    };
    let mut fields = fields::Fields::new(&object);
    if judged.scoring_mode != ScoringMode::RubricAnalytic {
        fields.report(Defect::TaskMode { mode: judged.scoring_mode });
    }
    let reply = match judged.task_type {
        Some(task_type) => {
            typed::read(&mut fields, task_type, yardstick.rubric.of(task_type)).map(Reply::Rubric)
        }
        None => plain::read(&mut fields, judged.needs_score).map(Reply::Plain),
    };
    let mut defects = fields.into_defects();
    let is_whole = defects.iter().all(|it| it.class() != DefectClass::Structure);
    let reply = reply.filter(|_| is_whole);
    // A contradiction can only be found in what is whole.
    if let Some(Reply::Rubric(reply)) = &reply {
        defects.extend(consistency::check(reply, &yardstick.keyword_caps));
    }
    Assessment { defects, reply }
}

impl Yardstick {
    /// The rubric and the keyword table that provost ships.
    pub fn embedded() -> Result<Self, YardstickError> {
        Ok(Self { rubric: Rubric::embedded()?, keyword_caps: KeywordCaps::embedded()? })
    }
}

impl From<&TaskSpec> for Judged {
    fn from(spec: &TaskSpec) -> Self {
        Self {
            task_type: spec.task_type,
            scoring_mode: spec.scoring_mode,
            needs_score: spec.score_gate.is_some() || spec.score_threshold.is_some(),
        }
    }
}

impl Assessment {
    /// In a word, what became of the reply.
    pub fn result(&self) -> VerdictResult {
        let is_contradiction = |it: &Defect| it.class() == DefectClass::Contradiction;
        if self.defects.is_empty() {
            VerdictResult::Valid
        } else if self.defects.iter().all(is_contradiction) {
            VerdictResult::Inconsistent
        } else {
            VerdictResult::Invalid
        }
    }

    /// What the decision table is told: the gravest of the defects.
    ///
    /// A wrong mode of the task comes first, because no other reply would change it; a wrong mode
    /// of the reply comes last, because another reply would (LOOP-B2).
    pub fn error_class(&self) -> ErrorClass {
        let has = |class| self.defects.iter().any(|it| it.class() == class);
        if has(DefectClass::TaskMode) {
            ErrorClass::ModeInvalid
        } else if has(DefectClass::Structure) {
            ErrorClass::VerdictInvalid
        } else if has(DefectClass::Mode) {
            ErrorClass::ModeInvalid
        } else if has(DefectClass::Contradiction) {
            ErrorClass::VerdictInconsistent
        } else {
            ErrorClass::None
        }
    }

    /// The defects as findings.
    pub fn findings(&self, lang: Lang) -> Vec<Finding> {
        self.defects.iter().map(|it| it.finding(lang)).collect()
    }
}

#[cfg(test)]
mod tests;
