//! `provost init`: finds out how a repository is tested and which agents are there, tries it once,
//! and writes what provost needs to know into `provost.toml`.
//!
//! Looking changes nothing in the repository. Before each effect the person is asked.

mod answer;
mod commit;
mod look;
mod page;
mod problem;
mod remove;

use camino::Utf8PathBuf;
use provost_engine::task::{carry_out_setup, plan_setup};
use provost_kernel::{Exit, Message, task::CheckKind};

use self::{
    answer::{Answer, Written},
    look::Look,
    problem::Problem,
};
use crate::{
    ask::{Asked, confirm},
    config::PROJECT_FILE,
    environment, home,
    output::Format,
    session::{AnyFault, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost init\n  provost init --yes\n  provost init --check\n\nRuns the preparation, the test and the other checks that the project has (lint, types, build)\nonce in clean checkouts of your last commit, in the sandbox. Only green checks are written. Asks before it writes and before it commits; without a terminal it writes nothing\nunless `--yes` is given.\n\nExit codes: 0 ready, 1 something is missing, 2 error, 3 you are needed"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(crate) struct Args {
    /// Answer every question with yes
    #[arg(long, short, conflicts_with_all = ["check", "dry_run"])]
    yes: bool,
    /// Only say whether the project is set up and its test passes
    #[arg(long, conflicts_with_all = ["dry_run", "remove"])]
    check: bool,
    /// Show what would be written
    #[arg(long)]
    dry_run: bool,
    /// Take out what `provost init` wrote
    #[arg(long)]
    remove: bool,
}

/// What may be done to the person's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consent {
    Ask,
    Given,
    /// A script reads the answer, and nobody answers for it.
    Unasked,
    /// Nothing is written, whatever is found.
    Never,
}

/// Why a folder cannot be set up.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "init")]
enum InitError {
    #[message(
        en = "`{folder}` is not in a git repository",
        zh = "`{folder}` 不在 git 仓库中",
        hint(
            en = "change to your project, or make it a repository: `git init`, then `git add -A` and `git commit`",
            zh = "请进入你的项目目录，或将其设为仓库：`git init`，然后 `git add -A` 和 `git commit`"
        )
    )]
    NoRepository { folder: Utf8PathBuf },
    #[message(
        en = "`{repository}` has no commit yet",
        zh = "`{repository}` 还没有提交",
        hint(
            when = *is_empty,
            en = "a task starts from a commit: `git commit --allow-empty -m \"first commit\"`, then `provost init`",
            zh = "任务从一次提交开始：`git commit --allow-empty -m \"first commit\"`，然后 `provost init`"
        ),
        hint(
            when = !*is_empty,
            en = "a task starts from a commit: `git add -A && git commit -m \"first commit\"`, then `provost init`",
            zh = "任务从一次提交开始：`git add -A && git commit -m \"first commit\"`，然后 `provost init`"
        )
    )]
    NoCommit { repository: Utf8PathBuf, is_empty: bool },
    #[message(
        en = "stopped by you; nothing was written",
        zh = "已由你停止；没有写入任何内容",
        exit = Paused
    )]
    Stopped,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let folder = environment::current_folder()?;
        let root = home::git_root(&folder).ok_or(InitError::NoRepository { folder })?;
        let root = root.canonicalize_utf8().unwrap_or(root);
        let consent = self.consent(session);
        if self.remove {
            return remove::run(session, &root, consent);
        }
        let look = Look::take(session, &root)?;
        let plan = plan_setup(&root.join(PROJECT_FILE), &look.wanted)?;
        let mut problems = look.problems();
        let mut written = Written::default();
        let mut is_left = false;
        // A task can do without the checks besides its test.
        let is_check = |key: &String| key.parse::<CheckKind>().is_ok();
        let is_set_up = plan.addition.added.keys().all(is_check);
        if !plan.addition.added.is_empty() {
            session.output.begin(|page| page::proposal(page, &plan.addition));
            let lang = session.output.lang;
            let question = lang.pick("Write `provost.toml`?", "写入 `provost.toml`？");
            match consent.to(question) {
                Asked::Yes => {
                    carry_out_setup(&session.intended_layout()?, &plan)?;
                    written.file = true;
                }
                Asked::No => {}
                Asked::Nobody => is_left = consent != Consent::Never && !is_set_up,
            }
        } else if consent == Consent::Given {
            carry_out_setup(&session.intended_layout()?, &plan)?;
        }
        let is_there = written.file || is_set_up;
        if is_there && commit::is_pending(session, &root) {
            let lang = session.output.lang;
            let question = lang.pick("Commit `provost.toml`?", "提交 `provost.toml`？");
            match consent.to(question) {
                Asked::Yes => match commit::commit(session, &root)? {
                    Ok(()) => written.committed = true,
                    Err(said) => problems.push(Problem::CommitRefused { said }),
                },
                Asked::No => problems.push(Problem::NotCommitted),
                Asked::Nobody if self.dry_run => {}
                Asked::Nobody => {
                    is_left |= consent != Consent::Never;
                    problems.push(Problem::NotCommitted);
                }
            }
        }
        if is_left {
            problems.push(Problem::Unasked);
        } else if !written.file && !plan.addition.added.is_empty() && !self.dry_run {
            let keys = plan.addition.added.keys().map(|it| format!("task.{it}")).collect();
            problems.push(if is_set_up {
                Problem::ChecksNotSetUp { keys }
            } else {
                Problem::NotSetUp { keys }
            });
        }
        let is_ready = problems.iter().all(|it| !it.is_serious());
        let answer = Answer::new(look, plan.addition.added, written, problems, session.output.lang);
        session.output.show(&answer);
        Ok(match (is_ready, is_left) {
            (_, true) => Exit::Paused,
            (true, false) => Exit::Success,
            (false, false) => Exit::Refused,
        })
    }
}

impl Args {
    fn consent(&self, session: &Session) -> Consent {
        if self.check || self.dry_run {
            Consent::Never
        } else if self.yes {
            Consent::Given
        } else if session.output.format() == Format::Json {
            Consent::Unasked
        } else {
            Consent::Ask
        }
    }
}

impl Consent {
    /// The answer to a question.
    fn to(self, question: &str) -> Asked {
        match self {
            Self::Ask => confirm(question),
            Self::Given => Asked::Yes,
            Self::Unasked | Self::Never => Asked::Nobody,
        }
    }
}
