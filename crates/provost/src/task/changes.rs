//! Work that is not committed: part of a new task with `--with-changes`, and named where it is not.

use camino::Utf8Path;
use provost_engine::task::{NewTask, TakenChanges, rehearsal::Unwatched, take_changes};
use provost_kernel::{Message, TaskId, task::TaskSpec};

use super::{goal::Wishes, target::Target};
use crate::{
    config::PROJECT_FILE,
    git::{self, Reply},
    session::{AnyFault, Session},
    wiring::Wiring,
};

/// Why uncommitted work is not the base of a task.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.with_changes")]
enum ChangesError {
    #[message(
        en = "`--with-changes` starts from where you stand, and `{task}` names `{base}` as its `base_ref`",
        zh = "`--with-changes` 从当前位置开始，而 `{task}` 的 `base_ref` 为 `{base}`",
        hint(en = "leave out one of the two", zh = "请去掉其中之一")
    )]
    OtherBase { task: TaskId, base: String },
}

/// Settles whether uncommitted work is part of a new task, and says so.
pub(super) fn settle(
    session: &mut Session,
    target: &mut Target,
    wishes: &Wishes,
) -> Result<(), AnyFault> {
    let is_there = provost_vault::is_present(&session.layout()?.task_spec(target.task()));
    if wishes.with_changes && is_there {
        let (lang, task) = (session.output.lang, target.task());
        session.output.message(&lang.pick(
            format!("`{task}` keeps its base: what you changed since is not part of it"),
            format!("`{task}` 保持原有基准：此后的改动不在其中"),
        ));
        return Ok(());
    }
    match target {
        Target::Spec(new) | Target::Goal(new) if wishes.with_changes => take(session, new),
        Target::Goal(new) => {
            note_uncommitted(session, &new.spec.value);
            Ok(())
        }
        Target::Spec(_) | Target::Task(_) => Ok(()),
    }
}

/// Makes uncommitted work the base of a task.
fn take(session: &mut Session, new: &mut NewTask) -> Result<(), AnyFault> {
    let TaskSpec { task_id: task, repo_path, base_ref, .. } = &new.spec.value;
    if base_ref != TaskSpec::HEAD {
        return Err(ChangesError::OtherBase { task: task.clone(), base: base_ref.clone() }.into());
    }
    let repository = Utf8Path::new(repo_path).as_std_path();
    let wiring = Wiring::looking(session, repository, base_ref)?;
    let taken = take_changes(wiring.engine(&Unwatched), task, repository)?;
    let lang = session.output.lang;
    let Some(TakenChanges { commit, files, left_out }) = taken else {
        session.output.message(lang.pick(
            "everything is committed: the task starts from your last commit",
            "没有未提交的改动：任务从最近一次提交开始",
        ));
        return Ok(());
    };
    let count = files.len();
    let are = if count == 1 { "file is" } else { "files are" };
    session.output.message(&lang.pick(
        format!("{count} uncommitted {are} part of this task's base"),
        format!("有 {count} 个未提交的文件纳入本任务的基准"),
    ));
    for path in left_out {
        session.output.message(&lang.pick(
            format!("`{path}` is a repository of its own and is left out"),
            format!("`{path}` 是独立的仓库，未纳入"),
        ));
    }
    new.changes = Some(commit);
    Ok(())
}

/// Says what the agent will not see: changes that are not committed.
fn note_uncommitted(session: &mut Session, spec: &TaskSpec) {
    let root = Utf8Path::new(&spec.repo_path);
    let question = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=normal"];
    let Ok(answer) = git::ask(&session.environment, root, &question) else { return };
    let records = answer.stdout.split(|it| *it == 0).filter(|it| it.len() > 3);
    let paths: Vec<String> =
        records.map(|it| String::from_utf8_lossy(&it[3..]).into_owned()).collect();
    if answer.reply != Reply::Yes || paths.is_empty() {
        return;
    }
    let changed = paths.len();
    let files = if changed == 1 { "file is" } else { "files are" };
    let lang = session.output.lang;
    session.output.message(&lang.pick(
        format!(
            "{changed} uncommitted {files} not part of this task: it starts from your last commit; \
             `--with-changes` takes them along"
        ),
        format!(
            "有 {changed} 个未提交的文件不在本任务之内：任务从最近一次提交开始；\
             加上 `--with-changes` 可将其纳入"
        ),
    ));
    if paths.iter().any(|it| it == PROJECT_FILE) {
        session.output.message(&lang.pick(
            format!("`{PROJECT_FILE}` is one of them: what is committed of it counts"),
            format!("其中包括 `{PROJECT_FILE}`：以已提交的版本为准"),
        ));
    }
}

/// Says that a task keeps to settings that have been changed since it was made.
pub(super) fn note_newer_settings(session: &mut Session, spec: &TaskSpec) {
    let root = Utf8Path::new(&spec.repo_path);
    let of = |revision: &str| {
        let file = format!("{revision}:{PROJECT_FILE}");
        let question = ["rev-parse", "--verify", "--quiet", "--end-of-options", &file];
        let answer = git::ask(&session.environment, root, &question).ok();
        answer.map(|it| it.stdout).filter(|it| !it.is_empty())
    };
    let (before, now) = (of(&spec.base_ref), of("HEAD"));
    // A file that was not committed is newer than that of the last commit.
    let committed = format!("{}^1", spec.base_ref);
    let is_known = spec.starts_from_changes() && of(&committed) == now;
    if before == now || now.is_none() || is_known {
        return;
    }
    let (task, base) = (&spec.task_id, spec.base_ref.chars().take(7).collect::<String>());
    let lang = session.output.lang;
    session.output.message(&lang.pick(
        format!(
            "`{task}` uses `{PROJECT_FILE}` of its base {base}, which has been changed since; \
             `provost resume {task} --onto HEAD` uses the new one"
        ),
        format!(
            "`{task}` 使用其基准 {base} 的 `{PROJECT_FILE}`，该文件此后已修改；\
             运行 `provost resume {task} --onto HEAD` 改用新版本"
        ),
    ));
}
