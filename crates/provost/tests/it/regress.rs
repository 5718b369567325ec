//! `provost regress`: every case is green, and red where its rule has nothing to do.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};

use crate::world::World;

/// The cases of the original's suite, under the names that they have here.
const ORIGINAL: [&str; 13] = [
    "hello_pass",
    "never_fixed",
    "task_id_conflict",
    "forbidden_glob",
    "selfcheck",
    "coder_timeout",
    "judge_timeout",
    "need_user_input",
    "b4_verdict",
    "verdict_vectors",
    "decision_vectors",
    "calibration",
    "pause_resume",
];

/// Runs the suite in a world that must stay as it is, and returns the cases of the answer.
fn suite(arguments: &[&str]) -> Vec<Value> {
    let (world, temporary) = (World::new(), World::new());
    let before = world.listing();
    let provost = world.provost().args(["regress", "--json"]).args(arguments);
    let ran = provost.variable("TMPDIR", temporary.path("home")).run();
    let answer = ran.json();
    let cases = answer["cases"].as_array().unwrap().clone();
    let failed: Vec<&Value> = cases.iter().filter(|it| it["passed"] != true).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert_eq!((ran.exit(), &answer["passed"]), (Some(0), &json!(true)));
    assert_eq!(world.listing(), before);
    assert_eq!(fs::read_dir(temporary.path("home")).unwrap().count(), 0);
    cases
}

fn names(cases: &[Value]) -> BTreeSet<String> {
    cases.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect()
}

/// LOOP-B21: every case holds, with the real engine, and nothing is left behind.
#[test]
fn every_case_is_green() {
    let cases = suite(&[]);
    let names = names(&cases);
    for name in ORIGINAL {
        assert!(names.contains(name), "{name}");
    }
    // The page names every case, and no other.
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/checks.md");
    let page = fs::read_to_string(page).unwrap();
    let table = page.split("| about | cases |").nth(1).unwrap().split("\n\n").next().unwrap();
    let told =
        table.lines().skip(2).filter_map(|it| it.split('|').nth(2)).flat_map(|it| it.split(','));
    assert_eq!(told.map(|it| it.trim().to_owned()).collect::<BTreeSet<_>>(), names);
    for case in &cases {
        for key in ["rule", "expected", "found"] {
            assert_ne!(case[key].as_str().unwrap(), "", "{case}");
        }
    }
}

/// LOOP-B21: each case is red in the same scene without what triggers its rule, and there the
/// scene ends as it must. A case that stays green there could not have failed.
#[test]
fn every_case_is_red_where_its_rule_has_nothing_to_do() {
    let twins = suite(&["--twins"]);
    let world = World::new();
    let one = world.provost().args(["regress", "--json", "--twins", "--case", "gated"]).run();
    assert_eq!(one.json()["cases"][0]["found"], "READY_FOR_REVIEW");
    assert!(twins.len() >= 50, "{}", twins.len());
}

/// One case can be asked for by its name.
#[test]
fn a_case_is_found_by_its_name() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["regress", "--case", "forbidden_glob"]), @r"
    exit: 0
    ----- stdout -----
    ok      forbidden_glob                PAUSED PAUSED_FORBIDDEN_GLOBS
    ----- stderr -----
    ok: 1, FAILED: 0
    ");
    provost_snapshot!(
        world.provost().args(["regress", "--case", "forbidden_glob", "--lang", "zh"]), @r"
        exit: 0
        ----- stdout -----
        通过    forbidden_glob                PAUSED PAUSED_FORBIDDEN_GLOBS
        ----- stderr -----
        通过 1，未通过 0
        ");
    provost_snapshot!(world.provost().args(["regress", "--case", "forbiden_glob"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: unknown case `forbiden_glob`
    hint: did you mean `forbidden_glob`?
    hint: `provost regress` names every case
    ");
}

/// A suite that cannot be played is red, and says why.
#[test]
fn without_git_every_scene_is_red() {
    let world = World::new();
    let provost = world.provost().args(["regress", "--case", "hello_pass"]);
    let ran = provost.variable("PATH", "/nowhere").run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert!(ran.stdout().starts_with("FAILED  hello_pass"), "{}", ran.text());
}
