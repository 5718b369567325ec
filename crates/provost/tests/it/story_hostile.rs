//! Agents that are wrong, in a hurry, or lying: none of them gets a criterion that does not hold.

use serde_json::{Value, json};

use crate::story_world::{Project, codes, done, honest, labels};

/// A project in which the agent has done its work, and declared it.
fn worked() -> Project {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project
}

/// Sends these claims for `AC-2`, with an honest `AC-1`, and looks at what becomes of it.
#[track_caller]
fn check(project: &Project, claim: Value, label: &str, code: &str) -> Value {
    let mut update = honest();
    update["acStatus"]["AC-2"] = claim;
    let answer = project.update(&update, 1);
    assert_eq!(answer["passes"], false, "{answer:#}");
    let expected = ["AC-1 REPRODUCED true".to_owned(), format!("AC-2 {label} false")];
    assert_eq!(labels(&answer), expected, "{answer:#}");
    assert_eq!(codes(&answer), code, "{answer:#}");
    assert_eq!(project.row("US-001")["story"]["passes"], false);
    answer
}

/// STORY-1.1, STORY-1.3, STORY-1.5, STORY-6.1: words, forged outputs, places and commands.
#[test]
fn no_claim_stands_for_what_does_not_hold() {
    let project = worked();
    check(&project, json!({"passes": true}), "NOT_RUN", "EVIDENCE_MISSING");
    let words = json!({"passes": true, "evidence": "all tests pass", "output": "ok"});
    check(&project, words, "NOT_RUN", "EVIDENCE_UNVERIFIED");

    let forged = json!({"passes": true, "command": "sh greet.sh | grep -qx bye", "output": "bye"});
    let answer = check(&project, forged, "CONTRADICTED", "EVIDENCE_MISMATCH");
    assert_eq!(answer["evidence"]["AC-2"]["exitCode"], 1);
    assert_eq!(answer["evidence"]["AC-2"]["outputMatches"], false);

    // Another folder of the repository, one that is not there, and one outside of it.
    let here = json!({"command": "make build", "cwd": "tests"});
    check(&project, here, "CONTRADICTED", "EVIDENCE_MISMATCH");
    let nowhere = json!({"command": "make check", "cwd": "nowhere"});
    check(&project, nowhere, "NOT_RUN", "EVIDENCE_UNVERIFIED");
    project.world.write("elsewhere/Makefile", "check:\n\t@echo ok\n");
    let elsewhere = project.world.path("elsewhere");
    let outside = json!({"command": format!("make -C {} check", elsewhere.display())});
    let answer = check(&project, outside, "NOT_RUN", "COMMAND_LEADS_OUT EVIDENCE_UNVERIFIED");
    assert!(answer["next"][0].as_str().unwrap().contains("leads out of the checkout"));
}

/// STORY-6.1: a command that could not fail, or may not run, proves nothing.
#[test]
fn no_command_stands_for_what_it_does_not_check() {
    let project = worked();
    let masked = json!({"command": "sh greet.sh | grep -qx bye || true"});
    check(&project, masked, "REPRODUCED", "COMMAND_MASKED EVIDENCE_WEAK");
    let nothing = json!({"command": "true"});
    check(&project, nothing, "REPRODUCED", "COMMAND_VACUOUS EVIDENCE_WEAK");
    let missing = json!({"command": "no-such-program --check"});
    check(&project, missing, "NOT_RUN", "EVIDENCE_UNVERIFIED");
    let sudo = json!({"command": "sudo make check"});
    let answer = check(&project, sudo, "NOT_RUN", "EVIDENCE_UNVERIFIED");
    assert!(answer["next"][0].as_str().unwrap().contains("command.sudo"), "{answer:#}");

    for (command, rule) in [
        ("sed -i s/hello/bye/ greet.sh && make build", "COMMAND_WRITES"),
        ("make -n check", "COMMAND_LENIENT"),
    ] {
        let codes = format!("{rule} EVIDENCE_UNVERIFIED");
        check(&project, json!({"command": command}), "NOT_RUN", &codes);
    }

    check(&project, json!({"files": ["gone.sh"]}), "CONTRADICTED", "EVIDENCE_MISMATCH");
    check(&project, json!({"files": ["Makefile"]}), "NOT_RUN", "EVIDENCE_UNVERIFIED");
    // Through all of that, the honest update is still accepted.
    project.update(&honest(), 0);
}

/// What only the agent's folder has is not part of what is judged.
#[test]
fn what_is_ignored_or_outside_the_tree_proves_nothing() {
    let project = Project::new();
    project.write(".gitignore", "*.local\n");
    project.shell("git add -A; git commit -qm ignore");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "cat answer.local\n");
    project.write("answer.local", "hello\n");
    let answer = project.update(&honest(), 1);
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false", "AC-2 CONTRADICTED false"]);
}

/// Evidence holds for the tree on which it ran, and for no other.
#[test]
fn evidence_is_stale_after_a_change_until_it_is_run_again() {
    let project = worked();
    let part = json!({"storyId": "US-001", "passes": false,
        "acStatus": {"AC-1": {"command": "sh greet.sh | grep -qx hello"}}});
    let answer = project.update(&part, 0);
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true", "AC-2 NOT_RUN false"]);
    project.write("greet.sh", "echo broken\n");
    // A note leaves what is recorded; `get` tells it, and so does a report.
    let note = json!({"storyId": "US-001", "passes": false, "notes": "more"});
    let answer = project.update(&note, 0);
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true", "AC-2 NOT_RUN false"]);
    assert_eq!(project.row("US-001")["story"]["acStatus"]["AC-1"]["label"], "STALE");
    let report = json!({"storyId": "US-001", "passes": false, "filesChanged": 1});
    let answer = project.update(&report, 0);
    assert_eq!(labels(&answer), ["AC-1 STALE false", "AC-2 NOT_RUN false"]);
    // Whoever then claims the story is looked at again, whatever was proven before.
    let rest = done(json!({"AC-2": {"command": "make build"}}));
    let answer = project.update(&rest, 1);
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false", "AC-2 REPRODUCED false"]);
}

/// STORY-1.2: a build that fails is one, whatever the agent says about it.
#[test]
fn a_gate_that_fails_keeps_the_story_open() {
    let project = worked();
    project.write("greet.sh", "echo hello\nexit 0\nif\n");
    let mut update = honest();
    update["hardGates"] = json!({"typecheck": {"passed": true}, "build": {"passed": true}});
    let answer = project.update(&update, 1);
    assert_eq!(answer["success"], true);
    assert_eq!(codes(&answer), "GATE_FAILED", "{answer:#}");
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true", "AC-2 REPRODUCED true"]);
}

/// A makefile or a test that the agent made easier is seen.
#[test]
fn an_edited_test_keeps_the_story_open() {
    let project = Project::new();
    project.write(
        "tests/test_greet.py",
        "def test_greet():\n    assert greet() == 'hello'\n    assert greet() != 'hi'\n",
    );
    project.shell("git add -A; git commit -qm tests");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["greet.sh", "tests/test_greet.py"]);
    project.write("greet.sh", "echo hello\n");
    project.write("tests/test_greet.py", "def test_greet():\n    pass\n");
    let answer = project.update(&honest(), 1);
    assert_eq!((&answer["success"], &answer["passes"]), (&json!(true), &json!(false)));
    assert!(codes(&answer).contains("ASSERTION_WEAKENED"), "{answer:#}");
}

/// STORY-3.4, STORY-6.2: fifty files are stopped, whatever is explained; nothing is run.
#[test]
fn fifty_files_are_stopped() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh", "part/"]);
    project.write("greet.sh", "echo hello\n");
    project.write_many(50);
    let mut update = honest();
    update["scopeExplanation"] = json!([{"file": "part/", "lines": 50,
        "reason": "the parts of the greeting that the story asks for"}]);
    let answer = project.update(&update, 1);
    assert_eq!(answer["success"], false, "{answer:#}");
    assert!(codes(&answer).starts_with("SCOPE_HARD"), "{}", codes(&answer));
    assert_eq!(answer["evidence"], json!({}));
    assert!(!answer["scope"]["proposal"].as_array().unwrap().is_empty());
    // Committing them does not hide them, and neither does a report that claims nothing.
    project.shell("git add -A; git commit -qm work");
    let report = json!({"storyId": "US-001", "passes": false, "filesChanged": 1, "notes": "much"});
    assert!(codes(&project.update(&report, 1)).starts_with("SCOPE_HARD"));
    let row = project.row("US-001");
    assert_eq!(row["attempts"].as_array().unwrap().len(), 2, "both are on record");
    assert_eq!((&row["story"]["acStatus"], &row["story"]["notes"]), (&json!({}), &json!("")));
    // A note is not measured, and nothing is easier after it.
    let note = json!({"storyId": "US-001", "passes": false, "notes": "much"});
    let answer = project.update(&note, 0);
    assert_eq!((&answer["scope"], &answer["tree"]), (&Value::Null, &Value::Null));
    assert!(codes(&project.update(&update, 1)).starts_with("SCOPE_HARD"));
}

/// STORY-3.3, STORY-3.4: a line of a megabyte counts as many, an archive and a large binary file count,
/// and a picture is accepted.
#[test]
fn a_change_is_weighed_as_well_as_counted() {
    for (script, expected) in [
        ("head -c 1000000 /dev/zero | tr '\\0' 'x' >part.js", "SCOPE_HARD"),
        ("head -c 1000000 /dev/urandom >part.zip", "SCOPE_HARD"),
        ("head -c 5000000 /dev/urandom >part.bin", "SCOPE_WARN_UNEXPLAINED"),
        ("head -c 200000 /dev/urandom >part.png", ""),
    ] {
        let project = Project::started();
        project.declare("US-001", &["greet.sh", "part.*"]);
        project.write("greet.sh", "echo hello\n");
        project.shell(script);
        let exit = i32::from(!expected.is_empty());
        let answer = project.update(&honest(), exit);
        assert!(codes(&answer).starts_with(expected), "{script} {}", codes(&answer));
        assert_eq!(answer["success"], expected.is_empty(), "{script}");
    }
}

/// STORY-4.2 to STORY-4.5, STORY-3.6: what was not declared is explained, or refused.
#[test]
fn files_outside_the_declaration_need_an_explanation() {
    let project = worked();
    project.write("extra.sh", "echo extra\n");
    project.write("more.sh", "echo more\n");
    let answer = project.update(&honest(), 1);
    assert_eq!(answer["success"], false);
    assert_eq!(codes(&answer), "UNDECLARED_NEW_FILE REEVALUATION_REQUIRED", "{answer:#}");
    // To declare it now changes nothing.
    let late = project.declare("US-001", &["greet.sh", "extra.sh", "more.sh"]);
    assert_eq!((&late["isLate"], &late["holds"]), (&json!(true), &json!(false)));
    project.update(&honest(), 1);
    let explained = |extra: &str| {
        let mut update = honest();
        update["scopeExplanation"] = json!({
            "extra.sh": {"reason": extra, "lines": 1},
            "more.sh": {"reason": "another greeting that AC-1 of the story needs", "lines": 1},
        });
        update
    };
    project.update(&explained("needed"), 1);
    let answer = project.update(&explained("the greeting is kept apart for AC-1"), 0);
    assert_eq!(answer["passes"], true, "{answer:#}");
}

/// Ruling 46: the first declaration may come with the update, and is called late.
#[test]
fn a_declaration_that_comes_with_the_work_is_late() {
    let project = Project::started();
    project.write("greet.sh", "echo hello\n");
    let answer = project.update(&honest(), 1);
    assert_eq!(answer["success"], false, "nobody declared anything");
    assert!(codes(&answer).contains("DECLARATION_MISSING"), "{}", codes(&answer));
    let mut update = honest();
    update["expectedFiles"] = json!(["greet.sh"]);
    let answer = project.update(&update, 0);
    assert_eq!(codes(&answer), "DECLARATION_LATE");
    assert_eq!(project.row("US-001")["declarations"][0]["isLate"], true);
}

/// An agent's repository that runs something when git looks at it is never asked.
#[test]
fn nothing_of_the_agents_repository_is_run() {
    let project = worked();
    project.shell(
        "printf '#!/bin/sh\\ntouch ../ran\\n' > hook; chmod +x hook; cp hook .git/hooks/post-checkout; \
         git config core.fsmonitor \"$PWD/hook\"; rm hook",
    );
    project.update(&honest(), 0);
    assert!(!project.world.path("ran").exists());
}

/// STORY-5.2: what breaks the contract is refused, said, and on record.
#[test]
fn an_update_that_breaks_the_contract_is_refused_and_kept() {
    let project = worked();
    let answer =
        project.update(&json!({"storyId": "US-001", "passes": true, "skipHardGates": true}), 1);
    assert_eq!(answer["success"], false, "{answer:#}");
    let unknown = done(json!({"AC-9": {"command": "make check"}}));
    assert_eq!(codes(&project.update(&unknown, 1)), "UNKNOWN_AC");
    let key = format!("AKIA{}", "IOSFODNN7ABCDEFG");
    let secret = done(json!({"AC-1": {"command": format!("KEY={key} make check")}}));
    project.update(&secret, 1);
    let log = project.world.path("repo/.provost/stories/claims.jsonl");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains(&key) && log.contains("REDACTED"), "a secret is not kept");
    assert_eq!(project.row("US-001")["attempts"].as_array().unwrap().len(), 3);
}

/// A script of the agent's that changes what it checks checks its own work.
#[test]
fn a_script_that_makes_itself_true_proves_nothing() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh", "prove.sh"]);
    project.write("greet.sh", "echo hullo\n");
    project.write("prove.sh", "echo 'echo hello' > greet.sh\nmake check\n");
    let update =
        done(json!({"AC-1": {"command": "sh prove.sh"}, "AC-2": {"command": "sh prove.sh"}}));
    let answer = project.update(&update, 1);
    assert_eq!(labels(&answer), ["AC-1 NOT_RUN false", "AC-2 NOT_RUN false"], "{answer:#}");
}
