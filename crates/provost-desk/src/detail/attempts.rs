//! The attempts of a task: how each was decided, and how long its steps took.

use provost_kernel::{
    Timestamp,
    task::{Metrics, Row, RunStep, SealStanding, State},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Desk, DeskError,
    task::{AttemptView, View},
};

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AttemptLine {
    pub attempt: u16,
    /// The row of the table that decided it; null while it runs, and where a crash cut it off.
    pub row: Option<Row>,
    /// What became of the task by it.
    pub state: Option<State>,
    pub score: Option<String>,
    pub usd: Option<String>,
    pub tokens: Option<u64>,
    pub steps: Vec<StepLine>,
    pub commit: Option<String>,
    pub rejected_because: Option<String>,
    pub decided_at: Option<Timestamp>,
}

/// One step of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StepLine {
    pub step: RunStep,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub ms: Option<u64>,
    pub standing: SealStanding,
}

impl Desk {
    pub(super) fn attempt_lines(&self, view: &View) -> Result<Vec<AttemptLine>, DeskError> {
        let task = &view.status().task_id;
        let mut lines = Vec::with_capacity(view.attempts.len());
        for attempt in &view.attempts {
            let commit = self.commit_of(task, attempt.attempt)?;
            lines.push(AttemptLine { commit, ..line(attempt) });
        }
        // What runs is not in the metrics yet.
        if let (Some(running), Some(newest)) = (
            self.row_of(&view.looked)?.running,
            lines.iter_mut().find(|it| it.attempt == view.status().current_attempt),
        ) {
            newest.steps.push(StepLine {
                step: running.step,
                started_at: Some(running.since),
                ended_at: None,
                ms: None,
                standing: SealStanding::Running,
            });
        }
        Ok(lines)
    }
}

fn line(attempt: &AttemptView) -> AttemptLine {
    let decision = attempt.decision.as_ref();
    let metrics = attempt.metrics.as_ref();
    let usd = metrics.and_then(|it| it.usd);
    AttemptLine {
        attempt: attempt.attempt,
        row: decision.map(|it| it.decision.row),
        state: decision.map(|it| it.decision.next_state),
        score: attempt.final_score_0_100.map(|it| it.to_string()),
        usd: usd.map(|it| it.to_string().trim_start_matches('$').to_owned()),
        tokens: metrics.and_then(|it| it.tokens),
        steps: metrics.map(steps).unwrap_or_default(),
        commit: None,
        rejected_because: attempt.rejected_because.clone(),
        decided_at: decision.map(|it| it.decided_at),
    }
}

/// The steps that ran, in their order.
fn steps(metrics: &Metrics) -> Vec<StepLine> {
    let of = |step: RunStep, rc: Option<i32>| {
        let time = |end: &str| metrics.phase_ts.get(&format!("{step}_{end}_at")).copied();
        let (started_at, ended_at) = (time("started"), time("finished"));
        let ms = metrics.step_ms.get(step.as_str()).copied();
        // Whole seconds, where an earlier version kept nothing finer.
        let seconds = || Some((ended_at?.seconds() - started_at?.seconds()).unsigned_abs() * 1000);
        let ms = ms.or_else(seconds);
        let standing = match rc {
            Some(0) => SealStanding::Verified,
            Some(_) => SealStanding::Contradicted,
            None => SealStanding::NotVerified,
        };
        (ms.is_some() || started_at.is_some()).then_some(StepLine {
            step,
            started_at,
            ended_at,
            ms,
            standing,
        })
    };
    [
        of(RunStep::Prepare, None),
        of(RunStep::Coder, metrics.coder_rc),
        of(RunStep::Test, metrics.test_rc),
        of(RunStep::Proof, None),
        of(RunStep::Claims, None),
        of(RunStep::Judge, metrics.judge_rc),
    ]
    .into_iter()
    .flatten()
    .collect()
}
