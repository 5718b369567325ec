//! What is wrong with a document, as data.

use std::{
    cell::{Cell, RefCell},
    fmt,
};

use provost_kernel::{
    Finding, Message, Severity, Text,
    message::{Argument, IntoArgument},
    shorten_to,
};

use crate::path::Path;

/// The cap on reported problems. The rest is only counted, because finding a line takes time.
const KEPT: usize = 100;

/// One thing that is wrong. A reader with rules of its own has its own kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem<K = ProblemKind> {
    pub path: Path,
    /// The line of the value, or of its parent where it is missing; none at the top.
    pub line: Option<usize>,
    pub kind: K,
}

/// What can be wrong with any document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "form.problem")]
pub enum ProblemKind {
    #[message(en = "larger than {limit} bytes", zh = "超过 {limit} 字节")]
    TooLarge { limit: usize },
    #[message(en = "nested deeper than {limit} levels", zh = "嵌套超过 {limit} 层")]
    TooDeep { limit: usize },
    #[message(en = "not UTF-8 from byte {at} on", zh = "自第 {at} 字节起不是 UTF-8")]
    NotUtf8 { at: usize },
    #[message(en = "starts with a byte order mark", zh = "以字节顺序标记开头")]
    ByteOrderMark,
    #[message(en = "not valid JSON at column {column}", zh = "第 {column} 列不是有效的 JSON")]
    NotJson { column: usize },
    #[message(
        en = "text after the JSON value at column {column}",
        zh = "JSON 值之后第 {column} 列还有文本"
    )]
    TrailingText { column: usize },
    #[message(en = "duplicate key", zh = "键重复")]
    DuplicateKey,
    #[message(en = "not valid TOML", zh = "不是有效的 TOML")]
    NotToml {
        #[source]
        why: TomlError,
    },
    #[message(en = "missing, expected {expected}", zh = "缺少，应为{expected}")]
    Missing { expected: Expected },
    #[message(
        en = "unknown key",
        zh = "未知的键",
        hint(
            when = !known.is_empty(),
            en = "the known keys are {known:names}",
            zh = "可用的键：{known:names}"
        )
    )]
    UnknownKey { known: Vec<String> },
    /// An unknown key that is near to a known one.
    #[message(
        en = "unknown key, did you mean `{nearest}`?",
        zh = "未知的键，是否想写 `{nearest}`？"
    )]
    MisspelledKey { nearest: String },
    #[message(en = "expected {expected}, found `{found}`", zh = "应为{expected}，实为 `{found}`")]
    WrongType { expected: Expected, found: String },
    #[message(en = "expected {expected}, found `{found}`", zh = "应为{expected}，实为 `{found}`")]
    OutOfRange { expected: Expected, found: String },
    #[message(
        en = "expected one of {known:names}, found `{found}`",
        zh = "应为 {known:names} 之一，实为 `{found}`"
    )]
    NotOneOf { known: Vec<String>, found: String },
    /// Empty, or white space alone.
    #[message(en = "blank", zh = "内容为空")]
    Blank,
    #[message(en = "contains a control character", zh = "含有控制字符")]
    ControlCharacter,
    /// A text with too few or too many characters.
    #[message(
        en = "expected {bounds} characters, found {found}",
        zh = "应有{bounds}个字符，实有 {found} 个"
    )]
    Length { found: usize, bounds: Bounds },
    /// A list with too few or too many entries.
    #[message(
        en = "expected {bounds} entries, found {found}",
        zh = "应有{bounds}项，实有 {found} 项"
    )]
    Count { found: usize, bounds: Bounds },
    /// A value whose type is decoded by serde, in its words.
    #[message(en = "cannot be decoded: {why}", zh = "无法解析：{why}")]
    Undecodable { why: String },
    /// One field under its two names.
    #[message(
        en = "another name of `{other}`, which is set too",
        zh = "与已设置的 `{other}` 是同一项"
    )]
    TwoNames { other: String },
}

/// What kind of thing is wrong, for readers that have a code for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemClass {
    /// The document cannot be parsed.
    Syntax,
    Missing,
    UnknownKey,
    Type,
    /// A number out of its range, or between its steps.
    Range,
    /// Not one of the words that are allowed.
    Choice,
    Blank,
    /// Too few or too many characters.
    Length,
    /// Too few or too many entries.
    Count,
    ControlCharacter,
}

/// What the parser of TOML says, in its own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TomlError(pub String);

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(code = "form.expected")]
pub enum Expected {
    #[message(en = "`true` or `false`", zh = " `true` 或 `false`")]
    Flag,
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "a list", zh = "列表")]
    List,
    #[message(en = "a list of strings", zh = "字符串列表")]
    Texts,
    #[message(en = "a string or a list of strings", zh = "字符串或字符串列表")]
    TextOrTexts,
    /// A table of JSON.
    #[message(en = "an object", zh = "对象")]
    Object,
    /// An object whose keys are the writer's own.
    #[message(en = "an object with strings", zh = "由字符串组成的对象")]
    Map,
    /// A table of TOML.
    #[message(en = "a table", zh = "表")]
    Table,
    #[message(en = "a whole number from {min} to {max}", zh = " {min} 到 {max} 之间的整数")]
    Whole { min: i64, max: u64 },
    /// A whole number whose upper limit is only that of its type.
    #[message(en = "a whole number of at least {min}", zh = "不小于 {min} 的整数")]
    WholeFrom { min: i64 },
    #[message(en = "a number", zh = "数")]
    AnyNumber,
    #[message(en = "a number from {min} to {max}", zh = " {min} 到 {max} 之间的数")]
    Number { min: f64, max: f64 },
    /// A multiple of a step.
    #[message(
        en = "a number from {min} to {max} in steps of {step}",
        zh = " {min} 到 {max} 之间、步长为 {step} 的数"
    )]
    Steps { min: f64, max: f64, step: f64 },
    #[message(
        en = "a number of at least {min} in steps of {step}",
        zh = "不小于 {min}、步长为 {step} 的数"
    )]
    StepsFrom { min: f64, step: f64 },
    #[message(en = "one of {0:names}", zh = " {0:names} 之一")]
    OneOf(Vec<String>),
}

/// The bounds of a number are constants of its reader, and never NaN.
impl Eq for Expected {}

/// How many characters or entries there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "form.bounds")]
pub enum Bounds {
    #[message(en = "at least {0}", zh = "至少 {0} ")]
    From(usize),
    #[message(en = "at most {0}", zh = "至多 {0} ")]
    To(usize),
    #[message(en = "{0} to {1}", zh = " {0} 到 {1} ")]
    Between(usize, usize),
}

/// Where a problem is, before what it is.
#[derive(Debug, Message)]
#[message(code = "form.at")]
enum Located {
    #[message(en = "line {line}: `{path}`: {what}", zh = "第 {line} 行：`{path}`：{what}")]
    Full { line: usize, path: String, what: Text },
    #[message(en = "line {line}: {what}", zh = "第 {line} 行：{what}")]
    Line { line: usize, what: Text },
    #[message(en = "`{path}`: {what}", zh = "`{path}`：{what}")]
    Path { path: String, what: Text },
    #[message(en = "{first}; {rest}", zh = "{first}；{rest}")]
    Several { first: Text, rest: Text },
    #[message(en = "{count} more", zh = "另有 {count} 处")]
    More { count: usize },
}

/// Why a document is refused: everything that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid<K = ProblemKind> {
    pub problems: Vec<Problem<K>>,
    /// How many problems were found beyond these.
    pub left_out: usize,
}

/// The problems of one document, in the order in which they were found.
#[derive(Debug)]
pub struct Problems<K = ProblemKind> {
    found: RefCell<Vec<Problem<K>>>,
    left_out: Cell<usize>,
}

impl<K> Default for Problems<K> {
    fn default() -> Self {
        Self { found: RefCell::default(), left_out: Cell::default() }
    }
}

impl<K> Problems<K> {
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// How many problems were found beyond those that are kept.
    pub fn left_out(&self) -> usize {
        self.left_out.get()
    }

    /// Whether something is wrong at this path or below it.
    pub fn has(&self, path: &Path) -> bool {
        self.found.borrow().iter().any(|it| it.path.0.starts_with(&path.0))
    }

    pub fn into_vec(self) -> Vec<Problem<K>> {
        self.found.into_inner()
    }

    /// What was read, if nothing is wrong.
    pub fn into_result<T>(self, read: Option<T>) -> Result<T, Invalid<K>> {
        match read {
            Some(value) if self.is_empty() => Ok(value),
            Some(_) | None => Err(Invalid { left_out: self.left_out(), problems: self.into_vec() }),
        }
    }

    pub(crate) fn push(&self, problem: impl FnOnce() -> Problem<K>) {
        if self.found.borrow().len() < KEPT {
            let problem = problem();
            self.found.borrow_mut().push(problem);
        } else {
            self.left_out.set(self.left_out.get() + 1);
        }
    }
}

impl<K> Problem<K> {
    /// The same problem among the kinds of a reader.
    pub fn map<T>(self, kind: impl FnOnce(K) -> T) -> Problem<T> {
        Problem { path: self.path, line: self.line, kind: kind(self.kind) }
    }
}

impl<K: Message + Clone> Problem<K> {
    /// The problem as a finding. Its subject names the place, so the message has the line alone.
    pub fn finding(
        &self,
        rule: &'static str,
        severity: Severity,
        subject: impl Into<String>,
    ) -> Finding {
        let message = Self { path: Path::default(), line: self.line, kind: self.kind.clone() };
        Finding::new(rule, severity, subject, &message)
    }
}

impl<K: Message> Message for Problem<K> {
    fn text(&self) -> Text {
        let what = self.kind.text();
        let path = self.path.to_string();
        match self.line {
            Some(line) if self.path.is_root() => Located::Line { line, what }.text(),
            Some(line) => Located::Full { line, path, what }.text(),
            None if self.path.is_root() => what,
            None => Located::Path { path, what }.text(),
        }
    }

    fn hints(&self) -> Vec<Text> {
        self.kind.hints()
    }

    fn causes(&self) -> Vec<Text> {
        self.kind.causes()
    }
}

impl<K: Message> fmt::Display for Problem<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl<K: Message + fmt::Debug> std::error::Error for Problem<K> {}

/// The advice of a misspelled key, where it stands apart from the message.
#[derive(Debug, Message)]
#[message(code = "form.did_you_mean", en = "did you mean `{0}`?", zh = "是否想写 `{0}`？")]
struct DidYouMean(String);

impl ProblemKind {
    /// Separates the suggestion of a misspelled key from the problem, for surfaces that show advice
    /// on its own.
    pub fn with_advice(&self) -> (Self, Option<Text>) {
        let Self::MisspelledKey { nearest } = self else {
            return (self.clone(), self.hints().into_iter().next());
        };
        let advice = DidYouMean(nearest.clone()).text();
        (Self::UnknownKey { known: Vec::new() }, Some(advice))
    }

    pub fn class(&self) -> ProblemClass {
        match self {
            Self::TooLarge { .. }
            | Self::TooDeep { .. }
            | Self::NotUtf8 { .. }
            | Self::ByteOrderMark
            | Self::NotJson { .. }
            | Self::TrailingText { .. }
            | Self::DuplicateKey
            | Self::NotToml { .. } => ProblemClass::Syntax,
            Self::Missing { .. } => ProblemClass::Missing,
            Self::UnknownKey { .. } | Self::MisspelledKey { .. } | Self::TwoNames { .. } => {
                ProblemClass::UnknownKey
            }
            Self::WrongType { .. } | Self::Undecodable { .. } => ProblemClass::Type,
            Self::OutOfRange { .. } => ProblemClass::Range,
            Self::NotOneOf { .. } => ProblemClass::Choice,
            Self::Blank => ProblemClass::Blank,
            Self::Length { .. } => ProblemClass::Length,
            Self::Count { .. } => ProblemClass::Count,
            Self::ControlCharacter => ProblemClass::ControlCharacter,
        }
    }

    /// What serde says, truncated: it may quote the document.
    pub fn undecodable(error: &serde_json::Error) -> Self {
        Self::Undecodable { why: shorten_to(&error.to_string(), 200) }
    }
}

/// A problem of the document as a whole.
impl From<ProblemKind> for Problem {
    fn from(kind: ProblemKind) -> Self {
        Self { path: Path::default(), line: None, kind }
    }
}

impl<K> From<Problem<K>> for Invalid<K> {
    fn from(problem: Problem<K>) -> Self {
        Self { problems: vec![problem], left_out: 0 }
    }
}

impl<K: From<ProblemKind>> Invalid<K> {
    /// The first problem, for a reader that names one.
    pub fn into_first(self) -> Problem<K> {
        // A reader that reads nothing and reports nothing has still refused the document.
        let unnamed = || Problem {
            path: Path::default(),
            line: None,
            kind: ProblemKind::Missing { expected: Expected::Object }.into(),
        };
        self.problems.into_iter().next().unwrap_or_else(unnamed)
    }
}

impl<K: Message> Message for Invalid<K> {
    fn text(&self) -> Text {
        let mut texts: Vec<Text> = self.problems.iter().map(Message::text).collect();
        if self.left_out > 0 {
            texts.push(Located::More { count: self.left_out }.text());
        }
        let several = |rest, first| Located::Several { first, rest }.text();
        texts.into_iter().rev().reduce(several).unwrap_or_else(|| Text::verbatim(""))
    }

    fn hints(&self) -> Vec<Text> {
        let mut hints: Vec<Text> = self.problems.iter().flat_map(Message::hints).collect();
        hints.dedup();
        hints
    }

    fn causes(&self) -> Vec<Text> {
        self.problems.iter().flat_map(Message::causes).collect()
    }
}

impl<K: Message> IntoArgument for Problem<K> {
    fn to_argument(&self) -> Argument {
        Argument::Text(self.text())
    }
}

impl<K: Message> IntoArgument for Invalid<K> {
    fn to_argument(&self) -> Argument {
        Argument::Text(self.text())
    }
}

impl<K: Message> fmt::Display for Invalid<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl<K: Message + fmt::Debug> std::error::Error for Invalid<K> {}

impl Bounds {
    pub fn of(min: usize, max: Option<usize>) -> Self {
        match max {
            None => Self::From(min),
            Some(max) if min == 0 => Self::To(max),
            Some(max) => Self::Between(min, max),
        }
    }

    pub fn contains(self, count: usize) -> bool {
        match self {
            Self::From(min) => min <= count,
            Self::To(max) => count <= max,
            Self::Between(min, max) => (min..=max).contains(&count),
        }
    }
}
