//! The checks besides the test: types, lint and build of a small project in Python.

use serde_json::{Value, json};

use crate::loop_world::Loop;

/// A checker of types that needs nothing installed: every function has to say what it returns.
const CHECKER: &str = "import pathlib, sys\n\
    bad = [f'{it}:{n}: a function without a return type'\n\
    \x20      for it in sorted(pathlib.Path('shop').glob('*.py'))\n\
    \x20      for n, line in enumerate(it.read_text().splitlines(), 1)\n\
    \x20      if line.startswith('def ') and '->' not in line]\n\
    print('\\n'.join(bad))\n\
    sys.exit(1 if bad else 0)\n";
const TYPES: &str = "[task]\ntypes = \"python3 tools/types.py\"\n";

/// A project whose types are checked, with this file of the product.
fn project(config: &str, product: &str) -> Loop {
    let it = Loop::with_config(config);
    it.world.write("repo/tools/types.py", CHECKER);
    it.world.write("repo/shop/cart.py", product);
    it.commit();
    it
}

const TYPED: &str = "def total() -> int:\n    return 41\n";

fn checked(it: &Loop, attempt: u16, name: &str) -> Value {
    let decision = it.json(&format!("t1/attempt_{attempt:03}/decision.json"));
    let checks = decision["checks"].as_array().unwrap();
    checks.iter().find(|it| it["name"] == name).cloned().unwrap_or_default()
}

/// A check that is green on the base and red on the result fails the attempt; the next coder is told
/// which command it was and what it printed, and mends it.
#[test]
fn a_check_that_the_agent_broke_is_told_and_mended() {
    let it = project(TYPES, TYPED);
    it.coder(
        "echo 42 >answer.txt; if [ \"$attempt\" = 1 ]; then echo 'def new():' >shop/new.py; \
         else echo 'def new() -> int:' >shop/new.py; fi; echo '    return 1' >>shop/new.py; reply done",
    );
    it.check("t1", json!({ "judge": "tests" }), 0, "READY_FOR_REVIEW");
    assert_eq!(it.status("t1")["attempts_consumed"], 1);
    let first = checked(&it, 1, "types");
    assert_eq!(first["standing"], "failed", "{first:#}");
    assert_eq!(
        first["detail"]["en"],
        "`python3 tools/types.py` exited with 1, and is green on the base"
    );
    assert_eq!(checked(&it, 2, "types")["standing"], "verified");
    let prompt = it.prompt("t1", 2);
    for told in [
        "the check `types` failed: `python3 tools/types.py` exited with 1, and is green on the base",
        "The check `types` of the attempt before, `python3 tools/types.py`, ended with exit code 1",
        "shop/new.py:1: a function without a return type",
        "must pass after it (types): `python3 tools/types.py`",
    ] {
        assert!(prompt.contains(told), "{told}\n{prompt}");
    }
    let base = it.json("t1/base_checks.json");
    assert_eq!(base["runs"][0]["state"], "green", "{base:#}");
    assert_eq!(it.json("t1/attempt_001/checks.json")["runs"][0]["verdict"], "broken");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("types (`python3 tools/types.py` is green)"), "{shown}");
    assert!(shown.contains("NOT RUN   lint, build (not configured)"), "{shown}");
    let shown = it.world.provost().args(["--lang", "zh", "show", "t1"]).run().stdout();
    assert!(shown.contains("代码检查、构建（未配置）"), "{shown}");
}

/// A judge that approves everything cannot talk it away.
#[test]
fn a_broken_check_is_stronger_than_an_approval() {
    let it = project(TYPES, TYPED);
    it.coder("echo 42 >answer.txt; echo 'def new():' >shop/new.py; reply done");
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(checked(&it, 1, "types")["standing"], "failed");
}

/// What is red on the base is said once, before the coder works, and does not count against the agent.
#[test]
fn a_check_that_is_red_on_the_base_is_a_gap() {
    let it = project(TYPES, "def total():\n    return 41\n");
    let spec = it.spec("t1", json!({ "judge": "tests" }));
    let ran = it.world.provost().args(["run", spec.to_str().unwrap()]).run();
    let text = ran.text();
    assert_eq!(ran.exit(), Some(0), "{text}");
    let said = text.find("red before any work, with exit code 1: it will not count").expect(&text);
    assert!(said < text.find("  coder").expect(&text), "{text}");
    let types = checked(&it, 1, "types");
    assert_eq!(types["standing"], "not_verified", "{types:#}");
    assert_eq!(
        types["detail"]["en"],
        "`python3 tools/types.py` exited with 1, and is red on the base as well: it does not count"
    );
    assert_eq!(it.json("t1/attempt_001/checks.json")["runs"][0]["verdict"], "red_before");

    // One that the change mends is verified.
    let it = project(TYPES, "def total():\n    return 41\n");
    it.coder("echo 42 >answer.txt; echo 'def total() -> int: ...' >shop/cart.py; reply done");
    it.check("t1", json!({ "judge": "tests" }), 0, "READY_FOR_REVIEW");
    let types = checked(&it, 1, "types");
    assert_eq!(types["standing"], "verified", "{types:#}");
    assert_eq!(types["detail"]["en"], "`python3 tools/types.py` is green, and was red on the base");
}

/// Ruling 75: a program that is not installed is a gap that is named; the task goes on.
#[test]
fn a_check_that_cannot_be_run_is_a_gap() {
    for (command, why) in [
        ("no-such-checker .", "no-such-checker"),
        ("python3 -m no_such_checker .", "No module named no_such_checker"),
    ] {
        let it = project(&format!("[task]\ntypes = \"{command}\"\n"), TYPED);
        it.check("t1", json!({ "judge": "tests" }), 0, "READY_FOR_REVIEW");
        let types = checked(&it, 1, "types");
        assert_eq!(types["standing"], "not_verified", "{types:#}");
        let detail = types["detail"]["en"].as_str().unwrap();
        assert!(detail.contains("cannot be run here") && detail.contains(why), "{detail}");
        let shown = it.world.provost().args(["show", "t1"]).run().stdout();
        assert!(shown.contains("cannot be run here"), "{shown}");
    }

    // If only the result cannot run it, the agent took it away.
    let it = project("[task]\nlint = \"./lint.sh\"\n", TYPED);
    it.world.write("repo/lint.sh", "#!/bin/sh\nexit 0\n");
    it.git("add --chmod=+x lint.sh");
    it.git("-c user.name=a -c user.email=a@localhost commit --quiet -m lint");
    it.coder("echo 42 >answer.txt; rm lint.sh; reply done");
    it.check("t1", json!({ "judge": "tests", "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(checked(&it, 1, "lint")["standing"], "failed");
}

/// A task names checks of its own before those of the configuration, and runs none after a red test.
#[test]
fn a_task_has_checks_of_its_own() {
    let it = project("[task]\ntypes = \"false\"\nlint = \"exit 0\"\n", TYPED);
    let spec = json!({
        "judge": "tests", "types": "python3 tools/types.py", "build": "test -e answer.txt",
    });
    it.check("t1", spec, 0, "READY_FOR_REVIEW");
    let checks = it.json("t1/attempt_001/checks.json");
    let ran: Vec<[&str; 3]> = checks["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["kind", "command", "verdict"].map(|key| it[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        ran,
        [
            ["lint", "exit 0", "green"],
            ["types", "python3 tools/types.py", "green"],
            ["build", "test -e answer.txt", "mended"],
        ],
    );
    it.coder("echo 41 >answer.txt; reply done");
    it.check("t2", json!({ "judge": "tests", "max_attempts": 1 }), 1, "FAILED");
    let decision = it.json("t2/attempt_001/decision.json");
    let checks = decision["checks"].as_array().unwrap();
    let lint = checks.iter().find(|it| it["name"] == "lint").unwrap();
    assert_eq!(lint["detail"]["en"], "not run: the test is red", "{decision:#}");
    assert!(!it.exists("t2/attempt_001/checks.json"));
}

/// A check that the agent silenced is green, and not verified: its own files are named.
#[test]
fn a_check_whose_own_files_changed_is_a_gap() {
    let it = project(TYPES, TYPED);
    it.coder("echo 42 >answer.txt; echo 'print()' >tools/types.py; echo 'def new():' >shop/new.py; reply done");
    it.check("t1", json!({ "judge": "tests" }), 0, "READY_FOR_REVIEW");
    let types = checked(&it, 1, "types");
    assert_eq!(types["standing"], "not_verified", "{types:#}");
    assert_eq!(
        types["detail"]["en"],
        "`python3 tools/types.py` is green, and the change touches what decides that: \
         `tools/types.py`"
    );
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("OPEN      types ("), "{shown}");
}
