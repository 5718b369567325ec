//! The preparation and the test of a repository, tried once as a task would run them: in clean
//! checkouts of a revision, in the sandbox, without an agent.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use provost_kernel::{
    message::Phrase,
    task::{BaseTest, Check, CheckRun, TestOutcome},
};
use serde::Serialize;

use super::bench::Bench;
use crate::{
    Engine, EngineError,
    preparation::{Layer, Preparation},
    proof::Prover,
};

/// How long the test may take.
const TEST: Duration = Duration::from_mins(10);
/// How many failed tests are named.
const NAMED: usize = 5;

/// What is told while a trial goes on.
#[derive(Clone, Copy, Debug)]
pub enum TrialUpdate<'a> {
    /// A command of the preparation, the test, or another check.
    Starts(&'a str),
    Prepared(&'a TrialStep),
}

/// One command of the preparation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrialStep {
    pub command: String,
    pub phase: TrialPhase,
    pub rc: i32,
    /// Whether nothing can be tested where it fails.
    pub must_succeed: bool,
    pub wall_ms: u64,
    /// The last line that it printed, without secrets.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_line: String,
}

/// What a command of the preparation may do, or that it was not needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialPhase {
    Fetch,
    Build,
    /// What it installs is there already.
    Reused,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trial {
    pub steps: Vec<TrialStep>,
    /// Lock files that are not followed, and why.
    pub not_installed: Vec<Phrase>,
    pub test: TrialTest,
    /// The checks besides it; none where the checkout could not be made ready.
    pub checks: Vec<CheckRun>,
}

/// How the test came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum TrialTest {
    /// No test command is known.
    None,
    /// The checkout could not be made ready.
    NotPrepared {
        why: Phrase,
    },
    /// The program that runs the tests is not there.
    CannotRun {
        why: Phrase,
    },
    Ran(TrialRun),
}

/// A test that ran to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrialRun {
    pub rc: i32,
    pub wall_ms: u64,
    /// How many tests there were; none where the runner is not one that is recorded.
    pub counts: Option<TestCounts>,
    /// The first tests that failed, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_line: String,
}

/// How tests came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TestCounts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl TrialRun {
    /// Whether the command succeeded and ran a test, as far as tests are counted.
    pub fn is_green(&self) -> bool {
        self.rc == 0 && !self.is_empty()
    }

    /// Whether it is known that not one test ran.
    pub fn is_empty(&self) -> bool {
        self.counts.is_some_and(|it| it.passed + it.failed == 0)
    }
}

impl TrialTest {
    pub fn is_green(&self) -> bool {
        matches!(self, Self::Ran(run) if run.is_green())
    }
}

/// Tries a revision: what it needs is installed, and the command and the checks are run, each in a
/// checkout of its own.
pub fn try_out(
    engine: Engine<'_>,
    repository: &Path,
    revision: &str,
    (command, checks): (Option<&str>, &[Check]),
    watch: &mut dyn FnMut(TrialUpdate<'_>),
) -> Result<Trial, EngineError> {
    let bench = Bench::open(&engine, repository, revision)?;
    let preparation = Preparation::of(&engine, &bench.git, &bench.clone, &bench.clone.base)?;
    let left_out = preparation.left_out().iter().map(Phrase::of);
    let missing = preparation.missing().iter().map(Phrase::of);
    let not_installed = left_out.chain(missing).collect();
    let mut steps = Vec::new();
    let layer = match bench.layer(&preparation, &mut steps, watch)? {
        Ok(layer) => layer,
        Err(why) => {
            let test = TrialTest::NotPrepared { why: Phrase(why.text()) };
            return Ok(Trial { steps, not_installed, test, checks: Vec::new() });
        }
    };
    let test = match command {
        Some(command) => {
            watch(TrialUpdate::Starts(command));
            test(&bench, command, layer.as_ref())?
        }
        None => TrialTest::None,
    };
    let mut runs = Vec::with_capacity(checks.len());
    for check in checks {
        // What could not be installed for the test is not there for a check.
        if matches!(test, TrialTest::NotPrepared { .. }) || engine.interrupt.signal().is_some() {
            break;
        }
        watch(TrialUpdate::Starts(&check.command));
        let (source, folder) = ((&bench.clone, layer.as_ref()), bench.proofs()?);
        let mut prover = Prover::new(bench.engine, source, folder, &check.command, TEST)?;
        runs.push(prover.check(check, &bench.clone.base)?);
    }
    Ok(Trial { steps, not_installed, test, checks: runs })
}

/// Runs the command on the revision that is tried.
fn test(bench: &Bench<'_>, command: &str, layer: Option<&Layer>) -> Result<TrialTest, EngineError> {
    let folder = bench.proofs()?;
    let (clone, start_of) = (&bench.clone, Instant::now());
    let mut prover = Prover::new(bench.engine, (clone, layer), folder, command, TEST)?;
    let tested = prover.base()?;
    if let Some(why) = prover.not_ready() {
        return Ok(TrialTest::NotPrepared { why: Phrase(why.text()) });
    }
    if let Some(why) = prover.unrunnable(&tested) {
        return Ok(TrialTest::CannotRun { why: Phrase::of(&why) });
    }
    let last_line = prover.last_line().to_owned();
    Ok(TrialTest::Ran(run_of(&tested, millis(start_of.elapsed()), last_line)))
}

pub(super) fn run_of(tested: &BaseTest, wall_ms: u64, last_line: String) -> TrialRun {
    let count = |outcome| tested.count(outcome);
    let counts = tested.tests.as_ref().map(|_| TestCounts {
        passed: count(TestOutcome::Passed),
        failed: count(TestOutcome::Failed),
        skipped: count(TestOutcome::Skipped),
    });
    let failures = tested.failures().take(NAMED).map(ToString::to_string).collect();
    TrialRun { rc: tested.rc, wall_ms, counts, failures, last_line }
}

pub(super) fn millis(wall: Duration) -> u64 {
    u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)
}
