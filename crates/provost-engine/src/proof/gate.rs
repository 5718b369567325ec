//! Whether a gate looks at what was changed: it must fail with an error in it.

use provost_exec::git::{
    Kind, ObjectId,
    compose::{self, Edit, Replacement},
    tree::TreeFiles,
};
use provost_kernel::task::ProofCorner;
use provost_rules_proof::plant::{GateKind, gate_error};

use super::{Prover, SCRIPT};
use crate::{Engine, story::StoryError};

/// Which errors a gate notices in changed files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noticed {
    /// No changed file is in a language whose errors are known.
    NotAsked,
    Nothing,
    /// Errors of syntax, and no others.
    Syntax,
    /// What the gate is for.
    All,
}

impl Prover<'_> {
    /// Puts an error into each of these files of a version, and runs the gate.
    pub(crate) fn noticed(
        &mut self,
        commit: &ObjectId,
        paths: &[String],
        kinds: &[GateKind],
    ) -> Result<Noticed, StoryError> {
        let files = TreeFiles::of(&self.git, self.clone, commit)?;
        let mut noticed = Noticed::NotAsked;
        for (at, kind) in kinds.iter().enumerate() {
            let edits = self.errors(&files, paths, *kind)?;
            if edits.is_empty() {
                continue;
            }
            let identity = Engine::identity();
            let planted = compose::compose(&self.git, self.clone, commit, &edits, &identity)?;
            let ran = self.run(ProofCorner::Planted, &planted)?;
            if self.not_ready.is_some() {
                return Ok(Noticed::NotAsked);
            }
            if ran.corner.rc != 0 {
                return Ok(if at == 0 { Noticed::All } else { Noticed::Syntax });
            }
            noticed = Noticed::Nothing;
        }
        Ok(noticed)
    }

    fn errors(
        &self,
        files: &TreeFiles,
        paths: &[String],
        kind: GateKind,
    ) -> Result<Vec<Edit>, StoryError> {
        let known = paths.iter().map(String::as_str).filter(|it| files.entry(it).is_some());
        let texts = files.texts(&self.git, self.clone, known, SCRIPT)?;
        let edits = texts.into_iter().filter_map(|(path, text)| {
            let text = gate_error(&path, &text, kind)?;
            let is_executable = files.entry(&path).is_some_and(|it| it.0 == Kind::Executable);
            Some(Edit { path, content: Replacement::Text { text, is_executable } })
        });
        Ok(edits.collect())
    }
}
