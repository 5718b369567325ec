//! Why an eval could not be run. Everything here ends with exit code 2.

use camino::Utf8PathBuf;
use provost_adapter::AdapterError;
use provost_exec::ExecError;
use provost_kernel::{DigestError, Finding, Message, Text, eval::REPORT_SCHEMA};
use provost_rules_eval::{lexicon::LexiconError, suite::SuiteError, waiver::WaiverError};
use provost_vault::FileError;

use super::generator::GeneratorError;

/// Something that the runner could not do.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum EvalError {
    /// No file matches.
    NoCases {
        pattern: String,
        is_filtered: bool,
    },
    BadPattern {
        pattern: String,
        source: globset::Error,
    },
    /// Files that are no cases, and why.
    BadCases(Vec<Finding>),
    Unreadable {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// A file whose name is not UTF-8.
    NotUtf8 {
        path: String,
    },
    /// A file that is no report, and was to be compared with.
    BadReport {
        path: Utf8PathBuf,
        cause: String,
    },
    #[error(transparent)]
    Generator(GeneratorError),
    #[error(transparent)]
    Suite(Box<SuiteError>),
    #[error(transparent)]
    Lexicon(LexiconError),
    #[error(transparent)]
    Waiver(WaiverError),
    #[error(transparent)]
    Adapter(Box<AdapterError>),
    #[error(transparent)]
    Exec(Box<ExecError>),
    #[error(transparent)]
    File(FileError),
    #[error(transparent)]
    Digest(DigestError),
    /// A fault of the runner itself.
    Broken,
    /// Somebody asked for the end. What was measured is in the journal.
    Interrupted {
        done: usize,
        total: usize,
        is_kept: bool,
    },
}

macro_rules! from {
    ($($source:ty => $variant:ident $(($wrap:path))?),+ $(,)?) => {
        $(impl From<$source> for EvalError {
            fn from(error: $source) -> Self {
                Self::$variant($($wrap)?(error))
            }
        })+
    };
}

from! {
    GeneratorError => Generator,
    SuiteError => Suite(Box::new),
    LexiconError => Lexicon,
    WaiverError => Waiver,
    AdapterError => Adapter(Box::new),
    ExecError => Exec(Box::new),
    FileError => File,
    DigestError => Digest,
}

impl Message for EvalError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NoCases { pattern, is_filtered: false } => lang.pick(
                format!("no file matches `{pattern}`: there is nothing to evaluate"),
                format!("没有文件匹配 `{pattern}`:没有可评测的用例"),
            ),
            Self::NoCases { pattern, is_filtered: true } => lang.pick(
                format!("no case of `{pattern}` was chosen: there is nothing to evaluate"),
                format!("`{pattern}` 中没有选中任何用例:没有可评测的用例"),
            ),
            Self::BadPattern { pattern, .. } => lang.pick(
                format!("`{pattern}` is not a pattern for files"),
                format!("`{pattern}` 不是有效的文件模式"),
            ),
            Self::BadCases(findings) => lang.pick(
                match findings.len() {
                    1 => "cases cannot be used, and nothing was run: 1 error".to_owned(),
                    n => format!("cases cannot be used, and nothing was run: {n} errors"),
                },
                format!("用例不可用,未运行任何用例:{} 处错误", findings.len()),
            ),
            Self::Unreadable { path, .. } => {
                lang.pick(format!("cannot read `{path}`"), format!("无法读取 `{path}`"))
            }
            Self::NotUtf8 { path } => lang.pick(
                format!("the name of a file is not UTF-8: `{path}`"),
                format!("文件名不是 UTF-8:`{path}`"),
            ),
            Self::BadReport { path, cause } => lang.pick(
                format!("`{path}` is not a report ({REPORT_SCHEMA}): {cause}"),
                format!("`{path}` 不是报告({REPORT_SCHEMA}):{cause}"),
            ),
            Self::Generator(error) => error.text().render(lang),
            Self::Suite(error) => error.text().render(lang),
            Self::Lexicon(error) => error.text().render(lang),
            Self::Waiver(error) => error.text().render(lang),
            Self::Adapter(error) => error.text().render(lang),
            Self::Exec(error) => error.text().render(lang),
            Self::File(error) => error.text().render(lang),
            Self::Digest(_) => {
                lang.pick("the report has no digest", "无法计算报告的摘要").to_owned()
            }
            Self::Broken => lang
                .pick("a worker of the run broke off", "运行中的一个工作线程异常中断")
                .to_owned(),
            Self::Interrupted { done, total, .. } => lang.pick(
                format!("ended before the end: {done} of {total} cases were measured"),
                format!("提前结束:已测量 {done}/{total} 个用例"),
            ),
        })
    }

    fn findings(&self) -> &[Finding] {
        if let Self::BadCases(findings) = self { findings } else { &[] }
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let hint = match self {
                Self::NoCases { is_filtered: false, .. } => lang.pick(
                    "name the cases with `--cases GLOB`, or start where `docs/evals/cases` is",
                    "请用 `--cases GLOB` 指定用例,或在含有 `docs/evals/cases` 的目录下运行",
                ),
                Self::NoCases { is_filtered: true, .. } => lang.pick(
                    "look at `--filter` and `--shard`; `--list` shows the cases",
                    "请检查 `--filter` 与 `--shard`;`--list` 列出用例",
                ),
                Self::Interrupted { is_kept: true, .. } => lang.pick(
                    "the same command with `--resume` goes on; the earlier report is untouched",
                    "用同一命令加 `--resume` 继续;原有报告未改动",
                ),
                Self::Interrupted { is_kept: false, .. } => {
                    lang.pick("the earlier report is untouched", "原有报告未改动")
                }
                Self::Generator(error) => return error.hints_in(lang),
                Self::Suite(error) => return error.hints_in(lang),
                Self::Lexicon(error) => return error.hints_in(lang),
                Self::Adapter(error) => return error.hints_in(lang),
                Self::Exec(error) => return error.hints_in(lang),
                Self::File(error) => return error.hints_in(lang),
                Self::BadPattern { .. }
                | Self::BadCases(_)
                | Self::Unreadable { .. }
                | Self::NotUtf8 { .. }
                | Self::BadReport { .. }
                | Self::Waiver(_)
                | Self::Broken
                | Self::Digest(_) => return Vec::new(),
            };
            vec![hint.to_owned()]
        })
    }
}
