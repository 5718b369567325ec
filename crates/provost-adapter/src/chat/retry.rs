//! When a server is asked again, and what its refusals mean.
//!
//! The delays grow by themselves; a server that names a time is not asked before it. All of it
//! stays within the deadline of the call.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use jiff::fmt::rfc2822;
use provost_kernel::{Millis, Timestamp};
use serde::Deserialize;
use ureq::http::{HeaderMap, header};

use super::client::Tried;
use crate::{
    call_result::{CallOutcome, Failure, RetryAfter},
    log::Log,
};

/// How often a server is asked again, and after which delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// How many times, after the first.
    pub times: usize,
    /// The first delay. Each further one is twice as long.
    pub first: Duration,
    pub longest: Duration,
}

/// Something that may be over when the server is asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The quota, or a limit on the rate.
    Busy { retry_after: Option<RetryAfter> },
    /// The server could not do it.
    Server { status: u16, retry_after: Option<RetryAfter> },
    /// The connection did not come about, or broke off.
    Broken(String),
}

/// What to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Wait(Duration),
    GiveUp,
}

/// A server that wants more time than this is not waited for here; the engine may.
const PATIENCE: Duration = Duration::from_mins(1);

impl Default for Retries {
    fn default() -> Self {
        Self { times: 4, first: Duration::from_secs(1), longest: Duration::from_secs(30) }
    }
}

impl Retries {
    pub(super) fn delays(self) -> ExponentialBackoff {
        ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_factor(2.0)
            .with_max_times(self.times)
            .build()
    }
}

impl Trouble {
    /// What it means when nobody asks again.
    pub(super) fn outcome(self) -> CallOutcome {
        match self {
            Self::Busy { retry_after } => CallOutcome::Quota { retry_after },
            Self::Server { status, .. } => CallOutcome::Failed(Failure::Http { status }),
            Self::Broken(cause) => CallOutcome::Failed(Failure::Unreachable { cause }),
        }
    }

    fn retry_after(&self) -> Option<RetryAfter> {
        match self {
            Self::Busy { retry_after } | Self::Server { retry_after, .. } => *retry_after,
            Self::Broken(_) => None,
        }
    }
}

/// What to do, given the next delay, if there is one, and the time that is left.
pub(super) fn next(trouble: &Trouble, delay: Option<Duration>, left: Duration) -> Step {
    let Some(delay) = delay else { return Step::GiveUp };
    let wait = match trouble.retry_after() {
        None => delay,
        Some(RetryAfter::In(asked)) => asked.max(delay),
        // Without the server's own time, only a clock could say how long that is.
        Some(RetryAfter::At(_)) => return Step::GiveUp,
    };
    if wait <= PATIENCE && wait < left { Step::Wait(wait) } else { Step::GiveUp }
}

/// What a status other than success means.
pub(super) fn refused(status: u16, headers: &HeaderMap, body: &[u8], log: &mut Log) -> Tried {
    let code = error_code(body);
    if let Some(code) = &code {
        log.note("error_code", code);
    }
    let retry_after = retry_after(headers);
    let last = Tried::Final;
    match status {
        300..=399 => last(CallOutcome::Failed(Failure::Redirected { status })),
        401 | 403 => last(CallOutcome::NotAuthorised),
        402 => last(CallOutcome::Quota { retry_after }),
        // The account is empty: no pause helps.
        429 if code.as_deref() == Some("insufficient_quota") => {
            last(CallOutcome::Quota { retry_after })
        }
        429 => Tried::Trouble(Trouble::Busy { retry_after }),
        408 | 500..=599 => Tried::Trouble(Trouble::Server { status, retry_after }),
        _ => last(CallOutcome::Failed(Failure::Http { status })),
    }
}

/// The word by which a provider names an error. Its message is left out: it may repeat the key.
fn error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Refusal {
        error: Detail,
    }
    #[derive(Deserialize)]
    struct Detail {
        code: Option<serde_json::Value>,
        r#type: Option<serde_json::Value>,
    }
    let detail = serde_json::from_slice::<Refusal>(body).ok()?.error;
    let word = |it: Option<serde_json::Value>| it.and_then(|it| it.as_str().map(str::to_owned));
    let is_word = |it: &String| {
        it.len() <= 60 && it.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
    };
    word(detail.code).or(word(detail.r#type)).filter(is_word)
}

/// When the server wants to be asked again: in so many seconds, or at a date, which its own
/// `Date` turns into a time to wait.
fn retry_after(headers: &HeaderMap) -> Option<RetryAfter> {
    let text = |name| headers.get(name).and_then(|it| it.to_str().ok()).map(str::trim);
    let asked = text(header::RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<u64>() {
        return Some(RetryAfter::In(Duration::from_secs(seconds)));
    }
    let at = date(asked)?;
    Some(match text(header::DATE).and_then(date) {
        Some(now) => RetryAfter::In(at.since(now)),
        None => RetryAfter::At(Timestamp::from(at)),
    })
}

fn date(text: &str) -> Option<Millis> {
    let at = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    u64::try_from(at.as_millisecond()).ok().map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_delays_double_up_to_the_longest_and_end() {
        let retries = Retries { times: 5, first: SECOND, longest: SECOND * 5 };
        let delays: Vec<u64> = retries.delays().map(|it| it.as_secs()).collect();
        assert_eq!(delays, [1, 2, 4, 5, 5]);
    }

    #[test]
    fn a_server_is_asked_again_within_reason() {
        let busy = |seconds: u64| Trouble::Busy {
            retry_after: Some(RetryAfter::In(SECOND * u32::try_from(seconds).unwrap())),
        };
        let check = |trouble: &Trouble, delay: Option<u32>, left: u32, expected: Option<u32>| {
            let step = next(trouble, delay.map(|it| SECOND * it), SECOND * left);
            let expected = expected.map_or(Step::GiveUp, |it| Step::Wait(SECOND * it));
            assert_eq!(step, expected, "{trouble:?} {delay:?} {left}");
        };
        let down = Trouble::Server { status: 503, retry_after: None };
        check(&down, Some(2), 100, Some(2));
        check(&down, None, 100, None);
        check(&down, Some(2), 2, None);
        check(&down, Some(2), 3, Some(2));
        check(&Trouble::Broken(String::new()), Some(2), 100, Some(2));
        // The server's wish counts, but not against the delays.
        check(&busy(7), Some(2), 100, Some(7));
        check(&busy(0), Some(2), 100, Some(2));
        check(&busy(60), Some(2), 100, Some(60));
        check(&busy(61), Some(2), 100, None);
        check(&busy(50), Some(2), 50, None);
        let date = Trouble::Busy { retry_after: Some(RetryAfter::At(Timestamp::EPOCH)) };
        check(&date, Some(2), 100, None);
    }

    #[track_caller]
    fn meant(status: u16, headers: &[(&str, &str)], body: &str) -> CallOutcome {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.insert(name, value.parse().unwrap());
        }
        match refused(status, &map, body.as_bytes(), &mut Log::default()) {
            Tried::Final(outcome) => outcome,
            Tried::Trouble(trouble) => trouble.outcome(),
            Tried::Completed(completion) => panic!("{completion:?}"),
        }
    }

    #[test]
    fn a_refusal_means_what_its_status_says() {
        let http = |status| CallOutcome::Failed(Failure::Http { status });
        let quota = |retry_after| CallOutcome::Quota { retry_after };
        let seconds = |it: u32| Some(RetryAfter::In(SECOND * it));
        assert_eq!(meant(401, &[], ""), CallOutcome::NotAuthorised);
        assert_eq!(meant(403, &[], ""), CallOutcome::NotAuthorised);
        assert_eq!(meant(402, &[], ""), quota(None));
        assert_eq!(meant(400, &[], ""), http(400));
        assert_eq!(meant(404, &[], ""), http(404));
        assert_eq!(meant(500, &[], ""), http(500));
        assert_eq!(meant(301, &[], ""), CallOutcome::Failed(Failure::Redirected { status: 301 }));
        assert_eq!(meant(429, &[], ""), quota(None));
        assert_eq!(meant(429, &[("retry-after", "30")], ""), quota(seconds(30)));
        assert_eq!(meant(429, &[("retry-after", "soon")], ""), quota(None));
        assert_eq!(meant(429, &[("retry-after", "-1")], ""), quota(None));
        let date = ("retry-after", "Sun, 15 Nov 2026 06:01:00 GMT");
        let now = ("date", "Sun, 15 Nov 2026 06:00:00 GMT");
        assert_eq!(meant(429, &[date, now], ""), quota(seconds(60)));
        let at = "2026-11-15T06:01:00Z".parse().unwrap();
        assert_eq!(meant(429, &[date], ""), quota(Some(RetryAfter::At(at))));
    }

    #[test]
    fn an_empty_account_is_not_asked_again() {
        let body = r#"{"error": {"code": "insufficient_quota", "message": "sk-…"}}"#;
        let tried = refused(429, &HeaderMap::new(), body.as_bytes(), &mut Log::default());
        assert!(matches!(tried, Tried::Final(CallOutcome::Quota { .. })));
    }

    #[test]
    fn only_a_word_of_a_refusal_is_logged() {
        let check = |body: &str, expected: Option<&str>| {
            assert_eq!(error_code(body.as_bytes()).as_deref(), expected, "{body}");
        };
        check(r#"{"error": {"code": "bad_key", "message": "m"}}"#, Some("bad_key"));
        check(r#"{"error": {"code": null, "type": "limit"}}"#, Some("limit"));
        check(r#"{"error": {"code": 429}}"#, None);
        check(r#"{"error": {"code": "key sk-123 is wrong"}}"#, None);
        check(r#"{"error": "text"}"#, None);
        check("<html>", None);
    }
}
