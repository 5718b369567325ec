//! Why the guard could not be installed or uninstalled.

use camino::Utf8PathBuf;
use provost_kernel::{Message, guard::Harness};
use provost_rules_guard::install::InstallError;
use provost_vault::{FileError, ForeignError, HomeError, audit::AuditError};

/// Something that could not be done to a client's configuration.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.setup")]
pub enum SetupError {
    /// There is no repository around the current directory.
    #[message(
        en = "cannot find a git repository here",
        zh = "找不到 git 仓库",
        hint(
            en = "run the command inside the repository, or with `--scope user`",
            zh = "请在仓库中运行，或使用 `--scope user`"
        )
    )]
    NoProject,
    /// The configuration cannot be edited.
    #[message(en = "cannot edit `{path}`: {why}", zh = "无法编辑 `{path}`：{why}", inherit = why)]
    Configuration { path: Utf8PathBuf, why: InstallError },
    /// The record of the installation is damaged.
    #[message(
        en = "the record of the installation `{path}` is damaged",
        zh = "安装记录 `{path}` 已损坏",
        hint(
            en = "remove the record; provost then recognises its entries by their command line",
            zh = "请删除该记录；之后 provost 将按命令行识别自己的条目"
        ),
        exit = Integrity
    )]
    Record { path: Utf8PathBuf },
    /// The guard is not installed in this client.
    #[message(
        en = "the guard is not installed in {title}",
        zh = "{title} 中未安装守卫",
        arg(title = harness.title()),
        hint(
            en = "install it: `provost guard install --client {harness}`",
            zh = "请安装：`provost guard install --client {harness}`"
        )
    )]
    NotInstalled { harness: Harness },
    #[error(transparent)]
    #[message(transparent)]
    Foreign(#[from] ForeignError),
    #[error(transparent)]
    #[message(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
}
