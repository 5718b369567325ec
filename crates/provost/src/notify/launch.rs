//! Starts the program that shows a notification, under a guardian like every other process.

use std::{collections::BTreeMap, io, path::PathBuf};

use provost_exec::{Capture, Ended, Guardian, Job, Streams};
use provost_notify::{Launch, Program};
use rustix::fs::OFlags;

use crate::environment;

/// The port of the notifier. Programs see the whole environment of this command, like everything that
/// a person starts.
pub(super) struct Starter {
    pub(super) guardian: Guardian,
    pub(super) folder: PathBuf,
    pub(super) variables: BTreeMap<String, String>,
}

/// What such a program never gets: the secrets of other channels.
const WITHHELD: [&str; 3] = ["PROVOST_NTFY_TOKEN", "PROVOST_WEBHOOK_SECRET", "TELEGRAM_BOT_TOKEN"];

impl Launch for Starter {
    fn launch(&self, program: &Program<'_>) -> Result<Option<i32>, String> {
        let mut job = Job::new(program.argv.iter().cloned(), &self.folder, program.limit);
        job.env = self.variables.clone();
        job.env.retain(|name, _| !WITHHELD.contains(&name.as_str()));
        job.output_cap = 4096;
        let job = job.given(String::from_utf8_lossy(program.stdin).into_owned());
        let capture = || capture().map_err(|it| it.to_string());
        let streams = Streams { stdout: capture()?, stderr: capture()? };
        let running = job.start(&self.guardian, streams, &|_| Ok(()));
        let outcome = running.and_then(|it| it.wait(&|bytes| bytes.into()));
        let outcome = outcome.map_err(|it| it.to_string())?;
        match outcome.ended {
            Ended::Exited | Ended::Signalled { .. } | Ended::LimitReached { .. } => {
                Ok(Some(outcome.rc))
            }
            Ended::DeadlineReached | Ended::Cancelled => Ok(None),
            Ended::NotRun { .. } => Err("the program was not found or cannot run".to_owned()),
        }
    }
}

impl Starter {
    pub(super) fn new(
        folder: PathBuf,
        variables: BTreeMap<String, String>,
    ) -> Result<Self, environment::EnvironmentError> {
        Ok(Self { guardian: environment::guardian()?, folder, variables })
    }
}

/// Files without a name for one stream.
fn capture() -> io::Result<Capture> {
    let (raw, clean) = (tempfile::tempfile()?, tempfile::tempfile()?);
    rustix::fs::fcntl_setfl(&raw, OFlags::APPEND)?;
    Ok(Capture { raw, clean })
}
