//! The one task that a command without an id can be about.
//!
//! If several tasks fit, the command is refused and the error lists them.

use provost_kernel::{
    Message, TaskId,
    task::{PauseCode, ReviewOutcome, State, Status},
};

use provost_rules_task::landing::is_undone;

use super::{Listing, Response, review_of};
use crate::{Desk, DeskError};

/// What a command without an id asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// A task that waits for an answer.
    Question,
    /// A result that can be approved.
    Approvable,
    /// A result that can be put onto its branch.
    Landable,
    /// A result that can be rejected.
    Rejectable,
    /// A task that runs, or waits for its turn.
    Running,
}

/// Why a command without an id is about no task.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.only")]
pub enum OnlyError {
    #[message(
        en = "no task waits for an answer",
        zh = "没有任务在等待答复",
        hint(
            en = "to tell a task something, name it: `provost answer ID TEXT`",
            zh = "要向某个任务补充说明，请写出其 id：`provost answer ID TEXT`"
        )
    )]
    NoQuestion,
    #[message(
        en = "no result waits for an approval",
        zh = "没有结果在等待批准",
        hint(en = "run `provost ls` to list all tasks", zh = "运行 `provost ls` 列出所有任务")
    )]
    NoApprovable,
    #[message(
        en = "no result can be rejected",
        zh = "没有可拒绝的结果",
        hint(en = "run `provost ls` to list all tasks", zh = "运行 `provost ls` 列出所有任务")
    )]
    NoRejectable,
    #[message(
        en = "no result can land",
        zh = "没有可合入的结果",
        hint(en = "run `provost ls` to list all tasks", zh = "运行 `provost ls` 列出所有任务")
    )]
    NoLandable,
    #[message(
        en = "no task is running",
        zh = "没有正在运行的任务",
        hint(en = "run `provost ls` to list all tasks", zh = "运行 `provost ls` 列出所有任务")
    )]
    NoRunning,
    #[message(
        en = "{count} tasks could be meant: {tasks:names}",
        zh = "有 {count} 个任务符合：{tasks:names}",
        hint(en = "name one of them by its id", zh = "请用 id 指明其中一个")
    )]
    Several { count: usize, tasks: Vec<String> },
}

/// How many tasks are named that could be meant.
const NAMED: usize = 10;

impl Desk {
    /// The one task that a command without an id can be about.
    pub fn only(&self, sought: Sought) -> Result<TaskId, DeskError> {
        let mut found = Vec::new();
        let listed = self.list(Listing::default())?;
        for entry in listed.tasks {
            // A tampered state takes no order.
            if listed.altered.contains_key(&entry.task_id) {
                continue;
            }
            let Ok(looked) = self.look(&entry.task_id) else { continue };
            let status = looked.status.value;
            if fits(sought, &status, &self.response(&status)?) {
                found.push(status.task_id);
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(none(sought).into()),
            several => {
                let tasks = several.iter().take(NAMED).map(ToString::to_string).collect();
                Err(OnlyError::Several { count: several.len(), tasks }.into())
            }
        }
    }
}

fn none(sought: Sought) -> OnlyError {
    match sought {
        Sought::Question => OnlyError::NoQuestion,
        Sought::Approvable => OnlyError::NoApprovable,
        Sought::Landable => OnlyError::NoLandable,
        Sought::Rejectable => OnlyError::NoRejectable,
        Sought::Running => OnlyError::NoRunning,
    }
}

/// Whether a command without an id could be about a task. What could be meant at all counts: the more
/// that is, the less is guessed.
fn fits(sought: Sought, status: &Status, response: &Response) -> bool {
    let review = review_of(status).map(|it| it.outcome);
    let has_landed = status.landed.is_some();
    match (sought, status.state) {
        (Sought::Question, State::Paused) => {
            status.pause_reason_code == Some(PauseCode::WaitingUserInput) && !response.is_answered()
        }
        (Sought::Approvable, State::ReadyForReview) => !status.is_stale() && review.is_none(),
        (Sought::Landable, State::ReadyForReview) => {
            let landing = status.landed.as_ref();
            let landing = landing.filter(|it| it.attempt == status.current_attempt);
            // One that was broken off is finished by the same command.
            let is_there = landing.is_some_and(|it| it.is_there() && it.pending().is_none());
            // One that a person took back, or rejected, is landed only by its name.
            let is_wanted = !is_undone(status) && review != Some(ReviewOutcome::Rejected);
            !status.is_stale() && !is_there && is_wanted
        }
        (Sought::Rejectable, State::ReadyForReview | State::Failed) => {
            !has_landed && review != Some(ReviewOutcome::Rejected)
        }
        (Sought::Running, State::Running) => true,
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Source, Timestamp,
        task::{BranchMove, LandMethod, Landing, Review},
    };

    use super::*;

    fn status(state: State, code: Option<PauseCode>) -> Status {
        let new = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        Status { state, pause_reason_code: code, current_attempt: 1, ..new }
    }

    #[test]
    fn a_command_without_an_id_is_about_one_kind_of_task() {
        use Sought::{Approvable, Landable, Question, Rejectable, Running};
        let answered = Response { answers: vec!["x".to_owned()], ..Response::default() };
        let check = |status: &Status, response: &Response, expected: &[Sought]| {
            let all = [Question, Approvable, Landable, Rejectable, Running];
            let fit: Vec<Sought> =
                all.into_iter().filter(|it| fits(*it, status, response)).collect();
            assert_eq!(fit, expected, "{status:?}");
        };
        let open = Response::default();
        let asks = status(State::Paused, Some(PauseCode::WaitingUserInput));
        check(&asks, &open, &[Question]);
        check(&asks, &answered, &[]);
        check(&status(State::Paused, Some(PauseCode::Budget)), &open, &[]);
        check(&status(State::Running, None), &open, &[Running]);
        check(&status(State::Failed, None), &open, &[Rejectable]);
        let mut ready = status(State::ReadyForReview, None);
        check(&ready, &open, &[Approvable, Landable, Rejectable]);
        let review = |outcome, attempt| Review {
            outcome,
            attempt: Some(attempt),
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            reviewed_at: Timestamp::EPOCH,
            because: None,
            request_id: None,
            blind: false,
        };
        ready.review = Some(review(ReviewOutcome::Approved, 1));
        check(&ready, &open, &[Landable, Rejectable]);
        let step = || BranchMove {
            commit: "c0ffee".to_owned(),
            before: None,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            ordered_at: Timestamp::EPOCH,
            at: Some(Timestamp::EPOCH),
        };
        let (branch, method) = ("main".to_owned(), LandMethod::Squash);
        let undone = Some(step());
        ready.landed = Some(Landing { attempt: 1, branch, method, put: step(), undone });
        check(&ready, &open, &[]);
        ready.landed = None;
        ready.review = Some(review(ReviewOutcome::Rejected, 1));
        check(&ready, &open, &[]);
    }
}
