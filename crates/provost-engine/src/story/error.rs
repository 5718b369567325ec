//! Why something could not be done about a story. What an agent got wrong is no error.

use provost_desk::story::StoriesError;
use provost_exec::{ExecError, git::GitError};
use provost_kernel::{
    Exit, Fault, IdError, Lang,
    story::{BranchName, ExecutionIdError, StoryId},
};
use provost_rules::story::{declaration::DeclarationError, plan::PlanFault};
use provost_store::StoreError;
use provost_vault::FileError;

/// Something that could not be done about a story.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub enum StoryError {
    Stories(#[from] StoriesError),
    Git(#[from] GitError),
    Exec(#[from] ExecError),
    File(#[from] FileError),
    Plan(#[from] PlanFault),
    Declaration(#[from] DeclarationError),
    Id(#[source] IdError),
    ExecutionId(#[source] ExecutionIdError),
    /// No story has this name; these have others.
    Missing {
        name: String,
        known: Vec<String>,
    },
    /// More than one story has this name.
    Ambiguous {
        name: String,
        candidates: Vec<String>,
    },
    /// The update is about a story of another plan than the one that was named.
    OtherBranch {
        found: String,
        expected: BranchName,
    },
    /// The branch is being worked on already.
    Taken {
        branch: BranchName,
    },
    /// Plans that come first are not done.
    Waiting {
        branch: BranchName,
        on: Vec<String>,
    },
    /// What the work set out from is gone.
    NoBase {
        story: StoryId,
    },
    /// There is no place to work in.
    Scratch(#[source] std::io::Error),
    /// A signal ended it.
    Interrupted,
}

impl StoryError {
    /// The error of the layer that it comes from.
    fn inner(&self) -> Option<&dyn Fault> {
        match self {
            Self::Stories(error) => Some(error),
            Self::Git(error) => Some(error),
            Self::Exec(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Plan(error) => Some(error),
            Self::Declaration(error) => Some(error),
            Self::Id(error) => Some(error),
            Self::ExecutionId(error) => Some(error),
            Self::Missing { .. }
            | Self::Ambiguous { .. }
            | Self::OtherBranch { .. }
            | Self::Taken { .. }
            | Self::Waiting { .. }
            | Self::NoBase { .. }
            | Self::Scratch(_)
            | Self::Interrupted => None,
        }
    }
}

impl Fault for StoryError {
    fn text(&self, lang: Lang) -> String {
        if let Some(inner) = self.inner() {
            return inner.text(lang);
        }
        match self {
            Self::Missing { name, .. } => {
                lang.pick(format!("there is no story `{name}`"), format!("没有故事 `{name}`"))
            }
            Self::Ambiguous { name, .. } => lang.pick(
                format!("more than one plan has a story `{name}`"),
                format!("多个计划都有故事 `{name}`"),
            ),
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
            | Self::Id(_)
            | Self::ExecutionId(_) => String::new(),
        }
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        if let Some(inner) = self.inner() {
            return inner.hints(lang);
        }
        let listed = |names: &[String]| {
            let names: Vec<String> = names.iter().take(10).map(|it| format!("`{it}`")).collect();
            names.join(", ")
        };
        match self {
            Self::Missing { known, .. } if known.is_empty() => vec![
                lang.pick(
                    "start a plan with `provost story start`",
                    "请先用 `provost story start` 启动计划",
                )
                .to_owned(),
            ],
            Self::Missing { known, .. } => {
                let known = listed(known);
                vec![lang.pick(format!("there are {known}"), format!("已有 {known}"))]
            }
            Self::Ambiguous { candidates, .. } => {
                let candidates = listed(candidates);
                vec![
                    lang.pick(
                        format!("name one of {candidates}"),
                        format!("请指明 {candidates} 之一"),
                    ),
                ]
            }
            Self::Taken { .. } => vec![
                lang.pick(
                    "`provost story status` says how far it is",
                    "`provost story status` 显示其进度",
                )
                .to_owned(),
            ],
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
            | Self::Id(_)
            | Self::ExecutionId(_) => Vec::new(),
        }
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
            | Self::Id(_)
            | Self::ExecutionId(_)
            | Self::Missing { .. }
            | Self::Ambiguous { .. }
            | Self::OtherBranch { .. }
            | Self::NoBase { .. }
            | Self::Scratch(_)
            | Self::Interrupted => self.inner().map_or(Exit::Unable, Fault::exit),
        }
    }
}

impl From<StoreError> for StoryError {
    fn from(error: StoreError) -> Self {
        Self::Stories(error.into())
    }
}
