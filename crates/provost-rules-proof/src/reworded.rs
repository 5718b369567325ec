//! The reworded run: tests that say the same in other words must still pass.

use std::collections::BTreeSet;

use provost_kernel::task::{ProofCode, ProofFinding};

use crate::{
    plant::Rewording,
    planted::carries_proof,
    record::{TestName, TestOutcome},
    square::{Corner, Square},
};

/// What passes as it was delivered and not in other words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disturbed {
    tests: BTreeSet<String>,
    /// The command of which no single test is known.
    is_whole: bool,
    /// A test ran and failed; otherwise the words may be what does not compile.
    has_failed: bool,
}

/// What a reworded run disturbs, of all that carries proof.
pub fn disturbed(square: &Square, corner: &Corner) -> Disturbed {
    let Some(delivered) = &square.result.record else {
        let is_red = corner.rc != 0 && square.base.rc != 0;
        return Disturbed { is_whole: is_red, has_failed: is_red, ..Disturbed::default() };
    };
    let outcome = |name: &TestName| corner.record.as_ref().and_then(|it| it.outcome(name));
    let carriers = delivered
        .ended(TestOutcome::Passed)
        .filter(|it| carries_proof(square, it) && outcome(it) != Some(TestOutcome::Passed));
    let carriers: Vec<&TestName> = carriers.collect();
    Disturbed {
        has_failed: carriers.iter().any(|it| outcome(it) == Some(TestOutcome::Failed)),
        tests: carriers.into_iter().map(ToString::to_string).collect(),
        is_whole: false,
    }
}

impl Disturbed {
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && !self.is_whole
    }

    /// With which words the run is repeated, before anything is said.
    pub fn again(&self) -> Rewording {
        if self.has_failed { Rewording::Values } else { Rewording::Comment }
    }

    /// What two such runs and another one of what was delivered show together.
    pub fn finding(&self, again: &Self, delivered: &Self) -> Option<ProofFinding> {
        let repeated = self.tests.intersection(&again.tests);
        let tests: Vec<String> =
            repeated.filter(|it| !delivered.tests.contains(*it)).cloned().collect();
        let is_whole = self.is_whole && again.is_whole && !delivered.is_whole;
        (is_whole || !tests.is_empty()).then(|| ProofFinding::new(ProofCode::TestsRead, tests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::TestRecord;

    fn corner(rc: i32, tests: &[(&str, TestOutcome)]) -> Corner {
        let name = |it: &str| TestName { place: "a.py".to_owned(), path: vec![it.to_owned()] };
        let tests = tests.iter().map(|(test, it)| (name(test), *it)).collect();
        Corner { rc, record: Some(TestRecord { tests, unfinished: 0 }) }
    }

    /// PROOF-1: a product that passes its tests only as they are written has read them.
    #[test]
    fn a_test_that_fails_in_other_words_was_read() {
        use TestOutcome::{Failed, Passed};
        let square = Square {
            base: corner(1, &[("new", Failed), ("old", Passed)]),
            result: corner(0, &[("new", Passed), ("old", Passed)]),
            ..Square::default()
        };
        let seen = |tests: &[(&str, TestOutcome)]| disturbed(&square, &corner(1, tests));
        let green = seen(&[("new", Passed), ("old", Failed)]);
        assert!(green.is_empty(), "only what carries proof counts");
        let red = seen(&[("new", Failed), ("old", Passed)]);
        assert_eq!(red.again(), Rewording::Values);
        let broken = seen(&[]);
        assert_eq!((broken.is_empty(), broken.again()), (false, Rewording::Comment));
        let code = |first: &Disturbed, again: &Disturbed, delivered: &Disturbed| {
            first.finding(again, delivered).map(|it| (it.code, it.subjects.len()))
        };
        assert_eq!(code(&red, &red, &green), Some((ProofCode::TestsRead, 1)));
        assert_eq!(code(&broken, &broken, &green), Some((ProofCode::TestsRead, 1)));
        assert_eq!(code(&red, &green, &green), None, "it did not repeat");
        assert_eq!(code(&red, &red, &red), None, "it fails as it was delivered, too");
    }

    #[test]
    fn a_command_without_records_is_judged_as_a_whole() {
        let check = |base: i32, rc: i32, expected: bool| {
            let square = Square { base: Corner { rc: base, record: None }, ..Square::default() };
            let found = disturbed(&square, &Corner { rc, record: None });
            let finding = found.finding(&found, &Disturbed::default());
            assert_eq!(finding.is_some(), expected, "{base} {rc}");
        };
        check(1, 1, true);
        check(1, 0, false);
        check(0, 1, false);
    }
}
