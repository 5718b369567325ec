//! Why a client could not be driven.
//!
//! A client that ran and did not do as it should is no error: what was seen of it says so.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_exec::ExecError;
use provost_kernel::{Exit, Lang, Message, Text, guard::Harness};

use super::LiveClient;

/// A client that could not be driven. None of these is ever a proof.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
pub enum LiveError {
    /// The program is not on `PATH`.
    Missing { client: &'static LiveClient },
    /// Nobody knows how to drive it without a person.
    NotDriven { harness: Harness },
    /// The scripted model could not be started.
    Model(#[source] io::Error),
    /// The program could not be supervised.
    Exec { client: &'static LiveClient, source: ExecError },
    /// It could not be seen whether a file is there.
    Look { path: PathBuf, source: io::Error },
}

impl LiveError {
    pub(super) fn look(path: &Path, source: io::Error) -> Self {
        Self::Look { path: path.to_owned(), source }
    }
}

impl Message for LiveError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Missing { client: LiveClient { harness, program, .. } } => lang.pick(
                format!("{} is not there: no `{program}` on `PATH`", harness.title()),
                format!("未找到 {}:`PATH` 中没有 `{program}`", harness.title()),
            ),
            Self::NotDriven { harness } => lang.pick(
                format!("{} cannot be driven without a person", harness.title()),
                format!("无法在没有人的情况下驱动 {}", harness.title()),
            ),
            Self::Model(_) => {
                lang.pick("cannot start the scripted model", "无法启动脚本模型").to_owned()
            }
            Self::Exec { client: LiveClient { program, .. }, .. } => {
                lang.pick(format!("cannot run `{program}`"), format!("无法运行 `{program}`"))
            }
            Self::Look { path, .. } => lang.pick(
                format!("cannot see whether `{}` is there", path.display()),
                format!("无法确认 `{}` 是否存在", path.display()),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Missing { client: LiveClient { package, .. } } => vec![lang.pick(
                format!("`npm install --global {package}` brings it"),
                format!("可用 `npm install --global {package}` 安装"),
            )],
            Self::NotDriven { .. } => vec![
                lang.pick(
                    "`provost guard test` tries the installed command without the client",
                    "`provost guard test` 可在不启动客户端的情况下测试已安装的命令",
                )
                .to_owned(),
            ],
            Self::Exec { source, .. } => source.hints_in(lang),
            Self::Model(_) | Self::Look { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Exec { source, .. } => source.exit(),
            Self::Missing { .. } | Self::NotDriven { .. } | Self::Model(_) | Self::Look { .. } => {
                Exit::Unable
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_is_not_there_is_named_with_the_way_to_get_it() {
        let error = LiveError::Missing { client: LiveClient::ALL[0] };
        assert_eq!(error.to_string(), "Claude Code is not there: no `claude` on `PATH`");
        let hint = "`npm install --global @anthropic-ai/claude-code` brings it";
        assert_eq!(error.hints_in(Lang::En), [hint]);
        assert_eq!(error.exit(), Exit::Unable);
        assert_eq!(LiveError::NotDriven { harness: Harness::Cursor }.exit(), Exit::Unable);
    }
}
