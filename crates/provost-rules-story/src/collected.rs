//! How many tests a runner says that it found, read from what it printed.
//!
//! The count can only lower what an exit code says: a runner that found nothing proves nothing.
//! Of what is not known, nothing is said.

use std::sync::LazyLock;

use provost_kernel::story::TestFacts;
use regex::Regex;

use super::evidence::CommandRun;

/// The summaries of the runners. `n` are tests that ran, `s` those that were skipped, and a
/// summary that names its total has it as `t`.
static SUMMARIES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        // cargo test
        r"(?m)^test result: \w+\. (?<n>\d+) passed; (?<m>\d+) failed; (?<s>\d+) ignored",
        // cargo nextest
        r"(?m)^\s*Summary \[[^\]]*\]\s+(?<n>\d+) tests? run:[^\n]*?(?:(?<s>\d+) skipped)?$",
        // jest
        r"(?m)^Tests:\s+(?:\d+ failed, )?(?:(?<s>\d+) (?:skipped|todo), )?(?:\d+ passed, )?(?<t>\d+) total",
        // vitest
        r"(?m)^\s*Tests\s+[^\n(]*?(?:(?<s>\d+) skipped)?\s*\((?<t>\d+)\)",
        // unittest
        r"(?m)^Ran (?<n>\d+) tests? in ",
        // node's own runner, TAP
        r"(?m)^(?:#|ℹ) tests (?<n>\d+)$",
        // mocha
        r"(?m)^\s+(?<n>\d+) passing \(",
    ];
    // A pattern that does not compile is left out; a test holds that none is.
    patterns.iter().filter_map(|it| Regex::new(it).ok()).collect()
});
static PYTEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:=+ )?((?:\d+ \w+(?:, )?)+|no tests ran) in [\d.:]+").ok()
});
static GO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?<run>=== RUN )|^(?:ok|\?)\s+\S+\s.*(?<none>\[no test(?:s to run| files)\])$|^(?<ok>ok)\s+\S+\s+(?:\(cached\)|[\d.]+s)$").ok()
});

/// Reads the summaries in an output; several are added up.
pub fn read(output: &str) -> TestFacts {
    let mut facts = TestFacts::default();
    for pattern in &*SUMMARIES {
        for found in pattern.captures_iter(output) {
            let number = |name: &str| found.name(name).and_then(|it| it.as_str().parse().ok());
            let skipped: Option<u64> = number("s");
            let total: Option<u64> = number("t");
            let ran = number("n").map(|it: u64| {
                it.saturating_add(number("m").unwrap_or(0)).saturating_add(skipped.unwrap_or(0))
            });
            add(&mut facts, total.or(ran), skipped);
        }
    }
    pytest(output, &mut facts);
    go(output, &mut facts);
    facts
}

/// What a command that ran found.
pub fn of_run(run: &CommandRun) -> TestFacts {
    match run {
        CommandRun::Ended { output, .. } => read(output),
        CommandRun::NotRun { .. } => TestFacts::default(),
    }
}

/// Both together; what is not known of one is what is known of the other.
pub fn sum(mut facts: TestFacts, more: TestFacts) -> TestFacts {
    add(&mut facts, more.collected, more.skipped);
    facts
}

fn pytest(output: &str, facts: &mut TestFacts) {
    let lines = PYTEST.iter().flat_map(|it| it.captures_iter(output));
    for summary in lines.filter_map(|it| it.get(1)) {
        let (mut collected, mut skipped) = (0, None);
        for part in summary.as_str().split(", ") {
            let Some((number, word)) = part.split_once(' ') else { continue };
            let number: u64 = number.parse().unwrap_or(0);
            match word {
                "passed" | "failed" | "xfailed" | "xpassed" | "error" | "errors" => {
                    collected += number;
                }
                "skipped" => {
                    collected += number;
                    skipped = Some(number);
                }
                _ => {}
            }
        }
        add(facts, Some(collected), skipped);
    }
}

fn go(output: &str, facts: &mut TestFacts) {
    let (mut ran, mut empty, mut quiet) = (0, 0_u64, 0_u64);
    for found in GO.iter().flat_map(|it| it.captures_iter(output)) {
        ran += u64::from(found.name("run").is_some());
        empty += u64::from(found.name("none").is_some());
        quiet += u64::from(found.name("ok").is_some());
    }
    // Without `-v`, a package that passed does not say how many tests it has.
    if ran > 0 {
        add(facts, Some(ran), None);
    } else if empty > 0 && quiet == 0 {
        add(facts, Some(0), None);
    }
}

fn add(facts: &mut TestFacts, collected: Option<u64>, skipped: Option<u64>) {
    let plus = |sum: Option<u64>, more: Option<u64>| match (sum, more) {
        (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
        (sum, more) => sum.or(more),
    };
    facts.collected = plus(facts.collected, collected);
    facts.skipped = plus(facts.skipped, skipped);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, collected: impl Into<Option<u64>>, skipped: impl Into<Option<u64>>) {
        let expected = TestFacts { collected: collected.into(), skipped: skipped.into() };
        assert_eq!(read(output), expected, "{output}");
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(SUMMARIES.len(), 7);
        assert!(PYTEST.is_some() && GO.is_some());
    }

    #[test]
    fn the_summaries_of_runners_are_understood() {
        check("ok\n", None, None);
        check(
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out\n\
             test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured\n",
            9,
            1,
        );
        check("test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out", 0, 0);
        check("     Summary [   0.1s] 12 tests run: 12 passed, 3 skipped\n", 15, 3);
        check("     Summary [   0.1s] 1 test run: 1 passed\n", 1, None);
        check("Tests:       1 skipped, 5 passed, 6 total\n", 6, 1);
        check("Tests:       0 total\n", 0, None);
        check("      Tests  5 passed | 1 skipped (6)\n", 6, 1);
        check("Ran 3 tests in 0.001s\n\nOK\n", 3, None);
        check("Ran 0 tests in 0.000s\n", 0, None);
        check("# tests 4\n# pass 4\n", 4, None);
        check("  5 passing (3ms)\n", 5, None);
        check("==== 3 passed, 1 skipped, 2 warnings in 0.12s ====\n", 4, 1);
        check("3 passed in 0.12s\n", 3, None);
        check("==== no tests ran in 0.01s ====\n", 0, None);
        check("=== RUN   TestA\n--- PASS: TestA (0.00s)\nok  \tx/y\t0.003s\n", 1, None);
        check("ok  \tx/y\t0.003s [no tests to run]\n", 0, None);
        check("?   \tx/y\t[no test files]\nok  \tx/z\t(cached)\n", None, None);
    }

    /// What a test prints in passing is no summary.
    #[test]
    fn prose_is_no_summary() {
        check("all 5 passed\nTests are good\nI ran 3 tests in my head\n", None, None);
    }
}
