//! The replies of an earlier learning run, found by the digest of the request.
//!
//! Only the place of each reply is kept in memory, so a recording may be larger than that. A request
//! that was asked twice has its first reply, whatever the order in which it is asked now.

use std::{
    fmt::Display,
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use provost_kernel::{
    Digest, Message as _, Text,
    learn::{Answer, CallProblem},
    model::{ModelReply, ModelRequest},
};
use serde::de::IgnoredAny;

use super::{Model, ModelError, ModelFailure, command::usage, failure::Detail};
use crate::{
    call_result::{CallError, RetryAfter},
    cancel::Cancel,
    recording::Recorded,
};

/// A model that repeats what was recorded.
#[derive(Debug)]
pub struct RecordingModel {
    path: PathBuf,
    file: File,
    /// By digest, then by place.
    places: Vec<Place>,
}

/// Where the answer to a question lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    request: Digest,
    offset: u64,
    length: u32,
}

/// The part of a line that the index needs.
type Key = Recorded<IgnoredAny, IgnoredAny>;

/// A longer line is not an answer that any model gave.
const LINE_CAP: u64 = 64 << 20;

impl RecordingModel {
    /// Reads where every answer of a `calls.jsonl` lies. A last line that was never finished is
    /// not part of it.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let unreadable = ModelError::unreadable(path);
        let file = File::open(path).map_err(&unreadable)?;
        let mut reader = BufReader::with_capacity(1 << 16, file.try_clone().map_err(&unreadable)?);
        let mut places = Vec::new();
        let (mut offset, mut line) = (0, Vec::new());
        for number in 1.. {
            line.clear();
            let mut bounded = (&mut reader).take(LINE_CAP);
            let read = bounded.read_until(b'\n', &mut line).map_err(&unreadable)?;
            let length = u64::try_from(read).unwrap_or(u64::MAX);
            let bad = |cause: String| {
                Err(ModelError::BadLine { path: path.to_owned(), line: number, cause })
            };
            if line.last() != Some(&b'\n') {
                if length == LINE_CAP {
                    return bad(format!("it is longer than {LINE_CAP} bytes"));
                }
                break;
            }
            if !line.trim_ascii().is_empty() {
                let Key { digest: request, .. } = match serde_json::from_slice(&line) {
                    Ok(key) => key,
                    Err(error) => return bad(error.to_string()),
                };
                let length = u32::try_from(length).unwrap_or(u32::MAX);
                places.push(Place { request, offset, length });
            }
            offset += length;
        }
        places.sort_unstable();
        places.dedup_by_key(|it| it.request);
        places.shrink_to_fit();
        Ok(Self { path: path.to_owned(), file, places })
    }

    /// How many questions have an answer.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn read(&self, place: Place) -> Result<Recorded<Answer, CallProblem>, Text> {
        let mut line = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut line, place.offset).map_err(foreign)?;
        let recorded: Recorded<Answer, CallProblem> =
            serde_json::from_slice(&line).map_err(foreign)?;
        if recorded.digest == place.request { Ok(recorded) } else { Err(Detail::Changed.text()) }
    }
}

impl Model for RecordingModel {
    fn ask(&self, request: &ModelRequest, cancel: &Cancel) -> Result<ModelReply, ModelFailure> {
        let path = self.path.display().to_string();
        if cancel.is_cancelled() {
            return Err(ModelFailure::named(&path, CallError::Cancelled));
        }
        let broken = |why| ModelFailure::broken(&path, why);
        let digest = request.digest().map_err(|error| broken(foreign(error)))?;
        let at = self.places.binary_search_by(|it| it.request.cmp(&digest)).ok();
        let Some(place) = at.and_then(|at| self.places.get(at).copied()) else {
            let count = self.places.len();
            return Err(ModelFailure::not_recorded(
                Detail::NoRequest { count, path, digest }.text(),
            ));
        };
        match self.read(place).map_err(broken)?.outcome() {
            Some(Ok(Answer { text, spent })) => {
                Ok(ModelReply { text, usage: usage(spent), ..ModelReply::default() })
            }
            Some(Err(problem)) => Err(failure(problem)),
            None => Err(ModelFailure::not_recorded(Detail::NoReply { path, digest }.text())),
        }
    }
}

/// What the system or a parser says.
fn foreign(error: impl Display) -> Text {
    Text::verbatim(error.to_string())
}

/// A failure as the run met it.
fn failure(problem: CallProblem) -> ModelFailure {
    match problem {
        CallProblem::Transport { detail } => ModelFailure::unreachable(detail),
        CallProblem::Quota { detail, after } => {
            let retry_after = after.and_then(|it| RetryAfter::parse(&it));
            ModelFailure { error: CallError::Quota { retry_after }, detail }
        }
        CallProblem::NotRecorded { detail } => ModelFailure::not_recorded(detail),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the recording that it reads")]
mod tests {
    use std::fs;

    use provost_kernel::{Lang, Message, learn::Spent, model::FailureClass};
    use serde_json::json;

    use super::*;

    fn question(text: &str) -> ModelRequest {
        ModelRequest::instruct(text, "")
    }

    fn line(asked: &str, said: &str) -> String {
        let answer = Answer { text: said.to_owned(), spent: Spent::default() };
        let digest = question(asked).digest().unwrap();
        json!({"schema": "provost.recording/2", "kind": "rollout", "digest": digest, "reply": answer}).to_string()
            + "\n"
    }

    fn failed(asked: &str, problem: &CallProblem) -> String {
        let digest = question(asked).digest().unwrap();
        json!({"request_sha256": digest, "problem": problem}).to_string() + "\n"
    }

    fn open(text: &str) -> (tempfile::TempDir, Result<RecordingModel, ModelError>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calls.jsonl");
        fs::write(&path, text).unwrap();
        let opened = RecordingModel::open(&path);
        (folder, opened)
    }

    fn ask(model: &RecordingModel, asked: &str) -> Result<String, ModelFailure> {
        model.ask(&question(asked), &Cancel::new()).map(|it| it.text)
    }

    #[test]
    fn the_answer_is_found_by_the_question_and_the_first_one_counts() {
        let lost = CallProblem::Transport { detail: "gone".into() };
        let text = [
            line("a", "1"),
            line("b", "第二\nline"),
            "\n".to_owned(),
            line("a", "3"),
            failed("c", &lost),
        ];
        let (_folder, model) = open(&text.concat());
        let model = model.unwrap();
        assert_eq!(model.len(), 3);
        for _ in 0..2 {
            assert_eq!(ask(&model, "a").unwrap(), "1");
            assert_eq!(ask(&model, "b").unwrap(), "第二\nline");
            assert_eq!(ask(&model, "c").unwrap_err().detail, "gone", "a failure is repeated too");
        }
        let mut other = question("a");
        other.decode.temperature = 0.2;
        let missed = model.ask(&other, &Cancel::new()).unwrap_err();
        assert_eq!(missed.error.class(), FailureClass::NotRecorded, "{missed}");
        assert!(missed.to_string().contains(&other.digest().unwrap().to_string()), "{missed}");
    }

    #[test]
    fn a_last_line_that_was_never_finished_is_not_part_of_it() {
        let whole = line("a", "1") + &line("b", "2");
        for cut in 1..line("b", "2").len() {
            let (_folder, model) = open(&whole[..whole.len() - cut]);
            let model = model.unwrap();
            assert_eq!(model.len(), 1, "{cut}");
            assert_eq!(ask(&model, "a").unwrap(), "1");
        }
        assert!(open("").1.unwrap().is_empty());
    }

    #[test]
    fn a_line_that_is_no_call_is_named() {
        for bad in ["{}\n", "rubbish\n", "{\"request_sha256\":\"x\"}\n", "[]\n", "{\"a\":\n"] {
            let (_folder, opened) = open(&(line("a", "1") + bad + &line("b", "2")));
            let error = opened.unwrap_err();
            assert!(matches!(error, ModelError::BadLine { line: 2, .. }), "{error}");
            assert!(Lang::Zh.render(&error.text()).contains("第 2 行"));
        }
        let absent = RecordingModel::open(Path::new("/nowhere/calls.jsonl")).unwrap_err();
        assert!(matches!(absent, ModelError::Unreadable { .. }), "{absent}");
    }

    /// What a hundred thousand answers cost in memory does not depend on their length.
    #[test]
    fn an_answer_in_the_index_is_its_place_alone() {
        assert!(size_of::<Place>() <= 48, "{}", size_of::<Place>());
        let (_folder, model) = open(&line("a", &"x".repeat(1 << 20)));
        let model = model.unwrap();
        assert_eq!(model.places.capacity(), 1);
        assert_eq!(ask(&model, "a").unwrap().len(), 1 << 20);
    }

    #[test]
    fn a_file_that_changes_under_the_index_gives_no_answer() {
        let (folder, model) = open(&line("a", "1"));
        let model = model.unwrap();
        fs::write(folder.path().join("calls.jsonl"), line("b", "1")).unwrap();
        let problem = ask(&model, "a").unwrap_err();
        assert_eq!(problem.error.class(), FailureClass::Transient, "{problem}");
    }
}
