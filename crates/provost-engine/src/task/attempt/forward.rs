//! Attempts that build on each other: the next one starts on the files that the last one left
//! (ruling 73).

use provost_exec::git::{PrivateClone, read, restore};
use provost_kernel::{
    AttemptNumber,
    task::{ContextMode, EventKind},
};
use provost_rules_task::policy;
use provost_vault::{AttemptFile, RealDisk, task::read_tail};

use super::{Attempt, Stop};
use crate::EngineError;

/// More than the name of a commit.
const NAME: u64 = 256;

impl Attempt<'_, '_, '_> {
    /// Puts the files of the attempt before into the tree. One that is repeated starts where it
    /// started.
    pub(super) fn bring_forward(
        &mut self,
        clone: &PrivateClone,
        rerun: Option<AttemptNumber>,
    ) -> Result<(), Stop> {
        // With a plan, files are declared before any of them is changed.
        let starts_fresh = self.spec.attempt_context_mode == ContextMode::FreshEach;
        if starts_fresh || self.spec.plan.is_some() {
            return Ok(());
        }
        let Some((earlier, name)) = self.last_delivery(rerun.unwrap_or(self.number))? else {
            return Ok(());
        };
        let git = self.engine.git();
        // What a person removed from the repository is not there to go on with.
        let Ok(commit) = read::commit(&git, std::path::Path::new(&self.spec.repo_path), &name)
        else {
            return Ok(());
        };
        restore::bring_forward(&git, clone, &commit)?;
        self.started_on = Some(earlier);
        self.note(EventKind::WorkContinued, format!("attempt {earlier}: {commit}"))?;
        Ok(())
    }

    /// What the newest attempt before one delivered, unless the rules refused it.
    fn last_delivery(
        &self,
        before: AttemptNumber,
    ) -> Result<Option<(AttemptNumber, String)>, EngineError> {
        let Some(first) = self.first_since_reset()? else { return Ok(None) };
        let files = self.open.files();
        let attempts = files.attempts()?.into_iter().rev();
        for earlier in attempts.filter(|it| *it < before && *it >= first) {
            let decided = files.decision(earlier)?.present();
            if decided.is_some_and(|it| policy::refuses(it.value.decision.row)) {
                return Ok(None);
            }
            let layout = self.engine.desk.layout();
            let at = layout.attempt_file(self.open.task(), earlier, AttemptFile::HeadCommit);
            let name = read_tail(&RealDisk, &at, NAME)?;
            if !name.trim().is_empty() {
                return Ok(Some((earlier, name.trim().to_owned())));
            }
        }
        Ok(None)
    }
}
