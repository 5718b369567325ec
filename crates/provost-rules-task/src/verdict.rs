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

use provost_form::{Form, Limits, Path, Problem, Problems};
use provost_kernel::{
    Finding, Message,
    task::{ErrorClass, ScoringMode, TaskSpec, TaskType},
};
use serde::Serialize;

pub use self::{
    check::{CheckedVerdict, check},
    complete::{complete, complete_plain},
    defect::{Defect, DefectClass},
    keywords::{Cap, KeywordCaps, KeywordCapsError},
};
use super::{
    reply::Reply,
    rubric::{Rubric, RubricError},
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
    pub defects: Vec<Problem<Defect>>,
    /// The reply, if its structure is that of a verdict.
    pub reply: Option<Reply>,
}

/// In a word, what became of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Message)]
#[serde(rename_all = "lowercase")]
#[message(code = "task.verdict.result")]
pub enum VerdictResult {
    #[message(en = "valid", zh = "有效")]
    Valid,
    #[message(en = "invalid", zh = "无效")]
    Invalid,
    #[message(en = "inconsistent", zh = "自相矛盾")]
    Inconsistent,
}

/// Why there is nothing to measure by.
#[derive(Debug, thiserror::Error, Message)]
#[message(code = "task.yardstick")]
pub enum YardstickError {
    #[error(transparent)]
    #[message(transparent)]
    Rubric(#[from] RubricError),
    #[error(transparent)]
    #[message(transparent)]
    KeywordCaps(#[from] KeywordCapsError),
}

/// Judges a judge's reply.
pub fn validate(bytes: &[u8], yardstick: &Yardstick, judged: Judged) -> Assessment {
    let form = match Form::json(bytes, LIMITS) {
        Ok(form) => form,
        Err(problem) => {
            return Assessment { defects: vec![problem.map(Defect::Form)], reply: None };
        }
    };
    let problems = Problems::default();
    let reply = form.table(&problems).and_then(|mut fields| {
        if judged.scoring_mode != ScoringMode::RubricAnalytic {
            fields.report("scoring_mode", Defect::TaskMode { mode: judged.scoring_mode });
        }
        match judged.task_type {
            Some(task_type) => {
                let rubric = yardstick.rubric.of(task_type);
                typed::read(&mut fields, &problems, task_type, rubric).map(Reply::Rubric)
            }
            None => plain::read(&mut fields, judged.needs_score).map(Reply::Plain),
        }
    });
    let left_out = problems.left_out();
    let mut defects = problems.into_vec();
    if left_out > 0 {
        let (path, kind) = (Path::default(), Defect::More { left_out });
        defects.push(Problem { path, line: None, kind });
    }
    let is_whole = defects.iter().all(|it| it.kind.class() != DefectClass::Structure);
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
        let is_contradiction = |it: &Problem<Defect>| it.kind.class() == DefectClass::Contradiction;
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
        let has = |class| self.defects.iter().any(|it| it.kind.class() == class);
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
    pub fn findings(&self) -> Vec<Finding> {
        self.defects.iter().map(defect::finding).collect()
    }
}

#[cfg(test)]
mod tests;
