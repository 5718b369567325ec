//! `provost run`, `provost resume` and `provost rerun`: until the task is ready, has failed, or
//! waits for a person.

use std::collections::BTreeSet;

use camino::Utf8Path;
use provost_desk::{
    Desk,
    task::{Next, Phase, Repeated, Take, addressed},
};
use provost_engine::{
    EngineError, RunError,
    task::{Report, Start, check_changes, rehearsal::Unwatched, run},
};
use provost_kernel::{
    AttemptNumber, Exit, Message, RequestId, TaskId, Text,
    task::{Order, PauseCategory, PauseCode, State, TaskSpec},
};
use provost_rules_task::{edit::parse, status};
use provost_vault::{AttemptFile, Step, StepFile};
use serde::Serialize;

use super::{
    changes::{self, note_newer_settings},
    detach,
    goal::Wishes,
    live::Live,
    ls::mark,
    queue::{self, Asked, Several},
    step_output::readable,
    target::{Target, find, not_committed},
};
use crate::{
    ignored,
    notify::Telling,
    output::Format,
    paint::Tone,
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring::{self, Wiring},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost run tasks/fix-login.json\n  provost run fix-login --max-attempts 5\n  provost run \"fix the login\" --test \"npm test\"\n  provost run a.json b.toml \"fix the login\" --jobs 2\n  provost run --jobs 2\n\nSeveral tasks are all checked before the first is created. Without a name, everything\ngoes on that waits: tasks that have not begun, were interrupted, or waited for a quota.\n\nExit codes: 0 ready for review, 1 failed, 2 error, 3 paused, 5 already running, 75 quota;\nof several tasks, the worst: 6, 2, 5, 1, 3, 75, 0"
)]
pub(crate) struct RunArgs {
    /// Task specs (JSON or TOML files), ids of tasks, or goals in words
    #[arg(value_name = "SPEC|ID|GOAL", required_unless_present_any = ["file", "jobs"])]
    targets: Vec<String>,
    #[command(flatten)]
    several: Several,
    /// Begin the task only if it waits for its turn
    #[arg(long, hide = true)]
    waiting: bool,
    #[command(flatten)]
    wishes: Wishes,
    /// The maximum number of counted attempts, 1 to 50
    #[arg(long, value_name = "N")]
    max_attempts: Option<u16>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost resume fix-login\n  provost resume fix-login --onto main\n\n`--onto` brings the task to a newer base: the next attempt starts from there, with the newest result\nmerged into it. Conflicts are the agent's to resolve. What was proven on the old base is stale."
)]
pub(crate) struct ResumeArgs {
    /// The id of the task, or the start of it; the task that changed last, if not given
    #[arg(value_name = "ID")]
    task: Option<String>,
    /// Go on from this revision instead of the base that the task set out from
    #[arg(long, value_name = "REV")]
    onto: Option<String>,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost rerun fix-login 2")]
pub(crate) struct RerunArgs {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    task: String,
    /// The attempt to repeat
    #[arg(value_name = "ATTEMPT", value_parser = attempt_number)]
    attempt: AttemptNumber,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost rejudge fix-login\n\nFor a judge that slipped, timed out or was not authorised: the newest result is tested and judged\nagain as a new attempt, and the agent is not called."
)]
pub(crate) struct RejudgeArgs {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    task: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

/// Why an attempt cannot be repeated.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.rerun")]
enum RerunError {
    #[message(
        en = "`{task}` has no result to judge: no attempt has delivered one",
        zh = "`{task}` 没有可评审的结果：尚无尝试交付结果",
        hint(
            en = "`provost resume {task}` starts a new attempt",
            zh = "`provost resume {task}` 开始新的尝试"
        )
    )]
    NoResult { task: TaskId },
    #[message(
        en = "attempt {attempt} of `{task}` ended before its coder was told anything",
        zh = "`{task}` 的第 {attempt} 次尝试在告知编码智能体之前就已结束",
        hint(
            en = "`provost resume {task}` starts a new attempt",
            zh = "`provost resume {task}` 开始新的尝试"
        )
    )]
    NoPrompt { task: TaskId, attempt: u16 },
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    task_id: &'a TaskId,
    state: Option<State>,
    pause_reason_code: Option<PauseCode>,
    pause_category: Option<PauseCategory>,
    questions_for_user: Vec<String>,
    message: String,
    ran: bool,
    status: Option<&'a provost_kernel::task::Status>,
    #[serde(skip)]
    next: Vec<Next>,
    /// What the green test proves, in one line.
    #[serde(skip)]
    proof: Option<Text>,
    /// The last lines of an agent that failed.
    #[serde(skip)]
    agent_said: Vec<String>,
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let phase = self.status.map(Phase::of);
        let (sign, tone) = phase.map_or(("", Tone::Plain), mark);
        let state = phase.map(|it| lang.render(&it.text())).unwrap_or_default();
        let proof = self.proof.as_ref().filter(|_| self.state == Some(State::ReadyForReview));
        let said = proof.map_or_else(|| self.message.clone(), |it| lang.render(it));
        page.spans(&[
            tone.of(sign),
            Tone::Plain.of(" "),
            Tone::Bold.of(self.task_id.as_str()),
            Tone::Plain.of("  "),
            tone.of(state),
            Tone::Plain.of(format!(" · {said}")),
        ]);
        for said in &self.agent_said {
            page.line(&format!("    │ {}", readable(said)));
        }
        for question in &self.questions_for_user {
            page.line(&format!("  ? {}", addressed(question, self.task_id)));
        }
        page.next(&self.next);
    }
}

impl Run for RunArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let [target] = self.targets.as_slice() else { return self.run_several(session) };
        if self.several.is_asked() {
            return self.run_several(session);
        }
        let mut target = find(session, target, &self.wishes, &BTreeSet::new(), Repeated::Anew)?;
        if let (Target::Task(task), true) = (&target, self.waiting) {
            let spec = wiring::desk(session)?.spec(task)?.value;
            let wiring = wiring_of(session, &spec)?;
            return drive(session, &wiring, task, Start::Waiting, None);
        }
        changes::settle(session, &mut target, &self.wishes)?;
        start(session, target, self.max_attempts, self.background)
    }
}

impl RunArgs {
    fn run_several(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let Self { targets, wishes, several, .. } = self;
        queue::run(session, Asked { targets, wishes, several }, self.max_attempts, self.background)
    }
}

/// Runs what was asked for, or starts it in the background.
pub(super) fn start(
    session: &mut Session,
    target: Target,
    max_attempts: Option<u16>,
    background: detach::Background,
) -> Result<Exit, AnyFault> {
    let (task, spec, start) = match target {
        Target::Spec(new) | Target::Goal(new) => {
            (new.spec.value.task_id.clone(), new.based(), Start::Spec(new))
        }
        Target::Task(task) => {
            let spec = wiring::desk(session)?.spec(&task)?.value;
            note_newer_settings(session, &spec);
            (task, spec, Start::Existing)
        }
    };
    let wiring = wiring_of(session, &spec)?;
    if let Some(exit) = background.start(session, &wiring, &spec)? {
        return Ok(exit);
    }
    drive(session, &wiring, &task, start, max_attempts)
}

impl Run for ResumeArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let task = wiring::desk(session)?.meant(self.task.as_deref())?;
        if let Some(onto) = &self.onto {
            move_base(session, &task, onto)?;
        }
        order(session, &task, Order::Resume, self.request_id.as_ref(), self.background)
    }
}

impl Run for RejudgeArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        let task = desk.meant(Some(&self.task))?;
        // One that is not there, or runs, is said by its own name.
        if desk.look(&task)?.status.value.state == State::Running {
            return order(
                session,
                &task,
                Order::Rejudge,
                self.request_id.as_ref(),
                self.background,
            );
        }
        check_rejudge(&desk, &task)?;
        order(session, &task, Order::Rejudge, self.request_id.as_ref(), self.background)
    }
}

impl Run for RerunArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        let task = desk.meant(Some(&self.task))?;
        check_rerun(&desk, &task, self.attempt)?;
        let order_ = Order::Rerun { attempt: self.attempt };
        order(session, &task, order_, self.request_id.as_ref(), self.background)
    }
}

/// Refuses to judge a task again that has delivered nothing.
pub(crate) fn check_rejudge(desk: &Desk, task: &TaskId) -> Result<(), AnyFault> {
    let (layout, attempts) = (desk.layout(), desk.files(task).attempts()?);
    let commit = |it| layout.attempt_file(task, it, AttemptFile::HeadCommit);
    if !attempts.into_iter().any(|it| provost_vault::is_present(&commit(it))) {
        return Err(RerunError::NoResult { task: task.clone() }.into());
    }
    Ok(())
}

/// Refuses to repeat an attempt that is not there, or whose coder was told nothing.
pub(crate) fn check_rerun(
    desk: &Desk,
    task: &TaskId,
    attempt: AttemptNumber,
) -> Result<(), AnyFault> {
    desk.spec(task)?;
    let (named, number) = (task.clone(), attempt.get());
    if !desk.files(task).attempts()?.contains(&attempt) {
        return Err(RunError::NoSuchAttempt { task: named, attempt: number }.into());
    }
    let prompt = desk.layout().step_file(task, attempt, Step::Coder, StepFile::Prompt);
    if !provost_vault::is_present(&prompt) {
        return Err(RerunError::NoPrompt { task: named, attempt: number }.into());
    }
    Ok(())
}

/// Brings a task to another base; one that it has already is left.
fn move_base(session: &mut Session, task: &TaskId, onto: &str) -> Result<(), AnyFault> {
    person(session)?;
    let desk = wiring::desk(session)?;
    let spec = desk.spec(task)?.value;
    let wiring = wiring_of(session, &TaskSpec { base_ref: onto.to_owned(), ..spec.clone() })?;
    let change = parse(&format!("base_ref={onto}"))?;
    let changes = check_changes(wiring.engine(&Unwatched), task, vec![change])?;
    if changes.iter().any(|it| it.value != *spec.base_ref) {
        let order = Order::Set { changes };
        desk.order(Take {
            task,
            order,
            request_id: None,
            actor: wiring.actor.clone(),
            seen: None,
        })?;
    }
    Ok(())
}

/// Lets a task go on, in the foreground.
pub(super) fn resume(session: &mut Session, task: &TaskId) -> Result<Exit, AnyFault> {
    order(session, task, Order::Resume, None, detach::Background::FOREGROUND)
}

/// Orders a task to go on, and drives it.
fn order(
    session: &mut Session,
    task: &TaskId,
    order: Order,
    request_id: Option<&RequestId>,
    background: detach::Background,
) -> Result<Exit, AnyFault> {
    let spec = wiring::desk(session)?.spec(task)?.value;
    note_newer_settings(session, &spec);
    let wiring = wiring_of(session, &spec)?;
    if let Some(exit) = background.start(session, &wiring, &spec)? {
        return Ok(exit);
    }
    // One that has not begun needs no order to begin.
    if order == Order::Resume && wiring.desk.look(task)?.status.value.is_queued() {
        return drive(session, &wiring, task, Start::Existing, None);
    }
    let take = Take {
        task,
        order,
        request_id: request_id.cloned(),
        actor: wiring.actor.clone(),
        seen: None,
    };
    let receipt = wiring.desk.order(take)?;
    if receipt.deduplicated && receipt.applied {
        let status = wiring.desk.look(task)?.status.value;
        return answer(session, &wiring.desk, &Report { status, ran: false });
    }
    drive(session, &wiring, task, Start::Ordered, None)
}

pub(crate) fn wiring_of(session: &mut Session, spec: &TaskSpec) -> Result<Wiring, AnyFault> {
    ignored::refuse_tracked(session)?;
    Wiring::new(session, Utf8Path::new(&spec.repo_path).as_std_path(), &spec.base_ref)
}

fn drive(
    session: &mut Session,
    wiring: &Wiring,
    task: &TaskId,
    start: Start,
    max_attempts: Option<u16>,
) -> Result<Exit, AnyFault> {
    wiring.listen()?;
    // Dropped behind the answer: who waits for that does not wait for a webhook.
    let _telling = Telling::start(session);
    let live = Live::new(session.output.lang, session.flags.quiet);
    let ended = live.during(|| run(wiring.engine(&live), task, start, max_attempts));
    match ended {
        Ok(report) => answer(session, &wiring.desk, &report),
        Err(EngineError::Run(error @ RunError::Conflict { .. })) => {
            Ok(conflict(session, task, &error))
        }
        Err(EngineError::Run(error @ RunError::NoCoder { .. })) => {
            Err(not_committed(session).unwrap_or_else(|| error.into()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints where the run ended.
fn answer(session: &mut Session, desk: &Desk, report: &Report) -> Result<Exit, AnyFault> {
    let (status, lang) = (&report.status, session.output.lang);
    session.output.show(&Answer {
        task_id: &status.task_id,
        state: Some(status.state),
        pause_reason_code: status.pause_reason_code,
        pause_category: status.pause_category,
        questions_for_user: lang.render_all(&status.questions()),
        message: lang.render(&status.text()),
        ran: report.ran,
        status: Some(status),
        next: desk.next(status)?,
        proof: desk.proof_text(status)?,
        agent_said: desk.agent_said(status)?,
    });
    Ok(status::exit(status.state, status.pause_reason_code))
}

/// Prints that another task has the id, in the shape that a pause has; nothing was written.
fn conflict(session: &mut Session, task: &TaskId, error: &RunError) -> Exit {
    let lang = session.output.lang;
    let RunError::Conflict { message, questions, .. } = error else { return error.exit() };
    if session.output.format() == Format::Json {
        let code = PauseCode::TaskIdConflict;
        session.output.document(&Answer {
            task_id: task,
            state: None,
            pause_reason_code: Some(code),
            pause_category: Some(code.category()),
            questions_for_user: lang.render_all(questions),
            message: lang.render(message),
            ran: false,
            status: None,
            next: Vec::new(),
            proof: None,
            agent_said: Vec::new(),
        });
        crate::report::complain(&mut session.output, error);
        return error.exit();
    }
    crate::report::print(&mut session.output, error)
}

pub(super) fn attempt_number(text: &str) -> Result<AttemptNumber, String> {
    let number: u16 = text.parse().map_err(|_| "a number from 1 to 999".to_owned())?;
    AttemptNumber::try_from(number).map_err(|error| error.to_string())
}
