//! Running a task: attempts, one after the other, until it is ready, has failed, or waits for a
//! person.

use provost_desk::{
    DeskError,
    task::{OpenTask, Take},
};
use provost_exec::strays;
use provost_kernel::{
    AttemptNumber, Message as _, TaskId,
    task::{ErrorClass, Event, EventKind, Note, Order, Overrides, Role, State, Status},
};
use provost_rules_task::{decision::decide, facts, resumption, status};
use provost_vault::{AttemptFile, is_present};

use super::{
    again::Again,
    attempt,
    costs::{exceeded, note_nearly_spent},
    create::{Begins, NewTask, create},
    finish::finish,
    orders::{Standing, interrupted, orders, watched},
    salvage::salvage,
    settle::{begin, settle},
};
use crate::{Engine, EngineError, RunError};

/// What to run.
#[derive(Clone, Debug)]
pub enum Start {
    /// A spec: made into a task, or the task that it already is.
    Spec(Box<NewTask>),
    /// A task that exists, by its id.
    Existing,
    /// A task that waits for its turn; one that does not wait any more is only reported.
    Waiting,
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
        Start::Spec(new) => match create(engine, task, *new, Begins::Now)? {
            Some(open) => open,
            None => return resume(engine, task, max_attempts),
        },
        Start::Existing => return resume(engine, task, max_attempts),
        Start::Waiting => return take_turn(engine, task),
        Start::Ordered => engine.desk.hold(task)?,
    };
    if let Some(max_attempts) = max_attempts {
        raise(engine, &open, max_attempts)?;
    }
    drive(engine, &mut open)
}

/// Begins a task whose turn has come. Another process may have been quicker.
fn take_turn(engine: Engine<'_>, task: &TaskId) -> Result<Report, EngineError> {
    let looked = engine.desk.look(task)?.trusted().map_err(DeskError::from)?;
    let status = looked.status.value;
    if !status::goes_on(&status) {
        return Ok(Report { status, ran: false });
    }
    if !status.is_queued() {
        return resume(engine, task, None);
    }
    let mut open = engine.desk.hold(task)?;
    if !open.status.value.is_queued() {
        return Ok(report(&open, false));
    }
    drive(engine, &mut open)
}

/// Goes on with a task that exists; one that is finished is only reported.
fn resume(
    engine: Engine<'_>,
    task: &TaskId,
    max_attempts: Option<u16>,
) -> Result<Report, EngineError> {
    let order =
        |order| Take { task, order, request_id: None, actor: engine.actor.clone(), seen: None };
    let looked = engine.desk.look(task)?.trusted().map_err(DeskError::from)?;
    let status = looked.status.value;
    if status.state.is_terminal() {
        return Ok(Report { status, ran: false });
    }
    // Who runs it already is named by the attempt to hold it; until then nothing is ordered.
    let stands_still = status.state == State::Paused || status.is_queued();
    let max_attempts = max_attempts.filter(|&it| it != status.effective_max_attempts);
    if let Some(max_attempts) = max_attempts.filter(|_| stands_still) {
        let overrides = Overrides::of_attempts(max_attempts);
        engine.desk.order(order(Order::Override { overrides }))?;
    }
    if status.state == State::Paused {
        engine.desk.order(order(Order::Resume))?;
    }
    drive(engine, &mut engine.desk.hold(task)?)
}

/// Orders more or fewer attempts for a task that this process holds; the loop applies it.
fn raise(engine: Engine<'_>, open: &OpenTask<'_>, max: u16) -> Result<(), EngineError> {
    if max == open.status.value.effective_max_attempts {
        return Ok(());
    }
    let overrides = Overrides::of_attempts(max);
    engine.desk.order(Take {
        task: open.task(),
        order: Order::Override { overrides },
        request_id: None,
        actor: engine.actor.clone(),
        seen: None,
    })?;
    Ok(())
}

/// The loop. When it fails, the state says so: a task is never RUNNING without a runner.
fn drive(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Report, EngineError> {
    let task = open.task();
    let driven = watched(engine, task, || attempts(engine, open));
    if driven.is_err() && open.status.value.state == State::Running {
        let name = driven.as_ref().err().map(ToString::to_string);
        let signal = status::CrashSignal { signal_or_rc: None, name };
        open.crashed(signal)?;
    }
    driven
}

fn attempts(engine: Engine<'_>, open: &mut OpenTask<'_>) -> Result<Report, EngineError> {
    let mut ran = false;
    let mut again = None;
    loop {
        match orders(engine, open)? {
            Standing::Stopped => return Ok(report(open, ran)),
            Standing::Go(ordered) => again = ordered.or(again),
        }
        if open.status.value.state != State::Running {
            return Ok(report(open, ran));
        }
        if interrupted(engine, open)? {
            return Ok(report(open, ran));
        }
        end_strays(engine, open)?;
        if !ran {
            salvage(engine, open)?;
            if again.is_none() && is_behind_coder(engine, open)? {
                again = Some(Again::Rejudge);
            }
        }
        if let Some(parts) = exceeded(open)? {
            let message = parts.text();
            let facts =
                facts::of_step(&open.status.value, Role::Coordinator, 0, ErrorClass::Budget);
            let decision = decide(&facts);
            let reached = Note::new(EventKind::BudgetReached, message.to_string());
            // The decision says by itself that attempts are used up.
            let detail = (!parts.is_of_attempts_alone()).then_some(message);
            settle(engine, open, &decision, &facts, vec![reached], detail)?;
            return Ok(report(open, ran));
        }
        ran = true;
        let number = begin(engine, open, again)?;
        let ended = attempt::run(engine, open, number, again.take())?;
        finish(engine, open, number, ended)?;
        note_nearly_spent(open)?;
    }
}

/// Whether a person paused the newest attempt when its coder was done, and its result is kept.
fn is_behind_coder(engine: Engine<'_>, open: &OpenTask<'_>) -> Result<bool, EngineError> {
    let (files, newest) = (open.files(), open.status.value.current_attempt);
    let Ok(attempt) = AttemptNumber::try_from(newest) else { return Ok(false) };
    let layout = engine.desk.layout();
    if !is_present(&layout.attempt_file(open.task(), attempt, AttemptFile::HeadCommit)) {
        return Ok(false);
    }
    let events = files.events()?.records;
    let events: Vec<&Event> = events.iter().map(|it| &it.value).collect();
    Ok(resumption::is_behind_coder(&events, &files.orders()?, newest))
}

/// Ends what an earlier run left behind where both its coordinator and its guardian were killed: two
/// agents would otherwise work on the same task (PROOF-12).
fn end_strays(engine: Engine<'_>, open: &OpenTask<'_>) -> Result<(), EngineError> {
    let folder = engine.desk.layout().work(open.task()).path();
    let n_ended = strays::end(folder.as_std_path()).map_err(RunError::Strays)?;
    if n_ended > 0 {
        let text = format!("{n_ended} processes of an earlier run were still there");
        let note = Note::new(EventKind::StrayProcessesEnded, text);
        open.files().append_note(note, open.status.value.current_attempt)?;
    }
    Ok(())
}

fn report(open: &OpenTask<'_>, ran: bool) -> Report {
    Report { status: open.status.value.clone(), ran }
}
