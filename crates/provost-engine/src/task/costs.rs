//! What the attempts of a task cost, and what another one may.

use provost_desk::task::OpenTask;
use provost_kernel::{
    AttemptNumber, Message as _,
    task::{Budget, EventKind, Note, PauseCode, State, StateChanged, Wall},
};
use provost_rules_task::budget::{self, Cost, ExceededParts};

use crate::EngineError;

/// Which parts of the budget the next attempt would exceed.
pub(super) fn exceeded(open: &OpenTask<'_>) -> Result<Option<ExceededParts>, EngineError> {
    let status = &open.status.value;
    let parts = budget::exceeded(
        &open.spec.value.budget,
        status.attempts_consumed,
        status.effective_max_attempts,
        &costs(open)?,
    );
    Ok((!parts.is_empty()).then_some(ExceededParts(parts)))
}

/// What the attempts so far cost.
pub(super) fn costs(open: &OpenTask<'_>) -> Result<Vec<Cost>, EngineError> {
    let attempts = open.files().attempts()?;
    costs_of(open, attempts)
}

/// Records, once for the task, that four fifths of its budget are spent while it may still go on.
pub(super) fn note_nearly_spent(open: &OpenTask<'_>) -> Result<(), EngineError> {
    let status = &open.status.value;
    let goes_on = match status.state {
        State::Running => true,
        State::Paused => status.pause_reason_code != Some(PauseCode::Budget),
        State::ReadyForReview | State::Failed => false,
    };
    let files = open.files();
    let budget = &open.spec.value.budget;
    // What would be refused before it begins does not go on: the pause says so.
    if !goes_on || *budget == Budget::default() || exceeded(open)?.is_some() {
        return Ok(());
    }
    let Some(parts) = budget::nearly_spent(budget, &costs(open)?) else { return Ok(()) };
    let events = files.events()?.records;
    if events.iter().any(|it| it.value.kind == EventKind::BudgetNearlySpent) {
        return Ok(());
    }
    let text = parts.text();
    let change = StateChanged { message: text.clone(), ..StateChanged::of(status) };
    let note = Note::new(EventKind::BudgetNearlySpent, text.to_string()).with(&change);
    Ok(files.append_note(note, status.current_attempt)?)
}

/// What the attempts before one cost.
pub(super) fn costs_before(
    open: &OpenTask<'_>,
    number: AttemptNumber,
) -> Result<Vec<Cost>, EngineError> {
    let attempts = open.files().attempts()?;
    costs_of(open, attempts.into_iter().filter(|it| *it < number))
}

fn costs_of(
    open: &OpenTask<'_>,
    attempts: impl IntoIterator<Item = AttemptNumber>,
) -> Result<Vec<Cost>, EngineError> {
    let files = open.files();
    let mut costs = Vec::new();
    for attempt in attempts {
        // An attempt that a crash cut short reported nothing.
        if let Some(metrics) = files.metrics(attempt)?.present() {
            let metrics = metrics.value;
            costs.push(Cost {
                wall: Wall(metrics.elapsed_seconds),
                tokens: metrics.tokens,
                usd: metrics.usd,
            });
        }
    }
    Ok(costs)
}
