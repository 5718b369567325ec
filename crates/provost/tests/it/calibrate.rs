//! `provost calibrate`: what passes, what has drifted, what is missing, and what cannot be used.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;

use crate::world::World;

const TYPES: [&str; 5] =
    ["requirements_doc", "engineering_impl", "douyin_script", "storyboard", "paid_mini_drama"];

/// A file of the shipped cases.
fn shipped(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../calibration").join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(shipped(path)).unwrap()
}

/// A world with a copy of the storyboard's files in `cases`.
fn with_cases() -> World {
    let world = World::new();
    for name in ["gated", "good", "mediocre"] {
        for path in [
            format!("storyboard/cases/{name}.json"),
            format!("storyboard/expected/{name}.json"),
            format!("storyboard/examples/{name}.md"),
        ] {
            world.write(format!("repo/cases/{path}"), text(&path));
        }
    }
    world.write("repo/cases/storyboard/recorded.jsonl", text("storyboard/recorded.jsonl"));
    world
}

/// LOOP-U1: the shipped cases of every type are replayed offline, and nothing is left behind.
#[test]
fn the_shipped_cases_pass_their_replay() {
    let world = World::new();
    let before = world.listing();
    provost_snapshot!(world.provost().args(["calibrate"]), @r"
    exit: 0
    ----- stdout -----
    passed   requirements_doc  gated
    passed   requirements_doc  good
    passed   requirements_doc  mediocre
    passed   engineering_impl  gated
    passed   engineering_impl  good
    passed   engineering_impl  mediocre
    passed   douyin_script     gated
    passed   douyin_script     good
    passed   douyin_script     mediocre
    passed   storyboard        gated
    passed   storyboard        good
    passed   storyboard        mediocre
    passed   paid_mini_drama   gated
    passed   paid_mini_drama   good
    passed   paid_mini_drama   mediocre
    ----- stderr -----
    passed: 15, failed: 0, missing: 0, rubric: 1.0.0
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--type", "storyboard", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    通过    storyboard        gated
    通过    storyboard        good
    通过    storyboard        mediocre
    ----- stderr -----
    通过 3，未通过 0，缺失 0，评分标准 1.0.0
    ");
    assert_eq!(world.listing(), before);
}

/// LOOP-U1: a result says what it depends on.
#[test]
fn a_result_names_judge_model_prompt_and_rubric() {
    let world = World::new();
    let arguments = ["calibrate", "--type", "storyboard", "--case", "good", "--json"];
    let ran = world.provost().args(arguments).run();
    assert_eq!(ran.exit(), Some(0));
    let mut answer = ran.json();
    for key in ["prompt_digest", "rubric_hash"] {
        let digest = answer["cases"][0][key].take();
        assert_eq!(digest.as_str().map(str::len), Some(64), "{key}");
    }
    assert_eq!(
        answer,
        json!({
            "passed": true,
            "cases": [{
                "task_type": "storyboard", "case_id": "good", "result": "passed", "findings": [],
                "judge": "recording", "model": "reference", "prompt_digest": null,
                "rubric_version": "1.0.0", "rubric_hash": null,
            }],
            "warnings": [],
        }),
    );
}

/// LOOP-U1: for each type, a judge that has drifted is refused.
#[test]
fn a_drifted_judge_is_refused_for_every_type() {
    let world = World::new();
    let check = |task_type: &str, case: &str, expected: &[&str]| {
        let replies = shipped(&format!("{task_type}/drifted.jsonl"));
        let provost = world.provost().args(["calibrate", "--json", "--type", task_type]);
        let ran = provost.args(["--case", case, "--replies"]).args([replies]).run();
        assert_eq!(ran.exit(), Some(1), "{task_type}");
        let answer = ran.json();
        assert_eq!((&answer["passed"], &answer["warnings"]), (&json!(false), &json!([])));
        let findings = answer["cases"][0]["findings"].as_array().unwrap();
        let messages: Vec<_> = findings.iter().map(|it| it["message"].as_str().unwrap()).collect();
        for message in expected {
            assert!(messages.contains(message), "{task_type}: {message}: {messages:?}");
        }
    };
    let gate_missed = "gated is false, expected true";
    check("requirements_doc", "gated", &["the score is 4.5, expected 0 to 2", gate_missed]);
    check("engineering_impl", "gated", &["the score is 2, expected 0 to 1", gate_missed]);
    check("engineering_impl", "mediocre", &["2 issues, expected 3 to 5"]);
    check("douyin_script", "good", &["5 issues, expected 2 to 3"]);
    check("storyboard", "mediocre", &["the score is 5, expected 2 to 3.5"]);
    check("paid_mini_drama", "good", &["gated is true, expected false"]);
}

#[test]
fn a_person_sees_which_dimension_has_drifted() {
    let world = World::new();
    let drifted = world.provost().args(["calibrate", "--type", "storyboard", "--case", "mediocre"]);
    let replies = shipped("storyboard/drifted.jsonl");
    provost_snapshot!(drifted.args(["--replies"]).args([&replies]), @r"
    exit: 1
    ----- stdout -----
    failed   storyboard        mediocre
        scores.pacing_and_rhythm: the score is 5, expected 2 to 3.5
    ----- stderr -----
    passed: 0, failed: 1, missing: 0, rubric: 1.0.0
    ");
    let drifted = world.provost().args(["calibrate", "--type", "storyboard", "--case", "mediocre"]);
    let drifted = drifted.input(text("storyboard/drifted.jsonl"));
    provost_snapshot!(drifted.args(["--lang", "zh", "--replies", "-"]), @r"
    exit: 1
    ----- stdout -----
    未通过  storyboard        mediocre
        scores.pacing_and_rhythm：得分为 5，应为 2 到 3.5
    ----- stderr -----
    通过 0，未通过 1，缺失 0，评分标准 1.0.0
    ");
}

/// LOOP-U1: a missing case or answer is a warning, not a failure, and never a pass.
#[test]
fn what_is_missing_is_a_warning() {
    let world = World::new().with("repo/none.jsonl", "");
    let arguments = ["calibrate", "--type", "storyboard", "--replies", "none.jsonl"];
    provost_snapshot!(world.provost().args(arguments), @r"
    exit: 0
    ----- stdout -----
    missing  storyboard        gated
    missing  storyboard        good
    missing  storyboard        mediocre
    ----- stderr -----
    warning: the case `gated` of `storyboard` was not checked: `recording` has no recorded answer: nothing is recorded for this role
    warning: the case `good` of `storyboard` was not checked: `recording` has no recorded answer: nothing is recorded for this role
    warning: the case `mediocre` of `storyboard` was not checked: `recording` has no recorded answer: nothing is recorded for this role
    passed: 0, failed: 0, missing: 3, rubric: 1.0.0
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--type", "storyboard", "--case", "best"]), @r"
    exit: 0
    ----- stdout -----
    missing  storyboard        best
    ----- stderr -----
    warning: `storyboard` has no case `best`
    passed: 0, failed: 0, missing: 1, rubric: 1.0.0
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--case", "best", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    警告：找不到用例 `best`
    通过 0，未通过 0，缺失 0，评分标准 1.0.0
    ");
    world.folder("repo/empty");
    provost_snapshot!(world.provost().args(["calibrate", "--dir", "empty"]), @r"
    exit: 0
    ----- stdout -----
    ----- stderr -----
    warning: no cases for task type `requirements_doc`
    warning: no cases for task type `engineering_impl`
    warning: no cases for task type `douyin_script`
    warning: no cases for task type `storyboard`
    warning: no cases for task type `paid_mini_drama`
    passed: 0, failed: 0, missing: 0, rubric: 1.0.0
    ");
    let ran = world.provost().args(arguments).args(["--json", "--case", "good"]).run();
    assert_eq!(ran.exit(), Some(0));
    assert_eq!(ran.json()["cases"][0]["result"], "missing");
    assert_eq!(ran.json()["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_folder_of_ones_own_cases_is_read_in_the_same_format() {
    let world = with_cases();
    let arguments = ["calibrate", "--type", "storyboard", "--dir", "cases"];
    let ran = world.provost().args(arguments).run();
    assert_eq!((ran.exit(), ran.stdout().lines().count()), (Some(0), 3), "{}", ran.text());
    // What is expected is taken from the folder, and not from the shipped cases.
    let path = "storyboard/expected/good.json";
    world.write(format!("repo/cases/{path}"), text(path).replace("[4, 5]", "[0, 1]"));
    assert_eq!(world.provost().args(arguments).run().exit(), Some(1));
    // A document that changed was never judged.
    let path = "storyboard/examples/good.md";
    world.write(format!("repo/cases/{path}"), text(path) + "\n再加一场。\n");
    let ran = world.provost().args(arguments).args(["--json"]).run();
    assert_eq!((ran.exit(), &ran.json()["cases"][1]["result"]), (Some(0), &json!("missing")));
}

#[test]
fn what_cannot_be_used_is_named() {
    let world = with_cases();
    provost_snapshot!(world.provost().args(["calibrate", "--type", "poem"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown task type `poem`
    hint: use one of `requirements_doc`, `engineering_impl`, `douyin_script`, `storyboard`, `paid_mini_drama`
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--dir", "nowhere", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：无法读取文件夹 `nowhere`
    原因：No such file or directory (os error 2)
    提示：请指定含有 `<type>/cases/<case>.json` 的文件夹
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--replies", "nowhere.jsonl"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `nowhere.jsonl`
    cause: No such file or directory (os error 2)
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--replies", "cases"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `cases` is a folder, and a file is needed
    ");
    world.write("repo/broken.jsonl", text("storyboard/drifted.jsonl") + "{\n");
    provost_snapshot!(world.provost().args(["calibrate", "--replies", "broken.jsonl"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `broken.jsonl`: invalid recording on line 2: EOF while parsing an object at line 1 column 1
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--replies", "broken.jsonl", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`broken.jsonl`：录制的第 2 行无效：EOF while parsing an object at line 1 column 1
    ");
    // An answer that was moved to another request was never given.
    let moved = text("storyboard/drifted.jsonl").replacen("\"evidence\":\"", "\"evidence\":\"x", 1);
    world.write("repo/moved.jsonl", moved);
    provost_snapshot!(world.provost().args(["calibrate", "--replies", "moved.jsonl"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `moved.jsonl`: invalid recording on line 1: the digest is not that of the request
    ");
    world.write("repo/cases/storyboard/cases/good.json", "{\"case_id\": \"good\"}");
    provost_snapshot!(world.provost().args(["calibrate", "--dir", "cases"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot use `storyboard/cases/good.json`: missing field `input_doc_path`
    hint: see docs/calibration.md for the format of a case
    ");
    provost_snapshot!(world.provost().args(["calibrate", "--dir", "cases", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：无法使用 `storyboard/cases/good.json`：missing field `input_doc_path`
    提示：用例的格式见 `docs/calibration.md`
    ");
    let ran = world.provost().args(["calibrate", "--dir", "cases", "--json"]).run();
    assert_eq!((ran.exit(), &ran.json()["error"]["exit"]), (Some(2), &json!(2)));
}

/// LOOP-U1: the verdict on one request is of the same class each time.
#[test]
fn a_judge_that_changes_its_mind_is_refused() {
    let world = World::new();
    let both = text("paid_mini_drama/recorded.jsonl") + &text("paid_mini_drama/drifted.jsonl");
    world.write("repo/both.jsonl", both);
    let arguments = ["calibrate", "--type", "paid_mini_drama", "--case", "good"];
    let replay = || world.provost().args(arguments).args(["--replies", "both.jsonl"]);
    assert_eq!(replay().run().exit(), Some(0));
    provost_snapshot!(replay().args(["--repeat", "2"]), @r"
    exit: 1
    ----- stdout -----
    failed   paid_mini_drama   good
        gated: gated is true, expected false
        repeat: answer 1 is valid, not gated, in range, answer 2 is valid, gated, out of range
    ----- stderr -----
    passed: 0, failed: 1, missing: 0, rubric: 1.0.0
    ");
}

/// A judge that is a program is held against the same cases, and leaves nothing.
#[test]
fn a_live_judge_is_held_against_the_same_cases() {
    let world = World::new();
    let ask = |judge: &str| {
        let arguments = ["calibrate", "--type", "storyboard", "--case", "good", "--judge", judge];
        world.provost().args(arguments)
    };
    let before = world.listing();
    provost_snapshot!(ask("script:pass"), @r"
    exit: 0
    ----- stdout -----
    passed   storyboard        good
    ----- stderr -----
    passed: 1, failed: 0, missing: 0, rubric: 1.0.0
    ");
    provost_snapshot!(ask("script:flat_scores"), @r"
    exit: 1
    ----- stdout -----
    failed   storyboard        good
        scores: all 7 dimensions score 4
    ----- stderr -----
    passed: 0, failed: 1, missing: 0, rubric: 1.0.0
    ");
    provost_snapshot!(ask("script:bad_json").args(["--lang", "zh"]), @r"
    exit: 1
    ----- stdout -----
    未通过  storyboard        good
        verdict：第 1 行：第 399 列不是有效的 JSON
    ----- stderr -----
    通过 0，未通过 1，缺失 0，评分标准 1.0.0
    ");
    assert_eq!(world.listing(), before);
    let ran = ask("script:pass").args(["--json"]).run();
    assert_eq!(ran.json()["cases"][0]["judge"], "script:pass");
}

#[test]
fn a_judge_that_gives_no_answer_is_an_error() {
    let world = World::new();
    let ask = |judge: &str| world.provost().args(["calibrate", "--judge", judge]);
    provost_snapshot!(ask("script:quota"), @r"
    exit: 75
    ----- stdout -----
    ----- stderr -----
    error: `script:quota` gave no verdict on `gated`: the quota is exhausted; retry in 3600 s
    ");
    provost_snapshot!(ask("script:crash").args(["--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`script:crash` 没有对 `gated` 给出裁决：退出码为 1
    ");
    provost_snapshot!(ask("script:pas"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown adapter `script:pas`
    hint: did you mean `script:pass`?
    ");
    provost_snapshot!(ask("script:edits_tests"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the adapter `script:edits_tests` cannot be a judge: this scripted agent does not support this role
    ");
}

/// LOOP-U1: a judge is asked three times unless somebody says otherwise, so that the third answer
/// counts and a fourth is not asked for.
#[test]
fn a_live_judge_is_asked_three_times() {
    let world = World::new();
    let (right, drifted) = ("paid_mini_drama/recorded.jsonl", "paid_mini_drama/drifted.jsonl");
    let (right, drifted) = (text(right), text(drifted));
    world.write("repo/third.jsonl", [right.as_str(), &right, &drifted].concat());
    world.write("repo/fourth.jsonl", [right.as_str(), &right, &right, &drifted].concat());
    for name in ["third", "fourth"] {
        let adapter = format!("[adapter.{name}]\nkind = \"recording\"\nfile = \"{name}.jsonl\"\n");
        world.write("repo/provost.toml", adapter);
        let arguments = ["calibrate", "--type", "paid_mini_drama", "--case", "good", "--judge"];
        let ran = world.provost().args(arguments).args([name]).run();
        let has_changed = ran.stdout().contains("answer 3 is valid, gated, out of range");
        assert_eq!(has_changed, name == "third", "{}", ran.text());
        assert_eq!(ran.exit(), Some(i32::from(has_changed)));
    }
}

/// A judge of the person's own finds the document, writes in its folder and nowhere else, and
/// reads nothing of the home.
#[test]
fn a_judge_that_is_a_program_stays_in_its_sandbox() {
    let world = World::new();
    world.write("repo/.provost/secret", "mine");
    let repository = world.path("repo");
    let repository = repository.display();
    // The exit code says how far it came.
    let script = format!(
        "cat {repository}/.provost/secret && exit 9; echo x > {repository}/escaped && exit 8; \
         test -s document.md && echo x > inside && exit 3; exit 7"
    );
    world.write(
        "repo/provost.toml",
        format!("[adapter.sneaky]\nkind = \"command\"\nargv = [\"sh\", \"-c\", \"{script}\"]\n"),
    );
    provost_snapshot!(world.provost().args(["calibrate", "--judge", "sneaky"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `sneaky` gave no verdict on `gated`: exited with 3
    ");
    assert!(!world.path("repo/escaped").exists());
}

/// LOOP-A15: an adapter that may work is refused unless a person allows it.
#[test]
fn a_partial_judge_is_refused_unless_it_is_allowed() {
    let world = World::new();
    let ask = || world.provost().args(["calibrate", "--judge", "claude-code"]).variable("PATH", "");
    provost_snapshot!(ask(), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: the adapter `claude-code` is PARTIAL as a judge: its command line cannot set the temperature, so it does not judge at temperature 0
    hint: set `ALLOW_PARTIAL_RUN=true` to use it anyway
    ");
    // Allowed, it is looked for, and is not there.
    provost_snapshot!(ask().variable("ALLOW_PARTIAL_RUN", "true"), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `claude-code` gave no verdict on `gated`: program not found
    ");
}

/// The shipped recordings have the keys of today, and new keys are the same as the old ones.
#[test]
fn new_keys_for_the_shipped_recordings_change_nothing() {
    let world = World::new();
    for task_type in TYPES {
        for name in ["recorded.jsonl", "drifted.jsonl"] {
            let path = format!("{task_type}/{name}");
            let provost = world.provost().args(["calibrate", "--rekey", "--replies"]);
            let ran = provost.args([shipped(&path)]).run();
            assert_eq!((ran.exit(), ran.stderr().as_str()), (Some(0), ""), "{path}");
            assert!(ran.stdout() == text(&path), "{path} has old keys: see docs/calibration.md");
        }
    }
}
