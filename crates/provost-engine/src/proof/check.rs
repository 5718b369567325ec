//! One run of a check besides the test, in a checkout of its own and without the network.

use provost_exec::git::ObjectId;
use provost_kernel::task::{Check, CheckRun, CheckState};
use provost_rules_task::checks;

use super::Prover;
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
        self.command = own;
        let (rc, _) = ran?;
        let wall_ms = self.runs.pop().map_or(0, |it| it.wall_ms);
        let (state, said) = match self.not_ready.take() {
            Some((_, why)) => (CheckState::NotReady, why.text().to_string()),
            None => (checks::state(&command, rc, &self.said), std::mem::take(&mut self.said)),
        };
        Ok(CheckRun { kind, command, state, rc, wall_ms, said, verdict: None })
    }
}
