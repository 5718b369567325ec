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
