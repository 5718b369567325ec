//! Runs that are made twice: what differs between them accuses of nothing.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::task::{ProofEffect, ProofFinding};

use super::Square;
use crate::record::{TestName, TestOutcome};

/// Whether a finding may rest on one run alone.
pub fn accuses(findings: &[ProofFinding]) -> bool {
    findings.iter().any(|it| it.code.effect() != ProofEffect::Notice)
}

impl Square {
    /// What both runs show: tests that differ are flaky, and a finding that does not come again,
    /// such as one that rests on exit codes, is dropped.
    pub fn repeated_findings(&mut self, again: &mut Self) -> Vec<ProofFinding> {
        let flaky = differing(self, again);
        self.flaky.clone_from(&flaky);
        again.flaky = flaky;
        let second = again.findings();
        let mut findings = self.findings();
        findings.retain(|it| {
            it.code.effect() == ProofEffect::Notice || second.iter().any(|two| two.code == it.code)
        });
        findings
    }

    fn corners(&self) -> [BTreeMap<TestName, TestOutcome>; 3] {
        let corners = [Some(&self.result), self.old_tests.as_ref(), self.old_product.as_ref()];
        corners.map(|it| {
            it.and_then(|it| it.record.as_ref()).map(|it| it.tests.clone()).unwrap_or_default()
        })
    }
}

/// Tests that ran in both and did not end alike.
fn differing(one: &Square, two: &Square) -> BTreeSet<TestName> {
    let mut names = BTreeSet::new();
    for (first, second) in one.corners().into_iter().zip(two.corners()) {
        let differs = |(name, outcome): &(TestName, TestOutcome)| {
            second.get(name).is_some_and(|it| it != outcome)
        };
        names.extend(first.into_iter().filter(differs).map(|it| it.0));
    }
    names
}
