//! What provost itself says of a task, in one sentence.

use provost_kernel::{
    Message, Text,
    task::{SealFact, SealStanding, Status},
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{board::BoardRow, task::Phase};

/// What is ruled, and what is to be said besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Ruling {
    pub title: Text,
    pub detail: Option<Text>,
}

#[derive(Debug, Message)]
#[message(code = "task.ruling")]
enum Says {
    #[message(
        en = "Everything that was asked for is proven. It waits for your review.",
        zh = "所要求的都已得到证明，等待你审阅。"
    )]
    Proven,
    #[message(
        en = "Ready for your review; not all of it is proven.",
        zh = "等待你审阅；并非全部得到证明。"
    )]
    Gaps,
    #[message(
        en = "The judge said PASS. What was run says otherwise, and that counts.",
        zh = "评审认为通过，但实际运行的结果并非如此，以运行结果为准。"
    )]
    Contradicted,
    #[message(
        en = "What was run does not hold, and that counts.",
        zh = "实际运行的结果不成立，以运行结果为准。"
    )]
    Red,
}

impl Ruling {
    pub(super) fn of(row: &BoardRow, status: &Status) -> Self {
        let standing = |fact| row.seals.iter().find(|it| it.fact == fact).map(|it| it.standing);
        let is_red = [SealFact::Tests, SealFact::Claims]
            .into_iter()
            .any(|it| standing(it) == Some(SealStanding::Contradicted));
        let is_lowered = standing(SealFact::Judge) == Some(SealStanding::Contradicted)
            && row
                .seals
                .iter()
                .any(|it| it.detail.as_ref().and_then(Text::code) == Some("task.seal.lowered"));
        let is_proven = row
            .seals
            .iter()
            .filter(|it| it.fact != SealFact::Review)
            .all(|it| matches!(it.standing, SealStanding::Verified | SealStanding::NotAsked));
        let says = match row.phase {
            Phase::Ready if is_proven => Some(Says::Proven),
            Phase::Ready => Some(Says::Gaps),
            Phase::Failed | Phase::Paused if is_lowered => Some(Says::Contradicted),
            Phase::Failed if is_red => Some(Says::Red),
            Phase::Queued
            | Phase::Running
            | Phase::Paused
            | Phase::Stale
            | Phase::Approved
            | Phase::Rejected
            | Phase::Landing
            | Phase::Landed
            | Phase::Undone
            | Phase::Failed
            | Phase::Untrusted => None,
        };
        match says {
            Some(says) => Self { title: says.text(), detail: Some(status.text()) },
            None => Self { title: row.why.clone(), detail: row.detail.clone() },
        }
    }
}
