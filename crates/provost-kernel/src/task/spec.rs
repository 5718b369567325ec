//! A task as a person writes it.
//!
//! Reading names the field that is wrong and why. A field that is absent, `null` or, for a word
//! or a name, empty takes its default. Keys that provost does not know are kept and reported, not
//! refused: specs of other versions must load.

mod error;
mod read;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value, json};

pub use self::error::{Expected, SpecError, SpecProblem};
use super::{Budget, Thresholds};
use crate::{Record, TaskId, words::words};

/// What a task asks for, who does it, and what holds them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TaskSpec {
    /// The name of the task; also the name of its folder.
    pub task_id: TaskId,
    /// The version of the format that the original gave it; always `v1`.
    pub schema_version: String,
    /// The repository, absolute or relative to the folder of the spec.
    pub repo_path: String,
    /// The branch, tag or commit that every attempt starts from. `HEAD` is the commit that it names
    /// when the task is made, which then stands here.
    pub base_ref: String,
    /// The commit that `--with-changes` made of uncommitted work. It is the base as long as `base_ref`
    /// names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with_changes: Option<String>,
    /// The branch that the result goes to. Without one, the branch that `base_ref` is or that `HEAD`
    /// stands on when the task is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_branch: Option<String>,
    /// What is to be done.
    pub goal: String,
    /// When it is done.
    pub acceptance: String,
    /// The shell command that tests the result; without one, nothing is verified by test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_cmd: Option<String>,
    /// The shell command that checks types; without one, the configured one. What is green on the base
    /// must stay green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// The shell command that looks for faults of style and use; without one, the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint: Option<String>,
    /// The shell command that builds the product; without one, the configured one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// How many attempts may be consumed, from 1 to 50.
    #[schemars(range(min = 1, max = 50))]
    pub max_attempts: u16,
    /// Where an attempt starts, and what it is told of the one before.
    pub attempt_context_mode: ContextMode,
    /// The adapter that does the work; without one, the configured default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coder: Option<String>,
    /// The adapter that judges, or `tests`: then the facts alone decide. Without one, the configured
    /// default, else `tests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The coder's model; without one, the adapter's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coder_model: Option<String>,
    /// The judge's model; without one, the adapter's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// Free text for people; no rule reads it.
    pub constraints: Vec<String>,
    /// When the spec was made; for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// A name that coder and judge share, to trace a run through logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_code: Option<String>,
    /// Which kind of repository it is; for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_type: Option<String>,
    /// The files and folders that may change; none means all.
    pub allowed_paths: Vec<String>,
    /// The files that may not change, besides those that never may.
    pub forbidden_globs: Vec<String>,
    /// The tests that the task may change: files, folders or globs from the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests_may_change: Vec<String>,
    /// The sections that documents of the result must have: `FILE#HEADING`, or `HEADING` in any
    /// Markdown file of the change; `风险 | Risks` takes either.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required_sections: Vec<String>,
    /// The name of the Cursor command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor_cmd: Option<String>,
    /// The name of the Codex command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex_cmd: Option<String>,
    /// The name of the Claude command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude_cmd: Option<String>,
    /// How long the coder may take.
    #[schemars(range(min = 1, max = 604_800))]
    pub coder_timeout_seconds: u32,
    /// How long the judge may take.
    #[schemars(range(min = 1, max = 604_800))]
    pub judge_timeout_seconds: u32,
    /// How long the test may take.
    #[schemars(range(min = 1, max = 604_800))]
    pub test_timeout_seconds: u32,
    /// Which rubric judges it; without one, a plain verdict is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_type: Option<TaskType>,
    /// How the judge scores; only `rubric_analytic` can approve.
    pub scoring_mode: ScoringMode,
    /// The least scores with which the task may be ready for review.
    pub rubric_thresholds: Thresholds,
    /// The version of the rubric that the author had in mind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rubric_version: Option<String>,
    /// For a plain verdict with a `score`: under it, the verdict is gated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_gate: Option<i64>,
    /// For a plain verdict with a `score`: under it, the threshold is not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_threshold: Option<i64>,
    /// A plan whose criteria must be proven: a path inside the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// The story of the plan that the task carries out; without one, all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<String>,
    /// The most that the task may cost.
    #[serde(skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
}

words! {
    /// Which rubric judges a task (LOOP-B25).
    pub enum TaskType {
        RequirementsDoc = "requirements_doc",
        EngineeringImpl = "engineering_impl" | "engineering_implementation",
        DouyinScript = "douyin_script",
        Storyboard = "storyboard",
        PaidMiniDrama = "paid_mini_drama",
    }
}

words! {
    /// How a judge comes to its scores (LOOP-B2).
    pub enum ScoringMode {
        RubricAnalytic = "rubric_analytic",
        HolisticImpression = "holistic_impression",
    }
}

words! {
    /// Where an attempt starts, and what it is told of the one before (ruling 73).
    pub enum ContextMode {
        /// On the files that the attempt before left.
        Continue = "continue",
        /// The same, and it is told what the coder said.
        Iterative = "iterative",
        /// From the base.
        FreshEach = "fresh_each",
    }
}

impl TaskSpec {
    /// The commit that it starts from, where it names one by its id and not a branch or a tag.
    pub fn base_commit(&self) -> Option<&str> {
        let base = self.base_ref.as_str();
        let is_commit = base.len() >= 40 && base.bytes().all(|it| it.is_ascii_hexdigit());
        is_commit.then_some(base)
    }

    /// Whether its base was made of work that a person had not committed.
    pub fn starts_from_changes(&self) -> bool {
        self.with_changes.as_deref() == Some(self.base_ref.as_str())
    }

    /// How many attempts a task has that does not say it.
    pub const ATTEMPTS: u16 = 3;
    /// The range of `max_attempts`, also where it is overridden.
    pub const MAX_ATTEMPTS: std::ops::RangeInclusive<u16> = 1..=50;

    /// The base of a task that names none: where the repository stands when it is made.
    pub const HEAD: &'static str = "HEAD";

    /// The judge that asks no model: what was verified decides.
    pub const TESTS: &'static str = "tests";

    /// A task with this name and every default.
    pub fn new(task_id: TaskId) -> Self {
        Self {
            task_id,
            schema_version: "v1".to_owned(),
            repo_path: String::new(),
            base_ref: Self::HEAD.to_owned(),
            with_changes: None,
            target_branch: None,
            goal: String::new(),
            acceptance: String::new(),
            test_cmd: None,
            types: None,
            lint: None,
            build: None,
            max_attempts: Self::ATTEMPTS,
            attempt_context_mode: ContextMode::Continue,
            coder: None,
            judge: None,
            coder_model: None,
            judge_model: None,
            constraints: Vec::new(),
            created_at: None,
            task_code: None,
            target_type: None,
            allowed_paths: Vec::new(),
            forbidden_globs: Vec::new(),
            tests_may_change: Vec::new(),
            required_sections: Vec::new(),
            cursor_cmd: None,
            codex_cmd: None,
            claude_cmd: None,
            coder_timeout_seconds: 600,
            judge_timeout_seconds: 300,
            test_timeout_seconds: 300,
            task_type: None,
            scoring_mode: ScoringMode::RubricAnalytic,
            rubric_thresholds: Thresholds::default(),
            rubric_version: None,
            score_gate: None,
            score_threshold: None,
            plan: None,
            story: None,
            budget: Budget::default(),
        }
    }

    /// The JSON Schema of a spec as a person writes it, in JSON or TOML. It is stricter than reading:
    /// a key that it does not know is a slip to an editor.
    pub fn schema() -> Value {
        let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
        let mut schema = settings.into_generator().into_root_schema_for::<Self>();
        schema.insert("required".to_owned(), json!(["task_id"]));
        schema.insert("patternProperties".to_owned(), json!({ "^_": {} }));
        schema.insert("additionalProperties".to_owned(), false.into());
        // An id that cannot be a default of its own: only the other fields are taken over.
        let defaults = "t".parse().ok().and_then(|it| serde_json::to_value(Self::new(it)).ok());
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            for (key, property) in properties.iter_mut().filter(|(key, _)| *key != "task_id") {
                let default = defaults.as_ref().and_then(|it| it.get(key));
                if let (Some(property), Some(default)) = (property.as_object_mut(), default) {
                    property.insert("default".to_owned(), default.clone());
                }
            }
            let words = [
                (
                    "$schema",
                    json!({ "description": "This schema, for editors.", "type": "string" }),
                ),
                (
                    "schema",
                    json!({ "description": "The version of the format.", "const": Self::SCHEMA }),
                ),
            ];
            properties.extend(words.map(|(key, it)| (key.to_owned(), it)));
        }
        schema.to_value()
    }

    /// Reads a task; the keys that it does not know are left to the caller.
    pub fn read(object: &Map<String, Value>) -> Result<Self, SpecError> {
        read::read(object)
    }
}

impl<'de> Deserialize<'de> for TaskSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Map::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Record for TaskSpec {
    const SCHEMA: &'static str = "provost.task/1";
    const KEYS: &'static [&'static str] = &[
        "acceptance",
        "allowed_paths",
        "attempt_context_mode",
        "base_ref",
        "budget",
        "build",
        "claude_cmd",
        "coder",
        "coder_model",
        "coder_timeout_seconds",
        "codex_cmd",
        "constraints",
        "created_at",
        "cursor_cmd",
        "forbidden_globs",
        "goal",
        "judge",
        "judge_model",
        "judge_timeout_seconds",
        "lint",
        "max_attempts",
        "plan",
        "repo_path",
        "required_sections",
        "rubric_thresholds",
        "rubric_version",
        "schema_version",
        "score_gate",
        "score_threshold",
        "scoring_mode",
        "story",
        "target_branch",
        "target_type",
        "task_code",
        "task_id",
        "task_type",
        "test_cmd",
        "test_timeout_seconds",
        "tests_may_change",
        "types",
        "with_changes",
    ];
}

#[cfg(test)]
mod tests;
