//! Which engine answers: `stub`, `cmd:ARGV`, `http:BASE` or `replay:DIR`.

use std::str::FromStr;

use camino::Utf8PathBuf;
use provost_kernel::{Finding, Lang, Message, Text};
use provost_rules::sudo::refuse_sudo;
use provost_rules_eval::stub::StubOptions;
use provost_shell::parse_argv;

/// An engine as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Generator {
    /// The built-in one, perhaps with faults on order.
    Stub(StubOptions),
    /// A program and its arguments.
    Command(Vec<String>),
    /// A model behind an OpenAI-compatible interface.
    Http(String),
    /// Answers that were recorded.
    Replay(Utf8PathBuf),
}

/// A text that names no engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", self.text())]
pub enum GeneratorError {
    Unknown(String),
    Empty(&'static str),
    /// Quotes that do not close.
    Quotes(String),
    Stub(String),
    /// A command that nobody may run.
    Refused(Box<Finding>),
    /// An address on another machine.
    NotHere(String),
    NoModel,
}

impl Generator {
    /// Refuses a command that would gain another user's rights.
    pub fn check(&self, lang: Lang) -> Result<(), GeneratorError> {
        match self {
            Self::Command(argv) => {
                let refused = refuse_sudo(&parse_argv(argv));
                refused.map_or(Ok(()), |it| Err(GeneratorError::Refused(Box::new(it))))
            }
            Self::Stub(_) | Self::Http(_) | Self::Replay(_) => Ok(()),
        }
    }
}

impl FromStr for Generator {
    type Err = GeneratorError;

    fn from_str(text: &str) -> Result<Self, GeneratorError> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        match kind {
            "stub" => {
                rest.parse().map(Self::Stub).map_err(|error: <StubOptions as FromStr>::Err| {
                    GeneratorError::Stub(error.to_string())
                })
            }
            "cmd" => {
                let quotes = || GeneratorError::Quotes(rest.to_owned());
                let argv = shlex::split(rest).ok_or_else(quotes)?;
                if argv.is_empty() {
                    return Err(GeneratorError::Empty("cmd"));
                }
                Ok(Self::Command(argv))
            }
            "http" if rest.is_empty() => Err(GeneratorError::Empty("http")),
            // `http://host` is an address as much as `http:http://host` is.
            "http" | "https" if rest.starts_with("//") => Ok(Self::Http(text.to_owned())),
            "http" => Ok(Self::Http(rest.to_owned())),
            "replay" if rest.is_empty() => Err(GeneratorError::Empty("replay")),
            "replay" => Ok(Self::Replay(rest.into())),
            _ => Err(GeneratorError::Unknown(text.chars().take(60).collect())),
        }
    }
}

impl Message for GeneratorError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Unknown(text) => {
                lang.pick(format!("`{text}` names no engine"), format!("`{text}` 不是已知的引擎"))
            }
            Self::Empty(kind) => lang.pick(
                format!("`{kind}:` says nothing about the engine"),
                format!("`{kind}:` 之后缺少内容"),
            ),
            Self::Quotes(text) => lang.pick(
                format!("the quotes of `{text}` do not close"),
                format!("`{text}` 的引号没有闭合"),
            ),
            Self::Stub(message) => message.clone(),
            Self::Refused(finding) => lang.pick(
                format!("refused to run `{}`: {}", finding.subject, finding.message),
                format!("拒绝运行 `{}`:{}", finding.subject, finding.message),
            ),
            Self::NotHere(base) => {
                lang.pick(format!("`{base}` is not on this machine"), format!("`{base}` 不在本机"))
            }
            Self::NoModel => {
                lang.pick("no model is named for the HTTP engine", "HTTP 引擎未指定模型").to_owned()
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::Unknown(_) | Self::Empty(_) => lang.pick(
                    "write `stub`, `cmd:PROGRAM ARGUMENTS`, `http:ADDRESS` or `replay:FOLDER`",
                    "请写 `stub`、`cmd:程序 参数`、`http:地址` 或 `replay:文件夹`",
                ),
                Self::NotHere(_) => lang.pick(
                    "`--allow-net` lets texts leave this machine",
                    "使用 `--allow-net` 允许文本离开本机",
                ),
                Self::NoModel => lang.pick("name it with `--model`", "请用 `--model` 指定"),
                Self::Quotes(_) | Self::Stub(_) | Self::Refused(_) => return Vec::new(),
            };
            vec![hint.to_owned()]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_what_its_name_says() {
        let words =
            |it: &[&str]| Generator::Command(it.iter().map(|it| (*it).to_owned()).collect());
        let check = |text: &str, expected: Result<Generator, &str>| {
            let parsed = text.parse::<Generator>().map_err(|it| it.to_string());
            assert_eq!(parsed, expected.map_err(str::to_owned), "{text}");
        };
        check("stub", Ok(Generator::Stub(StubOptions::default())));
        check("cmd:python3 'my engine.py' -x", Ok(words(&["python3", "my engine.py", "-x"])));
        check("cmd:", Err("`cmd:` says nothing about the engine"));
        check("cmd:a 'b", Err("the quotes of `a 'b` do not close"));
        let http = |base: &str| Ok(Generator::Http(base.to_owned()));
        check("http:http://127.0.0.1:1/v1", http("http://127.0.0.1:1/v1"));
        check("http://127.0.0.1:1/v1", http("http://127.0.0.1:1/v1"));
        check("https://host/v1", http("https://host/v1"));
        check("replay:a/b", Ok(Generator::Replay("a/b".into())));
        check("replay:", Err("`replay:` says nothing about the engine"));
        check("model", Err("`model` names no engine"));
    }

    #[test]
    fn nobody_gains_rights_through_an_engine() {
        let generator: Generator = "cmd:sudo -n true".parse().unwrap();
        assert!(matches!(generator.check(Lang::En), Err(GeneratorError::Refused(_))));
    }
}
