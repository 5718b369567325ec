//! How far a run is, for somebody who watches it.

use provost_kernel::learn::Spent;

/// Somebody who is told how far a run is.
pub struct Watch<'a>(pub &'a (dyn Fn(&Progress) + Sync));

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// `left` is how many answers to tickets may still be asked for, in all epochs.
    Judged {
        epoch: u32,
        done: usize,
        of: usize,
        calls: u64,
        replayed: u64,
        spent: Spent,
        left: u64,
    },
    Reflected {
        cycle: u64,
        applied: bool,
        rejects: usize,
        rules: usize,
    },
    Epoch {
        epoch: u32,
        correct: u64,
        of: u64,
    },
    Measuring {
        of: usize,
    },
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

impl Watch<'_> {
    pub(super) fn tell(&self, progress: &Progress) {
        (self.0)(progress);
    }
}
