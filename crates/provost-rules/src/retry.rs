//! When a model is asked again: the one retry policy of judges, learning and evals.
//!
//! Delays double from the first to the longest. A server that names a time is not asked before it,
//! and everything stays within the deadline of the call.

use std::time::Duration;

use provost_kernel::model::FailureClass;

/// How often a call is repeated, and after which delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How many times, after the first.
    pub retries: u32,
    /// The first delay. Each further one is twice as long.
    pub first: Duration,
    pub longest: Duration,
}

/// A server that wants more time than this is not waited for within a call.
const PATIENCE: Duration = Duration::from_mins(1);

impl RetryPolicy {
    /// A judge: one call decides over an attempt, so it is patient.
    pub const JUDGE: Self =
        Self { retries: 4, first: Duration::from_secs(1), longest: Duration::from_secs(30) };
    /// A learning run: another endpoint may answer sooner.
    pub const LEARNING: Self =
        Self { retries: 3, first: Duration::from_millis(500), longest: Duration::from_secs(20) };

    /// A model that is evaluated: short delays, because a run has many cases.
    pub const fn eval(retries: u32) -> Self {
        Self { retries, first: Duration::from_millis(250), longest: Duration::from_secs(20) }
    }

    /// A program: the next process waits for nothing.
    pub const fn program(retries: u32) -> Self {
        Self { retries, first: Duration::ZERO, longest: Duration::ZERO }
    }

    /// The delay before a call that failed is repeated; none if it is not.
    ///
    /// `retried` counts the repetitions so far, `wanted` is the time that the server asked for,
    /// and `left` is what is left until the deadline.
    pub fn delay(
        &self,
        class: FailureClass,
        retried: u32,
        wanted: Option<Duration>,
        left: Duration,
    ) -> Option<Duration> {
        match class {
            FailureClass::Transient | FailureClass::RateLimited => {}
            FailureClass::QuotaExhausted
            | FailureClass::TimedOut
            | FailureClass::Unauthorized
            | FailureClass::Permanent
            | FailureClass::NotRecorded
            | FailureClass::Cancelled => return None,
        }
        let delay = self.backoff(retried).max(wanted.unwrap_or_default());
        (retried < self.retries && delay <= PATIENCE && delay < left).then_some(delay)
    }

    /// The delay after so many failures before this one.
    pub fn backoff(&self, failures: u32) -> Duration {
        self.first.saturating_mul(1 << failures.min(16)).min(self.longest)
    }
}

/// How a call failed that a server refused with a status and perhaps a word for the error.
pub fn status_class(status: u16, word: Option<&str>) -> FailureClass {
    match (status, word) {
        (401 | 403, _) => FailureClass::Unauthorized,
        // The account is empty: no pause helps.
        (402, _) | (429, Some("insufficient_quota")) => FailureClass::QuotaExhausted,
        (429, _) => FailureClass::RateLimited,
        (408 | 409 | 425 | 500..=599, _) => FailureClass::Transient,
        _ => FailureClass::Permanent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const POLICY: RetryPolicy =
        RetryPolicy { retries: 5, first: SECOND, longest: Duration::from_secs(5) };

    #[test]
    fn the_delays_double_up_to_the_longest_and_end() {
        let delays: Vec<Option<u64>> = (0..7)
            .map(|it| POLICY.delay(FailureClass::Transient, it, None, SECOND * 100))
            .map(|it| it.map(|it| it.as_secs()))
            .collect();
        assert_eq!(delays, [Some(1), Some(2), Some(4), Some(5), Some(5), None, None]);
        assert_eq!(
            RetryPolicy::program(1).delay(FailureClass::Transient, 0, None, SECOND),
            Some(Duration::ZERO)
        );
        assert_eq!(RetryPolicy::program(0).delay(FailureClass::Transient, 0, None, SECOND), None);
        assert_eq!(POLICY.backoff(u32::MAX), SECOND * 5);
    }

    #[test]
    fn a_server_is_asked_again_within_reason() {
        let check = |class, wanted: Option<u64>, left: u32, expected: Option<u64>| {
            let wanted = wanted.map(Duration::from_secs);
            let delay = POLICY.delay(class, 1, wanted, SECOND * left);
            assert_eq!(delay.map(|it| it.as_secs()), expected, "{class:?} {wanted:?} {left}");
        };
        let (busy, down) = (FailureClass::RateLimited, FailureClass::Transient);
        check(down, None, 100, Some(2));
        check(down, None, 2, None);
        check(down, None, 3, Some(2));
        check(busy, None, 100, Some(2));
        // The server's wish counts, but not against the delays.
        check(busy, Some(7), 100, Some(7));
        check(down, Some(7), 100, Some(7));
        check(busy, Some(0), 100, Some(2));
        check(busy, Some(60), 100, Some(60));
        check(busy, Some(61), 100, None);
        check(busy, Some(50), 50, None);
        for class in [
            FailureClass::QuotaExhausted,
            FailureClass::TimedOut,
            FailureClass::Unauthorized,
            FailureClass::Permanent,
            FailureClass::NotRecorded,
            FailureClass::Cancelled,
        ] {
            check(class, None, 100, None);
            check(class, Some(1), 100, None);
        }
    }

    #[test]
    fn a_status_says_how_the_call_failed() {
        let check = |class: FailureClass, statuses: &[u16]| {
            for &status in statuses {
                assert_eq!(status_class(status, None), class, "{status}");
            }
        };
        check(FailureClass::Unauthorized, &[401, 403]);
        check(FailureClass::QuotaExhausted, &[402]);
        check(FailureClass::RateLimited, &[429]);
        check(FailureClass::Transient, &[408, 409, 425, 500, 502, 503, 504, 529]);
        check(FailureClass::Permanent, &[301, 308, 400, 404, 405, 413, 422, 600]);
        assert_eq!(status_class(429, Some("insufficient_quota")), FailureClass::QuotaExhausted);
        assert_eq!(status_class(429, Some("rate_limit_exceeded")), FailureClass::RateLimited);
    }
}
