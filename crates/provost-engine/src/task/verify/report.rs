//! What is known of a branch when it has been verified.

use provost_kernel::{
    Finding, Message as _, Severity,
    message::Phrase,
    task::{ProofLabel, Standing, Strictness, TestName, TestProof, VerifyOutcome},
};
use provost_rules_task::verification::{VerifyNote, locate};
use serde::Serialize;

use super::{super::trial::TrialStep, VerifyTarget};

/// Everything that was found out about a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    pub outcome: VerifyOutcome,
    /// How strong the evidence is.
    pub label: ProofLabel,
    pub strictness: Strictness,
    #[serde(flatten)]
    pub target: VerifyTarget,
    /// How many files differ from the base, and by how many lines.
    pub files: usize,
    pub added: u64,
    pub removed: u64,
    /// The commands that installed what the base needs.
    pub preparation: Vec<TrialStep>,
    /// Every check, in order; what was not run is here, too.
    pub checks: Vec<VerifyCheck>,
    pub findings: Vec<VerifyFinding>,
    /// What a green test leaves open.
    pub gaps: Vec<Phrase>,
    /// The tests that fail, where single tests are known.
    pub failed_tests: Vec<TestName>,
    /// The end of what a red test printed, without secrets.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output: String,
    pub proof: Option<TestProof>,
}

/// One check of a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyCheck {
    pub name: &'static str,
    pub standing: Standing,
    pub detail: Phrase,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
}

/// A finding, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerifyFinding {
    #[serde(flatten)]
    pub finding: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What it is about, while its file is not looked for yet.
    #[serde(skip)]
    subject: Option<String>,
}

impl VerifyReport {
    pub(super) fn new(target: &VerifyTarget, strictness: Strictness) -> Self {
        Self {
            outcome: VerifyOutcome::NeedsPerson,
            label: ProofLabel::NotRun,
            strictness,
            target: target.clone(),
            files: 0,
            added: 0,
            removed: 0,
            preparation: Vec::new(),
            checks: Vec::new(),
            findings: Vec::new(),
            gaps: Vec::new(),
            failed_tests: Vec::new(),
            output: String::new(),
            proof: None,
        }
    }

    /// Takes findings in, each with what it is about.
    pub(super) fn found(&mut self, findings: impl IntoIterator<Item = (Finding, Option<String>)>) {
        let finding =
            |(finding, subject)| VerifyFinding { finding, file: None, line: None, subject };
        self.findings.extend(findings.into_iter().map(finding));
    }

    /// Takes in that the test is red; what it said last is named.
    pub(super) fn red(&mut self, note: &VerifyNote, said: &str) {
        let subject = self.failed_tests.first().map(ToString::to_string);
        let finding = Finding {
            rule: "task.verify.test".into(),
            severity: Severity::P0,
            subject: said.to_owned(),
            message: note.text(),
            hint: None,
        };
        self.found([(finding, subject)]);
    }

    /// Finds the files that findings are about.
    pub(super) fn locate(&mut self, is_file: &dyn Fn(&str) -> bool, other: Option<&str>) {
        for it in &mut self.findings {
            let position = it.subject.as_deref().and_then(|it| locate(it, is_file));
            it.line = position.as_ref().and_then(|it| it.line);
            it.file = position.map(|it| it.path).or_else(|| other.map(str::to_owned));
        }
    }
}
