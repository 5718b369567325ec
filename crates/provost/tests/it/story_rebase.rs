//! A base that moves on during a plan: a person says so, and what comes from there is not work.

use serde_json::{Value, json};

use crate::story_world::{Project, codes, done, honest};

/// A plan that is worked on in a branch of its own, while others commit to `main`.
fn project() -> Project {
    let project = Project::new();
    project.shell("git branch -M main; git checkout -qb ralph/plan");
    let ran = project.story(&["start", "../plan.md"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    project
}

/// What others commit to `main` meanwhile: more files than a story may touch undeclared, and a test.
const OTHERS: &str = "git checkout -q main; mkdir lib
    for it in 1 2 3 4 5 6 7 8; do echo \"echo $it\" > lib/part$it.sh; git add -A; git commit -qm part$it; done
    git checkout -q ralph/plan";

fn part(command: &str) -> Value {
    let mut update = done(json!({"AC-1": {"passes": true, "command": command}}));
    update["storyId"] = json!("US-002");
    update
}

fn rebase(project: &Project) {
    let ran = project.story(&["rebase", "ralph/plan", "--onto", "main"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    assert!(ran.stdout().contains("8 commits no longer count as its work"), "{}", ran.text());
}

/// PROOF-11: what was merged from the base's branch, or lies under the work after a rebase, is not work
/// once a person says so; until then the command to type is named.
#[test]
fn a_merge_or_a_rebase_of_the_base_is_no_work() {
    for take in ["git merge -q --no-edit main", "git rebase -q main"] {
        let project = project();
        project.declare("US-001", &["greet.sh"]);
        project.write("greet.sh", "echo hello\n");
        project.shell("git commit -qam hello");
        project.shell(OTHERS);
        project.shell(take);
        let answer = project.update(&honest(), 1);
        assert!(codes(&answer).contains("BASE_MOVED"), "{take}: {answer:#}");
        let said = answer.to_string();
        assert!(
            said.contains("`provost story rebase ralph/plan --onto main`"),
            "{take}: {answer:#}"
        );
        rebase(&project);
        let answer = project.update(&honest(), 0);
        assert_eq!(codes(&answer), "", "{take}: {answer:#}");
        assert_eq!(answer["scope"]["files"], 1, "{take}: {answer:#}");
        let audit = project.world.provost().args(["audit", "verify"]).run();
        assert_eq!(audit.exit(), Some(0), "{}", audit.text());
    }
}

/// PROOF-9: what was done before is stale until it is proven on the new base, and does not count as
/// work of the stories that come after it.
#[test]
fn what_was_done_is_stale_on_another_base() {
    let project = project();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.update(&honest(), 0);
    project.shell("git commit -qam hello");
    project.declare("US-002", &["part.sh"]);
    project.write("part.sh", "echo goodbye\n");
    project.shell("git add -A; git commit -qm part");
    project.shell(OTHERS);
    project.shell("git merge -q --no-edit main");
    rebase(&project);
    let status = project.story(&["status"]).stdout();
    assert!(status.contains("[~] US-001 2/2 AC  STALE"), "{status}");
    assert!(status.contains("the base of its plan changed since it was proven"), "{status}");
    let story = project.story(&["get", "US-001", "--lang", "zh"]).stdout();
    assert!(story.contains("证明之后，计划的基准已改变"), "{story}");
    let answer = project.update(&part("sh part.sh | grep -qx goodbye"), 0);
    assert_eq!(answer["scope"]["files"], 1, "{answer:#}");
    // It was proven again, because the plan was about to be complete.
    assert_eq!((codes(&answer).as_str(), &answer["allComplete"]), ("", &json!(true)), "{answer:#}");
    let status = project.story(&["status"]).stdout();
    assert!(status.contains("[x] US-001"), "{status}");
}

/// What the base has by now proves nothing of the work.
#[test]
fn what_the_new_base_has_is_not_proven_by_the_work() {
    let project = project();
    project.declare("US-001", &["greet.sh"]);
    project.write("greet.sh", "echo hello\n");
    project.shell("git commit -qam hello");
    project.update(&honest(), 0);
    // Somebody else did the same on `main`.
    project.shell("git checkout -q main; git merge -q ralph/plan; git checkout -q ralph/plan");
    let ran = project.story(&["rebase", "ralph/plan", "--onto", "main"]);
    assert_eq!(ran.exit(), Some(0), "{}", ran.text());
    let ran = project.story(&["verify", "US-001", "--json"]);
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(ran.json()["acStatus"]["AC-2"]["proof"], "HOLDS", "{}", ran.text());
}

/// An agent can commit to any branch, and move it: it cannot say what is not its work.
#[test]
fn an_order_that_names_no_newer_base_or_comes_from_an_agent_is_refused() {
    let project = project();
    project.shell("git commit -q --allow-empty -m agent; git branch elsewhere");
    project.shell(OTHERS);
    let refused = |onto: &str, variable: Option<&str>, exit: i32, expected: &str| {
        let provost = project.world.provost();
        let provost = provost.args(["story", "rebase", "ralph/plan", "--onto", onto]);
        let ran = match variable {
            Some(name) => provost.variable(name, "1").run(),
            None => provost.run(),
        };
        assert_eq!(ran.exit(), Some(exit), "{onto}: {}", ran.text());
        assert!(ran.stderr().contains(expected), "{onto}: {}", ran.text());
    };
    for variable in ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE"] {
        refused("elsewhere", Some(variable), 1, "only a person may do this");
    }
    refused("HEAD~1", None, 1, "it is the base already");
    refused("main", None, 1, "does not hold it yet");
    refused("nowhere", None, 2, "nowhere");
    project
        .shell("git checkout -q --orphan other; git commit -qm other; git checkout -q ralph/plan");
    refused("other", None, 1, "it does not come after the base");
    assert_eq!(project.story(&["rebase", "ralph/none", "--onto", "main"]).exit(), Some(2));
}
