//! Why the guard could not be installed or taken out.

use camino::Utf8PathBuf;
use provost_kernel::{Exit, Fault, Message, Text, guard::Harness};
use provost_rules_guard::install::InstallError;
use provost_vault::{FileError, ForeignError, HomeError, audit::AuditError};

/// Something that could not be done to a client's configuration.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum SetupError {
    /// There is no repository around the current folder.
    NoProject,
    /// The configuration is not one that can be edited.
    Configuration { path: Utf8PathBuf, why: InstallError },
    /// The record of the installation is damaged.
    Record { path: Utf8PathBuf },
    /// The guard is not installed in this client.
    NotInstalled { harness: Harness },
    #[error(transparent)]
    Foreign(#[from] ForeignError),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl SetupError {
    fn inner(&self) -> Option<&dyn Fault> {
        match self {
            Self::Foreign(error) => Some(error),
            Self::Home(error) => Some(error),
            Self::File(error) => Some(error),
            Self::Audit(error) => Some(error),
            Self::NoProject
            | Self::Configuration { .. }
            | Self::Record { .. }
            | Self::NotInstalled { .. } => None,
        }
    }
}

impl Message for SetupError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NoProject => {
                lang.pick("there is no git repository here", "此处没有 git 仓库").to_owned()
            }
            Self::Configuration { path, why } => {
                let why = why.text().render(lang);
                lang.pick(
                    format!("cannot edit `{path}`: {why}"),
                    format!("无法编辑 `{path}`:{why}"),
                )
            }
            Self::Record { path } => lang.pick(
                format!("the record of the installation `{path}` is damaged"),
                format!("安装记录 `{path}` 已损坏"),
            ),
            Self::NotInstalled { harness } => {
                let title = harness.title();
                lang.pick(
                    format!("the guard is not installed in {title}"),
                    format!("{title} 中未安装守卫"),
                )
            }
            Self::Foreign(_) | Self::Home(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().map(|it| it.text().render(lang)).unwrap_or_default()
            }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::NoProject => vec![
                lang.pick(
                    "run the command inside the repository, or with `--scope user`",
                    "请在仓库中运行,或使用 `--scope user`",
                )
                .to_owned(),
            ],
            Self::Configuration { why, .. } => why.hints_in(lang),
            Self::Record { .. } => vec![
                lang.pick(
                    "remove it; our entries are then taken out by what they look like",
                    "请删除它;之后将按条目特征移除",
                )
                .to_owned(),
            ],
            Self::NotInstalled { harness } => {
                vec![format!("`provost guard install --client {harness}`")]
            }
            Self::Foreign(_) | Self::Home(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().map(|it| it.hints_in(lang)).unwrap_or_default()
            }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::NoProject | Self::Configuration { .. } | Self::NotInstalled { .. } => {
                Exit::Unable
            }
            Self::Record { .. } => Exit::Integrity,
            Self::Foreign(_) | Self::Home(_) | Self::File(_) | Self::Audit(_) => {
                self.inner().map_or(Exit::Unable, Message::exit)
            }
        }
    }
}
