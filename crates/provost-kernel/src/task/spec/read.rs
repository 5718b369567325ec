//! Reads a task, field by field, so that an error names the field.

use std::{ops::RangeInclusive, str::FromStr};

use serde_json::{Map, Value};

use super::{Expected, SpecError, SpecProblem, TaskSpec};
use crate::{
    WordError,
    task::{Budget, Thresholds},
};

/// More than any goal that a person writes, and far less than a model reads.
const MAX_TEXT: usize = 200_000;
const TIMEOUT_SECONDS: RangeInclusive<u32> = 1..=604_800;

pub(super) fn read(object: &Map<String, Value>) -> Result<TaskSpec, SpecError> {
    let fields = Fields { object };
    let task_id = fields.text("task_id")?.ok_or_else(|| fail("task_id", SpecProblem::Missing))?;
    let task_id = task_id.parse().map_err(|it| fail("task_id", SpecProblem::BadId(it)))?;
    let default = TaskSpec::new(task_id);
    Ok(TaskSpec {
        schema_version: fields.name("schema_version")?.unwrap_or(default.schema_version),
        repo_path: fields.name("repo_path")?.unwrap_or(default.repo_path),
        base_ref: fields.revision("base_ref")?.unwrap_or(default.base_ref),
        with_changes: fields.revision("with_changes")?,
        target_branch: fields.revision("target_branch")?,
        goal: fields.text("goal")?.unwrap_or(default.goal),
        acceptance: fields.text("acceptance")?.unwrap_or(default.acceptance),
        test_cmd: fields.command("test_cmd")?,
        types: fields.command("types")?,
        lint: fields.command("lint")?,
        build: fields.command("build")?,
        max_attempts: fields
            .number("max_attempts", TaskSpec::MAX_ATTEMPTS)?
            .unwrap_or(default.max_attempts),
        attempt_context_mode: fields
            .word("attempt_context_mode")?
            .unwrap_or(default.attempt_context_mode),
        coder: fields.name("coder")?,
        judge: fields.name("judge")?,
        coder_model: fields.name("coder_model")?,
        judge_model: fields.name("judge_model")?,
        constraints: fields.texts("constraints")?,
        created_at: fields.name("created_at")?,
        task_code: fields.name("task_code")?,
        target_type: fields.name("target_type")?,
        allowed_paths: fields.inner_paths("allowed_paths")?,
        forbidden_globs: fields.names("forbidden_globs")?,
        tests_may_change: fields.patterns("tests_may_change")?,
        required_sections: fields.sections("required_sections")?,
        cursor_cmd: fields.name("cursor_cmd")?,
        codex_cmd: fields.name("codex_cmd")?,
        claude_cmd: fields.name("claude_cmd")?,
        coder_timeout_seconds: fields
            .number("coder_timeout_seconds", TIMEOUT_SECONDS)?
            .unwrap_or(default.coder_timeout_seconds),
        judge_timeout_seconds: fields
            .number("judge_timeout_seconds", TIMEOUT_SECONDS)?
            .unwrap_or(default.judge_timeout_seconds),
        test_timeout_seconds: fields
            .number("test_timeout_seconds", TIMEOUT_SECONDS)?
            .unwrap_or(default.test_timeout_seconds),
        task_type: fields.word("task_type")?,
        scoring_mode: fields.word("scoring_mode")?.unwrap_or(default.scoring_mode),
        rubric_thresholds: fields.thresholds("rubric_thresholds")?,
        rubric_version: fields.name("rubric_version")?,
        score_gate: fields.number("score_gate", i64::MIN..=i64::MAX)?,
        score_threshold: fields.number("score_threshold", i64::MIN..=i64::MAX)?,
        plan: fields.inner_path("plan")?,
        story: fields.name("story")?,
        budget: fields.budget("budget")?,
        task_id: default.task_id,
    })
}

struct Fields<'a> {
    object: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    fn present(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|it| !it.is_null())
    }

    /// Text as it stands.
    fn text(&self, key: &str) -> Result<Option<String>, SpecError> {
        self.present(key).map(|it| text(key, it)).transpose()
    }

    /// A text on one line; an empty one is none.
    fn name(&self, key: &str) -> Result<Option<String>, SpecError> {
        let text = self.text(key)?.filter(|it| !it.is_empty());
        text.map(|it| line(key, it)).transpose()
    }

    /// A command may have several lines, but no other control character.
    fn command(&self, key: &str) -> Result<Option<String>, SpecError> {
        let text = self.text(key)?.filter(|it| !it.trim().is_empty());
        let is_odd = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
        match text {
            Some(it) if it.contains(is_odd) => Err(fail(key, SpecProblem::ControlCharacter)),
            other => Ok(other),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, SpecError> {
        let list = match self.present(key) {
            None => return Ok(Vec::new()),
            Some(Value::Array(list)) => list,
            Some(_) => return Err(wrong(key, Expected::ListOfTexts)),
        };
        let at = |(index, it)| text(&format!("{key}[{index}]"), it);
        list.iter().enumerate().map(at).collect()
    }

    fn names(&self, key: &str) -> Result<Vec<String>, SpecError> {
        let at = |(index, it)| line(&format!("{key}[{index}]"), it);
        self.texts(key)?.into_iter().enumerate().map(at).collect()
    }

    fn inner_paths(&self, key: &str) -> Result<Vec<String>, SpecError> {
        let at = |(index, it)| inner(&format!("{key}[{index}]"), it);
        self.names(key)?.into_iter().enumerate().map(at).collect()
    }

    /// Paths and globs that stand for some files and not for all.
    fn patterns(&self, key: &str) -> Result<Vec<String>, SpecError> {
        let says_nothing = |it: &str| it.chars().all(|it| matches!(it, '*' | '?' | '.' | '/'));
        let patterns = self.inner_paths(key)?;
        match patterns.iter().position(|it| says_nothing(it)) {
            Some(index) => Err(fail(&format!("{key}[{index}]"), SpecProblem::NamesEverything)),
            None => Ok(patterns),
        }
    }

    /// Headings, each with or without a file before it.
    fn sections(&self, key: &str) -> Result<Vec<String>, SpecError> {
        let at = |(index, it): (usize, String)| {
            let key = format!("{key}[{index}]");
            let (file, heading) = it.split_once('#').unwrap_or(("", &it));
            if !heading.contains(char::is_alphanumeric) {
                return Err(fail(&key, SpecProblem::NamesNoSection));
            }
            inner(&key, file.to_owned())?;
            Ok(it)
        };
        self.names(key)?.into_iter().enumerate().map(at).collect()
    }

    fn inner_path(&self, key: &str) -> Result<Option<String>, SpecError> {
        self.name(key)?.map(|it| inner(key, it)).transpose()
    }

    /// What git takes as one revision, and not as an option or a range.
    fn revision(&self, key: &str) -> Result<Option<String>, SpecError> {
        let Some(name) = self.name(key)? else { return Ok(None) };
        if name.starts_with('-') {
            return Err(fail(key, SpecProblem::LooksLikeOption));
        }
        if name.contains("..") || name.contains(char::is_whitespace) {
            return Err(fail(key, SpecProblem::NotARevision));
        }
        Ok(Some(name))
    }

    fn number<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<Option<T>, SpecError>
    where
        T: TryFrom<i64> + PartialOrd + Copy,
        i64: From<T>,
    {
        let number = match self.present(key) {
            None => return Ok(None),
            Some(Value::Number(it)) => {
                it.as_i64().ok_or_else(|| wrong(key, Expected::WholeNumber))?
            }
            Some(_) => return Err(wrong(key, Expected::WholeNumber)),
        };
        let found = T::try_from(number).ok().filter(|it| range.contains(it));
        let (min, max) = (i64::from(*range.start()), i64::from(*range.end()));
        found.map(Some).ok_or_else(|| fail(key, SpecProblem::OutOfRange { min, max }))
    }

    /// A word of a closed set; an alias is read here, before anything looks at the value.
    fn word<T: FromStr<Err = WordError>>(&self, key: &str) -> Result<Option<T>, SpecError> {
        let Some(name) = self.name(key)? else { return Ok(None) };
        let unknown = |it: WordError| SpecProblem::UnknownWord { found: it.found, known: it.known };
        name.parse().map(Some).map_err(|it| fail(key, unknown(it)))
    }

    fn thresholds(&self, key: &str) -> Result<Thresholds, SpecError> {
        let object = match self.present(key) {
            None => return Ok(Thresholds::default()),
            Some(Value::Object(object)) => object,
            Some(_) => return Err(wrong(key, Expected::Object)),
        };
        Thresholds::read(object).map_err(|it| fail(key, SpecProblem::BadThreshold(it)))
    }

    fn budget(&self, key: &str) -> Result<Budget, SpecError> {
        match self.present(key) {
            None => Ok(Budget::default()),
            Some(Value::Object(it)) => {
                Budget::read(it).map_err(|it| fail(key, SpecProblem::BadBudget(it)))
            }
            Some(_) => Err(wrong(key, Expected::Object)),
        }
    }
}

fn fail(key: &str, problem: SpecProblem) -> SpecError {
    SpecError::new(key, problem)
}

fn wrong(key: &str, expected: Expected) -> SpecError {
    fail(key, SpecProblem::WrongType { expected })
}

fn text(key: &str, value: &Value) -> Result<String, SpecError> {
    let text = value.as_str().ok_or_else(|| wrong(key, Expected::Text))?;
    if text.contains('\0') {
        return Err(fail(key, SpecProblem::ControlCharacter));
    }
    if text.chars().nth(MAX_TEXT).is_some() {
        return Err(fail(key, SpecProblem::TooLong { limit: MAX_TEXT }));
    }
    Ok(text.to_owned())
}

fn line(key: &str, text: String) -> Result<String, SpecError> {
    if text.contains(char::is_control) {
        return Err(fail(key, SpecProblem::ControlCharacter));
    }
    Ok(text)
}

fn inner(key: &str, path: String) -> Result<String, SpecError> {
    let leaves = path.starts_with('/') || path.split('/').any(|it| it == "..");
    if leaves { Err(fail(key, SpecProblem::LeavesRepository)) } else { Ok(path) }
}
