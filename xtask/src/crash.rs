//! The long crash tests: every simulated stop point, and 2,000 kills where the test command has 50.

use crate::{failure::Failure, process::Process};

/// How often each of the five tests kills what it started.
const KILLS: &str = "400";

/// The tests that stop a simulated disk after each step, and those that kill processes.
const TESTS: &str =
    "(package(provost-vault) & test(/^crash::/)) | (package(provost-testkit) & test(/kill/))";

/// Runs them one at a time, with their counts in the output.
pub(crate) fn run() -> Result<(), Failure> {
    let words = ["nextest", "run", "--workspace", "--profile", "crash", "--filterset", TESTS];
    Process::new("cargo", &words).environment("PROVOST_TEST_KILLS", KILLS).run()
}
