//! The square: product and tests, each of the base or of the result.
//!
//! Runs that differ in one of the two only show which of them made the command green.

mod label;
mod repeat;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use provost_kernel::task::{ProofCode, ProofFinding};

pub use self::{label::label, repeat::accuses};
use crate::record::{TestName, TestOutcome, TestRecord};

/// How many new tests are named.
const NEW_TESTS: usize = 200;

/// One run of the command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corner {
    pub rc: i32,
    /// Its tests; none where no runner is known.
    pub record: Option<TestRecord>,
}

/// The runs. A corner whose tree equals another's stands for both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Square {
    /// The result, recorded.
    pub result: Corner,
    pub base: Corner,
    /// The result's product with the tests of the base; none if the tests are the same.
    pub old_tests: Option<Corner>,
    /// The base's product with the tests of the result; none if the tests are the same.
    pub old_product: Option<Corner>,
    /// The command did not exist on the base: a script, target or file that it names.
    pub is_new_command: bool,
    /// Files of tests that the run of the result has changed itself.
    pub rewritten: Vec<String>,
    /// Tests that differ from run to run, and so accuse of nothing.
    pub flaky: BTreeSet<TestName>,
    /// Files of tests that changed, for what is said.
    pub changed_tests: Vec<String>,
    /// Those of them that the task may change; they are the result's in every run.
    pub left: BTreeSet<String>,
}

impl Corner {
    fn is_green(&self) -> bool {
        self.rc == 0
    }

    fn passed(&self, name: &TestName) -> bool {
        self.outcome(name) == Some(TestOutcome::Passed)
    }

    fn outcome(&self, name: &TestName) -> Option<TestOutcome> {
        self.record.as_ref()?.outcome(name)
    }

    fn has_tests(&self) -> bool {
        self.record.as_ref().is_some_and(|it| !it.tests.is_empty())
    }

    /// Tests that failed, as far as they fail each time.
    fn failures<'a>(&'a self, flaky: &'a BTreeSet<TestName>) -> impl Iterator<Item = &'a TestName> {
        let failed = self.record.iter().flat_map(|it| it.ended(TestOutcome::Failed));
        failed.filter(|it| !flaky.contains(*it))
    }
}

impl Square {
    /// What the runs of a green result show. A red result needs no findings.
    pub fn findings(&self) -> Vec<ProofFinding> {
        let mut findings = self.result_findings();
        if !self.rewritten.is_empty() {
            findings.push(ProofFinding::new(ProofCode::TestsRewritten, self.rewritten.clone()));
        }
        findings.extend(self.base_findings());
        if !self.is_new() {
            findings.extend(self.old_test_findings());
        }
        if !self.flaky.is_empty() {
            findings.push(named(ProofCode::Flaky, self.flaky.iter()));
        }
        if self.is_nothing_new() {
            findings.push(ProofFinding::whole(ProofCode::NothingNew));
        }
        findings
    }

    /// Whether the base has nothing that the command runs: not even the new product makes a test
    /// of the base run.
    pub fn is_new(&self) -> bool {
        let selects_nothing =
            |it: &Corner| !it.is_green() && it.record.is_some() && !it.has_tests();
        let is_new_selection = selects_nothing(&self.base)
            && self.old_tests.as_ref().is_some_and(selects_nothing)
            && self.result.has_tests();
        self.is_new_command || is_new_selection
    }

    /// What the result's own run shows.
    fn result_findings(&self) -> Vec<ProofFinding> {
        let Some(record) = &self.result.record else {
            let code = if self.base.has_tests() {
                ProofCode::RunnerGone
            } else {
                ProofCode::CountsUnknown
            };
            return vec![ProofFinding::whole(code)];
        };
        let mut findings = Vec::new();
        let failed: Vec<&TestName> = self.result.failures(&self.flaky).collect();
        if record.unfinished > 0 {
            findings.push(ProofFinding::whole(ProofCode::RunIncomplete));
        }
        if record.count(TestOutcome::Passed) == 0 && failed.is_empty() && self.flaky.is_empty() {
            findings.push(ProofFinding::whole(ProofCode::NoTestPassed));
        }
        if !failed.is_empty() {
            let code = if self.result.is_green() {
                ProofCode::ExitMasked
            } else {
                ProofCode::DiffersUnwatched
            };
            findings.push(named(code, failed.into_iter()));
        } else if !self.result.is_green() && self.flaky.is_empty() {
            // No test failed: the hook itself is in the way.
            findings.push(ProofFinding::whole(ProofCode::CountsUnknown));
        }
        findings
    }

    /// Tests of the base that the result no longer runs, green or red.
    fn base_findings(&self) -> Vec<ProofFinding> {
        let (Some(base), Some(result)) = (&self.base.record, &self.result.record) else {
            return Vec::new();
        };
        let ran = base.tests.iter().filter(|it| *it.1 != TestOutcome::Skipped).map(|it| it.0);
        let (mut gone, mut moved, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        for name in ran.filter(|it| !self.flaky.contains(*it)) {
            match result.outcome(name) {
                None | Some(TestOutcome::Skipped) if self.is_left(name) => {}
                None if self.passes_with_old_tests(name) => moved.push(name),
                None => gone.push(name),
                Some(TestOutcome::Skipped) => skipped.push(name),
                Some(TestOutcome::Passed | TestOutcome::Failed) => {}
            }
        }
        let mut findings = Vec::new();
        if !moved.is_empty() {
            // A test of the base that turned green is not the new place of another one.
            let passed = result.ended(TestOutcome::Passed);
            let n_places = passed.filter(|it| !base.tests.contains_key(*it)).count();
            let is_fewer = n_places < moved.len();
            let code = if is_fewer { ProofCode::TestsFewer } else { ProofCode::TestsMoved };
            findings.push(named(code, moved.into_iter()));
        }
        for (code, names) in [(ProofCode::TestsGone, gone), (ProofCode::TestsSkipped, skipped)] {
            if !names.is_empty() {
                findings.push(named(code, names.into_iter()));
            }
        }
        findings
    }

    /// Whether the task may change or remove a test. Where a runner names no file, that is so if the
    /// test comes out alike with the files that may change and all others of the base.
    fn is_left(&self, name: &TestName) -> bool {
        let comes_out_alike = || {
            let old = self.old_tests.as_ref();
            old.is_some_and(|it| it.outcome(name) == self.result.outcome(name))
        };
        let is_named = self.left.contains(&name.place);
        is_named || !self.left.is_empty() && !name.place.contains('.') && comes_out_alike()
    }

    fn passes_with_old_tests(&self, name: &TestName) -> bool {
        self.old_tests.as_ref().is_some_and(|it| it.passed(name))
    }

    /// What the tests of the base say about the product of the result.
    fn old_test_findings(&self) -> Vec<ProofFinding> {
        let Some(old) = &self.old_tests else { return Vec::new() };
        // With the files that may change, the old product decides.
        if !self.left.is_empty() && self.is_greened_by_tests() {
            return vec![ProofFinding::whole(ProofCode::GreenedByTests)];
        }
        let (Some(before), Some(_)) = (&self.base.record, &self.result.record) else {
            return self.opaque_findings(old);
        };
        if old.record.as_ref().is_none_or(|it| it.tests.is_empty()) && self.base.has_tests() {
            let is_run = old.is_green() && old.record.is_some();
            return if is_run {
                Vec::new()
            } else {
                vec![ProofFinding::whole(ProofCode::BaseTestsDoNotRun)]
            };
        }
        let (mut regressed, mut rewritten, mut only) = (Vec::new(), Vec::new(), Vec::new());
        for (name, outcome) in before.tests.iter().filter(|it| !self.flaky.contains(it.0)) {
            let is_green = self.result.passed(name);
            match (outcome, old.outcome(name)) {
                (TestOutcome::Passed | TestOutcome::Failed, Some(TestOutcome::Passed)) => {}
                (TestOutcome::Passed, _) if is_green => rewritten.push(name),
                (TestOutcome::Passed, Some(TestOutcome::Failed)) => regressed.push(name),
                (TestOutcome::Failed, _) if is_green => only.push(name),
                // It does not run with the result: that it is gone is said elsewhere.
                (TestOutcome::Passed | TestOutcome::Failed | TestOutcome::Skipped, _) => {}
            }
        }
        let findings: Vec<ProofFinding> = [
            (ProofCode::Regression, regressed),
            (ProofCode::ExpectationChanged, rewritten),
            (ProofCode::OnlyWithChangedTests, only),
        ]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(code, names)| named(code, names.into_iter()))
        .collect();
        let is_unexplained = findings.is_empty() && !old.is_green() && self.flaky.is_empty();
        if is_unexplained { vec![self.only_with_changed_tests()] } else { findings }
    }

    /// The same where only exit codes are known.
    fn opaque_findings(&self, old: &Corner) -> Vec<ProofFinding> {
        let mut findings = Vec::new();
        if self.is_greened_by_tests() {
            findings.push(ProofFinding::whole(ProofCode::GreenedByTests));
        }
        if !old.is_green() {
            findings.push(self.only_with_changed_tests());
        }
        findings
    }

    /// Whether the command was red, and is green without the work.
    fn is_greened_by_tests(&self) -> bool {
        !self.base.is_green() && self.old_product.as_ref().is_some_and(Corner::is_green)
    }

    /// The command as a whole is red with the tests of the base.
    fn only_with_changed_tests(&self) -> ProofFinding {
        ProofFinding::new(ProofCode::OnlyWithChangedTests, self.changed_tests.clone())
    }

    /// Whether nothing that is green now was red without the work.
    fn is_nothing_new(&self) -> bool {
        let reddened = self.old_product.as_ref().is_some_and(|it| !it.is_green());
        let is_new = self.is_new() && self.old_product.is_some();
        (self.base.is_green() || is_new) && !reddened
    }

    /// The tests that pass now and did not on the base, as far as tests are known.
    pub fn new_tests(&self) -> Option<Vec<String>> {
        let passed = self.result.record.as_ref()?.ended(TestOutcome::Passed);
        let is_new = |it: &&TestName| !self.base.passed(it) && !self.flaky.contains(*it);
        Some(passed.filter(is_new).take(NEW_TESTS).map(ToString::to_string).collect())
    }
}

fn named<'a>(code: ProofCode, names: impl Iterator<Item = &'a TestName>) -> ProofFinding {
    ProofFinding::new(code, names.map(ToString::to_string))
}
