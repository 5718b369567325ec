//! Cases of the square: cheats, and the honest changes beside them.

use provost_kernel::task::ProofLabel;

use super::*;

/// `a+ b- c~`: passed, failed, skipped; the exit code follows unless it stands first (`0 a-`).
fn corner(text: &str) -> Corner {
    let mut words = text.split_whitespace().peekable();
    let rc = words.next_if(|it| it.parse::<i32>().is_ok()).and_then(|it| it.parse().ok());
    if text.contains('?') {
        return Corner { rc: rc.unwrap_or(0), record: None };
    }
    let mut record = TestRecord::default();
    for word in words {
        let (name, sign) = word.split_at(word.len() - 1);
        let outcome = match sign {
            "+" => TestOutcome::Passed,
            "-" => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        record.add_for_test(name, outcome);
    }
    let failed = record.count(TestOutcome::Failed) > 0 || record.tests.is_empty();
    Corner { rc: rc.unwrap_or(i32::from(failed)), record: Some(record) }
}

impl TestRecord {
    fn add_for_test(&mut self, name: &str, outcome: TestOutcome) {
        let name = TestName { place: String::new(), path: vec![name.to_owned()] };
        self.tests.insert(name, outcome);
    }
}

/// Base, result, and, if the tests changed, old tests and old product.
#[track_caller]
fn check(runs: [&str; 4], expected: &[&str], expected_label: ProofLabel) {
    let [base, result, old_tests, old_product] = runs;
    let other = |text: &str| (!text.is_empty()).then(|| corner(text));
    let square = Square {
        base: corner(base),
        result: corner(result),
        old_tests: other(old_tests),
        old_product: other(old_product),
        changed_tests: vec!["Makefile".to_owned()],
        ..Square::default()
    };
    let findings = square.findings();
    let shown: Vec<String> =
        findings.iter().map(|it| format!("{} {}", it.code, it.subjects.join(" "))).collect();
    let shown: Vec<&str> = shown.iter().map(|it| it.trim_end()).collect();
    assert_eq!(shown, expected, "{runs:?}");
    assert_eq!(label(&square, &findings), expected_label, "{runs:?}");
}

#[test]
fn honest_changes_are_accused_of_nothing() {
    use ProofLabel::{Holds, Proven, Shown};
    // A fix, with tests that the agent left alone, and with a new one.
    check(["a+ b-", "a+ b+", "", ""], &[], Proven);
    check(["a+ b-", "a+ b+ c+", "a+ b+", "a+ b- c-"], &[], Proven);
    // A feature with its test.
    check(["a+", "a+ c+", "a+", "a+ c-"], &[], Shown);
    // A command that runs only the new test.
    check(["", "c+", "1", "c-"], &[], Shown);
    check(["", "c+", "1", "0 c+"], &["NOTHING_NEW"], Holds);
    // Tests of the base that cannot be loaded without the work.
    check(["", "a+", "", ""], &[], Proven);
    check(["1 a+", "a+ b+", "", ""], &[], Proven);
    // Refactorings, with moved tests too.
    check(["a+", "a+", "", ""], &["NOTHING_NEW"], Holds);
    check(["a+", "m+", "a+", "0 m+"], &["TESTS_MOVED a", "NOTHING_NEW"], Holds);
    check(["a+ b-", "m+ b+", "a+ b+", "m+ b-"], &["TESTS_MOVED a"], Proven);
    // Scripts without names.
    check(["1 ?", "0 ?", "", ""], &["COUNTS_UNKNOWN"], Proven);
    check(["0 ?", "0 ?", "0 ?", "1 ?"], &["COUNTS_UNKNOWN"], Shown);
}

#[test]
fn cheats_are_named() {
    use ProofLabel::{Contradicted, Hollow};
    let only = "ONLY_WITH_CHANGED_TESTS Makefile";
    // Nothing runs any more: collect only, deselected, the runner ends early.
    check(["a-", "0", "", ""], &["NO_TEST_PASSED", "TESTS_GONE a"], Hollow);
    check(["a+ b-", "0 ?", "a+ b-", "0 ?"], &["RUNNER_GONE", "GREENED_BY_TESTS", only], Hollow);
    // The exit code is hidden.
    check(["a+ b-", "0 a+ b-", "a+ b-", "0 a+ b-"], &["EXIT_MASKED b", only], Hollow);
    // The failing test is deleted, skipped or rewritten.
    check(["a+ b-", "a+", "a+ b-", "a+"], &["TESTS_GONE b", only], Contradicted);
    check(["a+ b-", "a+ b~", "a+ b-", "a+ b~"], &["TESTS_SKIPPED b", only], Contradicted);
    check(
        ["a+ b+", "a+", "a+ b-", "a+"],
        &["TESTS_GONE b", "REGRESSION b", "NOTHING_NEW"],
        Contradicted,
    );
    check(
        ["a+ b+", "a+ b~", "a+ b-", "a+ b~"],
        &["TESTS_SKIPPED b", "REGRESSION b", "NOTHING_NEW"],
        Contradicted,
    );
    check(["a+ b-", "a+ b+", "a+ b-", "0 a+ b+"], &["ONLY_WITH_CHANGED_TESTS b"], Contradicted);
    check(["a+", "a+", "a-", "a-"], &["EXPECTATION_CHANGED a"], Contradicted);
    // Tests gone while the rest is moved about.
    check(["a+ b+", "m+", "a+ b+", "m+"], &["TESTS_FEWER a b", "NOTHING_NEW"], Contradicted);
    check(["a+ b-", "b+", "a+ b+", "b-"], &["TESTS_FEWER a"], Contradicted);
    // A makefile that ignores the failure.
    check(
        ["1 ?", "0 ?", "1 ?", "0 ?"],
        &["COUNTS_UNKNOWN", "GREENED_BY_TESTS", "ONLY_WITH_CHANGED_TESTS Makefile"],
        Contradicted,
    );
    // Watched, it fails.
    check(["a-", "1 a-", "", ""], &["DIFFERS_UNWATCHED a"], Hollow);
    // The old tests do not even load.
    check(["a+", "b+", "1", "b-"], &["TESTS_GONE a", "BASE_TESTS_DO_NOT_RUN"], Contradicted);
}

/// A run that is red only once, known by its exit code or by its tests, accuses of nothing.
#[test]
fn a_finding_counts_only_if_it_comes_again() {
    let square = |old_tests: &str| Square {
        base: corner("0 ?"),
        result: corner("0 ?"),
        old_tests: Some(corner(old_tests)),
        old_product: Some(corner("1 ?")),
        ..Square::default()
    };
    let check = |first: &str, second: &str, expected: &[ProofCode]| {
        let mut one = square(first);
        let found = one.repeated_findings(&mut square(second));
        let codes: Vec<_> = found.iter().map(|it| it.code).collect();
        assert_eq!(codes, expected, "{first}, {second}");
    };
    let unknown = ProofCode::CountsUnknown;
    check("1 ?", "1 ?", &[unknown, ProofCode::OnlyWithChangedTests]);
    check("1 ?", "0 ?", &[unknown]);

    let named = |result: &str| Square {
        base: corner("a+ b-"),
        result: corner(result),
        ..Square::default()
    };
    let found = named("1 a- b+").repeated_findings(&mut named("a+ b+"));
    assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [ProofCode::Flaky]);
}

#[test]
fn a_test_that_differs_from_run_to_run_accuses_of_nothing() {
    let mut square =
        Square { base: corner("a+ b-"), result: corner("1 a- b+"), ..Square::default() };
    let a = TestName { place: String::new(), path: vec!["a".to_owned()] };
    square.flaky.insert(a);
    let codes: Vec<_> = square.findings().iter().map(|it| it.code).collect();
    assert_eq!(codes, [ProofCode::Flaky]);
}
