//! What commands and gates prove, by runs on other versions than the delivered one.

use provost_kernel::task::TestProof;
use provost_rules_proof::plant::GateKind as GateError;

use super::{COMMAND, CommandAuthor, ProofRunner, StoryError};
use crate::proof::{Noticed, ProofRequest, Prover};

/// What a command proves.
#[derive(Clone, Debug)]
pub(in crate::story) struct ProvenCommand {
    pub(in crate::story) proof: TestProof,
    /// It runs something of the base that decides.
    pub(in crate::story) runs_base: bool,
}

impl ProofRunner<'_> {
    /// Whether a gate that succeeds looks at what was changed, and whether it did so on the base.
    pub(in crate::story) fn prove_gate(
        &self,
        command: &str,
        folder: &str,
        kinds: &[GateError],
        changed: &[String],
    ) -> Result<(Noticed, Noticed), StoryError> {
        let prover = self.prover(command)?;
        let mut prover = prover.starting_in(folder);
        let now = prover.noticed(&self.commit, changed, kinds)?;
        let before = match now {
            Noticed::Nothing => prover.noticed(&self.worktree.clone.base, changed, kinds)?,
            Noticed::NotAsked | Noticed::Syntax | Noticed::All => Noticed::NotAsked,
        };
        self.stop_if_interrupted()?;
        Ok((now, before))
    }

    /// Runs a command of the plan on the base; its exit code.
    pub(in crate::story) fn run_on_base(&self, command: &str) -> Result<i32, StoryError> {
        let tested = self.prover(command)?.base()?;
        self.stop_if_interrupted()?;
        Ok(tested.rc)
    }

    /// Finds out what a command that succeeds on the delivered tree proves.
    pub(in crate::story) fn prove(
        &self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
        leave: &[String],
    ) -> Result<ProvenCommand, StoryError> {
        let prover = self.prover(command)?;
        let mut prover = match author {
            CommandAuthor::Agent => prover.starting_in(folder).strict(),
            CommandAuthor::Person => prover.starting_in(folder),
        };
        let before = prover.base()?;
        let runs_base = prover.runs_base(&before);
        let request = ProofRequest { level: self.engine.settings.proof_level, leave };
        let proof = prover.prove(&request, &self.commit, &before)?;
        self.stop_if_interrupted()?;
        Ok(ProvenCommand { proof, runs_base })
    }

    fn prover(&self, command: &str) -> Result<Prover<'_>, StoryError> {
        let place = self.worktree.proof_place(self.engine)?;
        let source = (&self.worktree.clone, self.layer.as_ref());
        Prover::new(self.engine, source, place, command, COMMAND)
    }

    fn stop_if_interrupted(&self) -> Result<(), StoryError> {
        match self.engine.interrupt.signal() {
            Some(_) => Err(StoryError::Interrupted),
            None => Ok(()),
        }
    }
}
