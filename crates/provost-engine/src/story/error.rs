//! Errors of operations on stories. A rejected claim is an answer, not an error.

use provost_desk::story::StoriesError;
use provost_exec::{ExecError, git::GitError};
use provost_kernel::{
    Exit, IdError, Message,
    story::{BranchName, ExecutionIdError, StoryId},
};
use provost_rules_story::{
    declaration::DeclarationError, execution::TransitionError, plan::PlanFault,
};
use provost_store::StoreError;
use provost_vault::{FileError, audit::AuditError};

/// An operation on a story that failed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "story.error")]
pub enum StoryError {
    #[error(transparent)]
    #[message(transparent)]
    Stories(#[from] StoriesError),
    #[error(transparent)]
    #[message(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    #[message(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Plan(#[from] PlanFault),
    // An invalid declaration was judged.
    #[error(transparent)]
    #[message(en = "{0}", zh = "{0}", inherit = field0, exit = Refused)]
    Declaration(#[from] DeclarationError),
    #[error(transparent)]
    #[message(transparent)]
    Transition(#[from] TransitionError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    #[message(transparent)]
    Id(IdError),
    #[error(transparent)]
    #[message(transparent)]
    ExecutionId(ExecutionIdError),
    #[message(
        en = "unknown story `{name}`",
        zh = "找不到故事 `{name}`",
        arg(shown = first(known)),
        hint(
            when = known.is_empty(),
            en = "start a plan with `provost story start`",
            zh = "请先用 `provost story start` 启动计划",
        ),
        hint(when = !known.is_empty(), en = "known are {shown:names}", zh = "已有 {shown:names}")
    )]
    Missing { name: String, known: Vec<String> },
    #[message(
        en = "more than one plan has a story `{name}`",
        zh = "多个计划都有故事 `{name}`",
        arg(shown = first(candidates)),
        hint(en = "use one of {shown:names}", zh = "请指明 {shown:names} 之一")
    )]
    Ambiguous { name: String, candidates: Vec<String> },
    #[message(
        en = "unknown plan `{name}`",
        zh = "找不到计划 `{name}`",
        arg(shown = first(known)),
        hint(
            when = known.is_empty(),
            en = "start a plan with `provost story start`",
            zh = "请先用 `provost story start` 启动计划",
        ),
        hint(when = !known.is_empty(), en = "known are {shown:names}", zh = "已有 {shown:names}")
    )]
    UnknownPlan { name: String, known: Vec<String> },
    #[message(
        en = "no plan has been started",
        zh = "尚未启动任何计划",
        hint(
            en = "start a plan with `provost story start`",
            zh = "请先用 `provost story start` 启动计划",
        )
    )]
    NoPlan,
    /// Several plans are active, and the caller named none.
    #[message(
        en = "more than one plan is active",
        zh = "有多个计划正在进行",
        arg(shown = first(known)),
        hint(en = "use one of {shown:names}", zh = "请指明 {shown:names} 之一")
    )]
    SeveralPlans { known: Vec<String> },
    /// The update is about a story of another plan than the one that was named.
    #[message(
        en = "the update is for branch `{found}`, but the story belongs to `{expected}`",
        zh = "更新针对分支 `{found}`，而该故事属于 `{expected}`"
    )]
    OtherBranch { found: String, expected: BranchName },
    #[message(
        en = "branch `{branch}` has an active plan",
        zh = "分支 `{branch}` 已在进行中",
        hint(
            en = "`provost story status` shows its progress; a person ends it with `provost story stop {branch} --archive`",
            zh = "`provost story status` 显示其进度；可由人用 `provost story stop {branch} --archive` 结束它",
        ),
        exit = Conflict
    )]
    Taken { branch: BranchName },
    /// Plans that come first are not done.
    #[message(
        en = "`{branch}` depends on {on}, which {on:is|are} not done",
        zh = "`{branch}` 依赖 {on}，后者尚未完成",
        hint(
            en = "finish it first, or start with `--ignore-dependencies`",
            zh = "请先完成它，或使用 `--ignore-dependencies`",
        ),
        exit = Refused
    )]
    Waiting { branch: BranchName, on: Vec<String> },
    #[message(
        en = "the base of {story} is not in the repository any more",
        zh = "仓库中已没有 {story} 的起点",
        hint(
            en = "fetch the commit again, or start the plan anew",
            zh = "请重新取回该提交，或重新启动计划",
        )
    )]
    NoBase { story: StoryId },
    #[message(en = "cannot create a scratch folder", zh = "无法建立临时文件夹")]
    Scratch(#[source] std::io::Error),
    #[message(en = "interrupted by a signal", zh = "检查被信号中断")]
    Interrupted,
}

/// The names that a hint shows.
fn first(names: &[String]) -> &[String] {
    names.get(..10).unwrap_or(names)
}

impl StoryError {
    /// The stable name of what is the matter, for callers that branch on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "STORY_MISSING",
            Self::Ambiguous { .. } => "STORY_AMBIGUOUS",
            Self::NoPlan | Self::UnknownPlan { .. } => "PLAN_MISSING",
            Self::SeveralPlans { .. } => "PLAN_AMBIGUOUS",
            Self::OtherBranch { .. } => "OTHER_BRANCH",
            Self::Taken { .. } => "BRANCH_TAKEN",
            Self::Waiting { .. } => "DEPENDENCIES_OPEN",
            Self::NoBase { .. } => "BASE_MISSING",
            Self::Stories(StoriesError::IndexDiffers { .. }) => "INDEX_DIFFERS",
            Self::Plan(_) => "PLAN_INVALID",
            Self::Declaration(_) => "DECLARATION_INVALID",
            Self::Transition(_) => "STATUS_CONFLICT",
            Self::Interrupted => "INTERRUPTED",
            Self::Git(_) => "GIT",
            Self::Stories(_)
            | Self::Exec(_)
            | Self::File(_)
            | Self::Audit(_)
            | Self::Id(_)
            | Self::ExecutionId(_)
            | Self::Scratch(_) => match self.exit() {
                Exit::Integrity => "INTEGRITY",
                Exit::Conflict => "CONFLICT",
                Exit::Success | Exit::Refused | Exit::Unable | Exit::Paused | Exit::Quota => {
                    "UNABLE"
                }
            },
        }
    }
}

impl From<StoreError> for StoryError {
    fn from(error: StoreError) -> Self {
        Self::Stories(error.into())
    }
}
