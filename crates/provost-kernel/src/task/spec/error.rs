//! Why a task cannot be read: which field, and what is wrong with it.

use super::super::{BudgetError, ThresholdError};
use crate::{IdError, Message};

/// A field of a task that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.field",
    en = "field `{field}` {problem}",
    zh = "字段 `{field}` {problem}",
    inherit = problem
)]
pub struct SpecError {
    /// The key, or a place in it such as `allowed_paths[2]`.
    pub field: String,
    pub problem: SpecProblem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.field.problem")]
pub enum SpecProblem {
    #[message(en = "is missing", zh = "缺失")]
    Missing,
    #[message(en = "is not {expected}", zh = "不是{expected}")]
    WrongType { expected: Expected },
    #[message(en = "is not between {min} and {max}", zh = "不在 {min} 到 {max} 之间")]
    OutOfRange { min: i64, max: i64 },
    #[message(
        en = "has the unknown value `{found}`",
        zh = "的取值 `{found}` 未知",
        hint(en = "use one of {known:names}", zh = "可用：{known:names}")
    )]
    UnknownWord { found: String, known: &'static [&'static str] },
    #[message(
        en = "is invalid: {why}",
        zh = "无效：{why}",
        arg(why = field0.why),
        inherit = field0
    )]
    BadId(IdError),
    #[message(en = "is invalid: {0}", zh = "无效：{0}")]
    BadThreshold(ThresholdError),
    #[message(en = "is invalid: {0}", zh = "无效：{0}", inherit = field0)]
    BadBudget(BudgetError),
    #[message(en = "contains a control character", zh = "含有控制字符")]
    ControlCharacter,
    /// It would be read as an option of a command line.
    #[message(en = "may not start with `-`", zh = "不能以 `-` 开头")]
    LooksLikeOption,
    #[message(en = "is not a path inside the repository", zh = "不是仓库内的路径")]
    LeavesRepository,
    #[message(
        en = "names no section",
        zh = "没有指明章节",
        hint(
            en = "name a heading, such as `Risks` or `docs/plan.md#Risks`",
            zh = "请写明标题，例如 `风险` 或 `docs/plan.md#风险`"
        )
    )]
    NamesNoSection,
    /// A leave for all files would be none that a person thought about.
    #[message(
        en = "names no file in particular",
        zh = "没有指明任何文件",
        hint(
            en = "name the files or folders, such as `tests/test_cart.py`",
            zh = "请写明文件或文件夹，例如 `tests/test_cart.py`"
        )
    )]
    NamesEverything,
    #[message(en = "is not a branch, tag or commit", zh = "不是分支、标签或提交")]
    NotARevision,
    #[message(en = "has more than {limit} characters", zh = "超过 {limit} 个字符")]
    TooLong { limit: usize },
}

/// The type that a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.field.type")]
pub enum Expected {
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "a list of strings", zh = "字符串列表")]
    ListOfTexts,
    #[message(en = "a whole number", zh = "整数")]
    WholeNumber,
    #[message(en = "an object", zh = "对象")]
    Object,
}

impl SpecError {
    pub(super) fn new(field: impl Into<String>, problem: SpecProblem) -> Self {
        Self { field: field.into(), problem }
    }
}
