//! The build of what was delivered, and the commands that begin with it.

use provost_kernel::story::GateKind;
use provost_rules_story::{
    evidence::CommandRun,
    gates::{Gate, GatePlan},
};
use provost_vault::{Location, make_work_folder, work_below, work_part};

use super::{Checkout, CommandAuthor, CompletedCommand, ProofRunner, StoryError};
use crate::{
    preparation::{Readiness, Ready},
    proof::{Build, BuiltHere, BuiltTree, BuiltTrees, Version},
};

impl ProofRunner<'_> {
    /// Lets commands share the builds among the gates that some of them begin with; each command with its
    /// folder.
    pub(in crate::story) fn share_builds(&mut self, gates: &[Gate], commands: &[(&str, &str)]) {
        let build = |it: &Gate| match (&it.plan, it.kind) {
            (GatePlan::Run(command), GateKind::Build) => {
                Some(Build { command: command.clone(), folder: it.folder.clone() })
            }
            (GatePlan::Run(_) | GatePlan::NotApplicable | GatePlan::NotConfigured, _) => None,
        };
        self.builds = BuiltTrees::new(gates.iter().filter_map(build).collect(), commands);
    }

    /// Runs a gate in a fresh checkout. What a build leaves is kept for the commands that begin with it.
    pub(in crate::story) fn run_gate(
        &mut self,
        command: &str,
        folder: &str,
    ) -> Result<CompletedCommand, StoryError> {
        if let Some(build) = self.builds.find(command, folder).cloned() {
            return self.run_build(&build);
        }
        self.renew()?;
        self.run(command, folder, CommandAuthor::Person)
    }

    /// Runs a command of a claim where nothing is left of another one: after the build, if it begins with
    /// it.
    pub(in crate::story) fn run_alone(
        &mut self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
    ) -> Result<CompletedCommand, StoryError> {
        if self.obstacle(command, author).is_none()
            && let Some(ran) = self.run_after_build(command, folder, author)?
        {
            return Ok(ran);
        }
        self.renew()?;
        self.run(command, folder, author)
    }

    /// Runs what is left of a command after its build; none if it has none that can be shared, or does
    /// not succeed so: it has to fail as a whole.
    fn run_after_build(
        &mut self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
    ) -> Result<Option<CompletedCommand>, StoryError> {
        let Some((build, rest)) = self.builds.split(command, folder) else { return Ok(None) };
        let build = build.clone();
        if self.builds.of(&build, &self.commit).is_none() {
            self.run_build(&build)?;
        }
        let Some(Version::Built(built)) = self.builds.of(&build, &self.commit) else {
            return Ok(None);
        };
        if !built.open(&self.worktree.git)? {
            return Ok(None);
        }
        let ready = Ready { surroundings: built.around.clone(), ..Ready::default() };
        let after = Checkout {
            clone: built.checkout.clone(),
            preparation: self.checkout.preparation.clone(),
            readiness: Readiness::Ready(Box::new(ready)),
            is_fresh: false,
            scratch: Some(built.scratch.clone()),
        };
        let own = std::mem::replace(&mut self.checkout, after);
        let ran = self.run(rest, folder, author);
        self.checkout = own;
        let mut ran = ran?;
        built.close()?;
        match &mut ran.run {
            CommandRun::Ended { exit_code: 0, output } => {
                output.insert_str(0, &built.output);
                Ok(Some(ran))
            }
            CommandRun::Ended { .. } | CommandRun::NotRun { .. } => {
                self.builds.leave_alone(command);
                Ok(None)
            }
        }
    }

    /// Builds what was delivered in a checkout of its own.
    fn run_build(&mut self, build: &Build) -> Result<CompletedCommand, StoryError> {
        let (engine, worktree) = (self.engine, self.worktree);
        let into = worktree.scratch()?;
        let place = work_below(&engine.desk.layout().story_work(), &into);
        let checkout = Checkout::of(engine, worktree, &self.commit, &into.join("delivered"))?;
        let own = std::mem::replace(&mut self.checkout, checkout);
        let ran = self.build_here(build, &work_part(&place, "tmp"));
        let checkout = std::mem::replace(&mut self.checkout, own);
        let ran = ran?;
        let kept = match (&ran.run, checkout) {
            (
                CommandRun::Ended { exit_code: 0, output },
                Checkout {
                    clone: checkout,
                    readiness: Readiness::Ready(ready),
                    scratch: Some(scratch),
                    ..
                },
            ) => {
                let (around, output) = (ready.surroundings, format!("{output}\n"));
                let built = BuiltHere { checkout, scratch, around, output };
                BuiltTree::keep(&worktree.git, built, &place, &work_part(&place, "saved"))?
            }
            (CommandRun::Ended { .. } | CommandRun::NotRun { .. }, _) => None,
        };
        self.builds.put(build, &self.commit, kept);
        Ok(ran)
    }

    /// Makes the checkout ready and builds in it.
    fn build_here(
        &mut self,
        build: &Build,
        scratch: &Location,
    ) -> Result<CompletedCommand, StoryError> {
        self.prepare()?;
        let scratch = make_work_folder(scratch)?;
        if let Readiness::Ready(ready) = &mut self.checkout.readiness {
            let around = std::mem::take(&mut ready.surroundings);
            ready.surroundings = around.shared_in(&scratch).map_err(StoryError::Scratch)?;
        }
        self.checkout.scratch = Some(scratch);
        self.run(&build.command, &build.folder, CommandAuthor::Person)
    }
}
