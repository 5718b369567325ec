//! What `provost eval` was given and cannot use.

use camino::Utf8PathBuf;
use provost_kernel::Message;

/// An option that names something unusable.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "eval.option")]
pub(super) enum OptionError {
    #[message(
        en = "`{path}` is not a file of waivers",
        zh = "`{path}` 不是豁免文件",
        hint(
            en = "write `[[waiver]]` tables with `check`, `reason`, `until` and perhaps `case`",
            zh = "请写 `[[waiver]]` 表，含 `check`、`reason`、`until`，以及可选的 `case`"
        )
    )]
    Waivers { path: Utf8PathBuf, source: Box<toml::de::Error> },
    #[message(
        en = "unknown check `{name}`",
        zh = "未知的检查 `{name}`",
        hint(en = "known are {known}", zh = "已知的有 {known}")
    )]
    UnknownCheck { name: String, known: Vec<String> },
    #[message(en = "cannot read `{path}`", zh = "无法读取 `{path}`")]
    Unreadable { path: Utf8PathBuf, source: std::io::Error },
    /// A file that was there before.
    #[message(
        en = "`{path}` exists already",
        zh = "`{path}` 已存在",
        hint(en = "name another folder", zh = "请指定另一个文件夹")
    )]
    Exists { path: Utf8PathBuf },
    #[message(
        en = "`{path}` is the baseline, and a run does not replace it",
        zh = "`{path}` 是基线，运行不会替换它",
        hint(
            en = "write the report elsewhere with `--out`, and `provost eval bless` it when it is good",
            zh = "请用 `--out` 写到别处，满意后用 `provost eval bless` 确认"
        )
    )]
    OverBaseline { path: Utf8PathBuf },
    #[message(
        en = "there is no baseline `{path}`",
        zh = "没有基线 `{path}`",
        hint(
            en = "`provost eval bless` makes the last report the baseline",
            zh = "`provost eval bless` 将最近的报告设为基线"
        )
    )]
    NoBaseline { path: Utf8PathBuf },
    #[message(
        en = "`{path}` is no baseline: {errors} {errors:case|cases} could not be measured",
        zh = "`{path}` 不能作为基线：有 {errors} 个用例未能测量"
    )]
    NotMeasured { path: Utf8PathBuf, errors: usize },
    #[message(
        en = "`{path}` is of suite `{suite}`, and the first report of `{expected}`",
        zh = "`{path}` 属于套件 `{suite}`，而第一份报告属于 `{expected}`"
    )]
    OtherSuite { path: Utf8PathBuf, suite: String, expected: String },
    /// A folder where a file is to be written.
    #[message(
        en = "`{path}` is a folder, and a report is a file",
        zh = "`{path}` 是文件夹，而报告是文件"
    )]
    Folder { path: Utf8PathBuf },
    /// The results could not be read again to be printed.
    #[message(en = "cannot print the report", zh = "无法输出报告")]
    Print(#[source] std::io::Error),
}
