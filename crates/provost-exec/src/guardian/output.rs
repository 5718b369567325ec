//! The cap on what a job may print, kept without stopping the job.
//!
//! The raw files are the guardian's own standard output and error, and the job appends to them.
//! Whenever one is over the cap it is cut back, and the job goes on writing behind the cut. So a
//! flood costs the disk a moment's worth of it, and the job neither blocks nor dies.

use std::os::fd::BorrowedFd;

use rustix::{
    fs::{fstat, ftruncate},
    stdio::{stderr, stdout},
};

#[derive(Debug)]
pub(super) struct Output {
    cap: u64,
    pub(super) stdout_dropped: u64,
    pub(super) stderr_dropped: u64,
}

impl Output {
    pub(super) fn new(cap: u64) -> Self {
        Self { cap, stdout_dropped: 0, stderr_dropped: 0 }
    }

    /// Cuts both files back to the cap.
    pub(super) fn trim(&mut self) {
        self.stdout_dropped += cut(stdout(), self.cap);
        self.stderr_dropped += cut(stderr(), self.cap);
    }
}

/// Cuts one file and says by how much. What is written between the two calls is not counted.
fn cut(file: BorrowedFd<'_>, cap: u64) -> u64 {
    let size = fstat(file).ok().and_then(|it| u64::try_from(it.st_size).ok()).unwrap_or(0);
    if size > cap && ftruncate(file, cap).is_ok() { size - cap } else { 0 }
}
