//! Reads a task spec, in JSON or TOML, and reports the keys in it that no rule reads.
//!
//! Unknown keys are kept and reported, so that specs of other versions load. A misspelled key is
//! refused: a limit that silently does not hold is worse than no spec.

use provost_form::{
    Expected, Form, Limits, Path, Problem, ProblemKind,
    nearest::{nearest, typo},
};
use provost_kernel::{
    Digest, DigestError, Finding, Message, Record, RecordError, RecordFile, Severity, shorten,
    story::{Plan, Story, StoryId},
    task::{SpecError, TaskSpec, TaskType},
};
use provost_rules::secret;
use serde_json::{Map, Value};

use super::rubric::Rubric;

/// Far more than a person writes.
const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 32 };

/// Why a spec cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.spec")]
pub enum SpecFault {
    /// The text is not an object, or a key is almost one that limits something.
    #[message(transparent)]
    Form(Problem),
    #[message(transparent)]
    Schema(RecordError),
    /// The error names the field, so the problem has the line alone.
    #[message(transparent)]
    Field(Problem<SpecError>),
    /// The spec is stored, and sent to a model (LOOP-A4).
    #[message(
        en = "field `{key}` contains a secret: {kind}",
        zh = "字段 `{key}` 含有密钥：{kind}",
        hint(
            en = "put the secret into an environment variable and list it in `variables` of the adapter",
            zh = "请把密钥放入环境变量，并列在适配器的 `variables` 中"
        )
    )]
    Secret { key: String, kind: &'static str },
    #[message(
        en = "`rubric_thresholds` has the unknown dimension `{dimension}`",
        zh = "`rubric_thresholds` 中的维度 `{dimension}` 未知",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        )
    )]
    UnknownDimension { dimension: String, nearest: Option<String> },
    #[message(
        en = "`rubric_thresholds` needs a `task_type`: without one nothing is scored",
        zh = "`rubric_thresholds` 需要 `task_type`：没有类型就没有评分"
    )]
    ThresholdsWithoutType,
    #[message(
        en = "`story` needs a `plan`: the file that contains the story",
        zh = "`story` 需要 `plan`：故事所在的文件"
    )]
    StoryWithoutPlan,
    #[message(
        en = "`task_type` `{task_type}` needs a judge: tests give no scores",
        zh = "`task_type` 为 `{task_type}` 的任务需要评审：测试不会打分",
        hint(
            en = "name an adapter in `judge` or in `[task] judge`, or leave `task_type` out",
            zh = "请在 `judge` 或 `[task] judge` 中指定适配器，或去掉 `task_type`"
        )
    )]
    TypeWithoutJudge { task_type: TaskType },
    #[message(
        en = "nothing could tell whether this task is done: it has no test, no plan and no judge",
        zh = "无法判断任务是否完成：既没有测试，也没有计划和评审",
        hint(
            en = "name a test (`--test CMD`, `test_cmd`, or `[task] test` in `provost.toml`) or a judge",
            zh = "请指定测试（`--test CMD`、`test_cmd` 或 `provost.toml` 的 `[task] test`）或评审"
        )
    )]
    NothingToJudgeBy,
    #[message(
        en = "the task has neither a goal nor a test",
        zh = "任务既没有目标，也没有测试",
        hint(
            en = "say what should change: `provost do \"fix the login\"`",
            zh = "请说明要改什么：`provost do \"修复登录\"`"
        )
    )]
    NoGoal,
    #[message(
        en = "`{base}` of the repository has no file `{plan}`, which `plan` names",
        zh = "仓库的 `{base}` 中没有 `plan` 指定的 `{plan}`",
        hint(en = "commit the plan first", zh = "请先提交计划文件")
    )]
    NoSuchPlan { plan: String, base: String },
    #[message(
        en = "the plan has no story `{story}`",
        zh = "计划中没有故事 `{story}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        )
    )]
    UnknownStory { story: String, nearest: Option<String> },
}

/// A key that no rule reads.
#[derive(Debug, Message)]
#[message(
    code = "task.spec.unknown_key",
    en = "unknown key",
    zh = "未知的键",
    hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`？")
)]
struct UnknownKey {
    nearest: Option<&'static str>,
}

/// Reads a spec; the findings name keys that no rule reads.
pub fn read(bytes: &[u8]) -> Result<(RecordFile<TaskSpec>, Vec<Finding>), SpecFault> {
    read_form(&Form::json(bytes, LIMITS).map_err(SpecFault::Form)?)
}

/// Reads the same in TOML.
pub fn read_toml(bytes: &[u8]) -> Result<(RecordFile<TaskSpec>, Vec<Finding>), SpecFault> {
    let form = Form::toml(bytes, LIMITS).map_err(SpecFault::Form)?;
    // A date, or `nan`: as `null` it would be taken for a field that is absent.
    if let Some(path) = first_null(form.root(), Path::default()) {
        let found = shorten(&form.written(&path).unwrap_or_default());
        let kind = ProblemKind::WrongType { expected: Expected::Text, found };
        return Err(SpecFault::Form(Problem { line: form.line(&path), path, kind }));
    }
    read_form(&form)
}

fn read_form(form: &Form<'_>) -> Result<(RecordFile<TaskSpec>, Vec<Finding>), SpecFault> {
    let problem =
        |path: Path, kind| SpecFault::Form(Problem { line: form.line(&path), path, kind });
    let Some(object) = form.root().as_object() else {
        let found = shorten(&form.root().to_string());
        let kind = ProblemKind::WrongType { expected: Expected::Object, found };
        return Err(problem(Path::default(), kind));
    };
    if let Some((key, kind)) = object.iter().find_map(|(key, it)| Some((key, secret_in(it)?))) {
        return Err(SpecFault::Secret { key: shorten(key), kind });
    }
    // This first, because its errors name the field.
    TaskSpec::read(object).map_err(|kind| {
        let key = kind.field.split('[').next().unwrap_or_default();
        let line = form.line(&Path::default().key(key));
        SpecFault::Field(Problem { path: Path::default(), line, kind })
    })?;
    let kept: RecordFile<TaskSpec> =
        RecordFile::read(form.root().clone()).map_err(SpecFault::Schema)?;
    if kept.value.story.is_some() && kept.value.plan.is_none() {
        return Err(SpecFault::StoryWithoutPlan);
    }
    // A key that starts with `_` is a comment, and `$schema` is for editors.
    let unknown = || kept.rest.keys().filter(|it| !it.starts_with('_') && *it != "$schema");
    for key in unknown() {
        if let Some(meant) = typo(key, TaskSpec::KEYS.iter().copied()) {
            let kind = ProblemKind::MisspelledKey { nearest: meant.to_owned() };
            return Err(problem(Path::default().key(key), kind));
        }
    }
    let findings = unknown().map(|it| unknown_key(it)).collect();
    Ok((kept, findings))
}

/// Where the first `null` of a value stands.
fn first_null(value: &Value, path: Path) -> Option<Path> {
    match value {
        Value::Null => Some(path),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(at, it)| first_null(it, path.index(at)))
        }
        Value::Object(object) => object.iter().find_map(|(key, it)| first_null(it, path.key(key))),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// What earlier versions took where a spec says nothing; specs that they kept say it.
const FORMER_DEFAULTS: [(&str, &str); 2] =
    [("attempt_context_mode", "fresh_each"), ("base_ref", "main")];

/// By what a spec is known again: everything in it that is not a default, but for the names that
/// a run fills in. A field that a later version adds changes nothing for specs that do not use it.
pub fn digest(spec: &RecordFile<TaskSpec>) -> Result<Digest, DigestError> {
    let defaults = fields(&RecordFile::new(TaskSpec::new(spec.value.task_id.clone())));
    digest_without(spec, &defaults)
}

/// Whether a spec is known by this digest, of this version or of an earlier one.
pub fn is_known_by(spec: &RecordFile<TaskSpec>, digest: Digest) -> bool {
    let mut former = fields(&RecordFile::new(TaskSpec::new(spec.value.task_id.clone())));
    former.extend(FORMER_DEFAULTS.map(|(key, value)| (key.to_owned(), value.into())));
    let known = [self::digest(spec), digest_without(spec, &former)];
    known.into_iter().any(|it| it.is_ok_and(|it| it == digest))
}

fn digest_without(
    spec: &RecordFile<TaskSpec>,
    defaults: &Map<String, Value>,
) -> Result<Digest, DigestError> {
    let mut known = fields(spec);
    known.retain(|key, value| key == "task_id" || defaults.get(key) != Some(value));
    known.retain(|key, _| !matches!(key.as_str(), "task_code" | "created_at"));
    Digest::of_json(&known)
}

fn fields(spec: &RecordFile<TaskSpec>) -> Map<String, Value> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(fields)) => fields,
        // A spec is an object; were it none, it would have no field that is known.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Who judges a task: the one that it names, else the configured one, else the facts alone.
pub fn judge<'a>(spec: &'a TaskSpec, configured: Option<&'a str>) -> Option<&'a str> {
    let named = spec.judge.as_deref().or(configured);
    named.filter(|it| *it != TaskSpec::TESTS)
}

/// Refuses a task that nothing could judge (ruling 72).
pub fn check_judged(spec: &TaskSpec, configured: Option<&str>) -> Result<(), SpecFault> {
    let is_provable = spec.test_cmd.is_some() || spec.plan.is_some();
    if spec.goal.trim().is_empty() && !is_provable {
        return Err(SpecFault::NoGoal);
    }
    match (judge(spec, configured), spec.task_type) {
        (Some(_), _) => Ok(()),
        (None, Some(task_type)) => Err(SpecFault::TypeWithoutJudge { task_type }),
        (None, None) if is_provable => Ok(()),
        (None, None) => Err(SpecFault::NothingToJudgeBy),
    }
}

/// Holds the thresholds of a spec against the rubric that will judge it.
pub fn check_thresholds(spec: &TaskSpec, rubric: &Rubric) -> Result<(), SpecFault> {
    let Some(task_type) = spec.task_type else {
        let is_plain = spec.rubric_thresholds.is_empty();
        return if is_plain { Ok(()) } else { Err(SpecFault::ThresholdsWithoutType) };
    };
    let known = rubric.of(task_type).dimension_keys();
    let unknown = spec.rubric_thresholds.dimensions.keys().find(|it| !known.contains(&it.as_str()));
    unknown.map_or(Ok(()), |it| {
        let nearest = nearest(it, known.iter().copied()).map(str::to_owned);
        Err(SpecFault::UnknownDimension { dimension: shorten(it), nearest })
    })
}

/// The stories of its plan that a task carries out: the one that it names, else all of them.
pub fn stories(spec: &TaskSpec, plan: &Plan) -> Result<Vec<Story>, SpecFault> {
    let Some(named) = &spec.story else { return Ok(plan.stories.clone()) };
    let id: Option<StoryId> = named.parse().ok();
    let found =
        plan.stories.iter().find(|it| id.as_ref().is_some_and(|id| it.id.number() == id.number()));
    found.map(|it| vec![it.clone()]).ok_or_else(|| SpecFault::UnknownStory {
        story: shorten(named),
        nearest: nearest(named, plan.stories.iter().map(|it| it.id.as_str())).map(str::to_owned),
    })
}

/// The kind of the first secret in the texts of a value.
pub(crate) fn secret_in(value: &Value) -> Option<&'static str> {
    let kind = |text: &str| secret::scan(text.as_bytes()).first().map(|it| it.kind);
    match value {
        Value::String(text) => kind(text),
        Value::Array(items) => items.iter().find_map(secret_in),
        Value::Object(object) => {
            object.iter().find_map(|(key, it)| kind(key).or_else(|| secret_in(it)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn unknown_key(key: &str) -> Finding {
    let nearest = nearest(key, TaskSpec::KEYS.iter().copied());
    Finding::new("task.spec.unknown_key", Severity::P2, shorten(key), &UnknownKey { nearest })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&[&str], &str>) {
        let actual = read(text.as_bytes()).map(|(_, findings)| {
            findings
                .into_iter()
                .map(|it| it.subject + &it.hint.map(|it| it.to_string()).unwrap_or_default())
                .collect()
        });
        let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
        assert_eq!(
            actual.map_err(|it| it.to_string()),
            expected.map_err(str::to_owned) as Result<Vec<String>, String>,
            "{text}",
        );
    }

    #[test]
    fn unknown_keys_are_reported_and_kept() {
        check(r#"{"task_id": "t"}"#, Ok(&[]));
        check(r#"{"task_id": "t", "_comment": "x", "_goal": "later"}"#, Ok(&[]));
        check(r#"{"task_id": "t", "$schema": "task.schema.json"}"#, Ok(&[]));
        check(
            r#"{"task_id": "t", "coder_provider": 1}"#,
            Ok(&["coder_providerdid you mean `coder_model`?"]),
        );
        check(r#"{"task_id": "t", "zzz": 1, "yyy": 2}"#, Ok(&["yyy", "zzz"]));
        let (kept, _) = read(br#"{"task_id": "t", "zzz": 1}"#).unwrap();
        assert_eq!(kept.rest["zzz"], 1);
    }

    #[test]
    fn a_slip_of_a_key_is_refused() {
        for (slip, meant) in [
            ("forbiden_globs", "forbidden_globs"),
            ("forbidden-globs", "forbidden_globs"),
            ("Allowed_Paths", "allowed_paths"),
            ("max_attemps", "max_attempts"),
            ("tset_cmd", "test_cmd"),
            ("test_cm", "test_cmd"),
            ("plans", "plan"),
            ("Plan", "plan"),
            ("stroy", "story"),
            ("gaol", "goal"),
            ("codre", "coder"),
            ("acceptence", "acceptance"),
        ] {
            check(
                &format!("{{\"task_id\": \"t\",\n\"{slip}\": 1}}"),
                Err(&format!("line 2: `{slip}`: unknown key, did you mean `{meant}`?")),
            );
        }
        // Three letters away is another word.
        check(r#"{"task_id": "t", "test_cabcd": 1}"#, Ok(&["test_cabcddid you mean `test_cmd`?"]));
    }

    #[test]
    fn every_malformed_spec_has_a_named_error() {
        check("[]", Err("line 1: expected an object, found `[]`"));
        check("{", Err("line 1: not valid JSON at column 1"));
        check(r#"{"task_id": "t", "task_id": "u"}"#, Err("line 1: `task_id`: duplicate key"));
        check("{}", Err("field `task_id` is missing"));
        check(
            "{\"task_id\": \"t\",\n\"allowed_paths\": [3]}",
            Err("line 2: field `allowed_paths[0]` is not a string"),
        );
        let token = ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat();
        for (key, value) in
            [("goal", json!(token)), ("x", json!([{ "y": token }])), ("x", json!({ &token: 1 }))]
        {
            let text = json!({ "task_id": "t", key: value }).to_string();
            check(&text, Err(&format!("field `{key}` contains a secret: github-token")));
        }
        check(
            r#"{"task_id": "t", "schema": "provost.task/2"}"#,
            Err("the schema is `provost.task/2`, and this version reads `provost.task/1`"),
        );
        let alone = "`story` needs a `plan`: the file that contains the story";
        check(r#"{"task_id": "t", "story": "US-001"}"#, Err(alone));
        check(&" ".repeat(1024 * 1024 + 1), Err("larger than 1048576 bytes"));
    }

    #[track_caller]
    fn check_toml(text: &str, expected: Result<Value, &str>) {
        let actual = read_toml(text.as_bytes()).map(|(kept, _)| {
            let mut fields = fields(&kept);
            let defaults = super::fields(&RecordFile::new(TaskSpec::new(kept.value.task_id)));
            fields.retain(|key, it| key == "task_id" || defaults.get(key) != Some(it));
            Value::Object(fields)
        });
        assert_eq!(actual.map_err(|it| it.to_string()), expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn toml_says_the_same_as_json() {
        check_toml(
            "# A comment.\ntask_id = \"t\"\nallowed_paths = [\"src\"]\n\n[budget]\nusd = 2.5\nwall = \"1h\"\n",
            Ok(json!({
                "task_id": "t", "allowed_paths": ["src"], "budget": {"usd": 2.5, "wall": 3600},
            })),
        );
        check_toml("goal = \"x\"\n", Err("field `task_id` is missing"));
        check_toml(
            "task_id = \"t\"\nmax_atempts = 2\n",
            Err("line 2: `max_atempts`: unknown key, did you mean `max_attempts`?"),
        );
        check_toml(
            "task_id = \"t\"\nmax_attempts = \"2\"\n",
            Err("line 2: field `max_attempts` is not a whole number"),
        );
        check_toml("task_id = \"t\"\n[goal\n", Err("line 2: not valid TOML"));
        // JSON has neither, and a field that is absent would be something else.
        check_toml(
            "task_id = \"t\"\ncreated_at = 2026-01-02\n",
            Err("line 2: `created_at`: expected a string, found `2026-01-02`"),
        );
        check_toml(
            "task_id = \"t\"\nbudget.usd = nan\n",
            Err("line 2: `budget.usd`: expected a string, found `nan`"),
        );
    }

    #[track_caller]
    fn check_thresholds(text: &str, expected: Result<(), &str>) {
        let (kept, _) = read(text.as_bytes()).unwrap();
        let actual = super::check_thresholds(&kept.value, &Rubric::embedded().unwrap());
        assert_eq!(actual.map_err(|it| it.to_string()), expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn a_threshold_names_a_dimension_of_the_rubric() {
        check_thresholds(r#"{"task_id": "t"}"#, Ok(()));
        check_thresholds(
            r#"{"task_id": "t", "task_type": "storyboard", "rubric_thresholds": {"visual_clarity": 3, "min_score": 60}}"#,
            Ok(()),
        );
        check_thresholds(
            r#"{"task_id": "t", "task_type": "storyboard", "rubric_thresholds": {"visual_clearity": 3}}"#,
            Err("`rubric_thresholds` has the unknown dimension `visual_clearity`"),
        );
        check_thresholds(
            r#"{"task_id": "t", "rubric_thresholds": {"min_score": 60}}"#,
            Err("`rubric_thresholds` needs a `task_type`: without one nothing is scored"),
        );
    }

    /// STORY-6.1: a task names a story that there is, or carries out all of them.
    #[test]
    fn a_task_names_stories_of_its_plan() {
        let text = "# P\n### US-001: A\n**Acceptance Criteria**\n- a\n### US-012: B\n**Acceptance Criteria**\n- b\n";
        let plan = provost_rules_story::plan::read("p.md", text.as_bytes()).unwrap();
        let named = |story: Option<&str>| {
            let plan_path = Some("p.md".to_owned());
            let story = story.map(str::to_owned);
            let spec = TaskSpec { plan: plan_path, story, ..TaskSpec::new("t".parse().unwrap()) };
            let found = stories(&spec, &plan)
                .map_err(|it| it.hints().first().map(ToString::to_string).unwrap_or_default());
            found.map(|it| it.iter().map(|it| it.id.to_string()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(named(None), Ok("US-001 US-012".to_owned()));
        assert_eq!(named(Some("US-12")), Ok("US-012".to_owned()));
        assert_eq!(named(Some("US-011")), Err("did you mean `US-012`?".to_owned()));
        assert_eq!(named(Some("login")), Err(String::new()));
    }

    /// Ruling 71: `main` was assumed where a spec named no base, and stands in specs that were kept.
    #[test]
    fn a_spec_of_an_earlier_version_is_known_again() {
        let spec = |text: &str| read(text.as_bytes()).unwrap().0;
        let plain = r#"{"task_id": "t"}"#;
        let main = r#"{"task_id": "t", "base_ref": "main", "attempt_context_mode": "fresh_each"}"#;
        let former = digest(&spec(plain)).unwrap();
        assert!(is_known_by(&spec(main), former));
        assert_ne!(digest(&spec(main)).unwrap(), former);
        assert!(!is_known_by(&spec(r#"{"task_id": "t", "base_ref": "dev"}"#), former));
        assert!(!is_known_by(&spec(r#"{"task_id": "t", "goal": "x"}"#), former));
    }

    /// Ruling 72: without a judge the facts decide, and there must be some.
    #[test]
    fn a_task_needs_something_that_can_judge_it() {
        let check = |fields: &str, configured: Option<&str>, expected: Result<(), &str>| {
            let (kept, _) = read(format!(r#"{{"task_id": "t"{fields}}}"#).as_bytes()).unwrap();
            let actual = check_judged(&kept.value, configured)
                .map_err(|it| it.text().code().unwrap_or_default().to_owned());
            assert_eq!(actual, expected.map_err(str::to_owned), "{fields} {configured:?}");
        };
        let nothing = Err("task.spec.nothing_to_judge_by");
        check("", None, Err("task.spec.no_goal"));
        check("", Some("model"), Err("task.spec.no_goal"));
        check(r#", "goal": " ", "judge": "model""#, None, Err("task.spec.no_goal"));
        check(r#", "goal": "g""#, None, nothing);
        check(r#", "goal": "g", "judge": "tests""#, Some("model"), nothing);
        check(r#", "goal": "g""#, Some("tests"), nothing);
        check(r#", "goal": "g""#, Some("model"), Ok(()));
        check(r#", "goal": "g", "judge": "model""#, None, Ok(()));
        check(r#", "goal": "g", "test_cmd": "make test""#, None, Ok(()));
        check(r#", "test_cmd": "make test""#, None, Ok(()));
        check(r#", "goal": "g", "plan": "plan.md""#, None, Ok(()));
        let typed = r#", "goal": "g", "test_cmd": "x", "task_type": "storyboard""#;
        check(typed, None, Err("task.spec.type_without_judge"));
        check(typed, Some("model"), Ok(()));
    }

    #[test]
    fn a_spec_is_known_by_what_it_says() {
        let spec = |text: &str| read(text.as_bytes()).unwrap().0;
        let digest = |text: &str| digest(&spec(text)).unwrap();
        let plain = digest(r#"{"task_id": "t"}"#);
        assert_eq!(digest(r#"{"task_id": "t", "max_attempts": 3, "base_ref": "HEAD"}"#), plain);
        assert_eq!(digest(r#"{"task_id": "t", "task_code": "x", "created_at": "now"}"#), plain);
        for other in [
            r#"{"task_id": "u"}"#,
            r#"{"task_id": "t", "max_attempts": 4}"#,
            r#"{"task_id": "t", "goal": "x"}"#,
            r#"{"task_id": "t", "unheard_of": 1}"#,
        ] {
            assert_ne!(digest(other), plain, "{other}");
        }
    }
}
