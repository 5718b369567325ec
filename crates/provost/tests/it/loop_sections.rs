//! Sections that a task requires of its documents, in the loop.

use serde_json::{Value, json};

use crate::loop_world::{GOOD, Loop, scored};

const NEEDS: [&str; 3] = ["docs/plan.md#目标 | Goals", "docs/plan.md#Risks", "Usage"];

fn spec(more: Value) -> Value {
    let mut spec = json!({ "required_sections": NEEDS });
    let Value::Object(more) = more else { panic!("{more}") };
    spec.as_object_mut().unwrap().extend(more);
    spec
}

/// Writes the answer, and a plan that has these sections.
fn coder(it: &Loop, sections: &str) {
    let write = format!("mkdir -p docs; printf '{sections}' >docs/plan.md");
    it.coder(&format!("echo 42 >answer.txt; {write}; reply done"));
}

const WHOLE: &str =
    "# Plan\\n\\n## 1. 目标\\n\\n先完成。\\n\\n## Risks\\n\\n- late\\n\\n## Usage\\nrun it\\n";
const PART: &str = "# Plan\\n\\n## 1. 目标\\n\\n先完成。\\n\\n## Risks\\n\\n## Usage\\nrun it\\n";

/// LOOP-B6: without a rubric a required section is required: it is measured, told and shown.
#[test]
fn a_missing_section_fails_a_task_without_a_rubric() {
    let it = Loop::new();
    coder(&it, PART);
    it.check("part", spec(json!({ "max_attempts": 2 })), 1, "FAILED");
    let decided = it.json("part/attempt_001/decision.json");
    assert_eq!(decided["against"][0]["en"], "the section `docs/plan.md#Risks` is missing");
    assert!(it.prompt("part", 1).contains("- docs/plan.md#目标 | Goals\n"), "the coder is told");
    assert!(it.prompt("part", 2).contains("the section `docs/plan.md#Risks` is missing"));
    let shown = it.world.provost().args(["show", "part"]).run();
    assert!(
        shown.stdout().contains("sections (missing: `docs/plan.md#Risks`)"),
        "{}",
        shown.text()
    );

    coder(&it, WHOLE);
    it.check("whole", spec(json!({})), 0, "READY_FOR_REVIEW");
    let shown = it.world.provost().args(["--lang", "zh", "show", "whole"]).run();
    assert!(shown.stdout().contains("要求的 3 个章节齐全"), "{}", shown.text());
}

/// LOOP-B6: with a rubric a missing section costs a point, whatever the judge says of it.
#[test]
fn a_missing_section_costs_points_of_a_rubric() {
    let it = Loop::new();
    it.judge(&scored("PASS", GOOD));
    let typed = || spec(json!({ "task_type": "engineering_impl", "max_attempts": 1 }));
    let score =
        |id: &str| it.json(&format!("{id}/attempt_001/judge/verdict.json"))["penalty"].clone();
    coder(&it, WHOLE);
    it.run("whole", typed());
    assert_eq!(score("whole").as_f64(), Some(0.0));
    coder(&it, PART);
    it.run("part", typed());
    assert_eq!(score("part").as_f64(), Some(1.0));
    coder(&it, "# Plan\\n");
    it.run("none", typed());
    assert_eq!(score("none").as_f64(), Some(2.0), "at most two points");
}

/// A requirement that names no section is refused when the task is made.
#[test]
fn a_requirement_names_a_section() {
    let it = Loop::new();
    for (wrong, why) in [
        ("docs/plan.md#", "names no section"),
        (" | ", "names no section"),
        ("../plan.md#Goals", "is not a path inside the repository"),
    ] {
        let ran = it.run("t1", json!({ "required_sections": [wrong] }));
        assert_eq!(ran.exit(), Some(2), "{wrong}: {}", ran.text());
        assert!(ran.stderr().contains(&format!("`required_sections[0]` {why}")), "{}", ran.text());
    }
}
