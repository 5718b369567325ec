//! `--detach`: the same command again, in a session of its own, with its output in a file.

use provost_engine::guard::test::{installed, worth_now};
use provost_kernel::{Exit, Message, TaskId, Text, guard::Harness, task::TaskSpec};
use provost_rules_guard::install::proof::Worth;
use serde::Serialize;

use crate::{
    environment,
    guard::setup::Place,
    output::Format,
    session::{AnyFault, Session},
    wiring::Wiring,
};

/// Whether a run goes on when the terminal is gone.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Background {
    /// Run in the background
    #[arg(long)]
    detach: bool,
    /// Run although the guard has not been tested
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
#[error("{}", self.text())]
struct NotProven {
    /// The client that the coder works in; nothing if it is not one that is known.
    client: Option<Harness>,
    worth: Worth,
}

impl Background {
    /// Starts the background run, if that was asked for; then this command is done.
    pub(crate) fn start(
        self,
        session: &mut Session,
        wiring: &Wiring,
        spec: &TaskSpec,
    ) -> Result<Option<Exit>, AnyFault> {
        if !self.detach {
            return Ok(None);
        }
        if !self.unguarded {
            check(session, wiring.coder_client(spec))?;
        }
        let task = &spec.task_id;
        let at = wiring.desk.layout().detached_log(task);
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

/// Refuses a run that nobody watches and that no test vouches for: that of the client in which the
/// coder works or, where that is not a client that is known, of any.
fn check(session: &Session, client: Option<Harness>) -> Result<(), AnyFault> {
    let place = Place::new(session)?;
    let clients = match client {
        Some(client) => vec![client],
        None => installed(place.setup())?,
    };
    let mut worst = Worth::Absent;
    for it in clients {
        match worth_now(place.setup(), it)? {
            Worth::Current => return Ok(()),
            Worth::Absent => {}
            worth @ (Worth::Outdated | Worth::Failed) => worst = worth,
        }
    }
    Err(NotProven { client, worth: worst }.into())
}

impl Message for NotProven {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let title = self
                .client
                .map(|it| lang.pick(format!(" of {}", it.title()), it.title().to_owned()));
            let title = title.unwrap_or_default();
            match self.worth {
            Worth::Absent | Worth::Current => lang.pick(
                format!("no passed `provost guard test`{title} is on record, so nothing runs unattended"),
                format!("没有{title}通过 `provost guard test` 的记录,因此不在无人看管时运行"),
            ),
            Worth::Failed => lang.pick(
                format!("the last `provost guard test`{title} failed, so nothing runs unattended"),
                format!("{title}最近一次 `provost guard test` 未通过,因此不在无人看管时运行"),
            ),
            Worth::Outdated => lang.pick(
                format!("something has changed since the last `provost guard test`{title}, so nothing runs unattended"),
                format!("自{title}最近一次 `provost guard test` 后有变化,因此不在无人看管时运行"),
            ),
        }
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            let test = match self.client {
                Some(client) => format!("`provost guard test --client {client}`"),
                None => "`provost guard test`".to_owned(),
            };
            vec![
                test,
                lang.pick(
                    "add `--unguarded` to run it all the same; the sandbox still holds",
                    "加上 `--unguarded` 仍可运行;沙箱依然有效",
                )
                .to_owned(),
            ]
        })
    }

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}
