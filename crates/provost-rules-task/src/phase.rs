//! Where a task stands, for a person.

use provost_kernel::{
    Message,
    task::{IndexEntry, Review, ReviewOutcome, Seal, SealStanding, State, Status, TaskGroup},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::landing::{Stage, is_undone, stage};

/// Where a task stands, for a person: the state, and what became of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, Message)]
#[serde(rename_all = "snake_case")]
#[message(code = "task.phase")]
pub enum Phase {
    /// Made, and not begun.
    #[message(en = "queued", zh = "排队中")]
    Queued,
    #[message(en = "running", zh = "运行中")]
    Running,
    #[message(en = "paused", zh = "已暂停")]
    Paused,
    #[message(en = "ready", zh = "待审阅")]
    Ready,
    /// Ready for what the task asked for before it was edited.
    #[message(en = "stale", zh = "已过期")]
    Stale,
    #[message(en = "approved", zh = "已批准")]
    Approved,
    #[message(en = "rejected", zh = "已拒绝")]
    Rejected,
    /// A landing was begun, and nothing says how it ended.
    #[message(en = "landing", zh = "合入中")]
    Landing,
    #[message(en = "landed", zh = "已合入")]
    Landed,
    /// It had landed, and was taken back.
    #[message(en = "undone", zh = "已撤销")]
    Undone,
    #[message(en = "failed", zh = "失败")]
    Failed,
    /// The state does not match the audit chain.
    #[message(en = "untrusted", zh = "不可信")]
    Untrusted,
}

/// What a person said of the newest attempt's result; what was said of an earlier one is not about
/// this one.
pub fn review_of(status: &Status) -> Option<&Review> {
    status.review.as_ref().filter(|it| it.attempt == Some(status.current_attempt))
}

impl Phase {
    /// Where a task stands.
    pub fn of(status: &Status) -> Self {
        match stage(status) {
            Ok(Stage::Landed) => return Self::Landed,
            Ok(Stage::Unfinished) => return Self::Landing,
            Ok(Stage::Approved | Stage::Unconfirmed) | Err(_) => {}
        }
        match (status.state, review_of(status).map(|it| it.outcome)) {
            (State::ReadyForReview, _) if status.is_stale() => Self::Stale,
            (State::Running, _) if status.is_queued() => Self::Queued,
            (State::Running, _) => Self::Running,
            (State::Paused, _) => Self::Paused,
            (State::ReadyForReview | State::Failed, Some(ReviewOutcome::Rejected)) => {
                Self::Rejected
            }
            (State::ReadyForReview, Some(ReviewOutcome::Approved)) if is_undone(status) => {
                Self::Undone
            }
            (State::ReadyForReview, Some(ReviewOutcome::Approved)) => Self::Approved,
            (State::ReadyForReview, None) => Self::Ready,
            (State::Failed, Some(ReviewOutcome::Approved) | None) => Self::Failed,
        }
    }

    /// Where a task stands of which only the entry in the index is known.
    pub fn of_entry(entry: &IndexEntry) -> Self {
        match entry.state {
            _ if entry.landed.is_some() => Self::Landed,
            State::Running => Self::Running,
            State::Paused => Self::Paused,
            State::ReadyForReview => Self::Ready,
            State::Failed => Self::Failed,
        }
    }

    /// Whether a task waits for a person: the page, the terminal, the bot, `inbox` and `provost` alone all
    /// ask this. An approved result does not wait: it can land at any time.
    pub fn waits(self) -> bool {
        // Seals only tell what is proven from what is not.
        self.group(&[]) == TaskGroup::Waits
    }

    /// Where it stands on a board. A result that a person took is proven where everything that the task
    /// asks for is verified.
    pub fn group(self, seals: &[Seal]) -> TaskGroup {
        let is_proven =
            |it: &Seal| matches!(it.standing, SealStanding::Verified | SealStanding::NotAsked);
        match self {
            Self::Running | Self::Queued => TaskGroup::Runs,
            Self::Paused
            | Self::Ready
            | Self::Stale
            | Self::Landing
            | Self::Failed
            | Self::Untrusted => TaskGroup::Waits,
            Self::Approved | Self::Landed if seals.iter().all(is_proven) => TaskGroup::Proven,
            Self::Approved | Self::Landed => TaskGroup::Unproven,
            Self::Rejected | Self::Undone => TaskGroup::Closed,
        }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::task::SealFact;

    use super::*;

    #[test]
    fn a_phase_has_its_group() {
        let seal = |standing| Seal { fact: SealFact::Judge, standing, detail: None };
        let proven = [seal(SealStanding::Verified), seal(SealStanding::NotAsked)];
        let open = [seal(SealStanding::Verified), seal(SealStanding::NotVerified)];
        for (phase, with_gap, without) in [
            (Phase::Queued, TaskGroup::Runs, TaskGroup::Runs),
            (Phase::Running, TaskGroup::Runs, TaskGroup::Runs),
            (Phase::Paused, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Ready, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Stale, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Landing, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Failed, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Untrusted, TaskGroup::Waits, TaskGroup::Waits),
            (Phase::Approved, TaskGroup::Unproven, TaskGroup::Proven),
            (Phase::Landed, TaskGroup::Unproven, TaskGroup::Proven),
            (Phase::Rejected, TaskGroup::Closed, TaskGroup::Closed),
            (Phase::Undone, TaskGroup::Closed, TaskGroup::Closed),
        ] {
            assert_eq!(phase.group(&open), with_gap, "{phase:?}");
            assert_eq!(phase.group(&proven), without, "{phase:?}");
            assert_eq!(phase.waits(), with_gap == TaskGroup::Waits, "{phase:?}");
        }
    }
}
