//! Errors of a plan: what is wrong, and where.

use std::fmt;

use provost_form::{Form, Path, ProblemClass, ProblemKind};
use provost_kernel::{
    Message, shorten,
    story::{BranchNameError, StoryId, StoryIdError},
};

use super::LIMITS;

/// Why a document cannot be read as a plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.plan",
    en = "{at}: {problem}",
    zh = "{at}：{problem}",
    arg(at = place.in_file(file)),
    inherit = problem
)]
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
    /// A value of JSON, and its line once that is needed.
    Value { path: Path, line: Option<usize> },
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(code = "story.plan_problem")]
pub enum PlanProblem {
    #[message(
        en = "the plan has more than {limit} bytes",
        zh = "计划超过 {limit} 字节",
        arg(limit = LIMITS.bytes),
        hint(en = "split the plan", zh = "请拆分计划")
    )]
    TooLarge,
    #[message(en = "the text is not UTF-8", zh = "文本不是 UTF-8")]
    NotUtf8,
    #[message(transparent)]
    Form(Box<ProblemKind>),
    #[message(
        en = "the front matter is not the YAML of a plan",
        zh = "文件头不是计划的 YAML",
        hint(
            en = "keep `title`, `branch`, `priority`, `dependencies` and `verify` between two lines `---`",
            zh = "请在两行 `---` 之间书写 `title`、`branch`、`priority`、`dependencies` 和 `verify`",
        )
    )]
    FrontMatter,
    /// A code fence or a comment that swallows the rest of the page.
    #[message(
        en = "this code fence or comment is never closed and hides the rest of the plan",
        zh = "此处开始的内容没有结束，遮住了计划的其余部分",
        hint(
            en = "close the code with its fence, the comment with `-->`",
            zh = "请以相同的围栏结束代码，以 `-->` 结束注释",
        )
    )]
    Unclosed,
    #[message(transparent)]
    Branch(BranchNameError),
    #[message(
        en = "a branch `task/…` belongs to a task, not to a plan",
        zh = "`task/…` 分支属于任务，不能用于计划",
        hint(en = "use another name, such as `ralph/…`", zh = "请改用其他名称，例如 `ralph/…`")
    )]
    BranchOfTask,
    #[message(en = "invalid dependency: {0}", zh = "依赖无效：{0}", inherit = field0)]
    Dependency(BranchNameError),
    #[message(
        en = "the plan has no stories",
        zh = "计划中没有用户故事",
        hint(
            en = "give each story a heading such as `### US-001: title`",
            zh = "请为每个故事写一个标题，例如 `### US-001：标题`",
        )
    )]
    NoStories,
    #[message(
        en = "story `{0}` has no acceptance criteria",
        zh = "故事 `{0}` 没有验收标准",
        hint(
            en = "list the criteria as `- [ ] text` below a line `**Acceptance Criteria**:`",
            zh = "请在 `**验收标准**:` 之下用 `- [ ] 文字` 列出验收标准",
        )
    )]
    NoCriteria(StoryId),
    #[message(
        en = "a criterion is empty",
        zh = "有一条验收标准为空",
        hint(en = "write the criterion, or remove the entry", zh = "请写出该标准，或删除该项")
    )]
    EmptyCriterion,
    #[message(
        en = "story `{0}` is defined twice",
        zh = "故事 `{0}` 在计划中出现两次",
        hint(en = "use each story number once", zh = "请为故事编号，每个编号只用一次")
    )]
    DuplicateStory(StoryId),
    #[message(transparent)]
    StoryId(StoryIdError),
    #[message(
        en = "the plan has more than {limit} stories",
        zh = "计划超过 {limit} 个故事",
        arg(limit = LIMITS.stories),
        hint(en = "split the plan", zh = "请拆分计划")
    )]
    TooManyStories,
    #[message(
        en = "story `{0}` has more than {limit} criteria",
        zh = "故事 `{0}` 超过 {limit} 条验收标准",
        arg(limit = LIMITS.criteria),
        hint(en = "split the plan", zh = "请拆分计划")
    )]
    TooManyCriteria(StoryId),
    #[message(
        en = "a criterion names more than one command",
        zh = "一条验收标准给出了多个验证命令",
        hint(
            en = "join the commands with `&&`, or write two criteria",
            zh = "请用 `&&` 连接命令，或拆成两条标准",
        )
    )]
    VerifyTwice,
    #[message(
        en = "`verify:` is not followed by one command on one line",
        zh = "`验证：` 之后不是单行的一条命令",
        hint(
            en = "write the command in backticks: verify: `cargo test`",
            zh = "请用反引号括住命令，例如 验证：`cargo test`",
        )
    )]
    VerifyUnclear,
    #[message(
        en = "there is a command for {key:?}, which is not in the plan",
        zh = "给出了 {key:?} 的验证命令，但计划中没有它",
        arg(key = shorten(field0)),
        hint(
            en = "name a story and one of its criteria, such as `US-001` and `AC-1`",
            zh = "请写出故事及其标准，例如 `US-001` 与 `AC-1`",
        )
    )]
    VerifyNowhere(String),
}

impl From<ProblemKind> for PlanProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(Box::new(kind))
    }
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
            Place::Value { line, .. } => line,
            Place::File => None,
        }
    }
}

impl PlanProblem {
    /// The stable name of the problem.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge => "PLAN_TOO_LARGE",
            Self::NotUtf8 => "PLAN_NOT_UTF8",
            Self::Form(kind) if kind.class() == ProblemClass::Syntax => "PLAN_NOT_JSON",
            Self::Form(_) => "PLAN_SHAPE",
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
}

impl Place {
    /// The file and the place in it, as compilers write them.
    pub(super) fn in_file(&self, file: &str) -> String {
        format!("{}{self}", shorten(file).replace(char::is_control, "?"))
    }

    /// The place of a value of JSON.
    pub(super) fn of(path: Path, line: Option<usize>) -> Self {
        match line {
            Some(line) if path.is_root() => Self::Line(line),
            None if path.is_root() => Self::File,
            Some(_) | None => Self::Value { path, line },
        }
    }

    /// The place with its line. Only an error needs it: finding it takes time.
    pub(super) fn located(self, text: &str) -> Self {
        match self {
            Self::Value { path, line: None } => {
                let limits = provost_form::Limits { bytes: usize::MAX, depth: usize::MAX };
                let form = Form::json(text.as_bytes(), limits).ok();
                Self::Value { line: form.and_then(|it| it.line(&path)), path }
            }
            Self::Value { .. } | Self::File | Self::Line(_) => self,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ":{line}"),
            Self::Value { path, line } => {
                line.map_or(Ok(()), |line| write!(f, ":{line}"))?;
                write!(f, "#{}", shorten(&path.pointer()))
            }
        }
    }
}
