//! What a change may not touch and may not carry.

use provost_kernel::task::{EventKind, PauseCode, State};
use serde_json::json;

use super::{
    Body, Case,
    Expected::{Consumed, Events, Paused, State as Is},
    Scene, case,
};

/// A token with the form of a real one, in two parts so that this file does not carry it.
const TOKEN: &str = concat!("ghp_", "Zx8Qm3Lr7Tn5Vb2Kc9Wd4Hf6Jg1Ps0YuAe3Ri");

pub(super) const CASES: &[Case] = &[
    case!(
        "forbidden_glob",
        "a root-level `.env` that git does not track is refused before anything of it runs",
        "根目录下未被 git 跟踪的 `.env` 在运行前即被拒绝",
        |it| Scene::run(json!({ "coder": it.or("script:touches_forbidden", "script:pass") })),
        [
            Paused(PauseCode::ForbiddenGlobs),
            Consumed(0),
            Events(EventKind::TestStarted, 0),
            Events(EventKind::JudgeStarted, 0),
        ],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "forbidden_glob_of_task",
        "a file that the task itself forbids is refused",
        "任务自身禁止的文件被拒绝",
        |it| Scene::run(json!({ "forbidden_globs": it.or(["**/answer.txt"], ["**/other.txt"]) })),
        [Paused(PauseCode::ForbiddenGlobs), Consumed(0), Events(EventKind::TestStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "allowed_paths",
        "a file outside the allowed paths is refused",
        "允许路径之外的文件被拒绝",
        |it| Scene::run(json!({ "allowed_paths": it.or(["src"], ["answer.txt"]) })),
        [Paused(PauseCode::AllowedPaths), Consumed(0), Events(EventKind::TestStarted, 0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "allowed_paths_prefix",
        "the start of a name allows no other name",
        "名称的前缀不等于允许",
        |it| Scene::run(json!({ "allowed_paths": it.or(["answer"], ["answer.txt"]) })),
        [Paused(PauseCode::AllowedPaths), Consumed(0)],
        [Is(State::ReadyForReview)],
    ),
    case!(
        "secrets",
        "a change that carries a token is refused before anything of it runs",
        "含有令牌的变更在运行前即被拒绝",
        |it| {
            let value = it.or(TOKEN, "42");
            let script = format!("echo 42 > answer.txt; echo 'token: {value}' > notes.txt");
            Scene::run(json!({ "coder": "careless" })).agent("careless", "coder", &script, "Done.")
        },
        [
            Paused(PauseCode::Secrets),
            Consumed(0),
            Events(EventKind::TestStarted, 0),
            Events(EventKind::JudgeStarted, 0),
        ],
        [Is(State::ReadyForReview)],
    ),
];
