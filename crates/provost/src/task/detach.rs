//! `--detach`: the same command again, in a session of its own, with its output in a file.

use provost_desk::Desk;
use provost_kernel::{Exit, Fault, Lang, TaskId};
use serde::Serialize;

use crate::{
    environment,
    output::Format,
    session::{AnyFault, Session},
};

/// Whether a run goes on when the terminal is gone.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Background {
    /// Run in the background: the command returns at once
    #[arg(long)]
    detach: bool,
    /// Run without a proof that the guard refuses what it should
    #[arg(long)]
    unguarded: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    task_id: &'a TaskId,
    pid: u32,
    log: String,
}

/// Why a task does not run unattended.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
struct NotProven;

impl Background {
    /// Starts the background run, if that was asked for; then this command is done.
    pub(crate) fn start(
        self,
        session: &mut Session,
        desk: &Desk,
        task: &TaskId,
    ) -> Result<Option<Exit>, AnyFault> {
        if !self.detach {
            return Ok(None);
        }
        if !self.unguarded {
            return Err(NotProven.into());
        }
        let at = desk.layout().detached_log(task);
        let log = provost_vault::open_capture(&at)?;
        let pid = environment::run_detached(&log)?;
        let path = at.path().to_string();
        match session.output.format() {
            Format::Json => session.output.document(&Answer { task_id: task, pid, log: path }),
            Format::Text => {
                let lang = session.output.lang;
                session.output.line(&lang.pick(
                    format!("{task} runs in the background as process {pid}"),
                    format!("{task} 在后台运行,进程 {pid}"),
                ));
                session.output.line(&format!("  provost logs {task} -f"));
            }
        }
        Ok(Some(Exit::Success))
    }
}

impl Fault for NotProven {
    fn text(&self, lang: Lang) -> String {
        lang.pick(
            "no passed `provost guard test` is on record, so nothing runs unattended",
            "没有通过 `provost guard test` 的记录,因此不在无人看管时运行",
        )
        .to_owned()
    }

    fn hints(&self, lang: Lang) -> Vec<String> {
        vec![
            lang.pick(
                "add `--unguarded` to run it all the same; the sandbox still holds",
                "加上 `--unguarded` 仍可运行;沙箱依然有效",
            )
            .to_owned(),
        ]
    }

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}
