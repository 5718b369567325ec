//! The result without one of its parts, or with an error in one: do the tests notice?

use provost_exec::git::{
    ObjectId,
    compose::{self, Edit, Replacement},
    tree::TreeFiles,
};
use provost_kernel::task::{ProofCode, ProofCorner, ProofFinding};
use provost_rules_proof::{
    aware::aware,
    class::{Class, is_plain_data},
    mixed,
    probe::{self, ChangedFile},
    support::changed_assertions,
};

use super::Prover;
use crate::{Engine, story::StoryError};

/// The largest source that is changed.
const SOURCE: u64 = 1 << 20;

impl Prover<'_> {
    /// Takes back each changed file of the product, and makes errors in changed lines.
    pub(super) fn probe(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
    ) -> Result<Vec<ProofFinding>, StoryError> {
        let files = self.changed_product(delivered)?;
        let mut findings = Vec::new();
        let mut unnoticed = Vec::new();
        for file in probe::reverts(&files) {
            let content = match &file.before {
                Some(text) => self.reverted(file, text, delivered),
                None => Replacement::Absent,
            };
            if self.is_green_with(ProofCorner::Reverted, result, &file.path, content)? {
                unnoticed.push(file.path.clone());
            }
        }
        if !unnoticed.is_empty() {
            findings.push(ProofFinding::new(ProofCode::ChangeUnnoticed, unnoticed));
        }
        let mut alive = Vec::new();
        let mutants = probe::changed_mutants(&files);
        if mutants.is_empty() && !probe::reverts(&files).is_empty() {
            findings.push(ProofFinding::whole(ProofCode::NoMutants));
        }
        for (path, mutant) in mutants {
            let place = format!("{path}:{}", mutant.line);
            let content = Replacement::Text { text: mutant.text, is_executable: false };
            // One that is noticed is enough: the tests look at the change.
            if !self.is_green_with(ProofCorner::Mutated, result, path, content)? {
                return Ok(findings);
            }
            alive.push(place);
        }
        if !alive.is_empty() {
            findings.push(ProofFinding::new(ProofCode::MutantsLive, alive));
        }
        Ok(findings)
    }

    /// What makes a test that is red without the work show nothing: the work is comments.
    pub(super) fn comments(
        &self,
        delivered: &TreeFiles,
    ) -> Result<Option<ProofFinding>, StoryError> {
        let mut files = self.changed_product(delivered)?;
        for file in files.iter_mut().filter(|it| self.inline.contains(&it.path)) {
            if let (Some(before), Some(after)) = (&file.before, &file.after) {
                file.before = Some(mixed::rust::with_test_modules(before, after));
            }
        }
        let found = probe::comments_only(&files);
        Ok(found.map(|it| ProofFinding::new(ProofCode::CommentsOnly, it)))
    }

    /// Says so where nothing of the product was changed but data that the base has, too: a test may
    /// compare the product with it, whatever its folder is called.
    pub(super) fn data(&self, delivered: &TreeFiles) -> Option<ProofFinding> {
        let mut product = self.changed(delivered);
        product.retain(|it| self.classes.of(it) == Class::Product);
        let is_changed = product.iter().any(|it| self.base.entry(it).is_some());
        let is_data = is_changed && product.iter().all(|it| is_plain_data(it));
        is_data.then(|| ProofFinding::new(ProofCode::DataOnly, product))
    }

    /// Names changed code of the product that a person should look at: it can tell whether it is being
    /// tested, or asserted what tests rely on.
    pub(super) fn doubts(&self, delivered: &TreeFiles) -> Result<Vec<ProofFinding>, StoryError> {
        let mut files = self.changed_product(delivered)?;
        let aware = (ProofCode::TestAware, aware(&files));
        files.retain(|it| !self.inline.contains(&it.path));
        let changed = (ProofCode::AssertionsChanged, changed_assertions(&files));
        let found = [aware, changed].into_iter().filter(|it| !it.1.is_empty());
        Ok(found.map(|(code, subjects)| ProofFinding::new(code, subjects)).collect())
    }

    /// The file of the base, with the tests of the result where it holds some.
    fn reverted(&self, file: &ChangedFile, text: &str, delivered: &TreeFiles) -> Replacement {
        let whole = match &file.after {
            Some(after) if self.inline.contains(&file.path) => {
                mixed::rust::with_test_modules(text, after)
            }
            Some(_) | None => text.to_owned(),
        };
        let entry = delivered.entry(&file.path).or_else(|| self.base.entry(&file.path));
        let is_executable = entry.is_some_and(|it| it.0 == provost_exec::git::Kind::Executable);
        Replacement::Text { text: whole, is_executable }
    }

    fn changed_product(&self, delivered: &TreeFiles) -> Result<Vec<ChangedFile>, StoryError> {
        let mut paths = self.changed(delivered);
        paths.retain(|it| self.classes.of(it) == Class::Product);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut before = self.base.texts(&self.git, self.clone, paths.iter().copied(), SOURCE)?;
        let mut after = delivered.texts(&self.git, self.clone, paths.iter().copied(), SOURCE)?;
        let file = |path: &&str| ChangedFile {
            path: (*path).to_owned(),
            before: before.remove(*path),
            after: after.remove(*path),
        };
        Ok(paths.iter().map(file).collect())
    }

    /// Whether the command succeeds on the result with another content of one file.
    fn is_green_with(
        &mut self,
        corner: ProofCorner,
        result: &ObjectId,
        path: &str,
        content: Replacement,
    ) -> Result<bool, StoryError> {
        let edits = [Edit { path: path.to_owned(), content }];
        let identity = Engine::identity();
        let commit = compose::compose(&self.git, self.clone, result, &edits, &identity)?;
        let ran = self.run(corner, &commit)?;
        // What cannot be prepared without the change has noticed it.
        Ok(self.not_ready.take().is_none() && ran.corner.rc == 0)
    }
}
