//! One run of a check besides the test, in a checkout of its own and without the network.

use provost_exec::git::{ObjectId, tree::TreeFiles};
use provost_kernel::task::{Check, CheckRun, CheckState};
use provost_rules_task::checks;

use super::{Prover, corner::without_artefacts, text};
use crate::story::StoryError;

impl Prover<'_> {
    /// Runs a check on a commit, as a person would.
    pub(crate) fn check(
        &mut self,
        check: &Check,
        commit: &ObjectId,
    ) -> Result<CheckRun, StoryError> {
        let Check { kind, command } = check.clone();
        let own = std::mem::replace(&mut self.command, command.clone());
        let ran = self.plain(commit);
        let rules_changed = self.rules_changed(commit);
        self.command = own;
        let ((rc, _), rules_changed) = (ran?, rules_changed?);
        let wall_ms = self.runs.pop().map_or(0, |it| it.wall_ms);
        let (state, said) = match self.not_ready.take() {
            Some((_, why)) => (CheckState::NotReady, why.text().to_string()),
            None => (checks::state(&command, rc, &self.said), std::mem::take(&mut self.said)),
        };
        Ok(CheckRun { kind, command, state, rc, wall_ms, said, rules_changed, verdict: None })
    }

    /// The files that decide what the command says and that differ from the base.
    fn rules_changed(&self, commit: &ObjectId) -> Result<Vec<String>, StoryError> {
        if *commit == self.clone.base {
            return Ok(Vec::new());
        }
        let commit = without_artefacts(self.engine, self.clone, commit)?.commit;
        let delivered = TreeFiles::of(&self.git, self.clone, &commit)?;
        let classes = [self.classes_of(&self.base), self.classes_of(&delivered)];
        let read = |files: &TreeFiles, path: &str| text(&self.git, self.clone, files, path);
        let is_rule = |path: &String| {
            classes.iter().any(|it| it.reaches(path))
                || checks::decides(
                    path,
                    read(&self.base, path).as_deref(),
                    read(&delivered, path).as_deref(),
                )
        };
        Ok(self.changed(&delivered).into_iter().filter(is_rule).collect())
    }
}
