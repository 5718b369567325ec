//! How a file looked: while that stays the same, so do its bytes.

use provost_kernel::Millis;

/// How a file looked. Replacing a file, writing into it, and setting its times back each leave another
/// stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub(crate) len: u64,
    /// Which file it is, whatever its name.
    pub(crate) identity: (u64, u64),
    /// When its bytes were written, in nanoseconds.
    pub(crate) modified: i128,
    /// When anything about it was changed; people cannot set this time.
    pub(crate) changed: i128,
}

/// The clocks of file systems go in steps of some milliseconds: what is written within one step of the
/// last write leaves the same stamp.
const STEP: i128 = 100_000_000;
const NANOS: i128 = 1_000_000;

impl Stamp {
    /// The length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.len
    }

    /// Whether whatever is written from now on leaves another stamp. One from the future never does.
    pub fn is_settled(&self, now: Millis) -> bool {
        i128::from(now.0) * NANOS >= self.changed.max(self.modified).saturating_add(STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_when_the_next_write_would_leave_another() {
        let stamp = |modified: i128, changed: i128| Stamp {
            len: 1,
            identity: (1, 2),
            modified: modified * NANOS,
            changed: changed * NANOS,
        };
        for (modified, changed, now, is_settled) in [
            (1_000, 1_000, 1_000, false),
            (1_000, 1_000, 1_099, false),
            (1_000, 1_000, 1_100, true),
            // Times that were set back, and ones of a clock that goes ahead.
            (0, 1_000, 1_050, false),
            (9_000, 1_000, 2_000, false),
            (1_000, 9_000, 2_000, false),
        ] {
            let stamp = stamp(modified, changed);
            assert_eq!(stamp.is_settled(Millis(now)), is_settled, "{stamp:?} {now}");
        }
    }
}
