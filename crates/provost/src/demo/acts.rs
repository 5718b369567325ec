//! The scenes of the demo, each with the conditions it must meet.

use provost_engine::task::rehearsal::Played;
use provost_kernel::{
    Lang, TaskId,
    task::{EventKind, PauseCode, ReviewOutcome, Row, State, Status},
};

use super::{DemoError, stage::Stage, tale::Act};
use crate::{session::AnyFault, task::show};

/// An act that is to be played.
type Play = fn(&Stage<'_>, Lang) -> Result<Act, AnyFault>;

/// The acts, in order.
pub(super) const ALL: [Play; 4] = [honest, liars, crash, review];

/// An agent that fails, receives feedback, and fixes its change.
fn honest(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "honest",
        lang,
        (
            "An honest agent fails, gets the reason, and fixes it",
            "诚实的智能体：先失败，得知原因后改正",
        ),
    );
    let task = id("honest")?;
    run(stage, &mut act, &["run", "honest.json"], 0)?;
    let view = stage.view(&task)?;
    let prompt = stage.prompt(&task, 2)?;
    let told = prompt.lines().find(|it| it.contains("should say 42")).unwrap_or_default();
    let told = told.trim_start_matches(['-', ' ']);
    for (index, attempt) in (1..).zip(&view.attempts) {
        act.claim(stage.claim(&task, index)?);
        let rc = attempt.metrics.as_ref().and_then(|it| it.test_rc).unwrap_or(-1);
        let score = attempt.final_score_0_100.map(|it| it.to_string()).unwrap_or_default();
        act.found(
            format!("attempt {index}: test run by provost exited with {rc}; score {score} of 100"),
            format!("第 {index} 次尝试：provost 运行测试，退出码 {rc}；得分 {score}/100"),
        );
        if index == 1 {
            act.found(
                format!("feedback for the next attempt: {told}"),
                format!("给下一次尝试的反馈：{told}"),
            );
        }
    }
    let rows: Vec<Option<Row>> =
        view.attempts.iter().map(|it| it.decision.as_ref().map(|it| it.decision.row)).collect();
    act.must("attempts", rows == [Some(Row::FailNextAttempt), Some(Row::Ready)]);
    act.must("the reason is in the second prompt", !told.is_empty());
    stand(&mut act, view.status(), State::ReadyForReview, None);
    act.proven(
        "the test passes in a clean checkout of this change; no forbidden path, no secret",
        "测试在该改动的干净检出中通过；没有禁止的路径，没有密钥",
    );
    act.not_proven(
        "whether the test covers the goal (the judge here is a script)",
        "测试是否覆盖了目标（此处的评审只是脚本）",
    );
    Ok(act)
}

/// Two agents with false claims, and a judge that believes them.
fn liars(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "liars",
        lang,
        (
            "Two agents make false claims, and the judge believes them",
            "两个智能体作出虚假声明，而评审信以为真",
        ),
    );
    let liar = id("liar")?;
    run(stage, &mut act, &["run", "liar.json"], 1)?;
    act.claim(stage.claim(&liar, 1)?);
    let view = stage.view(&liar)?;
    let rc = view.attempts.first().and_then(|it| it.metrics.as_ref()?.test_rc);
    act.must("the test was run, and failed", rc == Some(1));
    let judge = view.attempts.first().and_then(|it| it.decision.as_ref()?.judge_decision);
    let judge = judge.map(|it| it.to_string()).unwrap_or_default();
    act.must("the judge was taken in", judge == "PASS");
    for it in view.checks().iter().filter(|it| it.name != "rubric") {
        let (name, detail) = (&it.name, lang.render(&it.detail));
        let shown = show::label(name);
        act.found(format!("{name}: {detail}"), format!("{shown}：{detail}"));
    }
    act.found(
        format!("the judge said {judge}, but the test failed: the test decides"),
        format!("评审的结论是 {judge}，但测试失败：以测试为准"),
    );
    stand(&mut act, view.status(), State::Failed, None);

    let cheat = id("cheat")?;
    run(stage, &mut act, &["run", "cheat.json"], 3)?;
    act.claim(stage.claim(&cheat, 1)?);
    let view = stage.view(&cheat)?;
    let record = view.attempts.first().and_then(|it| it.decision.as_ref());
    let finding = record.and_then(|it| it.findings.first());
    let colon = lang.pick(": ", "：");
    let text = finding.map(|it| format!("{}{colon}{}", it.subject, lang.render(&it.message)));
    let text = text.unwrap_or_default();
    act.must("the changed test was found", text.contains("check.sh"));
    act.must("nothing of it was run", stage.count(&cheat, EventKind::TestStarted)? == 0);
    act.found(format!("{text}; the change was not run"), format!("{text}；改动没有被运行"));
    stand(&mut act, view.status(), State::Paused, Some(PauseCode::AllowedPaths));
    act.proven(
        "claims and output of an agent decide nothing; only what provost ran does",
        "智能体的声明和输出不起决定作用；只有 provost 亲自运行的结果才算数",
    );
    act.not_proven(
        "whether a test the agent may edit was weakened: set `allowed_paths`",
        "智能体有权修改的测试是否被削弱：请设置 `allowed_paths`",
    );
    Ok(act)
}

/// A coordinator that is killed, and a task that is resumed.
fn crash(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "crash",
        lang,
        (
            "provost is killed in the middle of an attempt, then resumed",
            "provost 在尝试中途被终止，然后恢复",
        ),
    );
    let task = id("steady")?;
    act.command(&["run", "steady.json"]);
    let killed = stage.kill_during(&task)?;
    act.found(
        "killed with SIGKILL while the agent was working; no agent process is left",
        "智能体工作时被 SIGKILL 终止；没有留下任何智能体进程",
    );
    act.must("no process is left", killed.n_left == 0);
    let on_disk = killed.state.map(|it| it.to_string()).unwrap_or_default();
    act.found(
        format!("the state on disk is still {on_disk}, with no running process"),
        format!("磁盘上的状态仍为 {on_disk}，但没有进程在运行"),
    );
    act.must("killed while it ran", killed.state == Some(State::Running));
    run(stage, &mut act, &["show", "steady"], 0)?;
    let crashes = stage.count(&task, EventKind::CoordinatorCrashed)?;
    act.must("one COORDINATOR_CRASHED", crashes == 1);
    if let Some(status) = stage.status(&task)? {
        stand(&mut act, &status, State::Paused, Some(PauseCode::Crash));
    }
    run(stage, &mut act, &["resume", "steady"], 0)?;
    let view = stage.view(&task)?;
    let status = view.status();
    let (attempts, consumed) = (view.attempts.len(), status.attempts_consumed);
    act.must("two attempts, none consumed", (attempts, consumed) == (2, 0));
    act.found(
        format!("attempts: {attempts}, counted: {consumed}; COORDINATOR_CRASHED events: {crashes}"),
        format!("尝试 {attempts} 次，计入 {consumed} 次；COORDINATOR_CRASHED 事件 {crashes} 个"),
    );
    stand(&mut act, status, State::ReadyForReview, None);
    act.proven(
        "the state survived the kill; the interrupted attempt is recorded and not counted",
        "被终止后状态完好；中断的尝试有记录，但不计入次数",
    );
    act.not_proven(
        "a power cut (the tests cover it with a simulated disk)",
        "断电（测试中用模拟磁盘覆盖）",
    );
    Ok(act)
}

/// A person approves the result.
fn review(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new("review", lang, ("You review the result", "人工审阅结果"));
    let task = id("steady")?;
    run(stage, &mut act, &["approve", "steady"], 0)?;
    if let Some(status) = stage.status(&task)? {
        let review = status.review.as_ref();
        let is_approved = review.is_some_and(|it| it.outcome == ReviewOutcome::Approved);
        act.must("the review is in the status", is_approved);
        let by = review.map(|it| it.actor.id.clone()).unwrap_or_default();
        act.found(
            format!("approved by {by}; the state stays the same"),
            format!("由 {by} 批准；状态不变"),
        );
        stand(&mut act, &status, State::ReadyForReview, None);
    }
    for arguments in [["audit", "verify"].as_slice(), &["selfcheck"]] {
        let played = run(stage, &mut act, arguments, 0)?;
        let first = [&played.stdout, &played.stderr].into_iter().find_map(|it| it.lines().next());
        let first = first.unwrap_or_default().to_owned();
        act.found(first.clone(), first);
    }
    act.proven(
        "every decision and order is in the audit chain, and the chain is intact",
        "每个决定与指令都在审计链中，且审计链完整",
    );
    act.not_proven("whether the approval was right: that is up to you", "批准是否正确：由你负责");
    Ok(act)
}

/// Runs a command of this program and records it.
fn run(
    stage: &Stage<'_>,
    act: &mut Act,
    arguments: &[&str],
    expected: i32,
) -> Result<Played, AnyFault> {
    act.command(arguments);
    let played = stage.provost(arguments)?;
    let rc = played.outcome.rc;
    if rc == expected {
        return Ok(played);
    }
    let command = arguments.join(" ");
    let said = played.stderr.lines().find(|it| it.contains("error")).unwrap_or_default().to_owned();
    Err(DemoError::UnexpectedExit { command, expected, rc, said }.into())
}

/// Records the state of a task and checks it.
fn stand(act: &mut Act, status: &Status, state: State, code: Option<PauseCode>) {
    let shown = status.pause_reason_code.map(|it| format!(" {it}")).unwrap_or_default();
    act.state(format!("{}{shown}", status.state));
    let expected = code.map(|it| format!(" {it}")).unwrap_or_default();
    act.must(
        &format!("{state}{expected}"),
        (status.state, status.pause_reason_code) == (state, code),
    );
}

fn id(name: &str) -> Result<TaskId, AnyFault> {
    Ok(name.parse()?)
}
