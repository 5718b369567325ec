//! The one test command: everything that must hold before a change is merged.

use std::{
    num::NonZero,
    time::{Duration, Instant},
};

use crate::{
    build::{self, Alongside},
    codegen::{self, Mode},
    e2e,
    failure::Failure,
    install,
    instructions::{self, Counted},
    node, packages,
    process::Process,
    project, python, tidy,
};

struct Step {
    title: &'static str,
    work: fn() -> Result<(), Failure>,
}

/// What is quick comes first. nextest comes last, so that the output ends with its summary.
///
/// Every build uses the same profile and the same flags, so nothing is built twice: clippy and the
/// documentation share what they check, the last seven steps share what they build.
const STEPS: [Step; 12] = [
    Step { title: "tools: install what is missing", work: tools },
    Step { title: "format", work: || cargo(&["fmt", "--all", "--check"]) },
    Step {
        title: "tidy: layers, requirements, ignore rules, dependencies, sources",
        work: tidy::run,
    },
    Step {
        title: "clippy, warnings are errors",
        work: || cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    },
    Step { title: "documentation, warnings are errors", work: documentation },
    Step {
        title: "build the tests",
        work: || cargo(&["nextest", "run", "--workspace", "--profile", "ci", "--no-run"]),
    },
    Step {
        title: "generated files are unchanged",
        work: || codegen::run(Alongside::Tests, Mode::Check),
    },
    Step {
        title: "provost against itself: selfcheck, its gate, regress, calibrate",
        work: provost_itself,
    },
    Step {
        title: "examples in the documentation",
        work: || cargo(&["test", "--workspace", "--doc"]),
    },
    Step {
        title: "instructions of a hook: at most a tenth more than its figure",
        work: || instructions::run(Counted::Tests, instructions::Mode::Check),
    },
    Step { title: "the page, in a browser and over a real server", work: e2e::test },
    Step { title: "tests", work: tests },
];

/// Where the demo leaves its tasks. It replaces what an earlier run left.
const STAGE: &str = "target/selfcheck";

/// The checks of provost on itself, with the real engine: the tasks that the demo leaves, the
/// pipeline from end to end (with the decision vectors), the regression suite and the calibration
/// cases (LOOP-B20, LOOP-B21, LOOP-B23). A fresh checkout has no tasks of its own, so the demo makes
/// them.
const PROOFS: [&[&str]; 5] = [
    &["demo", "--quiet", "--keep", STAGE],
    &["selfcheck", "--home", "target/selfcheck/.provost"],
    &["selfcheck", "--gate"],
    &["regress"],
    &["calibrate"],
];

/// Runs every step and stops at the first that fails.
pub(crate) fn run() -> Result<(), Failure> {
    run_steps(&STEPS)
}

fn run_steps(steps: &[Step]) -> Result<(), Failure> {
    let count = steps.len();
    for (number, step) in (1..).zip(steps) {
        println!("[{number}/{count}] {}", step.title);
        let start = Instant::now();
        (step.work)().map_err(|it| it.within(&stopped(number, count, step, start.elapsed())))?;
        if number < count {
            println!("[{number}/{count}] done in {}", seconds(start.elapsed()));
        }
    }
    Ok(())
}

fn stopped(number: usize, count: usize, step: &Step, elapsed: Duration) -> String {
    format!("stopped at step {number} of {count}, {}, after {}", step.title, seconds(elapsed))
}

fn seconds(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

fn cargo(arguments: &[&str]) -> Result<(), Failure> {
    Process::new("cargo", arguments).run()
}

fn provost_itself() -> Result<(), Failure> {
    let provost = build::provost(Alongside::Tests)?;
    project::remove(STAGE)?;
    for arguments in PROOFS {
        println!("provost {}", arguments.join(" "));
        Process::new(&provost, arguments).run()?;
    }
    Ok(())
}

/// Two tests for each core: most of them wait for processes and for the disk half of their time.
fn tests() -> Result<(), Failure> {
    let threads = 2 * std::thread::available_parallelism().map_or(1, NonZero::get);
    let arguments = ["nextest", "run", "--workspace", "--profile", "ci"];
    Process::new("cargo", &[&arguments[..], &["--test-threads", &threads.to_string()]].concat())
        .environment("PATH", &python::path()?)
        .run()
}

/// Installs what the tests need and is missing.
pub(crate) fn tools() -> Result<(), Failure> {
    install::ensure(&install::TEST)?;
    if cfg!(target_os = "linux") {
        install::ensure(&install::LINUX)?;
    }
    python::ensure()?;
    node::ensure()?;
    packages::ensure()
}

fn documentation() -> Result<(), Failure> {
    Process::new("cargo", &["doc", "--workspace", "--no-deps"])
        .environment("RUSTDOCFLAGS", "-D warnings")
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_stops_the_command_and_is_named() {
        const FAILING: [Step; 3] = [
            Step { title: "one", work: || Ok(()) },
            Step { title: "two", work: || Err(Failure::Refused("two is red".to_owned())) },
            Step { title: "three", work: || Err(Failure::Refused("three ran".to_owned())) },
        ];
        let failure = run_steps(&FAILING).unwrap_err();
        let text = failure.to_string();
        assert!(text.starts_with("stopped at step 2 of 3, two, after "), "{text}");
        assert!(text.ends_with(" s: two is red"), "{text}");
        assert!(matches!(failure, Failure::Refused(_)));
    }

    /// LOOP-B20, LOOP-B21, LOOP-B23: the test command runs the checks of provost itself.
    #[test]
    fn provost_is_held_against_itself() {
        let lines = PROOFS.map(|it| it.join(" "));
        for line in ["selfcheck --gate", "regress", "calibrate"] {
            assert!(lines.contains(&line.to_owned()), "{line}");
        }
        let home = format!("selfcheck --home {STAGE}/.provost");
        let [demo, selfcheck] = [format!("demo --quiet --keep {STAGE}"), home]
            .map(|line| lines.iter().position(|it| *it == line).expect("a proof"));
        assert!(demo < selfcheck, "the tasks exist before they are checked");
        assert!(STEPS.iter().any(|it| it.title.starts_with("provost against itself")));
    }

    #[test]
    fn the_output_ends_with_the_summary_of_the_tests() {
        assert_eq!(STEPS.last().map(|it| it.title), Some("tests"));
    }
}
