//! Why a task cannot be read: which field, and what is wrong with it.

use super::super::ThresholdError;
use crate::{Exit, IdError, Lang, Message, Text};

/// A field of a task that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct SpecError {
    /// The key, or a place in it such as `allowed_paths[2]`.
    pub field: String,
    pub problem: SpecProblem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecProblem {
    /// It has to be there.
    Missing,
    /// It is of another type.
    WrongType { expected: Expected },
    /// It is a number outside its range.
    OutOfRange { min: i64, max: i64 },
    /// It is none of the words.
    UnknownWord { found: String, known: &'static [&'static str] },
    /// It is not an id.
    BadId(IdError),
    /// A threshold is wrong.
    BadThreshold(ThresholdError),
    /// A part of the budget is wrong.
    BadBudget(String),
    /// It contains a character that no path, command or name may contain.
    ControlCharacter,
    /// It starts like an option of a command line.
    LooksLikeOption,
    /// It is a path that leaves the repository.
    LeavesRepository,
    /// It is not the name of one revision.
    NotARevision,
    /// It is longer than anybody would write by hand.
    TooLong { limit: usize },
}

/// The type that a field has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Text,
    ListOfTexts,
    WholeNumber,
    Object,
}

impl SpecError {
    pub(super) fn new(field: impl Into<String>, problem: SpecProblem) -> Self {
        Self { field: field.into(), problem }
    }
}

impl Message for SpecError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let (field, problem) = (&self.field, self.problem.describe(lang));
            lang.pick(format!("field `{field}` {problem}"), format!("字段 `{field}` {problem}"))
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match &self.problem {
            SpecProblem::BadId(error) => error.hints_in(lang),
            SpecProblem::UnknownWord { known, .. } => {
                let known: Vec<_> = known.iter().map(|it| format!("`{it}`")).collect();
                let known = known.join(", ");
                vec![lang.pick(format!("use one of {known}"), format!("可用:{known}"))]
            }
            SpecProblem::Missing
            | SpecProblem::WrongType { .. }
            | SpecProblem::OutOfRange { .. }
            | SpecProblem::BadThreshold(_)
            | SpecProblem::BadBudget(_)
            | SpecProblem::ControlCharacter
            | SpecProblem::LooksLikeOption
            | SpecProblem::LeavesRepository
            | SpecProblem::NotARevision
            | SpecProblem::TooLong { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}

impl SpecProblem {
    fn describe(&self, lang: Lang) -> String {
        match self {
            Self::Missing => lang.pick("is missing", "缺失").to_owned(),
            Self::WrongType { expected } => {
                let expected = expected.describe(lang);
                lang.pick(format!("is not {expected}"), format!("不是{expected}"))
            }
            Self::OutOfRange { min, max } => lang.pick(
                format!("is not between {min} and {max}"),
                format!("不在 {min} 到 {max} 之间"),
            ),
            Self::UnknownWord { found, .. } => {
                lang.pick(format!("has no value `{found}`"), format!("没有取值 `{found}`"))
            }
            Self::BadId(error) => {
                let why = error.text().render(lang);
                lang.pick(format!("is no id: {why}"), format!("不是 id:{why}"))
            }
            Self::BadThreshold(error) => {
                lang.pick(format!("is wrong: {error}"), format!("有误:{error}"))
            }
            Self::BadBudget(why) => lang.pick(format!("is wrong: {why}"), format!("有误:{why}")),
            Self::ControlCharacter => {
                lang.pick("contains a control character", "含有控制字符").to_owned()
            }
            Self::LooksLikeOption => {
                lang.pick("may not start with `-`", "不能以 `-` 开头").to_owned()
            }
            Self::LeavesRepository => {
                lang.pick("is not a path inside the repository", "不是仓库内的路径").to_owned()
            }
            Self::NotARevision => {
                lang.pick("is not a branch, tag or commit", "不是分支、标签或提交").to_owned()
            }
            Self::TooLong { limit } => lang
                .pick(format!("has more than {limit} characters"), format!("超过 {limit} 个字符")),
        }
    }
}

impl Expected {
    fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::Text => lang.pick("a text", "文本"),
            Self::ListOfTexts => lang.pick("a list of texts", "文本列表"),
            Self::WholeNumber => lang.pick("a whole number", "整数"),
            Self::Object => lang.pick("an object", "对象"),
        }
    }
}
