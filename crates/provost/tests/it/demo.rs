//! `provost demo`: what it tells is what the files say, and it leaves nothing unless asked to.

use std::fs;

use serde_json::{Value, json};

use crate::world::World;

/// The whole of it, in a world that must stay as it is; only the person's name differs.
#[test]
fn the_demo_shows_what_it_says_and_leaves_nothing() {
    let (world, temporary) = (World::new(), World::new());
    let before = world.listing();
    let demo = || world.provost().args(["demo"]).variable("TMPDIR", temporary.path("home"));
    let run = demo().run();
    let mut filters = run.filters();
    filters.push(("approved by .*;", "approved by [PERSON];"));
    insta::with_settings!({ filters => filters }, {
        insta::assert_snapshot!(run.text(), @r"
        exit: 0
        ----- stdout -----
        Real commands in a temporary repository. No API key, no network, no model.

        1. An honest agent fails, gets the reason, and fixes it
           $ provost run honest.json
           claim:      I wrote the answer.
           provost:    attempt 1: test run by provost exited with 1; score 29.8 of 100
           provost:    feedback for the next attempt: The test ended with 1 and printed last: answer.txt should say 42, and says: 41
           claim:      I read why the last attempt was refused, and corrected the answer.
           provost:    attempt 2: test run by provost exited with 0; score 87.2 of 100
           => READY_FOR_REVIEW
           proven:     the test passes in a clean checkout of this change; no forbidden path, no secret
           not proven: whether the test covers the goal (the judge here is a script)

        2. Two agents make false claims, and the judge believes them
           $ provost run liar.json
           claim:      Done. I implemented everything, and all 128 tests pass.
           provost:    paths: no file was changed
           provost:    tests: `sh check.sh` exited with 1
           provost:    the judge said PASS, but the test failed: the test decides
           => FAILED
           $ provost run cheat.json
           claim:      Done. The test was out of date, so I updated it. It passes.
           provost:    check.sh: is outside the allowed paths; the change was not run
           => PAUSED PAUSED_ALLOWED_PATHS
           proven:     claims and output of an agent decide nothing; only what provost ran does
           not proven: whether a test the agent may edit was weakened: set `allowed_paths`

        3. provost is killed in the middle of an attempt, then resumed
           $ provost run steady.json
           provost:    killed with SIGKILL while the agent was working; no agent process is left
           provost:    the state on disk is still RUNNING, with no running process
           $ provost show steady
           => PAUSED PAUSED_CRASH
           $ provost resume steady
           provost:    attempts: 2, counted: 0; COORDINATOR_CRASHED events: 1
           => READY_FOR_REVIEW
           proven:     the state survived the kill; the interrupted attempt is recorded and not counted
           not proven: a power cut (the tests cover it with a simulated disk)

        4. You review the result
           $ provost approve steady
           provost:    approved by [PERSON]; the state stays the same
           => READY_FOR_REVIEW
           $ provost audit verify
           provost:    intact: entries 20, stored heads 12, entries after the last head 1
           $ provost selfcheck
           provost:    tasks: 4, findings: 0
           proven:     every decision and order is in the audit chain, and the chain is intact
           not proven: whether the approval was right: that is up to you
        ----- stderr -----
        all four scenes passed
        the repository was deleted; `provost demo --keep DIR` keeps it
        ");
    });
    let zh = demo().args(["--lang", "zh"]).run();
    assert_eq!(zh.exit(), Some(0), "{}", zh.text());
    assert!(zh.stdout().lines().all(|it| it.is_empty() || it.starts_with("   ") || !it.is_ascii()));
    assert_eq!(world.listing(), before);
    assert_eq!(fs::read_dir(temporary.path("home")).unwrap().count(), 0);
}

/// What is left with `--keep` is a repository like any other: its commands say the same.
#[test]
fn a_kept_demo_can_be_looked_at() {
    let world = World::new();
    let ran = world.provost().args(["demo", "--json", "--keep", "../kept"]).run();
    let answer = ran.json();
    assert_eq!((ran.exit(), &answer["passed"]), (Some(0), &json!(true)), "{}", ran.text());
    assert_eq!(answer["kept"].as_str().unwrap(), world.path("kept").to_str().unwrap());
    let names: Vec<&Value> =
        answer["acts"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["honest", "liars", "crash", "review"]);

    let ask = |arguments: &[&str]| {
        let ran = world.provost().args(arguments).args(["--json"]).inside("kept").run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        ran.json()
    };
    for (task, state, row) in [
        ("honest", "READY_FOR_REVIEW", "ready"),
        ("liar", "FAILED", "fail-exhausted"),
        ("cheat", "PAUSED", "allowed-paths"),
        ("steady", "READY_FOR_REVIEW", "ready"),
    ] {
        let shown = ask(&["show", task]).to_string();
        assert!(shown.contains(&format!("\"state\":\"{state}\"")), "{task}: {shown}");
        let explained = ask(&["explain", task]).to_string();
        assert!(explained.contains(&format!("\"{row}\"")), "{task}: {explained}");
    }
    assert_eq!(ask(&["selfcheck"])["tasks"], 4);
    assert_eq!(ask(&["audit", "verify"])["intact"], true);
}

/// A folder with something in it is nobody's demo.
#[test]
fn only_a_new_or_empty_folder_is_used() {
    let world = World::new().with("repo/full/file", "kept");
    provost_snapshot!(world.provost().args(["demo", "--keep", "full"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `[WORLD]/repo/full` is not empty
    hint: name a new or empty folder
    ");
    provost_snapshot!(world.provost().args(["demo", "--keep", "nowhere/new"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot use `[WORLD]/repo/nowhere/new`
    cause: No such file or directory (os error 2)
    hint: name a new or empty folder in an existing one
    ");
    assert_eq!(fs::read_to_string(world.path("repo/full/file")).unwrap(), "kept");
}

/// A demo that does not go as told says so: without git there is nothing to show.
#[test]
fn a_demo_that_cannot_be_played_says_why() {
    let world = World::new();
    let ran = world.provost().args(["demo"]).variable("PATH", "/nowhere").run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("error: "), "{}", ran.text());
}
