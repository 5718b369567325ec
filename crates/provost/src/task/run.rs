//! `provost run`, `provost resume` and `provost rerun`: until the task is ready, has failed, or
//! waits for a person.

use camino::{Utf8Path, Utf8PathBuf};
use provost_desk::{
    Desk,
    task::{Next, Take},
};
use provost_engine::{
    EngineError, RunError,
    task::{Report, Start, check_spec, run},
};
use provost_kernel::{
    AttemptNumber, Exit, Message, RecordFile, RequestId, TaskId,
    task::{Order, PauseCategory, PauseCode, State, TaskSpec},
};
use provost_rules_task::{goal::is_goal, spec, status};
use provost_vault::{AttemptFile, Step, StepFile};
use serde::Serialize;

use super::{
    detach,
    goal::{self, Wishes},
    live::Live,
};
use crate::{
    environment,
    input::Source,
    output::Format,
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring::{self, Wiring},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost run tasks/fix-login.json\n  provost run fix-login --max-attempts 5\n  provost run \"fix the login\" --test \"npm test\"\n\nExit codes: 0 ready for review, 1 failed, 2 error, 3 paused, 5 already running, 75 quota"
)]
pub(crate) struct RunArgs {
    /// A task spec (a JSON or TOML file), the id of a task, or a goal in words
    #[arg(value_name = "SPEC|ID|GOAL")]
    target: String,
    #[command(flatten)]
    wishes: Wishes,
    /// The maximum number of counted attempts, 1 to 50
    #[arg(long, value_name = "N")]
    max_attempts: Option<u16>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost resume fix-login")]
pub(crate) struct ResumeArgs {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    task: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost rerun fix-login 2")]
pub(crate) struct RerunArgs {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    task: String,
    /// The attempt to repeat
    #[arg(value_name = "ATTEMPT", value_parser = attempt_number)]
    attempt: AttemptNumber,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost rejudge fix-login\n\nFor a judge that slipped, timed out or was not authorised: the newest result is tested and judged\nagain as a new attempt, and the agent is not called."
)]
pub(crate) struct RejudgeArgs {
    /// The id of the task, or the start of it
    #[arg(value_name = "ID")]
    task: String,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    background: detach::Background,
}

/// What was asked for, once it is known what the argument means.
pub(super) enum Target {
    Spec(Box<RecordFile<TaskSpec>>),
    Task(TaskId),
}

/// Why there is nothing to run.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.target")]
enum TargetError {
    #[message(
        en = "`{target}` is neither a file nor the id of a task",
        zh = "`{target}` 既不是文件，也不是任务 id",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否指 `{nearest}`？"
        ),
        hint(
            en = "`provost ls` lists all tasks; a new one: `provost do \"what should change\"`",
            zh = "`provost ls` 列出所有任务；新建任务：`provost do \"要改什么\"`"
        )
    )]
    Nothing { target: String, nearest: Option<String> },
    #[message(
        en = "`{task}` has no result to judge: no attempt has delivered one",
        zh = "`{task}` 没有可评审的结果：尚无尝试交付结果",
        hint(
            en = "`provost resume {task}` starts a new attempt",
            zh = "`provost resume {task}` 开始新的尝试"
        )
    )]
    NoResult { task: TaskId },
    #[message(
        en = "attempt {attempt} of `{task}` ended before its coder was told anything",
        zh = "`{task}` 的第 {attempt} 次尝试在告知编码智能体之前就已结束",
        hint(
            en = "`provost resume {task}` starts a new attempt",
            zh = "`provost resume {task}` 开始新的尝试"
        )
    )]
    NoPrompt { task: TaskId, attempt: u16 },
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    task_id: &'a TaskId,
    state: Option<State>,
    pause_reason_code: Option<PauseCode>,
    pause_category: Option<PauseCategory>,
    questions_for_user: Vec<String>,
    message: String,
    ran: bool,
    status: Option<&'a provost_kernel::task::Status>,
    #[serde(skip)]
    next: Vec<Next>,
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let state = self.state.map(|it| format!(" {it}")).unwrap_or_default();
        let code = self.pause_reason_code.map(|it| format!(" {it}")).unwrap_or_default();
        page.line(&format!("{}{state}{code}", self.task_id));
        page.line(&format!("  {}", self.message));
        for question in &self.questions_for_user {
            page.line(&format!("  ? {question}"));
        }
        page.next(&self.next);
    }
}

impl Run for RunArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let target = self.target(session)?;
        start(session, target, self.max_attempts, self.background)
    }
}

/// Runs what was asked for, or starts it in the background.
pub(super) fn start(
    session: &mut Session,
    target: Target,
    max_attempts: Option<u16>,
    background: detach::Background,
) -> Result<Exit, AnyFault> {
    let (task, spec, start) = match target {
        Target::Spec(spec) => (spec.value.task_id.clone(), spec.value.clone(), Start::Spec(spec)),
        Target::Task(task) => {
            let spec = wiring::desk(session)?.spec(&task)?.value;
            (task, spec, Start::Existing)
        }
    };
    let wiring = wiring_of(session, &spec)?;
    if let Some(exit) = background.start(session, &wiring, &spec)? {
        return Ok(exit);
    }
    drive(session, &wiring, &task, start, max_attempts)
}

impl RunArgs {
    /// A file, a task, or a spec in one of the two folders where specs lie.
    fn target(&self, session: &mut Session) -> Result<Target, AnyFault> {
        let folder = environment::current_folder()?;
        let path = folder.join(&self.target);
        if is_goal(&self.target) && !path.is_file() {
            return goal::target(session, &self.target, &self.wishes);
        }
        self.wishes.check_absent(&self.target)?;
        if path.is_file() {
            return read_spec(session, &path);
        }
        if let Ok(task) = self.target.parse::<TaskId>() {
            let layout = session.layout()?;
            if provost_vault::is_present(&layout.task_spec(&task)) {
                return Ok(Target::Task(task));
            }
            let named = ["tasks", "examples"].into_iter().flat_map(|it| {
                ["json", "toml"].map(|end| folder.join(it).join(format!("{task}.{end}")))
            });
            if let Some(path) = named.into_iter().find(|it| it.is_file()) {
                return read_spec(session, &path);
            }
        }
        let known = match self.target.parse::<TaskId>() {
            Ok(task) => wiring::desk(session)?.nearest(&task)?,
            Err(_) => None,
        };
        let target = self.target.chars().take(200).collect();
        Err(TargetError::Nothing { target, nearest: known }.into())
    }
}

impl Run for ResumeArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let task = wiring::desk(session)?.meant(Some(&self.task))?;
        order(session, &task, Order::Resume, self.request_id.as_ref(), self.background)
    }
}

impl Run for RejudgeArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        let task = desk.meant(Some(&self.task))?;
        let (layout, attempts) = (desk.layout(), desk.files(&task).attempts()?);
        let commit = |it| layout.attempt_file(&task, it, AttemptFile::HeadCommit);
        if !attempts.into_iter().any(|it| provost_vault::is_present(&commit(it))) {
            return Err(TargetError::NoResult { task }.into());
        }
        order(session, &task, Order::Rejudge, self.request_id.as_ref(), self.background)
    }
}

impl Run for RerunArgs {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        let task = desk.meant(Some(&self.task))?;
        desk.spec(&task)?;
        if !desk.files(&task).attempts()?.contains(&self.attempt) {
            let attempt = self.attempt.get();
            return Err(RunError::NoSuchAttempt { task, attempt }.into());
        }
        let prompt = desk.layout().step_file(&task, self.attempt, Step::Coder, StepFile::Prompt);
        if !provost_vault::is_present(&prompt) {
            let attempt = self.attempt.get();
            return Err(TargetError::NoPrompt { task, attempt }.into());
        }
        let order_ = Order::Rerun { attempt: self.attempt };
        order(session, &task, order_, self.request_id.as_ref(), self.background)
    }
}

/// Orders a task to go on, and drives it.
fn order(
    session: &mut Session,
    task: &TaskId,
    order: Order,
    request_id: Option<&RequestId>,
    background: detach::Background,
) -> Result<Exit, AnyFault> {
    let spec = wiring::desk(session)?.spec(task)?.value;
    let wiring = wiring_of(session, &spec)?;
    if let Some(exit) = background.start(session, &wiring, &spec)? {
        return Ok(exit);
    }
    let take = Take { task, order, request_id: request_id.cloned(), actor: wiring.actor.clone() };
    let receipt = wiring.desk.order(take)?;
    if receipt.deduplicated && receipt.applied {
        let status = wiring.desk.look(task)?.status.value;
        return answer(session, &wiring.desk, &Report { status, ran: false });
    }
    drive(session, &wiring, task, Start::Ordered, None)
}

fn wiring_of(session: &mut Session, spec: &TaskSpec) -> Result<Wiring, AnyFault> {
    Wiring::new(session, Utf8Path::new(&spec.repo_path).as_std_path(), &spec.base_ref)
}

fn drive(
    session: &mut Session,
    wiring: &Wiring,
    task: &TaskId,
    start: Start,
    max_attempts: Option<u16>,
) -> Result<Exit, AnyFault> {
    wiring.listen()?;
    let live = Live::new(session.output.lang, session.flags.quiet);
    let ended = live.during(|| run(wiring.engine(&live), task, start, max_attempts));
    match ended {
        Ok(report) => answer(session, &wiring.desk, &report),
        Err(EngineError::Run(error @ RunError::Conflict { .. })) => {
            Ok(conflict(session, task, &error))
        }
        Err(error) => Err(error.into()),
    }
}

/// Prints where the run ended.
fn answer(session: &mut Session, desk: &Desk, report: &Report) -> Result<Exit, AnyFault> {
    let (status, lang) = (&report.status, session.output.lang);
    session.output.show(&Answer {
        task_id: &status.task_id,
        state: Some(status.state),
        pause_reason_code: status.pause_reason_code,
        pause_category: status.pause_category,
        questions_for_user: lang.render_all(&status.questions()),
        message: lang.render(&status.text()),
        ran: report.ran,
        status: Some(status),
        next: desk.next(status)?,
    });
    Ok(status::exit(status.state, status.pause_reason_code))
}

/// Prints that another task has the id, in the shape that a pause has; nothing was written.
fn conflict(session: &mut Session, task: &TaskId, error: &RunError) -> Exit {
    let lang = session.output.lang;
    let RunError::Conflict { message, questions, .. } = error else { return error.exit() };
    if session.output.format() == Format::Json {
        let code = PauseCode::TaskIdConflict;
        session.output.document(&Answer {
            task_id: task,
            state: None,
            pause_reason_code: Some(code),
            pause_category: Some(code.category()),
            questions_for_user: lang.render_all(questions),
            message: lang.render(message),
            ran: false,
            status: None,
            next: Vec::new(),
        });
        crate::report::complain(&mut session.output, error);
        return error.exit();
    }
    crate::report::print(&mut session.output, error)
}

/// Reads a spec, and names its repository from where it lies.
fn read_spec(session: &mut Session, path: &Utf8Path) -> Result<Target, AnyFault> {
    let source = Source::File(path.to_owned());
    let lang = session.output.lang;
    let bytes = source.read()?;
    let read = if path.extension() == Some("toml") { spec::read_toml } else { spec::read };
    let (mut kept, findings) = read(&bytes).map_err(|fault| source.content_error(fault))?;
    check_spec(&kept.value).map_err(|fault| source.content_error(fault))?;
    for finding in findings {
        let hint = finding.hint.map(|it| format!(" ({})", lang.render(&it))).unwrap_or_default();
        let message = lang.render(&finding.message);
        session.output.message(&format!("{path}: {}: {message}{hint}", finding.subject));
    }
    kept.value.repo_path = repository(path, &kept.value.repo_path).into_string();
    Ok(Target::Spec(Box::new(kept)))
}

/// The repository that a spec means: absolute, or from the folder of the spec.
fn repository(spec: &Utf8Path, written: &str) -> Utf8PathBuf {
    let folder = spec.parent().unwrap_or(spec);
    let path = if written.is_empty() { folder.to_owned() } else { folder.join(written) };
    path.canonicalize_utf8().unwrap_or(path)
}

pub(super) fn attempt_number(text: &str) -> Result<AttemptNumber, String> {
    let number: u16 = text.parse().map_err(|_| "a number from 1 to 999".to_owned())?;
    AttemptNumber::try_from(number).map_err(|error| error.to_string())
}
