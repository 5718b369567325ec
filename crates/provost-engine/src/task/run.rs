//! Running a task: attempts, one after the other, until it is ready, has failed, or waits for a
//! person.

use provost_desk::task::{OpenTask, Take};
use provost_kernel::{
    AttemptNumber, Digest, TaskId, Timestamp,
    task::{
        AttemptDecided, Decision, ErrorClass, EventKind, Kept, Note, Order, OrderRecord, Overrides,
        Role, State, Status, TaskSpec,
    },
};
use provost_rules::{
    command::{parse, refuse_sudo},
    task::{
        attempts, budget,
        budget::Cost,
        decision::decide,
        facts, inputs,
        orders::{moved_on, note},
        policy::Policy,
        spec::check_thresholds,
        status,
        verdict::Yardstick,
    },
};
use provost_vault::{Stored, audit::Event};
use serde_json::json;

use super::{
    attempt::{self, Ended},
    progress::Update,
    salvage::salvage,
};
use crate::{Engine, EngineError};

/// What to run.
#[derive(Clone, Debug)]
pub enum Start {
    /// A spec: made into a task, or the task that it already is.
    Spec(Box<Kept<TaskSpec>>),
    /// A task that exists, by its id.
    Existing,
    /// A task that somebody has just ordered to go on.
    Ordered,
}

/// Where a run ended.
#[derive(Clone, Debug)]
pub struct Report {
    pub status: Status,
    /// Whether anything was run: a finished task is only reported.
    pub ran: bool,
}

/// Runs a task until it is ready, has failed, or waits for a person.
pub fn run(
    engine: Engine<'_>,
    task: &TaskId,
    start: Start,
    max_attempts: Option<u16>,
) -> Result<Report, EngineError> {
    let mut open = match start {
        Start::Spec(spec) => match create(engine, task, *spec)? {
            Some(open) => open,
            None => return resume(engine, task, max_attempts),
        },
        Start::Existing => return resume(engine, task, max_attempts),
        Start::Ordered => engine.desk.hold(task)?,
    };
    if let Some(max_attempts) = max_attempts {
        raise(engine, &open, max_attempts)?;
    }
    drive(engine, &mut open)
}

/// Goes on with a task that exists; one that is finished is only reported.
fn resume(
    engine: Engine<'_>,
    task: &TaskId,
    max_attempts: Option<u16>,
) -> Result<Report, EngineError> {
    let order = |order| Take { task, order, request_id: None, actor: engine.actor.clone() };
    let looked = engine.desk.look(task)?;
    let status = looked.status.value;
    if status.state.is_terminal() {
        return Ok(Report { status, ran: false });
    }
    if let Some(max_attempts) = max_attempts.filter(|&it| it != status.effective_max_attempts) {
        let overrides = Overrides { max_attempts: Some(max_attempts) };
        engine.desk.order(order(Order::Override { overrides }))?;
    }
    if status.state == State::Paused {
        engine.desk.order(order(Order::Resume))?;
    }
    drive(engine, &mut engine.desk.hold(task)?)
}

/// Writes a new task; none when the very same one exists.
fn create<'a>(
    engine: Engine<'a>,
    task: &'a TaskId,
    spec: Kept<TaskSpec>,
) -> Result<Option<OpenTask<'a>>, EngineError> {
    check(engine, &spec.value)?;
    let digest = digest(&spec)?;
    let desk = engine.desk;
    if matches!(desk.files(task).spec()?, Stored::Absent) {
        let now = desk.clock().now();
        let mut status = Status::new(task.clone(), now, spec.value.max_attempts);
        status.spec_digest = Some(digest);
        let entry = Event {
            actor: engine.actor.clone(),
            action: "task.create".to_owned(),
            subject: format!("task:{task}"),
            request_id: None,
            detail: json!({ "spec_digest": digest, "repo_path": spec.value.repo_path }),
        };
        if let Some(open) = desk.create(task, spec, status, &entry)? {
            return Ok(Some(open));
        }
    }
    let known = desk.look(task)?.status.value.spec_digest;
    if known == Some(digest) { Ok(None) } else { Err(conflict(engine, task)?) }
}

/// Refuses a spec that could not be judged, before anything is written.
fn check(engine: Engine<'_>, spec: &TaskSpec) -> Result<(), EngineError> {
    let yardstick = Yardstick::embedded()?;
    check_thresholds(spec, &yardstick.rubric)?;
    Policy::new(spec)?;
    let command = spec.test_cmd.as_deref().unwrap_or_default();
    match refuse_sudo(&parse(command), engine.desk.lang()) {
        Some(finding) => Err(EngineError::Refused(Box::new(finding))),
        None => Ok(()),
    }
}

/// The digest by which a spec is known again.
fn digest(spec: &Kept<TaskSpec>) -> Result<Digest, EngineError> {
    let entry = |source| provost_vault::audit::AuditError::Entry {
        action: "task.create".to_owned(),
        source,
    };
    Ok(Digest::of_json(spec).map_err(entry)?)
}

/// What a person is told whose spec has the id of another.
fn conflict(engine: Engine<'_>, task: &TaskId) -> Result<EngineError, EngineError> {
    let status = engine.desk.look(task)?.status.value;
    let facts = facts::of_step(&status, Role::Coordinator, 0, ErrorClass::TaskIdConflict);
    let decision = decide(&facts);
    Ok(EngineError::Conflict {
        task: task.clone(),
        message: decision.message,
        questions: decision.questions_for_user,
    })
}

/// Orders more or fewer attempts for a task that this process holds; the loop applies it.
fn raise(engine: Engine<'_>, open: &OpenTask<'_>, max: u16) -> Result<(), EngineError> {
    if max == open.status.value.effective_max_attempts {
        return Ok(());
    }
    let overrides = Overrides { max_attempts: Some(max) };
    engine.desk.order(Take {
        task: open.task(),
        order: Order::Override { overrides },
        request_id: None,
        actor: engine.actor.clone(),
    })?;
    Ok(())
}

/// The loop. When it fails, the state says so: a task is never RUNNING without a runner.
fn drive(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Report, EngineError> {
    let driven = attempts(engine, open);
    if driven.is_err() && open.status.value.state == State::Running {
        let name = driven.as_ref().err().map(ToString::to_string);
        let signal = status::CrashSignal { signal_or_rc: None, name };
        open.crashed(signal)?;
    }
    driven
}

fn attempts(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Report, EngineError> {
    let mut ran = false;
    let mut rerun = None;
    loop {
        match orders(engine, open)? {
            Standing::Stopped => return Ok(report(open, ran)),
            Standing::Go(again) => rerun = again.or(rerun),
        }
        if open.status.value.state != State::Running {
            return Ok(report(open, ran));
        }
        if let Some(signal) = engine.interrupt.signal() {
            open.crashed(signal)?;
            return Ok(report(open, ran));
        }
        if !ran {
            salvage(engine, open)?;
        }
        if let Some(message) = exceeded(open)? {
            let facts =
                facts::of_step(&open.status.value, Role::Coordinator, 0, ErrorClass::Budget);
            let decision = decide(&facts);
            let reached = Note::new(EventKind::BudgetReached, message.clone());
            settle(engine, open, &decision, &facts, vec![reached], Some(&message))?;
            return Ok(report(open, ran));
        }
        ran = true;
        let number = begin(engine, open, rerun)?;
        let ended = attempt::run(engine, open, number, rerun.take())?;
        finish(engine, open, number, ended)?;
    }
}

/// What the pending orders make of the run.
enum Standing {
    /// Go on, and repeat this attempt's prompt if one was named.
    Go(Option<AttemptNumber>),
    /// A person paused it.
    Stopped,
}

/// Carries out every pending order.
fn orders(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Standing, EngineError> {
    let mut rerun = None;
    while let Some(record) = open.apply_orders()? {
        if let Order::Rerun { attempt } = record.order {
            rerun = Some(attempt);
        }
        if record.order == Order::Pause {
            pause(engine, open, &record, "before the attempt")?;
            return Ok(Standing::Stopped);
        }
        go_on(engine, open, &record)?;
    }
    Ok(Standing::Go(rerun))
}

/// Moves a task that a person ordered to go on.
fn go_on(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    record: &OrderRecord,
) -> Result<(), EngineError> {
    let now = engine.desk.clock().now();
    let before = open.status.value.clone();
    let attempt = before.current_attempt.try_into().unwrap_or(AttemptNumber::FIRST);
    let after = moved_on(&before, record, now);
    let running =
        status::started(&before, attempt, before.effective_max_attempts, now, engine.desk.lang());
    let status = Status {
        current_attempt: before.current_attempt,
        last_order_seq_applied: after.last_order_seq_applied,
        ..running
    };
    let notes =
        vec![note(EventKind::OrderApplied, record), Note::new(EventKind::StateChanged, "RESUMED")];
    Ok(open.commit(status, notes)?)
}

/// Stops because a person ordered it.
pub(super) fn pause(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    record: &OrderRecord,
    place: &str,
) -> Result<(), EngineError> {
    let facts = facts::of_step(&open.status.value, Role::Coordinator, 0, ErrorClass::User);
    let decision = decide(&facts);
    let applied = note(EventKind::OrderApplied, record).with(&json!({ "at": place }));
    open.status.value.last_order_seq_applied = record.seq;
    settle(engine, open, &decision, &facts, vec![applied], None)
}

/// Which part of the budget the next attempt would exceed, in the language of the run.
fn exceeded(open: &OpenTask<'_>) -> Result<Option<String>, EngineError> {
    let status = &open.status.value;
    let ruling = budget::check(
        &open.spec.value.budget,
        status.attempts_consumed,
        status.effective_max_attempts,
        &costs(open)?,
    );
    let lang = open.desk().lang();
    let texts: Vec<String> =
        ruling.exceeded.iter().map(|it| it.describe().pick(lang).to_owned()).collect();
    Ok(Some(texts.join("; ")).filter(|it| !it.is_empty()))
}

/// What the attempts so far cost.
pub(super) fn costs(open: &OpenTask<'_>) -> Result<Vec<Cost>, EngineError> {
    let files = open.files();
    let mut costs = Vec::new();
    for attempt in files.attempts()? {
        // An attempt that a crash cut short reported nothing.
        if let Some(metrics) = files.metrics(attempt)?.present() {
            let metrics = metrics.value;
            costs.push(Cost {
                wall: provost_kernel::task::Wall(metrics.elapsed_seconds),
                tokens: metrics.tokens,
                usd: metrics.usd,
            });
        }
    }
    Ok(costs)
}

/// Starts an attempt: its number, and the state that says so.
fn begin(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    rerun: Option<AttemptNumber>,
) -> Result<AttemptNumber, EngineError> {
    let attempts = open.files().attempts()?;
    let task = open.task().clone();
    if let Some(missing) = rerun.filter(|it| !attempts.contains(it)) {
        return Err(EngineError::NoSuchAttempt { task, attempt: missing.get() });
    }
    let number = attempts::next_folder(attempts.last().copied())
        .ok_or(EngineError::TooManyAttempts { task })?;
    let files = open.files();
    let overrides = provost_rules::task::overrides::current(&files.overrides()?);
    let most = attempts::effective_max(&open.spec.value, overrides);
    let (now, lang) = (engine.desk.clock().now(), engine.desk.lang());
    let status = status::started(&open.status.value, number, most, now, lang);
    let count = status.attempts_consumed.saturating_add(1);
    let summary = match rerun {
        Some(of) => format!("RERUN_FROM=attempt_{of}"),
        None => format!("attempt {number}, {count} of {most}"),
    };
    // The folder comes first: a number that the status names is taken for good.
    provost_vault::make_folder(&open.desk().layout().attempt(open.task(), number))?;
    open.commit(status, vec![Note::new(EventKind::AttemptStarted, summary)])?;
    engine.progress.update(&Update::AttemptStarted {
        task: open.task(),
        attempt: number.get(),
        count,
        of: most,
    });
    Ok(number)
}

/// Ends an attempt: asks the table, and commits its answer.
fn finish(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    number: AttemptNumber,
    ended: Ended,
) -> Result<(), EngineError> {
    let Ended::Decided(end) = ended else { return Ok(()) };
    let decision = decide(&end.facts);
    let now = engine.desk.clock().now();
    attempt::record(open, number, &end, &decision, now)?;
    if inputs::were_heard(decision.row, end.facts.role) {
        open.status.value = inputs::consumed(open.status.value.clone(), &end.told);
    }
    if let Some(summary) = &end.verdict_summary {
        open.status.value.verdict_summary = Some(summary.clone());
        open.status.value.rubric_version_used.clone_from(&end.rubric_version);
    }
    let detail =
        AttemptDecided::of(&decision, end.facts.current_attempt, end.facts.effective_max_attempts);
    let decided = Note::new(EventKind::AttemptDecided, "").with(&detail);
    settle(engine, open, &decision, &end.facts, vec![decided], end.detail.as_deref())?;
    engine.progress.update(&Update::Decided { attempt: number.get(), decision: &decision });
    attempt::clear(engine, open, number, &decision)
}

/// Commits what the table decided, with its entry in the audit.
fn settle(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    decision: &Decision,
    facts: &provost_kernel::task::Facts,
    mut notes: Vec<Note>,
    detail: Option<&str>,
) -> Result<(), EngineError> {
    let now: Timestamp = engine.desk.clock().now();
    let mut status = status::after(&open.status.value, decision, facts, now, engine.desk.lang());
    if let Some(detail) = detail.filter(|it| !it.is_empty()) {
        status.message = format!("{}: {detail}", status.message);
    }
    if decision.next_state != State::Running {
        let code =
            decision.pause_reason_code.map_or(decision.next_state.as_str(), |it| it.as_str());
        notes.push(Note::new(EventKind::StateChanged, code));
    }
    let entry = Event {
        actor: engine.actor.clone(),
        action: "task.decided".to_owned(),
        subject: format!("task:{}", open.task()),
        request_id: None,
        detail: json!({
            "attempt": status.current_attempt,
            "row": decision.row,
            "next_state": decision.next_state,
            "pause_reason_code": decision.pause_reason_code,
            "consume_attempt": decision.consume_attempt,
        }),
    };
    Ok(open.commit_audited(&entry, status, notes)?)
}

fn report(open: &OpenTask<'_>, ran: bool) -> Report {
    Report { status: open.status.value.clone(), ran }
}
