//! One recorded run of the command in a checkout of its own.

use std::{
    mem::replace,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_exec::{
    Ended, ExecError, Job, Streams,
    git::{ObjectId, PrivateClone, restore},
    sandbox::Network,
};
use provost_kernel::{
    Message as _, shorten,
    task::{Excerpt, ProofCorner, ProofRun, TestOutcome},
};
use provost_rules_proof::{record::TestRecord, square::Corner};
use provost_vault::{Location, make_work_folder, remove, work_apart, work_part};

use super::{
    Prover, Ran,
    built::AfterBuild,
    corner::without_artefacts,
    hooks::{Hooks, Languages},
};
use crate::{
    Engine,
    context::{redact, redact_text},
    preparation::{
        Layer, LayerSite, NotReady, Preparation, PrepareRun, Readiness, Site, Surroundings,
        last_line,
    },
    story::StoryError,
};

/// How much of what a command prints is kept, for its last line.
const OUTPUT: u64 = 256 << 10;
/// The file that a planted script leaves where records are kept.
const MARK: &str = "reached";
/// The exit code of a command that could not be started, or did not end in time.
const NOT_RUN: i32 = 126;
const TIMED_OUT: i32 = 124;
/// How much of what a command prints is kept for those who mend it.
const SAID: usize = 16_000;

impl Prover<'_> {
    /// Runs the command on a commit, and records its tests. Where it fails and leaves no record, the
    /// hooks may be what it fails at: without them it may succeed.
    pub(super) fn run(
        &mut self,
        corner: ProofCorner,
        commit: &ObjectId,
    ) -> Result<Ran, StoryError> {
        let ran = self.run_once(corner, commit, self.languages)?;
        let has_hooks = self.languages != Languages::default();
        let is_silent = !matches!(ran.corner.rc, 0 | TIMED_OUT) && ran.corner.record.is_none();
        if !has_hooks || !is_silent || corner == ProofCorner::Planted || self.not_ready.is_some() {
            return Ok(ran);
        }
        let (n_runs, last_line) = (self.runs.len(), self.last_line.clone());
        let plain = self.run_once(corner, commit, Languages::default())?;
        if plain.corner.rc == 0 {
            self.runs.remove(n_runs - 1);
            return Ok(plain);
        }
        self.runs.truncate(n_runs);
        self.last_line = last_line;
        Ok(ran)
    }

    /// Runs the command on a commit as a person would, and nothing is recorded: its exit code, and the
    /// last line that it printed.
    pub(crate) fn plain(&mut self, commit: &ObjectId) -> Result<(i32, String), StoryError> {
        let commit = without_artefacts(self.engine, self.clone, commit)?.commit;
        let ran = self.run_once(ProofCorner::Plain, &commit, Languages::default())?;
        Ok((ran.corner.rc, self.last_line.clone()))
    }

    /// Installs what the base needs, once for all that runs after it; none where it needs nothing, or
    /// cannot be made ready.
    pub(crate) fn layer(&self, place: &Location) -> Result<Option<Layer>, StoryError> {
        let preparation = Preparation::of(self.engine, &self.git, self.clone, &self.clone.base)?;
        if preparation.is_empty() {
            return Ok(None);
        }
        let (engine, scratch) = (self.engine, make_work_folder(&work_part(place, "tmp"))?);
        let owner = scratch.to_string_lossy();
        let site = LayerSite { engine, git: &self.git, source: self.clone, owner: &owner };
        let had = preparation.layer(site, &mut |step, around, checkout| {
            start(engine, engine.prepare_job(step, around, (&checkout.tree, &scratch))?)
        })?;
        Ok(had.ok().map(|(layer, ..)| layer))
    }

    fn run_once(
        &mut self,
        corner: ProofCorner,
        commit: &ObjectId,
        languages: Languages,
    ) -> Result<Ran, StoryError> {
        let place = replace(&mut self.next, work_apart(&self.folder));
        let folder = make_work_folder(&place)?;
        let after = self.after_build(corner, commit)?;
        let start = std::time::Instant::now();
        let (checkout, scratch, around) = if let Some(AfterBuild { built, checkout, .. }) = &after {
            (checkout.clone(), built.scratch.clone(), Ok(built.around.clone()))
        } else {
            let tree = folder.join(self.repository());
            let checkout = self.check_out(commit, &tree)?;
            let scratch = make_work_folder(&work_part(&place, "tmp"))?;
            let around = self.prepare(&checkout, &place, &scratch)?;
            (checkout, scratch, around)
        };
        let command = after.as_ref().map_or(&self.command, |it| &it.command).clone();
        let hooks = Hooks::install(&place, &checkout.tree)?;
        self.last_line.clear();
        self.said.clear();
        let rc = match around {
            Ok(around) => {
                let shell = if self.is_strict { ["sh", "-ec"] } else { ["sh", "-c"] };
                let argv = shell.into_iter().chain([command.as_str()]);
                let job =
                    self.job(argv, (&checkout.tree, &scratch), &around, (&hooks, languages))?;
                let (rc, output) = to_end(self.engine, job)?;
                self.last_line = shorten(last_line(&output));
                self.said = Excerpt::tail(&output, SAID).text;
                rc
            }
            Err(why) => {
                self.not_ready = Some((corner, why));
                NOT_RUN
            }
        };
        let wall_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        // A folder that cannot be listed holds no record.
        let record = TestRecord::read(&hooks.recorded().unwrap_or_default());
        let changed = restore::tracked(&self.git, &checkout)?;
        let is_test = |it: &String| self.classes.is_tests(it);
        let (rewritten, touched): (Vec<String>, Vec<String>) =
            changed.into_iter().partition(is_test);
        // Where nothing is recorded, the tests in other words are the one whole run.
        let is_first = self.rewritten.is_empty() && self.touched.is_empty();
        if corner == ProofCorner::Result || corner == ProofCorner::Reworded && is_first {
            (self.rewritten, self.touched) = (rewritten, touched.clone());
        }
        let count = |outcome| record.as_ref().map(|it| it.count(outcome));
        self.runs.push(ProofRun {
            corner,
            rc,
            wall_ms,
            passed: count(TestOutcome::Passed),
            failed: count(TestOutcome::Failed),
            skipped: count(TestOutcome::Skipped),
        });
        let is_marked = hooks.records.join(MARK).exists();
        remove(&place)?;
        if let Some(AfterBuild { built, .. }) = &after {
            built.close()?;
        }
        let is_after_build = after.is_some();
        let corner = Corner { rc, record };
        Ok(Ran { corner, touched, is_marked, is_after_build })
    }

    /// A job that starts where the command starts, may write into the checkout and its temporary folder,
    /// and has no network.
    pub(super) fn job<'s>(
        &self,
        argv: impl IntoIterator<Item = &'s str>,
        (tree, scratch): (&Path, &Path),
        around: &Surroundings,
        (hooks, languages): (&Hooks, Languages),
    ) -> Result<Job, StoryError> {
        let mut job = Job::new(argv, &self.start_folder(tree), self.deadline);
        job.env = self.engine.job_environment(scratch);
        let more = around.apply(scratch, &mut job.env).map_err(StoryError::Scratch)?;
        hooks.environment(languages, &mut job.env);
        let mut writable = vec![tree.to_owned(), scratch.to_owned(), hooks.records.clone()];
        writable.extend(more);
        let network = Network::Off(self.engine.requirement());
        let mut sandbox = self.engine.closed_sandbox(writable, network);
        sandbox.hidden.extend(self.other_versions(tree, hooks, &sandbox.writable));
        job.sandbox = Some(sandbox);
        Ok(job)
    }

    /// Where a planted script of the next run leaves its mark.
    pub(super) fn next_mark(&self) -> String {
        work_part(&self.next, "records").path().join(MARK).into_string()
    }

    /// Where the command starts: the folder that it names, unless a link leads out of the checkout.
    fn start_folder(&self, tree: &Path) -> PathBuf {
        let named = tree.join(&self.cwd).canonicalize();
        let inside = named.ok().filter(|it| it.starts_with(tree) && it.is_dir());
        inside.unwrap_or_else(|| tree.to_owned())
    }

    /// The name of the repository's folder: tests may depend on it.
    pub(super) fn repository(&self) -> String {
        let home = self.engine.desk.layout().home().path();
        let name = home.parent().and_then(|it| it.file_name());
        name.unwrap_or("work").to_owned()
    }

    /// Installs what the checkout needs.
    pub(super) fn prepare(
        &self,
        checkout: &PrivateClone,
        place: &Location,
        scratch: &Path,
    ) -> Result<Result<Surroundings, NotReady>, StoryError> {
        let engine = self.engine;
        let preparation = Preparation::of(engine, &self.git, self.clone, &checkout.base)?;
        let aside = make_work_folder(&work_part(place, "spent"))?;
        let root = make_work_folder(&work_part(place, "place"))?;
        let own = match self.layer {
            Some(layer) => layer.place.copy(&root, None),
            None => engine.make_place(&root),
        };
        let site = Site {
            engine,
            git: &self.git,
            source: self.clone,
            checkout,
            aside: &aside,
            place: &own.map_err(StoryError::Scratch)?,
            layer: self.layer,
        };
        let readiness = preparation.make_ready(site, &mut |step, around| {
            start(engine, engine.prepare_job(step, around, (&checkout.tree, scratch))?)
        })?;
        Ok(match readiness {
            Readiness::Ready(ready) => Ok(ready.surroundings),
            Readiness::NotReady(why) => Err(why),
        })
    }

    /// Runs a job to its end; its exit code, and the last line that it printed, without secrets.
    pub(super) fn start(&self, job: Job) -> Result<(i32, String), StoryError> {
        start(self.engine, job).map(|it| (it.rc, it.last_line))
    }

    /// The languages of the repository whose runners have hooks.
    pub(super) fn find_languages(&self) -> Result<Languages, StoryError> {
        let has = |names: &[&str]| {
            self.base.paths().any(|path| names.iter().any(|it| path.ends_with(it)))
        };
        let node = has(&[".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", "package.json"]);
        Ok(Languages {
            python: has(&[".py"]),
            node: if node { self.node_version()? } else { None },
            rust: has(&["Cargo.toml"]),
            go: has(&["go.mod"]),
        })
    }

    /// The major version of the Node in the path.
    fn node_version(&self) -> Result<Option<u32>, StoryError> {
        let scratch = make_work_folder(&work_part(&self.folder, "tmp"))?;
        let mut job = Job::new(["node", "--version"], &scratch, Duration::from_secs(20));
        job.env = self.engine.job_environment(&scratch);
        job.output_cap = 4096;
        let (streams, printed) = Streams::in_memory()?;
        let check = |argv: &[String]| self.engine.check(argv);
        let ended = job.start(self.engine.guardian, streams, &check);
        let Ok(Ok(_)) = ended.map(|it| it.wait(&redact)) else { return Ok(None) };
        let text = String::from_utf8_lossy(&printed.read(4096)?).into_owned();
        let major =
            text.trim().trim_start_matches('v').split('.').next().and_then(|it| it.parse().ok());
        Ok(major)
    }
}

/// Runs a job to its end, and keeps the last line that it printed.
pub(crate) fn start(engine: &Engine<'_>, job: Job) -> Result<PrepareRun, StoryError> {
    let (rc, output) = to_end(engine, job)?;
    Ok(PrepareRun { rc, last_line: shorten(last_line(&output)) })
}

/// Runs a job to its end: its exit code, and what it printed, without secrets.
fn to_end(engine: &Engine<'_>, mut job: Job) -> Result<(i32, String), StoryError> {
    job.grace = engine.settings.grace;
    job.output_cap = OUTPUT.min(engine.settings.output_cap);
    job.env.insert("CI".to_owned(), "1".to_owned());
    let check = |argv: &[String]| engine.check(argv);
    let (streams, printed) = Streams::together_in_memory()?;
    let ended = job.start(engine.guardian, streams, &check).and_then(|it| {
        let cancel = engine.interrupt.cancel();
        cancel.during(it.canceller(), || it.wait(&redact))
    });
    match ended {
        Ok(outcome) => {
            let rc = match outcome.ended {
                Ended::Exited | Ended::Signalled { .. } | Ended::Cancelled => outcome.rc,
                Ended::DeadlineReached => TIMED_OUT,
                Ended::LimitReached { .. } | Ended::NotRun { .. } => NOT_RUN,
            };
            let output = printed.read(OUTPUT)?;
            Ok((rc, redact_text(&String::from_utf8_lossy(&output))))
        }
        Err(error @ (ExecError::Guardian { .. } | ExecError::Output { .. })) => Err(error.into()),
        Err(error) => Ok((NOT_RUN, error.text().to_string())),
    }
}
