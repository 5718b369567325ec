//! Which orders a task takes in which state, and what they have to say.

mod apply;

use provost_kernel::{
    Message, TaskId,
    task::{Order, State, Status},
};
use provost_rules::secret;

use crate::edit::EditError;

pub use self::apply::{Applied, apply, expired, moved_on, note, resolve};

/// The longest text that a person says to an agent.
pub(crate) const MAX_TEXT: usize = 20_000;

/// Why an order is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.order")]
pub enum OrderError {
    /// The order needs a task that stands still.
    #[message(
        en = "cannot {action} a running task",
        zh = "任务正在运行，无法执行 `{action}`",
        hint(en = "pause it first: `provost pause {task}`", zh = "请先暂停：`provost pause {task}`"),
        exit = Conflict
    )]
    Running { task: TaskId, action: &'static str },
    #[message(
        en = "cannot {action} a task that is {state}",
        zh = "任务处于 {state}，无法执行 `{action}`",
        hint(
            en = "`provost show {task}` says what can be done now",
            zh = "运行 `provost show {task}` 查看目前可执行的操作"
        )
    )]
    NotNow { task: TaskId, action: &'static str, state: State },
    #[message(
        en = "`{action}` needs a text",
        zh = "`{action}` 需要文本",
        hint(
            en = "write it in quotes, such as \"the total is wrong\"",
            zh = "请用引号写出内容，例如 \"合计有误\""
        )
    )]
    Blank { action: &'static str },
    #[message(
        en = "the text of `{action}` has more than {limit} characters",
        zh = "`{action}` 的文本超过 {limit} 个字符",
        arg(limit = MAX_TEXT)
    )]
    TooLong { action: &'static str },
    /// The text would be stored, and sent to a model (LOOP-A4).
    #[message(
        en = "the text of `{action}` contains a secret: {kind}",
        zh = "`{action}` 的文本含有密钥：{kind}"
    )]
    Secret { action: &'static str, kind: &'static str },
    /// Only a result that a person has taken lands.
    #[message(
        en = "cannot {action} a result that is not approved",
        zh = "结果尚未获得批准，无法执行 `{action}`",
        hint(en = "approve it first: `provost approve {task}`", zh = "请先批准：`provost approve {task}`"),
        exit = Refused
    )]
    NotApproved { task: TaskId, action: &'static str },
    #[message(
        en = "cannot {action}: the task has not landed",
        zh = "任务尚未合入，无法执行 `{action}`",
        exit = Refused
    )]
    NotLanded { action: &'static str },
    #[message(
        en = "cannot {action} a result that has landed",
        zh = "结果已合入，无法执行 `{action}`",
        hint(
            en = "take it back first: `provost land {task} --undo`; or ask for more: `provost do \"…\"`",
            zh = "请先撤销合入：`provost land {task} --undo`；或提出新的改动：`provost do \"…\"`"
        ),
        exit = Refused
    )]
    Landed { task: TaskId, action: &'static str },
    /// Ruling 74: what was proven is about another task.
    #[message(
        en = "cannot {action}: the task was edited after attempt {attempt}, so its result is stale",
        zh = "无法执行 `{action}`：任务在第 {attempt} 次尝试后已修改，其结果已过期",
        hint(
            en = "run it again: `provost resume {task}`; or take the edit back: `provost override {task} --rollback`",
            zh = "请重新运行：`provost resume {task}`；或撤销修改：`provost override {task} --rollback`"
        ),
        exit = Refused
    )]
    Stale { task: TaskId, action: &'static str, attempt: u16 },
    #[message(transparent)]
    Edit(EditError),
}

/// Whether a task takes the order as it is.
pub fn check(order: &Order, status: &Status) -> Result<(), OrderError> {
    let state = status.state;
    // `task.reset` in the audit, `reset` on the command line.
    let action = order.action().trim_start_matches("task.");
    let task = || status.task_id.clone();
    let not_now = Err(OrderError::NotNow { task: task(), action, state });
    let running = Err(OrderError::Running { task: task(), action });
    match (order, state) {
        (
            Order::Resume
            | Order::Reset
            | Order::Rerun { .. }
            | Order::Rejudge
            | Order::Accept { .. }
            | Order::Land { .. }
            | Order::UndoLand { .. },
            State::Running,
        ) => running,
        (Order::Approve | Order::Land { .. }, State::ReadyForReview) if status.is_stale() => {
            Err(OrderError::Stale { task: task(), action, attempt: status.current_attempt })
        }
        (
            Order::Approve
            | Order::Reject { .. }
            | Order::Resume
            | Order::Rerun { .. }
            | Order::Reset
            | Order::Rejudge,
            State::ReadyForReview,
        ) if is_landed(status) => Err(OrderError::Landed { task: task(), action }),
        (Order::Pause | Order::PauseNow, State::Paused | State::ReadyForReview | State::Failed)
        | (Order::Approve | Order::Reject { .. }, State::Running | State::Paused)
        | (Order::Land { .. }, State::Paused | State::Failed) => not_now,
        (Order::Pause | Order::PauseNow, State::Running)
        | (
            Order::Resume
            | Order::Reset
            | Order::Rerun { .. }
            | Order::Rejudge
            | Order::UndoLand { .. },
            State::Paused | State::ReadyForReview | State::Failed,
        )
        | (Order::Override { .. } | Order::Set { .. } | Order::Rollback { .. }, _)
        // A person may accept what failed: that is a label. It stays failed, and does not land.
        | (Order::Approve, State::ReadyForReview | State::Failed)
        | (Order::Land { .. }, State::ReadyForReview) => Ok(()),
        (Order::Edit { instruction: text } | Order::Answer { text }, _)
        | (Order::Reject { because: text }, State::ReadyForReview | State::Failed)
        | (
            Order::Accept { because: text, .. },
            State::Paused | State::ReadyForReview | State::Failed,
        ) => {
            if text.trim().is_empty() {
                Err(OrderError::Blank { action })
            } else if text.chars().nth(MAX_TEXT).is_some() {
                Err(OrderError::TooLong { action })
            } else if let Some(hit) = secret::scan(text.as_bytes()).first() {
                Err(OrderError::Secret { action, kind: hit.kind })
            } else {
                Ok(())
            }
        }
    }
}

/// Whether the newest result is on its branch.
pub(crate) fn is_landed(status: &Status) -> bool {
    let landing = status.landed.as_ref().filter(|it| it.attempt == status.current_attempt);
    landing.is_some_and(|it| it.is_there() || it.pending().is_some())
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        AttemptNumber, Exit, Timestamp,
        task::{LandMethod, Overrides},
    };

    use super::*;

    /// `expected` has a letter for each state, in the order of the set: `y` taken, `n` not now,
    /// `r` running, `b` blank, `l` too long, `s` a secret.
    #[track_caller]
    fn check(order: Order, expected: &str) {
        let status = |state| {
            let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
            status.state = state;
            status
        };
        let letter = |&state: &State| match super::check(&order, &status(state)) {
            Ok(()) => 'y',
            Err(OrderError::NotNow { .. }) => 'n',
            Err(OrderError::Running { .. }) => 'r',
            Err(OrderError::Blank { .. }) => 'b',
            Err(OrderError::TooLong { .. }) => 'l',
            Err(OrderError::Secret { .. }) => 's',
            Err(
                OrderError::NotApproved { .. }
                | OrderError::NotLanded { .. }
                | OrderError::Landed { .. }
                | OrderError::Stale { .. }
                | OrderError::Edit(_),
            ) => 'x',
        };
        let actual: String = State::ALL.iter().map(letter).collect();
        assert_eq!(actual, expected, "{order:?}");
    }

    #[test]
    fn an_order_has_its_time() {
        let text = || "x".to_owned();
        check(Order::Pause, "ynnn");
        check(Order::PauseNow, "ynnn");
        check(Order::Resume, "ryyy");
        check(Order::Reset, "ryyy");
        check(Order::Rerun { attempt: AttemptNumber::FIRST }, "ryyy");
        check(Order::Rejudge, "ryyy");
        check(Order::Edit { instruction: text() }, "yyyy");
        check(Order::Answer { text: text() }, "yyyy");
        check(Order::Override { overrides: Overrides::default() }, "yyyy");
        check(Order::Set { changes: Vec::new() }, "yyyy");
        check(Order::Rollback { to_version: None }, "yyyy");
        check(Order::Approve, "nnyy");
        check(Order::Reject { because: text() }, "nnyy");
        let accept = |because: &str| Order::Accept {
            finding: "TESTS_GONE".to_owned(),
            because: because.to_owned(),
            attempt: 1,
            digest: None,
        };
        let land = Order::Land {
            attempt: 1,
            branch: "main".to_owned(),
            method: LandMethod::Squash,
            commit: text(),
            before: None,
        };
        check(land, "rnyn");
        check(Order::UndoLand { commit: text(), before: text() }, "ryyy");
        check(accept("x"), "ryyy");
        check(accept(" "), "rbbb");
    }

    #[test]
    fn an_order_says_something() {
        check(Order::Answer { text: " \n".to_owned() }, "bbbb");
        check(Order::Edit { instruction: String::new() }, "bbbb");
        check(Order::Reject { because: String::new() }, "nnbb");
        check(Order::Answer { text: "字".repeat(20_000) }, "yyyy");
        check(Order::Answer { text: "字".repeat(20_001) }, "llll");
        let token = ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat();
        check(Order::Answer { text: format!("use {token}") }, "ssss");
        check(Order::Edit { instruction: token.clone() }, "ssss");
        check(Order::Reject { because: token }, "nnss");
    }

    #[test]
    fn a_refusal_says_why() {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        let error = super::check(&Order::Reset, &status).unwrap_err();
        assert_eq!(error.to_string(), "cannot reset a running task");
        assert_eq!(error.exit(), Exit::Conflict);
        assert_eq!(error.hints(), ["pause it first: `provost pause t1`"]);
        status.state = State::Paused;
        let error = super::check(&Order::Approve, &status).unwrap_err();
        assert_eq!(error.to_string(), "cannot approve a task that is PAUSED");
        assert_eq!(error.exit(), Exit::Unable);
    }
}
