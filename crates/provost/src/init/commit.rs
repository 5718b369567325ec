//! The commit of `provost.toml`, by the person's own git: with their name, hooks and keys.

use std::{collections::BTreeMap, time::Duration};

use camino::Utf8Path;
use provost_exec::{Ended, Job, Streams};

use crate::{
    config::PROJECT_FILE,
    environment,
    git::{self, Reply},
    session::{AnyFault, Session},
};

/// Hooks of the person may take their time.
const DEADLINE: Duration = Duration::from_mins(2);
/// How much of what git prints is read.
const OUTPUT: u64 = 16 << 10;
const MESSAGE: &str = "Set up provost";

/// Whether the project's file differs from the last commit, or is not in it: git says nothing about
/// one that it ignores.
pub(super) fn is_pending(session: &Session, root: &Utf8Path) -> bool {
    let ask = |question: &[&str]| git::ask(&session.environment, root, question);
    let changed = ask(&["status", "--porcelain=v1", "-z", "--", PROJECT_FILE]);
    if changed.is_ok_and(|it| it.reply == Reply::Yes && !it.stdout.is_empty()) {
        return true;
    }
    let name = format!("HEAD:{PROJECT_FILE}");
    let is_committed = ask(&["cat-file", "-e", &name]).is_ok_and(|it| it.reply == Reply::Yes);
    !is_committed && root.join(PROJECT_FILE).is_file()
}

/// Commits the file, and nothing else; what git says if it does not.
pub(super) fn commit(session: &Session, root: &Utf8Path) -> Result<Result<(), String>, AnyFault> {
    for arguments in [
        &["add", "--", PROJECT_FILE][..],
        &["commit", "--quiet", "--only", "-m", MESSAGE, "--", PROJECT_FILE],
    ] {
        if let Err(said) = run(session, root, arguments)? {
            return Ok(Err(said));
        }
    }
    Ok(Ok(()))
}

fn run(
    session: &Session,
    root: &Utf8Path,
    arguments: &[&str],
) -> Result<Result<(), String>, AnyFault> {
    let argv = ["git"].into_iter().chain(arguments.iter().copied());
    let mut job = Job::new(argv, root.as_std_path(), DEADLINE);
    job.output_cap = OUTPUT;
    // Variables that lead to another repository are not meant for this one.
    let leads_away = |name: &str| {
        ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"].contains(&name)
    };
    let own: BTreeMap<String, String> = session.environment.texts().collect();
    job.env = own.into_iter().filter(|(name, _)| !leads_away(name)).collect();
    job.env.insert("GIT_TERMINAL_PROMPT".to_owned(), "0".to_owned());
    let (streams, printed) = Streams::together_in_memory()?;
    let running = job.start(&environment::guardian()?, streams, &|_| Ok(()))?;
    let outcome = running.wait(&|bytes| bytes.into())?;
    if outcome.ended == Ended::Exited && outcome.rc == 0 {
        return Ok(Ok(()));
    }
    let text = String::from_utf8_lossy(&printed.read(OUTPUT)?).into_owned();
    let last = text.lines().map(str::trim).rfind(|it| !it.is_empty());
    Ok(Err(last.map_or_else(|| format!("{:?}", outcome.ended), str::to_owned)))
}
