//! The test: run by provost itself, on a clean checkout of what the agent delivered.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use provost_adapter::Log;
use provost_exec::{
    Ended as JobEnded, ExecError, Job, Outcome,
    git::{PrivateClone, clone, restore},
    sandbox::Network,
};
use provost_kernel::{
    Message, Text, shorten,
    task::{BaseTest, ErrorClass, EventKind, ProofFinding, Role, Standing},
};
use provost_vault::{
    RealDisk, Scratch, Step as StepFolder, StepFile, WorkPlace, task::read_tail, write_record,
};

use super::{Attempt, Note, Stop, policy::Change, proof, step::Limit};
use crate::{
    Engine,
    context::redact,
    preparation::{Command, Preparation},
    story::StoryError,
    task::progress::{Step, Update},
};

/// How long one command may take that makes a checkout ready.
const PREPARE_SECONDS: u32 = 15 * 60;
/// How much of what a test printed is kept for prompts and evidence.
const LOG: u64 = 256 << 10;

/// How the test came out.
pub(super) struct Tested {
    /// None when no test was run.
    pub(super) rc: Option<i32>,
    /// What it printed, without secrets.
    pub(super) log: String,
    /// What speaks against a green test.
    pub(super) against: Vec<ProofFinding>,
}

impl Attempt<'_, '_, '_> {
    /// Runs the task's test, if it has one.
    pub(super) fn test(
        &mut self,
        clone: &PrivateClone,
        change: &Change,
        base: Option<&BaseTest>,
    ) -> Result<Tested, Stop> {
        let Some(command) = self.spec.test_cmd.clone() else { return self.not_tested() };
        self.note(EventKind::TestStarted, command.clone())?;
        self.mark("test_started_at");
        let place = self.engine.desk.layout().work_place(
            self.open.task(),
            self.number,
            WorkPlace::Checkout,
        );
        let git = self.engine.git();
        let checkout = clone::exact(
            &git,
            clone,
            &change.commit,
            place.path().as_std_path(),
            &Engine::identity(),
        )?;
        let mut log = Log::default();
        let preparation = Preparation::of(self.engine.settings, &git, clone, &change.commit)?;
        let ready = self.prepare(&preparation, &checkout.tree, &mut log)?;
        // What prepares the checkout may run what the agent wrote: the test still runs on exactly
        // what was delivered, and finds the dependencies and nothing else.
        if !preparation.commands().is_empty() {
            for path in restore::tracked(&git, &checkout)? {
                log.note("restored", path);
            }
            preparation.settle(&git, clone, &checkout, &self.own_scratch("spent-")?)?;
        }
        let (deadline, limit) = self.deadline(self.spec.test_timeout_seconds)?;
        self.engine.progress.update(&Update::StepStarted { step: Step::Test });
        let outcome = match &ready {
            Ready::Yes => self.run_job(
                &command,
                &checkout.tree,
                deadline,
                Network::Off(self.engine.requirement()),
                &mut log,
            )?,
            Ready::No { rc, .. } => Ran { rc: *rc, ended: Reached::End, wall: Duration::ZERO },
        };
        self.metrics.test_rc = Some(outcome.rc);
        self.mark("test_finished_at");
        self.keep(StepFolder::Test, outcome.rc, &log.to_string())?;
        let rc = outcome.rc;
        let (text, detail) = match ready {
            Ready::Yes => {
                self.ran(format!("test:{command}"), rc, outcome.wall)?;
                (format!("rc={rc}"), Note::Tested { command: command.clone(), rc })
            }
            // A test that was not run did not pass.
            Ready::No { command, .. } => {
                let text = format!("not run: rc={rc} of what prepares it");
                (text, Note::NotPrepared { command, rc })
            }
        };
        self.engine.progress.update(&Update::StepFinished {
            step: Step::Test,
            outcome: &Text::verbatim(text.clone()),
            wall: outcome.wall,
        });
        self.stop_if_interrupted()?;
        self.note(EventKind::TestFinished, text)?;
        if outcome.ended == Reached::Deadline {
            let command = shorten(&command);
            self.checked("tests", Standing::Failed, Note::TimedOut.text());
            return Err(match limit {
                Limit::Step => self.end_at(Role::Test, 124, ErrorClass::Timeout, command),
                Limit::Budget => self.end_at(Role::Test, 0, ErrorClass::Budget, command),
            });
        }
        let proof = match base {
            Some(base) if rc == 0 => Some(self.prove_test(clone, change, base, deadline)?),
            Some(_) | None => None,
        };
        let against = proof.as_ref().map(proof::against).unwrap_or_default();
        let detail = match (against.first(), &proof) {
            (Some(finding), _) => Note::NotProven { command, finding: finding.text() },
            (None, Some(proof)) => Note::Proven { command, label: proof.label.as_str() },
            (None, None) => detail,
        };
        let is_verified = rc == 0 && against.is_empty();
        let standing = if is_verified { Standing::Verified } else { Standing::Failed };
        self.checked("tests", standing, detail.text());
        let read = |file| read_tail(&RealDisk, &self.file(StepFolder::Test, file), LOG);
        let log = [read(StepFile::Stdout)?, read(StepFile::Stderr)?].concat();
        Ok(Tested { rc: Some(rc), log, against })
    }

    /// A task without a test: said, and never shown as passed.
    fn not_tested(&mut self) -> Result<Tested, Stop> {
        let text = "not verified: the task has no `test_cmd`\n";
        let at = self.file(StepFolder::Test, StepFile::RunLog);
        write_record(&RealDisk, &at, text.as_bytes())?;
        write_record(&RealDisk, &self.file(StepFolder::Test, StepFile::Stdout), b"")?;
        self.note(EventKind::TestFinished, "not run: the task has no test_cmd")?;
        self.checked("tests", Standing::NotVerified, Note::NoTest.text());
        Ok(Tested { rc: None, log: String::new(), against: Vec::new() })
    }

    /// Makes a clean checkout ready, with the network on.
    ///
    /// What the configuration asks for must succeed. What a lock file suggests is tried: where it
    /// cannot be done, the test itself shows whether it was needed.
    fn prepare(
        &mut self,
        preparation: &Preparation,
        tree: &Path,
        log: &mut Log,
    ) -> Result<Ready, Stop> {
        for it in preparation.left_out() {
            log.note("not_prepared", it.text().to_string());
        }
        for Command { text, must_succeed } in preparation.commands() {
            let ran = self.ready(&text, tree, log)?;
            if must_succeed && ran.rc != 0 {
                return Ok(Ready::No { command: text, rc: ran.rc });
            }
        }
        Ok(Ready::Yes)
    }

    fn ready(&mut self, command: &str, tree: &Path, log: &mut Log) -> Result<Ran, Stop> {
        self.engine.progress.update(&Update::StepStarted { step: Step::Prepare });
        log.note("prepare", command);
        let (deadline, _) = self.deadline(PREPARE_SECONDS)?;
        let ran = self.run_job(command, tree, deadline, Network::On, log)?;
        self.stop_if_interrupted()?;
        self.ran(format!("prepare:{command}"), ran.rc, ran.wall)?;
        Ok(ran)
    }

    /// A folder for temporary files that was never used before.
    fn own_scratch(&self, prefix: &str) -> Result<PathBuf, Stop> {
        let folder = self.scratch(Scratch::Test)?;
        let own = tempfile::Builder::new().prefix(prefix).tempdir_in(folder);
        Ok(own.map_err(StoryError::Scratch)?.keep())
    }

    /// Runs a shell command in a checkout, in the sandbox.
    fn run_job(
        &self,
        command: &str,
        tree: &Path,
        deadline: Duration,
        network: Network,
        log: &mut Log,
    ) -> Result<Ran, Stop> {
        let scratch = self.own_scratch("job-")?;
        let mut job = Job::new(["sh", "-c", command], tree, deadline);
        job.env = self.engine.job_environment(&scratch);
        // Without it, some runners write what they should compare with.
        job.env.insert("CI".to_owned(), "1".to_owned());
        job.grace = self.engine.settings.grace;
        job.output_cap = self.engine.settings.output_cap;
        let writable = vec![tree.to_owned(), scratch];
        job.sandbox = Some(self.engine.sandbox(writable, network));
        let streams = self.streams(StepFolder::Test)?;
        let check = |argv: &[String]| self.engine.check(argv);
        let ended = job.start(self.engine.guardian, streams, &check).and_then(|running| {
            let cancel = self.engine.interrupt.cancel();
            cancel.during(running.canceller(), || running.wait(&redact))
        });
        match ended {
            Ok(outcome) => {
                log.note_outcome(&outcome);
                Ok(Ran::of(&outcome))
            }
            Err(error @ (ExecError::Guardian { .. } | ExecError::Output { .. })) => {
                Err(error.into())
            }
            // It was not allowed to run, or ended its own guardian: it did not pass.
            Err(error) => {
                log.note("not_run", error.text().to_string());
                Ok(Ran { rc: 126, ended: Reached::End, wall: Duration::ZERO })
            }
        }
    }
}

/// Whether a checkout is ready for its test.
enum Ready {
    Yes,
    /// A command that must succeed did not.
    No {
        command: String,
        rc: i32,
    },
}

/// A command that was run.
struct Ran {
    rc: i32,
    ended: Reached,
    wall: Duration,
}

/// How far a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reached {
    End,
    Deadline,
}

impl Ran {
    fn of(outcome: &Outcome) -> Self {
        let Outcome { rc, ended, wall, .. } = outcome;
        let reached = match ended {
            JobEnded::DeadlineReached => Reached::Deadline,
            JobEnded::Exited
            | JobEnded::Signalled { .. }
            | JobEnded::Cancelled
            | JobEnded::NotRun { .. } => Reached::End,
        };
        Self { rc: *rc, ended: reached, wall: *wall }
    }
}
