//! The result with tests that say the same in other words.

use std::collections::{BTreeMap, BTreeSet};

use provost_exec::git::{
    ObjectId,
    compose::{self, Edit},
    tree::TreeFiles,
};
use provost_kernel::task::{ProofCorner, ProofFinding, ProofLevel};
use provost_rules_proof::{
    plant::{self, Rewording},
    reworded::{Disturbed, disturbed},
    square::Square,
};

use super::{
    Prover,
    planted::{SOURCE, edit},
};
use crate::{Engine, story::StoryError};

impl Prover<'_> {
    /// Finds out whether what carries proof depends on how its tests are written.
    pub(super) fn reword(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<Option<ProofFinding>, StoryError> {
        let texts = self.carriers(delivered, square)?;
        let Some(first) = self.disturbed((result, delivered), square, &texts, Rewording::Values)?
        else {
            return Ok(None);
        };
        let again = self.disturbed((result, delivered), square, &texts, first.again())?;
        let Some(again) = again else { return Ok(None) };
        // A test that fails now and then fails here, too.
        let ran = self.run(ProofCorner::Result, result)?;
        Ok(first.finding(&again, &disturbed(square, &ran.corner)))
    }

    /// The files of what carries proof: tests that were red, or the scripts of a command that was.
    fn carriers(
        &self,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<BTreeMap<String, String>, StoryError> {
        let Some(record) = &square.result.record else {
            let is_opaque = square.base.record.is_none() && square.base.rc != 0;
            let mut scripts = self.shared_scripts();
            scripts.extend(self.classes.scripts().map(str::to_owned));
            let scripts = scripts.iter().map(String::as_str).filter(|_| is_opaque);
            return Ok(delivered.texts(&self.git, self.clone, scripts, SOURCE)?);
        };
        let (mut texts, plan) = self.plan(delivered, square, record, ProofLevel::Standard)?;
        let carriers: BTreeSet<&str> =
            plan.iter().filter(|it| it.is_carrier).map(|it| it.path.as_str()).collect();
        texts.retain(|path, _| carriers.contains(path.as_str()));
        Ok(texts)
    }

    /// What the other words disturb, if anything.
    fn disturbed(
        &mut self,
        (result, delivered): (&ObjectId, &TreeFiles),
        square: &Square,
        texts: &BTreeMap<String, String>,
        rewording: Rewording,
    ) -> Result<Option<Disturbed>, StoryError> {
        let reworded = |(path, text): (&String, &String)| {
            Some(edit(delivered, path, plant::reworded(path, text, rewording)?))
        };
        let edits: Vec<Edit> = texts.iter().filter_map(reworded).collect();
        if edits.is_empty() {
            return Ok(None);
        }
        let identity = Engine::identity();
        let commit = compose::compose(&self.git, self.clone, result, &edits, &identity)?;
        let ran = self.run(ProofCorner::Reworded, &commit)?;
        // A checkout that cannot be prepared says nothing.
        if self.not_ready.take().is_some() {
            return Ok(None);
        }
        Ok(Some(disturbed(square, &ran.corner)).filter(|it| !it.is_empty()))
    }
}
