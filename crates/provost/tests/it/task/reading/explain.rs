//! `explain`.

use super::stage;

/// Issue 3: `provost explain` names row and facts.
#[test]
fn explain_names_the_row_and_the_facts() {
    let stage = stage();
    task_snapshot!(stage.world.provost().args(["explain", "gated"]), @r"
    exit: 0
    ----- stdout -----
    task: gated
    attempt: 1
    row: gated
      verdict, after facts: FAIL
      stopped by a gate: yes
    why: a gate stopped the verdict
    the judge said: PASS, lowered by facts
      against it: the tests failed
      reason: off by one\u{1b}[2J in `parse`
    counts as an attempt: yes
    then: PAUSED (PAUSED_SCORE_GATED: a gate stopped the verdict)
    next: provost edit gated --instruction TEXT (instruct the next attempt)
    next: provost resume gated (continue)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["explain", "gated", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    任务：gated
    尝试：1
    规则行：gated
      裁决（依事实）：FAIL
      被硬性门槛拦下：是
    原因：裁决未通过硬性门槛
    评审意见：PASS，因事实而下调
      不利事实：测试未通过
      理由：off by one\u{1b}[2J in `parse`
    计入尝试次数：是
    结果：PAUSED（PAUSED_SCORE_GATED：裁决未通过硬性门槛）
    下一步：provost edit gated --instruction TEXT（说明下一次尝试应做什么）
    下一步：provost resume gated（继续）
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["explain", "used-up"]), @r"
    exit: 0
    ----- stdout -----
    task: used-up
    attempt: 3
    row: fail-exhausted
      verdict, after facts: FAIL
      attempts, with this one: 3
      attempts allowed: 3
    why: attempt 3 of 3 failed, and none is left
    the judge said: FAIL
    counts as an attempt: yes
    then: FAILED
    next: provost edit used-up --set max_attempts=4 (allow one more attempt)
    next: provost reject used-up --because TEXT (reject the result, with a reason)
    ----- stderr -----
    ");
    task_snapshot!(stage.world.provost().args(["explain", "ask", "--attempt", "1"]), @r"
    exit: 0
    ----- stdout -----
    task: ask
    attempt: 1
    row: fail-next-attempt
      verdict, after facts: FAIL
      attempts, with this one: 1
      attempts allowed: 3
    why: attempt 1 of 3 failed; trying again
    the judge said: FAIL
    counts as an attempt: yes
    then: RUNNING
    next: provost answer ask TEXT (answer the question)
    ----- stderr -----
    ");
    let ran = stage.world.provost().args(["explain", "ready", "--json"]).run();
    let json = ran.json();
    assert_eq!((&json["source"], &json["row"]), (&"attempt".into(), &"ready".into()));
    assert_eq!(json["deciding_facts"][0]["name"], "verdict_decision");
    assert_eq!(json["record"]["facts"]["effective_max_attempts"], 3);
}

#[test]
fn explain_of_an_attempt_without_a_decision_is_an_error() {
    let stage = stage();
    task_snapshot!(stage.world.provost().args(["explain", "ask", "--attempt", "7"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: attempt 7 of `ask` has no recorded decision
    hint: attempts with a decision: 1, 2
    ");
    task_snapshot!(stage.world.provost().args(["explain", "ask", "--attempt", "0"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: invalid attempt number 0: use 1 to 999
    ");
    task_snapshot!(stage.world.provost().args(["explain", "ask", "--attempt", "7", "--lang", "zh"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    错误：`ask` 的第 7 次尝试没有决定记录
    提示：有决定记录的尝试：1、2
    ");
}

/// What no attempt decided is explained by how the task came to its state.
#[test]
fn explain_of_a_reset_or_a_crash_says_so() {
    let stage = stage();
    assert_eq!(stage.world.provost().args(["reset", "gated"]).run().exit(), Some(0));
    task_snapshot!(stage.world.provost().args(["explain", "gated"]), @r"
    exit: 0
    ----- stdout -----
    task: gated
    note: this did not come from the result of an attempt
    in attempt: 1
    row: user
    at: [TIME]
    why: the task was reset: attempts are counted from 1 again
    then: PAUSED (PAUSED_USER: a person paused or reset the task)
    next: provost resume gated (continue)
    ----- stderr -----
    ");
    // The attempt itself is still on record.
    let ran = stage.world.provost().args(["explain", "gated", "--attempt", "1", "--json"]).run();
    assert_eq!(ran.json()["row"], "gated");

    stage.task("gone", 1, &[]);
    task_snapshot!(stage.world.provost().args(["explain", "gone"]), @r"
    exit: 0
    ----- stdout -----
    task: gone
    note: this did not come from the result of an attempt
    in attempt: 1
    row: crash
    at: [TIME]
    why: the coordinator ended in the middle of an attempt
    then: PAUSED (PAUSED_CRASH: the coordinator ended in the middle of an attempt)
    next: provost resume gone (continue)
    ----- stderr -----
    ");
    let ran = stage.world.provost().args(["explain", "gone", "--json"]).run();
    assert_eq!(ran.json()["source"], "transition");
}
