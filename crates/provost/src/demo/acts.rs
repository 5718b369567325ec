//! The acts of the demo, each with what must be true for it to have gone as told.

use provost_engine::task::rehearsal::Played;
use provost_kernel::{
    Lang, TaskId,
    task::{EventKind, PauseCode, ReviewOutcome, Row, State, Status},
};

use super::{DemoError, stage::Stage, tale::Act};
use crate::session::AnyFault;

/// An act that is to be played.
type Play = fn(&Stage<'_>, Lang) -> Result<Act, AnyFault>;

/// The acts, in order.
pub(super) const ALL: [Play; 4] = [honest, liars, crash, review];

/// An agent that fails, is told why, and fixes it.
fn honest(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "honest",
        lang,
        (
            "An honest agent that gets it wrong, is told why, and fixes it",
            "诚实的代理:先做错,得知原因后改正",
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
            format!("attempt {index}: runs the test itself, exit {rc}; score {score} of 100"),
            format!("第 {index} 次尝试:自行运行测试,退出码 {rc};得分 {score}/100"),
        );
        if index == 1 {
            act.found(format!("tells the next attempt: {told}"), format!("告知下一次尝试:{told}"));
        }
    }
    let rows: Vec<Option<Row>> =
        view.attempts.iter().map(|it| it.decision.as_ref().map(|it| it.decision.row)).collect();
    act.must("attempts", rows == [Some(Row::FailNextAttempt), Some(Row::Ready)]);
    act.must("the reason is in the second prompt", !told.is_empty());
    stand(&mut act, view.status(), State::ReadyForReview, None);
    act.proven(
        "the test passes on a clean checkout of exactly this change; no forbidden file, no secret",
        "测试在该变更的全新检出上通过;没有触及禁止的文件,没有密钥",
    );
    act.not_proven(
        "that the test asks the right question; the judge here is a script",
        "测试本身是否问对了问题;此处的评审者只是脚本",
    );
    Ok(act)
}

/// Two agents that lie, in front of a judge who believes everything.
fn liars(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "liars",
        lang,
        (
            "Two agents that lie, before a judge who believes everything",
            "两个说谎的代理,面对轻信一切的评审者",
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
        let (name, detail) = (&it.name, it.detail.render(lang));
        act.found(format!("{name}: {detail}"), format!("{name}:{detail}"));
    }
    act.found(
        format!("the judge said {judge}; what was run says FAIL, and that counts"),
        format!("评审者说 {judge};实际运行的结果是 FAIL,以此为准"),
    );
    stand(&mut act, view.status(), State::Failed, None);

    let cheat = id("cheat")?;
    run(stage, &mut act, &["run", "cheat.json"], 3)?;
    act.claim(stage.claim(&cheat, 1)?);
    let view = stage.view(&cheat)?;
    let record = view.attempts.first().and_then(|it| it.decision.as_ref());
    let finding = record.and_then(|it| it.findings.first());
    let text = finding.map(|it| format!("{}: {}", it.subject, it.message)).unwrap_or_default();
    act.must("the changed test was found", text.contains("check.sh"));
    act.must("nothing of it was run", stage.count(&cheat, EventKind::TestStarted)? == 0);
    act.found(
        format!("{text}; nothing of the change was run"),
        format!("{text};该变更的任何内容都没有运行"),
    );
    stand(&mut act, view.status(), State::Paused, Some(PauseCode::AllowedPaths));
    act.proven(
        "what an agent says or prints changes nothing; only what provost ran and saw counts",
        "代理所说所印不起作用;只有 provost 亲自运行和看到的才算数",
    );
    act.not_proven(
        "that a test which an agent MAY change was not weakened: name what may change",
        "代理有权修改的测试未被削弱:请指明哪些文件可改",
    );
    Ok(act)
}

/// A coordinator that is killed, and a task that goes on.
fn crash(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new(
        "crash",
        lang,
        ("A crash in the middle of the work, and a resume", "工作中途崩溃,然后恢复"),
    );
    let task = id("steady")?;
    act.command(&["run", "steady.json"]);
    let killed = stage.kill_during(&task)?;
    act.found(
        "was killed with KILL while the agent worked; nothing of the agent is left",
        "在代理工作时被 KILL 终止;代理的进程全部消失",
    );
    act.must("no process is left", killed.n_left == 0);
    let on_disk = killed.state.map(|it| it.to_string()).unwrap_or_default();
    act.found(
        format!("the state on disk still says {on_disk}, and nobody runs it"),
        format!("磁盘上的状态仍为 {on_disk},但没有进程在运行"),
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
        format!(
            "attempts: {attempts}, consumed: {consumed}; COORDINATOR_CRASHED events: {crashes}"
        ),
        format!("尝试 {attempts} 次,计入 {consumed} 次;COORDINATOR_CRASHED 事件 {crashes} 个"),
    );
    stand(&mut act, status, State::ReadyForReview, None);
    act.proven(
        "the state was whole after the kill; the half attempt stays on record and does not count",
        "被杀后状态完整;半途的尝试保留在案且不计次数",
    );
    act.not_proven(
        "a power cut: that needs a disk that does what it says",
        "断电情形:那取决于磁盘是否言行一致",
    );
    Ok(act)
}

/// A person takes the result.
fn review(stage: &Stage<'_>, lang: Lang) -> Result<Act, AnyFault> {
    let mut act = Act::new("review", lang, ("A review", "人工评审"));
    let task = id("steady")?;
    run(stage, &mut act, &["approve", "steady"], 0)?;
    if let Some(status) = stage.status(&task)? {
        let review = status.review.as_ref();
        let is_approved = review.is_some_and(|it| it.outcome == ReviewOutcome::Approved);
        act.must("the review is in the status", is_approved);
        let by = review.map(|it| it.actor.id.clone()).unwrap_or_default();
        act.found(
            format!("approved by {by}; a review is no state"),
            format!("由 {by} 批准;评审不改变状态"),
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
        "every decision and every order stands in the audit chain, and the chain is intact",
        "每个决定与指令都在审计链中,且链条完整",
    );
    act.not_proven(
        "that the approval was wise: that stays with the person",
        "批准是否明智:这由人负责",
    );
    Ok(act)
}

/// Runs a command of this program, and says so.
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
    Err(DemoError::WentWrong { command, expected, rc, said }.into())
}

/// Says where a task stands, and whether that is where it must.
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
