//! What each tool takes. An update has its own table.

use provost_kernel::story::ExecutionStatus;

use crate::update::keys::{Key, LINE, MAX_FILES, Shape, key, lines};

/// What is said of a key of the original's that asks for something provost does not do.
pub(super) const UNUSED: [&str; 2] =
    ["accepted and not used; the answer says so", "接受但不使用;回答中会说明"];

const TEXT: Shape = Shape::Text(LINE);

const BRANCH: Key = key("branch", TEXT, ["the branch of the plan", "计划的分支"]);
const BRANCH_OF_STORY: Key = key(
    "branch",
    TEXT,
    ["the branch of its plan, if several have the story", "计划的分支(多个计划含此故事时)"],
);
const CURSOR: Key = key(
    "cursor",
    TEXT,
    [
        "`nextCursor` of the answer before, for what it left out",
        "上一个回答的 `nextCursor`，用于获取其余内容",
    ],
);
const STORY: Key = key("storyId", Shape::StoryId, ["the story", "故事"]);

pub(super) static START: &[Key] = &[
    key(
        "prdPath",
        TEXT,
        [
            "the plan: a file in the repository, from `projectRoot` or absolute",
            "计划文件:位于仓库内,相对 `projectRoot` 或绝对路径",
        ],
    )
    .required(),
    key(
        "projectRoot",
        TEXT,
        [
            "a folder in the repository; the one in which the server was started, if none is named",
            "仓库中的文件夹;缺省为服务器启动时所在的文件夹",
        ],
    ),
    key(
        "ignoreDependencies",
        Shape::Truth,
        ["start although plans that come first are not done", "即使所依赖的计划未完成也启动"],
    ),
    key("worktree", Shape::Truth, UNUSED),
    key("autoStart", Shape::Truth, UNUSED),
    key("autoMerge", Shape::Truth, UNUSED),
    key("notifyOnComplete", Shape::Truth, UNUSED),
    key("onConflict", TEXT, UNUSED),
    key("contextInjectionPath", TEXT, UNUSED),
    key("queueIfBlocked", Shape::Truth, UNUSED),
];

pub(super) static STATUS: &[Key] = &[
    key("project", TEXT, ["only plans of this project", "仅显示该项目的计划"]),
    key(
        "status",
        Shape::OneOf(ExecutionStatus::WORDS),
        ["only plans with this status", "仅显示该状态的计划"],
    ),
    key(
        "historyLimit",
        Shape::Count,
        ["how many plans of history are shown, at most 1000", "显示的历史计划数,最多 1000"],
    ),
    CURSOR,
    key("reconcile", Shape::Truth, UNUSED),
];

pub(super) static GET: &[Key] = &[
    key(
        "branch",
        TEXT,
        [
            "the branch of the plan; may be left out where there is one plan",
            "计划的分支;只有一个计划时可省略",
        ],
    ),
    key(
        "storyId",
        Shape::StoryId,
        ["one story, with its declarations and all updates", "单个故事及其声明与全部更新"],
    ),
    CURSOR,
];

pub(super) static DECLARE: &[Key] = &[
    STORY.required(),
    BRANCH_OF_STORY,
    key(
        "expectedFiles",
        Shape::Texts { each: LINE, most: MAX_FILES },
        [
            "paths from the root of the repository; a folder that is new ends with `/`",
            "相对仓库根的路径;新文件夹以 `/` 结尾",
        ],
    )
    .or(&["files"])
    .required(),
    key("reason", lines(4000), ["why it differs from the one before", "与之前不同的原因"]),
];

pub(super) static VERIFY: &[Key] = &[STORY.required(), BRANCH_OF_STORY];

pub(super) static STOP: &[Key] = &[
    BRANCH.required(),
    key("deleteRecord", Shape::Truth, ["put it into history", "归入历史"]),
    key("cleanup", Shape::Truth, UNUSED),
];

pub(super) static RETRY: &[Key] =
    &[BRANCH.required(), key("wipPolicy", Shape::OneOf(&["stash", "commit", "keep"]), UNUSED)];

pub(super) static CLAIM_READY: &[Key] = &[BRANCH.required()];

pub(super) static SET_AGENT_ID: &[Key] = &[
    BRANCH.required(),
    key("agentTaskId", TEXT, ["who works on it", "执行该计划的代理"]).required(),
    key("logPath", TEXT, UNUSED),
];

pub(super) static RESET_STAGNATION: &[Key] = &[
    BRANCH.required(),
    key(
        "resumeExecution",
        Shape::Truth,
        [
            "whether a plan that failed runs again; true if left out",
            "失败的计划是否恢复运行;缺省为是",
        ],
    ),
];

pub(super) static DOCTOR: &[Key] =
    &[key("projectRoot", TEXT, UNUSED), key("verbose", Shape::Truth, UNUSED)];
