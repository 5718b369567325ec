//! The answers of an earlier run, found by the digest of the question.
//!
//! Only where each answer lies is kept in memory, so a recording may be larger than it. A question
//! that was asked twice has the answer that it had first.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use provost_kernel::{
    Digest,
    learn::{Answer, CallProblem, Question},
};
use serde::Deserialize;

use super::{Model, ModelError, transport};
use crate::cancel::Cancel;

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
    question: Digest,
    offset: u64,
    length: u32,
}

/// The part of a line that the index needs.
#[derive(Deserialize)]
struct Key {
    request_sha256: Digest,
}

/// The part of a line that an answer needs.
#[derive(Deserialize)]
struct Recorded {
    request_sha256: Digest,
    #[serde(default)]
    answer: Option<Answer>,
    #[serde(default)]
    problem: Option<CallProblem>,
}

/// A longer line is no answer that any model gave.
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
                let Key { request_sha256: question } = match serde_json::from_slice(&line) {
                    Ok(key) => key,
                    Err(error) => return bad(error.to_string()),
                };
                let length = u32::try_from(length).unwrap_or(u32::MAX);
                places.push(Place { question, offset, length });
            }
            offset += length;
        }
        places.sort_unstable();
        places.dedup_by_key(|it| it.question);
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

    fn read(&self, place: Place) -> Result<Recorded, String> {
        let mut line = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
        self.file.read_exact_at(&mut line, place.offset).map_err(|error| error.to_string())?;
        let recorded: Recorded =
            serde_json::from_slice(&line).map_err(|error| error.to_string())?;
        if recorded.request_sha256 == place.question {
            Ok(recorded)
        } else {
            Err("it was changed meanwhile".to_owned())
        }
    }
}

impl Model for RecordingModel {
    fn ask(&self, question: &Question, cancel: &Cancel) -> Result<Answer, CallProblem> {
        let path = self.path.display();
        if cancel.is_cancelled() {
            return Err(transport(format!("`{path}`: it was cancelled")));
        }
        let digest = question.digest().map_err(|error| transport(error.to_string()))?;
        let Ok(at) = self.places.binary_search_by(|it| it.question.cmp(&digest)) else {
            let count = self.places.len();
            let detail = format!("none of the {count} questions in `{path}` is {digest}");
            return Err(CallProblem::NotRecorded { detail });
        };
        let place = self.places.get(at).copied().ok_or_else(|| transport("no such place"))?;
        let recorded = self.read(place).map_err(|why| transport(format!("`{path}`: {why}")))?;
        match (recorded.answer, recorded.problem) {
            (Some(answer), None) => Ok(answer),
            (None, Some(problem)) => Err(problem),
            (Some(_), Some(_)) | (None, None) => {
                let detail = format!("`{path}` has no answer to {digest}");
                Err(CallProblem::NotRecorded { detail })
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes the recording that it reads")]
mod tests {
    use std::fs;

    use provost_kernel::{Lang, Message, learn::Spent};
    use serde_json::json;

    use super::{super::tests::question, *};

    fn line(asked: &str, said: &str) -> String {
        let answer = Answer { text: said.to_owned(), spent: Spent::default() };
        let digest = question(asked).digest().unwrap();
        json!({"v": 1, "kind": "rollout", "request_sha256": digest, "answer": answer}).to_string()
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

    fn ask(model: &RecordingModel, asked: &str) -> Result<String, CallProblem> {
        model.ask(&question(asked), &Cancel::new()).map(|it| it.text)
    }

    #[test]
    fn the_answer_is_found_by_the_question_and_the_first_one_counts() {
        let lost = transport("gone");
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
            assert_eq!(ask(&model, "c").unwrap_err(), lost, "a failure is repeated too");
        }
        let mut other = question("a");
        other.decode.temperature = 0.2;
        let missed = model.ask(&other, &Cancel::new()).unwrap_err();
        assert!(matches!(missed, CallProblem::NotRecorded { .. }), "{missed}");
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
        assert!(matches!(problem, CallProblem::Transport { .. }), "{problem}");
    }
}
