//! What was checked in an attempt, and how much of it is proven, in one word.

use provost_kernel::{
    Message, Text,
    task::{
        Acceptance, Checked, DecisionRecord, ProofCode, ProofEffect, ProofLabel, ProofRequirement,
        Standing, TestProof,
    },
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::verification::proof_note;

/// What an attempt left that says how far its result is proven.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub decision: Option<&'a DecisionRecord>,
    pub has_test: bool,
    /// Only of a test that was green.
    pub proof: Option<&'a TestProof>,
    pub accepted: &'a [Acceptance],
}

/// How far a result is proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Message)]
#[serde(rename_all = "snake_case")]
#[message(code = "task.proof_word")]
pub enum Proof {
    #[message(en = "verified", zh = "已验证")]
    Verified,
    /// Green, and something is left that was not shown.
    #[message(en = "gaps", zh = "有缺口")]
    Gaps,
    #[message(en = "red", zh = "未通过")]
    Red,
    /// What was changed is not allowed, and nothing of it was run.
    #[message(en = "refused", zh = "被拒绝")]
    Refused,
}

/// What the check of the test command is called.
pub const TESTS: &str = "tests";
/// What the check of the verdict's rubric is called.
const RUBRIC: &str = "rubric";
/// Says nothing about the result.
const BUDGET: &str = "budget";
/// What fails in these is the result itself; another check can fail without it, such as a verdict
/// that cannot be read.
const OF_THE_RESULT: [&str; 2] = [TESTS, "criteria"];
/// What the check of the changed files is called.
pub const PATHS: &str = "paths";

impl Evidence<'_> {
    /// What was checked, and what was not. Tests are never left out: a reader must not take silence
    /// for a pass.
    pub fn checks(&self) -> Vec<Checked> {
        let mut checks = self.decision.map(|it| it.checks.clone()).unwrap_or_default();
        if !checks.iter().any(|it| it.name == TESTS) {
            let reason = if self.has_test { NoTest::NotRun } else { NoTest::NoCommand };
            let (standing, detail) = (Standing::NotVerified, reason.text());
            checks.insert(0, Checked { name: TESTS.to_owned(), standing, detail });
        }
        // What was accepted is not verified by that.
        if let Some(detail) = self.acceptance()
            && let Some(tests) = checks.iter_mut().find(|it| it.name == TESTS)
        {
            (tests.standing, tests.detail) = (Standing::NotVerified, detail);
        }
        checks
    }

    /// How far the result is proven; none where no test says anything.
    pub fn proof(&self) -> Option<Proof> {
        let checks = self.checks();
        let is = |name: &str, standing| {
            checks.iter().any(|it| it.name == name && it.standing == standing)
        };
        if is(PATHS, Standing::Failed) {
            return Some(Proof::Refused);
        }
        if OF_THE_RESULT.iter().any(|name| is(name, Standing::Failed)) {
            return Some(Proof::Red);
        }
        if self.acceptance().is_some() {
            return Some(Proof::Gaps);
        }
        let is_green = |it: &TestProof| matches!(it.label, ProofLabel::Holds | ProofLabel::Present);
        let is_green = self.proof.is_some_and(is_green);
        if !is(TESTS, Standing::Verified) && !is_green {
            return None;
        }
        let is_weak = self.proof.is_some_and(|it| !it.label.shows());
        let is_open = checks.iter().any(|it| {
            it.standing == Standing::NotVerified && ![RUBRIC, BUDGET].contains(&it.name.as_str())
        });
        let is_doubtful = self
            .proof
            .is_some_and(|it| it.findings.iter().any(|finding| finding.code.leaves_open()));
        Some(if is_weak || is_open || is_doubtful { Proof::Gaps } else { Proof::Verified })
    }

    /// What people accepted of the test's proof, in one line.
    fn acceptance(&self) -> Option<Text> {
        let proof = self.proof?;
        let codes: Vec<ProofCode> =
            self.accepted.iter().filter_map(|it| it.finding.parse().ok()).collect();
        let is_hollow = codes.iter().any(|it| it.effect() == ProofEffect::Hollow);
        let findings: Vec<String> = codes.iter().map(ToString::to_string).collect();
        let label = proof.label.as_str();
        match (findings.is_empty(), is_hollow) {
            (true, _) => None,
            (false, true) => Some(Accepted::Waived { findings }.text()),
            (false, false) => Some(Accepted::Known { label, findings }.text()),
        }
    }
}

/// What a green test proves, in one line.
pub fn proof_text(proof: &TestProof) -> Text {
    proof_note(proof, &proof.against(ProofRequirement::Holds)).1.text()
}

/// What a person did about a test that is green and proves too little.
#[derive(Debug, Message)]
#[message(code = "task.accepted")]
enum Accepted {
    #[message(en = "WAIVED: {findings:names}", zh = "WAIVED：{findings:names}")]
    Waived { findings: Vec<String> },
    #[message(
        en = "{label}, accepted by a person: {findings:names}",
        zh = "{label}，已获人工接受：{findings:names}"
    )]
    Known { label: &'static str, findings: Vec<String> },
}

/// Why a test gave no result.
#[derive(Debug, Message)]
#[message(code = "task.no_test")]
enum NoTest {
    #[message(en = "no test ran in this attempt", zh = "此次尝试没有运行测试")]
    NotRun,
    #[message(en = "the task has no test command", zh = "任务没有指定测试命令")]
    NoCommand,
}
