//! The long crash tests: what the test command does 50 times, 2,000 times.

use crate::{failure::Failure, process::Process};

/// How often each of the five tests kills what it started.
const KILLS: &str = "400";

/// Runs every test that kills processes, one at a time, with its counts in the output.
pub(crate) fn run() -> Result<(), Failure> {
    let words = [
        "nextest",
        "run",
        "--package",
        "provost-testkit",
        "--profile",
        "crash",
        "--filterset",
        "test(/kill/)",
    ];
    Process::new("cargo", &words).environment("PROVOST_TEST_KILLS", KILLS).run()
}
