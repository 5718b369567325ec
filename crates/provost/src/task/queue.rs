//! Several tasks: all of them are checked, then made, and then run, some at a time.
//!
//! The queue is the tasks themselves: one that waits for its turn says so in its status, and any
//! later run finds it there. Each task runs in a coordinator of its own, which goes on if this
//! process is killed.

mod drive;
mod page;

use std::{collections::BTreeSet, num::NonZeroU8};

use provost_desk::task::{Repeated, Take};
use provost_engine::task::{check_new, enqueue};
use provost_kernel::{
    Exit, Fault, Message, TaskId,
    task::{Order, Overrides, TaskSpec},
};
use provost_rules_task::goal::in_list;

use self::drive::Turn;
pub(super) use self::drive::flags;
use super::{
    changes,
    detach::Background,
    goal::{self, Wishes},
    live::Live,
    run::wiring_of,
    target::{Target, TargetError, find},
};
use crate::{
    environment, ignored,
    input::Source,
    session::{AnyFault, Session},
    view::{Page, View},
    wiring::{self, Wiring},
};

/// How several tasks are given, and how many of them run at a time.
#[derive(Debug, clap::Args)]
pub(super) struct Several {
    /// Read goals from a file, one per line; `-` reads standard input
    #[arg(long, short, value_name = "FILE")]
    file: Option<String>,
    /// How many tasks run at a time
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroU8>,
}

/// What a person asked for.
pub(super) struct Asked<'a> {
    pub(super) targets: &'a [String],
    pub(super) wishes: &'a Wishes,
    pub(super) several: &'a Several,
}

/// A task of several that cannot be made, and why.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.one_of_several",
    en = "`{task}`: {text}; no task was created",
    zh = "`{task}`：{text}；没有创建任何任务",
    arg(text = what.text()),
    inherit = what
)]
struct OneOfSeveral<F: Fault> {
    task: TaskId,
    what: F,
}

/// Why a list cannot be run.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.list")]
enum ListError {
    #[message(en = "{from} is not UTF-8", zh = "{from} 不是 UTF-8")]
    NotText { from: Source },
    #[message(
        en = "{from} has no goal",
        zh = "{from} 中没有目标",
        hint(en = "write one goal per line", zh = "请每行写一个目标")
    )]
    Empty { from: Source },
}

impl Several {
    /// Whether there is more than what the arguments name.
    pub(super) fn is_asked(&self) -> bool {
        self.file.is_some()
    }

    /// The goals of the list.
    fn goals(&self) -> Result<Vec<String>, AnyFault> {
        let Some(file) = self.file.as_deref() else { return Ok(Vec::new()) };
        let from = Source::from(file);
        let text = String::from_utf8(from.read()?);
        let text = text.map_err(|_| ListError::NotText { from: from.clone() })?;
        let goals = in_list(&text);
        if goals.is_empty() { Err(ListError::Empty { from }.into()) } else { Ok(goals) }
    }
}

/// Runs everything that was asked for; without a name, everything that waits.
pub(super) fn run(
    session: &mut Session,
    asked: Asked<'_>,
    max_attempts: Option<u16>,
    background: Background,
) -> Result<Exit, AnyFault> {
    let configured = session.configuration()?.config.run.jobs;
    let jobs = usize::from(asked.several.jobs.unwrap_or(configured).get());
    ignored::refuse_tracked(session)?;
    let targets = collect(session, &asked)?;
    let turns = if targets.is_empty() {
        let waiting = wiring::desk(session)?.waiting_tasks()?;
        waiting.into_iter().map(|task| Turn { task, is_new: true }).collect()
    } else {
        for target in &targets {
            check(session, target, background)?;
        }
        let mut turns = Vec::new();
        for target in targets {
            turns.push(make(session, target, max_attempts)?);
        }
        turns
    };
    if turns.is_empty() {
        let lang = session.output.lang;
        session.output.message(lang.pick("no task waits", "没有等待的任务"));
    }
    if background.is_asked() {
        return detach(session, &turns, jobs);
    }
    drive::run(session, turns, jobs, max_attempts)
}

/// Everything that was asked for, each once.
fn collect(session: &mut Session, asked: &Asked<'_>) -> Result<Vec<Target>, AnyFault> {
    let goals = asked.several.goals()?;
    // A line of a list is a goal, also if it is one word.
    let named = asked.targets.iter().map(|it| (it, false)).chain(goals.iter().map(|it| (it, true)));
    let mut said = BTreeSet::new();
    let (mut taken, mut targets) = (BTreeSet::new(), Vec::<Target>::new());
    for (name, is_goal) in named {
        let find = if is_goal { goal::target } else { find };
        let target = find(session, name, asked.wishes, &taken, Repeated::Done)?;
        if !said.insert(name.trim().to_owned()) || !taken.insert(target.task().clone()) {
            return Err(TargetError::Twice { target: name.chars().take(200).collect() }.into());
        }
        targets.push(target);
    }
    let mut goals = 0;
    for target in &mut targets {
        goals += usize::from(matches!(target, Target::Goal(_)));
        // What is not part of one goal is not part of the others either: it is said once.
        if asked.wishes.with_changes || (goals == 1 && matches!(target, Target::Goal(_))) {
            changes::settle(session, target, asked.wishes)?;
        }
    }
    Ok(targets)
}

/// Checks everything that could keep a task from being made; nothing is written.
fn check(session: &mut Session, target: &Target, background: Background) -> Result<(), AnyFault> {
    let spec = match target {
        Target::Spec(new) | Target::Goal(new) => new.based(),
        Target::Task(task) => wiring::desk(session)?.spec(task)?.value,
    };
    let TaskSpec { repo_path, base_ref, .. } = &spec;
    let wiring = Wiring::looking(session, std::path::Path::new(repo_path), base_ref)?;
    if background.is_asked() {
        background.check(session, &wiring, &spec)?;
    }
    if let Target::Spec(new) | Target::Goal(new) = target {
        let silent = Live::new(session.output.lang, true);
        let task = target.task().clone();
        check_new(wiring.engine(&silent), &task, new)
            .map_err(|what| OneOfSeveral { task: task.clone(), what })?;
    }
    Ok(())
}

/// Makes a task that waits for its turn; one that exists goes on when its turn comes.
fn make(
    session: &mut Session,
    target: Target,
    max_attempts: Option<u16>,
) -> Result<Turn, AnyFault> {
    let task = target.task().clone();
    if let Target::Spec(new) | Target::Goal(new) = target {
        let wiring = wiring_of(session, &new.based())?;
        let silent = Live::new(session.output.lang, true);
        enqueue(wiring.engine(&silent), &task, *new)?;
    }
    let desk = wiring::desk(session)?;
    let status = desk.look(&task)?.status.value;
    let max_attempts = max_attempts.filter(|it| *it != status.effective_max_attempts);
    if let Some(max) = max_attempts.filter(|_| status.is_queued()) {
        let order = Order::Override { overrides: Overrides::of_attempts(max) };
        desk.order(Take {
            task: &task,
            order,
            request_id: None,
            actor: wiring::actor(),
            seen: None,
        })?;
    }
    Ok(Turn { task, is_new: status.is_queued() })
}

/// The answer of a run in the background.
#[derive(Debug, serde::Serialize)]
struct Apart<'a> {
    tasks: Vec<&'a TaskId>,
    pid: u32,
    log: String,
}

impl View for Apart<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (count, pid) = (self.tasks.len(), self.pid);
        let tasks = if count == 1 { "task runs" } else { "tasks run" };
        page.write(
            format!("{count} {tasks} in the background as process {pid}"),
            format!("{count} 个任务在后台运行，进程 {pid}"),
        );
        page.line("  provost ls");
    }
}

/// Starts this run again in the background, with the tasks that are there now.
fn detach(session: &mut Session, turns: &[Turn], jobs: usize) -> Result<Exit, AnyFault> {
    if turns.is_empty() {
        return Ok(Exit::Success);
    }
    let at = wiring::desk(session)?.layout().queue_log();
    let log = provost_vault::open_capture(&at)?;
    let mut args = drive::flags(session);
    args.extend(["run".to_owned(), "--jobs".to_owned(), jobs.to_string()]);
    args.extend(turns.iter().map(|it| it.task.to_string()));
    let pid = environment::run_apart(&args, &log)?;
    let tasks = turns.iter().map(|it| &it.task).collect();
    session.output.show(&Apart { tasks, pid, log: at.path().to_string() });
    Ok(Exit::Success)
}
