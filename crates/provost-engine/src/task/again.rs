//! What an attempt takes from an earlier one.

use provost_kernel::AttemptNumber;

/// What the next attempt takes from an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// The prompt of this attempt.
    Rerun(AttemptNumber),
    /// The result, which is tested and judged again without the coder.
    Rejudge,
}

impl Again {
    /// The attempt whose prompt is used again.
    pub(super) fn prompt_of(again: Option<Self>) -> Option<AttemptNumber> {
        match again {
            Some(Self::Rerun(attempt)) => Some(attempt),
            Some(Self::Rejudge) | None => None,
        }
    }
}
