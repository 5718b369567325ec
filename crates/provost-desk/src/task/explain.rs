//! Why a task is where it is: the row of the decision table, and the facts that chose it.

mod deciding;

use provost_kernel::{
    AttemptNumber, Message, TaskId,
    task::{DecisionRecord, PauseCode, Row, State, Transition},
};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::deciding::{Fact, deciding};
use super::{AttemptView, Next, View};

/// Why a task is where it is, or how an earlier attempt was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Explanation {
    pub task_id: TaskId,
    pub state: State,
    pub pause_reason_code: Option<PauseCode>,
    pub source: Explained,
    /// The attempt that runs and is not decided yet.
    pub undecided: Option<u16>,
    /// The attempt that is explained, or in which something else happened.
    pub attempt: Option<u16>,
    pub row: Option<Row>,
    /// The facts that chose the row; the record has all of them.
    pub deciding_facts: Vec<Fact>,
    pub record: Option<DecisionRecord>,
    /// How the task came to its state, where no attempt brought it there.
    pub transition: Option<Transition>,
    /// What a person can do now.
    pub next: Vec<Next>,
    /// Whether the tests decided, and no judge was asked.
    #[serde(skip)]
    pub is_judged_by_tests: bool,
}

/// What an explanation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Explained {
    /// The decision on an attempt.
    Attempt,
    /// Something besides the attempts: a crash, an order, a budget.
    Transition,
    /// Nothing was decided yet.
    Nothing,
}

/// An attempt without a decision on record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.no_decision",
    en = "attempt {number} of `{task}` has no recorded decision",
    zh = "`{task}` 的第 {number} 次尝试没有决定记录",
    arg(number = attempt.get()),
    hint(
        when = decided.is_empty(),
        en = "no attempt of this task is decided yet",
        zh = "该任务尚无已决定的尝试"
    ),
    hint(
        when = !decided.is_empty(),
        en = "attempts with a decision: {decided}",
        zh = "有决定记录的尝试：{decided}"
    )
)]
pub struct NoDecision {
    pub task: TaskId,
    pub attempt: AttemptNumber,
    /// The attempts that have one.
    pub decided: Vec<u16>,
}

impl Explanation {
    /// Explains where the task stands.
    pub fn of(view: &View) -> Self {
        let status = view.status();
        let nothing = Self {
            task_id: status.task_id.clone(),
            state: status.state,
            pause_reason_code: status.pause_reason_code,
            source: Explained::Nothing,
            undecided: None,
            attempt: None,
            row: None,
            deciding_facts: Vec::new(),
            record: None,
            transition: None,
            next: view.next.clone(),
            is_judged_by_tests: view.is_judged_by_tests(),
        };
        let record = |it: &AttemptView| it.decision.clone();
        if status.state == State::Running {
            let undecided = Some(status.current_attempt).filter(|&it| it > 0);
            let earlier = view.attempts.iter().rev().find_map(record);
            let nothing = Self { undecided, ..nothing };
            return earlier.map_or(nothing.clone(), |it| nothing.with(it));
        }
        let transition = status.last_transition.as_ref();
        let decided_it = |record: &DecisionRecord| {
            transition.is_none_or(|it| {
                it.row == Some(record.decision.row) && it.attempt == Some(record.attempt)
            })
        };
        match (view.current().and_then(record).filter(decided_it), transition) {
            (Some(record), _) => nothing.with(record),
            (None, Some(transition)) => Self {
                source: Explained::Transition,
                attempt: transition.attempt.filter(|&it| it > 0),
                row: transition.row,
                transition: Some(transition.clone()),
                ..nothing
            },
            (None, None) => nothing,
        }
    }

    /// Explains how one attempt was decided.
    pub fn of_attempt(view: &View, attempt: AttemptNumber) -> Result<Self, NoDecision> {
        let record = |it: &AttemptView| it.decision.clone();
        let asked = view.attempts.iter().find(|it| it.attempt == attempt.get());
        let Some(record) = asked.and_then(record) else {
            let decided = view.attempts.iter().filter(|it| it.decision.is_some());
            return Err(NoDecision {
                task: view.status().task_id.clone(),
                attempt,
                decided: decided.map(|it| it.attempt).collect(),
            });
        };
        Ok(Self { transition: None, ..Self::of(view) }.with(record))
    }

    fn with(self, record: DecisionRecord) -> Self {
        Self {
            source: Explained::Attempt,
            attempt: Some(record.attempt),
            row: Some(record.decision.row),
            deciding_facts: deciding(record.decision.row, &record.facts),
            record: Some(record),
            ..self
        }
    }
}
