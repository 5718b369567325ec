//! `--detach`: the same command again, in a session of its own, with its output in a file.

use std::{fs::File, time::Duration};

use provost_desk::{DeskError, HeldError, LookError};
use provost_engine::guard::test::{installed, worth_now};
use provost_kernel::{Exit, Message, TaskId, guard::Harness, task::TaskSpec};
use provost_rules_guard::install::proof::Worth;
use serde::Serialize;

use super::{queue, run::wiring_of};
use crate::{
    environment,
    guard::setup::Place,
    session::{AnyFault, Session},
    view::{Page, View},
    wiring::{self, Wiring},
};

/// How often it is looked whether a task in the background is made, and how long between.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(100);

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

/// Whether an unattended run needs a guard that was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarded {
    Tested,
    Waived,
}

impl Background {
    /// In the terminal.
    pub(crate) const FOREGROUND: Self = Self { detach: false, unguarded: false };
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    task_id: &'a TaskId,
    pid: u32,
    log: String,
}

/// Why a task does not run unattended.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.unproven", exit = Refused)]
enum NotProven {
    #[message(
        en = "no guard is installed, so nothing holds this agent's tool calls while it runs unattended",
        zh = "没有安装守卫：无人看管时，没有什么能约束该智能体的工具调用",
        hint(
            en = "install it with `provost guard install --client claude` (or another client), then run `provost guard test`",
            zh = "请先用 `provost guard install --client claude`（或其他客户端）安装，再运行 `provost guard test`"
        ),
        hint(
            en = "to run it all the same: `--detach --unguarded`, for the page `provost serve --unguarded`, for a chat `provost bot --unguarded`; the sandbox still holds",
            zh = "仍要运行：`--detach --unguarded`；网页用 `provost serve --unguarded` 启动，聊天用 `provost bot --unguarded` 启动；沙箱依然有效"
        )
    )]
    NoGuard,
    #[message(
        en = "no passed `provost guard test`{of} is on record, so nothing runs unattended",
        zh = "没有{of}通过 `provost guard test` 的记录，因此不在无人看管时运行",
        arg(of = Client::of(*client)),
        hint(en = "`provost guard test{option}`", zh = "`provost guard test{option}`"),
        hint(
            en = "to run it all the same: `--detach --unguarded`, for the page `provost serve --unguarded`, for a chat `provost bot --unguarded`; the sandbox still holds",
            zh = "仍要运行：`--detach --unguarded`；网页用 `provost serve --unguarded` 启动，聊天用 `provost bot --unguarded` 启动；沙箱依然有效"
        ),
        arg(option = option(*client))
    )]
    Absent { client: Option<Harness> },
    #[message(
        en = "the last `provost guard test`{of} failed, so nothing runs unattended",
        zh = "{of}最近一次 `provost guard test` 未通过，因此不在无人看管时运行",
        arg(of = Client::of(*client)),
        hint(en = "`provost guard test{option}`", zh = "`provost guard test{option}`"),
        hint(
            en = "to run it all the same: `--detach --unguarded`, for the page `provost serve --unguarded`, for a chat `provost bot --unguarded`; the sandbox still holds",
            zh = "仍要运行：`--detach --unguarded`；网页用 `provost serve --unguarded` 启动，聊天用 `provost bot --unguarded` 启动；沙箱依然有效"
        ),
        arg(option = option(*client))
    )]
    Failed { client: Option<Harness> },
    #[message(
        en = "something has changed since the last `provost guard test`{of}, so nothing runs unattended",
        zh = "自{of}最近一次 `provost guard test` 后有变化，因此不在无人看管时运行",
        arg(of = Client::of(*client)),
        hint(en = "`provost guard test{option}`", zh = "`provost guard test{option}`"),
        hint(
            en = "to run it all the same: `--detach --unguarded`, for the page `provost serve --unguarded`, for a chat `provost bot --unguarded`; the sandbox still holds",
            zh = "仍要运行：`--detach --unguarded`；网页用 `provost serve --unguarded` 启动，聊天用 `provost bot --unguarded` 启动；沙箱依然有效"
        ),
        arg(option = option(*client))
    )]
    Outdated { client: Option<Harness> },
}

/// The client that the coder works in; nothing if it is not one that is known.
#[derive(Debug, Message)]
#[message(code = "task.unproven_client", en = " of {0}", zh = " {0} ")]
struct Client(&'static str);

impl Client {
    fn of(client: Option<Harness>) -> Option<Self> {
        client.map(|it| Self(it.title()))
    }
}

fn option(client: Option<Harness>) -> String {
    client.map(|it| format!(" --client {it}")).unwrap_or_default()
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (task, pid) = (self.task_id, self.pid);
        page.write(
            format!("{task} runs in the background as process {pid}"),
            format!("{task} 在后台运行，进程 {pid}"),
        );
        page.line(&format!("  provost logs {task} -f"));
    }
}

impl Guarded {
    /// Refuses unattended runs where no client has a guard that was tested.
    pub(crate) fn check_any(self, session: &Session) -> Result<(), AnyFault> {
        match self {
            Self::Tested => check(session, None),
            Self::Waived => Ok(()),
        }
    }

    /// Refuses a task that may not run unattended.
    pub(crate) fn check(
        self,
        session: &Session,
        wiring: &Wiring,
        spec: &TaskSpec,
    ) -> Result<(), AnyFault> {
        match self {
            Self::Tested => check(session, wiring.coder_client(spec)),
            Self::Waived => Ok(()),
        }
    }
}

impl Background {
    pub(crate) fn is_asked(self) -> bool {
        self.detach
    }

    /// Refuses a task that may not run unattended.
    pub(crate) fn check(
        self,
        session: &Session,
        wiring: &Wiring,
        spec: &TaskSpec,
    ) -> Result<(), AnyFault> {
        let guarded = if self.unguarded { Guarded::Waived } else { Guarded::Tested };
        guarded.check(session, wiring, spec)
    }

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
        refuse_running(wiring, &spec.task_id)?;
        self.check(session, wiring, spec)?;
        launch(session, wiring, &spec.task_id, environment::run_detached).map(Some)
    }
}

/// Lets a task go on in the background, whatever this command is.
pub(super) fn resume(
    session: &mut Session,
    wiring: &Wiring,
    task: &TaskId,
) -> Result<Exit, AnyFault> {
    refuse_running(wiring, task)?;
    let mut args = queue::flags(session);
    args.extend(["resume".to_owned(), task.to_string()]);
    launch(session, wiring, task, |log| environment::run_apart(&args, log))
}

/// Refuses a task that may not go on unattended, or that a process runs already.
pub(crate) fn may_run(
    session: &mut Session,
    task: &TaskId,
    guarded: Guarded,
) -> Result<(), AnyFault> {
    let spec = wiring::desk(session)?.spec(task)?.value;
    let wiring = wiring_of(session, &spec)?;
    refuse_running(&wiring, task)?;
    guarded.check(session, &wiring, &spec)
}

/// Starts a command about a task in the background, with its output in the log of the task.
pub(crate) fn start_apart(
    session: &mut Session,
    task: &TaskId,
    command: &Apart<'_>,
) -> Result<(), AnyFault> {
    let args = queue::flags(session).into_iter().chain(command.arguments(task)).collect::<Vec<_>>();
    let at = wiring::desk(session)?.layout().detached_log(task);
    environment::run_apart(&args, &provost_vault::open_capture(&at)?)?;
    Ok(())
}

/// A command of provost's own about a task.
#[derive(Clone, Debug)]
pub(crate) struct Apart<'a> {
    pub(crate) verb: &'static str,
    /// Options, with their values joined by `=`.
    pub(crate) options: Vec<String>,
    /// What comes behind the id.
    pub(crate) rest: &'a [String],
}

impl Apart<'_> {
    /// The arguments: an id may begin with a dash, and is never read as an option.
    fn arguments(&self, task: &TaskId) -> Vec<String> {
        let head = [self.verb.to_owned()].into_iter().chain(self.options.iter().cloned());
        let tail = ["--".to_owned(), task.to_string()].into_iter().chain(self.rest.iter().cloned());
        head.chain(tail).collect()
    }
}

/// Starts a process in the background that prints into the log of the task, and names it.
fn launch(
    session: &mut Session,
    wiring: &Wiring,
    task: &TaskId,
    run: impl FnOnce(&File) -> Result<u32, AnyFault>,
) -> Result<Exit, AnyFault> {
    let at = wiring.desk.layout().detached_log(task);
    let log = provost_vault::open_capture(&at)?;
    let pid = run(&log)?;
    // What is printed below can be typed at once.
    let made = wiring.desk.layout().task_spec(task);
    for _ in 0..LOOKS {
        if provost_vault::is_present(&made) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let path = at.path().to_string();
    session.output.show(&Answer { task_id: task, pid, log: path });
    Ok(Exit::Success)
}

/// Refuses a task that a process runs: a second one could do nothing but empty its log.
fn refuse_running(wiring: &Wiring, task: &TaskId) -> Result<(), AnyFault> {
    let looked = match wiring.desk.look(task) {
        // It is about to be made.
        Err(DeskError::Look(LookError::Unknown { .. })) => return Ok(()),
        looked => looked?,
    };
    match looked.holder {
        Some(holder) => Err(HeldError { task: task.clone(), holder: Some(holder) }.into()),
        None => Ok(()),
    }
}

/// Refuses an unattended run that no test vouches for: that of the client in which the
/// coder works or, where that is not a client that is known, of any.
fn check(session: &Session, client: Option<Harness>) -> Result<(), AnyFault> {
    let place = Place::new(session)?;
    let clients = match client {
        Some(client) => vec![client],
        None => installed(place.setup())?,
    };
    // A program of a person's own has no hooks that could be tested.
    if client.is_none() && clients.is_empty() {
        return Err(NotProven::NoGuard.into());
    }
    let mut worst = Worth::Absent;
    for it in clients {
        match worth_now(place.setup(), it)? {
            Worth::Current => return Ok(()),
            Worth::Absent => {}
            worth @ (Worth::Outdated | Worth::Failed) => worst = worth,
        }
    }
    Err(match worst {
        Worth::Absent | Worth::Current => NotProven::Absent { client },
        Worth::Failed => NotProven::Failed { client },
        Worth::Outdated => NotProven::Outdated { client },
    }
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page could otherwise take back the landing of another task, with a task called `--undo`.
    #[test]
    fn an_id_is_never_an_option() {
        let options = vec!["--yes".to_owned(), "--branch=-q".to_owned()];
        let command = Apart { verb: "land", options, rest: &[] };
        let task: TaskId = "--undo".parse().unwrap();
        assert_eq!(command.arguments(&task), ["land", "--yes", "--branch=-q", "--", "--undo"]);
        let rest = ["2".to_owned()];
        let command = Apart { verb: "rerun", options: Vec::new(), rest: &rest };
        assert_eq!(command.arguments(&task), ["rerun", "--", "--undo", "2"]);
    }
}
