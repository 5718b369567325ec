//! The result with tests that say the same in other words.

use std::collections::{BTreeMap, BTreeSet};

use provost_exec::git::{
    ObjectId,
    compose::{self, Edit},
    tree::TreeFiles,
};
use provost_kernel::task::{ProofCorner, ProofFinding, ProofLevel};
use provost_rules_proof::{
    class::Class,
    plant::{self, Rewording},
    reworded::{disturbed, disturbed_files},
    square::{Corner, Square},
};

use super::{
    Prover,
    planted::{SOURCE, edit},
};
use crate::{Engine, story::StoryError};

/// How many test files of the base are reworded.
const KEPT: usize = 200;

impl Prover<'_> {
    /// Finds out whether what carries proof depends on how its tests are written.
    pub(super) fn reword(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<Option<ProofFinding>, StoryError> {
        let mut texts = self.carriers(delivered, square)?;
        let mut kept = self.kept(delivered, square)?;
        kept.retain(|path, _| !texts.contains_key(path));
        let files: BTreeSet<String> = kept.keys().cloned().collect();
        texts.extend(kept.clone());
        let run = |prover: &mut Self, rewording| {
            let ran = prover.reworded((result, delivered), &texts, rewording)?;
            let found = ran.map(|it| disturbed(square, &it, &files));
            Ok::<_, StoryError>(found.filter(|it| !it.is_empty()))
        };
        let Some(first) = run(self, Rewording::Values)? else { return Ok(None) };
        let Some(again) = run(self, first.again())? else { return Ok(None) };
        // A test that fails now and then fails here, too.
        let ran = self.run(ProofCorner::Result, result)?;
        let delivered = disturbed(square, &ran.corner, &files);
        // The same words on the product of the base: what they disturb there, they disturb.
        let mut base = first.all_kept();
        if first.needs_base()
            && let Some(record) = &square.base.record
            && let Some(ran) = self.reworded_base(&kept)?
        {
            base = disturbed_files(record, &ran, &files);
        }
        Ok(first.finding(&again, &delivered, &base))
    }

    /// Test files of Python that are the base's, where Python was changed: a value of the product can
    /// equal whatever it is compared with, also in a test that was green before.
    fn kept(
        &self,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<BTreeMap<String, String>, StoryError> {
        let is_python = |path: &str| path.rsplit_once('.').is_some_and(|it| it.1 == "py");
        let is_changed = |it: &String| is_python(it) && self.classes.of(it) == Class::Product;
        let (Some(record), true) =
            (&square.result.record, self.changed(delivered).iter().any(is_changed))
        else {
            return Ok(BTreeMap::new());
        };
        let places: BTreeSet<&str> = record.tests.keys().map(|it| it.place.as_str()).collect();
        let is_kept = |it: &&str| is_python(it) && self.base.agrees_with(delivered, it);
        let paths = places.into_iter().filter(is_kept).take(KEPT);
        Ok(delivered.texts(&self.git, self.clone, paths, SOURCE)?)
    }

    /// The base, with test files in other words; none if it cannot be run.
    fn reworded_base(
        &mut self,
        texts: &BTreeMap<String, String>,
    ) -> Result<Option<Corner>, StoryError> {
        let (base, files) = (self.clone.base.clone(), self.base.clone());
        self.reworded((&base, &files), texts, Rewording::Values)
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

    /// A version with test files in other words; none if nothing can be said in others, or it cannot
    /// be run.
    fn reworded(
        &mut self,
        (version, files): (&ObjectId, &TreeFiles),
        texts: &BTreeMap<String, String>,
        rewording: Rewording,
    ) -> Result<Option<Corner>, StoryError> {
        let reworded = |(path, text): (&String, &String)| {
            Some(edit(files, path, plant::reworded(path, text, rewording)?))
        };
        let edits: Vec<Edit> = texts.iter().filter_map(reworded).collect();
        if edits.is_empty() {
            return Ok(None);
        }
        let identity = Engine::identity();
        let commit = compose::compose(&self.git, self.clone, version, &edits, &identity)?;
        let ran = self.run(ProofCorner::Reworded, &commit)?;
        // A checkout that cannot be prepared says nothing.
        if self.not_ready.take().is_some() {
            return Ok(None);
        }
        Ok(Some(ran.corner))
    }
}
