//! Which status of an execution may follow which.
//!
//! The table is the original's, with the steps that it lacked: there a plan of one story could not
//! be completed in its first step, and a completed one could not be taken up again.

use provost_kernel::{Message, story::ExecutionStatus};

/// A step that an execution may not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.transition",
    en = "an execution that is `{from}` cannot become `{to}`",
    zh = "状态为 `{from}` 的执行不能变为 `{to}`",
    arg(possible = possible(*from)),
    hint(
        when = possible(*from).is_empty(),
        en = "`{from}` is final: start another execution",
        zh = "`{from}` 已是终态：请另起一个执行",
    ),
    hint(
        when = !possible(*from).is_empty(),
        en = "it can become {possible:names}",
        zh = "可变为 {possible:names}",
    ),
    exit = Conflict
)]
pub struct TransitionError {
    pub from: ExecutionStatus,
    pub to: ExecutionStatus,
}

/// Whether a step needs a reason on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing changes.
    Stay,
    Ordinary,
    /// The original refuses it, so a reason is recorded.
    WithReason,
}

/// Classifies the step, or refuses it.
pub fn step(from: ExecutionStatus, to: ExecutionStatus) -> Result<Step, TransitionError> {
    if from == to {
        return Ok(Step::Stay);
    }
    if ordinary(from).contains(&to) {
        return Ok(Step::Ordinary);
    }
    if with_reason(from).contains(&to) {
        return Ok(Step::WithReason);
    }
    Err(TransitionError { from, to })
}

fn possible(from: ExecutionStatus) -> Vec<ExecutionStatus> {
    ordinary(from).iter().chain(with_reason(from)).copied().collect()
}

fn ordinary(from: ExecutionStatus) -> &'static [ExecutionStatus] {
    use ExecutionStatus::{
        Completed, Failed, Interrupted, Merged, Merging, Pending, Ready, Running, Starting, Stopped,
    };
    match from {
        Pending => &[Ready, Running, Stopped, Failed],
        Ready => &[Starting, Stopped, Failed, Pending],
        Starting => &[Running, Ready, Failed, Stopped],
        Running => &[Completed, Failed, Stopped, Merging, Interrupted],
        Interrupted => &[Ready, Failed],
        Completed => &[Merging],
        Failed => &[Running, Ready, Stopped],
        Stopped => &[Ready],
        Merging => &[Merged, Failed],
        Merged => &[],
    }
}

fn with_reason(from: ExecutionStatus) -> &'static [ExecutionStatus] {
    use ExecutionStatus::{
        Completed, Failed, Interrupted, Merged, Merging, Pending, Ready, Running, Starting, Stopped,
    };
    match from {
        Starting | Failed => &[Completed],
        Running => &[Ready],
        Completed => &[Running, Stopped],
        Interrupted => &[Stopped],
        Pending | Ready | Stopped | Merging | Merged => &[],
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    /// Every pair of the ten: `from: ordinary steps | steps with a reason`.
    const TABLE: [&str; 10] = [
        "pending: ready running stopped failed |",
        "ready: starting stopped failed pending |",
        "starting: running ready failed stopped | completed",
        "running: completed failed stopped merging interrupted | ready",
        "interrupted: ready failed | stopped",
        "completed: merging | running stopped",
        "failed: running ready stopped | completed",
        "stopped: ready |",
        "merging: merged failed |",
        "merged: |",
    ];

    #[test]
    fn every_pair_follows_the_table() {
        let mut n_pairs = 0;
        for line in TABLE {
            let (from, rest) = line.split_once(':').unwrap();
            let from: ExecutionStatus = from.parse().unwrap();
            let (ordinary, reasoned) = rest.split_once('|').unwrap();
            for &to in ExecutionStatus::ALL {
                let has = |list: &str| list.split_whitespace().any(|it| it == to.as_str());
                let expected = if from == to {
                    Ok(Step::Stay)
                } else if has(ordinary) {
                    Ok(Step::Ordinary)
                } else if has(reasoned) {
                    Ok(Step::WithReason)
                } else {
                    Err(TransitionError { from, to })
                };
                assert_eq!(step(from, to), expected, "{from} to {to}");
                n_pairs += 1;
            }
        }
        assert_eq!(n_pairs, 100);
    }

    #[test]
    fn a_refused_step_names_those_that_are_possible() {
        use ExecutionStatus::{Completed, Merged, Pending, Ready};
        let error = step(Completed, Pending).unwrap_err();
        assert_eq!(error.to_string(), "an execution that is `completed` cannot become `pending`");
        assert_eq!(Lang::Zh.render(&error.text()), "状态为 `completed` 的执行不能变为 `pending`");
        assert_eq!(error.hints(), ["it can become `merging`, `running`, `stopped`"]);
        let end = step(Merged, Ready).unwrap_err();
        assert_eq!(end.hints(), ["`merged` is final: start another execution"]);
    }
}
