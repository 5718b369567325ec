//! How a replace is retried where the target may be held by another process (HOOK-2.3).
//!
//! POSIX replaces a file that others have open; Windows refuses while they do. The policy is a
//! pure function, so that it is tested on every platform; only `disk/windows.rs` applies it.

use std::time::Duration;

/// When to try a replace again, and when to report that it cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    pub first_wait: Duration,
    pub longest_wait: Duration,
    pub deadline: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            first_wait: Duration::from_millis(10),
            longest_wait: Duration::from_millis(200),
            deadline: Duration::from_secs(2),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after so many failed tries, or nothing when it is time to give up.
    ///
    /// The waits double up to the longest one, and the last one ends at the deadline, never
    /// after it: a process that gave up has tried once more at the very end.
    pub fn wait_before(self, failed_tries: u32, elapsed: Duration) -> Option<Duration> {
        let left = self.deadline.checked_sub(elapsed).filter(|it| !it.is_zero())?;
        let doublings = failed_tries.saturating_sub(1).min(16);
        let wait = self.first_wait.saturating_mul(1 << doublings);
        Some(wait.min(self.longest_wait).min(left))
    }
}

/// Whether a Windows error code means that another process holds the target: access denied,
/// sharing violation, lock violation. Every other error is reported at once.
pub fn is_held_by_another(code: i32) -> bool {
    matches!(code, 5 | 32 | 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(failed_tries: u32, elapsed_ms: u64, expected_ms: Option<u64>) {
        let wait =
            RetryPolicy::default().wait_before(failed_tries, Duration::from_millis(elapsed_ms));
        assert_eq!(wait, expected_ms.map(Duration::from_millis), "{failed_tries}, {elapsed_ms}");
    }

    /// HOOK-2.3.
    #[test]
    fn a_held_target_is_retried_until_the_deadline_and_then_reported() {
        check(1, 0, Some(10));
        check(2, 10, Some(20));
        check(5, 150, Some(160));
        check(6, 310, Some(200));
        check(u32::MAX, 1_000, Some(200));
        check(9, 1_950, Some(50));
        check(10, 2_000, None);
        check(1, 9_999, None);
    }

    /// HOOK-2.3.
    #[test]
    fn only_a_held_target_is_retried() {
        for code in [5, 32, 33] {
            assert!(is_held_by_another(code), "{code}");
        }
        for code in [0, 2, 3, 112, -1] {
            assert!(!is_held_by_another(code), "{code}");
        }
    }
}
