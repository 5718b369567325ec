//! Titles of tests, which runners look for and do not run.

use provost_shell::{Program, Trait};

const TITLE_OPTIONS: [&str; 6] = ["--fgrep", "--grep", "--match", "--testNamePattern", "-g", "-t"];

/// What may stand before the name of a runner, and starts nothing else.
const TEST_STARTERS: [&str; 9] =
    ["--no-install", "--yes", "-y", "bunx", "dlx", "exec", "npx", "pnpm", "yarn"];

/// Whether the word that follows these is a title that a runner of tests looks for.
pub(super) fn is_title_of_test(before: &[String]) -> bool {
    let mut words = before.iter().map(String::as_str);
    let runner = words.find(|it| !TEST_STARTERS.contains(it)).unwrap_or_default();
    // `jest@29`: a version may follow the name.
    let name = runner.split('@').next().unwrap_or_default();
    Program::of(name).is(Trait::RunsTests)
        && words.next_back().is_some_and(|it| TITLE_OPTIONS.contains(&it))
}
