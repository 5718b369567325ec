//! Commits the start and the decision of an attempt to the state of its task.

use provost_desk::task::OpenTask;
use provost_kernel::{
    AttemptNumber, Text, Timestamp,
    task::{Decision, EventKind, Facts, Note, State},
};
use provost_rules_task::{attempts, budget, decision::budget_questions, overrides, status};
use provost_vault::audit::Event;
use serde_json::json;

use super::{again::Again, costs::costs, progress::Update};
use crate::{Engine, EngineError, RunError};

/// Starts an attempt: its number, and the state that says so.
pub(super) fn begin(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    again: Option<Again>,
) -> Result<AttemptNumber, EngineError> {
    let attempts = open.files().attempts()?;
    let task = open.task().clone();
    if let Some(missing) = Again::prompt_of(again).filter(|it| !attempts.contains(it)) {
        return Err(RunError::NoSuchAttempt { task, attempt: missing.get() }.into());
    }
    // A number that the status has named is taken, whether its folder is still there or not.
    let named = AttemptNumber::try_from(open.status.value.current_attempt).ok();
    let number = attempts::next_folder(attempts.last().copied().max(named))
        .ok_or(RunError::TooManyAttempts { task })?;
    let files = open.files();
    let overrides = overrides::current(&files.overrides()?);
    let most = attempts::effective_max(&open.spec.value, &overrides);
    let now = engine.desk.clock().now();
    let status = status::started(&open.status.value, number, most, now);
    let count = status.attempts_consumed.saturating_add(1);
    let summary = match again {
        Some(Again::Rerun(of)) => format!("RERUN_FROM=attempt_{of}"),
        Some(Again::Rejudge) => "REJUDGE".to_owned(),
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

/// Commits what the table decided, with its entry in the audit.
pub(super) fn settle(
    engine: Engine<'_>,
    open: &mut OpenTask<'_>,
    decision: &Decision,
    facts: &Facts,
    mut notes: Vec<Note>,
    detail: Option<Text>,
) -> Result<(), EngineError> {
    let now: Timestamp = engine.desk.clock().now();
    let mut status = status::after(&open.status.value, decision, facts, now);
    if let Some(detail) = detail {
        status::add_detail(&mut status, detail);
    }
    let parts = budget::stopping(&open.spec.value.budget, &costs(open)?);
    if let Some(questions) = budget_questions(decision.row, facts, &parts) {
        status.set_questions(&questions);
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
