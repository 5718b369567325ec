//! The defects of the original, each with the tests that show its absence: the page names only
//! tests that exist. What no other test shows stands here.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::json;

use crate::loop_world::{GOOD, Loop, RIGHT, ended, paths, scored};

const PAGE: &str = include_str!("../../../../docs/task.md");
const HEADING: &str = "## Defects of the original, and the tests that show their absence";
/// How many defects there are.
const DEFECTS: usize = 50;

/// The numbers and the tests of the page's rows.
fn rows() -> Vec<(usize, Vec<&'static str>)> {
    let after = PAGE.split_once(HEADING).unwrap().1;
    let lines = after.lines().skip_while(|it| !it.starts_with('|')).skip(2);
    let lines = lines.take_while(|it| it.starts_with('|'));
    let row = |line: &'static str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [number, _, tests] = cells[..] else { panic!("{line}") };
        let tests = tests.split(", ").map(|it| it.trim_matches('`')).collect();
        (number.parse().unwrap(), tests)
    };
    lines.map(row).collect()
}

/// Every function that is a test, in the sources of every crate, and every test of the page.
fn tests() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = BTreeSet::new();
    collect(crates, &mut found);
    for entry in fs::read_dir(crates.parent().unwrap().join("e2e")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "js") {
            let text = fs::read_to_string(&path).unwrap();
            let names = text.split("\ntest('").skip(1).filter_map(|it| it.split('\'').next());
            found.extend(names.map(str::to_owned));
        }
    }
    found
}

fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for after in text.split("#[test]\n").skip(1) {
                let after = after.split_once("fn ").map_or("", |it| it.1);
                let name = after.split(['(', '<']).next().unwrap_or_default();
                found.insert(name.to_owned());
            }
        }
    }
}

#[test]
fn every_defect_names_tests_that_exist() {
    let tests = tests();
    let rows = rows();
    let numbers: Vec<usize> = rows.iter().map(|it| it.0).collect();
    assert_eq!(numbers, (1..=DEFECTS).collect::<Vec<_>>());
    for (number, names) in rows {
        for name in names {
            assert!(tests.contains(name), "{number}: there is no test `{name}`");
        }
    }
}

/// Nothing but git and a shell is needed: no interpreter is started for provost's own work.
#[test]
fn a_run_needs_git_and_a_shell_and_nothing_else() {
    let it = Loop::new();
    it.world.folder("bin");
    for name in ["git", "sh", "grep", "sed", "head", "cat"] {
        let found = paths().into_iter().map(|it| it.join(name)).find(|it| it.exists());
        std::os::unix::fs::symlink(found.unwrap(), it.world.path("bin").join(name)).unwrap();
    }
    let spec = it.spec("t1", json!({}));
    let ran = it.provost(&["run", spec.to_str().unwrap()]).variable("PATH", it.world.path("bin"));
    ended(&ran.run(), 0, "READY_FOR_REVIEW");
}

/// The same judge, the same change, another place: the verdict does not depend on how long a
/// path or a log is.
#[test]
fn a_short_answer_is_an_answer() {
    let it = Loop::new();
    it.coder("reply k");
    it.world.write("repo/answer.txt", "42\n");
    it.commit();
    it.check("word", json!({}), 0, "READY_FOR_REVIEW");
    it.coder("echo 43 >other.txt");
    it.check("change", json!({}), 0, "READY_FOR_REVIEW");
    it.coder("reply ' '");
    it.check("nothing", json!({}), 3, "PAUSED_CODER_NO_OUTPUT");
    assert_eq!(it.count("nothing", "SKIP_TEST_JUDGE_NO_CODER_OUTPUT"), 1);
    assert_eq!(it.status("nothing")["attempts_consumed"], 1);
}

/// What is not understood is asked for again and then said; it never becomes a question to the
/// person that the judge did not ask.
#[test]
fn garbage_of_a_judge_is_not_a_question() {
    let it = Loop::new();
    it.judge_bytes("I would say it is fine.");
    let answer = it.check("t1", json!({}), 3, "PAUSED_JUDGE_VERDICT_INVALID");
    assert_eq!(it.count("t1", "JUDGE_RETRIED"), 2);
    assert_eq!(answer["status"]["last_transition"]["row"], "verdict-invalid");
    assert!(!it.exists("t1/attempt_001/judge/verdict.json"));
}

/// What the coder says has a limit before it reaches the judge, and so has the change.
#[test]
fn what_the_judge_is_shown_has_limits() {
    let it = Loop::new();
    it.coder(
        "seq 1 90000 >long.txt; echo 42 >answer.txt; seq 1 90000 | tr '\\n' ' ' >.git/said
         { printf '{\"schema\":\"provost.adapter/1\",\"role\":\"coder\",\"text\":\"'; cat .git/said; printf '\"}'; } >\"$PROVOST_REPLY\"",
    );
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    let request = it.json("t1/attempt_001/judge/request.json");
    let evidence = request["evidence"].as_str().unwrap();
    assert!(evidence.len() < 200_000, "{}", evidence.len());
    assert!(evidence.contains(" bytes)"), "what was cut is said");
    let kept = it.json("t1/attempt_001/evidence.json");
    assert_eq!(kept["coder_output"]["truncated"], true);
    assert!(it.text("t1/attempt_001/evidence.json").len() < 400_000);
}

/// A pause that was ordered before a task goes on costs nothing, and neither does going on.
#[test]
fn a_task_can_go_on_any_number_of_times() {
    let it = Loop::new();
    let mut verdict = scored("NEED_USER_INPUT", GOOD);
    verdict["questions_for_user"] = json!(["which one?"]);
    it.judge(&verdict);
    let spec = json!({ "task_type": "engineering_impl", "max_attempts": 1 });
    it.check("t1", spec, 3, "PAUSED_WAITING_USER_INPUT");
    for _ in 0..2 {
        it.resume("t1", 3, "PAUSED_WAITING_USER_INPUT");
    }
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
    it.coder(RIGHT);
    it.judge(&scored("PASS", GOOD));
    it.resume("t1", 0, "READY_FOR_REVIEW");
    assert_eq!(it.status("t1")["current_attempt"], 4);
}
