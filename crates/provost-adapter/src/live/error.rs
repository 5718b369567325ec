//! Errors of driving a real client.
//!
//! A client that ran and did not obey its hooks is not an error: the observation says so.

use std::{
    io,
    path::{Path, PathBuf},
};

use provost_exec::ExecError;
use provost_kernel::{Message, guard::Harness};

use super::LiveClient;

/// A client that could not be driven. None of these is ever a proof.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "live")]
pub enum LiveError {
    /// The program is not on `PATH`.
    #[message(
        en = "{title} is not installed: no `{program}` on `PATH`",
        zh = "未安装 {title}：`PATH` 中没有 `{program}`",
        arg(title = client.harness.title()),
        arg(program = client.program()),
        arg(package = client.live.package),
        hint(
            en = "run `npm install --global {package}`",
            zh = "运行 `npm install --global {package}` 安装"
        )
    )]
    Missing { client: LiveClient },
    /// The client has no mode without a person.
    #[message(
        en = "{title} cannot be driven without a person",
        zh = "无法在没有人的情况下驱动 {title}",
        arg(title = harness.title()),
        hint(
            en = "run `provost guard test` to check the installed command without the client",
            zh = "运行 `provost guard test` 可在不启动客户端的情况下测试已安装的命令"
        )
    )]
    NotDriven { harness: Harness },
    /// The scripted model could not be started.
    #[message(en = "cannot start the scripted model", zh = "无法启动脚本模型")]
    Model(#[source] io::Error),
    /// The program could not be supervised.
    #[message(
        en = "cannot run `{program}`",
        zh = "无法运行 `{program}`",
        arg(program = client.program()),
        inherit = source
    )]
    Exec { client: LiveClient, source: ExecError },
    /// The file could not be inspected.
    #[message(en = "cannot read `{path}`", zh = "无法读取 `{path}`")]
    Look { path: PathBuf, source: io::Error },
}

impl LiveError {
    pub(super) fn look(path: &Path, source: io::Error) -> Self {
        Self::Look { path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Exit;

    use super::*;

    #[test]
    fn a_client_that_is_not_there_is_named_with_the_way_to_get_it() {
        let error = LiveError::Missing { client: LiveClient::of(Harness::Claude).unwrap() };
        assert_eq!(error.to_string(), "Claude Code is not installed: no `claude` on `PATH`");
        let hint = "run `npm install --global @anthropic-ai/claude-code`";
        assert_eq!(error.hints(), [hint]);
        assert_eq!(error.exit(), Exit::Unable);
        assert_eq!(LiveError::NotDriven { harness: Harness::Cursor }.exit(), Exit::Unable);
    }
}
