//! What the attempts of a task cost, and what another one may.

use provost_desk::task::OpenTask;
use provost_kernel::task::Wall;
use provost_rules_task::budget::{self, Cost};

use crate::EngineError;

/// Which part of the budget the next attempt would exceed, in the language of the run.
pub(super) fn exceeded(open: &OpenTask<'_>) -> Result<Option<String>, EngineError> {
    let status = &open.status.value;
    let ruling = budget::check(
        &open.spec.value.budget,
        status.attempts_consumed,
        status.effective_max_attempts,
        &costs(open)?,
    );
    let lang = open.desk().lang();
    let texts: Vec<String> = ruling.exceeded.iter().map(|it| it.describe().render(lang)).collect();
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
                wall: Wall(metrics.elapsed_seconds),
                tokens: metrics.tokens,
                usd: metrics.usd,
            });
        }
    }
    Ok(costs)
}
