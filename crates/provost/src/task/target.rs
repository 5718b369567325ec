//! What a person names for a run: a spec, the id of a task, or a goal in words.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use provost_desk::task::Repeated;
use provost_engine::task::{NewTask, check_spec};
use provost_kernel::{Message, TaskId};
use provost_rules_task::{goal::is_goal, spec};

use super::goal::{self, Wishes};
use crate::{
    environment,
    input::Source,
    session::{AnyFault, Session},
    wiring,
};

/// What was asked for, once it is known what the argument means.
pub(super) enum Target {
    /// A spec in a file.
    Spec(Box<NewTask>),
    /// A goal, as the spec that it becomes.
    Goal(Box<NewTask>),
    /// A task that exists.
    Task(TaskId),
}

/// Why there is nothing to run.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.target")]
pub(super) enum TargetError {
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
        en = "`{target}` is named twice",
        zh = "`{target}` 出现了两次",
        hint(en = "a task runs once at a time", zh = "同一任务一次只能运行一个")
    )]
    Twice { target: String },
}

impl Target {
    pub(super) fn task(&self) -> &TaskId {
        match self {
            Self::Spec(new) | Self::Goal(new) => &new.spec.value.task_id,
            Self::Task(task) => task,
        }
    }
}

/// Finds what an argument means: a file, a task, a goal, or a spec in one of the two folders where
/// specs lie. The id of a new task is none of those that are taken.
pub(super) fn find(
    session: &mut Session,
    target: &str,
    wishes: &Wishes,
    taken: &BTreeSet<TaskId>,
    repeated: Repeated,
) -> Result<Target, AnyFault> {
    let folder = environment::current_folder()?;
    let path = folder.join(target);
    if is_goal(target) && !path.is_file() {
        return goal::target(session, target, wishes, taken, repeated);
    }
    wishes.check_absent(target)?;
    if path.is_file() {
        return read_spec(session, &path);
    }
    if let Ok(task) = target.parse::<TaskId>() {
        let layout = session.layout()?;
        if provost_vault::is_present(&layout.task_spec(&task)) {
            return Ok(Target::Task(task));
        }
        let mut named = ["tasks", "examples"].into_iter().flat_map(|it| {
            ["json", "toml"].map(|end| folder.join(it).join(format!("{task}.{end}")))
        });
        if let Some(path) = named.find(|it| it.is_file()) {
            return read_spec(session, &path);
        }
    }
    let nearest = match target.parse::<TaskId>() {
        Ok(task) => wiring::desk(session)?.nearest(&task)?,
        Err(_) => None,
    };
    Err(TargetError::Nothing { target: target.chars().take(200).collect(), nearest }.into())
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
    Ok(Target::Spec(Box::new(kept.into())))
}

/// The repository that a spec means: absolute, or from the folder of the spec.
fn repository(spec: &Utf8Path, written: &str) -> Utf8PathBuf {
    let folder = spec.parent().unwrap_or(spec);
    let path = if written.is_empty() { folder.to_owned() } else { folder.join(written) };
    path.canonicalize_utf8().unwrap_or(path)
}

/// That the agent stands in a file that no commit has.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.coder_not_committed",
    en = "no commit names an agent yet: `provost.toml` with `coder = \"{name}\"` is not committed",
    zh = "尚无提交指定智能体：含 `coder = \"{name}\"` 的 `provost.toml` 还未提交",
    hint(
        en = "`git add provost.toml && git commit -m \"provost.toml\"`; or name it: `--agent {name}`",
        zh = "`git add provost.toml && git commit -m \"provost.toml\"`；或直接指定：`--agent {name}`"
    )
)]
struct CoderNotCommitted {
    name: String,
}

/// Why a task has no coder although the files of this folder name one.
pub(super) fn not_committed(session: &mut Session) -> Option<AnyFault> {
    let name = session.configuration().ok()?.config.task.coder.clone()?;
    Some(CoderNotCommitted { name }.into())
}
