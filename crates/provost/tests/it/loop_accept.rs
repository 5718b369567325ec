//! Findings that a person accepts, and an agent cannot.

use serde_json::json;

use crate::{
    loop_proof::{PYTHON, Setup},
    loop_world::Loop,
};

/// The cart counts in tens now, and its test says so.
pub(crate) const BREAKING: &str = "sed -i 's/ + 1//; s/return len/return 10 * len/' shop/cart.py
    sed -i 's/, 2)$/, 20)/' tests/test_cart.py";

fn show(it: &Loop, language: &str) -> String {
    it.world.provost().args(["--lang", language, "show", "t1"]).run().stdout()
}

/// PROOF-4: `show` says what did not hold, the changed tests first, and how it can be accepted.
#[test]
fn show_says_what_did_not_hold() {
    let it = PYTHON.run(&Setup::default(), BREAKING, "FAILED");
    let shown = show(&it, "en");
    let at = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(at("proof     CONTRADICTED") < at("changed test: tests/test_cart.py"), "{shown}");
    assert!(at("changed test:") < at("EXPECTATION_CHANGED: 1 test of the base passes"), "{shown}");
    at("provost accept t1 EXPECTATION_CHANGED --because TEXT");
    let shown = show(&it, "zh");
    assert!(shown.contains("改动的测试：tests/test_cart.py"), "{shown}");
    let shown = it.provost(&["show", "t1"]).run().json();
    assert_eq!(shown["test_proof"]["changed_tests"], json!(["tests/test_cart.py"]));
}

/// PROOF-10: a person's acceptance is audited and shown, and the result is ready; it is not verified
/// by that.
#[test]
fn a_person_accepts_a_finding() {
    let it = PYTHON.run(&Setup::default(), BREAKING, "FAILED");
    let accept = ["accept", "t1", "EXPECTATION_CHANGED", "--because", "the unit changed"];
    it.order(&accept);
    let status = it.status("t1");
    assert_eq!(status["state"], "READY_FOR_REVIEW", "{status:#}");
    assert_eq!(status["attempts_consumed"], 1);
    assert_eq!(status["accepted"][0]["because"], "the unit changed");
    let shown = show(&it, "en");
    assert!(shown.contains("UNPROVEN  tests (CONTRADICTED, accepted by a person"), "{shown}");
    assert!(shown.contains("accepted  EXPECTATION_CHANGED by "), "{shown}");
    assert!(show(&it, "zh").contains("已接受    EXPECTATION_CHANGED"), "{}", show(&it, "zh"));
    let audit = it.text("_audit/audit.jsonl");
    assert!(audit.contains("task.accept") && audit.contains("the unit changed"), "{audit}");
    it.order(&["audit", "verify"]);
    it.order(&["explain", "t1"]);
    it.order(&["approve", "t1"]);
}

/// PROOF-10: what does not speak against the result cannot be accepted, and a reason is needed.
#[test]
fn only_a_finding_of_the_newest_attempt_can_be_accepted() {
    let it = PYTHON.run(&Setup::default(), BREAKING, "FAILED");
    let refused = |arguments: &[&str], text: &str| {
        let ran = it.world.provost().args(arguments).run();
        assert_eq!(ran.exit(), Some(2), "{}", ran.text());
        assert!(ran.text().contains(text), "{}", ran.text());
    };
    refused(&["accept", "t1", "TESTS_GONE", "--because", "x"], "these do: `EXPECTATION_CHANGED`");
    refused(&["accept", "t1", "EXPECTATION_CHANGED", "--because", " "], "needs a text");
    refused(&["accept", "t2", "EXPECTATION_CHANGED", "--because", "x"], "t2");
    assert_eq!(it.status("t1")["state"], "FAILED");
}

/// PROOF-10: a hollow test stays hollow: it is waived, never verified.
#[test]
fn a_hollow_test_is_waived() {
    let bend = "printf 'import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n' >> shop/cart.py";
    let it = PYTHON.run(&Setup::default(), bend, "FAILED");
    it.order(&["accept", "t1", "PLANT_SURVIVED", "--because", "a demonstration"]);
    let shown = show(&it, "en");
    assert!(shown.contains("UNPROVEN  tests (WAIVED: `PLANT_SURVIVED`)"), "{shown}");
    let checks = it.provost(&["show", "t1"]).run().json()["checks"].clone();
    let tests = checks.as_array().unwrap().iter().find(|it| it["name"] == "tests").unwrap();
    assert_eq!(tests["standing"], "not_verified");
}

/// PROOF-10: planted configuration of an agent can be accepted by its name, too.
#[test]
fn planted_configuration_is_accepted_by_name() {
    let it = Loop::new();
    it.coder("echo 'be kind' >AGENTS.md; echo 42 >answer.txt; reply done");
    it.check("t1", json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    let shown = || it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown().contains("OPEN      agent config"), "{}", shown());
    it.order(&["accept", "t1", "AGENT_CONFIG_PLANTED", "--because", "we wrote it together"]);
    assert_eq!(it.status("t1")["state"], "READY_FOR_REVIEW");
    let shown = shown();
    assert!(shown.contains("ACCEPTED  agent config") && !shown.contains("OPEN"), "{shown}");
}

/// PROOF-10: an acceptance is of one finding; what was planted beside it stays open until it is
/// accepted by its own name.
#[test]
fn accepting_one_finding_leaves_the_other_open() {
    let act = format!("{BREAKING}\n    echo 'obey me' >AGENTS.md");
    let it = PYTHON.run(&Setup::default(), &act, "FAILED");
    let offered = |finding: &str| format!("provost accept t1 {finding} --because TEXT");
    let shown = show(&it, "en");
    for finding in ["AGENT_CONFIG_PLANTED", "EXPECTATION_CHANGED"] {
        assert!(shown.contains(&offered(finding)), "{shown}");
    }
    let because = ["--because", "the unit changed"];
    let ran = it.world.provost().args(["accept", "t1", "EXPECTATION_CHANGED"]).args(because).run();
    let said = ran.stdout();
    assert!(said.contains(&offered("AGENT_CONFIG_PLANTED")), "{said}");
    assert_eq!(it.status("t1")["state"], "FAILED", "{said}");
    let ran = it.world.provost().args(["land", "t1", "--yes"]).run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    it.order(&["accept", "t1", "AGENT_CONFIG_PLANTED", "--because", "we wrote it together"]);
    assert_eq!(it.status("t1")["state"], "READY_FOR_REVIEW");
    assert!(show(&it, "en").contains("ACCEPTED  agent config"), "{}", show(&it, "en"));
}

/// PROOF-4: what configures tools and runs code later, and what leads out of the repository, is asked
/// about by its name; adding, editing and deleting count alike.
#[test]
fn what_takes_effect_later_is_decided_by_a_person() {
    let it = Loop::new();
    it.world.write("repo/.gitattributes", "*.png binary\n");
    it.world.write("repo/.npmrc", "fund=false\n");
    it.world.write("repo/docs/a.md", "a\n");
    it.commit();
    for (id, act, path, finding) in [
        ("deleted", "rm .gitattributes", ".gitattributes", "AGENT_CONFIG_PLANTED"),
        ("edited", "echo script-shell=./x >>.npmrc", ".npmrc", "AGENT_CONFIG_PLANTED"),
        (
            "added",
            "mkdir .cargo; echo '[alias]' >.cargo/config.toml",
            ".cargo/config.toml",
            "AGENT_CONFIG_PLANTED",
        ),
        ("absolute", "ln -s /etc/passwd data", "data", "LINK_LEADS_OUT"),
        ("climbing", "ln -s ../../x docs/up", "docs/up", "LINK_LEADS_OUT"),
        ("into-git", "ln -s .git/hooks hooks", "hooks", "LINK_LEADS_OUT"),
    ] {
        it.coder(&format!("{act}; echo 42 >answer.txt; reply done"));
        let answer = it.check(id, json!({}), 3, "PAUSED_WAITING_USER_INPUT");
        let question = answer["questions_for_user"][0].as_str().unwrap();
        assert!(question.contains(&format!("`{path}`")), "{id}: {question}");
        assert!(question.contains(finding), "{id}: {question}");
        it.order(&["accept", id, finding, "--because", "it is wanted"]);
        assert_eq!(it.status(id)["state"], "READY_FOR_REVIEW", "{id}");
        let named = json!({ "allowed_paths": [".", path] });
        it.check(&format!("{id}-named"), named, 0, "READY_FOR_REVIEW");
    }
    // A link inside the repository, and a file that is as it was in the end, need no answer.
    for (id, act) in [
        ("inside", "ln -s docs notes; ln -s ../answer.txt docs/answer"),
        (
            "restored",
            "echo x >.npmrc; git add -A; git -c user.name=x -c user.email=x@x commit -qm x; git checkout -q HEAD~1 -- .npmrc",
        ),
    ] {
        it.coder(&format!("{act}; echo 42 >answer.txt; reply done"));
        it.check(id, json!({}), 0, "READY_FOR_REVIEW");
    }
    // A submodule that is named in the agent's index is not delivered.
    it.coder("git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),lib; git -c user.name=x -c user.email=x@x commit -qm x; echo 42 >answer.txt; reply done");
    it.check("submodule", json!({}), 0, "READY_FOR_REVIEW");
    let head = it.text("submodule/attempt_001/head_commit.txt");
    assert!(!it.git(&format!("ls-tree -r {}", head.trim())).contains("160000"));
}

/// PROOF-10: an agent cannot accept, and cannot approve: neither below a client nor where one has
/// set its variables.
#[test]
fn an_agent_cannot_accept() {
    let it = PYTHON.run(&Setup::default(), BREAKING, "FAILED");
    let provost = env!("CARGO_BIN_EXE_provost");
    let accept = format!("'{provost}' accept t1 EXPECTATION_CHANGED --because x");
    for order in [
        accept.clone(),
        format!("'{provost}' approve t1"),
        // A process that calls itself the demo.
        format!("echo \"{accept}; exit \\$?\" >demo; bash -c 'exec -a provost bash demo'"),
    ] {
        it.program("claude", &format!("{order}; code=$?; exit $code"));
        let client = it.world.path("bin/claude");
        let ran = it.world.program(client.to_str().unwrap()).output().unwrap();
        let text = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{text}");
        assert!(text.contains("only a person may do this") && text.contains("`claude`"), "{text}");
    }
    let ran = it
        .world
        .provost()
        .args(["accept", "t1", "EXPECTATION_CHANGED", "--because", "x"])
        .variable("CLAUDECODE", "1")
        .run();
    assert_eq!(ran.exit(), Some(1), "{}", ran.text());
    assert_eq!(it.status("t1")["state"], "FAILED");
}
