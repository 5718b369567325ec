//! Coders and tests: what they deliver, and how they end.

use provost_kernel::{
    Exit,
    task::{EventKind, PauseCode, Row, Standing, State, VerdictDecision},
};
use serde_json::json;

use super::{
    super::scene::Act,
    Body, Case,
    Expected::{
        Attempts, Checked, Consumed, Decision, Events, Exit as Exits, InPrompt, Paused,
        Row as Decided, State as Is, Unchanged,
    },
    Scene, Trigger, case,
};

/// An agent that needs two seconds.
fn slow(acts: impl IntoIterator<Item = Act>) -> Scene {
    Scene::of(acts).agent("slow", "coder", "sleep 2; echo 42 > answer.txt", "Done.")
}

/// A run of the slow agent, with a second or with a minute.
fn slow_run(trigger: Trigger) -> Act {
    Act::Run(json!({ "coder": "slow", "coder_timeout_seconds": trigger.or(1, 60) }))
}

pub(super) const CASES: &[Case] = &[
    case!(
        "hello_pass",
        "a change that passes its test is ready for review",
        "通过测试的变更进入待评审状态",
        |it| Scene::run(json!({
            "coder": it.or("script:pass", "script:fail"), "max_attempts": 1,
        })),
        [
            Is(State::ReadyForReview),
            Decision(VerdictDecision::Pass),
            Exits(Exit::Success),
            Attempts(1),
            Consumed(0),
            Checked("tests", Standing::Verified),
        ],
        [Is(State::Failed), Exits(Exit::Refused)],
    ),
    case!(
        "never_fixed",
        "a test that never passes fails the task after its attempts",
        "始终不通过的测试在用完次数后使任务失败",
        |it| Scene::run(json!({ "test_cmd": it.or("test -e never.txt", "sh check.sh") })),
        [
            Is(State::Failed),
            Decision(VerdictDecision::Fail),
            Attempts(3),
            Consumed(3),
            Exits(Exit::Refused),
        ],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "fail_then_fix",
        "the next attempt is told why, and can fix it",
        "下一次尝试会得知原因并能改正",
        |it| Scene::run(json!({ "coder": it.or("script:fail_then_fix", "script:fail") })),
        [
            Is(State::ReadyForReview),
            Attempts(2),
            Consumed(1),
            InPrompt(2, "answer.txt does not say 42"),
        ],
        [Is(State::Failed), InPrompt(2, "answer.txt does not say 42")],
    ),
    case!(
        "task_id_conflict",
        "another spec under the same id changes nothing",
        "同一 id 下的另一份说明不改变任何内容",
        |it| Scene::of([
            Act::Run(json!({})),
            Act::Run(it.or(json!({ "goal": "Something else." }), json!({}))),
        ]),
        [Exits(Exit::Conflict), Unchanged, Is(State::ReadyForReview)],
        [Exits(Exit::Success), Unchanged],
    ),
    case!(
        "coder_timeout",
        "a coder that takes too long pauses the task and does not count",
        "超时的编码智能体使任务暂停且不计次数",
        |it| slow([slow_run(it)]),
        [Paused(PauseCode::CoderTimeout), Consumed(0), Events(EventKind::TestStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "same_timeout_twice",
        "the same timeout in two attempts fails the task, also across a restart",
        "同类超时连续两次即失败，重启后亦然",
        |it| slow([slow_run(Trigger::Present)].into_iter().chain(it.or(Some(Act::Resume), None))),
        [Is(State::Failed), Decided(Row::TimeoutTwice), Exits(Exit::Refused)],
        [Paused(PauseCode::CoderTimeout)],
    ),
    case!(
        "test_timeout",
        "a test that takes too long pauses the task and counts",
        "超时的测试使任务暂停并计入次数",
        |it| Scene::run(json!({
            "test_cmd": "sleep 2 && sh check.sh", "test_timeout_seconds": it.or(1, 60),
        })),
        [Paused(PauseCode::TestTimeout), Consumed(1), Events(EventKind::JudgeStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "coder_auth",
        "a coder without a login pauses the task and does not count",
        "未登录的编码智能体使任务暂停且不计次数",
        |it| Scene::run(json!({ "coder": it.or("script:not_authorised", "script:pass") })),
        [Paused(PauseCode::CoderAuth), Consumed(0), Exits(Exit::Paused)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "coder_quota",
        "a spent quota has an exit code of its own",
        "额度用尽有专门的退出码",
        |it| Scene::run(json!({ "coder": it.or("script:quota", "script:pass") })),
        [Paused(PauseCode::Quota), Consumed(0), Exits(Exit::Quota)],
        [Is(State::ReadyForReview), Exits(Exit::Success)],
    ),
    case!(
        "coder_failed",
        "a coder that ends with an error is not judged, and counts",
        "出错退出的编码智能体不予评审，计入次数",
        |it| Scene::run(json!({ "coder": it.or("script:crash", "script:pass") })),
        [Paused(PauseCode::CoderFailed), Consumed(1), Events(EventKind::JudgeStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "coder_no_output",
        "a coder that changed and said nothing is not judged, and counts",
        "既无变更也无回复的编码智能体不予评审，计入次数",
        |it| Scene::run(json!({ "coder": it.or("script:no_output", "script:pass") })),
        [Paused(PauseCode::CoderNoOutput), Consumed(1), Events(EventKind::JudgeStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "adapter_missing",
        "an unknown agent is named, and makes no task",
        "未知的智能体会被指出，且不会创建任务",
        |it| Scene::run(json!({ "coder": it.or("no-such-agent", "script:pass") })),
        [Exits(Exit::Unable), Unchanged, Attempts(0), Events(EventKind::CoderStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "not_git_repo",
        "a folder that is not a repository is named, and makes no task",
        "不是仓库的文件夹会被指出，且不会创建任务",
        |it| Scene::run(it.or(json!({ "repo_path": "/proc" }), json!({}))),
        [Exits(Exit::Unable), Unchanged, Attempts(0), Events(EventKind::CoderStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "untested",
        "a task without a test is never shown as tested",
        "没有测试的任务绝不显示为已测试",
        |it| Scene::run(json!({ "test_cmd": it.or(None, Some("sh check.sh")) })),
        [Is(State::ReadyForReview), Checked("tests", Standing::NotVerified)],
        [Is(State::ReadyForReview), Checked("tests", Standing::Verified)],
    ),
];
