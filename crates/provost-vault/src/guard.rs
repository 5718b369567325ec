//! The state of the guard: what hooks write, many short processes at once.
//!
//! Every file here is changed in one way: lock, read, modify, replace (HOOK-2.2). A corrupt one
//! is put aside, recorded and started empty (HOOK-2.5). Replays are the exception: they only
//! grow, a line at a time, and nothing is concluded from them.

mod modes;
mod replay;
mod spool;
mod tool_error;

use std::fmt;

use provost_kernel::Clock;

pub(crate) use self::tool_error::replace_tool_error;
pub use self::{
    replay::{Appended, Pruned},
    spool::Tracked,
    tool_error::Reaction,
};
use crate::{Action, Disk, FileError, Layout, Location, disk::open_in_folder};

/// The files of the guard in one home.
#[derive(Clone, Copy)]
pub struct GuardFiles<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    clock: &'a dyn Clock,
}

impl<'a, D: Disk> GuardFiles<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout, clock: &'a dyn Clock) -> Self {
        Self { disk, layout, clock }
    }
}

impl<D: Disk> fmt::Debug for GuardFiles<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardFiles").field("layout", &self.layout).finish_non_exhaustive()
    }
}

/// Does something while no other process can. Whoever dies in between frees the lock.
fn locked<D: Disk, T, E: From<FileError>>(
    disk: &D,
    lock: &Location,
    act: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let file = open_in_folder(disk, lock, |disk| disk.open_lock(lock))
        .map_err(FileError::on(Action::Open, lock))?;
    disk.lock(&file).map_err(FileError::on(Action::Lock, lock))?;
    let result = act();
    // The kernel frees the lock with the file at the latest.
    let _ = disk.unlock(&file);
    result
}
