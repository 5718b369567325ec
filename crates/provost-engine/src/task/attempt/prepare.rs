//! Makes checkouts ready, and keeps what that printed: the base once for a task, what was
//! delivered for its test, and the tree of the coder.

use std::{path::Path, time::Instant};

use provost_adapter::Log;
use provost_exec::git::{PrivateClone, clone};
use provost_kernel::{
    Message as _, shorten,
    task::{ErrorClass, Role},
};
use provost_vault::{
    RealDisk, Step as StepFolder, StepFile, WorkPlace, make_work_folder, write_record,
};

use super::{Attempt, Note, Stop, test::ShellJob};
use crate::{
    Engine,
    preparation::{
        Home, LayerOrigin, LayerSite, NotReady, Preparation, PrepareRun, PrepareStep, Readiness,
        Site, Surroundings, last_line,
    },
    story::StoryError,
    task::progress::{Step, Update},
};

/// How long one command may take.
const SECONDS: u32 = 15 * 60;

impl Attempt<'_, '_, '_> {
    /// Makes the base ready, unless what it needs is there already: no agent has worked in it, so
    /// coder and test may have what was installed.
    pub(super) fn prepare_base(&mut self, clone: &PrivateClone) -> Result<(), Stop> {
        let preparation = self.preparation(clone, &mut Log::default(), clone)?;
        if preparation.is_empty() {
            return Ok(());
        }
        self.engine.progress.update(&Update::StepStarted { step: Step::Prepare });
        let (engine, git, start) = (self.engine, self.engine.git(), Instant::now());
        let owner = self.open.task().to_string();
        let site = LayerSite { engine: &engine, git: &git, source: clone, owner: &owner };
        let (mut log, mut printed) = (Log::default(), Printed::default());
        let had = preparation.layer(site, &mut |step, around, checkout| {
            self.run_prepare_step(step, around, checkout, &mut log, &mut printed)
        })?;
        self.keep_printed(&printed)?;
        match had {
            Ok((layer, bytes, origin)) => {
                self.layer = Some(layer);
                let mb = bytes.div_ceil(1 << 20);
                let outcome = match origin {
                    LayerOrigin::Made => Note::Installed { mb }.text(),
                    LayerOrigin::Reused => Note::Reused { mb }.text(),
                };
                let (step, wall) = (Step::Prepare, start.elapsed());
                engine.progress.update(&Update::StepFinished { step, outcome: &outcome, wall });
                Ok(())
            }
            // A task that nothing is run for does not need it.
            Err(_) if self.spec.test_cmd.is_none() && self.plan.is_none() => Ok(()),
            Err(it) => Err(self.not_prepared(Role::Coordinator, &it)),
        }
    }

    /// The end of an attempt whose base cannot be prepared.
    pub(super) fn not_prepared(&mut self, role: Role, why: &NotReady) -> Stop {
        self.end_at(role, 0, ErrorClass::PrepareFailed, why.text())
    }

    /// Gives the coder the dependencies of the base, and caches that are its own.
    pub(super) fn equip_coder(&mut self, clone: &PrivateClone) -> Result<(), Stop> {
        let layout = self.engine.desk.layout();
        let at = layout.work_place(self.open.task(), self.number, WorkPlace::CoderPlace);
        let root = make_work_folder(&at)?;
        let (place, environments) = match &self.layer {
            Some(layer) => {
                layer.equip(&clone.tree).map_err(StoryError::Scratch)?;
                (layer.place.copy(&root, None), layer.environments_in(&clone.tree))
            }
            None => (self.engine.make_place(&root), Vec::new()),
        };
        let home = Home::Caches(place.map_err(StoryError::Scratch)?);
        let around = Surroundings { home, ..Surroundings::default() };
        self.around_coder = around.with_environments(&environments);
        Ok(())
    }

    /// Makes a checkout of a commit ready that `source` has.
    pub(super) fn prepare(
        &mut self,
        source: &PrivateClone,
        checkout: &PrivateClone,
        log: &mut Log,
    ) -> Result<Readiness, Stop> {
        let preparation = self.preparation(source, log, checkout)?;
        let layout = self.engine.desk.layout();
        let at = layout.work_place(self.open.task(), self.number, WorkPlace::CheckoutPlace);
        let place = make_work_folder(&at)?;
        let (readiness, printed) = self.make_ready(&preparation, source, checkout, &place, log)?;
        let base_fails = match &readiness {
            Readiness::Ready(_) => None,
            Readiness::NotReady(_) => self.base_fails(source)?,
        };
        self.keep_printed(&printed)?;
        base_fails.map_or(Ok(readiness), |it| Err(self.not_prepared(Role::Test, &it)))
    }

    /// Why the base cannot be prepared now: then it is not the fault of what was delivered.
    pub(super) fn base_fails(&mut self, source: &PrivateClone) -> Result<Option<NotReady>, Stop> {
        let git = self.engine.git();
        let into = self.own_scratch("base-")?.join("tree");
        let base = clone::exact(&git, source, &source.base, &into, &Engine::identity())?;
        let mut log = Log::default();
        let preparation = self.preparation(source, &mut log, &base)?;
        let place = self.own_scratch("place-")?;
        self.layer = None;
        let (readiness, _) = self.make_ready(&preparation, source, &base, &place, &mut log)?;
        Ok(match readiness {
            Readiness::Ready(_) => None,
            Readiness::NotReady(it) => Some(it),
        })
    }

    fn preparation(
        &self,
        source: &PrivateClone,
        log: &mut Log,
        checkout: &PrivateClone,
    ) -> Result<Preparation, Stop> {
        let git = self.engine.git();
        let preparation = Preparation::of(&self.engine, &git, source, &checkout.base)?;
        for it in preparation.left_out() {
            log.note("not_prepared", it.text().to_string());
        }
        for it in preparation.missing() {
            log.note("not_prepared", it.text().to_string());
        }
        Ok(preparation)
    }

    fn make_ready(
        &mut self,
        preparation: &Preparation,
        source: &PrivateClone,
        checkout: &PrivateClone,
        place: &Path,
        log: &mut Log,
    ) -> Result<(Readiness, Printed), Stop> {
        let (git, engine, layer) = (self.engine.git(), self.engine, self.layer.clone());
        let place = match &layer {
            Some(layer) => layer.place.copy(place, None),
            None => engine.make_place(place),
        };
        let place = place.map_err(StoryError::Scratch)?;
        let aside = self.own_scratch("spent-")?;
        let site = Site {
            engine: &engine,
            git: &git,
            source,
            checkout,
            aside: &aside,
            place: &place,
            layer: layer.as_ref(),
        };
        let mut printed = Printed::default();
        let readiness = preparation.make_ready(site, &mut |step, surroundings| {
            self.run_prepare_step(step, surroundings, checkout, log, &mut printed)
        })?;
        if let Readiness::Ready(ready) = &readiness {
            for path in &ready.restored {
                log.note("restored", path);
            }
        }
        Ok((readiness, printed))
    }

    fn run_prepare_step(
        &mut self,
        step: &PrepareStep,
        surroundings: &Surroundings,
        checkout: &PrivateClone,
        log: &mut Log,
        printed: &mut Printed,
    ) -> Result<PrepareRun, Stop> {
        let PrepareStep { command, folder, phase, .. } = step;
        self.engine.progress.update(&Update::StepStarted { step: Step::Prepare });
        log.note("prepare", command);
        let (deadline, _) = self.deadline(SECONDS)?;
        let shell = ShellJob {
            command,
            folder,
            tree: &checkout.tree,
            surroundings,
            deadline,
            network: phase.network(self.engine.requirement()),
            step: StepFolder::Prepare,
        };
        let ran = self.run_job(shell, log)?;
        self.stop_if_interrupted()?;
        self.ran(format!("prepare:{command}"), ran.rc, ran.wall)?;
        let output = self.tail(StepFolder::Prepare)?;
        let last_line = shorten(last_line(&output));
        printed.add(command, ran.rc, &output);
        Ok(PrepareRun { rc: ran.rc, last_line })
    }

    /// Keeps what all the commands printed, one after the other.
    fn keep_printed(&self, printed: &Printed) -> Result<(), Stop> {
        if printed.text.is_empty() {
            return Ok(());
        }
        self.keep(StepFolder::Prepare, printed.rc, &printed.text)?;
        let at = self.file(StepFolder::Prepare, StepFile::Stdout);
        write_record(&RealDisk, &at, printed.text.as_bytes())?;
        write_record(&RealDisk, &self.file(StepFolder::Prepare, StepFile::Stderr), b"")?;
        Ok(())
    }
}

/// What the commands of a preparation printed.
#[derive(Debug, Default)]
struct Printed {
    /// The exit code of the last one.
    rc: i32,
    text: String,
}

impl Printed {
    fn add(&mut self, command: &str, rc: i32, output: &str) {
        self.rc = rc;
        let end = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
        let code = rc.to_string();
        self.text.extend(["$ ", command, "\n", output, end, "[exit ", &code, "]\n"]);
    }
}
