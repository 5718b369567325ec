//! What can be wrong with an update, each with a stable code and the place where it is.

use provost_kernel::{Exit, Finding, Lang, Message, Severity, Text, story::CriterionId};
use provost_rules::json::{StrictError, shorten};

/// One thing that is wrong with an update. Places are JSON pointers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    Json(StrictError),
    NotAnObject,
    Missing {
        at: String,
    },
    UnknownKey {
        at: String,
        nearest: Option<&'static str>,
        known: Vec<&'static str>,
    },
    WrongType {
        at: String,
        expected: Expected,
    },
    /// A text that says nothing where one has to.
    Blank {
        at: String,
    },
    TooLong {
        at: String,
        limit: usize,
    },
    TooMany {
        at: String,
        found: usize,
        limit: usize,
    },
    ControlCharacter {
        at: String,
    },
    /// A path that leads out of the repository.
    OutsidePath {
        at: String,
    },
    StoryId {
        at: String,
        found: String,
    },
    /// A key that names no criterion, in any plan.
    UnknownCriterion {
        at: String,
    },
    /// Two keys that name one criterion.
    CriterionTwice {
        at: String,
        id: CriterionId,
    },
    /// Two spellings of one key that do not say the same.
    AliasConflict {
        at: String,
        other: &'static str,
    },
    /// A file that is explained twice.
    FileTwice {
        at: String,
        file: String,
    },
    /// A flag by which an agent would let itself off.
    Waiver {
        at: String,
    },
    /// More is wrong than is worth saying.
    More {
        left_out: usize,
    },
}

/// What should have stood there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Truth,
    Count,
    Text,
    Texts,
    OneOrMoreTexts,
    Object,
    Explanations,
    OneOf(&'static [&'static str]),
}

/// Why bytes are not an update: everything that is wrong with them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub struct UpdateError {
    /// Never empty.
    pub defects: Vec<Defect>,
}

impl UpdateError {
    /// Everything that is wrong, for a person or an agent.
    pub fn findings(&self, lang: Lang) -> Vec<Finding> {
        self.defects.iter().map(|it| it.finding(lang)).collect()
    }
}

impl Message for UpdateError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let texts: Vec<_> = self.defects.iter().map(|it| it.text().render(lang)).collect();
            match texts.as_slice() {
                [only] => lang.pick(
                    format!("the update cannot be taken: {only}"),
                    format!("无法接受此更新:{only}"),
                ),
                several => {
                    let (count, all) = (several.len(), several.join("; "));
                    lang.pick(
                        format!("the update cannot be taken for {count} reasons: {all}"),
                        format!("无法接受此更新,原因有 {count} 个:{all}"),
                    )
                }
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| self.defects.iter().filter_map(|it| it.hint(lang)).collect())
    }

    fn exit(&self) -> Exit {
        Exit::Refused
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

    /// Where it is, as a JSON pointer; the whole update is the empty one.
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

    pub fn finding(&self, lang: Lang) -> Finding {
        Finding {
            rule: self.code().into(),
            severity: Severity::P0,
            subject: shorten(self.at()),
            message: self.text().render(lang).into(),
            hint: self.hint(lang).map(Into::into),
        }
    }

    fn text(&self) -> Text {
        Text::each(|lang| {
            let at = shorten(self.at());
            match self {
                Self::Json(error) => error.text().render(lang),
                Self::NotAnObject => lang.pick("it is not an object", "它不是对象").to_owned(),
                Self::Missing { .. } => {
                    lang.pick(format!("`{at}` is missing"), format!("缺少 `{at}`"))
                }
                Self::UnknownKey { .. } => {
                    lang.pick(format!("unknown key `{at}`"), format!("未知的键 `{at}`"))
                }
                Self::WrongType { expected, .. } => {
                    let expected = expected.text().render(lang);
                    lang.pick(format!("`{at}` is not {expected}"), format!("`{at}` 不是{expected}"))
                }
                Self::Blank { .. } => lang.pick(format!("`{at}` is empty"), format!("`{at}` 为空")),
                Self::TooLong { limit, .. } => lang.pick(
                    format!("`{at}` has more than {limit} characters"),
                    format!("`{at}` 超过 {limit} 个字符"),
                ),
                Self::TooMany { found, limit, .. } => lang.pick(
                    format!("`{at}` has {found} entries, and {limit} are allowed"),
                    format!("`{at}` 有 {found} 项,最多 {limit} 项"),
                ),
                Self::ControlCharacter { .. } => lang.pick(
                    format!("`{at}` contains a control character"),
                    format!("`{at}` 含有控制字符"),
                ),
                Self::OutsidePath { .. } => lang.pick(
                    format!("`{at}` is not a path below the root of the repository"),
                    format!("`{at}` 不是仓库根之下的路径"),
                ),
                Self::StoryId { found, .. } => lang.pick(
                    format!("`{at}` is `{found}`, which is not the id of a story"),
                    format!("`{at}` 的值 `{found}` 不是故事 id"),
                ),
                Self::UnknownCriterion { .. } => lang.pick(
                    format!("`{at}` names no criterion"),
                    format!("`{at}` 不是任何 AC 的编号"),
                ),
                Self::CriterionTwice { id, .. } => lang.pick(
                    format!("`{at}` names {id}, which another key names too"),
                    format!("`{at}` 指 {id},而另一个键也指它"),
                ),
                Self::AliasConflict { other, .. } => lang.pick(
                    format!("`{at}` and `{other}` mean the same and do not say the same"),
                    format!("`{at}` 与 `{other}` 含义相同而内容不同"),
                ),
                Self::FileTwice { file, .. } => lang.pick(
                    format!("`{at}` explains `{file}` a second time"),
                    format!("`{at}` 再次解释 `{file}`"),
                ),
                Self::Waiver { .. } => lang.pick(
                    format!("`{at}` asks to leave a check out, and only a person can waive one"),
                    format!("`{at}` 要求跳过检查,而只有人可以豁免检查"),
                ),
                Self::More { left_out } => lang.pick(
                    format!("{left_out} more things are wrong"),
                    format!("另有 {left_out} 处错误"),
                ),
            }
        })
    }

    fn hint(&self, lang: Lang) -> Option<String> {
        match self {
            Self::UnknownKey { nearest: Some(name), .. } => {
                Some(lang.pick(format!("did you mean `{name}`?"), format!("是否想写 `{name}`?")))
            }
            Self::UnknownKey { nearest: None, known, .. } => {
                let known: Vec<_> = known.iter().map(|it| format!("`{it}`")).collect();
                let known = known.join(", ");
                Some(
                    lang.pick(
                        format!("the keys here are {known}"),
                        format!("此处可用的键:{known}"),
                    ),
                )
            }
            Self::UnknownCriterion { .. } => Some(
                lang.pick("write it as `AC-1`, `AC-2` and so on", "请写作 `AC-1`、`AC-2` 等")
                    .to_owned(),
            ),
            Self::StoryId { .. } => {
                Some(lang.pick("write it as `US-001`", "请写作 `US-001`").to_owned())
            }
            Self::OutsidePath { .. } => Some(
                lang.pick(
                    "write it from the root of the repository, without `..`",
                    "请写相对仓库根的路径,不含 `..`",
                )
                .to_owned(),
            ),
            Self::Waiver { .. } => Some(lang.pick("leave the key out", "请删去此键").to_owned()),
            Self::AliasConflict { .. } => {
                Some(lang.pick("send one of the two", "请只发送其中之一").to_owned())
            }
            Self::Json(_)
            | Self::NotAnObject
            | Self::Missing { .. }
            | Self::WrongType { .. }
            | Self::Blank { .. }
            | Self::TooLong { .. }
            | Self::TooMany { .. }
            | Self::ControlCharacter { .. }
            | Self::CriterionTwice { .. }
            | Self::FileTwice { .. }
            | Self::More { .. } => None,
        }
    }
}

impl Expected {
    fn text(self) -> Text {
        Text::each(|lang| {
            let text = match self {
                Self::OneOf(words) => {
                    let words: Vec<_> = words.iter().map(|it| format!("`{it}`")).collect();
                    let words = words.join(", ");
                    let text = lang.pick(format!("one of {words}"), format!(" {words} 之一"));
                    return text;
                }
                Self::Truth => lang.pick("true or false", "布尔值"),
                Self::Count => lang.pick("a whole number from 0", "从 0 起的整数"),
                Self::Text => lang.pick("a text", "文本"),
                Self::Texts => lang.pick("a list of texts", "文本列表"),
                Self::OneOrMoreTexts => lang.pick("a text or a list of texts", "文本或文本列表"),
                Self::Object => lang.pick("an object", "对象"),
                Self::Explanations => lang.pick(
                    "a list of {file, reason, lines}, one of them, or an object by path",
                    "{file, reason, lines} 的列表、单个对象或以路径为键的对象",
                ),
            };
            text.to_owned()
        })
    }
}
