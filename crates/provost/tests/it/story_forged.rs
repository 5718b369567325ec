//! Whoever writes into the index or the claims log decides nothing by it, and is found out.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::story_world::{Project, codes, done, honest};

/// A project with one update that proves nothing, and a waiver.
fn failed() -> Project {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hullo\n");
    project.update(&honest(), 1);
    let waived = project.story(&["waive", "US-001", "AC-1", "--because", "seen on the device"]);
    assert_eq!(waived.exit(), Some(0), "{}", waived.text());
    project
}

fn forge(project: &Project, sql: &str) {
    let index = Connection::open(project.world.path("repo/.provost/provost.db")).unwrap();
    index.execute_batch(sql).unwrap();
}

fn claims(project: &Project) -> std::path::PathBuf {
    project.world.path("repo/.provost/stories/claims.jsonl")
}

/// STORY-2.1: what the index says counts for nothing against the claims log, whoever asks.
#[test]
fn a_forged_index_decides_nothing() {
    let project = failed();
    let before = project.story(&["status"]);
    for sql in [
        "UPDATE acceptance_criteria SET verify = 'true'",
        "UPDATE acceptance_criteria SET text = 'anything'",
        "DELETE FROM acceptance_criteria WHERE ordinal = 2",
        "UPDATE user_stories SET passes = 1",
        "UPDATE user_stories SET acStatus = replace(acStatus, 'CONTRADICTED', 'REPRODUCED')",
        "UPDATE user_stories SET title = 'x'",
        "UPDATE executions SET record = json_set(record, '$.baseCommitSha', 'HEAD')",
        "UPDATE executions SET record = json_set(record, '$.projectRoot', '/')",
        "UPDATE declarations SET files = '[\"part/\"]'",
        "UPDATE attempts SET passes = 1",
        "DELETE FROM attempts",
        "UPDATE waivers SET reason = 'x'",
        "PRAGMA foreign_keys = OFF; DELETE FROM executions",
        "INSERT INTO user_stories SELECT id || 'x', executionId, 'US-009', title, description, \
         acceptanceCriteria, priority, 1, notes, acStatus, evidence, expectedFiles FROM user_stories",
    ] {
        forge(&project, sql);
        for arguments in [&["status"][..], &["get", "US-001"], &["verify", "US-001"]] {
            let ran = project.story(arguments);
            assert_eq!(ran.exit(), Some(6), "{sql}\n{}", ran.text());
            assert!(
                ran.stderr().contains("the index and the claims log disagree about"),
                "{sql}\n{}",
                ran.text()
            );
        }
        assert_eq!(project.update(&honest(), 6)["error"]["exit"], 6, "{sql}");
        assert_eq!(project.world.provost().args(["reindex"]).run().exit(), Some(0));
        assert_eq!(project.story(&["status"]).stdout(), before.stdout(), "{sql}");
    }
}

/// A line of the log that is not the one that was entered is named, by both who look.
#[test]
fn an_altered_log_does_not_fit_the_audit_chain() {
    let project = failed();
    let whole = fs::read_to_string(claims(&project)).unwrap();
    let n_lines = whole.lines().count();
    let verify = || project.world.provost().args(["audit", "verify"]).run();
    assert_eq!(verify().exit(), Some(0), "{}", verify().text());
    let cut: String = whole.split_inclusive('\n').take(n_lines - 1).collect();
    for (altered, expected) in [
        (
            whole.replace("CONTRADICTED", "REPRODUCED"),
            "claims log, line 3: it does not match its digest",
        ),
        (
            whole.replace("it says hello", "it is there"),
            "claims log, line 1: it does not match its digest",
        ),
        (cut, "claims log, line 4: its digest is in the chain, and the line is missing"),
    ] {
        assert_ne!(altered, whole);
        project.world.write("repo/.provost/stories/claims.jsonl", &altered);
        for ran in [verify(), project.world.provost().args(["reindex"]).run()] {
            assert_eq!(ran.exit(), Some(6), "{}", ran.text());
            assert!(ran.text().contains(expected), "{expected}\n{}", ran.text());
        }
    }
}

/// A process that was ended between the log and the chain leaves a line that is told.
#[test]
fn a_line_at_the_end_that_was_not_entered_is_told() {
    let project = failed();
    let whole = fs::read_to_string(claims(&project)).unwrap();
    let mut last: Value = serde_json::from_str(whole.lines().last().unwrap()).unwrap();
    last["seq"] = json!(whole.lines().count() + 1);
    project.world.write("repo/.provost/stories/claims.jsonl", format!("{whole}{last}\n"));
    let ran = project.world.provost().args(["audit", "verify"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stdout().contains("as after a crash: 1"), "{}", ran.text());
}

fn part(claim: &str) -> Value {
    let claims = json!({"AC-1": {"passes": true, "command": claim}});
    let mut update = done(claims);
    update["storyId"] = json!("US-002");
    update
}

/// STORY-6.1: a plan is complete when all of its stories hold on one tree.
#[test]
fn a_story_that_breaks_another_does_not_complete_the_plan() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project.declare("US-002", &["part.sh", "greet.sh"]);
    project.write("part.sh", "echo goodbye\n");
    project.write("greet.sh", "echo broken\n");
    let answer = project.update(&part("sh part.sh | grep -qx goodbye"), 0);
    assert_eq!((&answer["passes"], &answer["allComplete"]), (&json!(true), &json!(false)));
    assert!(codes(&answer).contains("OTHER_STORY_BROKEN"), "{}", codes(&answer));
    assert_eq!(answer["progress"], "1/2 US");
    let status = project.story(&["status"]).stdout();
    assert!(status.contains("running  1/2 US") && status.contains("[ ] US-001"), "{status}");
    // What was repaired is seen by a second look.
    project.write("greet.sh", "echo hello\n");
    let ran = project.story(&["verify", "US-001", "--json"]);
    assert_eq!((ran.exit(), &ran.json()["allComplete"]), (Some(0), &json!(true)), "{}", ran.text());
}

/// The twin: what another story needs is left as it was.
#[test]
fn a_story_beside_another_completes_the_plan() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project.declare("US-002", &["part.sh"]);
    project.write("part.sh", "echo goodbye\n");
    let answer = project.update(&part("sh part.sh | grep -qx goodbye"), 0);
    assert_eq!((codes(&answer).as_str(), &answer["allComplete"]), ("", &json!(true)), "{answer:#}");
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(0));
    let audit = project.world.provost().args(["audit", "verify"]).run();
    assert_eq!(audit.exit(), Some(0), "{}", audit.text());
}

/// STORY-4.2: what would cover everything is told when it is declared.
#[test]
fn what_is_too_wide_is_refused_when_it_is_declared() {
    let project = Project::started();
    for (wide, why) in [
        ("*/**", "begins with a wildcard"),
        ("*/", "begins with a wildcard"),
        ("**", "begins with a wildcard"),
        ("tests/", "an existing folder"),
    ] {
        let ran = project.story(&["declare", "US-001", wide, "greet.sh"]);
        assert_eq!(ran.exit(), Some(1), "{wide}\n{}", ran.text());
        assert!(ran.stderr().contains(why), "{wide}\n{}", ran.text());
    }
    project.declare("US-001", &["greet.sh", "new/"]);
}

/// A person ends a plan, and its branch is free again.
#[test]
fn a_person_stops_a_plan_and_an_agent_does_not() {
    let project = Project::started();
    let again = project.story(&["start", "../plan.md"]);
    assert_eq!(again.exit(), Some(5), "{}", again.text());
    assert!(again.stderr().contains("provost story stop ralph/plan --archive"), "{}", again.text());
    for variable in ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"] {
        for arguments in [
            &["story", "stop", "ralph/plan"][..],
            &["story", "waive", "US-001", "AC-1", "--because", "seen"],
        ] {
            let ran = project.world.provost().args(arguments).variable(variable, "1").run();
            assert_eq!(ran.exit(), Some(1), "{variable}\n{}", ran.text());
        }
    }
    assert_eq!(project.story(&["stop", "ralph/plan"]).exit(), Some(0));
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(5));
    let stopped = project.story(&["stop", "ralph/plan", "--archive"]);
    assert_eq!(stopped.stdout(), "stopped and archived `ralph/plan`\n");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    assert_eq!(project.story(&["stop", "ralph/none"]).exit(), Some(2));
}
