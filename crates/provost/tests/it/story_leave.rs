//! Tests that a plan lets the work change, and those that it does not.

use serde_json::{Value, json};

use crate::{
    story_world::{Project, codes, done},
    world::World,
};

const PLAN: &str = "# Sums\n\n### US-001: Triple\n\n**Acceptance Criteria**\n- `times(2)` is 6\n";
const SUMS: &str = "def times(number):\n    return number * 2\n";
const TEST: &str = "import unittest\nfrom sums import times\n\n\nclass Sums(unittest.TestCase):\n    \
                    def test_times(self):\n        self.assertEqual(times(2), 4)\n";

/// A project whose plan wants what its test forbids, with this line in the story.
fn started(leave: &str) -> Project {
    let project = Project { world: World::new() };
    project.write("sums.py", SUMS);
    project.write("test_sums.py", TEST);
    project.write("setup.cfg", "[metadata]\nname = sums\n");
    project.world.write("plan.md", format!("{PLAN}\n{leave}\n"));
    project.shell("git add -A; git commit -qm base");
    let ran = project.story(&["start", "../plan.md"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert_eq!(ran.text().contains("test_sums.py"), !leave.is_empty(), "{}", ran.text());
    project
}

/// Changes the test, with the product or without, and says that the story is done.
fn changed(project: &Project, fix: &str, exit: i32) -> Value {
    project.declare("US-001", &["sums.py", "test_sums.py"]);
    project.shell(fix);
    project.shell("sed -i 's/, 4)/, 6)/' test_sums.py");
    project.update(&done(json!({"AC-1": {"command": "python3 -m unittest -v"}})), exit)
}

const FIX: &str = "sed -i 's/\\* 2/* 3/' sums.py";
const LEAVE: &str = "**Tests may change**: `test_sums.py`";

/// PROOF-6: a test that the work has to change is named by the plan.
#[test]
fn a_plan_lets_the_work_change_a_test() {
    let answer = changed(&started(LEAVE), FIX, 0);
    assert_eq!(answer["passes"], true, "{answer:#}");
    assert_eq!(answer["acStatus"]["AC-1"]["proof"], "SHOWN", "{answer:#}");
    let answer = changed(&started("可以修改的测试：test_sums.py"), FIX, 0);
    assert_eq!(answer["passes"], true, "{answer:#}");
}

/// PROOF-6: without leave, and with leave but without the work, it proves nothing.
#[test]
fn leave_is_needed_and_does_not_do_the_work() {
    let answer = changed(&started(""), FIX, 1);
    assert!(codes(&answer).contains("EXPECTATION_CHANGED"), "{answer:#}");
    let without_work = "sed -i 's/times(2)/times(3)/' test_sums.py";
    let answer = changed(&started(LEAVE), without_work, 1);
    assert_eq!(answer["passes"], false, "{answer:#}");
    assert!(codes(&answer).contains("EVIDENCE"), "{answer:#}");
}

/// PROOF-6: an agent cannot write itself leave.
#[test]
fn leave_in_an_edited_plan_counts_for_nothing() {
    let project = started("");
    project.world.write("plan.md", format!("{PLAN}\n{LEAVE}\n"));
    let answer = changed(&project, FIX, 1);
    assert!(codes(&answer).contains("EXPECTATION_CHANGED"), "{answer:#}");
}
