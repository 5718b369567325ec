//! Programs that a command starts in the person's name: with their environment, hooks and keys.

use std::{collections::BTreeMap, time::Duration};

use camino::Utf8Path;
use provost_adapter::preset::installed::find;
use provost_exec::{Ended, Job, Streams};

use crate::{
    environment,
    session::{AnyFault, Session},
};

/// Hooks of the person, and a slow network, may take their time.
const DEADLINE: Duration = Duration::from_mins(2);
/// How much of what a program prints is read.
const OUTPUT: u64 = 16 << 10;
/// Variables that lead git to another repository.
const LEADS_AWAY: [&str; 4] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"];

/// The last line that a program printed, whether it succeeded or not.
pub(crate) type Said = Result<String, String>;

/// Runs a program in a folder. It cannot ask anything.
pub(crate) fn run(session: &Session, folder: &Utf8Path, argv: &[&str]) -> Result<Said, AnyFault> {
    let mut job = Job::new(argv.iter().copied(), folder.as_std_path(), DEADLINE);
    job.output_cap = OUTPUT;
    let own: BTreeMap<String, String> = session.environment.texts().collect();
    let is_kept = |name: &str| !LEADS_AWAY.contains(&name);
    job.env = own.into_iter().filter(|(name, _)| is_kept(name)).collect();
    for (name, value) in [("GIT_TERMINAL_PROMPT", "0"), ("GH_PROMPT_DISABLED", "1")] {
        job.env.insert(name.to_owned(), value.to_owned());
    }
    let (streams, printed) = Streams::together_in_memory()?;
    let running = job.start(&environment::guardian()?, streams, &|_| Ok(()))?;
    let outcome = running.wait(&|bytes| bytes.into())?;
    let text = String::from_utf8_lossy(&printed.read(OUTPUT)?).into_owned();
    let last = text.lines().map(str::trim).rfind(|it| !it.is_empty()).map(str::to_owned);
    if outcome.ended == Ended::Exited && outcome.rc == 0 {
        return Ok(Ok(last.unwrap_or_default()));
    }
    Ok(Err(last.unwrap_or_else(|| format!("{:?}", outcome.ended))))
}

/// Whether a program is in `PATH`.
pub(crate) fn is_installed(session: &Session, program: &str) -> bool {
    let variables: BTreeMap<String, String> = session.environment.texts().collect();
    find(program, &variables).is_some()
}
