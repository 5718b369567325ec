//! Recordings: calls and their replies, found by the digest of the request.
//!
//! One format for agents, models and evals: `digest`, and `reply` or `error`; `request` and
//! `source` where a miss is to be explained; and whatever else a caller notes about the call. A
//! JSONL file has one call to a line, a folder one to a file. The three formats of version 0.1.0
//! are read too.
//!
//! A request that was not recorded is an error that shows where it differs from the nearest one: a
//! reply to another request is worse than none.

use std::{
    collections::BTreeMap,
    fmt,
    io::Write,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use provost_kernel::{Digest, model::Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    adapter::{Adapter, Call},
    call_log::{begin, cancelled, finish},
    call_result::CallResult,
    difference::nearest,
    error::AdapterError,
    exchange::{Exchange, ExchangeFile},
    reply::Reply,
    request::Request,
};

/// The version of the format. Only the current one is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RecordingSchema {
    #[default]
    #[serde(rename = "provost.recording/2")]
    V2,
    /// Agents, up to 0.1.0.
    #[serde(rename = "provost.recording/1")]
    AgentV1,
    /// Evals, up to 0.1.0: `engine` for `source`, `response` for `reply`.
    #[serde(rename = "provost.eval.recording/1")]
    EvalV1,
    /// Learning, up to 0.1.0, where lines have no schema: `request_sha256` for `digest`, `answer`
    /// for `reply`, `problem` for `error`.
    #[serde(rename = "provost.learn.call/1")]
    LearnV1,
}

/// One recorded call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub struct Recorded<R, E> {
    #[serde(default = "RecordingSchema::of_unnamed")]
    pub schema: RecordingSchema,
    /// Of the request as it was asked, before any secret was redacted.
    #[serde(alias = "request_sha256")]
    pub digest: Digest,
    /// What answered, where the reply depends on it.
    #[serde(default, alias = "engine", skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
    /// What the reply depends on; absent where the caller can make it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    #[serde(alias = "response", alias = "answer", skip_serializing_if = "Option::is_none")]
    pub reply: Option<R>,
    #[serde(alias = "problem", skip_serializing_if = "Option::is_none")]
    pub error: Option<E>,
}

/// A recorded call of an agent, which is recorded only when it replied.
pub type RecordedReply = Recorded<Reply, Value>;

/// The fields of a line of an agent. Learning writes others beside them.
const FIELDS: [&str; 6] = ["schema", "digest", "source", "request", "reply", "error"];

/// An adapter that repeats what was recorded.
///
/// The same request asked again gets the next answer recorded for it, and the last one from then
/// on, as it was when it was recorded.
#[derive(Debug)]
pub struct RecordingAdapter {
    name: String,
    lines: Vec<RecordedReply>,
    by_digest: BTreeMap<Digest, Vec<usize>>,
    asked: Mutex<BTreeMap<Digest, usize>>,
}

/// An adapter that records what another one answers.
pub struct RecorderAdapter {
    inner: Box<dyn Adapter>,
    /// Open for appending; the caller's.
    file: Mutex<Box<dyn Write + Send>>,
}

impl RecordingSchema {
    /// That of a line without a schema.
    pub fn of_unnamed() -> Self {
        Self::LearnV1
    }
}

impl<R, E> Recorded<R, E> {
    /// The reply or the error; none where the line has neither or both.
    pub fn outcome(self) -> Option<Result<R, E>> {
        match (self.reply, self.error) {
            (Some(reply), None) => Some(Ok(reply)),
            (None, Some(error)) => Some(Err(error)),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

impl RecordedReply {
    /// The line for this request and its reply.
    pub fn new(request: &Request, reply: Reply) -> Result<Self, AdapterError> {
        let digest = request.digest().map_err(|source| AdapterError::Digest { source })?;
        let (schema, source, error) = (RecordingSchema::V2, None, None);
        let request = Some(request.identity());
        Ok(Self { schema, digest, source, request, reply: Some(reply), error })
    }
}

impl RecordingAdapter {
    /// Reads a recording. A line that does not fit its own digest was changed by hand, and the
    /// whole is refused.
    pub fn read(name: &str, text: &str) -> Result<Self, AdapterError> {
        let mut lines = Vec::new();
        let mut by_digest: BTreeMap<Digest, Vec<usize>> = BTreeMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
            let bad = |cause: String| AdapterError::BadRecording { line: index + 1, cause };
            let fields: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            if let Some(key) = fields.keys().find(|it| !FIELDS.contains(&it.as_str())) {
                return Err(bad(format!("unknown field `{key}`")));
            }
            let recorded: RecordedReply =
                serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            match recorded.schema {
                RecordingSchema::V2 | RecordingSchema::AgentV1 => {}
                RecordingSchema::EvalV1 | RecordingSchema::LearnV1 => {
                    return Err(bad("it is not a call of an agent".to_owned()));
                }
            }
            let (Some(request), Some(reply), None) =
                (&recorded.request, &recorded.reply, &recorded.error)
            else {
                return Err(bad("it has no request or no reply".to_owned()));
            };
            let digest = Digest::of_json(request).map_err(|it| bad(it.to_string()))?;
            if digest != recorded.digest {
                return Err(bad("the digest is not that of the request".to_owned()));
            }
            if request["role"] != reply.role.as_str() {
                return Err(bad("the reply has another role than the request".to_owned()));
            }
            by_digest.entry(digest).or_default().push(lines.len());
            lines.push(recorded);
        }
        Ok(Self { name: name.to_owned(), lines, by_digest, asked: Mutex::default() })
    }

    fn answer(&self, request: &Request) -> Result<&Reply, AdapterError> {
        let digest = request.digest().map_err(|source| AdapterError::Digest { source })?;
        let known = self.by_digest.get(&digest).map_or(&[][..], Vec::as_slice);
        let turn = {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            let count = asked.entry(digest).or_default();
            let turn = *count;
            *count += 1;
            turn
        };
        let found = known.get(turn).or(known.last()).and_then(|&at| self.lines.get(at));
        found.and_then(|it| it.reply.as_ref()).ok_or_else(|| AdapterError::NotRecorded {
            adapter: self.name.clone(),
            nearest: nearest(
                &request.identity(),
                self.lines.iter().filter_map(|it| it.request.as_ref()),
            )
            .map(Box::new),
        })
    }
}

impl Adapter for RecordingAdapter {
    fn name(&self) -> &str {
        &self.name
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let Call { request, exchange: _, workplace: _, cancel, seen: _, resumed: _ } = call;
        let mut log = begin(&self.name, "recording", request);
        if cancel.is_cancelled() {
            return Ok(cancelled(log));
        }
        let reply = self.answer(request)?.clone();
        if let Some(temperature) = request.temperature {
            log.note("temperature", u8::from(temperature));
        }
        let (usage, session) = (reply.usage, reply.session.clone());
        let raw_reply = serde_json::to_vec_pretty(&reply).ok();
        let outcome = Ok(reply);
        finish(&mut log, &outcome, usage);
        Ok(CallResult {
            rc: 0,
            outcome,
            usage,
            session,
            session_usage: Usage::default(),
            raw_reply,
            log,
            wall: Duration::ZERO,
            sandbox: None,
        })
    }
}

impl RecorderAdapter {
    /// Records what `inner` answers into `file`.
    pub fn new(inner: Box<dyn Adapter>, file: Box<dyn Write + Send>) -> Self {
        Self { inner, file: Mutex::new(file) }
    }
}

impl Adapter for RecorderAdapter {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn files(&self, request: &Request, exchange: &Exchange) -> Vec<ExchangeFile> {
        self.inner.files(request, exchange)
    }

    fn call(&self, call: Call<'_>) -> Result<CallResult, AdapterError> {
        let request = call.request;
        let called = self.inner.call(call)?;
        if let Ok(reply) = &called.outcome {
            let recorded = RecordedReply::new(request, reply.clone())?;
            let fail = |source| AdapterError::NotKept { adapter: self.name().to_owned(), source };
            let mut line = serde_json::to_vec(&recorded).map_err(|it| fail(it.into()))?;
            line.push(b'\n');
            // One write, so that lines of several processes do not mix.
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(&line).and_then(|()| file.flush()).map_err(fail)?;
        }
        Ok(called)
    }
}

impl fmt::Debug for RecorderAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecorderAdapter").field("inner", &self.inner).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::AgentRole;

    fn request(prompt: &str) -> Request {
        let task = "t1".to_owned().try_into().unwrap();
        let attempt = 1.try_into().unwrap();
        let prompt = prompt.to_owned();
        Request::new(AgentRole::Judge, task, attempt, "c", prompt, Duration::from_secs(9))
    }

    fn line(prompt: &str, answer: &str) -> String {
        let reply = Reply::new(AgentRole::Judge, answer.to_owned());
        let recorded = RecordedReply::new(&request(prompt), reply).unwrap();
        serde_json::to_string(&recorded).unwrap() + "\n"
    }

    #[test]
    fn every_older_format_is_read_and_a_newer_one_is_refused() {
        let digest = Digest::ZERO;
        let check = |line: String, schema, source: bool, expected: Option<Result<u8, u8>>| {
            let read: Recorded<u8, u8> = serde_json::from_str(&line).unwrap();
            assert_eq!((read.schema, read.digest, read.source.is_some()), (schema, digest, source));
            assert_eq!(read.outcome(), expected, "{line}");
        };
        let with = |text: &str| text.replace('D', &digest.to_string());
        let v2 = |rest: &str| with(r#"{"schema":"provost.recording/2","digest":"D""#) + rest;
        check(v2(r#","seq":1,"reply":1}"#), RecordingSchema::V2, false, Some(Ok(1)));
        check(v2(r#","source":{},"error":2}"#), RecordingSchema::V2, true, Some(Err(2)));
        check(v2(r#","reply":1,"error":2}"#), RecordingSchema::V2, false, None);
        let agent = r#"{"schema":"provost.recording/1","digest":"D","request":{},"reply":1}"#;
        check(with(agent), RecordingSchema::AgentV1, false, Some(Ok(1)));
        let eval = r#"{"schema":"provost.eval.recording/1","digest":"D","engine":{},"request":{},"response":1}"#;
        check(with(eval), RecordingSchema::EvalV1, true, Some(Ok(1)));
        let learn = r#"{"v":1,"seq":0,"request_sha256":"D","answer":1}"#;
        check(with(learn), RecordingSchema::LearnV1, false, Some(Ok(1)));
        check(
            with(r#"{"request_sha256":"D","problem":2}"#),
            RecordingSchema::LearnV1,
            false,
            Some(Err(2)),
        );
        let newer = v2("}").replace("/2", "/3");
        assert!(serde_json::from_str::<Recorded<u8, u8>>(&newer).is_err());
    }

    #[test]
    fn the_answer_is_found_by_the_request_in_the_order_of_recording() {
        let text = line("a", "1") + "\n" + &line("b", "2") + &line("a", "3");
        let adapter = RecordingAdapter::read("r", &text).unwrap();
        let ask = |prompt: &str| adapter.answer(&request(prompt)).unwrap().text.clone();
        assert_eq!([ask("a"), ask("b"), ask("a"), ask("a"), ask("b")], ["1", "2", "3", "3", "2"]);
    }

    #[test]
    fn a_miss_shows_the_first_difference_to_the_nearest_request() {
        let text = line("judge the colour of the sky", "1") + &line("something else", "2");
        let adapter = RecordingAdapter::read("r", &text).unwrap();
        let error = adapter.answer(&request("judge the color of the sky")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`r` has no recorded answer: the nearest recorded request (number 1) differs first in `/prompt` \
             at character 14: recorded `…e the colour of the sky`, asked `…e the color of the sky`"
        );
        let empty = RecordingAdapter::read("r", "").unwrap();
        let error = empty.answer(&request("x")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`r` has no recorded answer: nothing is recorded for this role"
        );
    }

    #[test]
    fn a_line_that_was_changed_by_hand_is_refused() {
        let check = |text: String, cause: &str| {
            let error = RecordingAdapter::read("r", &text).unwrap_err().to_string();
            assert_eq!(error, format!("invalid recording on line 2: {cause}"));
        };
        let first = line("a", "1");
        let changed = line("b", "2").replace("\"prompt\":\"b\"", "\"prompt\":\"c\"");
        check(first.clone() + &changed, "the digest is not that of the request");
        let role =
            line("b", "2").replace("\"role\":\"judge\",\"text\"", "\"role\":\"coder\",\"text\"");
        check(first.clone() + &role, "the reply has another role than the request");
        let learned = line("b", "2").replace("provost.recording/2", "provost.learn.call/1");
        check(first.clone() + &learned, "it is not a call of an agent");
        let both = line("b", "2").replacen('{', "{\"error\": 1, ", 1);
        check(first.clone() + &both, "it has no request or no reply");
        let unknown = first.clone() + &line("b", "2").replacen('{', "{\"note\": 1, ", 1);
        let error = RecordingAdapter::read("r", &unknown).unwrap_err().to_string();
        assert_eq!(error, "invalid recording on line 2: unknown field `note`");
        check(first + "{", "EOF while parsing an object at line 1 column 1");
    }
}
