//! The test: run by provost itself, on a clean checkout of what the agent delivered.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_adapter::Log;
use provost_exec::{
    Ended as JobEnded, ExecError, Job, Outcome,
    git::{PrivateClone, clone},
    sandbox::{Network, NetworkCover},
};
use provost_kernel::{
    Message, Text, shorten,
    task::{
        BaseTest, ErrorClass, EventKind, ProofCode, ProofFinding, ProofLabel, Role, Standing,
        TestProof,
    },
};
use provost_rules_task::accept;
use provost_vault::{
    RealDisk, Scratch, Step as StepFolder, StepFile, WorkPlace, task::read_tail, write_record,
};

use super::{Attempt, Note, Stop, policy::Change, printed, step::Limit};
use crate::{
    Engine,
    context::redact,
    preparation::{Readiness, Surroundings},
    proof::without_artefacts,
    story::StoryError,
    task::progress::{Step, Update},
};

/// How much of what a test printed is kept for prompts and evidence.
const LOG: u64 = 256 << 10;

/// How the test came out.
pub(super) struct Tested {
    /// None when no test was run.
    pub(super) rc: Option<i32>,
    /// Whether it could reach the network; none when no test was run.
    pub(super) network: Option<bool>,
    /// What it printed, without secrets.
    pub(super) log: String,
    /// What speaks against a green test.
    pub(super) against: Vec<ProofFinding>,
    /// Why a green test could not be put to the proof: a person decides.
    pub(super) asks: Option<Text>,
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
        self.note_checks(EventKind::TestStarted, command.clone())?;
        self.mark("test_started_at");
        let place = self.engine.desk.layout().work_place(
            self.open.task(),
            self.number,
            WorkPlace::Checkout,
        );
        let git = self.engine.git();
        let sources = without_artefacts(&self.engine, clone, &change.commit)?;
        let checkout = clone::exact(
            &git,
            clone,
            &sources.commit,
            place.path().as_std_path(),
            &Engine::identity(),
        )?;
        let mut log = Log::default();
        for path in &sources.left_out {
            log.note("left_out", path);
        }
        let readiness = self.prepare(clone, &checkout, &mut log)?;
        let (deadline, limit) = self.deadline(self.spec.test_timeout_seconds)?;
        self.engine.progress.update(&Update::StepStarted { step: Step::Test });
        let outcome = match &readiness {
            Readiness::Ready(ready) => {
                let command = ShellJob {
                    command: &command,
                    folder: &checkout.tree,
                    tree: &checkout.tree,
                    surroundings: &ready.surroundings,
                    deadline,
                    network: Network::Off(self.engine.requirement()),
                    step: StepFolder::Test,
                };
                self.run_job(command, &mut log)?
            }
            // A test that was not run did not pass.
            Readiness::NotReady(it) => {
                let printed = format!("{}\n{}", it.text(), self.tail(StepFolder::Prepare)?);
                self.write_test_output(&printed)?;
                Ran { rc: it.rc(), ..Ran::default() }
            }
        };
        self.metrics.test_rc = Some(outcome.rc);
        self.mark("test_finished_at");
        self.keep(StepFolder::Test, outcome.rc, &log.to_string())?;
        let rc = outcome.rc;
        let (text, detail) = match readiness {
            Readiness::Ready(_) => {
                self.ran(format!("test:{command}"), rc, outcome.wall)?;
                (format!("rc={rc}"), Note::Tested { command: command.clone(), rc })
            }
            Readiness::NotReady(it) => {
                let text = format!("not run: rc={rc} of what prepares it");
                (text, Note::NotPrepared { why: it.text() })
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
            Some(base) if rc == 0 => {
                let before = self.engine.desk.clock().millis();
                let proof = self.prove_test(clone, change, base, deadline)?;
                let after = self.engine.desk.clock().millis();
                self.took("proof", Duration::from_millis(after.0.saturating_sub(before.0)));
                Some(proof)
            }
            Some(_) | None => None,
        };
        let require = self.engine.settings.proof_require;
        let mut against = proof.as_ref().map(|it| it.against(require)).unwrap_or_default();
        let accepted = self.accepted(proof.as_ref(), &mut against);
        let is_accepted = !accepted.is_empty();
        let detail = match (against.first(), &proof) {
            (None, Some(_)) if !accepted.is_empty() => {
                Note::Accepted { command, findings: accepted }
            }
            (Some(finding), _) => Note::NotProven { command, finding: finding.text() },
            (None, Some(proof)) => match unproven(proof).or_else(|| unshown(proof)) {
                Some(finding) => Note::Open { command, finding },
                None if proof.label == ProofLabel::Holds => Note::Holds { command },
                None => Note::Proven { command, label: proof.label.as_str() },
            },
            (None, None) => detail,
        };
        let asks = proof.as_ref().and_then(unproven).filter(|_| !is_accepted);
        // Green without the work as well: nothing of it is verified by that.
        let is_held = proof.as_ref().is_some_and(|it| !it.label.shows());
        let is_plain = asks.is_none() && !is_accepted && !is_held;
        let standing = match (rc, against.is_empty(), is_plain) {
            (0, true, true) => Standing::Verified,
            (0, true, false) => Standing::NotVerified,
            _ => Standing::Failed,
        };
        self.checked("tests", standing, detail.text());
        let log = self.tail(StepFolder::Test)?;
        if rc != 0 {
            self.engine.progress.update(&Update::Printed(&printed::shown(&log)));
        }
        Ok(Tested { rc: Some(rc), network: outcome.network, log, against, asks })
    }

    /// Takes away what a person accepted of the same files; what that was, by name.
    fn accepted(&self, proof: Option<&TestProof>, against: &mut Vec<ProofFinding>) -> Vec<String> {
        let Some(proof) = proof else { return Vec::new() };
        let accepted = &self.open.status.value.accepted;
        let of_files = accept::of_files(accepted, proof);
        let codes: BTreeSet<&str> = of_files.map(|it| it.finding.as_str()).collect();
        against.retain(|it| !codes.contains(it.code.as_str()));
        let found = proof.findings.iter().map(|it| it.code.as_str());
        found.filter(|it| codes.contains(it)).map(str::to_owned).collect()
    }

    /// A task without a test: said, and never shown as passed.
    fn not_tested(&mut self) -> Result<Tested, Stop> {
        let text = "not verified: the task has no `test_cmd`\n";
        let at = self.file(StepFolder::Test, StepFile::RunLog);
        write_record(&RealDisk, &at, text.as_bytes())?;
        write_record(&RealDisk, &self.file(StepFolder::Test, StepFile::Stdout), b"")?;
        self.note(EventKind::TestFinished, "not run: the task has no test_cmd")?;
        self.checked("tests", Standing::NotVerified, Note::NoTest.text());
        let log = String::new();
        Ok(Tested { rc: None, network: None, log, against: Vec::new(), asks: None })
    }

    /// Keeps a text in place of what a test printed.
    fn write_test_output(&self, text: &str) -> Result<(), Stop> {
        let at = self.file(StepFolder::Test, StepFile::Stdout);
        write_record(&RealDisk, &at, text.as_bytes())?;
        Ok(())
    }

    /// The end of what a step printed.
    pub(super) fn tail(&self, step: StepFolder) -> Result<String, Stop> {
        let read = |file| read_tail(&RealDisk, &self.file(step, file), LOG);
        Ok([read(StepFile::Stdout)?, read(StepFile::Stderr)?].concat())
    }

    /// A folder for temporary files that was never used before.
    pub(super) fn own_scratch(&self, prefix: &str) -> Result<PathBuf, Stop> {
        let folder = self.scratch(Scratch::Test)?;
        let own = tempfile::Builder::new().prefix(prefix).tempdir_in(folder);
        Ok(own.map_err(StoryError::Scratch)?.keep())
    }

    /// Runs a shell command in a checkout, in the sandbox.
    pub(super) fn run_job(&self, shell: ShellJob<'_>, log: &mut Log) -> Result<Ran, Stop> {
        let scratch = self.own_scratch("job-")?;
        let mut job = Job::new(["sh", "-c", shell.command], shell.folder, shell.deadline);
        job.env = self.engine.job_environment(&scratch);
        // Without it, some runners write what they should compare with.
        job.env.insert("CI".to_owned(), "1".to_owned());
        let around = shell.surroundings.apply(&scratch, &mut job.env);
        let around = around.map_err(StoryError::Scratch)?;
        job.grace = self.engine.settings.grace;
        job.output_cap = self.engine.settings.output_cap;
        let mut writable = vec![shell.tree.to_owned(), scratch];
        writable.extend(around);
        job.sandbox = Some(self.engine.closed_sandbox(writable, shell.network));
        let streams = self.streams(shell.step)?;
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
                let why = error.text().to_string();
                log.note("not_run", &why);
                let at = self.file(shell.step, StepFile::Stderr);
                write_record(&RealDisk, &at, why.as_bytes())?;
                Ok(Ran { rc: 126, ..Ran::default() })
            }
        }
    }
}

/// Why a green test was not put to the proof.
fn unproven(proof: &TestProof) -> Option<Text> {
    let finding = proof.findings.first().filter(|_| proof.label == ProofLabel::NotRun)?;
    Some(finding.text())
}

/// Why a test that is red without the work does not show it.
fn unshown(proof: &TestProof) -> Option<Text> {
    let found = proof.findings.iter().find(|it| it.code == ProofCode::CommentsOnly)?;
    Some(found.text())
}

/// A shell command in a checkout.
#[derive(Clone, Copy)]
pub(super) struct ShellJob<'a> {
    pub(super) command: &'a str,
    /// The folder that it starts in.
    pub(super) folder: &'a Path,
    /// The checkout.
    pub(super) tree: &'a Path,
    pub(super) surroundings: &'a Surroundings,
    pub(super) deadline: Duration,
    pub(super) network: Network,
    /// Whose files keep what it prints.
    pub(super) step: StepFolder,
}

/// A command that was run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ran {
    pub(super) rc: i32,
    ended: Reached,
    pub(super) wall: Duration,
    /// Whether it could reach the network; none where it did not run.
    network: Option<bool>,
}

/// How far a command came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reached {
    #[default]
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
            | JobEnded::LimitReached { .. }
            | JobEnded::NotRun { .. } => Reached::End,
        };
        let cut_off = [NetworkCover::Namespace, NetworkCover::NamespaceWithoutLoopback];
        let cover = outcome.sandbox.as_ref().map_or(NetworkCover::NotAsked, |it| it.network);
        let network = Some(!cut_off.contains(&cover));
        Self { rc: *rc, ended: reached, wall: *wall, network }
    }
}
