//! Folders in which a revision is made ready and tested without a task, gone afterwards.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use provost_exec::git::{Git, PrivateClone, clone};
use provost_vault::{Location, make_work_folder, remove_empty, work_below, work_part};
use tempfile::TempDir;

use super::trial::{TrialPhase, TrialStep, TrialUpdate, millis};
use crate::{
    Engine, EngineError,
    preparation::{
        Layer, LayerOrigin, LayerSite, NotReady, Phase, Preparation, PrepareRun, PrepareStep,
    },
    proof::start,
    story::StoryError,
};

/// The folders, with a private clone of the revision.
pub(super) struct Bench<'a> {
    pub(super) engine: &'a Engine<'a>,
    pub(super) git: Git,
    pub(super) clone: PrivateClone,
    folder: Folder,
}

/// A folder outside every repository, gone when it is dropped, with the folders above it that are
/// empty then.
struct Folder {
    own: Option<TempDir>,
    path: PathBuf,
    above: Location,
}

impl Folder {
    fn make(engine: &Engine<'_>) -> Result<Self, EngineError> {
        let above = engine.desk.layout().story_work();
        let make = || {
            let place = make_work_folder(&above)?;
            let own = tempfile::Builder::new().prefix("trial-").tempdir_in(place);
            Ok::<_, EngineError>(own.map_err(StoryError::Scratch)?)
        };
        // Another one that ends may have taken the folder above away, once.
        let own = make().or_else(|_| make())?;
        Ok(Self { path: own.path().to_owned(), own: Some(own), above })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.own.take();
        remove_empty(&self.above);
    }
}

impl<'a> Bench<'a> {
    pub(super) fn open(
        engine: &'a Engine<'a>,
        repository: &Path,
        revision: &str,
    ) -> Result<Self, EngineError> {
        let (git, folder) = (engine.git(), Folder::make(engine)?);
        let into = folder.path.join("source");
        let clone = clone::private(&git, repository, revision, &into, &Engine::identity())?;
        Ok(Self { engine, git, clone, folder })
    }

    fn location(&self) -> Location {
        work_below(&self.engine.desk.layout().story_work(), &self.folder.path)
    }

    fn part(&self, name: &'static str) -> Result<PathBuf, EngineError> {
        Ok(make_work_folder(&work_part(&self.location(), name))?)
    }

    /// Where the prover has its checkouts.
    pub(super) fn proofs(&self) -> Result<Location, EngineError> {
        let folder = work_part(&self.location(), "test");
        make_work_folder(&folder)?;
        Ok(folder)
    }

    /// Makes a checkout ready; none where nothing is to be done.
    pub(super) fn layer(
        &self,
        preparation: &Preparation,
        steps: &mut Vec<TrialStep>,
        watch: &mut dyn FnMut(TrialUpdate<'_>),
    ) -> Result<Result<Option<Layer>, NotReady>, EngineError> {
        if preparation.is_empty() {
            return Ok(Ok(None));
        }
        let (engine, scratch, start_of) = (self.engine, self.part("tmp")?, Instant::now());
        let owner = self.folder.path.to_string_lossy();
        let site = LayerSite { engine, git: &self.git, source: &self.clone, owner: &owner };
        let had = preparation.layer(site, &mut |step, around, checkout| {
            watch(TrialUpdate::Starts(&step.command));
            let start_of = Instant::now();
            let job = engine.prepare_job(step, around, (&checkout.tree, &scratch))?;
            let ran = start(engine, job)?;
            let step = step_of(step, &ran, start_of.elapsed());
            watch(TrialUpdate::Prepared(&step));
            steps.push(step);
            Ok::<_, StoryError>(ran)
        })?;
        Ok(had.map(|(layer, _, origin)| {
            let command = preparation.first_command().filter(|_| origin == LayerOrigin::Reused);
            let reused = command.map(|it| reused(it, start_of.elapsed()));
            if let Some(it) = &reused {
                watch(TrialUpdate::Prepared(it));
            }
            steps.extend(reused);
            Some(layer)
        }))
    }
}

/// A command that was not needed.
fn reused(command: &str, wall: Duration) -> TrialStep {
    TrialStep {
        command: command.to_owned(),
        phase: TrialPhase::Reused,
        rc: 0,
        must_succeed: true,
        wall_ms: millis(wall),
        last_line: String::new(),
    }
}

fn step_of(step: &PrepareStep, ran: &PrepareRun, wall: Duration) -> TrialStep {
    TrialStep {
        command: step.command.clone(),
        phase: match step.phase {
            Phase::Fetch => TrialPhase::Fetch,
            Phase::Build => TrialPhase::Build,
        },
        rc: ran.rc,
        must_succeed: step.must_succeed,
        wall_ms: millis(wall),
        last_line: ran.last_line.clone(),
    }
}
