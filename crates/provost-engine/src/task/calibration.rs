//! Calibration: whether a judge still scores known documents as it should (LOOP-U1).
//!
//! A [`Case`] is a document and what a judge that is right says of it. [`run_case`] asks a judge
//! for its verdict and compares the answer with it; a command and an eval both go through it.
//! The shipped cases come with recorded answers, so that the whole is replayed offline.

mod ask;
mod embedded;
mod rekey;
mod request;
mod suite;

use std::num::NonZeroU32;

use provost_adapter::{Adapter, AdapterError, CallError};
use provost_kernel::{Digest, DigestError, Finding, Message, Text, task::TaskType};
use provost_rules_task::{
    calibration::{CalibrationCase, CalibrationExpected, check_repeats, compare},
    verdict::Yardstick,
};
use serde::Serialize;

pub use self::{
    ask::Place,
    rekey::{RekeyError, rekey},
    request::judge_request,
    suite::{FileProblem, Files, Suite, SuiteError},
};

/// A document, and what a judge that is right says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub case: CalibrationCase,
    pub expected: CalibrationExpected,
    pub document: String,
}

/// The judge that is calibrated.
#[derive(Debug)]
pub struct Judge<'a> {
    pub adapter: &'a dyn Adapter,
    /// The model to ask for; without one, the adapter's own.
    pub model: Option<&'a str>,
    /// How often each case is asked: the class of the verdict has to stay the same.
    pub repeat: NonZeroU32,
    pub place: &'a Place<'a>,
}

/// What became of one case, with everything that the answer depended on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseResult {
    pub task_type: TaskType,
    pub case_id: String,
    pub result: Outcome,
    pub findings: Vec<Finding>,
    /// The name of the adapter.
    pub judge: String,
    /// The model that answered, if the judge says so.
    pub model: Option<String>,
    /// The digest of the request: prompt, document, rubric, model and temperature. None when
    /// there is no such case.
    pub prompt_digest: Option<Digest>,
    pub rubric_version: String,
    pub rubric_hash: Digest,
    /// Why it is missing.
    #[serde(skip)]
    pub missing: Option<Missing>,
}

/// In a word, what became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    Failed,
    /// Nothing was compared: a warning, never a pass (ruling 31).
    Missing,
}

/// What a case lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such case.
    Case,
    /// No answer to this request was recorded. The text says where it differs from the nearest.
    Reply { why: Text },
}

/// What a person is warned of.
#[derive(Debug, Message)]
#[message(code = "task.calibration.missing")]
enum Warning {
    #[message(en = "`{task_type}` has no case `{case}`", zh = "`{task_type}` 没有用例 `{case}`")]
    Case { task_type: TaskType, case: String },
    #[message(
        en = "the case `{case}` of `{task_type}` was not checked: {why}",
        zh = "`{task_type}` 的用例 `{case}` 未能核对：{why}"
    )]
    Reply { task_type: TaskType, case: String, why: Text },
}

/// Why a case could not be run.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.calibration.run")]
pub enum RunError {
    #[message(en = "cannot make a folder for the judge", zh = "无法为评审创建工作目录")]
    Place(#[source] std::io::Error),
    #[message(en = "cannot ask the judge", zh = "无法询问评审", inherit = field0)]
    Adapter(#[source] AdapterError),
    #[message(
        en = "`{judge}` gave no verdict on `{case}`: {outcome}",
        zh = "`{judge}` 没有对 `{case}` 给出裁决：{outcome}"
    )]
    NoAnswer { judge: String, case: String, outcome: Box<CallError> },
    #[message(
        en = "`{judge}` gave no verdict on `{case}`: {outcome}",
        zh = "`{judge}` 没有对 `{case}` 给出裁决：{outcome}",
        exit = Quota
    )]
    Quota { judge: String, case: String, outcome: Box<CallError> },
    #[message(en = "the request has no digest", zh = "请求没有摘要")]
    Digest(#[source] DigestError),
}

/// Runs one case: asks the judge, and compares each answer with what is expected.
pub fn run_case(
    case: &Case,
    judge: &Judge<'_>,
    yardstick: &Yardstick,
) -> Result<CaseResult, RunError> {
    let request = judge_request(case, &yardstick.rubric, judge.model);
    let mut result = CaseResult {
        prompt_digest: Some(request.digest().map_err(RunError::Digest)?),
        ..CaseResult::missing(case.case.task_type, &case.case.case_id, judge, yardstick)
    };
    let (mut classes, mut findings) = (Vec::new(), Vec::new());
    for _ in 0..judge.repeat.get() {
        let outcome = match judge.place.ask(judge.adapter, &request, &case.document) {
            Ok(called) => called.outcome,
            Err(RunError::Adapter(error @ AdapterError::NotRecorded { .. })) => {
                result.missing = Some(Missing::Reply { why: error.text() });
                return Ok(result);
            }
            Err(error) => return Err(error),
        };
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => {
                let (judge, case) = (result.judge, result.case_id);
                let is_quota = matches!(error, CallError::Quota { .. });
                let outcome = Box::new(error);
                return Err(if is_quota {
                    RunError::Quota { judge, case, outcome }
                } else {
                    RunError::NoAnswer { judge, case, outcome }
                });
            }
        };
        let answer = reply.text.as_bytes();
        let compared = compare(yardstick, case.case.task_type, &case.expected, answer);
        classes.push(compared.class);
        findings.extend(compared.findings);
        result.model = reply.model.or(result.model);
    }
    findings.extend(check_repeats(&classes));
    // The same finding in each of three answers is said once.
    for finding in findings {
        if !result.findings.contains(&finding) {
            result.findings.push(finding);
        }
    }
    result.missing = None;
    result.result = if result.findings.is_empty() { Outcome::Passed } else { Outcome::Failed };
    Ok(result)
}

impl CaseResult {
    /// The result of a case that does not exist.
    pub fn missing(
        task_type: TaskType,
        case_id: &str,
        judge: &Judge<'_>,
        yardstick: &Yardstick,
    ) -> Self {
        Self {
            task_type,
            case_id: case_id.to_owned(),
            result: Outcome::Missing,
            findings: Vec::new(),
            judge: judge.adapter.name().to_owned(),
            model: judge.model.map(str::to_owned),
            prompt_digest: None,
            rubric_version: yardstick.rubric.version.clone(),
            rubric_hash: yardstick.rubric.hash,
            missing: Some(Missing::Case),
        }
    }

    /// What a person is warned of; nothing when the case was run.
    pub fn warning(&self) -> Option<Text> {
        let (task_type, case) = (self.task_type, self.case_id.clone());
        let warning = match self.missing.clone()? {
            Missing::Case => Warning::Case { task_type, case },
            Missing::Reply { why } => Warning::Reply { task_type, case, why },
        };
        Some(warning.text())
    }
}

impl Outcome {
    /// The word as files and commands write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Missing => "missing",
        }
    }
}

#[cfg(test)]
mod tests;
