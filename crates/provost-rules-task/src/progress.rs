//! What a task that runs is busy with, and what it has found out so far, by its events.

use provost_kernel::task::{Checked, EventKind, EventLine, RunStep, Running, Status, TaskSpec};

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// None for a task that no process has to run.
    pub running: Option<Running>,
    /// What was checked in its attempt.
    pub so_far: Vec<Checked>,
}

/// How far the newest attempt of a task is. The state comes from the status: events of a task that does
/// not run say nothing.
pub fn progress(status: &Status, spec: Option<&TaskSpec>, events: &[EventLine]) -> Progress {
    let pending = status.landed.as_ref().and_then(|it| it.pending());
    if let Some(step) = pending {
        let (step, since) = (RunStep::Landing, step.ordered_at);
        let running = Some(Running { step, since, limit_seconds: None });
        return Progress { running, so_far: Vec::new() };
    }
    if !status.is_driven() {
        return Progress::default();
    }
    let start = Running { step: RunStep::Prepare, since: status.updated_at, limit_seconds: None };
    let mut progress = Progress { running: Some(start), so_far: Vec::new() };
    for event in events.iter().filter(|it| it.value.attempt == status.current_attempt) {
        if event.value.kind == EventKind::AttemptStarted {
            progress.so_far.clear();
        }
        if let Some(step) = step(event, spec) {
            let limit_seconds = spec.and_then(|it| limit(step, it));
            let is_same = progress.running.is_some_and(|it| it.step == step);
            if !is_same || event.value.kind == EventKind::AttemptStarted {
                let since = event.value.ts;
                progress.running = Some(Running { step, since, limit_seconds });
            }
        }
        let checks = event.rest.get("checks").cloned();
        if let Some(checks) = checks.and_then(|it| serde_json::from_value(it).ok()) {
            progress.so_far = checks;
        }
    }
    progress
}

/// The step that an event begins; none for one that begins none.
fn step(event: &EventLine, spec: Option<&TaskSpec>) -> Option<RunStep> {
    match event.value.kind {
        // The test runs on the base before the first coder is called.
        EventKind::AttemptStarted => {
            let has_test = spec.is_some_and(|it| it.test_cmd.is_some());
            let is_base = event.value.attempt == 1 && has_test;
            Some(if is_base { RunStep::Base } else { RunStep::Prepare })
        }
        EventKind::CoderStarted => Some(RunStep::Coder),
        EventKind::CoderFinished | EventKind::CoderSkipped | EventKind::PolicyChecked => {
            Some(RunStep::Policy)
        }
        EventKind::TestStarted => Some(RunStep::Test),
        EventKind::TestFinished => Some(RunStep::Proof),
        EventKind::ClaimsChecked
        | EventKind::EvidencePacked
        | EventKind::JudgeStarted
        | EventKind::JudgeRetried
        | EventKind::JudgeFinished => Some(RunStep::Judge),
        EventKind::TaskCreated
        | EventKind::FilesDeclared
        | EventKind::CoderFailedSkipJudge
        | EventKind::SkipTestJudgeNoCoderOutput
        | EventKind::AttemptDecided
        | EventKind::StateChanged
        | EventKind::LockStaleCleared
        | EventKind::StrayProcessesEnded
        | EventKind::CoordinatorCrashed
        | EventKind::TaskReset
        | EventKind::UserInputReceived
        | EventKind::DecisionLowered
        | EventKind::OrderApplied
        | EventKind::OrderRefused
        | EventKind::OverridesChanged
        | EventKind::ReviewRecorded
        | EventKind::Landed
        | EventKind::LandingUndone
        | EventKind::LandingGivenUp
        | EventKind::BudgetReached
        | EventKind::BudgetNearlySpent
        | EventKind::QuotaWaited
        | EventKind::WorkSaved
        | EventKind::WorkContinued
        | EventKind::SessionContinued
        | EventKind::SessionDropped
        | EventKind::WorkMerged
        | EventKind::StateQuarantined => None,
    }
}

/// How long a step may take.
pub fn limit(step: RunStep, spec: &TaskSpec) -> Option<u32> {
    match step {
        RunStep::Coder => Some(spec.coder_timeout_seconds),
        RunStep::Test | RunStep::Base => Some(spec.test_timeout_seconds),
        RunStep::Judge => Some(spec.judge_timeout_seconds),
        RunStep::Prepare
        | RunStep::Policy
        | RunStep::Proof
        | RunStep::Claims
        | RunStep::Landing => None,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Millis, Text, Timestamp,
        task::{Note, Standing, State},
    };
    use serde_json::json;

    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from(Millis(seconds * 1000))
    }

    fn spec() -> TaskSpec {
        let mut spec = TaskSpec::new("t1".parse().unwrap());
        spec.test_cmd = Some("make test".to_owned());
        spec
    }

    fn event(kind: EventKind, attempt: u16, seconds: u64) -> EventLine {
        Note::new(kind, "").line(&"t1".parse().unwrap(), attempt, at(seconds))
    }

    #[test]
    fn the_newest_event_says_which_step_runs() {
        let mut status = Status::new("t1".parse().unwrap(), at(0), 3);
        status.current_attempt = 1;
        let mut events = vec![event(EventKind::TaskCreated, 0, 0)];
        let spec = spec();
        for (kind, seconds, step, since, limit) in [
            (EventKind::AttemptStarted, 1, RunStep::Base, 1, Some(300)),
            (EventKind::CoderStarted, 2, RunStep::Coder, 2, Some(600)),
            (EventKind::QuotaWaited, 3, RunStep::Coder, 2, Some(600)),
            (EventKind::CoderFinished, 4, RunStep::Policy, 4, None),
            (EventKind::PolicyChecked, 5, RunStep::Policy, 4, None),
            (EventKind::TestStarted, 6, RunStep::Test, 6, Some(300)),
            (EventKind::TestFinished, 7, RunStep::Proof, 7, None),
            (EventKind::ClaimsChecked, 8, RunStep::Judge, 8, Some(300)),
            (EventKind::JudgeStarted, 9, RunStep::Judge, 8, Some(300)),
        ] {
            events.push(event(kind, 1, seconds));
            let running = progress(&status, Some(&spec), &events).running.unwrap();
            let expected = Running { step, since: at(since), limit_seconds: limit };
            assert_eq!(running, expected, "{kind}");
        }
        status.current_attempt = 2;
        events.push(event(EventKind::AttemptStarted, 2, 10));
        let running = progress(&status, Some(&spec), &events).running.unwrap();
        assert_eq!((running.step, running.since), (RunStep::Prepare, at(10)));
        // LOOP-A11: whether it runs at all is said by the status.
        status.state = State::Paused;
        assert_eq!(progress(&status, Some(&spec), &events), Progress::default());
    }

    #[test]
    fn what_was_checked_so_far_is_told_by_the_newest_event_that_says_it() {
        let mut status = Status::new("t1".parse().unwrap(), at(0), 3);
        status.current_attempt = 1;
        let check = Checked {
            name: "paths".to_owned(),
            standing: Standing::Verified,
            detail: Text::verbatim("2 files"),
        };
        let note = Note::new(EventKind::TestStarted, "").with(&json!({ "checks": [check] }));
        let told = note.line(&status.task_id, 1, at(1));
        let events = [told, event(EventKind::TestFinished, 1, 2)];
        assert_eq!(progress(&status, None, &events).so_far, [check]);
        status.current_attempt = 2;
        assert_eq!(progress(&status, None, &events).so_far, []);
    }
}
