//! The reworded run: tests that say the same in other words must still pass.

use std::collections::BTreeSet;

use provost_kernel::task::{ProofCode, ProofFinding};

use crate::{
    plant::Rewording,
    planted::carries_proof,
    record::{TestName, TestOutcome, TestRecord},
    square::{Corner, Square},
};

/// What passes as it was delivered and not in other words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Disturbed {
    /// Of those that carry proof.
    tests: BTreeSet<String>,
    /// Of those that were green before, and whose files are the base's.
    kept: BTreeSet<String>,
    /// The command of which no single test is known.
    is_whole: bool,
    /// A test ran and failed; otherwise the words may be what does not compile.
    has_failed: bool,
}

/// What a reworded run disturbs, of all that carries proof and of the files that the base has, too.
pub fn disturbed(square: &Square, corner: &Corner, files: &BTreeSet<String>) -> Disturbed {
    let Some(delivered) = &square.result.record else {
        let is_red = corner.rc != 0 && square.base.rc != 0;
        return Disturbed { is_whole: is_red, has_failed: is_red, ..Disturbed::default() };
    };
    let outcome = |name: &TestName| corner.record.as_ref().and_then(|it| it.outcome(name));
    let carriers = delivered
        .ended(TestOutcome::Passed)
        .filter(|it| carries_proof(square, it) && outcome(it) != Some(TestOutcome::Passed));
    let carriers: Vec<&TestName> = carriers.collect();
    let kept = disturbed_files(delivered, corner, files);
    let has_failed = carriers.iter().any(|it| outcome(it) == Some(TestOutcome::Failed));
    Disturbed {
        // A file that does not load takes its tests with it.
        has_failed: has_failed || (carriers.is_empty() && !kept.is_empty()),
        tests: carriers.into_iter().map(ToString::to_string).collect(),
        kept,
        is_whole: false,
    }
}

/// The tests of these files that passed, and in a reworded run do not.
pub fn disturbed_files(
    passed: &TestRecord,
    corner: &Corner,
    files: &BTreeSet<String>,
) -> BTreeSet<String> {
    let outcome = |name: &TestName| corner.record.as_ref().and_then(|it| it.outcome(name));
    let is_lost = |it: &&TestName| outcome(it) != Some(TestOutcome::Passed);
    let tests = passed.ended(TestOutcome::Passed).filter(|it| files.contains(&it.place));
    tests.filter(is_lost).map(ToString::to_string).collect()
}

impl Disturbed {
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.kept.is_empty() && !self.is_whole
    }

    /// Whether the same words have to be tried on the base before anything is said.
    pub fn needs_base(&self) -> bool {
        !self.kept.is_empty()
    }

    /// Every test of the base that is disturbed: what counts where the base cannot be asked.
    pub fn all_kept(&self) -> BTreeSet<String> {
        self.kept.clone()
    }

    /// With which words the run is repeated, before anything is said.
    pub fn again(&self) -> Rewording {
        if self.has_failed { Rewording::Values } else { Rewording::Comment }
    }

    /// What two such runs and another one of what was delivered show together. Tests that the same
    /// words disturb on the base say nothing about the work.
    pub fn finding(
        &self,
        again: &Self,
        delivered: &Self,
        base: &BTreeSet<String>,
    ) -> Option<ProofFinding> {
        let repeated = self.tests.intersection(&again.tests);
        let repeated = repeated.filter(|it| !delivered.tests.contains(*it));
        let kept = self.kept.intersection(&again.kept);
        let kept = kept.filter(|it| !delivered.kept.contains(*it) && !base.contains(*it));
        let tests: BTreeSet<&String> = repeated.chain(kept).collect();
        let tests: Vec<String> = tests.into_iter().cloned().collect();
        let is_whole = self.is_whole && again.is_whole && !delivered.is_whole;
        (is_whole || !tests.is_empty()).then(|| ProofFinding::new(ProofCode::TestsRead, tests))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let none = BTreeSet::new();
        let seen = |tests: &[(&str, TestOutcome)]| disturbed(&square, &corner(1, tests), &none);
        let green = seen(&[("new", Passed), ("old", Failed)]);
        assert!(green.is_empty(), "only what carries proof counts");
        let red = seen(&[("new", Failed), ("old", Passed)]);
        assert_eq!(red.again(), Rewording::Values);
        let broken = seen(&[]);
        assert_eq!((broken.is_empty(), broken.again()), (false, Rewording::Comment));
        let code = |first: &Disturbed, again: &Disturbed, delivered: &Disturbed| {
            first.finding(again, delivered, &none).map(|it| (it.code, it.subjects.len()))
        };
        assert_eq!(code(&red, &red, &green), Some((ProofCode::TestsRead, 1)));
        assert_eq!(code(&broken, &broken, &green), Some((ProofCode::TestsRead, 1)));
        assert_eq!(code(&red, &green, &green), None, "it did not repeat");
        assert_eq!(code(&red, &red, &red), None, "it fails as it was delivered, too");
    }

    /// PROOF-1: a test that was green before is the base's; only what the work made of it counts.
    #[test]
    fn a_test_of_the_base_is_held_against_the_base() {
        use TestOutcome::{Failed, Passed};
        let square = Square {
            base: corner(0, &[("old", Passed)]),
            result: corner(0, &[("old", Passed)]),
            ..Square::default()
        };
        let (none, file) = (BTreeSet::new(), BTreeSet::from(["a.py".to_owned()]));
        let seen = |outcome, files: &BTreeSet<String>| {
            disturbed(&square, &corner(1, &[("old", outcome)]), files)
        };
        assert!(seen(Failed, &none).is_empty(), "its file was not reworded");
        let (lost, fine) = (seen(Failed, &file), seen(Passed, &file));
        assert!(lost.needs_base() && !fine.needs_base());
        let on_base = |outcome| {
            let record = square.base.record.as_ref().unwrap();
            disturbed_files(record, &corner(1, &[("old", outcome)]), &file)
        };
        let found = |base: &BTreeSet<String>| lost.finding(&lost, &fine, base).is_some();
        assert!(found(&on_base(Passed)));
        assert!(!found(&on_base(Failed)), "the words disturb it on the base as well");
    }

    #[test]
    fn a_command_without_records_is_judged_as_a_whole() {
        let check = |base: i32, rc: i32, expected: bool| {
            let square = Square { base: Corner { rc: base, record: None }, ..Square::default() };
            let none = BTreeSet::new();
            let found = disturbed(&square, &Corner { rc, record: None }, &none);
            let finding = found.finding(&found, &Disturbed::default(), &none);
            assert_eq!(finding.is_some(), expected, "{base} {rc}");
        };
        check(1, 1, true);
        check(1, 0, false);
        check(0, 1, false);
    }
}
