//! Calibration: whether a judge still scores known documents as it should (LOOP-U1).
//!
//! A [`Case`] is a document and what a judge that is right says of it. [`run_case`] asks a judge
//! for its verdict and holds the answer against that; a command and an eval both go through it.
//! The shipped cases come with recorded answers, so that the whole is replayed offline.

mod ask;
mod embedded;
mod rekey;
mod request;
mod suite;

use std::num::NonZeroU32;

use provost_adapter::{Adapter, AdapterError, CallOutcome};
use provost_kernel::{Digest, DigestError, Exit, Finding, Lang, Message, Text, task::TaskType};
use provost_rules_task::{
    calibration::{CalibrationCase, CalibrationExpected, check_repeats, hold},
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
    /// Nothing was held against anything: a warning, never a pass (ruling 31).
    Missing,
}

/// What a case lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// There is no such case.
    Case,
    /// No answer to this request was recorded. The text says where it differs from the nearest.
    Reply { why: String },
}

/// Why a case could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum RunError {
    /// There is no folder for the judge to work in.
    Place(#[source] std::io::Error),
    /// The judge could not be asked.
    Adapter(#[source] AdapterError),
    /// The judge was asked and gave no answer.
    NoAnswer { judge: String, case: String, outcome: Box<CallOutcome> },
    /// The request has no digest.
    Digest(#[source] DigestError),
}

/// Runs one case: asks the judge, and holds each answer against what is expected.
pub fn run_case(
    case: &Case,
    judge: &Judge<'_>,
    yardstick: &Yardstick,
    lang: Lang,
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
                result.missing = Some(Missing::Reply { why: error.text().render(lang) });
                return Ok(result);
            }
            Err(error) => return Err(error),
        };
        let CallOutcome::Answer(reply) = outcome else {
            let (judge, case) = (result.judge, result.case_id);
            return Err(RunError::NoAnswer { judge, case, outcome: Box::new(outcome) });
        };
        let answer = reply.text.as_bytes();
        let held = hold(yardstick, case.case.task_type, &case.expected, answer, lang);
        classes.push(held.class);
        findings.extend(held.findings);
        result.model = reply.model.or(result.model);
    }
    findings.extend(check_repeats(&classes, lang));
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
    pub fn warning(&self, lang: Lang) -> Option<String> {
        let Self { task_type, case_id, .. } = self;
        Some(match self.missing.as_ref()? {
            Missing::Case => lang.pick(
                format!("there is no case `{case_id}` of `{task_type}`"),
                format!("`{task_type}` 没有用例 `{case_id}`"),
            ),
            Missing::Reply { why } => lang.pick(
                format!("the case `{case_id}` of `{task_type}` was not checked: {why}"),
                format!("`{task_type}` 的用例 `{case_id}` 未能核对:{why}"),
            ),
        })
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

impl Message for RunError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Place(_) => lang
                .pick("cannot make a folder for the judge", "无法为评审者创建工作目录")
                .to_owned(),
            Self::Adapter(_) => lang.pick("cannot ask the judge", "无法询问评审者").to_owned(),
            Self::NoAnswer { judge, case, outcome } => lang.pick(
                format!("`{judge}` gave no verdict on `{case}`: {}", outcome.text().render(lang)),
                format!("`{judge}` 没有对 `{case}` 给出裁决:{}", outcome.text().render(lang)),
            ),
            Self::Digest(_) => lang.pick("the request has no digest", "请求没有摘要").to_owned(),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Adapter(error) => error.hints_in(lang),
            Self::Place(_) | Self::NoAnswer { .. } | Self::Digest(_) => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Adapter(error) => error.exit(),
            Self::NoAnswer { outcome, .. } if matches!(**outcome, CallOutcome::Quota { .. }) => {
                Exit::Quota
            }
            Self::Place(_) | Self::NoAnswer { .. } | Self::Digest(_) => Exit::Unable,
        }
    }
}

#[cfg(test)]
mod tests;
