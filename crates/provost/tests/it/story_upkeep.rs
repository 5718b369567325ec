//! What people do about stories: limits, waivers, the index, what another program knew, and what
//! has had its time.

use std::fs;

use provost_kernel::{Digest, RecordFile, story::StoryEvent};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::story_world::{Project, codes, done, honest};

fn project_with(configuration: &str) -> Project {
    let project = Project::new();
    project.write("provost.toml", configuration);
    project.shell("git add -A; git commit -qm configured");
    project
}

/// The lines of a log in the home.
fn lines(project: &Project, path: &str) -> Vec<Value> {
    let text = fs::read_to_string(project.world.path("repo/.provost").join(path)).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
}

/// The entries of the audit chain about stories.
fn audited(project: &Project) -> Vec<Value> {
    let links = lines(project, "out/_audit/audit.jsonl");
    let is_ours = |it: &Value| it["action"].as_str().is_some_and(|it| it.starts_with("story."));
    links.into_iter().map(|mut it| it["body"].take()).filter(is_ours).collect()
}

/// STORY-3.3, STORY-3.4: limits of the base are held, and an agent cannot loosen them again.
#[test]
fn a_project_may_set_tighter_limits() {
    let project = project_with("[story.scope]\nwarn_files = 1\nhard_files = 3\n");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["part/"]);
    // What lies in the work tree has no say.
    project.write("provost.toml", "[story.scope]\nwarn_files = 15\nhard_files = 25\n");
    project.write_many(3);
    let scope = |exit| {
        let ran = project.world.provost().args(["check", "scope", "--json"]).run();
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        ran.json()
    };
    let answer = project.update(&honest(), 1);
    assert!(codes(&answer).contains("SCOPE_HARD"), "{}", codes(&answer));
    let report = scope(1);
    assert_eq!((&report["result"], &report["limits"]["hard_files"]), (&json!("split"), &json!(3)));
    project.shell("rm part/file1.sh part/file2.sh");
    assert_eq!(scope(1)["result"], "explain");
    project.shell("git checkout -q provost.toml");
    assert_eq!(scope(0)["result"], "accept");
    let prompt = project.story(&["prompt", "US-001"]).stdout();
    assert!(prompt.contains("or > 3 files"), "{prompt}");
}

/// STORY-3.4: nothing loosens what the seed says, and the error names it.
#[test]
fn a_looser_limit_is_an_error() {
    let project = project_with("story.scope.hard_files = 26\n");
    for arguments in [&["story", "start", "../plan.md"][..], &["check", "scope"]] {
        let ran = project.world.provost().args(arguments).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        let expected = "error: `story.scope.hard_files` may only shrink: it is `25` (built in), \
                        then `26`";
        assert!(ran.stderr().starts_with(expected), "{}", ran.text());
    }
}

/// An error of a lower layer is said once.
#[test]
fn what_went_wrong_is_said_once() {
    let project = Project::new();
    project.world.write("plan.md", "# Nothing\n");
    for arguments in [
        &["start", "../plan.md"][..],
        &["get", "US-001"],
        &["start", "../plan.md", "--project", "../home"],
    ] {
        let ran = project.story(arguments);
        let said = ran.stderr();
        let error = said.lines().find_map(|it| it.strip_prefix("error: ")).unwrap();
        assert_eq!(said.matches(error).count(), 1, "{said}");
    }
}

/// Every update, taken or refused, is in the audit chain with the digest of its line.
#[test]
fn every_update_is_in_the_audit_chain() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project.update(&json!({"storyId": "US-001", "passes": true, "skipGates": true}), 1);
    project.story(&["verify", "US-001"]);
    let claims = lines(&project, "stories/claims.jsonl");
    let digest = |seq: &Value| {
        let line = claims.iter().find(|it| it["seq"] == *seq).unwrap().clone();
        let event = RecordFile::<StoryEvent>::read(line).unwrap().value;
        json!(Digest::of_json(&event).unwrap())
    };
    let mut said = Vec::new();
    for it in audited(&project) {
        assert_eq!(it["detail"]["digest"], digest(&it["detail"]["seq"]), "{it}");
        let is_start = it["action"] == "story.start";
        let subject = if is_start { ":" } else { ":US-001" };
        assert!(it["subject"].as_str().unwrap().ends_with(subject), "{it}");
        let result = it["detail"]["said"]["result"].as_str().unwrap_or("-").to_owned();
        said.push(format!("{} {result}", it["action"].as_str().unwrap()));
    }
    let expected = [
        "story.start -",
        "story.declare -",
        "story.update accept",
        "story.update reject",
        "story.verify -",
    ];
    assert_eq!(said, expected);
    let ran = project.world.provost().args(["audit", "verify"]).run();
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
}

/// STORY-6.3: the share of complete first submissions, and why updates were rejected.
#[test]
fn the_status_says_why_updates_were_rejected() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    for _ in 0..2 {
        project.update(&json!({"storyId": "US-001", "passes": true, "acStatus": {"AC-9": {}}}), 1);
    }
    project.update(&honest(), 0);
    let status = project.story(&["status", "--json"]).json();
    let counted = status["rejections"].as_object().unwrap();
    assert_eq!(counted.values().collect::<Vec<_>>(), [&json!(2)], "{status:#}");
    assert!(status["firstSubmissionsPercent"].is_u64(), "{status:#}");
    let code = counted.keys().next().unwrap();
    let shown = project.story(&["status"]).stdout();
    assert!(shown.contains(&format!("rejected for {code} 2")), "{shown}");
}

/// A person does without a proof: that is on record and shown, and proves nothing.
#[test]
fn a_waiver_is_a_persons_and_no_proof() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    let half = done(json!({"AC-1": {"command": "sh greet.sh | grep -qx hello"}}));
    project.update(&half, 1);
    let waive = ["waive", "US-001", "AC-2", "--because", "checked by hand"];
    for variable in ["PROVOST_GUARD", "PROVOST_REQUEST", "PROVOST_REPLY"] {
        let provost = project.world.provost().variable(variable, "x");
        let ran = provost.args(["story"]).args(waive).run();
        assert_eq!(ran.exit(), Some(1), "{}", ran.text());
        assert!(ran.stderr().contains("only a person may do this"), "{}", ran.text());
    }
    assert_eq!(project.row("US-001")["waivers"], json!([]));
    for (arguments, expected) in [
        (["waive", "US-001", "AC-9", "--because", "x"], "US-001 has no criterion AC-9"),
        (["waive", "US-001", "AC-2", "--because", " "], "a waiver needs a reason"),
    ] {
        let ran = project.story(&arguments);
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.stderr().contains(expected), "{}", ran.text());
    }
    let ran = project.story(&waive);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());

    let row = project.row("US-001");
    assert_eq!(row["waivers"][0]["reason"], "checked by hand");
    assert!(row["waivers"][0]["actor"].as_str().unwrap().starts_with("cli:"), "{row:#}");
    assert_eq!((&row["story"]["passes"], &row["label"]), (&json!(false), &json!("US-001 1/2 AC")));
    let shown = project.story(&["get", "US-001"]).stdout();
    assert!(shown.contains("[-] AC-2 WAIVED  cli:"), "{shown}");
    assert!(!shown.contains("AC-2 PROVEN"), "{shown}");
    let status = project.story(&["status", "--json"]).json();
    let story = &status["executions"][0]["stories"][0];
    assert_eq!((&story["waived"], &story["passes"]), (&json!(["AC-2"]), &json!(false)));
    let status = project.story(&["status"]).stdout();
    assert!(status.contains("[ ] US-001 1/2 AC, waived: AC-2"), "{status}");
    assert!(audited(&project).iter().any(|it| it["action"] == "story.waive"));

    // What is proven later is shown as proven.
    project.update(&honest(), 0);
    let shown = project.story(&["get", "US-001"]).stdout();
    assert!(shown.contains("AC-2 PROVEN"), "{shown}");
}

/// STORY-2.1: the database is an index. Without it, everything is there again.
#[test]
fn a_database_that_was_removed_is_made_again() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project.story(&["waive", "US-002", "AC-1", "--because", "not now"]);
    let seen = || (project.row("US-001"), project.row("US-002"));
    let before = seen();
    project.shell("rm .provost/provost.db*");
    let reindex = |exit| {
        let ran = project.world.provost().args(["reindex", "--json"]).run();
        assert_eq!(ran.exit(), Some(exit), "{}", ran.text());
        ran
    };
    let n_events = lines(&project, "stories/claims.jsonl").len();
    assert_eq!(reindex(0).json()["events"], n_events);
    assert_eq!(seen(), before);
    project.shell("printf x > .provost/provost.db");
    reindex(0);
    assert_eq!(seen(), before);

    // A log that was cut is refused, until a person takes it as it is; that it does not fit the
    // audit chain is said all the same.
    project.shell("sed -i '$d' .provost/stories/claims.jsonl");
    assert_eq!(project.story(&["status"]).exit(), Some(6));
    assert_eq!(reindex(6).json()["events"], n_events - 1);
    assert_eq!(project.row("US-002")["waivers"], json!([]));
    project.shell("echo '{}' >> .provost/stories/claims.jsonl");
    assert_eq!(reindex(6).json()["error"]["exit"], 6);
}

/// STORY-2.1: what another program knew is taken in, once, and proves nothing.
#[test]
fn a_state_of_the_original_is_taken_in() {
    let project = Project::new();
    let state = json!({
        "version": 1,
        "executions": [{"id": "e9", "branch": "ralph/x", "status": "running"}],
        "userStories": [{
            "executionId": "e9", "storyId": "US-007", "title": "Form", "passes": true,
            "acceptanceCriteria": ["one"],
        }],
    });
    project.world.write("state.json", state.to_string());
    for expected in [1, 0] {
        let ran = project.story(&["import", "../state.json", "--json"]);
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        assert_eq!(ran.json()["executions"], expected);
    }
    let row = project.row("US-007");
    assert_eq!((&row["label"], &row["story"]["title"]), (&json!("US-007 0/1 AC"), &json!("Form")));
    project.world.write("state.json", "{\"version\": 2}");
    let ran = project.story(&["import", "../state.json"]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let provost = project.world.provost().variable("PROVOST_REQUEST", "x");
    assert_eq!(provost.args(["story", "import", "../state.json"]).run().exit(), Some(1));
}

/// STORY-2.1: a database of the older shape is migrated by the first command that opens it.
#[test]
fn a_database_of_the_older_shape_is_taken_over() {
    let project = Project::new();
    assert_eq!(project.story(&["status"]).exit(), Some(0));
    project.shell("rm .provost/provost.db*");
    let older = Connection::open(project.world.path("repo/.provost/provost.db")).unwrap();
    older
        .execute_batch(
            "CREATE TABLE user_stories (id TEXT PRIMARY KEY, executionId TEXT, storyId TEXT,
                 title TEXT, description TEXT, acceptanceCriteria TEXT, priority INTEGER,
                 passes INTEGER, notes TEXT);
             INSERT INTO user_stories VALUES ('e9:US-003', 'e9', 'US-003', '登录', 'As a user',
                 '[\"one\",\"two\"]', 1, 1, 'kept');",
        )
        .unwrap();
    drop(older);
    let ran = project.story(&["status"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stderr().contains("1 executions of an older database"), "{}", ran.text());
    let before = project.row("US-003");
    assert_eq!(before["story"]["title"], "登录");
    assert_eq!(
        (&before["label"], &before["story"]["notes"]),
        (&json!("US-003 0/2 AC"), &json!("kept"))
    );
    // From now on it is in the log: the file can go.
    project.shell("rm .provost/provost.db*");
    assert_eq!(project.world.provost().args(["reindex"]).run().exit(), Some(0));
    assert_eq!(project.row("US-003"), before);
}

/// Old looks go; what the newest verdict stands on stays.
#[test]
fn gc_keeps_what_the_newest_verdict_stands_on() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    let row = project.row("US-001");
    let note = row["story"]["evidence"]["AC-2"]["result"]["note"].as_str().unwrap();
    let kept = note.strip_prefix("output: ").unwrap().to_owned();
    let of_story = kept.split('/').take(4).collect::<Vec<_>>().join("/");
    let home = |path: &str| format!("repo/.provost/{path}");
    // The look on which the verdict stands becomes an old one, and newer ones say nothing.
    let (look, old) = (kept.split('/').nth(4).unwrap(), format!("{of_story}/1/1-stdout"));
    let newer = look.parse::<u64>().unwrap() + 1;
    project.world.write(home(&old), "old");
    project.world.write(home(&format!("{of_story}/{newer}/1-stdout")), "newer");
    let raw = format!("{of_story}/{newer}/1-stdout.raw");
    project.world.write(home(&raw), "raw");
    project.world.write("home/.local/state/provost/other", "");
    project.shell(&format!("touch -d '2 hours ago' .provost/{raw}"));
    let gc = |arguments: &[&str]| {
        let ran = project.world.provost().args(["gc", "--json"]).args(arguments).run();
        assert_eq!(ran.exit(), Some(0), "{}", ran.text());
        let removed = ran.json()["removed"].as_array().unwrap().clone();
        let why = |it: &Value| it["why"].as_str().unwrap().to_owned();
        removed.iter().map(why).collect::<Vec<_>>()
    };
    assert_eq!(gc(&["--dry-run"]), ["evidence", "capture"]);
    assert!(project.world.path(home(&old)).exists());
    assert_eq!(gc(&[]), ["evidence", "capture"]);
    assert!(!project.world.path(home(&format!("{of_story}/1"))).exists());
    assert!(!project.world.path(home(&raw)).exists());
    assert!(project.world.path(home(&kept)).exists());
    assert_eq!(gc(&[]), [""; 0]);
    // A log that cannot be read says nothing about what is needed: everything stays.
    project.world.write(home(&old), "old");
    project.shell("echo '{}' >> .provost/stories/claims.jsonl");
    let ran = project.world.provost().args(["gc"]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(project.world.path(home(&old)).exists());
}
