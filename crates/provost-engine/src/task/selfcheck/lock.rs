//! Who runs a task, as far as its lock says so without being taken.

use provost_desk::Desk;
use provost_kernel::TaskId;
use provost_vault::{
    FileError, ProcessIdentity, RealDisk, Stored,
    lock::{Holder, STALE_AFTER},
    read_json,
};

/// Who holds the lock of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Nobody,
    /// Its holder ended without letting go.
    Gone,
    Alive,
}

impl Runner {
    pub(super) fn is_alive(self) -> bool {
        self == Self::Alive
    }
}

/// Reads the lock of a task; taking it would change what is looked at.
pub(super) fn runner(desk: &Desk, task: &TaskId) -> Result<Runner, FileError> {
    let holder = match read_json::<_, Holder>(&RealDisk, &desk.layout().task_lock(task))? {
        Stored::Absent => return Ok(Runner::Nobody),
        // The machine stopped while it was written: no process runs it.
        Stored::Corrupt(_) => return Ok(Runner::Gone),
        Stored::Present(holder) => holder,
    };
    if holder.released {
        return Ok(Runner::Nobody);
    }
    let now = desk.clock().millis();
    let silent = now.0.saturating_sub(holder.heartbeat.0);
    let is_here = holder.process.host == ProcessIdentity::current().host;
    let is_silent = !is_here && u128::from(silent) > STALE_AFTER.as_millis();
    Ok(if holder.process.is_running() && !is_silent { Runner::Alive } else { Runner::Gone })
}
