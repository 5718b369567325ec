//! `provost man`: the manual pages, from the same definitions as the help.

use clap::CommandFactory as _;
use provost_kernel::{Exit, Lang, Message};
use serde::Serialize;

use crate::{
    cli::Cli,
    help,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost man ~/.local/share/man/man1\n\nWrites one page for each command, such as `provost-land.1`. The folder must exist."
)]
pub(crate) struct Args {
    /// The folder for the pages
    #[arg(value_name = "DIR")]
    folder: camino::Utf8PathBuf,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer {
    folder: String,
}

#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "man",
    en = "cannot write the manual pages to `{folder}`",
    zh = "无法将手册页写入 `{folder}`",
    hint(
        en = "create the folder first: `mkdir -p {folder}`",
        zh = "请先创建目录：`mkdir -p {folder}`"
    )
)]
struct ManError {
    folder: String,
    source: std::io::Error,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let command = match session.output.lang {
            Lang::En => Cli::command(),
            Lang::Zh => help::translate(Cli::command()),
        };
        let folder = self.folder.to_string();
        clap_mangen::generate_to(command, &self.folder)
            .map_err(|source| ManError { folder: folder.clone(), source })?;
        session.output.show(&Answer { folder });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let folder = &self.folder;
        let line = page.lang.pick(
            format!(
                "manual pages written to `{folder}`; read one with `man {folder}/provost-do.1`"
            ),
            format!("手册页已写入 `{folder}`；用 `man {folder}/provost-do.1` 阅读"),
        );
        page.line(&line);
    }
}
