//! The turns of several tasks: each in a coordinator of its own, at most so many at a time.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::AtomicUsize, mpsc},
    time::Duration,
};

use provost_desk::{Desk, DeskError, LookError, task::Take};
use provost_exec::detached::Companion;
use provost_kernel::{
    Exit, Message as _, TaskId,
    task::{Order, Status},
};
use provost_rules_task::status;
use provost_vault::lock::Holder;

use super::page::{Ended, Summary};
use crate::{
    environment,
    session::{AnyFault, Session},
    wiring,
};

/// How often it is looked whether a task has ended.
const PAUSE: Duration = Duration::from_millis(50);
/// What Ctrl-C sends.
const INT: i32 = 2;

/// A task whose turn will come.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) task: TaskId,
    /// It has not begun: a process that finds it begun leaves it alone.
    pub(super) is_new: bool,
}

/// A task that runs.
#[derive(Debug)]
enum Runner {
    Ours(Companion),
    /// Another process runs it, such as one that a killed run left.
    Other,
}

/// Everything that stands between the first turn and the last.
struct Queue<'a> {
    session: &'a mut Session,
    desk: Desk,
    max_attempts: Option<u16>,
    waiting: VecDeque<Turn>,
    running: Vec<(Turn, Runner)>,
    ended: Vec<Ended>,
    /// Tasks that a person removed before they began.
    removed: Vec<TaskId>,
}

/// Runs the tasks, and says of each how it ended.
pub(super) fn run(
    session: &mut Session,
    turns: Vec<Turn>,
    jobs: usize,
    max_attempts: Option<u16>,
) -> Result<Exit, AnyFault> {
    let (tell, told) = mpsc::channel();
    environment::on_signal(&Arc::new(AtomicUsize::new(0)), move |signal| {
        let _ = tell.send(signal);
    })?;
    let desk = wiring::desk(session)?;
    let mut queue = Queue {
        session,
        desk,
        max_attempts,
        waiting: turns.into(),
        running: Vec::new(),
        ended: Vec::new(),
        removed: Vec::new(),
    };
    let mut is_stopped = false;
    loop {
        while !is_stopped && queue.running.len() < jobs {
            let Some(turn) = queue.waiting.pop_front() else { break };
            queue.begin(turn)?;
        }
        if queue.running.is_empty() {
            break;
        }
        if let Ok(signal) = told.recv_timeout(PAUSE) {
            // The first INT from a terminal is a person's pause (ruling 84).
            if signal == INT && !is_stopped && wiring::is_attended() {
                queue.pause();
            } else {
                queue.pass_on(signal);
            }
            is_stopped = true;
        }
        queue.collect();
    }
    Ok(queue.finish())
}

/// The flags of this run, for another.
pub(in crate::task) fn flags(session: &Session) -> Vec<String> {
    let flags = &session.flags;
    let home = flags.home.iter().flat_map(|it| ["--home".to_owned(), it.to_string()]);
    let lang = flags.lang.iter().flat_map(|it| ["--lang".to_owned(), it.to_string()]);
    home.chain(lang).collect()
}

impl Queue<'_> {
    /// Starts a task, or watches it where another process runs it.
    fn begin(&mut self, turn: Turn) -> Result<(), AnyFault> {
        let looked = match self.desk.look(&turn.task) {
            Ok(looked) => looked,
            Err(error) => {
                self.give_up(turn, &error);
                return Ok(());
            }
        };
        if let Some(holder) = looked.holder {
            self.watch(turn, &holder);
            return Ok(());
        }
        let status = looked.status.value;
        if status.state.is_terminal() || (turn.is_new && !status::goes_on(&status)) {
            self.end(turn, &status, None);
            return Ok(());
        }
        let log = provost_vault::open_capture(&self.desk.layout().detached_log(&turn.task))?;
        let mut args = flags(self.session);
        args.push("run".to_owned());
        if turn.is_new {
            args.push("--waiting".to_owned());
        } else if let Some(max) = self.max_attempts {
            args.extend(["--max-attempts".to_owned(), max.to_string()]);
        }
        // An id may begin with a dash.
        args.extend(["--".to_owned(), turn.task.to_string()]);
        let companion = environment::run_beside(&args, &log)?;
        let (lang, task) = (self.session.output.lang, &turn.task);
        let left = self.waiting.len();
        self.session.output.message(&lang.pick(
            format!("… {task} runs as process {}, {left} more to begin", companion.pid()),
            format!("… {task} 正在运行，进程 {}，还有 {left} 个待开始", companion.pid()),
        ));
        self.running.push((turn, Runner::Ours(companion)));
        Ok(())
    }

    /// Pauses every task that this run started, in the name of the person at the terminal. A
    /// coordinator has no terminal of its own that could tell it so.
    fn pause(&self) {
        for (Turn { task, .. }, runner) in &self.running {
            let Runner::Ours(companion) = runner else { continue };
            let order = Order::PauseNow;
            let take = Take { task, order, request_id: None, actor: wiring::actor(), seen: None };
            if self.desk.order(take).is_err() {
                companion.signal(INT);
            }
        }
    }

    /// Passes a signal on to every task that this run started; those that wait are left to wait.
    fn pass_on(&self, signal: i32) {
        for (_, runner) in &self.running {
            if let Runner::Ours(companion) = runner {
                companion.signal(signal);
            }
        }
    }

    /// Finds the tasks that have ended.
    fn collect(&mut self) {
        for (turn, mut runner) in std::mem::take(&mut self.running) {
            let code = match &mut runner {
                Runner::Ours(companion) => match companion.ended() {
                    Ok(None) => {
                        self.running.push((turn, runner));
                        continue;
                    }
                    Ok(Some(code)) => code,
                    Err(_) => None,
                },
                Runner::Other => None,
            };
            let looked = match self.desk.look(&turn.task) {
                Ok(looked) => looked,
                Err(error) => {
                    self.give_up(turn, &error);
                    continue;
                }
            };
            // Another process was quicker, or still runs it.
            if let Some(holder) = looked.holder {
                match runner {
                    Runner::Other => self.running.push((turn, runner)),
                    Runner::Ours(_) => self.watch(turn, &holder),
                }
                continue;
            }
            let (status, exit) = (looked.status.value, code.and_then(Exit::of_code));
            if exit == Some(Exit::Conflict) && status.is_queued() {
                self.waiting.push_back(turn);
                continue;
            }
            // Another process ran it to its end meanwhile: its state says how that was.
            let exit = exit.filter(|it| *it != Exit::Conflict);
            self.end(turn, &status, exit);
        }
    }

    /// Says how a task ended: as its process says, else as its state does.
    fn end(&mut self, turn: Turn, status: &Status, exit: Option<Exit>) {
        let exit = match exit {
            Some(exit) => exit,
            None if status.is_queued() => Exit::Unable,
            None => status::exit(status.state, status.pause_reason_code),
        };
        let log = self.desk.layout().detached_log(&turn.task).path().to_string();
        // What cannot be read proves nothing.
        let proof = self.desk.proof_text(status).ok().flatten();
        let lang = self.session.output.lang;
        let ended = Ended::new(status, proof.as_ref(), exit, log, lang);
        self.session.output.begin(|page| ended.line(page));
        self.ended.push(ended);
    }

    /// Waits for a task that another process runs.
    fn watch(&mut self, turn: Turn, holder: &Holder) {
        let (lang, task, pid) = (self.session.output.lang, &turn.task, holder.process.pid);
        self.session.output.message(&lang.pick(
            format!("… {task} exists and is run by process {pid} already: waiting for it"),
            format!("… {task} 已存在，正由进程 {pid} 运行：等待其结束"),
        ));
        self.running.push((turn, Runner::Other));
    }

    /// Leaves a task out that was removed, or says why the state of one cannot be told.
    fn give_up(&mut self, turn: Turn, error: &DeskError) {
        if let DeskError::Look(LookError::Unknown { .. }) = error {
            let (lang, task) = (self.session.output.lang, &turn.task);
            self.session.output.message(&lang.pick(
                format!("– {task} was removed before it began: left out"),
                format!("– {task} 在开始前已被移除：略过"),
            ));
            self.removed.push(turn.task);
            return;
        }
        crate::report::complain(&mut self.session.output, error);
        self.ended.push(Ended::unknown(turn.task, error.exit()));
    }

    /// Says what came of all of them.
    fn finish(self) -> Exit {
        let Self { session, waiting, ended, removed, .. } = self;
        let left: Vec<TaskId> = waiting.into_iter().map(|it| it.task).collect();
        let interrupted = (!left.is_empty()).then_some(Exit::Paused);
        let exit = Exit::worst(ended.iter().map(|it| it.exit).chain(interrupted));
        let (tasks, waiting, removed) = (&ended, &left, &removed);
        session.output.show(&Summary { tasks, waiting, removed, exit: exit.code() });
        exit
    }
}
