//! What is checked before the first paid call: nothing is made and nothing is spent where an agent
//! could not work.

use serde_json::json;

use crate::loop_world::Loop;

/// A client in `PATH` that answers the question for its login with this code, and notes each call.
fn claude(it: &Loop, rc: i32) -> std::ffi::OsString {
    let calls = it.world.path("calls");
    let script = format!(
        "echo \"$*\" >>'{}'; case \"$*\" in 'auth status') exit {rc};; esac; echo 42 >answer.txt",
        calls.display()
    );
    it.program("claude", &script)
}

fn spec(it: &Loop, id: &str, judge: &str) -> String {
    let coder = json!({ "coder": "claude-code", "judge": judge });
    it.spec(id, coder).to_str().unwrap().to_owned()
}

#[test]
fn an_agent_that_is_not_logged_in_is_said_before_a_task_is_made() {
    let it = Loop::new();
    let path = claude(&it, 1);
    let spec = spec(&it, "t1", "tests");
    let run = |lang: &str| {
        let command = it.world.provost().variable("PATH", path.clone());
        command.args(["--lang", lang, "run", &spec]).run()
    };
    let ran = run("en");
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let said = ran.stderr();
    assert!(said.contains("Claude Code is not logged in; nothing was spent"), "{said}");
    assert!(said.contains("`claude auth login`, then again"), "{said}");
    let said = run("zh").stderr();
    assert!(said.contains("Claude Code 尚未登录；没有产生费用"), "{said}");
    assert!(!it.exists("t1/status.json"));
    let calls = std::fs::read_to_string(it.world.path("calls")).unwrap();
    assert!(calls.lines().all(|it| it == "auth status"), "{calls}");

    // The same command works when it is mended.
    let path = claude(&it, 0);
    let ran = it.provost(&["run", &spec]).variable("PATH", path).run();
    crate::loop_world::ended(&ran, 0, "READY_FOR_REVIEW");
}

/// A login that ran out between two attempts is a pause that uses none.
#[test]
fn a_login_that_ran_out_costs_no_attempt() {
    let it = Loop::new();
    let asked = it.world.path("asked");
    let script = format!(
        "case \"$*\" in 'auth status') echo x >>'{0}'; [ $(wc -l <'{0}') -lt 2 ]; exit;; esac
         echo 41 >answer.txt",
        asked.display()
    );
    let path = it.program("claude", &script);
    let spec = spec(&it, "t1", "tests");
    let ran = it.provost(&["run", &spec]).variable("PATH", path).run();
    let answer = crate::loop_world::ended(&ran, 3, "PAUSED_CODER_AUTH_195");
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("claude auth login"), "{message}");
    assert_eq!(it.status("t1")["attempts_consumed"], 1);
    assert_eq!(it.count("t1", "CODER_STARTED"), 1);
}

#[test]
fn a_judge_without_its_key_is_said_before_a_task_is_made() {
    let it = Loop::with_own(
        "[adapter.chat]\nkind = \"chat\"\nbase = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey_variable = \"MODEL_KEY\"\n",
    );
    let spec = it.spec("t1", json!({ "judge": "chat" }));
    let ran = it.world.provost().args(["run", spec.to_str().unwrap()]).run();
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    let said = ran.stderr();
    assert!(
        said.contains("`chat` has no key: `MODEL_KEY` is not set; nothing was spent"),
        "{said}"
    );
    assert!(!it.exists("t1/status.json"));
}

/// A test command that finds no test is said before the coder starts; a first test is honest work.
#[test]
fn no_tests_on_the_base_are_said_before_the_coder_starts() {
    let it = Loop::new();
    it.coder("mkdir -p tests; printf 'import unittest, answer\\nclass T(unittest.TestCase):\\n    def test_it(self):\\n        self.assertEqual(answer.it(), 42)\\n' >test_answer.py; printf 'def it():\\n    return 42\\n' >answer.py; reply done");
    it.world.write("repo/answer.py", "def it():\n    return 41\n");
    it.commit();
    let spec = json!({ "test_cmd": "python3 -m unittest -q", "judge": "tests" });
    let spec = it.spec("t1", spec);
    let ran = it.world.provost().args(["run", spec.to_str().unwrap()]).run();
    let said = ran.stderr();
    let at = |it: &str| said.find(it).unwrap_or_else(|| panic!("{it}: {said}"));
    let told = at("`python3 -m unittest -q` ran 0 tests: only a new test can prove the change");
    assert!(told < at("  coder "), "{said}");
    assert_eq!(it.status("t1")["state"], "READY_FOR_REVIEW", "{said}");
}
