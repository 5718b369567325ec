//! What is wrong with the file of a mission.

use provost_kernel::{Lang, Message, Text};

/// Why there is no mission.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum MissionError {
    TooLarge {
        limit: usize,
    },
    /// The text is not TOML.
    Syntax {
        line: usize,
        #[source]
        cause: Syntax,
    },
    /// Everything that is wrong, in the order in which it was found.
    Problems(Vec<MissionProblem>),
}

/// What the parser says, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Syntax(String);

/// One thing that is wrong, with its key.
#[derive(Clone, Debug, PartialEq)]
pub enum MissionProblem {
    Missing {
        key: String,
        expected: Expected,
    },
    Unknown {
        key: String,
        nearest: Option<String>,
    },
    /// One setting under its two names.
    Twice {
        key: String,
        other: String,
    },
    /// The value, as JSON; nothing for what JSON cannot hold.
    Unexpected {
        key: String,
        found: Option<String>,
        expected: Expected,
    },
    /// A value that has its type and cannot be had.
    Refused {
        key: String,
        why: Refusal,
    },
}

/// What a key can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    Table,
    Tables,
    Text,
    Texts,
    TextOrTexts,
    Flag,
    Name,
    Address,
    Variable,
    TicketKeys,
    Whole {
        min: u64,
        max: u64,
    },
    Number {
        min: f64,
        max: f64,
    },
    /// From 0 to 1, in thousandths.
    Share,
    Dollars,
    OneOf(&'static [&'static str]),
}

/// Why a value cannot be had, in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub en: &'static str,
    pub zh: &'static str,
}

impl MissionError {
    pub(super) fn syntax(text: &str, error: &toml::de::Error) -> Self {
        let at = error.span().map_or(text.len(), |it| it.start.min(text.len()));
        let line = 1 + text.bytes().take(at).filter(|it| *it == b'\n').count();
        Self::Syntax { line, cause: Syntax(error.message().to_owned()) }
    }
}

impl MissionProblem {
    /// The key, or what was written in the place of one.
    pub fn key(&self) -> &str {
        match self {
            Self::Missing { key, .. }
            | Self::Unknown { key, .. }
            | Self::Twice { key, .. }
            | Self::Unexpected { key, .. }
            | Self::Refused { key, .. } => key,
        }
    }

    /// What is wrong, in one line.
    pub fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Missing { key, expected } => {
                let expected = expected.describe(lang);
                lang.pick(
                    format!("`{key}` is missing, expected {expected}"),
                    format!("缺少 `{key}`,应为{expected}"),
                )
            }
            Self::Unknown { key, nearest: None } => {
                lang.pick(format!("unknown key `{key}`"), format!("未知的键 `{key}`"))
            }
            Self::Unknown { key, nearest: Some(nearest) } => lang.pick(
                format!("unknown key `{key}`, did you mean `{nearest}`?"),
                format!("未知的键 `{key}`,是否想写 `{nearest}`?"),
            ),
            Self::Twice { key, other } => lang.pick(
                format!("`{key}` and `{other}` are two names of one setting, use the first"),
                format!("`{key}` 与 `{other}` 是同一设置的两个名称,请用前者"),
            ),
            Self::Unexpected { key, found, expected } => {
                let expected = expected.describe(lang);
                let found = match found {
                    Some(found) => format!("`{found}`"),
                    None => lang.pick("a date or no number", "日期或非数字").to_owned(),
                };
                lang.pick(
                    format!("`{key}` is {found}, expected {expected}"),
                    format!("`{key}` 的值为 {found},应为{expected}"),
                )
            }
            Self::Refused { key, why } => {
                let why = lang.pick(why.en, why.zh);
                lang.pick(format!("`{key}`: {why}"), format!("`{key}`:{why}"))
            }
        })
    }
}

impl Expected {
    fn describe(self, lang: Lang) -> String {
        let fixed = match self {
            Self::Whole { min, max: u64::MAX } => {
                return lang.pick(
                    format!("a whole number of at least {min}"),
                    format!("不小于 {min} 的整数"),
                );
            }
            Self::Whole { min, max } => {
                return lang.pick(
                    format!("a whole number from {min} to {max}"),
                    format!("{min} 到 {max} 之间的整数"),
                );
            }
            Self::Number { min, max } => {
                return lang.pick(
                    format!("a number from {min} to {max}"),
                    format!("{min} 到 {max} 之间的数"),
                );
            }
            Self::OneOf(words) => {
                let words: Vec<String> = words.iter().map(|it| format!("`{it}`")).collect();
                let words = words.join(", ");
                return lang.pick(format!("one of {words}"), format!("{words} 之一"));
            }
            Self::Table => ("a table", "表"),
            Self::Tables => ("a list of tables", "表的列表"),
            Self::Text => ("a text on one line that is not blank", "一行非空文本"),
            Self::Texts => ("a list of texts that are not blank", "非空文本的列表"),
            Self::TextOrTexts => ("a text or a list of texts", "文本或文本的列表"),
            Self::Flag => ("`true` or `false`", " `true` 或 `false`"),
            Self::Name => (
                "letters, digits, `_`, `-` and `.`, starting with a letter or a digit",
                "字母、数字、`_`、`-` 和 `.`,以字母或数字开头",
            ),
            Self::Address => (
                "an address that starts with `http://` or `https://`",
                "以 `http://` 或 `https://` 开头的地址",
            ),
            Self::Variable => ("the name of an environment variable", "环境变量的名称"),
            Self::TicketKeys => {
                ("a list of keys such as `GROUP::pass`", "`GROUP::pass` 这样的键的列表")
            }
            Self::Share => {
                ("a number from 0 to 1 with at most three decimals", "0 到 1 之间至多三位小数的数")
            }
            Self::Dollars => {
                ("dollars with at most six decimals, not negative", "非负且至多六位小数的美元数")
            }
        };
        lang.pick(fixed.0, fixed.1).to_owned()
    }
}

impl Message for MissionError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::TooLarge { limit } => lang.pick(
                format!("the mission has more than {limit} bytes"),
                format!("任务目标文件超过 {limit} 字节"),
            ),
            Self::Syntax { line, .. } => lang.pick(
                format!("the mission is not TOML, at line {line}"),
                format!("任务目标文件第 {line} 行不是 TOML"),
            ),
            Self::Problems(problems) => {
                let all: Vec<String> = problems.iter().map(|it| it.text().render(lang)).collect();
                let all = all.join("; ");
                lang.pick(
                    format!("the mission cannot be used: {all}"),
                    format!("任务目标无法使用:{all}"),
                )
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = lang.pick(
            "correct the file, then `provost learn run MISSION.toml`; `docs/learn.md` has every key",
            "请改正文件,然后运行 `provost learn run MISSION.toml`;所有的键见 `docs/learn.md`",
        );
            vec![hint.to_owned()]
        })
    }
}
