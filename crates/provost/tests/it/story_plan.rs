//! Plans as people write them: the seed itself, and what cannot be started.

use serde_json::json;

use crate::story_world::{Project, codes, labels};

const SEED: &str = include_str!("../../../../fixtures/stories/seed.md");

/// The seed as a plan, in a project of its own.
fn seed() -> Project {
    let project = Project::new();
    project.world.write("seed.md", SEED);
    let ran = project.story(&["start", "../seed.md", "--json"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let answer = ran.json();
    let stories = answer["stories"].as_array().unwrap();
    let shape: Vec<_> = stories
        .iter()
        .map(|it| (it["id"].as_str().unwrap(), it["criteria"].as_array().unwrap().len()))
        .collect();
    assert_eq!(shape, [("US-001", 5), ("US-002", 5), ("US-003", 6), ("US-004", 5)]);
    project
}

/// STORY-5.1, STORY-5.2: the seed's own example is an update, and proves nothing here.
#[test]
fn the_seed_s_own_example_is_understood_and_not_believed() {
    let project = seed();
    project.write("apps/api/src/modules/auth/auth.service.ts", &"x\n".repeat(45));
    let example = json!({
        "storyId": "US-001",
        "passes": true,
        "acStatus": {
            "AC-1": {
                "passes": true,
                "evidence": "typecheck passed",
                "command": "pnpm check-types",
                "output": "✓ No type errors"
            },
            "AC-2": {"passes": true, "evidence": "done"}
        },
        "expectedFiles": ["apps/api/src/modules/auth/auth.service.ts"],
        "scopeExplanation": {
            "apps/api/src/modules/auth/auth.service.ts": {
                "reason": "Implementing login logic as per US-001",
                "lines": 45
            }
        }
    });
    let answer = project.update(&example, 1);
    assert_eq!((&answer["success"], &answer["passes"]), (&json!(true), &json!(false)));
    assert_eq!(answer["originalPasses"], true);
    assert_eq!(answer["label"], "US-001 0/5 AC");
    assert!(labels(&answer).iter().all(|it| it.ends_with("false")), "{answer:#}");
    assert!(codes(&answer).contains("EVIDENCE_UNVERIFIED"), "{}", codes(&answer));
    assert!(codes(&answer).contains("EVIDENCE_MISSING"), "{}", codes(&answer));
}

/// A branch is worked on once at a time; a story with two plans is named with its branch.
#[test]
fn a_branch_is_started_once_and_a_story_is_found_by_its_branch() {
    let project = Project::started();
    let again = project.story(&["start", "../plan.md"]);
    assert_eq!(again.exit(), Some(5), "{}", again.text());
    let second =
        "---\nbranch: ralph/second\n---\n### US-001: Other\n\n**Acceptance Criteria**\n- x\n";
    project.world.write("second.md", second);
    assert_eq!(project.story(&["start", "../second.md"]).exit(), Some(0));
    let ran = project.story(&["get", "US-001"]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("`ralph/plan:US-001`, `ralph/second:US-001`"), "{}", ran.text());
    assert_eq!(project.row("ralph/second:US-001")["story"]["title"], "Other");
    assert_eq!(project.row("ralph/plan:us-1")["story"]["title"], "Greet");
    let ran = project.story(&["get", "US-009"]);
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
}

#[test]
fn a_plan_that_depends_on_another_waits_for_it() {
    let project = Project::new();
    let later = "---\nbranch: ralph/later\ndependencies: [plan]\n---\n### US-001: Later\n\n**Acceptance Criteria**\n- x\n";
    project.world.write("later.md", later);
    let ran = project.story(&["start", "../later.md"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    let ran = project.story(&["start", "../later.md", "--ignore-dependencies"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
}

#[test]
fn what_is_no_plan_or_no_repository_starts_nothing() {
    let project = Project::new();
    project
        .world
        .write("evil.md", "---\nbranch: 'a$(touch ran)'\n---\n### US-001: X\n\n**AC**\n- x\n");
    project.world.write("empty.md", "# Nothing\n");
    for plan in ["../evil.md", "../empty.md", "../none.md"] {
        let ran = project.story(&["start", plan]);
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    }
    let outside = project.world.provost().inside("home").args(["story", "start", "../plan.md"]);
    assert_eq!(outside.run().exit(), Some(2));
    assert!(!project.world.path("repo/ran").exists());
    let status = project.story(&["status", "--json"]).json();
    assert_eq!(status["executions"], json!([]));
}

/// What is not committed at the start is said, because it counts.
#[test]
fn a_start_with_unfinished_work_says_so() {
    let project = Project::new();
    project.write("greet.sh", "echo hello\n");
    let ran = project.story(&["start", "../plan.md"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stdout().contains("START_NOT_CLEAN"), "{}", ran.text());
    assert_eq!(project.declare("US-001", &["greet.sh"])["isLate"], true);
}

#[test]
fn a_declaration_that_leads_out_of_the_repository_is_refused() {
    let project = Project::started();
    let ran = project.story(&["declare", "US-001", "../outside.sh"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(project.row("US-001")["declarations"], json!([]));
}
