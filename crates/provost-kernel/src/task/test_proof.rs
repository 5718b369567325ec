//! What the test of a task proves: its runs, what they found, and how strong the proof is.

mod text;

use std::{collections::BTreeMap, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Digest, Message, Record, Text, words::words};

words! {
    /// How much is done to find out whether a test proves anything (`[proof] level`).
    #[derive(Default)]
    pub enum ProofLevel {
        /// A plain run, a recorded run, and a run on the base.
        Basic = "basic",
        /// Also the old tests against the new product, the new tests against the old product, and a
        /// run in which tests must fail.
        #[default]
        Standard = "standard",
        /// Also every test planted, each changed file reverted, and mutants.
        Strict = "strict",
    }
}

words! {
    /// What a green test has to prove at least (`[proof] require`).
    #[derive(Default)]
    pub enum ProofRequirement {
        /// That it holds.
        #[default]
        Holds = "holds",
        /// That a test is red without the work.
        Shown = "shown",
    }
}

words! {
    /// How strong the evidence is.
    pub enum ProofLabel {
        /// A test that the agent could not write was red, and is green now.
        Proven = "PROVEN",
        /// A test that the agent wrote or changed is green, and red without the work.
        Shown = "SHOWN",
        /// Green with and without the work.
        Holds = "HOLDS",
        /// A text is there; nothing of the product was run.
        Present = "PRESENT",
        /// Words, or a file that was touched.
        Claimed = "CLAIMED",
        /// The command would be green whatever the product does.
        Hollow = "HOLLOW",
        /// It is red, or it contradicts the tests of the base.
        Contradicted = "CONTRADICTED",
        /// It could not be run.
        NotRun = "NOT_RUN",
    }
}

impl ProofLabel {
    /// Whether a test needs the work: it is red without it.
    pub const fn shows(self) -> bool {
        match self {
            Self::Proven | Self::Shown => true,
            Self::Holds
            | Self::Present
            | Self::Claimed
            | Self::Hollow
            | Self::Contradicted
            | Self::NotRun => false,
        }
    }
}

words! {
    /// What can be wrong with a run of tests.
    pub enum ProofCode {
        NoTestPassed = "NO_TEST_PASSED",
        RunIncomplete = "RUN_INCOMPLETE",
        ExitMasked = "EXIT_MASKED",
        RunnerGone = "RUNNER_GONE",
        TestsRewritten = "TESTS_REWRITTEN",
        DiffersUnwatched = "DIFFERS_UNWATCHED",
        PlantSurvived = "PLANT_SURVIVED",
        PlantBlind = "PLANT_BLIND",
        TestsRead = "TESTS_READ",
        Regression = "REGRESSION",
        OnlyWithChangedTests = "ONLY_WITH_CHANGED_TESTS",
        GreenedByTests = "GREENED_BY_TESTS",
        TestsSkipped = "TESTS_SKIPPED",
        TestsGone = "TESTS_GONE",
        TestsFewer = "TESTS_FEWER",
        ExpectationChanged = "EXPECTATION_CHANGED",
        BaseTestsDoNotRun = "BASE_TESTS_DO_NOT_RUN",
        ChangeUnnoticed = "CHANGE_UNNOTICED",
        MutantsLive = "MUTANTS_LIVE",
        NothingNew = "NOTHING_NEW",
        CommentsOnly = "COMMENTS_ONLY",
        DataOnly = "DATA_ONLY",
        FilesRewritten = "FILES_REWRITTEN",
        TestAware = "TEST_AWARE",
        AssertionsChanged = "ASSERTIONS_CHANGED",
        NoMutants = "NO_MUTANTS",
        CountsUnknown = "COUNTS_UNKNOWN",
        PlantInconclusive = "PLANT_INCONCLUSIVE",
        TestsMoved = "TESTS_MOVED",
        Flaky = "FLAKY",
        NotPrepared = "NOT_PREPARED",
    }
}

/// What a finding does to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProofEffect {
    /// Shown, and nothing else.
    Notice,
    /// The result is not proven; a person can give leave for tests that are named.
    NotProven,
    /// The command proves nothing, whatever is allowed to change.
    Hollow,
}

impl ProofCode {
    /// Whether a green test with this finding does not show the change.
    pub fn is_gap(self) -> bool {
        matches!(self, Self::NothingNew | Self::CommentsOnly)
    }

    /// Whether a green test with this finding may say less than it seems to: a person should look.
    pub fn leaves_open(self) -> bool {
        matches!(
            self,
            Self::TestsMoved
                | Self::DataOnly
                | Self::FilesRewritten
                | Self::TestAware
                | Self::AssertionsChanged
                | Self::NoMutants
        )
    }

    /// What a finding of this kind does to the result.
    pub fn effect(self) -> ProofEffect {
        match self {
            Self::NoTestPassed
            | Self::RunIncomplete
            | Self::ExitMasked
            | Self::RunnerGone
            | Self::TestsRewritten
            | Self::DiffersUnwatched
            | Self::PlantSurvived
            | Self::PlantBlind
            | Self::TestsRead => ProofEffect::Hollow,
            Self::Regression
            | Self::OnlyWithChangedTests
            | Self::GreenedByTests
            | Self::TestsSkipped
            | Self::TestsGone
            | Self::TestsFewer
            | Self::ExpectationChanged
            | Self::BaseTestsDoNotRun
            | Self::ChangeUnnoticed
            | Self::MutantsLive => ProofEffect::NotProven,
            Self::NothingNew
            | Self::CommentsOnly
            | Self::DataOnly
            | Self::FilesRewritten
            | Self::TestAware
            | Self::AssertionsChanged
            | Self::NoMutants
            | Self::CountsUnknown
            | Self::PlantInconclusive
            | Self::TestsMoved
            | Self::Flaky
            | Self::NotPrepared => ProofEffect::Notice,
        }
    }
}

/// One thing that a run of tests showed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofFinding {
    pub code: ProofCode,
    /// The tests or files that it is about; none for the command as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
}

/// One run of the command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofRun {
    pub corner: ProofCorner,
    pub rc: i32,
    pub wall_ms: u64,
    /// How many tests were recorded; none where the runner is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u32>,
}

words! {
    /// Which product is run with which tests.
    pub enum ProofCorner {
        /// What was delivered, as a person would run it.
        Plain = "plain",
        /// The same, with its tests recorded.
        Result = "result",
        /// The base.
        Base = "base",
        /// The delivered product with the tests of the base.
        OldTests = "old_tests",
        /// The product of the base with the delivered tests.
        OldProduct = "old_product",
        /// What was delivered, with tests that must fail.
        Planted = "planted",
        /// What was delivered, with tests that say the same in other words.
        Reworded = "reworded",
        /// What was delivered, with one changed file of the base.
        Reverted = "reverted",
        /// What was delivered, with one error in a changed line.
        Mutated = "mutated",
    }
}

words! {
    /// How a test ended. A name that is reported twice has the last of both.
    pub enum TestOutcome {
        Skipped = "skipped",
        Passed = "passed",
        Failed = "failed",
    }
}

/// A test, as its runner names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestName {
    /// The file, or the package where the runner names no file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// Groups from the outermost inwards, then the test.
    pub path: Vec<String>,
}

/// One test of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedTest {
    #[serde(flatten)]
    pub name: TestName,
    pub outcome: TestOutcome,
}

/// How the test came out on the base, before the first attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BaseTest {
    pub command: String,
    /// The commit of the base.
    pub commit: String,
    pub rc: i32,
    /// Its tests; none where the runner is not known.
    pub tests: Option<Vec<RecordedTest>>,
    /// Runners that started and did not say that they finished.
    pub unfinished: u32,
    /// Files of the product that the run itself has changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<String>,
}

impl Record for BaseTest {
    const SCHEMA: &'static str = "provost.base-test/1";
    const KEYS: &'static [&'static str] =
        &["command", "commit", "rc", "rewritten", "tests", "unfinished"];
}

impl BaseTest {
    pub fn new(
        command: &str,
        commit: &str,
        rc: i32,
        tests: Option<BTreeMap<TestName, TestOutcome>>,
        unfinished: u32,
    ) -> Self {
        let recorded = |(name, outcome)| RecordedTest { name, outcome };
        let tests = tests.map(|it| it.into_iter().map(recorded).collect());
        let (command, commit) = (command.to_owned(), commit.to_owned());
        Self { command, commit, rc, tests, unfinished, rewritten: Vec::new() }
    }

    /// Whether a known runner ran to its end, and found no test.
    pub fn has_no_tests(&self) -> bool {
        self.unfinished == 0 && self.tests.as_ref().is_some_and(Vec::is_empty)
    }

    /// Its tests by name.
    pub fn outcomes(&self) -> Option<BTreeMap<TestName, TestOutcome>> {
        let tests = self.tests.as_ref()?.iter();
        Some(tests.map(|it| (it.name.clone(), it.outcome)).collect())
    }

    /// Whether the command succeeds there.
    pub fn is_green(&self) -> bool {
        self.rc == 0
    }

    /// How many tests ended in this way.
    pub fn count(&self, outcome: TestOutcome) -> usize {
        self.tests.iter().flatten().filter(|it| it.outcome == outcome).count()
    }

    /// How the command comes out there, in one line; none if it succeeds.
    pub fn text(&self) -> Option<Text> {
        let names: Vec<String> = self.failures().take(3).map(ToString::to_string).collect();
        let (rc, n) = (self.rc, self.count(TestOutcome::Failed));
        let red = if n == 0 { Red::Exit { rc } } else { Red::Tests { rc, n, names } };
        (!self.is_green()).then(|| red.text())
    }

    /// The tests that failed.
    pub fn failures(&self) -> impl Iterator<Item = &TestName> {
        let tests = self.tests.iter().flatten();
        tests.filter(|it| it.outcome == TestOutcome::Failed).map(|it| &it.name)
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.join("::");
        if self.place.is_empty() { f.write_str(&path) } else { write!(f, "{}::{path}", self.place) }
    }
}

/// How a command fails on the base.
#[derive(Debug, Message)]
#[message(code = "task.base_test")]
enum Red {
    #[message(
        en = "red before any work, with exit code {rc}",
        zh = "尚未改动就已失败，退出码 {rc}"
    )]
    Exit { rc: i32 },
    #[message(
        en = "red before any work, with exit code {rc}: {n} {n:test fails|tests fail}: {names:names}",
        zh = "尚未改动就已失败，退出码 {rc}：{n} 个测试未通过：{names:names}"
    )]
    Tests { rc: i32, n: usize, names: Vec<String> },
}

/// What the test of an attempt proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestProof {
    pub level: ProofLevel,
    pub command: String,
    pub label: ProofLabel,
    pub runs: Vec<ProofRun>,
    pub findings: Vec<ProofFinding>,
    /// Changed files that are tests or configure them.
    pub changed_tests: Vec<String>,
    /// The digest of these files; of all that changed where none of them did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Tests that pass now and did not on the base, the first 200; none where single tests are not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_tests: Option<Vec<String>>,
}

impl Record for TestProof {
    const SCHEMA: &'static str = "provost.test-proof/1";
    const KEYS: &'static [&'static str] =
        &["changed_tests", "command", "digest", "findings", "label", "level", "new_tests", "runs"];
}

impl ProofFinding {
    pub fn new(code: ProofCode, subjects: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { code, subjects: subjects.into_iter().map(Into::into).collect() }
    }

    /// A finding about the command as a whole.
    pub fn whole(code: ProofCode) -> Self {
        Self { code, subjects: Vec::new() }
    }
}

impl TestProof {
    /// The findings that speak against a green test which has to prove so much.
    pub fn against(&self, require: ProofRequirement) -> Vec<ProofFinding> {
        let is_against = |it: &&ProofFinding| match it.code.effect() {
            ProofEffect::Hollow | ProofEffect::NotProven => true,
            ProofEffect::Notice => require == ProofRequirement::Shown && it.code.is_gap(),
        };
        self.findings.iter().filter(is_against).cloned().collect()
    }

    /// The proof of a command that succeeds where nothing was changed.
    pub fn unchanged(command: &str) -> Self {
        let run = ProofRun {
            corner: ProofCorner::Base,
            rc: 0,
            wall_ms: 0,
            passed: None,
            failed: None,
            skipped: None,
        };
        Self {
            level: ProofLevel::Basic,
            command: command.to_owned(),
            label: ProofLabel::Holds,
            runs: vec![run],
            findings: Vec::new(),
            changed_tests: Vec::new(),
            digest: None,
            new_tests: None,
        }
    }

    /// What a finding does to the result, for the worst of them.
    pub fn effect(&self) -> ProofEffect {
        let effects = self.findings.iter().map(|it| it.code.effect());
        effects.max().unwrap_or(ProofEffect::Notice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_a_text_and_hollow_is_the_worst() {
        for &code in ProofCode::ALL {
            assert!(!ProofFinding::new(code, ["a"]).text().to_string().is_empty(), "{code}");
        }
        let finding = |code| ProofFinding::whole(code);
        let proof = |codes: &[ProofCode]| TestProof {
            level: ProofLevel::Standard,
            command: "make test".to_owned(),
            label: ProofLabel::Holds,
            runs: Vec::new(),
            findings: codes.iter().map(|it| finding(*it)).collect(),
            changed_tests: Vec::new(),
            digest: None,
            new_tests: None,
        };
        assert_eq!(proof(&[]).effect(), ProofEffect::Notice);
        assert_eq!(proof(&[ProofCode::Flaky]).effect(), ProofEffect::Notice);
        let both = [ProofCode::Regression, ProofCode::PlantBlind, ProofCode::Flaky];
        assert_eq!(proof(&both).effect(), ProofEffect::Hollow);
        assert_eq!(proof(&both[..1]).effect(), ProofEffect::NotProven);
        let nothing_new = proof(&[ProofCode::NothingNew, ProofCode::Flaky]);
        assert_eq!(nothing_new.against(ProofRequirement::Holds), []);
        let against = nothing_new.against(ProofRequirement::Shown);
        assert_eq!(against, [finding(ProofCode::NothingNew)]);
        assert_eq!(proof(&both).against(ProofRequirement::Holds).len(), 2);
    }

    #[test]
    fn a_finding_names_at_most_three_subjects() {
        let finding = ProofFinding::new(ProofCode::TestsGone, ["a", "b", "c", "d"]);
        assert_eq!(finding.text(), "4 tests of the base no longer run: `a`, `b`, `c`");
    }

    #[test]
    fn the_keys_are_those_of_the_record() {
        crate::record::assert_keys::<TestProof>();
        crate::record::assert_keys::<BaseTest>();
    }
}
