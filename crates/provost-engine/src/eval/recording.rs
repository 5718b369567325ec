//! Answers that were recorded: one file for each request, found by the digest of the request.
//!
//! A request that was not recorded is an error that shows where it first differs from the nearest
//! one. What looks like a secret is taken out before anything is written.

use std::{collections::BTreeMap, fs, sync::OnceLock};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::{
    Difference,
    recording::{Recorded, RecordingSchema},
};
use provost_kernel::{
    Digest, Message as _,
    eval::{ErrorCode, ErrorEffect, Request, Response, StepError},
};
use provost_rules::secret;
use provost_vault::eval::keep;
use serde_json::{Value, json};

use super::{error::EvalError, fault::Fault, work_queue::Outcome};

/// One recorded answer of an engine.
type RecordedAnswer = Recorded<Response, StepError>;

/// Writes what an engine answers.
#[derive(Debug)]
pub(super) struct Recorder {
    folder: Utf8PathBuf,
    engine: Value,
}

/// Repeats what was recorded.
#[derive(Debug)]
pub(super) struct Replay {
    folder: Utf8PathBuf,
    /// What must have answered; anything by default.
    engine: Option<Value>,
    /// The files of each run, looked up when one is missing.
    by_run: OnceLock<BTreeMap<String, Vec<String>>>,
}

impl Recorder {
    pub(super) fn new(folder: Utf8PathBuf, engine: Value) -> Self {
        Self { folder, engine }
    }

    /// Keeps an answer; what was not measured is none.
    pub(super) fn keep(
        &self,
        request: &Request,
        epoch: u32,
        outcome: &Outcome,
    ) -> Result<(), EvalError> {
        let (reply, error) = match outcome {
            Ok(response) => (Some(clean_response(response)), None),
            Err(error) => match error.error_code.effect() {
                ErrorEffect::Judged => (None, Some(clean_error(error))),
                ErrorEffect::NotMeasured => return Ok(()),
            },
        };
        let asked = identity(request, epoch);
        let digest = Digest::of_json(&asked)?;
        let recorded = RecordedAnswer {
            schema: RecordingSchema::V2,
            digest,
            source: Some(clean(self.engine.clone())),
            request: Some(clean(asked)),
            reply,
            error,
        };
        // Plain texts and numbers always have a JSON form.
        let mut bytes = serde_json::to_vec_pretty(&recorded).unwrap_or_default();
        bytes.push(b'\n');
        Ok(keep(&self.folder.join(file_name(&request.run_id, &digest)), &bytes)?)
    }
}

impl Replay {
    pub(super) fn new(folder: Utf8PathBuf, engine: Option<Value>) -> Self {
        Self { folder, engine: engine.map(clean), by_run: OnceLock::new() }
    }

    /// The answer that was recorded for this request.
    pub(super) fn answer(&self, request: &Request, epoch: u32) -> Outcome {
        let asked = identity(request, epoch);
        let digest = Digest::of_json(&asked)
            .map_err(|error| StepError::new(ErrorCode::RecordingMiss, &error.to_string().into()))?;
        let name = file_name(&request.run_id, &digest);
        let Some(recorded) = read(&self.folder.join(&name)) else {
            return Err(self.missed(&request.run_id, &clean(asked)));
        };
        if recorded.digest != digest {
            return Err(miss(&Fault::OtherRequest { name }));
        }
        let source = recorded.source.as_ref().unwrap_or(&Value::Null);
        if let Some(difference) =
            self.engine.as_ref().and_then(|it| Difference::between(1, source, it))
        {
            let fault = Fault::OtherEngine { difference: difference.text() };
            return Err(miss(&fault));
        }
        recorded.outcome().unwrap_or_else(|| Err(miss(&Fault::NoAnswer { name })))
    }

    /// Says where a request that is missing differs from the nearest one.
    fn missed(&self, run_id: &str, asked: &Value) -> StepError {
        let by_run = self.by_run.get_or_init(|| index(&self.folder));
        let of_run = by_run.get(&plain(run_id)).map_or(&[][..], Vec::as_slice);
        let nearest = of_run.iter().enumerate().find_map(|(at, name)| {
            let recorded = read(&self.folder.join(name))?;
            Difference::between(at + 1, recorded.request.as_ref()?, asked)
        });
        match nearest {
            Some(difference) => StepError::new(ErrorCode::RecordingMiss, &difference.text()),
            None if by_run.is_empty() => {
                miss(&Fault::NothingRecorded { folder: self.folder.to_string() })
            }
            None => miss(&Fault::RunNotRecorded { run: run_id.to_owned() }),
        }
    }
}

/// What an answer depends on.
fn identity(request: &Request, epoch: u32) -> Value {
    json!({ "request": request.to_json(), "epoch": epoch })
}

/// Where the answer to a request lies: a name that people recognise, and one that is exact.
fn file_name(run_id: &str, digest: &Digest) -> String {
    let digest = digest.to_string();
    format!("{}.{}.json", plain(run_id), digest.trim_start_matches("sha256:"))
}

/// A run id as a part of a file name, whatever is in it.
fn plain(run_id: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    run_id.chars().take(64).map(|it| if is_plain(it) { it } else { '_' }).collect()
}

fn index(folder: &Utf8Path) -> BTreeMap<String, Vec<String>> {
    let mut by_run: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some((run, _)) = name.split_once('.').filter(|(run, _)| !run.is_empty()) else {
            continue;
        };
        by_run.entry(run.to_owned()).or_default().push(name);
    }
    for names in by_run.values_mut() {
        names.sort_unstable();
    }
    by_run
}

fn read(path: &Utf8Path) -> Option<RecordedAnswer> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn miss(fault: &Fault) -> StepError {
    fault.error(ErrorCode::RecordingMiss)
}

/// Takes out of every text what looks like a secret.
fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(clean).collect()),
        Value::Object(fields) => Value::Object(
            fields.into_iter().map(|(key, value)| (clean_text(key), clean(value))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn clean_text(text: String) -> String {
    match secret::redact_shapes(text.as_bytes()) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(clean) => String::from_utf8_lossy(&clean).into_owned(),
    }
}

fn clean_response(response: &Response) -> Response {
    let cleaned = serde_json::to_value(response).map(clean).and_then(serde_json::from_value);
    // A response that has no JSON form came from none.
    cleaned.unwrap_or_default()
}

fn clean_error(error: &StepError) -> StepError {
    let args = clean(Value::Object(error.message_args.clone()));
    let message_args = args.as_object().cloned().unwrap_or_default();
    StepError { message: clean_text(error.message.clone()), message_args, ..error.clone() }
}

#[cfg(test)]
mod tests {
    use provost_kernel::eval::{Artifacts, Profile};

    use super::*;

    fn request(id: &str, text: &str) -> Request {
        let input = json!({ "intent_text": text }).as_object().unwrap().clone();
        Request {
            run_id: id.to_owned(),
            engine_version: "1".to_owned(),
            profile: Profile::Engineer,
            input,
        }
    }

    fn response(text: &str) -> Response {
        let mut artifacts = Artifacts::new();
        artifacts.insert("summary".to_owned(), json!({ "insight": text }));
        Response { artifacts, ..Response::default() }
    }

    #[test]
    fn a_miss_says_where_the_request_differs_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let recorder = Recorder::new(path.clone(), json!({ "kind": "cmd" }));
        let asked = request("eval_a", "one");
        recorder.keep(&asked, 0, &Ok(response("x"))).unwrap();

        let replay = Replay::new(path.clone(), None);
        assert_eq!(replay.answer(&asked, 0), Ok(response("x")));
        let check = |request: &Request, epoch, expected: &str| {
            let error = replay.answer(request, epoch).unwrap_err();
            assert_eq!(error.error_code, ErrorCode::RecordingMiss);
            assert!(error.message.contains(expected), "{}", error.message);
        };
        check(&request("eval_a", "two"), 0, "`/request/intent_text`");
        check(&asked, 1, "`/epoch`");
        check(&request("eval_b", "one"), 0, "nothing is recorded for `eval_b`");
        let other = Replay::new(path, Some(json!({ "kind": "http" })));
        let error = other.answer(&asked, 0).unwrap_err();
        assert!(error.message.contains("another engine"), "{}", error.message);
    }

    #[test]
    fn a_secret_is_not_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let key = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
        let recorder = Recorder::new(path.clone(), json!({ "kind": "cmd" }));
        recorder.keep(&request("eval_a", &key), 0, &Ok(response(&key))).unwrap();
        let mut files = fs::read_dir(&path).unwrap();
        let text = fs::read_to_string(files.next().unwrap().unwrap().path()).unwrap();
        assert!(files.next().is_none() && !text.contains(&key), "{text}");
        // It is still found by the request as it was.
        let replay = Replay::new(path, None);
        assert!(replay.answer(&request("eval_a", &key), 0).is_ok());
    }
}
