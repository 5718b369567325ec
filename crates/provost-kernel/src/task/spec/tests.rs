use serde_json::json;

use super::*;
use crate::{
    Lang, Message,
    record::{RecordFile, assert_keys},
};

#[track_caller]
fn read(value: Value) -> Result<TaskSpec, String> {
    let Value::Object(object) = value else { panic!("not an object") };
    TaskSpec::read(&object).map_err(|it| it.to_string())
}

#[track_caller]
fn check(key: &str, value: Value, expected: Result<Value, &str>) {
    let actual = read(json!({"task_id": "t1", key: value.clone()}));
    let actual = actual.map(|it| serde_json::to_value(it).unwrap()[key].take());
    assert_eq!(actual, expected.map_err(str::to_owned), "{key}: {value}");
}

#[test]
fn a_spec_needs_an_id_and_nothing_else() {
    let spec = read(json!({"task_id": "t1"})).unwrap();
    assert_eq!(
        serde_json::to_value(spec).unwrap(),
        json!({
            "task_id": "t1",
            "schema_version": "v1",
            "repo_path": "",
            "base_ref": "HEAD",
            "goal": "",
            "acceptance": "",
            "max_attempts": 3,
            "attempt_context_mode": "continue",
            "constraints": [],
            "allowed_paths": [],
            "forbidden_globs": [],
            "coder_timeout_seconds": 600,
            "judge_timeout_seconds": 300,
            "test_timeout_seconds": 300,
            "scoring_mode": "rubric_analytic",
            "rubric_thresholds": {},
        }),
    );
    assert_eq!(read(json!({})), Err("field `task_id` is missing".to_owned()));
    assert_eq!(read(json!({"task_id": null})), Err("field `task_id` is missing".to_owned()));
    assert_eq!(read(json!({"task_id": 7})), Err("field `task_id` is not a string".to_owned()));
    assert_eq!(
        read(json!({"task_id": "../x"})),
        Err("field `task_id` is invalid: it contains \".\" at position 0".to_owned()),
    );
}

/// LOOP-B25: the alias is read, before the value is validated, and never written.
#[test]
fn the_alias_of_a_type_is_read_and_normalised() {
    for word in TaskType::WORDS {
        check("task_type", json!(word), Ok(json!(word)));
    }
    check("task_type", json!("engineering_implementation"), Ok(json!("engineering_impl")));
    check("task_type", json!(""), Ok(Value::Null));
    check("task_type", json!("novel"), Err("field `task_type` has the unknown value `novel`"));
}

#[test]
fn words_are_words() {
    check("scoring_mode", json!("holistic_impression"), Ok(json!("holistic_impression")));
    check("scoring_mode", json!(""), Ok(json!("rubric_analytic")));
    check("scoring_mode", json!("mood"), Err("field `scoring_mode` has the unknown value `mood`"));
    check("attempt_context_mode", json!("iterative"), Ok(json!("iterative")));
    check("attempt_context_mode", json!(1), Err("field `attempt_context_mode` is not a string"));
}

#[test]
fn numbers_have_ranges() {
    check("max_attempts", json!(1), Ok(json!(1)));
    check("max_attempts", json!(50), Ok(json!(50)));
    check("max_attempts", json!(0), Err("field `max_attempts` is not between 1 and 50"));
    check("max_attempts", json!(51), Err("field `max_attempts` is not between 1 and 50"));
    check("max_attempts", json!(70000), Err("field `max_attempts` is not between 1 and 50"));
    check("max_attempts", json!(1.5), Err("field `max_attempts` is not a whole number"));
    check("max_attempts", json!("3"), Err("field `max_attempts` is not a whole number"));
    check("coder_timeout_seconds", json!(604_800), Ok(json!(604_800)));
    check(
        "coder_timeout_seconds",
        json!(0),
        Err("field `coder_timeout_seconds` is not between 1 and 604800"),
    );
    check(
        "judge_timeout_seconds",
        json!(604_801),
        Err("field `judge_timeout_seconds` is not between 1 and 604800"),
    );
    check(
        "test_timeout_seconds",
        json!(-1),
        Err("field `test_timeout_seconds` is not between 1 and 604800"),
    );
    check("score_gate", json!(-5), Ok(json!(-5)));
    check("score_threshold", json!(60), Ok(json!(60)));
}

#[test]
fn nothing_reaches_a_command_line_as_an_option() {
    check("base_ref", json!("HEAD~1"), Ok(json!("HEAD~1")));
    check("base_ref", json!(""), Ok(json!("HEAD")));
    check("with_changes", json!("9be81c2"), Ok(json!("9be81c2")));
    check("target_branch", json!("release/2"), Ok(json!("release/2")));
    check("target_branch", json!("-f"), Err("field `target_branch` may not start with `-`"));
    check("base_ref", json!("--upload-pack=x"), Err("field `base_ref` may not start with `-`"));
    check("base_ref", json!("a..b"), Err("field `base_ref` is not a branch, tag or commit"));
    check("base_ref", json!("a b"), Err("field `base_ref` is not a branch, tag or commit"));
    check("base_ref", json!("a\nb"), Err("field `base_ref` contains a control character"));
    check("repo_path", json!("../other"), Ok(json!("../other")));
    check("repo_path", json!("a\0b"), Err("field `repo_path` contains a control character"));
    check("coder", json!("a\u{1b}[2J"), Err("field `coder` contains a control character"));
}

#[test]
fn lists_are_lists_of_texts() {
    check("allowed_paths", json!(["src", "docs/a.md"]), Ok(json!(["src", "docs/a.md"])));
    check("allowed_paths", json!("src"), Err("field `allowed_paths` is not a list of strings"));
    check("allowed_paths", json!(["src", 3]), Err("field `allowed_paths[1]` is not a string"));
    check(
        "allowed_paths",
        json!(["/etc"]),
        Err("field `allowed_paths[0]` is not a path inside the repository"),
    );
    check(
        "allowed_paths",
        json!(["a", "b/../../x"]),
        Err("field `allowed_paths[1]` is not a path inside the repository"),
    );
    check("allowed_paths", json!(["a..b"]), Ok(json!(["a..b"])));
    check(
        "forbidden_globs",
        json!(["**/x", "a\tb"]),
        Err("field `forbidden_globs[1]` contains a control character"),
    );
    check("constraints", json!(["two\nlines"]), Ok(json!(["two\nlines"])));
    check("plan", json!("docs/plan.md"), Ok(json!("docs/plan.md")));
    check("plan", json!("../plan.md"), Err("field `plan` is not a path inside the repository"));
}

#[test]
fn a_test_is_a_command_or_nothing() {
    check("test_cmd", json!("cargo test\nmake"), Ok(json!("cargo test\nmake")));
    check("test_cmd", json!(" "), Ok(Value::Null));
    check("test_cmd", json!(""), Ok(Value::Null));
    check("test_cmd", json!("a\u{7}b"), Err("field `test_cmd` contains a control character"));
    check("test_cmd", json!(["a"]), Err("field `test_cmd` is not a string"));
}

#[test]
fn thresholds_and_budget_name_their_mistakes() {
    check("rubric_thresholds", json!({"min_score": 50}), Ok(json!({"min_score_0_100": 50})));
    check("rubric_thresholds", json!([]), Err("field `rubric_thresholds` is not an object"));
    check(
        "rubric_thresholds",
        json!({"clarity": 9}),
        Err("field `rubric_thresholds` is invalid: `clarity` is not a number from 0 to 5"),
    );
    check("budget", json!({"usd": 2.5, "wall": "1h"}), Ok(json!({"usd": 2.5, "wall": 3600})));
    check("budget", json!(5), Err("field `budget` is not an object"));
    let error = read(json!({"task_id": "t", "budget": {"dollars": 5}})).unwrap_err();
    assert!(error.starts_with("field `budget` is invalid: unknown key `dollars`"), "{error}");
}

#[test]
fn a_text_has_an_end() {
    check("goal", json!("做".repeat(200_000)), Ok(json!("做".repeat(200_000))));
    check("goal", json!("a".repeat(200_001)), Err("field `goal` has more than 200000 characters"));
    check("goal", json!("a\0"), Err("field `goal` contains a control character"));
}

#[test]
fn what_is_written_is_read_again() {
    assert_keys::<TaskSpec>();
    let value = json!({
        "task_id": "t1", "test_cmd": "true", "coder": "script", "budget": {"tokens": 5},
        "task_type": "engineering_implementation", "my_own_key": {"a": 1},
    });
    let kept: RecordFile<TaskSpec> = RecordFile::read(value).unwrap();
    assert_eq!(kept.rest.keys().collect::<Vec<_>>(), ["my_own_key"]);
    let written = serde_json::to_value(&kept).unwrap();
    assert_eq!(written["schema"], "provost.task/1");
    assert_eq!(RecordFile::<TaskSpec>::read(written).unwrap(), kept);
}

#[test]
fn an_error_speaks_both_languages_and_knows_the_words() {
    let object = json!({"task_id": "t", "task_type": "novel"});
    let error = TaskSpec::read(object.as_object().unwrap()).unwrap_err();
    assert_eq!(Lang::Zh.render(&error.text()), "字段 `task_type` 的取值 `novel` 未知");
    assert_eq!(
        error.hints(),
        [
            "use one of `requirements_doc`, `engineering_impl`, `douyin_script`, `storyboard`, `paid_mini_drama`"
        ],
    );
}

/// What an editor is told of a spec: every key, described, with the default that reading takes.
#[test]
fn the_schema_describes_every_key() {
    let schema = TaskSpec::schema();
    let properties = schema["properties"].as_object().unwrap();
    for key in TaskSpec::KEYS {
        assert!(properties[*key]["description"].is_string(), "{key}");
        assert!(properties[*key]["$ref"].is_null(), "{key}");
    }
    assert_eq!(properties.len(), TaskSpec::KEYS.len() + 2);
    assert_eq!(schema["required"], json!(["task_id"]));
    assert_eq!(properties["max_attempts"]["default"], 3);
    assert_eq!(properties["max_attempts"]["maximum"], 50);
    assert!(properties["task_id"]["default"].is_null());
}
