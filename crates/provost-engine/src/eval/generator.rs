//! Which engine answers: `stub`, `cmd:ARGV`, `http:BASE` or `replay:DIR`.

use std::str::FromStr;

use camino::Utf8PathBuf;
use provost_kernel::{Finding, Message, shorten};
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

/// An engine that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval.generator")]
pub enum GeneratorError {
    #[message(
        en = "unknown engine `{0}`",
        zh = "`{0}` 不是已知的引擎",
        hint(
            en = "write `stub`, `cmd:PROGRAM ARGUMENTS`, `http:ADDRESS` or `replay:FOLDER`",
            zh = "请写 `stub`、`cmd:程序 参数`、`http:地址` 或 `replay:文件夹`"
        )
    )]
    Unknown(String),
    #[message(
        en = "nothing after `{0}:`",
        zh = "`{0}:` 之后缺少内容",
        hint(
            en = "write `stub`, `cmd:PROGRAM ARGUMENTS`, `http:ADDRESS` or `replay:FOLDER`",
            zh = "请写 `stub`、`cmd:程序 参数`、`http:地址` 或 `replay:文件夹`"
        )
    )]
    Empty(&'static str),
    #[message(en = "unclosed quote in `{0}`", zh = "`{0}` 的引号没有闭合")]
    Quotes(String),
    #[message(en = "{0}", zh = "{0}")]
    Stub(String),
    #[message(
        en = "refused to run `{subject}`: {message}",
        zh = "拒绝运行 `{subject}`：{message}",
        arg(subject = field0.subject),
        arg(message = field0.message)
    )]
    Refused(Box<Finding>),
    /// An address on another machine.
    #[message(
        en = "`{0}` is not on this machine",
        zh = "`{0}` 不在本机",
        hint(
            en = "`--allow-net` lets texts leave this machine",
            zh = "使用 `--allow-net` 允许文本离开本机"
        )
    )]
    NotHere(String),
    #[message(
        en = "no model is named for the HTTP engine",
        zh = "HTTP 引擎未指定模型",
        hint(en = "name it with `--model`", zh = "请用 `--model` 指定")
    )]
    NoModel,
    #[message(
        en = "no model is named for the judge",
        zh = "评委未指定模型",
        hint(en = "name it with `--judge-model`", zh = "请用 `--judge-model` 指定")
    )]
    NoJudgeModel,
}

impl Generator {
    /// Refuses a command that would gain another user's rights.
    pub fn check(&self) -> Result<(), GeneratorError> {
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
            _ => Err(GeneratorError::Unknown(shorten(text))),
        }
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
        check("cmd:", Err("nothing after `cmd:`"));
        check("cmd:a 'b", Err("unclosed quote in `a 'b`"));
        let http = |base: &str| Ok(Generator::Http(base.to_owned()));
        check("http:http://127.0.0.1:1/v1", http("http://127.0.0.1:1/v1"));
        check("http://127.0.0.1:1/v1", http("http://127.0.0.1:1/v1"));
        check("https://host/v1", http("https://host/v1"));
        check("replay:a/b", Ok(Generator::Replay("a/b".into())));
        check("replay:", Err("nothing after `replay:`"));
        check("model", Err("unknown engine `model`"));
    }

    #[test]
    fn no_engine_gains_rights() {
        let generator: Generator = "cmd:sudo -n true".parse().unwrap();
        assert!(matches!(generator.check(), Err(GeneratorError::Refused(_))));
    }
}
