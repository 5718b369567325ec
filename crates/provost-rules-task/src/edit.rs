//! Changing a spec: which fields, until when, and what a change makes of them (ruling 74).
//!
//! The spec of a task is kept as it was made. What people change is kept beside it, in the status
//! and as versions in the queue of orders, so that an edit is one write and can be taken back.

mod resolve;

use provost_form::nearest::nearest;
use provost_kernel::{
    Digest, Message, RecordFile, TaskId, shorten,
    task::{ChangeKind, SpecChange, SpecError, TaskSpec},
};
use serde_json::{Map, Value};

pub use self::resolve::resolve;
use crate::policy::PolicyError;

/// What the value of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    List,
    Object,
}

/// Until when a field can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Always; what was proven stays proven.
    Ever,
    /// Always; what was proven before is stale.
    Restated,
    /// The first attempt.
    Begun,
}

/// A field that can be changed.
#[derive(Clone, Copy, Debug)]
struct Field {
    key: &'static str,
    kind: Kind,
    until: Until,
}

const FIELDS: &[Field] = &[
    field("acceptance", Kind::Text, Until::Restated),
    field("allowed_paths", Kind::List, Until::Restated),
    field("attempt_context_mode", Kind::Text, Until::Ever),
    field("base_ref", Kind::Text, Until::Restated),
    field("budget.tokens", Kind::Number, Until::Ever),
    field("budget.usd", Kind::Number, Until::Ever),
    field("budget.wall", Kind::Text, Until::Ever),
    field(BUILD, Kind::Text, Until::Restated),
    field("claude_cmd", Kind::Text, Until::Ever),
    field("coder", Kind::Text, Until::Ever),
    field("coder_model", Kind::Text, Until::Ever),
    field("coder_timeout_seconds", Kind::Number, Until::Ever),
    field("codex_cmd", Kind::Text, Until::Ever),
    field("constraints", Kind::List, Until::Ever),
    field("cursor_cmd", Kind::Text, Until::Ever),
    field("forbidden_globs", Kind::List, Until::Restated),
    field(GOAL, Kind::Text, Until::Restated),
    field("judge", Kind::Text, Until::Ever),
    field("judge_model", Kind::Text, Until::Ever),
    field("judge_timeout_seconds", Kind::Number, Until::Ever),
    field(LINT, Kind::Text, Until::Restated),
    field(MAX_ATTEMPTS, Kind::Number, Until::Ever),
    field("required_sections", Kind::List, Until::Restated),
    field("rubric_thresholds", Kind::Object, Until::Restated),
    field("score_gate", Kind::Number, Until::Restated),
    field("score_threshold", Kind::Number, Until::Restated),
    field("scoring_mode", Kind::Text, Until::Restated),
    field("target_branch", Kind::Text, Until::Ever),
    field("target_type", Kind::Text, Until::Ever),
    field("task_type", Kind::Text, Until::Begun),
    field("test_cmd", Kind::Text, Until::Restated),
    field("test_timeout_seconds", Kind::Number, Until::Ever),
    field("tests_may_change", Kind::List, Until::Restated),
    field(TYPES, Kind::Text, Until::Restated),
];

/// What a task is for: it always has one.
const GOAL: &str = "goal";

/// The checks besides the test. Tasks of earlier versions have none, and their terms are what they were.
const TYPES: &str = "types";
const LINT: &str = "lint";
const BUILD: &str = "build";
const CHECKS: [&str; 3] = [BUILD, LINT, TYPES];

/// The one field that overrides had before there were edits.
const MAX_ATTEMPTS: &str = "max_attempts";

const fn field(key: &'static str, kind: Kind, until: Until) -> Field {
    Field { key, kind, until }
}

/// Why a spec stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.set")]
pub enum EditError {
    #[message(
        en = "invalid change `{text}`: write it as `KEY=VALUE`, `KEY+=VALUE` or `KEY-=VALUE`",
        zh = "无效的更改 `{text}`：请写作 `KEY=VALUE`、`KEY+=VALUE` 或 `KEY-=VALUE`"
    )]
    NoValue { text: String },
    #[message(
        en = "the goal is empty",
        zh = "目标为空",
        hint(
            en = "say what should change: `--set goal=\"total() ignores the discount\"`",
            zh = "请说明要改什么：`--set goal=\"total() 忽略了折扣\"`"
        )
    )]
    NoGoal,
    #[message(
        en = "`{key}` cannot be changed: it was fixed when the task was created",
        zh = "`{key}` 不可更改：任务创建时已确定",
        hint(
            en = "remove the task with `provost rm {id}`, and create it anew",
            zh = "请用 `provost rm {id}` 删除任务后重新创建"
        ),
        arg(id = id(task.as_ref()))
    )]
    Fixed { key: String, task: Option<TaskId> },
    #[message(
        en = "unknown field `{key}`",
        zh = "未知的字段 `{key}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "the fields are: {known:names}",
            zh = "可用的字段：{known:names}"
        ),
        arg(known = keys())
    )]
    Unknown { key: String, nearest: Option<&'static str> },
    #[message(
        en = "`{key}` cannot be changed after the first attempt",
        zh = "第一次尝试之后，`{key}` 不可更改",
        hint(
            en = "remove the task with `provost rm {id}`, and create it anew",
            zh = "请用 `provost rm {id}` 删除任务后重新创建"
        ),
        arg(id = id(task.as_ref()))
    )]
    Begun { key: &'static str, task: Option<TaskId> },
    #[message(
        en = "`{key}` is not a list: set it with `{key}=VALUE`",
        zh = "`{key}` 不是列表：请用 `{key}=VALUE` 设置"
    )]
    NotAList { key: &'static str },
    #[message(en = "`{key}` is a number, not `{value}`", zh = "`{key}` 应为数字，而非 `{value}`")]
    NotANumber { key: &'static str, value: String },
    #[message(
        en = "`{key}` is not a value in JSON: `{value}`",
        zh = "`{key}` 的值不是 JSON：`{value}`"
    )]
    NotJson { key: &'static str, value: String },
    #[message(
        en = "`{key}` does not contain `{value}`",
        zh = "`{key}` 中没有 `{value}`",
        hint(en = "see `provost show ID --json`", zh = "请查看 `provost show ID --json`")
    )]
    NotThere { key: &'static str, value: String },
    #[message(
        en = "`allowed_paths` is empty, so that every file may be changed already",
        zh = "`allowed_paths` 为空，本来就允许改动任何文件",
        hint(
            en = "to allow nothing else: `--set allowed_paths={value}`",
            zh = "如要只允许它：`--set allowed_paths={value}`"
        )
    )]
    AllAllowed { value: String },
    #[message(en = "that changes nothing: the task says so already", zh = "没有变化：任务本来如此")]
    Unchanged,
    #[message(
        en = "the value of `{key}` contains a secret: {kind}",
        zh = "`{key}` 的值含有密钥：{kind}"
    )]
    Secret { key: &'static str, kind: &'static str },
    #[message(transparent)]
    Spec(SpecError),
    #[message(transparent)]
    Policy(PolicyError),
}

impl EditError {
    /// The same, with the task that is edited.
    #[must_use]
    pub fn of_task(mut self, id: &TaskId) -> Self {
        if let Self::Fixed { task, .. } | Self::Begun { task, .. } = &mut self {
            *task = Some(id.clone());
        }
        self
    }
}

/// A task as it is typed, also where none is known.
fn id(task: Option<&TaskId>) -> String {
    task.map_or_else(|| "ID".to_owned(), ToString::to_string)
}

fn keys() -> Vec<&'static str> {
    FIELDS.iter().map(|it| it.key).collect()
}

/// The fields of a spec that can still be changed.
pub fn changeable(has_begun: bool) -> Vec<&'static str> {
    let can_change = |it: &&Field| !has_begun || it.until != Until::Begun;
    FIELDS.iter().filter(can_change).map(|it| it.key).collect()
}

/// The field of a name.
fn known(key: &str) -> Result<&'static Field, EditError> {
    if let Some(field) = FIELDS.iter().find(|it| it.key == key) {
        return Ok(field);
    }
    let key = shorten(key);
    if <TaskSpec as provost_kernel::Record>::KEYS.contains(&key.as_str()) && key != "budget" {
        return Err(EditError::Fixed { key, task: None });
    }
    let nearest = nearest(&key, keys());
    Err(EditError::Unknown { key, nearest })
}

/// Reads a change as people write it: `budget.usd=5`, `allowed_paths+=docs`. An empty value is the
/// default.
pub fn parse(text: &str) -> Result<SpecChange, EditError> {
    let Some((left, value)) = text.split_once('=') else {
        return Err(EditError::NoValue { text: shorten(text) });
    };
    let (key, how) = match (left.strip_suffix('+'), left.strip_suffix('-')) {
        (Some(key), _) => (key, ChangeKind::Add),
        (None, Some(key)) => (key, ChangeKind::Remove),
        (None, None) => (left, ChangeKind::Set),
    };
    let field = known(key.trim())?;
    if how != ChangeKind::Set && field.kind != Kind::List {
        return Err(EditError::NotAList { key: field.key });
    }
    let value = value_of(field, value.trim())?;
    Ok(SpecChange { key: field.key.to_owned(), how, value })
}

fn value_of(field: &Field, text: &str) -> Result<Value, EditError> {
    let key = field.key;
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let not_json = || EditError::NotJson { key, value: shorten(text) };
    match field.kind {
        Kind::Text => Ok(Value::from(text)),
        Kind::Number => match serde_json::from_str(text) {
            Ok(number @ Value::Number(_)) => Ok(number),
            Ok(_) | Err(_) => Err(EditError::NotANumber { key, value: shorten(text) }),
        },
        Kind::List if text.starts_with('[') => serde_json::from_str(text).map_err(|_| not_json()),
        Kind::List => Ok(text.split(',').map(str::trim).filter(|it| !it.is_empty()).collect()),
        Kind::Object => serde_json::from_str(text).map_err(|_| not_json()),
    }
}

/// A spec with what people changed of it.
pub fn edited(
    kept: &RecordFile<TaskSpec>,
    fields: &Map<String, Value>,
) -> Result<RecordFile<TaskSpec>, EditError> {
    if fields.is_empty() {
        return Ok(kept.clone());
    }
    let mut object = resolve::object(kept);
    object.extend(fields.clone());
    let value = TaskSpec::read(&object).map_err(EditError::Spec)?;
    Ok(RecordFile { value, rest: kept.rest.clone() })
}

/// Refuses to go from some changes to others, if that changes a field that cannot be changed after
/// the first attempt.
pub(crate) fn check_begun(
    from: &Map<String, Value>,
    to: &Map<String, Value>,
) -> Result<(), EditError> {
    let differs = |it: &&Field| it.until == Until::Begun && from.get(it.key) != to.get(it.key);
    let changed = FIELDS.iter().find(differs);
    changed.map_or(Ok(()), |it| Err(EditError::Begun { key: it.key, task: None }))
}

/// What a task asks for: everything that a proof of its result is about.
pub fn terms(spec: &TaskSpec) -> Digest {
    let object = resolve::object(&RecordFile::new(spec.clone()));
    let restated = FIELDS.iter().filter(|it| it.until == Until::Restated);
    let of_old = restated.filter(|it| !CHECKS.contains(&it.key));
    let terms = of_old.map(|it| object.get(it.key).cloned().unwrap_or_default());
    let checks = CHECKS
        .iter()
        .filter_map(|key| Some(Value::from(vec![Value::from(*key), object.get(*key)?.clone()])));
    let text: Value = terms.chain(checks).collect();
    Digest::of_bytes(text.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, ChangeKind, Value), &str>) {
        let actual = parse(text).map(|it| (it.key, it.how, it.value)).map_err(|it| it.to_string());
        let expected = expected.map(|(key, how, value)| (key.to_owned(), how, value));
        assert_eq!(actual, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn a_change_is_read_as_people_write_it() {
        use ChangeKind::{Add, Remove, Set};
        check("goal=fix a=b", Ok(("goal", Set, json!("fix a=b"))));
        check("goal= 修复登录 ", Ok(("goal", Set, json!("修复登录"))));
        check("budget.usd=5.50", Ok(("budget.usd", Set, serde_json::from_str("5.50").unwrap())));
        check("budget.wall=1h30m", Ok(("budget.wall", Set, json!("1h30m"))));
        check("coder_model=", Ok(("coder_model", Set, json!(null))));
        check("allowed_paths+=docs", Ok(("allowed_paths", Add, json!(["docs"]))));
        check("allowed_paths=src, docs", Ok(("allowed_paths", Set, json!(["src", "docs"]))));
        check("allowed_paths-=src", Ok(("allowed_paths", Remove, json!(["src"]))));
        check(r#"allowed_paths=["a,b"]"#, Ok(("allowed_paths", Set, json!(["a,b"]))));
        check(
            "goal",
            Err("invalid change `goal`: write it as `KEY=VALUE`, `KEY+=VALUE` or `KEY-=VALUE`"),
        );
        check("gaol=x", Err("unknown field `gaol`"));
        check("budget=5", Err("unknown field `budget`"));
        check(
            "repo_path=/x",
            Err("`repo_path` cannot be changed: it was fixed when the task was created"),
        );
        check("goal+=x", Err("`goal` is not a list: set it with `goal=VALUE`"));
        check("max_attempts=five", Err("`max_attempts` is a number, not `five`"));
        check("allowed_paths=[a", Err("`allowed_paths` is not a value in JSON: `[a`"));
    }

    /// Ruling 74: a goal or a test that changes makes earlier proofs stale; a limit does not.
    #[test]
    fn terms_are_what_a_proof_is_about() {
        let spec = TaskSpec::new("t1".parse().unwrap());
        let changed = |key: &str, value: Value| {
            let kept = RecordFile::new(spec.clone());
            terms(&edited(&kept, &Map::from_iter([(key.to_owned(), value)])).unwrap().value)
        };
        for (key, value) in [
            ("goal", json!("x")),
            ("acceptance", json!("x")),
            ("test_cmd", json!("make")),
            ("types", json!("make")),
            ("lint", json!("make")),
            ("allowed_paths", json!(["src"])),
            ("forbidden_globs", json!(["*.lock"])),
        ] {
            assert_ne!(changed(key, value), terms(&spec), "{key}");
        }
        for (key, value) in [
            ("coder_timeout_seconds", json!(5)),
            ("budget", json!({"usd": 5})),
            ("coder", json!("codex")),
            ("max_attempts", json!(9)),
        ] {
            assert_eq!(changed(key, value), terms(&spec), "{key}");
        }
    }

    #[test]
    fn every_field_is_one_of_a_spec() {
        for field in FIELDS {
            let key = field.key.split('.').next().unwrap();
            assert!(<TaskSpec as provost_kernel::Record>::KEYS.contains(&key), "{key}");
        }
    }
}
