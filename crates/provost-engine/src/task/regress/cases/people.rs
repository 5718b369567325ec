//! What people order, and what happens to the coordinator itself.

use provost_kernel::{
    Exit,
    task::{Checkpoint, EventKind, Order, PauseCode, State},
};
use serde_json::json;

use super::{
    super::scene::{Act, Meanwhile},
    Body, Case,
    Expected::{
        Attempts, Consumed, Events, Exit as Exits, InPrompt, NotInPrompt, Paused, Second, Sound,
        State as Is, Unsound,
    },
    Scene, Trigger, case,
};

const WORDS: &str = "the blue reading, please";

fn answer() -> Act {
    Act::Order(Order::Answer { text: WORDS.to_owned() })
}

/// A run in which something happens at a checkpoint, or nothing.
fn until(trigger: Trigger, at: Checkpoint, what: Meanwhile) -> Act {
    Act::RunUntil(json!({}), at, trigger.or(what, Meanwhile::Nothing))
}

pub(super) const CASES: &[Case] = &[
    case!(
        "pause",
        "a pause takes effect at the next checkpoint and does not count",
        "暂停在下一个检查点生效且不计次数",
        |it| Scene::of([until(it, Checkpoint::BeforeTest, Meanwhile::Pause)]),
        [
            Paused(PauseCode::User),
            Consumed(0),
            Events(EventKind::CoderFinished, 1),
            Events(EventKind::TestStarted, 0),
            Exits(Exit::Paused),
        ],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "pause_resume",
        "a task that was paused can go on to its end",
        "被暂停的任务可以继续到结束",
        |it| Scene::of(
            [until(Trigger::Present, Checkpoint::BeforeJudge, Meanwhile::Pause)]
                .into_iter()
                .chain(it.or(Some(Act::Resume), None)),
        ),
        [Is(State::ReadyForReview), Attempts(2), Consumed(0)],
        [Paused(PauseCode::User)],
    ),
    case!(
        "signal",
        "a coordinator that is asked to end says so in the state, once",
        "收到结束信号的协调进程会在状态中说明一次",
        |it| Scene::of([until(it, Checkpoint::AfterCoder, Meanwhile::Signal)]),
        [
            Paused(PauseCode::Crash),
            Consumed(0),
            Events(EventKind::CoordinatorCrashed, 1),
            Exits(Exit::Paused),
        ],
        [Is(State::ReadyForReview), Events(EventKind::CoordinatorCrashed, 0)],
    ),
    case!(
        "signal_resume",
        "after a crash the task can go on to its end",
        "崩溃之后任务可以继续到结束",
        |it| Scene::of(
            [until(Trigger::Present, Checkpoint::BeforeJudge, Meanwhile::Signal)]
                .into_iter()
                .chain(it.or(Some(Act::Resume), None)),
        ),
        [Is(State::ReadyForReview), Events(EventKind::CoordinatorCrashed, 1), Consumed(0)],
        [Paused(PauseCode::Crash)],
    ),
    case!(
        "two_coordinators",
        "a task that somebody runs cannot be run by another",
        "正在运行的任务不能被第二个进程运行",
        |it| Scene::of(it.or(
            vec![until(Trigger::Present, Checkpoint::BeforeTest, Meanwhile::Second)],
            vec![Act::Run(json!({})), Act::Run(json!({}))],
        )),
        [Second(Exit::Conflict), Is(State::ReadyForReview), Events(EventKind::CoderStarted, 1)],
        [Exits(Exit::Success), Is(State::ReadyForReview)],
    ),
    case!(
        "answer_once",
        "an answer is told to one attempt and to no other",
        "回答只告知一次尝试",
        |it| Scene::of(
            [Act::Run(json!({ "judge": "script:need_input" })), answer(), Act::Resume]
                .into_iter()
                .chain(it.or(None, Some(answer())))
                .chain([Act::Resume]),
        ),
        [
            NotInPrompt(1, WORDS),
            InPrompt(2, WORDS),
            NotInPrompt(3, WORDS),
            Attempts(3),
            Consumed(0)
        ],
        [InPrompt(2, WORDS), InPrompt(3, WORDS)],
    ),
    case!(
        "edit",
        "an edited instruction reaches the next attempt",
        "修改后的指示会送达下一次尝试",
        |it| {
            let edit = Act::Order(Order::Edit { instruction: WORDS.to_owned() });
            Scene::of(
                [until(Trigger::Present, Checkpoint::BeforeCoder, Meanwhile::Pause)]
                    .into_iter()
                    .chain(it.or(Some(edit), None))
                    .chain([Act::Resume]),
            )
        },
        [InPrompt(2, WORDS), Is(State::ReadyForReview)],
        [NotInPrompt(2, WORDS), Is(State::ReadyForReview)],
    ),
    case!(
        "reject",
        "the reason of a rejection reaches the next attempt",
        "拒绝的理由会送达下一次尝试",
        |it| {
            let reject = Act::Order(Order::Reject { because: WORDS.to_owned() });
            Scene::of(
                [Act::Run(json!({}))]
                    .into_iter()
                    .chain(it.or(Some(reject), None))
                    .chain([Act::Resume]),
            )
        },
        [InPrompt(2, WORDS), Is(State::ReadyForReview), Attempts(2)],
        [NotInPrompt(2, WORDS), Is(State::ReadyForReview)],
    ),
    case!(
        "selfcheck",
        "files that do not agree are found",
        "不一致的文件会被发现",
        |it| Scene::of(
            [Act::Run(json!({}))].into_iter().chain(it.or(None, Some(Act::SpoilSummary))),
        ),
        [Sound, Is(State::ReadyForReview)],
        [Unsound, Is(State::ReadyForReview)],
    ),
];
