//! The report of a run: what was run, what each check said, and what the gate made of it.
//!
//! The cases of a run may be many, so a report does not hold them: they stand in its file, between
//! the gate and the epochs, and are read and written one by one. Texts are stored in English, with
//! their codes and arguments beside them, so that a report is the same in every language.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Meta, Profile, StepError};
use crate::{
    Digest, Severity, Text, Timestamp, message::MessageRecord, model::Usage, words::words,
};

/// The name of the form of a report.
pub const REPORT_SCHEMA: &str = "readdo.eval.report/1";

/// Everything that one run found, but for its cases (EVAL-6.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub schema: String,
    pub run: Run,
    pub totals: Totals,
    pub gate: Gate,
    pub epochs: Option<Epochs>,
    pub baseline: Option<Baseline>,
    /// Over everything but this, the times, the durations, and the words that people read.
    pub digest: Option<Digest>,
}

/// What was run, and with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub suite: String,
    pub profile: Profile,
    pub engine_version: String,
    #[serde(default)]
    pub template_versions: BTreeMap<String, String>,
    #[serde(default)]
    pub model_id: String,
    pub generator: String,
    pub fail_on: Severity,
    pub cases: usize,
    #[serde(default)]
    pub priority_values: Vec<String>,
    pub runner_version: String,
    pub lexicon_sha256: Digest,
    pub schemas_sha256: Digest,
    pub cases_sha256: Digest,
    pub epochs: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Of the file of the suite; a report of an earlier version has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_sha256: Option<Digest>,
    /// The model that judged, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// What the engine's answers cost together, as far as it is known.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// What the judge cost.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub judge_usage: Usage,
}

/// Counts over all cases. A failure is one failed check; what is excused is counted apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    pub p0_fail: usize,
    pub p1_fail: usize,
    pub p2_fail: usize,
    pub checks: usize,
    pub cases_passed: usize,
    pub cases_failed: usize,
    pub cases_error: usize,
    pub cases_failing_p0: usize,
    pub cases_failing_p1: usize,
    pub cases_failing_p2: usize,
    /// Checks that had nothing to look at, by level: they refuse like failed ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub p0_skip: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub p1_skip: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub p2_skip: usize,
    #[serde(default)]
    pub excused: usize,
    /// How often a model was asked again because its answer was invalid.
    #[serde(default)]
    pub repairs: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What the gate decided.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    pub pass: bool,
    pub exit_code: u8,
    pub reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub reason_args: Map<String, Value>,
    pub warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings_codes: Vec<MessageRecord>,
}

words! {
    /// What became of a case.
    pub enum CaseStatus {
        Pass = "pass",
        Fail = "fail",
        /// Nothing was measured.
        Error = "error",
    }
}

words! {
    /// What became of a check.
    pub enum CheckStatus {
        Pass = "pass",
        Fail = "fail",
        /// What it looks at is not there. Never a pass.
        Skipped = "skipped",
    }
}

/// One case, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    pub id: String,
    pub status: CaseStatus,
    pub run_id: String,
    #[serde(default)]
    pub meta: Meta,
    pub checks: Vec<CheckResult>,
    #[serde(default)]
    pub preview: Preview,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<StepError>,
    /// What did not change a check, such as another engine version than was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings_codes: Vec<MessageRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Where it ran more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs: Option<CaseRuns>,
    /// Of a case that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<Shown>,
}

/// What a case that failed was given, what is right, and what the engine made: the start of each
/// text, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    pub input: Map<String, Value>,
    /// The fields that the engine does not see.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub expected: Map<String, Value>,
    pub answer: Map<String, Value>,
}

/// What one check said of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckResult {
    pub level: Severity,
    pub name: String,
    pub pass: bool,
    pub status: CheckStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    /// The check that failed and left this one without something to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<String>,
    /// Why the failure is not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excuse: Option<Excuse>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Why a failed check is not counted. It stays failed in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Excuse {
    /// The case says that it must fail.
    Expected,
    /// A person accepted it for a time.
    Waived { reason: String, until: String },
}

/// What a person looks at first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    #[serde(default)]
    pub reasons: Vec<String>,
    #[serde(default)]
    pub todo_titles: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headline: Option<String>,
}

/// How sure the result is, when every case ran more than once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Epochs {
    pub epochs: u32,
    /// How many of all runs of all cases passed, and of how many.
    pub passed: u64,
    pub runs: u64,
    /// The Wilson interval of that rate at 95 %.
    pub low: f64,
    pub high: f64,
    /// The checks that did not say the same each time.
    pub flaky: Vec<FlakyCheck>,
    /// How often some, and how often every one of k runs of a case passes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub of_k: Vec<OfK>,
}

/// What k runs of a case come to, as a mean over the cases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfK {
    pub k: u32,
    /// At least one passes: pass@k.
    pub any: f64,
    /// Every one passes: pass^k.
    pub every: f64,
}

/// How many runs of a case passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseRuns {
    pub passed: u32,
    pub of: u32,
}

/// A check of a case that passed in some runs and not in others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlakyCheck {
    pub case: String,
    pub check: String,
    pub passed: u32,
    pub runs: u32,
}

words! {
    /// What a comparison with an earlier report may do to the gate.
    pub enum BaselineGate {
        /// It is shown.
        Show = "show",
        /// A check at the level of the gate that got worse fails it.
        Worse = "worse",
        /// Cases that got worse fail it, when chance does not explain them.
        Significant = "significant",
        /// Only what the baseline does not have fails it: what failed there is known.
        New = "new",
    }
}

/// What got better and worse since an earlier report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    pub better: Vec<Change>,
    pub worse: Vec<Change>,
    pub cases_better: usize,
    pub cases_worse: usize,
    /// Cases of only one of the two.
    pub cases_new: Vec<String>,
    pub cases_gone: Vec<String>,
    /// The chance of so many cases getting worse by accident: the one-sided exact test of `McNemar`.
    pub p_value: f64,
    /// What differs besides the engine, so that the two are not the same measurement.
    pub differs: Vec<String>,
    /// Failures of cases of which the baseline says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Change>,
    /// The engine of the baseline, where it was another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// By how much the share of passed runs changed; nothing where no case is in both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// The mean over the cases of what changed in each: runs of one case are not independent, so a case
/// is one observation, however often it was run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    pub mean: f64,
    /// The interval at 95 %.
    pub low: f64,
    pub high: f64,
    pub cases: usize,
}

/// One check of one case that changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    pub case: String,
    pub check: String,
    pub level: Severity,
}

impl Gate {
    /// Why it decided so, before it is rendered.
    pub fn reason(&self) -> Text {
        Text::from_parts(&self.reason, self.reason_code.as_deref(), &self.reason_args)
    }

    pub fn warnings(&self) -> impl Iterator<Item = Text> {
        restored(&self.warnings, &self.warnings_codes)
    }
}

impl CaseResult {
    pub fn warnings(&self) -> impl Iterator<Item = Text> {
        restored(&self.warnings, &self.warnings_codes)
    }
}

/// The texts of a list whose codes and arguments stand beside it.
fn restored(texts: &[String], records: &[MessageRecord]) -> impl Iterator<Item = Text> {
    let text = |(at, it): (usize, &String)| Text::restore(it.clone(), records.get(at));
    texts.iter().enumerate().map(text)
}

impl CheckResult {
    /// A check that found nothing wrong.
    pub fn pass(level: Severity, name: &str) -> Self {
        Self::new(level, name, CheckStatus::Pass)
    }

    /// A check that found something wrong.
    pub fn fail(level: Severity, name: &str, message: &Text) -> Self {
        let (message, message_code, message_args) = message.to_parts();
        Self {
            message: Some(message),
            message_code,
            message_args,
            ..Self::new(level, name, CheckStatus::Fail)
        }
    }

    /// Why it failed, before it is rendered.
    pub fn text(&self) -> Option<Text> {
        let (code, args) = (self.message_code.as_deref(), &self.message_args);
        self.message.as_deref().map(|it| Text::from_parts(it, code, args))
    }

    /// A check that had nothing to look at, because another one failed.
    pub fn skipped(level: Severity, name: &str, blocked_by: &str) -> Self {
        Self {
            blocked_by: Some(blocked_by.to_owned()),
            ..Self::new(level, name, CheckStatus::Skipped)
        }
    }

    /// A check that had nothing to look at, although no other check failed.
    pub fn without_subject(level: Severity, name: &str, message: &Text) -> Self {
        Self { status: CheckStatus::Skipped, ..Self::fail(level, name, message) }
    }

    /// Whether it counts as a failed check.
    pub fn is_counted(&self) -> bool {
        self.status == CheckStatus::Fail && self.excuse.is_none()
    }

    fn new(level: Severity, name: &str, status: CheckStatus) -> Self {
        Self {
            level,
            name: name.to_owned(),
            pass: status == CheckStatus::Pass,
            status,
            message: None,
            message_code: None,
            message_args: Map::new(),
            blocked_by: None,
            excuse: None,
            data: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A skipped check is `pass: false`, and is not counted.
    #[test]
    fn only_a_pass_is_a_pass() {
        let level = Severity::P1;
        let fail = CheckResult::fail(level, "x", &"why".into());
        let skipped = CheckResult::skipped(level, "x", "y");
        assert!(CheckResult::pass(level, "x").pass);
        assert!(!fail.pass && fail.is_counted());
        assert!(!skipped.pass && !skipped.is_counted());
        let excused = CheckResult { excuse: Some(Excuse::Expected), ..fail };
        assert!(!excused.pass && !excused.is_counted());
    }
}
