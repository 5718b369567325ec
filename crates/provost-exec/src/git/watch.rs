//! Ending a git command before its time.

use std::fmt;

use crate::{Canceller, ExecError, Outcome, Running};

/// Somebody who may want the end of a command while it runs.
pub trait Watch: fmt::Debug + Send + Sync {
    /// Calls `wait` once, and sees to it that `job` is cancelled if the end is asked for before
    /// `wait` returns, or was asked for already.
    fn during(&self, job: Canceller, wait: &mut dyn FnMut());
}

/// Waits for a command under the eyes of its watch; none when the watch did not let it be waited
/// for. The command is over in any case.
pub(super) fn wait(
    running: Running,
    watch: Option<&dyn Watch>,
) -> Option<Result<Outcome, ExecError>> {
    let Some(watch) = watch else { return Some(running.wait_raw()) };
    let job = running.canceller();
    let mut running = Some(running);
    let mut outcome = None;
    watch.during(job, &mut || {
        if let Some(running) = running.take() {
            outcome = Some(running.wait_raw());
        }
    });
    outcome
}
