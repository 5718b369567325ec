//! What commands and gates prove, by runs on other versions than the delivered one.

use provost_kernel::{
    Digest,
    story::{BaseRun, VerifyOnBase},
    task::{BaseTest, TestProof},
};
use provost_rules_proof::plant::GateKind as GateError;
use provost_rules_story::proof::ended_on_base;

use super::{COMMAND, CommandAuthor, ProofRunner, StoryError};
use crate::proof::{Noticed, ProofRequest, Prover};

/// What a command proves.
#[derive(Clone, Debug)]
pub(in crate::story) struct ProvenCommand {
    pub(in crate::story) proof: TestProof,
    /// It runs something of the base that decides.
    pub(in crate::story) runs_base: bool,
    /// How it came out on the base, where that was not known.
    pub(in crate::story) base: Option<BaseRun>,
}

/// The most tests of a run on the base that are kept.
const KEPT_TESTS: usize = 2000;
/// The exit codes of a command that did not end in time, could not be started, or was not found: it may
/// do better the next time.
const NOT_SETTLED: [i32; 3] = [124, 126, 127];

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

    /// Runs a command of the plan on the base; how it came out, and what is kept of that.
    pub(in crate::story) fn run_on_base(
        &self,
        command: &str,
    ) -> Result<(VerifyOnBase, Option<BaseRun>), StoryError> {
        let mut prover = self.prover(command)?;
        let key = self.base_key(command, "", CommandAuthor::Person);
        let (test, kept) = run_on_base(&mut prover, key)?;
        self.stop_if_interrupted()?;
        let ended = match ended_on_base(test.rc) {
            VerifyOnBase::Red if prover.is_to_be_written() => VerifyOnBase::Missing,
            ended @ (VerifyOnBase::Red | VerifyOnBase::Green | VerifyOnBase::Missing) => ended,
        };
        Ok((ended, kept))
    }

    /// Finds out what a command that succeeds on the delivered tree proves.
    pub(in crate::story) fn prove(
        &self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
        leave: &[String],
        known: Option<BaseRun>,
    ) -> Result<ProvenCommand, StoryError> {
        let prover = self.prover(command)?;
        let mut prover = match author {
            CommandAuthor::Agent => prover.starting_in(folder).strict(),
            CommandAuthor::Person => prover.starting_in(folder),
        };
        let (before, base) = if let Some(known) = known {
            prover.known_base(&known);
            (known.test, None)
        } else {
            run_on_base(&mut prover, self.base_key(command, folder, author))?
        };
        let runs_base = prover.runs_base(&before);
        let request = ProofRequest { level: self.engine.settings.proof_level, leave };
        let proof = prover.prove(&request, &self.commit, &before)?;
        self.stop_if_interrupted()?;
        Ok(ProvenCommand { proof, runs_base, base })
    }

    /// Everything that the run of a command on the base depends on.
    pub(in crate::story) fn base_key(
        &self,
        command: &str,
        folder: &str,
        author: CommandAuthor,
    ) -> Option<Digest> {
        let settings = self.engine.settings;
        let of_settings = (&settings.prepare, settings.prepare_default);
        let is_strict = author == CommandAuthor::Agent;
        let base = self.worktree.clone.base.as_str();
        let version = env!("CARGO_PKG_VERSION");
        Digest::of_json(&(version, base, command, folder, is_strict, of_settings)).ok()
    }

    fn prover(&self, command: &str) -> Result<Prover<'_>, StoryError> {
        let place = self.worktree.proof_place(self.engine)?;
        let source = (&self.worktree.clone, self.layer.as_ref());
        let prover = Prover::new(self.engine, source, place, command, COMMAND)?;
        Ok(prover.with_builds(&self.builds))
    }

    fn stop_if_interrupted(&self) -> Result<(), StoryError> {
        match self.engine.interrupt.signal() {
            Some(_) => Err(StoryError::Interrupted),
            None => Ok(()),
        }
    }
}

fn run_on_base(
    prover: &mut Prover<'_>,
    key: Option<Digest>,
) -> Result<(BaseTest, Option<BaseRun>), StoryError> {
    let test = prover.base()?;
    let n_tests = test.tests.as_ref().map_or(0, Vec::len);
    let is_settled =
        prover.not_ready().is_none() && !NOT_SETTLED.contains(&test.rc) && n_tests <= KEPT_TESTS;
    let is_after_build = prover.is_after_build();
    let key = key.filter(|_| is_settled);
    let kept = key.map(|key| BaseRun { key, test: test.clone(), is_after_build });
    Ok((test, kept))
}
