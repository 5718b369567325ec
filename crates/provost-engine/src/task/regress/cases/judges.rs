//! Judges: what they may say, and what is made of it.

use provost_kernel::{
    Exit,
    task::{EventKind, PauseCode, State, VerdictDecision},
};
use serde_json::json;

use super::{
    Body, Case,
    Expected::{Asked, Consumed, Decision, Events, Exit as Exits, Paused, State as Is},
    Scene, Trigger, case,
};

/// A task with a rubric, judged by this one, or by one that approves.
fn typed(trigger: Trigger, judge: &str) -> Scene {
    Scene::run(json!({
        "task_type": "engineering_impl", "judge": trigger.or(judge, "script:pass"),
    }))
}

/// A task with a rubric and these thresholds, or with none.
fn threshold(trigger: Trigger, thresholds: serde_json::Value) -> Scene {
    Scene::run(json!({
        "task_type": "engineering_impl",
        "judge": "script:pass",
        "rubric_thresholds": trigger.or(thresholds, json!({})),
    }))
}

const PLAIN: &str =
    r#"{"decision":"PASS","reasons":["fine"],"next_instructions":"","questions_for_user":[]}"#;

pub(super) const CASES: &[Case] = &[
    case!(
        "b4_verdict",
        "a typed task whose verdict is complete is ready for review",
        "裁决完整的有类型任务进入待评审状态",
        |it| Scene::run(json!({
            "task_type": "engineering_impl",
            "scoring_mode": "rubric_analytic",
            "max_attempts": 1,
            "judge": it.or("script:mock", "script:fail"),
        })),
        [Is(State::ReadyForReview), Decision(VerdictDecision::Pass)],
        [Is(State::Failed), Decision(VerdictDecision::Fail)],
    ),
    case!(
        "judge_timeout",
        "a judge that takes too long pauses the task and does not count",
        "超时的评审者使任务暂停且不计次数",
        |it| Scene::run(json!({
            "judge": it.or("script:time_out", "script:mock"), "judge_timeout_seconds": it.or(1, 60),
        })),
        [Paused(PauseCode::JudgeTimeout), Consumed(0), Events(EventKind::JudgeRetried, 2)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "need_user_input",
        "a judge's own questions reach the person",
        "评审者自己的问题会送达用户",
        |it| Scene::run(json!({ "judge": it.or("script:need_input", "script:mock") })),
        [
            Paused(PauseCode::WaitingUserInput),
            Asked("Which of the two readings is meant?"),
            Consumed(0),
            Exits(Exit::Paused),
        ],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "judge_auth",
        "a judge without a login pauses the task and does not count",
        "未登录的评审者使任务暂停且不计次数",
        |it| Scene::run(json!({ "judge": it.or("script:not_authorised", "script:mock") })),
        [Paused(PauseCode::JudgeAuth), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "judge_quota",
        "a judge's spent quota has an exit code of its own",
        "评审者额度用尽有专门的退出码",
        |it| Scene::run(json!({ "judge": it.or("script:quota", "script:mock") })),
        [Paused(PauseCode::Quota), Consumed(0), Exits(Exit::Quota)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "plain_verdict_on_typed",
        "a verdict without scores cannot approve a task with a rubric",
        "没有评分的裁决不能批准有评分标准的任务",
        |it| Scene::run(json!({
            "judge": "plain", "task_type": it.or(Some("engineering_impl"), None),
        }))
        .agent("plain", "judge", "", PLAIN),
        [Paused(PauseCode::VerdictInvalid), Consumed(0), Events(EventKind::JudgeRetried, 2),],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "flat_scores",
        "a verdict that gives every dimension the same score contradicts itself",
        "所有维度同分的裁决自相矛盾",
        |it| typed(it, "script:flat_scores"),
        [Paused(PauseCode::VerdictInconsistent), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "wrong_sums",
        "a verdict whose sums are not its sums is refused",
        "合计有误的裁决被拒绝",
        |it| typed(it, "script:wrong_sums"),
        [Paused(PauseCode::VerdictInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "wrong_mode",
        "a verdict by impression cannot approve",
        "凭印象的裁决不能批准",
        |it| typed(it, "script:wrong_mode"),
        [Paused(PauseCode::ModeInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "task_mode",
        "a task that asks for an impression cannot be approved",
        "要求凭印象评分的任务不能获批",
        |it| Scene::run(json!({
            "task_type": "engineering_impl",
            "scoring_mode": it.or("holistic_impression", "rubric_analytic"),
        })),
        [Paused(PauseCode::ModeInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "gated",
        "a hard gate under its threshold pauses the task and counts",
        "硬性门槛不达标使任务暂停并计入次数",
        |it| typed(it, "script:gated"),
        [Paused(PauseCode::ScoreGated), Consumed(1), Decision(VerdictDecision::Fail),],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "below_threshold",
        "a score under the least score of the task pauses it and counts",
        "低于任务最低总分使任务暂停并计入次数",
        |it| threshold(it, json!({ "min_score": 4.9 })),
        [Paused(PauseCode::ScoreBelowThreshold), Consumed(1)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "below_threshold_of_100",
        "a least score over 5 is one of 100",
        "大于 5 的最低分按百分制计算",
        |it| threshold(it, json!({ "min_score": 95 })),
        [Paused(PauseCode::ScoreBelowThreshold), Consumed(1)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "below_threshold_of_dimension",
        "a dimension under its own threshold pauses the task",
        "单个维度低于自身门槛使任务暂停",
        |it| threshold(it, json!({ "security": 5 })),
        [Paused(PauseCode::ScoreBelowThreshold), Consumed(1)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "tests_gate",
        "a judge cannot approve what the test refused",
        "评审者不能批准测试未通过的变更",
        |it| Scene::run(json!({
            "coder": it.or("script:fail", "script:pass"), "judge": "script:pass", "max_attempts": 1,
        })),
        [Is(State::Failed), Decision(VerdictDecision::Fail), Events(EventKind::DecisionLowered, 1),],
        [Is(State::ReadyForReview), Events(EventKind::DecisionLowered, 0)],
    ),
    case!(
        "tests_gate_typed",
        "scores cannot approve what the test refused",
        "评分不能批准测试未通过的变更",
        |it| Scene::run(json!({
            "task_type": "engineering_impl",
            "coder": it.or("script:fail", "script:pass"),
            "judge": "script:pass",
            "max_attempts": 1,
        })),
        [Is(State::Failed), Decision(VerdictDecision::Fail), Events(EventKind::DecisionLowered, 1),],
        [Is(State::ReadyForReview), Events(EventKind::DecisionLowered, 0)],
    ),
    case!(
        "bad_json",
        "half a verdict is asked for again and then refused",
        "残缺的裁决会重新询问，然后被拒绝",
        |it| typed(it, "script:bad_json"),
        [Paused(PauseCode::VerdictInvalid), Events(EventKind::JudgeRetried, 2), Consumed(0)],
        [Is(State::ReadyForReview), Events(EventKind::JudgeRetried, 0)],
    ),
    case!(
        "duplicate_keys",
        "a verdict that says a thing twice is refused",
        "含重复键的裁决被拒绝",
        |it| typed(it, "script:duplicate_keys"),
        [Paused(PauseCode::VerdictInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "trailing_text",
        "a verdict with prose after it is refused",
        "裁决之后附带文字即被拒绝",
        |it| typed(it, "script:trailing_text"),
        [Paused(PauseCode::VerdictInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "judge_no_output",
        "a judge that says nothing approves nothing",
        "没有回复的评审者不能批准",
        |it| typed(it, "script:no_output"),
        [Paused(PauseCode::VerdictInvalid), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
];
