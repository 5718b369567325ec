//! What a run may still spend.
//!
//! Calls are counted in the order in which a run asks them, not in the order in which answers
//! arrive, so that a budget ends a run at the same place with any number of workers.

use provost_kernel::learn::{Budget, Spent};

/// So many questions in a row without an answer mean that nobody answers.
pub const SILENCE: usize = 16;

/// Whether one more question may be asked after so many calls that cost so much.
pub fn allows(budget: &Budget, calls: u64, spent: Spent) -> bool {
    let is_under = |cap: Option<u64>, used: u64| cap.is_none_or(|cap| used < cap);
    is_under(budget.max_model_calls, calls)
        && is_under(budget.max_tokens, spent.tokens())
        && is_under(budget.max_micro_usd, spent.micro_usd)
}

/// Whether one more call of reflection may be made in an epoch that has made so many (LEARN-5.2).
pub fn allows_reflection(max_calls_per_epoch: Option<u32>, calls: u64) -> bool {
    max_calls_per_epoch.is_none_or(|cap| calls < u64::from(cap))
}

/// Whether a change may still be applied in an epoch that has applied so many.
pub fn allows_change(change_cap_per_epoch: Option<u32>, changes: u64) -> bool {
    change_cap_per_epoch.is_none_or(|cap| changes < u64::from(cap))
}

/// Whether so many failures in a row mean that somebody should be asked who is known to answer.
pub fn is_silent(failures_in_a_row: usize) -> bool {
    failures_in_a_row >= SILENCE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_allows_until_it_is_reached() {
        let spent = Spent { prompt_tokens: 60, completion_tokens: 40, micro_usd: 5 };
        let check = |budget: Budget, calls, expected| {
            assert_eq!(allows(&budget, calls, spent), expected, "{budget:?} {calls}");
        };
        check(Budget::default(), u64::MAX, true);
        check(Budget { max_model_calls: Some(3), ..Budget::default() }, 2, true);
        check(Budget { max_model_calls: Some(3), ..Budget::default() }, 3, false);
        check(Budget { max_tokens: Some(101), ..Budget::default() }, 0, true);
        check(Budget { max_tokens: Some(100), ..Budget::default() }, 0, false);
        check(Budget { max_micro_usd: Some(6), ..Budget::default() }, 0, true);
        check(Budget { max_micro_usd: Some(5), ..Budget::default() }, 0, false);
    }

    /// LEARN-5.2: the cap counts decision and ops calls.
    #[test]
    fn reflection_and_changes_have_caps_of_their_own() {
        assert!(allows_reflection(None, 1_000));
        assert!(allows_reflection(Some(2), 1));
        assert!(!allows_reflection(Some(2), 2));
        assert!(allows_change(Some(1), 0));
        assert!(!allows_change(Some(1), 1));
    }

    #[test]
    fn silence_is_told_from_a_failure() {
        for (failures, expected) in [(0, false), (1, false), (15, false), (16, true)] {
            assert_eq!(is_silent(failures), expected, "{failures}");
        }
    }
}
