//! What an operator may do to an execution, and what becomes of it.

use provost_kernel::{
    Timestamp,
    story::{Execution, ExecutionChange, ExecutionProgress, ExecutionStatus},
};

use super::execution::{TransitionError, step};

/// What an operator does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Ends it.
    Stop(Afterwards),
    /// Makes it ready again.
    Retry,
    /// Claims it if it is ready; a second claim gets nothing.
    Claim,
    /// Says which agent works on it.
    Attach { agent: String },
    /// Forgets that it stood still.
    Reset(Failed),
}

/// What becomes of an execution that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    Listed,
    History,
}

/// What becomes of an execution that had failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    RunsAgain,
    StaysFailed,
}

/// What an operation changes; nothing, where it is so already.
pub fn operate(
    operation: &Operation,
    execution: &Execution,
    now: Timestamp,
) -> Result<ExecutionChange, TransitionError> {
    use ExecutionStatus::{Failed as HasFailed, Interrupted, Ready, Running, Starting, Stopped};
    let from = execution.status;
    let cleared = || {
        let cleared = ExecutionProgress {
            consecutive_no_progress: 0,
            consecutive_errors: 0,
            last_error: None,
            ..execution.progress.clone()
        };
        (cleared != execution.progress)
            .then_some(ExecutionProgress { last_progress_at: Some(now), ..cleared })
    };
    let archived = |wanted: bool| (execution.is_archived != wanted).then_some(wanted);
    let to = |to, reason: &str| -> Result<ExecutionChange, TransitionError> {
        step(from, to)?;
        let is_change = from != to;
        Ok(ExecutionChange {
            status: is_change.then_some(to),
            reason: is_change.then(|| reason.to_owned()),
            ..ExecutionChange::default()
        })
    };
    match operation {
        Operation::Stop(afterwards) => Ok(ExecutionChange {
            is_archived: match afterwards {
                Afterwards::Listed => None,
                Afterwards::History => archived(true),
            },
            ..to(Stopped, "an operator stopped it")?
        }),
        Operation::Retry if matches!(from, HasFailed | Stopped | Interrupted) => {
            Ok(ExecutionChange {
                progress: cleared(),
                is_archived: archived(false),
                ..to(Ready, "an operator takes it up again")?
            })
        }
        Operation::Retry => Err(TransitionError { from, to: Ready }),
        Operation::Claim if from == Ready => to(Starting, "somebody claimed it"),
        Operation::Claim => Err(TransitionError { from, to: Starting }),
        Operation::Attach { agent } => Ok(ExecutionChange {
            agent_task_id: (execution.agent_task_id.as_ref() != Some(agent)).then(|| agent.clone()),
            ..to(Running, "an agent works on it")?
        }),
        Operation::Reset(failed) => {
            let change = match failed {
                Failed::RunsAgain if from == HasFailed => to(Running, "an operator lets it go on")?,
                Failed::RunsAgain | Failed::StaysFailed => ExecutionChange::default(),
            };
            Ok(ExecutionChange { progress: cleared(), ..change })
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::story::{DiskRules, PlanPriority};

    use super::*;

    fn execution(status: ExecutionStatus) -> Execution {
        Execution {
            id: "e1".parse().unwrap(),
            project: "shop".to_owned(),
            branch: "ralph/login".parse().unwrap(),
            description: String::new(),
            priority: PlanPriority::P1,
            prd_path: "p.md".to_owned(),
            plan_digest: None,
            project_root: "/shop".to_owned(),
            worktree_path: None,
            base_commit_sha: None,
            disk: DiskRules::default(),
            rebased: std::collections::BTreeMap::new(),
            status,
            status_reason: None,
            agent_task_id: None,
            dependencies: Vec::new(),
            progress: ExecutionProgress {
                loop_count: 7,
                consecutive_no_progress: 2,
                consecutive_errors: 3,
                last_error: Some("no".to_owned()),
                ..ExecutionProgress::default()
            },
            is_archived: false,
            merged_at: None,
            merge_commit_sha: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        }
    }

    /// The status afterwards; none where the step is refused.
    #[track_caller]
    fn check(operation: &Operation, from: &str, expected: Option<&str>) {
        let from: ExecutionStatus = from.parse().unwrap();
        let changed = operate(operation, &execution(from), Timestamp::EPOCH);
        let found = changed.ok().map(|it| it.status.unwrap_or(from).as_str());
        assert_eq!(found, expected, "{operation:?} {from}");
    }

    #[test]
    fn an_operation_takes_the_steps_of_the_table() {
        let stop = Operation::Stop(Afterwards::Listed);
        check(&stop, "running", Some("stopped"));
        check(&stop, "stopped", Some("stopped"));
        check(&stop, "merged", None);
        for from in ["failed", "stopped", "interrupted"] {
            check(&Operation::Retry, from, Some("ready"));
        }
        for from in ["running", "ready", "completed", "merged", "starting"] {
            check(&Operation::Retry, from, None);
        }
        check(&Operation::Claim, "ready", Some("starting"));
        // A second claim finds it starting.
        check(&Operation::Claim, "starting", None);
        let attach = Operation::Attach { agent: "a1".to_owned() };
        check(&attach, "starting", Some("running"));
        check(&attach, "running", Some("running"));
        check(&attach, "ready", None);
        check(&Operation::Reset(Failed::RunsAgain), "failed", Some("running"));
        check(&Operation::Reset(Failed::StaysFailed), "failed", Some("failed"));
        check(&Operation::Reset(Failed::RunsAgain), "ready", Some("ready"));
    }

    #[test]
    fn what_is_so_already_is_no_change() {
        let stopped = execution(ExecutionStatus::Stopped);
        let stop = Operation::Stop(Afterwards::Listed);
        assert!(operate(&stop, &stopped, Timestamp::EPOCH).unwrap().is_nothing());
        let mut calm = execution(ExecutionStatus::Running);
        calm.progress = ExecutionProgress::default();
        calm.agent_task_id = Some("a1".to_owned());
        let reset = Operation::Reset(Failed::RunsAgain);
        assert!(operate(&reset, &calm, Timestamp::EPOCH).unwrap().is_nothing());
        let attach = Operation::Attach { agent: "a1".to_owned() };
        assert!(operate(&attach, &calm, Timestamp::EPOCH).unwrap().is_nothing());
        let other = Operation::Attach { agent: "a2".to_owned() };
        let changed = operate(&other, &calm, Timestamp::EPOCH).unwrap();
        assert_eq!(changed.agent_task_id.as_deref(), Some("a2"));
    }

    #[test]
    fn counters_begin_anew_and_the_rest_of_the_progress_stays() {
        let failed = execution(ExecutionStatus::Failed);
        for operation in [Operation::Retry, Operation::Reset(Failed::StaysFailed)] {
            let progress =
                operate(&operation, &failed, Timestamp::EPOCH).unwrap().progress.unwrap();
            assert_eq!((progress.consecutive_no_progress, progress.consecutive_errors), (0, 0));
            assert_eq!((progress.last_error, progress.loop_count), (None, 7));
        }
    }

    #[test]
    fn history_is_where_a_stopped_one_goes_and_where_a_retry_takes_it_from() {
        let mut execution = execution(ExecutionStatus::Running);
        let stop = Operation::Stop(Afterwards::History);
        let change = operate(&stop, &execution, Timestamp::EPOCH).unwrap();
        assert_eq!(change.is_archived, Some(true));
        execution.status = ExecutionStatus::Stopped;
        execution.is_archived = true;
        let change = operate(&Operation::Retry, &execution, Timestamp::EPOCH).unwrap();
        assert_eq!(change.is_archived, Some(false));
    }
}
