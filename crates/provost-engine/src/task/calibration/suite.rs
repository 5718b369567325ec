//! The cases of all types, read from files that lie as the format says.
//!
//! `<type>/cases/<case>.json` and `<type>/expected/<case>.json` belong together, the document is
//! one of `<type>/examples/`, and `<type>/recorded.jsonl` holds the answers that were recorded.
//! Files are given as a map: a case can name no document outside it.

use std::collections::BTreeMap;

use provost_form::{Limits, Problem, json};
use provost_kernel::{Message, TaskId, task::TaskType};
use provost_rules_task::{
    calibration::{CalibrationCase, CalibrationExpected, ExpectedError},
    rubric::{Rubric, RubricError},
};
use serde::de::DeserializeOwned;

use super::{Case, embedded};

/// What lies in a folder of calibration: contents by path, such as `storyboard/cases/good.json`.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The cases, and the answers that were recorded for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    /// In the order of the types, then of the names.
    pub cases: Vec<Case>,
    /// The recording of each type that has one.
    pub recordings: BTreeMap<TaskType, String>,
}

/// Why the cases cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.suite")]
pub enum SuiteError {
    #[message(
        en = "cannot use `{path}`: {problem}",
        zh = "无法使用 `{path}`：{problem}",
        hint(
            en = "see docs/calibration.md for the format of a case",
            zh = "用例的格式见 `docs/calibration.md`"
        )
    )]
    File { path: String, problem: FileProblem },
    #[message(transparent)]
    Rubric(RubricError),
}

/// What is the matter with a file of calibration.
#[derive(Debug, Message)]
#[message(code = "task.suite.file")]
pub enum FileProblem {
    #[message(transparent)]
    Json(Box<Problem>),
    #[message(en = "{0}", zh = "{0}")]
    Shape(serde_json::Error),
    #[message(en = "it is not UTF-8", zh = "不是 UTF-8")]
    NotText,
    #[message(
        en = "its name may have letters, digits, `_` and `-` only",
        zh = "文件名只能由字母、数字、`_` 与 `-` 组成"
    )]
    Name,
    #[message(en = "its `case_id` is `{found}`", zh = "其 `case_id` 为 `{found}`")]
    OtherCase { found: String },
    #[message(en = "its `task_type` is `{found}`", zh = "其 `task_type` 为 `{found}`")]
    OtherType { found: TaskType },
    #[message(en = "missing file", zh = "文件不存在")]
    NoExpected,
    #[message(en = "missing the case of the same name", zh = "缺少同名的用例")]
    NoCase,
    #[message(
        en = "the folder of its type has no document `{named}`",
        zh = "其类型的文件夹中没有文档 `{named}`"
    )]
    NoDocument { named: String },
    #[message(transparent)]
    Expected(ExpectedError),
}

const LIMITS: Limits = Limits { bytes: 256 * 1024, depth: 8 };

impl Suite {
    /// The cases that provost ships.
    pub fn embedded() -> Result<Self, SuiteError> {
        let files = embedded::FILES.iter();
        Self::read(
            &files.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
        )
    }

    /// Reads the cases of every type.
    pub fn read(files: &Files) -> Result<Self, SuiteError> {
        let rubric = Rubric::embedded().map_err(SuiteError::Rubric)?;
        let mut suite = Self::default();
        for &task_type in TaskType::ALL {
            let folder = Folder { files, task_type };
            let cases = folder.names("cases")?;
            for id in &cases {
                suite.cases.push(folder.case(id, &rubric)?);
            }
            if let Some(id) = folder.names("expected")?.iter().find(|it| !cases.contains(it)) {
                return Err(error(folder.path("expected", id), FileProblem::NoCase));
            }
            let path = format!("{task_type}/recorded.jsonl");
            if let Some(bytes) = files.get(&path) {
                suite.recordings.insert(task_type, text(&path, bytes)?);
            }
        }
        Ok(suite)
    }

    /// The cases of a type.
    pub fn of(&self, task_type: TaskType) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |it| it.case.task_type == task_type)
    }
}

/// The folder of one type.
struct Folder<'a> {
    files: &'a Files,
    task_type: TaskType,
}

impl Folder<'_> {
    fn path(&self, kind: &str, id: &str) -> String {
        format!("{}/{kind}/{id}.json", self.task_type)
    }

    /// The names of the cases that have a file of this kind.
    fn names(&self, kind: &str) -> Result<Vec<String>, SuiteError> {
        let start = format!("{}/{kind}/", self.task_type);
        let names = self.files.keys().filter_map(|path| {
            let id = path.strip_prefix(&start)?.strip_suffix(".json")?;
            Some(match id.parse::<TaskId>() {
                Ok(_) => Ok(id.to_owned()),
                Err(_) => Err(error(path.clone(), FileProblem::Name)),
            })
        });
        names.collect()
    }

    fn case(&self, id: &str, rubric: &Rubric) -> Result<Case, SuiteError> {
        let case: CalibrationCase = self.json("cases", id, FileProblem::NoCase)?;
        let wrong = |kind, problem| error(self.path(kind, id), problem);
        if case.case_id != id {
            return Err(wrong("cases", FileProblem::OtherCase { found: case.case_id }));
        }
        if case.task_type != self.task_type {
            return Err(wrong("cases", FileProblem::OtherType { found: case.task_type }));
        }
        let expected: CalibrationExpected = self.json("expected", id, FileProblem::NoExpected)?;
        if expected.case_id != id {
            return Err(wrong("expected", FileProblem::OtherCase { found: expected.case_id }));
        }
        expected
            .validate(rubric.of(self.task_type))
            .map_err(|it| wrong("expected", FileProblem::Expected(it)))?;
        let path = format!("{}/{}", self.task_type, case.input_doc_path);
        let Some(bytes) = self.files.get(&path) else {
            return Err(wrong("cases", FileProblem::NoDocument { named: case.input_doc_path }));
        };
        Ok(Case { document: text(&path, bytes)?, case, expected })
    }

    fn json<T: DeserializeOwned>(
        &self,
        kind: &str,
        id: &str,
        absent: FileProblem,
    ) -> Result<T, SuiteError> {
        let path = self.path(kind, id);
        let Some(bytes) = self.files.get(&path) else { return Err(error(path, absent)) };
        match json::parse(bytes, LIMITS)
            .map_err(|it| FileProblem::Json(it.into()))
            .and_then(|it| serde_json::from_value(it).map_err(FileProblem::Shape))
        {
            Ok(value) => Ok(value),
            Err(problem) => Err(error(path, problem)),
        }
    }
}

fn text(path: &str, bytes: &[u8]) -> Result<String, SuiteError> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(error(path.to_owned(), FileProblem::NotText)),
    }
}

fn error(path: String, problem: FileProblem) -> SuiteError {
    SuiteError::File { path, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of one shipped case.
    fn files() -> Files {
        let wanted = ["cases/good.json", "expected/good.json", "examples/good.md"];
        let wanted = wanted.map(|it| format!("storyboard/{it}"));
        let shipped = embedded::FILES.iter().filter(|(path, _)| wanted.iter().any(|it| it == path));
        shipped.map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Files), expected: &str) {
        let mut files = files();
        change(&mut files);
        let error = Suite::read(&files).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.exit(), provost_kernel::Exit::Unable);
    }

    /// Replaces a text in a file.
    #[track_caller]
    fn replace(files: &mut Files, path: &str, from: &str, to: &str) {
        let bytes = files.get_mut(path).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(text.contains(from), "{path}: {from}");
        *bytes = text.replace(from, to).into_bytes();
    }

    const CASE: &str = "storyboard/cases/good.json";
    const EXPECTED: &str = "storyboard/expected/good.json";
    const DOCUMENT: &str = "storyboard/examples/good.md";

    #[test]
    fn a_case_has_three_files_and_other_files_are_nobodys() {
        let mut files = files();
        assert_eq!(Suite::read(&files).unwrap().cases.len(), 1);
        files.insert("storyboard/README.md".to_owned(), b"x".to_vec());
        files.insert("poem/cases/x.json".to_owned(), b"x".to_vec());
        let suite = Suite::read(&files).unwrap();
        assert_eq!(suite.of(TaskType::Storyboard).count(), 1);
        assert_eq!(suite.of(TaskType::DouyinScript).count(), 0);
        assert!(suite.recordings.is_empty());
        assert_eq!(Suite::read(&Files::new()).unwrap(), Suite::default());
    }

    #[test]
    fn a_file_that_is_broken_is_named() {
        check(
            |it| _ = it.insert(CASE.to_owned(), b"{".to_vec()),
            "cannot use `storyboard/cases/good.json`: line 1: not valid JSON at column 1",
        );
        check(
            |it| _ = it.insert(CASE.to_owned(), b"{}".to_vec()),
            "cannot use `storyboard/cases/good.json`: missing field `case_id`",
        );
        check(
            |it| replace(it, EXPECTED, "\"gated\"", "\"gatd\""),
            "cannot use `storyboard/expected/good.json`: missing field `gated`",
        );
        check(
            |it| replace(it, CASE, "\"case_id\": \"good\"", "\"case_id\": \"bad\""),
            "cannot use `storyboard/cases/good.json`: its `case_id` is `bad`",
        );
        check(
            |it| replace(it, EXPECTED, "\"case_id\": \"good\"", "\"case_id\": \"bad\""),
            "cannot use `storyboard/expected/good.json`: its `case_id` is `bad`",
        );
        check(
            |it| replace(it, CASE, "\"storyboard\"", "\"douyin_script\""),
            "cannot use `storyboard/cases/good.json`: its `task_type` is `douyin_script`",
        );
        check(
            |it| replace(it, EXPECTED, "\"emotional_arc\"", "\"beauty\""),
            "cannot use `storyboard/expected/good.json`: `scores_ranges` has the unknown \
             dimension `beauty`",
        );
        check(
            |it| _ = it.insert(DOCUMENT.to_owned(), vec![0xff]),
            "cannot use `storyboard/examples/good.md`: it is not UTF-8",
        );
        check(
            |it| _ = it.insert("storyboard/recorded.jsonl".to_owned(), vec![0xff]),
            "cannot use `storyboard/recorded.jsonl`: it is not UTF-8",
        );
        check(
            |it| _ = it.insert("storyboard/cases/a b.json".to_owned(), Vec::new()),
            "cannot use `storyboard/cases/a b.json`: its name may have letters, digits, `_` \
             and `-` only",
        );
    }

    #[test]
    fn a_part_that_is_not_there_is_named() {
        check(
            |it| _ = it.remove(EXPECTED),
            "cannot use `storyboard/expected/good.json`: missing file",
        );
        check(
            |it| _ = it.remove(CASE),
            "cannot use `storyboard/expected/good.json`: missing the case of the same name",
        );
        check(
            |it| _ = it.remove(DOCUMENT),
            "cannot use `storyboard/cases/good.json`: the folder of its type has no document \
             `examples/good.md`",
        );
        // A path cannot lead out: it is looked up and never opened.
        check(
            |it| replace(it, CASE, "examples/good.md", "../storyboard/examples/good.md"),
            "cannot use `storyboard/cases/good.json`: the folder of its type has no document \
             `../storyboard/examples/good.md`",
        );
    }
}
