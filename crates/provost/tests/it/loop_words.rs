//! What people read of a run and of its task: the reasons, what is proven, and what to do next.

use serde_json::{Value, json};

use crate::{
    loop_accept::BREAKING,
    loop_proof::{PYTHON, Setup},
    loop_world::{Loop, RIGHT, WRONG, plain},
    world::Ran,
};

/// Runs a spec as a person does.
fn run(it: &Loop, id: &str, spec: Value, lang: &str) -> Ran {
    let spec = it.spec(id, spec);
    it.world.provost().args(["--lang", lang, "run", spec.to_str().unwrap()]).run()
}

fn said(it: &Loop, arguments: &[&str]) -> String {
    it.world.provost().args(arguments).run().stdout()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[track_caller]
fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part:?} is in:\n{text}");
    }
}

/// What speaks against an attempt is said when it fails, and by `show` afterwards.
#[test]
fn a_failed_attempt_says_why() {
    let it = Loop::new();
    it.coder(WRONG);
    let spec = || json!({ "judge": "tests", "max_attempts": 2 });
    let seen = run(&it, "t1", spec(), "en").stderr();
    has(&seen, &["t1 attempt 1 of 2\n", "  = attempt 1 of 2 failed; trying again\n"]);
    has(&seen, &["      the test failed with exit code 1\n"]);
    lacks(&seen, &["fail-next-attempt"]);
    has(
        &said(&it, &["show", "t1"]),
        &["t1  FAILED · ", "reason    the test failed with exit code 1"],
    );

    let seen = run(&it, "t2", spec(), "zh").stderr();
    has(&seen, &["t2 第 1 次尝试（共 2 次）\n", "第 1 次尝试失败（共 2 次），正在重试\n"]);
    has(&seen, &["      测试失败，退出码 1\n"]);
    has(&said(&it, &["--lang", "zh", "show", "t2"]), &["理由      测试失败，退出码 1"]);
}

/// Where the tests decide, nothing speaks of a judge.
#[test]
fn a_task_without_a_judge_speaks_of_none() {
    let it = Loop::new();
    it.coder("echo 'be kind' >AGENTS.md; echo 42 >answer.txt; reply done");
    let ran = run(&it, "t1", json!({ "judge": "tests" }), "en");
    assert_eq!(ran.exit(), Some(3), "{}", ran.text());
    let accept = "provost accept t1 AGENT_CONFIG_PLANTED --because TEXT";
    has(&ran.stdout(), &["! t1  paused · your answer is needed", accept]);
    has(&said(&it, &["inbox"]), &[accept]);
    has(&said(&it, &["ls"]), &["1/3", "your answer"]);
    for command in ["explain", "show", "inbox"] {
        let text = said(&it, &[command]);
        lacks(&text, &["the judge said", "judge asks", "answer the judge", "gated"]);
        let text = said(&it, &["--lang", "zh", command]);
        lacks(&text, &["评审意见", "评审需要"]);
    }
    has(&said(&it, &["explain", "t1"]), &["decided by: the tests"]);
    has(&said(&it, &["--lang", "zh", "explain", "t1"]), &["决定者：测试"]);

    it.order(&["accept", "t1", "AGENT_CONFIG_PLANTED", "--because", "we wrote it together"]);
    let shown = said(&it, &["show", "t1"]);
    has(&shown, &["t1  READY · ", "accepted  AGENT_CONFIG_PLANTED by "]);
    lacks(&shown, &["provost accept", "question"]);
}

/// Why an agent failed is in its own words, which are made safe, and one command has the rest.
#[test]
fn an_agent_that_fails_says_why() {
    let it = Loop::new();
    it.coder(
        "printf 'one\\ntwo\\n\\n\\033[31mno credit\\033[0m \\342\\200\\256left\\n' >&2; exit 3",
    );
    let ran = run(&it, "t1", json!({}), "en");
    assert_eq!(ran.exit(), Some(3), "{}", ran.text());
    let text = ran.stdout();
    has(
        &text,
        &["    │ two\n    │ no credit \\u{202e}left\n", "next: provost logs t1 --agent (see"],
    );
    has(&text, &["? What made the coder fail? (`provost logs t1 --agent`)"]);
    let shown = said(&it, &["show", "t1"]);
    has(&shown, &["agent     no credit \\u{202e}left", "1 of 3: 1 failed", "PAUSED_CODER_FAILED"]);
    has(&said(&it, &["--lang", "zh", "show", "t1"]), &["智能体    no credit"]);
}

/// An agent that prints its answer instead of leaving it is seen as well.
#[test]
fn an_agent_that_leaves_no_reply_says_what_it_printed() {
    let it = Loop::new();
    it.coder("echo 'which port?'");
    let ran = run(&it, "t1", json!({}), "en");
    assert_eq!(ran.exit(), Some(3), "{}", ran.text());
    let shown = said(&it, &["show", "t1"]);
    has(&shown, &["agent     which port?", "PAUSED_CODER_NO_OUTPUT"]);
    assert!(!shown.contains("0 files"), "{shown}");
}

/// A green test that shows nothing does not look like one that does.
#[test]
fn what_a_green_test_proves_is_said_in_words() {
    let it = Loop::new();
    let holds = json!({ "test_cmd": "true" });
    let ran = run(&it, "holds", holds, "en");
    let caveat = "HOLDS: the tests are green without the change, too";
    has(&ran.stdout(), &[&format!("✓ holds  ready · {caveat}")]);
    has(&said(&it, &["show", "holds"]), &[&format!("proof     {caveat}"), "1 of 3: 1 passed"]);
    has(&said(&it, &["inbox"]), &[&format!("holds  ready · {caveat}")]);
    let zh = ["--lang", "zh", "show", "holds"];
    has(&said(&it, &zh), &["证明      HOLDS：没有这项改动，测试也通过"]);
    let ran = run(&it, "shown", json!({}), "en");
    has(&ran.stdout(), &["✓ shown  ready · ", "red without the change"]);
    has(&said(&it, &["ls"]), &["holds", "gaps", "1/3"]);
}

/// An answer is shown as one, and the task waits for `resume`.
#[test]
fn an_answered_question_is_not_open() {
    let it = Loop::new();
    it.judge(&plain("NEED_USER_INPUT"));
    it.check("t1", json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    has(&said(&it, &["show", "t1"]), &["question  which one?", "(answer the question)"]);
    let receipt = said(&it, &["answer", "t1", "the left one", "--no-run"]);
    has(&receipt, &["Answer recorded. `t1` is paused.\n", "next: provost resume t1"]);
    let shown = said(&it, &["show", "t1"]);
    has(&shown, &["asked     which one?", "answered  the left one", "next: provost resume t1"]);
    lacks(&shown, &["provost answer"]);
    let inbox = said(&it, &["inbox"]);
    has(&inbox, &["t1  paused · answered; `resume` goes on", "answered: the left one"]);
    lacks(&inbox, &["which one?"]);
    has(&said(&it, &["ls"]), &["`resume`"]);
    has(
        &said(&it, &["--lang", "zh", "inbox"]),
        &["已答复；用 `resume` 继续", "已答复：the left one"],
    );
}

/// A result that is approved waits for its landing, and one that landed says where.
#[test]
fn what_became_of_a_result_is_said() {
    let it = Loop::new();
    it.coder(RIGHT);
    it.check("t1", json!({ "judge": "tests" }), 0, "READY_FOR_REVIEW");
    it.order(&["approve", "t1"]);
    // An approved result is not in the inbox; `show` names the command that lands it.
    has(&said(&it, &["inbox"]), &["nothing waits for you"]);
    let shown = ["t1  APPROVED · ", "main@", "→ 1 file, +1 −0", "provost land t1"];
    has(&said(&it, &["show", "t1"]), &shown);
    it.git("config user.name ann");
    it.git("config user.email ann@localhost");
    it.order(&["land", "t1", "--yes"]);
    has(&said(&it, &["inbox"]), &["nothing waits for you"]);
    has(&said(&it, &["show", "t1"]), &["t1  LANDED on main as "]);
    has(&said(&it, &["--lang", "zh", "show", "t1"]), &["t1  已合入 main "]);
}

/// A test command that was corrected is not to be corrected again.
#[test]
fn what_was_corrected_is_not_offered_again() {
    let it = Loop::new();
    it.check("t1", json!({ "test_cmd": "no-such-program" }), 3, "PAUSED_TEST_NOT_RUN");
    let fix = "provost edit t1 --set test_cmd=CMD (correct the test command)";
    has(&said(&it, &["show", "t1"]), &[fix, "attempts  1 of 3"]);
    it.order(&["edit", "t1", "--set", "test_cmd=sh check.sh"]);
    let shown = said(&it, &["show", "t1"]);
    lacks(&shown, &["test_cmd=CMD"]);
    has(&shown, &["next: provost resume t1"]);
}

/// After an acceptance nothing contradicts it.
#[test]
fn an_accepted_finding_is_settled() {
    let it = PYTHON.run(&Setup::default(), BREAKING, "FAILED");
    it.order(&["accept", "t1", "EXPECTATION_CHANGED", "--because", "the unit changed"]);
    let shown = said(&it, &["show", "t1"]);
    has(&shown, &["t1  READY · ", "accepted  EXPECTATION_CHANGED by "]);
    lacks(&shown, &["verdict   FAIL\n", "reason    1 test", "provost accept"]);
    has(&said(&it, &["ls"]), &["1/1"]);
}
