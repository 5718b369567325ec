//! Why an eval could not be run. Everything here ends with exit code 2.

use camino::Utf8PathBuf;
use provost_adapter::AdapterError;
use provost_exec::ExecError;
use provost_kernel::{DigestError, Finding, Message, eval::REPORT_SCHEMA};
use provost_rules_eval::{lexicon::LexiconError, suite::SuiteError, waiver::WaiverError};
use provost_vault::FileError;

use super::generator::GeneratorError;

/// Something that the runner could not do.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval")]
pub enum EvalError {
    #[message(
        en = "no file matches `{pattern}`: nothing to evaluate",
        zh = "没有文件匹配 `{pattern}`：没有可评测的用例",
        hint(
            en = "name the cases with `--cases GLOB`, or start where `docs/evals/cases` is",
            zh = "请用 `--cases GLOB` 指定用例，或在含有 `docs/evals/cases` 的目录下运行"
        )
    )]
    NoCases { pattern: String },
    #[message(
        en = "no case of `{pattern}` was chosen: nothing to evaluate",
        zh = "`{pattern}` 中没有选中任何用例：没有可评测的用例",
        hint(
            en = "look at `--filter` and `--shard`; `--list` shows the cases",
            zh = "请检查 `--filter` 与 `--shard`；`--list` 列出用例"
        )
    )]
    NoneChosen { pattern: String },
    #[message(en = "invalid file pattern `{pattern}`", zh = "`{pattern}` 不是有效的文件模式")]
    BadPattern { pattern: String, source: globset::Error },
    /// Files that are not cases, and why.
    #[message(
        en = "invalid cases, nothing was run: {n} {n:error|errors}",
        zh = "用例不可用，未运行任何用例：{n} 处错误",
        arg(n = field0.len()),
        findings = field0
    )]
    BadCases(Vec<Finding>),
    #[message(en = "cannot read `{path}`", zh = "无法读取 `{path}`")]
    Unreadable { path: Utf8PathBuf, source: std::io::Error },
    #[message(en = "the name of a file is not UTF-8: `{path}`", zh = "文件名不是 UTF-8：`{path}`")]
    NotUtf8 { path: String },
    /// A file that was to be compared with.
    #[message(
        en = "`{path}` is not a report ({schema}): {cause}",
        zh = "`{path}` 不是报告（{schema}）：{cause}",
        arg(schema = REPORT_SCHEMA)
    )]
    BadReport { path: Utf8PathBuf, cause: String },
    #[message(
        en = "the digest of `{path}` does not fit: it was changed after it was written, or another version wrote it",
        zh = "`{path}` 的摘要不符：写入后被更改，或由其他版本写成",
        hint(
            en = "run the suite again and `provost eval bless` the new report",
            zh = "请重新运行套件，并用 `provost eval bless` 确认新报告"
        )
    )]
    Forged { path: Utf8PathBuf },
    #[message(
        en = "check `{check}` runs a program of the suite: `{run}`",
        zh = "检查 `{check}` 要运行套件指定的程序：`{run}`",
        hint(
            en = "`--run-checks` allows that; look at the program first",
            zh = "`--run-checks` 允许运行；请先查看该程序"
        )
    )]
    NoProgram { check: String, run: String },
    #[message(
        en = "check `{check}` needs a judge",
        zh = "检查 `{check}` 需要评委模型",
        hint(
            en = "name one with `--judge ADDRESS --judge-model MODEL`",
            zh = "请用 `--judge 地址 --judge-model 模型` 指定"
        )
    )]
    NoJudge { check: String },
    #[message(
        en = "the judge cannot be asked about the examples of `{check}`: {message}",
        zh = "无法就 `{check}` 的示例询问评委：{message}"
    )]
    JudgeFailed { check: String, message: provost_kernel::Text },
    /// A judge that does not know right from wrong.
    #[message(
        en = "the judge agrees with {agreed} of {total} examples of `{check}`, so its verdicts say nothing",
        zh = "评委与 `{check}` 的 {total} 个示例中的 {agreed} 个一致，其结论不可信",
        hint(
            en = "wrong about example {wrong}: make the criterion clearer, take a better model, or lower `agreement`",
            zh = "判错的示例：{wrong}；请把标准写得更清楚、换更好的模型，或降低 `agreement`"
        )
    )]
    Uncalibrated { check: String, agreed: u32, total: usize, wrong: Vec<u32> },
    #[error(transparent)]
    #[message(transparent)]
    Generator(GeneratorError),
    #[error(transparent)]
    #[message(transparent)]
    Suite(Box<SuiteError>),
    #[error(transparent)]
    #[message(transparent)]
    Lexicon(LexiconError),
    #[error(transparent)]
    #[message(transparent)]
    Waiver(WaiverError),
    #[error(transparent)]
    #[message(transparent)]
    Adapter(Box<AdapterError>),
    #[error(transparent)]
    #[message(transparent)]
    Exec(Box<ExecError>),
    #[error(transparent)]
    #[message(transparent)]
    File(FileError),
    #[error(transparent)]
    #[message(en = "cannot compute the digest of the report", zh = "无法计算报告的摘要")]
    Digest(DigestError),
    /// A fault of the runner itself.
    #[message(en = "a worker of the run panicked", zh = "运行中的一个工作线程异常中断")]
    Broken,
    /// A person asked for the end. What was measured is in the journal.
    #[message(
        en = "interrupted: {done} of {total} cases were measured",
        zh = "提前结束：已测量 {done}/{total} 个用例",
        hint(
            when = *is_kept,
            en = "the same command with `--resume` goes on; the earlier report is untouched",
            zh = "用同一命令加 `--resume` 继续；原有报告未改动"
        ),
        hint(
            when = !*is_kept,
            en = "the earlier report is untouched",
            zh = "原有报告未改动"
        )
    )]
    Interrupted { done: usize, total: usize, is_kept: bool },
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
