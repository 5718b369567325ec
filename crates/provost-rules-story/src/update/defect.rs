//! What can be wrong with an update, each with a stable code and the JSON pointer of its value.

use provost_kernel::{Exit, Finding, Message, Severity, Text, story::CriterionId};
use provost_rules::json::{StrictError, shorten};

/// One thing that is wrong with an update. Positions are JSON pointers.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "story.update")]
pub enum Defect {
    #[message(en = "{why}", zh = "{why}", arg(why = field0.text()))]
    Json(StrictError),
    #[message(en = "the update is not an object", zh = "更新不是对象")]
    NotAnObject,
    #[message(en = "missing key `{at}`", zh = "缺少 `{at}`", arg(at = shorten(at)))]
    Missing { at: String },
    #[message(
        en = "unknown key `{at}`",
        zh = "未知的键 `{at}`",
        arg(at = shorten(at)),
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`？"),
        hint(
            when = nearest.is_none(),
            en = "known keys: {known:names}",
            zh = "此处可用的键：{known:names}",
        )
    )]
    UnknownKey { at: String, nearest: Option<&'static str>, known: Vec<&'static str> },
    #[message(
        en = "`{at}` is not {expected}",
        zh = "`{at}` 不是{expected}",
        arg(at = shorten(at))
    )]
    WrongType { at: String, expected: Expected },
    /// A text without content where some is required.
    #[message(en = "`{at}` is empty", zh = "`{at}` 为空", arg(at = shorten(at)))]
    Blank { at: String },
    #[message(
        en = "`{at}` has more than {limit} characters",
        zh = "`{at}` 超过 {limit} 个字符",
        arg(at = shorten(at))
    )]
    TooLong { at: String, limit: usize },
    #[message(
        en = "`{at}` has {found} entries; at most {limit} are allowed",
        zh = "`{at}` 有 {found} 项，最多 {limit} 项",
        arg(at = shorten(at))
    )]
    TooMany { at: String, found: usize, limit: usize },
    #[message(
        en = "`{at}` contains a control character",
        zh = "`{at}` 含有控制字符",
        arg(at = shorten(at))
    )]
    ControlCharacter { at: String },
    /// A path that leads out of the repository.
    #[message(
        en = "`{at}` is not a path below the root of the repository",
        zh = "`{at}` 不是仓库根目录之下的路径",
        arg(at = shorten(at)),
        hint(
            en = "write it relative to the root of the repository, without `..`",
            zh = "请写相对仓库根目录的路径，不含 `..`",
        )
    )]
    OutsidePath { at: String },
    #[message(
        en = "`{at}` is `{found}`, which is not a story id",
        zh = "`{at}` 的值 `{found}` 不是故事 id",
        arg(at = shorten(at)),
        hint(en = "write it as `US-001`", zh = "请写作 `US-001`")
    )]
    StoryId { at: String, found: String },
    /// A key that cannot be the id of a criterion.
    #[message(
        en = "`{at}` is not a criterion id",
        zh = "`{at}` 不是验收标准 id",
        arg(at = shorten(at)),
        hint(
            en = "write it as `AC-1`, `AC-2` and so on",
            zh = "请写作 `AC-1`、`AC-2` 等",
        )
    )]
    UnknownCriterion { at: String },
    /// Two keys for one criterion.
    #[message(
        en = "`{at}` is {id}, which another key names too",
        zh = "`{at}` 指 {id}，而另一个键也指它",
        arg(at = shorten(at))
    )]
    CriterionTwice { at: String, id: CriterionId },
    /// Two spellings of one key with different values.
    #[message(
        en = "`{at}` and `{other}` are the same key with different values",
        zh = "`{at}` 与 `{other}` 含义相同而内容不同",
        arg(at = shorten(at)),
        hint(en = "send one of the two", zh = "请只发送其中之一")
    )]
    AliasConflict { at: String, other: &'static str },
    /// A file that is explained twice.
    #[message(
        en = "`{at}` explains `{file}` a second time",
        zh = "`{at}` 再次解释 `{file}`",
        arg(at = shorten(at))
    )]
    FileTwice { at: String, file: String },
    /// A flag by which an agent would skip a check.
    #[message(
        en = "`{at}` asks to skip a check; only a person can waive one",
        zh = "`{at}` 要求跳过检查，而只有人可以豁免检查",
        arg(at = shorten(at)),
        hint(en = "remove the key", zh = "请删去此键")
    )]
    Waiver { at: String },
    /// The rest of a list that is cut.
    #[message(en = "{left_out} more {left_out:error|errors}", zh = "另有 {left_out} 处错误")]
    More { left_out: usize },
}

/// The type that a value must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.update_type")]
pub enum Expected {
    #[message(en = "true or false", zh = "布尔值")]
    Truth,
    #[message(en = "a whole number from 0", zh = "从 0 起的整数")]
    Count,
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "a list of strings", zh = "字符串列表")]
    Texts,
    #[message(en = "a string or a list of strings", zh = "字符串或字符串列表")]
    OneOrMoreTexts,
    #[message(en = "an object", zh = "对象")]
    Object,
    #[message(
        en = "a list of {{file, reason, lines}}, one of them, or an object by path",
        zh = "{{file, reason, lines}} 的列表、单个对象或以路径为键的对象"
    )]
    Explanations,
    #[message(en = "one of {0:names}", zh = " {0:names} 之一")]
    OneOf(&'static [&'static str]),
}

/// Why bytes are not an update: everything that is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct UpdateError {
    /// Never empty.
    pub defects: Vec<Defect>,
}

#[derive(Message)]
#[message(
    code = "story.update_refused",
    en = "invalid update, {count} {count:error|errors}: {defects:clauses}",
    zh = "更新无效，{count} 处错误：{defects:clauses}",
    arg(count = defects.len())
)]
struct Refusal<'a> {
    defects: &'a [Defect],
}

impl Message for UpdateError {
    fn text(&self) -> Text {
        Refusal { defects: &self.defects }.text()
    }

    fn hints(&self) -> Vec<Text> {
        self.defects.iter().flat_map(Message::hints).collect()
    }

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}

impl UpdateError {
    /// One finding for each defect.
    pub fn findings(&self) -> Vec<Finding> {
        self.defects.iter().map(Defect::finding).collect()
    }
}

impl Defect {
    /// The stable name of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "UPDATE_NOT_JSON",
            Self::NotAnObject | Self::WrongType { .. } => "UPDATE_WRONG_TYPE",
            Self::Missing { .. } => "UPDATE_MISSING_KEY",
            Self::UnknownKey { .. } => "UPDATE_UNKNOWN_KEY",
            Self::Blank { .. } => "UPDATE_BLANK",
            Self::TooLong { .. } | Self::TooMany { .. } => "UPDATE_TOO_LARGE",
            Self::ControlCharacter { .. } => "UPDATE_CONTROL_CHARACTER",
            Self::OutsidePath { .. } => "UPDATE_OUTSIDE_PATH",
            Self::StoryId { .. } => "UPDATE_STORY_ID",
            Self::UnknownCriterion { .. } | Self::CriterionTwice { .. } => "UNKNOWN_AC",
            Self::AliasConflict { .. } => "UPDATE_ALIAS_CONFLICT",
            Self::FileTwice { .. } => "UPDATE_FILE_TWICE",
            Self::Waiver { .. } => "WAIVER_REFUSED",
            Self::More { .. } => "UPDATE_MORE",
        }
    }

    /// The JSON pointer of the value; the whole update is the empty one.
    pub fn at(&self) -> &str {
        match self {
            Self::Json(_) | Self::NotAnObject | Self::More { .. } => "",
            Self::Missing { at }
            | Self::UnknownKey { at, .. }
            | Self::WrongType { at, .. }
            | Self::Blank { at }
            | Self::TooLong { at, .. }
            | Self::TooMany { at, .. }
            | Self::ControlCharacter { at }
            | Self::OutsidePath { at }
            | Self::StoryId { at, .. }
            | Self::UnknownCriterion { at }
            | Self::CriterionTwice { at, .. }
            | Self::AliasConflict { at, .. }
            | Self::FileTwice { at, .. }
            | Self::Waiver { at } => at,
        }
    }

    pub fn finding(&self) -> Finding {
        Finding::new(self.code(), Severity::P0, shorten(self.at()), self)
    }
}
