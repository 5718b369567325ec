//! Why a document is no plan: what is wrong, and where.

use std::fmt;

use provost_kernel::{
    Exit, Lang, Message, Text,
    story::{BranchNameError, StoryId, StoryIdError},
};
use provost_rules::json::{StrictError, shorten};

use super::LIMITS;

/// Why a document cannot be read as a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct PlanFault {
    /// The name of the file, as it was given.
    pub file: String,
    pub place: Place,
    pub problem: PlanProblem,
}

/// Where in a document something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in particular.
    File,
    /// A line, from 1.
    Line(usize),
    /// A JSON pointer.
    Pointer(String),
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanProblem {
    TooLarge,
    NotUtf8,
    Json(StrictError),
    /// A value in JSON that is not what the reader expects, named in both languages.
    Shape {
        en: &'static str,
        zh: &'static str,
    },
    FrontMatter,
    /// A fence of code or a comment that takes the rest of the page along.
    Unclosed,
    Branch(BranchNameError),
    /// The branches of tasks are theirs.
    BranchOfTask,
    Dependency(BranchNameError),
    NoStories,
    NoCriteria(StoryId),
    EmptyCriterion,
    DuplicateStory(StoryId),
    StoryId(StoryIdError),
    TooManyStories,
    TooManyCriteria(StoryId),
    /// A criterion names more than one command.
    VerifyTwice,
    /// What follows `verify:` is not one command on one line.
    VerifyUnclear,
    /// A command is given for a criterion that is not there.
    VerifyNowhere(String),
}

impl PlanFault {
    /// The stable name of the problem.
    pub fn code(&self) -> &'static str {
        self.problem.code()
    }

    /// The line, where there is one.
    pub fn line(&self) -> Option<usize> {
        match self.place {
            Place::Line(line) => Some(line),
            Place::File | Place::Pointer(_) => None,
        }
    }
}

impl PlanProblem {
    /// The stable name of the problem.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "PLAN_TOO_LARGE",
            Self::NotUtf8 => "PLAN_NOT_UTF8",
            Self::Json(_) => "PLAN_NOT_JSON",
            Self::Shape { .. } => "PLAN_SHAPE",
            Self::FrontMatter => "PLAN_FRONT_MATTER",
            Self::Unclosed => "PLAN_UNCLOSED",
            Self::Branch(_) | Self::BranchOfTask => "PLAN_BRANCH",
            Self::Dependency(_) => "PLAN_DEPENDENCY",
            Self::NoStories => "PLAN_NO_STORIES",
            Self::NoCriteria(_) => "PLAN_NO_CRITERIA",
            Self::EmptyCriterion => "PLAN_EMPTY_CRITERION",
            Self::DuplicateStory(_) => "PLAN_DUPLICATE_STORY",
            Self::StoryId(_) => "PLAN_STORY_ID",
            Self::TooManyStories => "PLAN_TOO_MANY_STORIES",
            Self::TooManyCriteria(_) => "PLAN_TOO_MANY_CRITERIA",
            Self::VerifyTwice => "PLAN_VERIFY_TWICE",
            Self::VerifyUnclear => "PLAN_VERIFY_UNCLEAR",
            Self::VerifyNowhere(_) => "PLAN_VERIFY_NOWHERE",
        }
    }

    fn text(&self) -> Text {
        Text::each(|lang| {
            let (stories, criteria, bytes) = (LIMITS.stories, LIMITS.criteria, LIMITS.bytes);
            match self {
                Self::Json(error) => error.text().render(lang),
                Self::Branch(error) => error.text().render(lang),
                Self::StoryId(error) => error.text().render(lang),
                Self::TooLarge => lang.pick(
                    format!("the plan has more than {bytes} bytes"),
                    format!("计划超过 {bytes} 字节"),
                ),
                Self::NotUtf8 => lang.pick("the text is not UTF-8", "文本不是 UTF-8").to_owned(),
                Self::Shape { en, zh } => {
                    lang.pick(format!("expected {en}"), format!("此处应为{zh}"))
                }
                Self::FrontMatter => lang
                    .pick("the front matter is not the YAML of a plan", "文件头不是计划的 YAML")
                    .to_owned(),
                Self::Unclosed => lang
                    .pick(
                        "what is opened here is never closed, and hides the rest of the plan",
                        "此处开始的内容没有结束,遮住了计划的其余部分",
                    )
                    .to_owned(),
                Self::BranchOfTask => lang
                    .pick(
                        "a branch `task/…` belongs to a task, and not to a plan",
                        "`task/…` 分支属于任务,不能用于计划",
                    )
                    .to_owned(),
                Self::Dependency(error) => {
                    let why = error.text().render(lang);
                    lang.pick(format!("unusable dependency: {why}"), format!("依赖不可用:{why}"))
                }
                Self::NoStories => {
                    lang.pick("the plan has no stories", "计划中没有用户故事").to_owned()
                }
                Self::NoCriteria(id) => lang.pick(
                    format!("story `{id}` has no acceptance criteria"),
                    format!("故事 `{id}` 没有验收标准"),
                ),
                Self::EmptyCriterion => {
                    lang.pick("a criterion is empty", "有一条验收标准为空").to_owned()
                }
                Self::DuplicateStory(id) => lang.pick(
                    format!("story `{id}` stands twice in the plan"),
                    format!("故事 `{id}` 在计划中出现两次"),
                ),
                Self::TooManyStories => lang.pick(
                    format!("the plan has more than {stories} stories"),
                    format!("计划超过 {stories} 个故事"),
                ),
                Self::TooManyCriteria(id) => lang.pick(
                    format!("story `{id}` has more than {criteria} criteria"),
                    format!("故事 `{id}` 超过 {criteria} 条验收标准"),
                ),
                Self::VerifyTwice => lang
                    .pick(
                        "a criterion names more than one command",
                        "一条验收标准给出了多个验证命令",
                    )
                    .to_owned(),
                Self::VerifyUnclear => lang
                    .pick(
                        "what follows `verify:` is not one command on one line",
                        "`验证:` 之后不是单行的一条命令",
                    )
                    .to_owned(),
                Self::VerifyNowhere(key) => {
                    let key = shorten(key);
                    lang.pick(
                        format!("there is a command for {key:?}, which the plan does not have"),
                        format!("给出了 {key:?} 的验证命令,但计划中没有它"),
                    )
                }
            }
        })
    }

    fn hint(&self, lang: Lang) -> Option<&'static str> {
        let (en, zh) = match self {
            Self::NoStories => (
                "give each story a heading such as `### US-001: title`",
                "请为每个故事写一个标题,例如 `### US-001: 标题`",
            ),
            Self::NoCriteria(_) => (
                "list the criteria as `- [ ] text` below a line `**Acceptance Criteria**:`",
                "请在 `**验收标准**:` 之下用 `- [ ] 文字` 列出验收标准",
            ),
            Self::EmptyCriterion => {
                ("write the criterion, or remove the entry", "请写出该标准,或删除该项")
            }
            Self::DuplicateStory(_) => {
                ("number the stories, each number once", "请为故事编号,每个编号只用一次")
            }
            Self::TooLarge | Self::TooManyStories | Self::TooManyCriteria(_) => {
                ("split the plan", "请拆分计划")
            }
            Self::FrontMatter => (
                "keep `title`, `branch`, `priority`, `dependencies` and `verify` between two lines `---`",
                "请在两行 `---` 之间书写 `title`、`branch`、`priority`、`dependencies` 和 `verify`",
            ),
            Self::Unclosed => (
                "end the code with its fence, the comment with `-->`",
                "请以相同的围栏结束代码,以 `-->` 结束注释",
            ),
            Self::BranchOfTask => {
                ("call it `ralph/…`, for example", "请改用其他名称,例如 `ralph/…`")
            }
            Self::VerifyTwice => (
                "join the commands with `&&`, or write two criteria",
                "请用 `&&` 连接命令,或拆成两条标准",
            ),
            Self::VerifyUnclear => (
                "write the command in backticks: verify: `cargo test`",
                "请用反引号括住命令,例如 验证:`cargo test`",
            ),
            Self::VerifyNowhere(_) => (
                "name a story and one of its criteria, such as `US-001` and `AC-1`",
                "请写出故事及其标准,例如 `US-001` 与 `AC-1`",
            ),
            Self::NotUtf8
            | Self::Json(_)
            | Self::Shape { .. }
            | Self::Branch(_)
            | Self::Dependency(_)
            | Self::StoryId(_) => return None,
        };
        Some(lang.pick(en, zh))
    }
}

impl Place {
    /// The file and the place in it, as compilers write them.
    pub(super) fn in_file(&self, file: &str) -> String {
        format!("{}{self}", shorten(file).replace(char::is_control, "?"))
    }

    /// The place of a key below this one.
    pub(super) fn key(&self, key: impl fmt::Display) -> Self {
        match self {
            Self::Pointer(pointer) => {
                let key = key.to_string().replace('~', "~0").replace('/', "~1");
                Self::Pointer(format!("{pointer}/{key}"))
            }
            Self::File => Self::Pointer(format!("/{key}")),
            Self::Line(line) => Self::Line(*line),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Pointer(pointer) => write!(f, "#{}", shorten(pointer)),
        }
    }
}

impl Message for PlanFault {
    fn text(&self) -> Text {
        Text::each(|lang| {
            format!("{}: {}", self.place.in_file(&self.file), self.problem.text().render(lang))
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            if let PlanProblem::Branch(error) | PlanProblem::Dependency(error) = &self.problem {
                return error.hints_in(lang);
            }
            if let PlanProblem::StoryId(error) = &self.problem {
                return error.hints_in(lang);
            }
            self.problem.hint(lang).map(str::to_owned).into_iter().collect()
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}
