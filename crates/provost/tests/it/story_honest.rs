//! An honest agent: what it needs to do, and that nothing stands in its way.

use serde_json::json;

use crate::story_world::{Project, codes, done, honest, labels};

/// STORY-1.1, STORY-1.2, STORY-1.4, STORY-2.2, STORY-2.4: evidence that is true is reproduced,
/// the gates are run by provost, and everything can be read again.
#[test]
fn an_honest_agent_is_accepted() {
    let project = Project::started();
    let declared = project.declare("US-001", &["greet.sh"]);
    assert_eq!((&declared["isLate"], &declared["holds"]), (&json!(false), &json!(true)));
    project.write("greet.sh", "echo hello\n");
    let answer = project.update(&honest(), 0);
    assert_eq!(answer["success"], true, "{answer:#}");
    assert_eq!((&answer["passes"], codes(&answer).as_str()), (&json!(true), ""), "{answer:#}");
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true", "AC-2 REPRODUCED true"]);
    assert_eq!(answer["label"], "US-001 2/2 AC");
    assert_eq!((&answer["progress"], &answer["allComplete"]), (&json!("1/2 US"), &json!(false)));
    let gates: Vec<_> = answer["gates"].as_array().unwrap().iter().collect();
    assert_eq!(gates[0]["result"]["outcome"], "not_applicable");
    assert_eq!(gates[1]["result"]["command"], "make build");
    assert_eq!(gates[1]["result"]["outcome"], "passed");

    let row = project.row("US-001");
    assert_eq!(row["story"]["passes"], true);
    let result = &row["story"]["evidence"]["AC-2"]["result"];
    assert_eq!((&result["label"], &result["exitCode"]), (&json!("REPRODUCED"), &json!(0)));
    let kept = result["note"].as_str().unwrap().strip_prefix("output: ").unwrap();
    let output = std::fs::read_to_string(project.world.path("repo/.provost").join(kept)).unwrap();
    assert_eq!(output, "ok\n");
    assert_eq!(row["attempts"][0]["isComplete"], true);
    // The person's tree is as the agent left it, and nothing runs in it.
    project.shell("test \"$(git status --porcelain)\" = ' M greet.sh'");
}

/// STORY-2.3, STORY-6.3: the status in both languages.
#[test]
fn the_status_counts_what_was_proven() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    let half = done(json!({
        "AC-1": {"command": "sh greet.sh | grep -qx hello"},
        "AC-2": {"passes": true, "evidence": "I am sure"},
    }));
    let answer = project.update(&half, 1);
    assert_eq!(codes(&answer), "EVIDENCE_UNVERIFIED");
    let shown = |lang: &str| project.story(&["status", "--lang", lang]).stdout();
    let english = shown("en");
    assert!(english.contains("[ ] US-001 1/2 AC"), "{english}");
    assert!(english.contains("0 of 1 story"), "{english}");
    assert!(shown("zh").contains("US-001 完成 1/2 AC"), "{}", shown("zh"));
    project.update(&honest(), 0);
    let status = project.story(&["status", "--json"]).json();
    let execution = &status["executions"][0];
    assert_eq!(execution["stories"][0]["label"], "US-001 2/2 AC");
    assert_eq!(execution["stories"][0]["passes"], true);
    assert_eq!(
        (&execution["storyProgress"], &execution["acProgress"]),
        (&json!("1/2 US"), &json!("2/3 AC"))
    );
    // The first submission stays the first.
    assert_eq!(status["firstSubmissions"], json!({"complete": 0, "submitted": 1}));
}

/// STORY-2.5, STORY-5.1, STORY-5.3, STORY-4.1: the prompt says what is done, and what is asked.
#[test]
fn the_prompt_tells_what_is_done_and_what_is_open() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    let note = json!({"storyId": "US-001", "passes": false,
        "acStatus": {"AC-1": {"command": "sh greet.sh | grep -qx hello"}}});
    project.update(&note, 0);
    let prompt = project.story(&["prompt", "US-001"]).stdout();
    for expected in [
        "- [x] AC-1 (done): it says hello",
        "- [ ] AC-2 (open): the check passes",
        "## Evidence Requirements (CRITICAL)",
        "ralph_declare",
        "> 3000 lines or > 25 files",
    ] {
        assert!(prompt.contains(expected), "{expected}\n{prompt}");
    }
}

/// A note claims nothing, and nothing is run for it.
#[test]
fn a_note_on_the_way_is_taken() {
    let project = Project::started();
    project.write("greet.sh", "echo half\n");
    let note = json!({"storyId": "US-001", "passes": false, "notes": "half way"});
    let answer = project.update(&note, 0);
    assert_eq!((&answer["success"], &answer["gates"]), (&json!(true), &json!([])));
    assert_eq!(project.row("US-001")["story"]["notes"], "half way");
}

/// A note asks nothing of git: it is taken where nothing can be measured. A report is not.
#[test]
fn a_note_is_taken_without_a_look_at_the_worktree() {
    let project = Project::started();
    project.shell("rm -rf .git/objects; mkdir .git/objects");
    let note = json!({"storyId": "US-001", "passes": false, "notes": "half way", "step": "tests"});
    let answer = project.update(&note, 0);
    assert_eq!((&answer["success"], &answer["scope"]), (&json!(true), &json!(null)));
    let row = project.row("US-001");
    assert_eq!(row["story"]["notes"], "half way");
    assert_eq!(row["execution"]["progress"]["currentStep"], "tests", "{row:#}");
    let report = json!({"storyId": "US-001", "passes": false, "filesChanged": 1});
    assert_eq!(codes(&project.update(&report, 1)), "SCOPE_UNVERIFIABLE");
}

/// The second story is measured from where the first one ended, and the plan ends with the last.
#[test]
fn the_next_story_sets_out_from_what_was_accepted() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    let declared = project.declare("US-002", &["part.sh"]);
    assert_eq!(declared["isLate"], false, "the work on US-001 is not work on US-002");
    project.write("part.sh", "echo goodbye\n");
    let update = json!({"storyId": "US-002", "passes": true,
        "acStatus": {"AC-1": {"command": "sh part.sh | grep -qx goodbye"}}});
    let answer = project.update(&update, 0);
    assert_eq!(answer["scope"]["files"], 1, "{answer:#}");
    assert_eq!(answer["allComplete"], true);
    let status = project.story(&["status", "--json"]).json();
    assert_eq!(status["executions"][0]["status"], "completed");
}

/// What was claimed before is run again, on the tree as it is now.
#[test]
fn a_second_look_finds_what_no_longer_holds() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(0));
    project.write("greet.sh", "echo broken\n");
    let ran = project.story(&["verify", "US-001", "--json"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(labels(&ran.json()), ["AC-1 CONTRADICTED false", "AC-2 CONTRADICTED false"]);
    assert_eq!(project.row("US-001")["story"]["passes"], false);
}

/// Whoever keeps the plan and the updates in the repository is not charged for them.
#[test]
fn the_plan_and_the_update_are_no_work() {
    let project = Project::new();
    project.shell("cp ../plan.md plan.md");
    assert_eq!(project.story(&["start", "plan.md"]).exit(), Some(0));
    assert_eq!(project.declare("US-001", &["greet.sh"])["isLate"], false);
    project.write("greet.sh", "echo hello\n");
    project.write("update.json", &honest().to_string());
    let ran = project.story(&["update", "US-001", "--file", "update.json", "--json"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.json()["scope"]["files"], 1);
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(0));
    // One that is no update of anybody counts.
    project.write("update.json", &json!({"storyId": "US-001", "passes": false}).to_string());
    assert_eq!(project.story(&["verify", "US-001"]).exit(), Some(1));
}

/// A criterion that the plan names a command for is proven by that command, too.
#[test]
fn the_command_of_the_plan_is_run_as_well() {
    let project = Project::new();
    let plan =
        "### US-001: One\n\n**Acceptance Criteria**\n- it says hello (verify: `make check`)\n";
    project.world.write("plan.md", plan);
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hullo\n");
    let own = done(json!({"AC-1": {"command": "sh greet.sh | grep -q h"}}));
    let answer = project.update(&own, 1);
    assert_eq!(labels(&answer), ["AC-1 CONTRADICTED false"], "{answer:#}");
    project.write("greet.sh", "echo hello\n");
    let words = done(json!({"AC-1": {"passes": true, "evidence": "done"}}));
    let answer = project.update(&words, 0);
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true"], "{answer:#}");
}

/// PROOF-5: a plan may name checks before they are written; the work brings them, and can be done.
#[test]
fn a_check_that_is_yet_to_be_written_needs_to_be_shown() {
    let project = Project::new();
    let plan = "### US-001: One\n\n**Acceptance Criteria**\n- it says hello (verify: `sh later.sh`)\n- it is tested (verify: `python3 -m unittest test_later`)\n";
    project.world.write("plan.md", plan);
    let answer = project.story(&["start", "../plan.md", "--json"]).json();
    let criteria = answer["stories"][0]["criteria"].as_array().unwrap();
    let needs: Vec<_> = criteria.iter().map(|it| it["need"].as_str().unwrap()).collect();
    assert_eq!(needs, ["shown", "shown"], "{answer:#}");
    let project = Project::new();
    let plan =
        "### US-001: One\n\n**Acceptance Criteria**\n- it says hello (verify: `sh later.sh`)\n";
    project.world.write("plan.md", plan);
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    project.declare("US-001", &["greet.sh", "later.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.write("later.sh", "test \"$(sh greet.sh)\" = hello\n");
    let answer = project.update(&done(json!({"AC-1": {"passes": true, "evidence": "done"}})), 0);
    assert_eq!(labels(&answer), ["AC-1 REPRODUCED true"], "{answer:#}");
}

/// PROOF-5: what a criterion needs is known before anybody works on it, and nothing weaker is done.
#[test]
fn what_a_criterion_needs_is_fixed_when_the_plan_starts() {
    let project = Project::new();
    let plan = "### US-001: One\n\n**Acceptance Criteria**\n- it says hello (verify: `make check`)\n- it builds (verify: `make build`)\n- README.md says `hello`\n- it can be run\n- all tests pass\n";
    project.world.write("plan.md", plan);
    let ran = project.story(&["start", "../plan.md", "--json"]);
    let answer = ran.json();
    let criteria = answer["stories"][0]["criteria"].as_array().unwrap();
    let needs: Vec<_> = criteria.iter().map(|it| it["need"].as_str().unwrap()).collect();
    assert_eq!(needs, ["proven", "holds", "present", "shown", "holds"], "{}", ran.text());
    assert_eq!(answer["findings"][0]["rule"], "VERIFY_GREEN", "{answer:#}");
    project.declare("US-001", &["greet.sh", "README.md"]);
    project.write("greet.sh", "echo hello\n");
    project.write("README.md", "Run `sh greet.sh`: it says hello.\n");
    let claims = |own: &str| {
        done(json!({
            "AC-1": {"command": "make check"}, "AC-2": {"command": "make build"},
            "AC-3": {"files": ["README.md"]}, "AC-4": {"command": own},
            "AC-5": {"command": "make check"},
        }))
    };
    let words = |answer: &serde_json::Value| -> Vec<String> {
        let status = answer["acStatus"].as_object().unwrap();
        status.values().map(|it| it["proof"].as_str().unwrap_or("-").to_owned()).collect()
    };
    let answer = project.update(&claims("test -f greet.sh"), 1);
    assert_eq!(words(&answer), ["PROVEN", "HOLDS", "PRESENT", "HOLDS", "PROVEN"], "{answer:#}");
    assert_eq!(codes(&answer), "EVIDENCE_WEAK");
    let answer = project.update(&claims("sh greet.sh | grep -q hello"), 0);
    assert_eq!(words(&answer), ["PROVEN", "HOLDS", "PRESENT", "SHOWN", "PROVEN"], "{answer:#}");
    let shown = &answer["acStatus"]["AC-1"]["output"];
    assert!(shown.as_str().unwrap().contains("ok"), "{answer:#}");
}

/// A script of the agent's own shows something only if it fails without the work.
#[test]
fn an_own_check_is_worth_what_it_finds_out() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh", "own.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.write("own.sh", "true\n");
    let claims =
        || done(json!({"AC-1": {"command": "sh own.sh"}, "AC-2": {"command": "make check"}}));
    let answer = project.update(&claims(), 1);
    assert_eq!(answer["acStatus"]["AC-1"]["proof"], "HOLDS", "{answer:#}");
    project.write("own.sh", "test \"$(sh greet.sh)\" = hello\n");
    let answer = project.update(&claims(), 0);
    assert_eq!(answer["acStatus"]["AC-1"]["proof"], "SHOWN", "{answer:#}");
}

/// Documents are not compiled, and configured gates come first.
#[test]
fn gates_follow_the_change_and_the_configuration_of_the_base() {
    let project = Project::new();
    let gates =
        "[[story.gates]]\nid = \"shell\"\nkind = \"typecheck\"\ncommand = \"sh -n greet.sh\"\n";
    project.write("provost.toml", gates);
    project.shell("git add -A; git commit -qm gates");
    assert_eq!(project.story(&["start", "../plan.md"]).exit(), Some(0));
    assert!(project.story(&["prompt", "US-001"]).stdout().contains("(`sh -n greet.sh`)"));
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    let outcome = |answer: &serde_json::Value, at: usize| {
        let gate = &answer["gates"][at]["result"];
        format!("{} {} {}", gate["name"], gate["kind"], gate["outcome"]).replace('"', "")
    };
    let answer = project.update(&honest(), 0);
    assert_eq!(outcome(&answer, 0), "shell typecheck passed");
    assert_eq!(outcome(&answer, 1), " build passed");

    project.declare("US-002", &["README.md"]);
    project.write("README.md", "goodbye\n");
    let update = json!({"storyId": "US-002", "passes": true,
        "acStatus": {"AC-1": {"files": ["README.md"]}}});
    // What it says is not shown by a document.
    let answer = project.update(&update, 1);
    assert_eq!(codes(&answer), "EVIDENCE_WEAK");
    assert_eq!(outcome(&answer, 0), " typecheck not_applicable");
    assert_eq!(outcome(&answer, 1), " build not_applicable");
}

/// Two at once: both are on record, in an order that both agree on.
#[test]
fn two_updates_at_once_are_both_taken() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    let part = |id: &str, command: &str| {
        let claims = serde_json::Map::from_iter([(id.to_owned(), json!({"command": command}))]);
        json!({"storyId": "US-001", "passes": false, "acStatus": claims})
    };
    let (one, two) = (part("AC-1", "sh greet.sh | grep -qx hello"), part("AC-2", "make check"));
    std::thread::scope(|scope| {
        scope.spawn(|| project.update(&one, 0));
        scope.spawn(|| project.update(&two, 0));
    });
    let row = project.row("US-001");
    assert_eq!(row["label"], "US-001 2/2 AC", "{row:#}");
    assert_eq!(row["attempts"].as_array().unwrap().len(), 2);
}
