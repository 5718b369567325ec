//! What a server means that refuses a request.

use std::time::Duration;

use jiff::fmt::rfc2822;
use provost_kernel::{Millis, Timestamp, model::FailureClass};
use provost_rules::{retry::status_class, secret::redact_shapes};
use serde::Deserialize;
use serde_json::Value;
use ureq::http::{HeaderMap, header};

use super::client::FailedTry;
use crate::{
    call_result::{CallError, Failure, RetryAfter},
    log::Log,
};

/// The most of a server's own words that is told.
const WORDS: usize = 300;

/// What a status other than success means. The key is what the server was sent, if anything was.
pub(super) fn refused(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    key: Option<&str>,
    log: &mut Log,
) -> FailedTry {
    let code = error_code(body);
    if let Some(code) = &code {
        log.note("error_code", code);
    }
    // A key that is wrong is what a server repeats. What it says otherwise is told, and is no fact for the log.
    log.quote(words(body, key).filter(|_| !matches!(status, 401 | 403)));
    let retry_after = retry_after(headers);
    let class = status_class(status, code.as_deref());
    let error = match class {
        FailureClass::Unauthorized => CallError::NotAuthorised,
        FailureClass::RateLimited | FailureClass::QuotaExhausted => {
            CallError::Quota { retry_after }
        }
        FailureClass::Permanent if (300..=399).contains(&status) => {
            CallError::Failed(Failure::Redirected { status })
        }
        FailureClass::Transient
        | FailureClass::TimedOut
        | FailureClass::Permanent
        | FailureClass::NotRecorded
        | FailureClass::Cancelled => CallError::Failed(Failure::Http { status }),
    };
    // A date without the server's own clock could be any time from now: beyond all patience.
    let wanted = retry_after.map(|it| match it {
        RetryAfter::In(wait) => wait,
        RetryAfter::At(_) => Duration::MAX,
    });
    FailedTry { class, wanted, error }
}

/// What a server says in its own words, in the places where servers say it: without the key, without
/// other secrets, and on one line.
fn words(body: &[u8], key: Option<&str>) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let places = ["/error/message", "/message", "/error", "/detail", "/detail/0/msg"];
    let said = places.iter().find_map(|it| body.pointer(it).and_then(Value::as_str))?;
    let said = key.filter(|it| !it.is_empty()).map_or(said.into(), |it| said.replace(it, "[key]"));
    let said = String::from_utf8_lossy(&redact_shapes(said.as_bytes())).into_owned();
    let plain: String = said.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(WORDS).collect();
    Some(line).filter(|it| !it.is_empty())
}

/// The word by which a provider names an error.
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

    #[track_caller]
    fn meant(status: u16, headers: &[(&str, &str)], body: &str) -> CallError {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = header::HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.insert(name, value.parse().unwrap());
        }
        refused(status, &map, body.as_bytes(), None, &mut Log::default()).error
    }

    #[test]
    fn a_refusal_means_what_its_status_says() {
        let http = |status| CallError::Failed(Failure::Http { status });
        let quota = |retry_after| CallError::Quota { retry_after };
        let seconds = |it: u32| Some(RetryAfter::In(SECOND * it));
        assert_eq!(meant(401, &[], ""), CallError::NotAuthorised);
        assert_eq!(meant(403, &[], ""), CallError::NotAuthorised);
        assert_eq!(meant(402, &[], ""), quota(None));
        assert_eq!(meant(400, &[], ""), http(400));
        assert_eq!(meant(404, &[], ""), http(404));
        assert_eq!(meant(500, &[], ""), http(500));
        assert_eq!(meant(301, &[], ""), CallError::Failed(Failure::Redirected { status: 301 }));
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
        let tried = refused(429, &HeaderMap::new(), body.as_bytes(), None, &mut Log::default());
        assert_eq!(tried.class, FailureClass::QuotaExhausted);
        assert_eq!(tried.error, CallError::Quota { retry_after: None });
        let date = [(header::RETRY_AFTER, "Sun, 15 Nov 2026 06:01:00 GMT".parse().unwrap())];
        let tried = refused(503, &date.into_iter().collect(), b"", None, &mut Log::default());
        assert_eq!((tried.class, tried.wanted), (FailureClass::Transient, Some(Duration::MAX)));
    }

    #[test]
    fn a_server_is_quoted_without_the_key() {
        let check = |body: &str, expected: Option<&str>| {
            assert_eq!(words(body.as_bytes(), Some("k-1234")).as_deref(), expected, "{body}");
        };
        check(
            r#"{"error": {"message": "no model `m`\u001b[2J\n here"}}"#,
            Some("no model `m` [2J here"),
        );
        check(r#"{"error": "model 'm' not found"}"#, Some("model 'm' not found"));
        check(r#"{"object": "error", "message": "too long"}"#, Some("too long"));
        check(r#"{"detail": "Not Found"}"#, Some("Not Found"));
        check(r#"{"detail": [{"msg": "field required"}]}"#, Some("field required"));
        check(r#"{"message": "k-1234 is unknown"}"#, Some("[key] is unknown"));
        check(r#"{"message": ""}"#, None);
        check("<html>", None);
        let long = format!(r#"{{"message": "{}"}}"#, "é".repeat(400));
        assert_eq!(words(long.as_bytes(), None).unwrap().chars().count(), WORDS);

        let noted = |status| {
            let mut log = Log::default();
            refused(status, &HeaderMap::new(), br#"{"message": "no"}"#, None, &mut log);
            assert_eq!(log.lines(), [""; 0]);
            let is_quoted = log.quoted().is_some();
            // A refusal without words leaves none of an earlier one.
            refused(status, &HeaderMap::new(), b"", None, &mut log);
            assert_eq!(log.quoted(), None);
            is_quoted
        };
        assert!(noted(400) && noted(404) && noted(500));
        assert!(!noted(401) && !noted(403));
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
