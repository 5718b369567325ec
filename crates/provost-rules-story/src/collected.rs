//! How many tests a runner says that it found, read from what it printed.
//!
//! The count can only lower what an exit code says: a runner that found nothing proves nothing.
//! What is not known stays unknown. The summaries stand in the table of ecosystems.

use provost_kernel::story::TestFacts;
use provost_rules::ecosystem::{self, Runner};

use super::evidence::CommandRun;

/// Reads the summaries in an output; several are added up.
pub fn read(output: &str) -> TestFacts {
    let runners = ecosystem::all().iter().flat_map(|it| &it.runners);
    runners.fold(TestFacts::default(), |facts, it| sum(facts, of_runner(it, output)))
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

fn of_runner(runner: &Runner, output: &str) -> TestFacts {
    let mut facts = TestFacts::default();
    let (mut single, mut is_empty, mut is_unknown) = (0, false, false);
    for found in runner.summary.captures_iter(output) {
        let has = |group: &str| found.name(group).is_some();
        let number = |group: &str| found.name(group).and_then(|it| it.as_str().parse::<u64>().ok());
        single += u64::from(has("one"));
        is_empty |= has("none");
        is_unknown |= has("unknown");
        if let Some(parts) = found.name("parts") {
            let (collected, skipped) = count(runner, parts.as_str());
            add(&mut facts, Some(collected), skipped);
        }
        let skipped = number("skipped");
        let ran = number("ran").map(|it| {
            it.saturating_add(number("failed").unwrap_or(0)).saturating_add(skipped.unwrap_or(0))
        });
        add(&mut facts, number("total").or(ran), skipped);
    }
    if single > 0 {
        add(&mut facts, Some(single), None);
    } else if is_empty && !is_unknown {
        add(&mut facts, Some(0), None);
    }
    facts
}

/// The tests in a list such as `3 passed, 1 skipped, 2 warnings`, and how many were skipped.
fn count(runner: &Runner, parts: &str) -> (u64, Option<u64>) {
    let (mut collected, mut skipped) = (0_u64, None);
    for (number, word) in parts.split(", ").filter_map(|it| it.split_once(' ')) {
        let number: u64 = number.parse().unwrap_or(0);
        let is_in = |list: &[String]| list.iter().any(|it| it == word);
        if is_in(&runner.skipped) {
            skipped = Some(number);
        }
        if is_in(&runner.skipped) || is_in(&runner.counted) {
            collected = collected.saturating_add(number);
        }
    }
    (collected, skipped)
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

    #[test]
    fn prose_is_not_taken_for_a_summary() {
        check("all 5 passed\nTests are good\nI ran 3 tests in my head\n", None, None);
    }
}
