//! Why something could not be done about a story. What an agent got wrong is no error.

use provost_desk::story::StoriesError;
use provost_exec::{ExecError, git::GitError};
use provost_kernel::{
    Exit, Fault, IdError, Message, Text,
    story::{BranchName, ExecutionIdError, StoryId},
};
use provost_rules_story::{
    declaration::DeclarationError, execution::TransitionError, plan::PlanFault,
};
use provost_store::StoreError;
use provost_vault::{FileError, audit::AuditError};

/// Something that could not be done about a story.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum StoryError {
    #[error(transparent)]
    Stories(#[from] StoriesError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Plan(#[from] PlanFault),
    #[error(transparent)]
    Declaration(#[from] DeclarationError),
    #[error(transparent)]
    Transition(#[from] TransitionError),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Id(IdError),
    #[error(transparent)]
    ExecutionId(ExecutionIdError),
    /// No story has this name; these have others.
    Missing { name: String, known: Vec<String> },
    /// More than one story has this name.
    Ambiguous { name: String, candidates: Vec<String> },
    /// No plan has this name, or there is none at all.
    NoPlan { name: Option<String>, known: Vec<String> },
    /// Several plans go on, and nobody said which one is meant.
    SeveralPlans { known: Vec<String> },
    /// The update is about a story of another plan than the one that was named.
    OtherBranch { found: String, expected: BranchName },
    /// The branch is being worked on already.
    Taken { branch: BranchName },
    /// Plans that come first are not done.
    Waiting { branch: BranchName, on: Vec<String> },
    /// What the work set out from is gone.
    NoBase { story: StoryId },
    /// There is no place to work in.
    Scratch(#[source] std::io::Error),
    /// A signal ended it.
    Interrupted,
}

impl StoryError {
    /// The stable name of what is the matter, for whoever branches on it.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "STORY_MISSING",
            Self::Ambiguous { .. } => "STORY_AMBIGUOUS",
            Self::NoPlan { .. } => "PLAN_MISSING",
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

    /// The error of the layer that it comes from.
    fn inner(&self) -> Option<&dyn Fault> {
        match self {
            Self::Stories(error) => Some(error),
            Self::Git(error) => Some(error),
            Self::Exec(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Plan(error) => Some(error),
            Self::Declaration(error) => Some(error),
            Self::Transition(error) => Some(error),
            Self::Audit(error) => Some(error),
            Self::Id(error) => Some(error),
            Self::ExecutionId(error) => Some(error),
            Self::Missing { .. }
            | Self::Ambiguous { .. }
            | Self::NoPlan { .. }
            | Self::SeveralPlans { .. }
            | Self::OtherBranch { .. }
            | Self::Taken { .. }
            | Self::Waiting { .. }
            | Self::NoBase { .. }
            | Self::Scratch(_)
            | Self::Interrupted => None,
        }
    }
}

impl Message for StoryError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            if let Some(inner) = self.inner() {
                return inner.text().render(lang);
            }
            match self {
            Self::Missing { name, .. } => {
                lang.pick(format!("there is no story `{name}`"), format!("没有故事 `{name}`"))
            }
            Self::Ambiguous { name, .. } => lang.pick(
                format!("more than one plan has a story `{name}`"),
                format!("多个计划都有故事 `{name}`"),
            ),
            Self::NoPlan { name: Some(name), .. } => {
                lang.pick(format!("there is no plan `{name}`"), format!("没有计划 `{name}`"))
            }
            Self::NoPlan { name: None, .. } => {
                lang.pick("no plan was started", "尚未启动任何计划").to_owned()
            }
            Self::SeveralPlans { .. } => {
                lang.pick("more than one plan goes on", "有多个计划正在进行").to_owned()
            }
            Self::OtherBranch { found, expected } => lang.pick(
                format!(
                    "the update is for the branch `{found}`, and the story belongs to `{expected}`"
                ),
                format!("更新针对分支 `{found}`,而该故事属于 `{expected}`"),
            ),
            Self::Taken { branch } => lang.pick(
                format!("the branch `{branch}` is being worked on already"),
                format!("分支 `{branch}` 已在进行中"),
            ),
            Self::Waiting { branch, on } => {
                let on = on.join(", ");
                lang.pick(
                    format!("`{branch}` comes after {on}, which is not done"),
                    format!("`{branch}` 依赖 {on},后者尚未完成"),
                )
            }
            Self::NoBase { story } => lang.pick(
                format!("what {story} set out from is no longer in the repository"),
                format!("仓库中已没有 {story} 的起点"),
            ),
            Self::Scratch(_) => {
                lang.pick("cannot make a folder to work in", "无法建立工作文件夹").to_owned()
            }
            Self::Interrupted => lang.pick("a signal ended the look", "检查被信号中断").to_owned(),
            // Said above.
            Self::Stories(_)
            | Self::Git(_)
            | Self::Exec(_)
            | Self::File(_)
            | Self::Plan(_)
            | Self::Declaration(_)
            | Self::Transition(_)
            | Self::Audit(_)
            | Self::Id(_)
            | Self::ExecutionId(_) => String::new(),
        }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            if let Some(inner) = self.inner() {
                return inner.hints_in(lang);
            }
            let listed = |names: &[String]| {
                let names: Vec<String> =
                    names.iter().take(10).map(|it| format!("`{it}`")).collect();
                names.join(", ")
            };
            match self {
            Self::Missing { known, .. } | Self::NoPlan { known, .. } if known.is_empty() => vec![
                lang.pick(
                    "start a plan with `provost story start`",
                    "请先用 `provost story start` 启动计划",
                )
                .to_owned(),
            ],
            Self::Missing { known, .. } | Self::NoPlan { known, .. } => {
                let known = listed(known);
                vec![lang.pick(format!("there are {known}"), format!("已有 {known}"))]
            }
            Self::Ambiguous { candidates, .. } | Self::SeveralPlans { known: candidates } => {
                let candidates = listed(candidates);
                vec![
                    lang.pick(
                        format!("name one of {candidates}"),
                        format!("请指明 {candidates} 之一"),
                    ),
                ]
            }
            Self::Taken { branch } => vec![lang.pick(
                format!(
                    "`provost story status` says how far it is; a person ends it with `provost story stop {branch} --archive`"
                ),
                format!(
                    "`provost story status` 显示其进度;可由人用 `provost story stop {branch} --archive` 结束它"
                ),
            )],
            Self::Waiting { .. } => vec![
                lang.pick(
                    "finish it first, or start with `--ignore-dependencies`",
                    "请先完成它,或使用 `--ignore-dependencies`",
                )
                .to_owned(),
            ],
            Self::NoBase { .. } => vec![
                lang.pick(
                    "fetch the commit again, or start the plan anew",
                    "请重新取回该提交,或重新启动计划",
                )
                .to_owned(),
            ],
            Self::OtherBranch { .. }
            | Self::Scratch(_)
            | Self::Interrupted
            | Self::Stories(_)
            | Self::Git(_)
            | Self::Exec(_)
            | Self::File(_)
            | Self::Plan(_)
            | Self::Declaration(_)
            | Self::Transition(_)
            | Self::Audit(_)
            | Self::Id(_)
            | Self::ExecutionId(_) => Vec::new(),
        }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Taken { .. } => Exit::Conflict,
            // A declaration that cannot be read was judged.
            Self::Waiting { .. } | Self::Declaration(_) => Exit::Refused,
            Self::Stories(_)
            | Self::Git(_)
            | Self::Exec(_)
            | Self::File(_)
            | Self::Plan(_)
            | Self::Transition(_)
            | Self::Audit(_)
            | Self::Id(_)
            | Self::ExecutionId(_)
            | Self::Missing { .. }
            | Self::Ambiguous { .. }
            | Self::NoPlan { .. }
            | Self::SeveralPlans { .. }
            | Self::OtherBranch { .. }
            | Self::NoBase { .. }
            | Self::Scratch(_)
            | Self::Interrupted => self.inner().map_or(Exit::Unable, Message::exit),
        }
    }
}

impl From<StoreError> for StoryError {
    fn from(error: StoreError) -> Self {
        Self::Stories(error.into())
    }
}
