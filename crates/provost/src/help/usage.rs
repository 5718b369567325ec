//! What is wrong with a command line, as a message.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use provost_kernel::Message;

/// Why the parser refused the arguments, in the words of a reader.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "cli.usage")]
pub(crate) enum UsageError {
    #[message(en = "unexpected argument `{argument}`", zh = "多余的参数 `{argument}`",
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`？"))]
    UnknownArgument { argument: String, nearest: Option<String> },
    #[message(en = "unknown command `{command}`", zh = "未知的命令 `{command}`",
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否想写 `{nearest}`？"))]
    UnknownCommand { command: String, nearest: Option<String> },
    #[message(
        en = "unknown command `{command}`",
        zh = "未知的命令 `{command}`",
        hint(
            en = "use {meant:names}; `provost help all` lists every command",
            zh = "可用：{meant:names}；`provost help all` 列出所有命令"
        )
    )]
    NearMiss { command: String, meant: Vec<String> },
    #[message(en = "missing argument: {arguments:names}", zh = "缺少参数：{arguments:names}")]
    MissingArgument { arguments: Vec<String> },
    #[message(
        en = "a command is required: one of {commands:names}",
        zh = "需要一个子命令：{commands:names}"
    )]
    MissingCommand { commands: Vec<String> },
    #[message(en = "`{argument}` needs a value", zh = "`{argument}` 需要一个值")]
    MissingValue { argument: String },
    #[message(en = "`{value}` is not a value of `{argument}`", zh = "`{value}` 不是 `{argument}` 的有效值",
        hint(when = !known.is_empty(), en = "use one of {known:names}", zh = "可用：{known:names}"))]
    InvalidValue { argument: String, value: String, known: Vec<String> },
    #[message(
        en = "`{argument}` cannot be used with {others:names}",
        zh = "`{argument}` 不能与 {others:names} 同时使用"
    )]
    Conflict { argument: String, others: Vec<String> },
    #[message(en = "invalid number of values for `{argument}`", zh = "`{argument}` 的值的个数不对")]
    ValueCount { argument: String },
    #[message(en = "invalid command line", zh = "命令行有误")]
    Other,
}

impl From<&clap::Error> for UsageError {
    fn from(error: &clap::Error) -> Self {
        let texts = |kind| texts(error, kind);
        let text = |kind| texts(kind).into_iter().next();
        let argument = text(ContextKind::InvalidArg).unwrap_or_default();
        match error.kind() {
            ErrorKind::UnknownArgument => {
                Self::UnknownArgument { argument, nearest: text(ContextKind::SuggestedArg) }
            }
            ErrorKind::InvalidSubcommand => Self::UnknownCommand {
                command: text(ContextKind::InvalidSubcommand).unwrap_or_default(),
                nearest: text(ContextKind::SuggestedSubcommand),
            },
            ErrorKind::MissingRequiredArgument => {
                Self::MissingArgument { arguments: texts(ContextKind::InvalidArg) }
            }
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                Self::MissingCommand { commands: texts(ContextKind::ValidSubcommand) }
            }
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
                match text(ContextKind::InvalidValue).filter(|it| !it.is_empty()) {
                    Some(value) => Self::InvalidValue {
                        argument,
                        value,
                        known: texts(ContextKind::ValidValue),
                    },
                    None => Self::MissingValue { argument },
                }
            }
            ErrorKind::ArgumentConflict => {
                Self::Conflict { argument, others: texts(ContextKind::PriorArg) }
            }
            ErrorKind::TooFewValues
            | ErrorKind::TooManyValues
            | ErrorKind::WrongNumberOfValues
            | ErrorKind::NoEquals => Self::ValueCount { argument },
            ErrorKind::InvalidUtf8
            | ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::Io
            | ErrorKind::Format
            | _ => Self::Other,
        }
    }
}

/// How the command is used, for a reader of Chinese, as far as the parser says it; and what says more.
pub(crate) fn usage_lines(
    program: &clap::Command,
    error: &clap::Error,
    words: &[&str],
) -> Vec<String> {
    let mut path = vec![program.get_name()];
    let mut command = program;
    for word in words {
        let Some(below) = command.find_subcommand(word) else { break };
        command = below;
        path.push(below.get_name());
    }
    let usage = texts(error, ContextKind::Usage).into_iter().next();
    let usage = usage.map(|it| format!("用法：{}", in_chinese(&it)));
    let more = format!("运行 `{} --help` 查看详细用法", path.join(" "));
    usage.into_iter().chain([more]).collect()
}

/// A usage line of the parser, without its label.
pub(super) fn in_chinese(usage: &str) -> String {
    let usage = usage.strip_prefix("Usage: ").unwrap_or(usage).trim();
    usage.replace("[OPTIONS]", "[选项]").replace("<COMMAND>", "<命令>")
}

fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
        Some(ContextValue::StyledStrs(texts)) => texts.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
