//! Trees that never were: the product of one version with the tests of another.

use std::collections::{BTreeMap, BTreeSet};

use provost_exec::git::{
    Kind, ObjectId, PrivateClone,
    compose::{self, Edit, Replacement},
    tree::TreeFiles,
};
use provost_rules_proof::{
    class::{Class, Classes},
    mixed,
};

use super::Prover;
use crate::{Engine, story::StoryError};

/// The largest file of which a part is exchanged.
const MIXED: u64 = 4 << 20;

/// A delivery without what only looks like it: compiled files that the base does not have.
pub(crate) struct Sources {
    pub(crate) commit: ObjectId,
    /// What was left out.
    pub(crate) left_out: Vec<String>,
}

/// Leaves out compiled files of the agent: they would be run in place of their sources.
pub(crate) fn without_artefacts(
    engine: &Engine<'_>,
    clone: &PrivateClone,
    result: &ObjectId,
) -> Result<Sources, StoryError> {
    let git = engine.git();
    let settings = engine.settings;
    let classes = Classes::default().configured(&settings.proof_tests, &settings.proof_product);
    let delivered = TreeFiles::of(&git, clone, result)?;
    let mut compiled = delivered.paths().filter(|it| classes.of(it) == Class::Artefact).peekable();
    if compiled.peek().is_none() {
        return Ok(Sources { commit: result.clone(), left_out: Vec::new() });
    }
    let base = TreeFiles::of(&git, clone, &clone.base)?;
    let left_out: Vec<String> =
        compiled.filter(|it| !base.agrees_with(&delivered, it)).map(str::to_owned).collect();
    let edit = |path: &String| {
        let content = match base.entry(path) {
            Some((kind, id)) => Replacement::Object(kind, id.clone()),
            None => Replacement::Absent,
        };
        Edit { path: path.clone(), content }
    };
    let edits: Vec<Edit> = left_out.iter().map(edit).collect();
    let commit = if edits.is_empty() {
        result.clone()
    } else {
        compose::compose(&git, clone, result, &edits, &Engine::identity())?
    };
    Ok(Sources { commit, left_out })
}

impl Prover<'_> {
    /// The delivered product with these tests of the base.
    pub(super) fn old_tests(
        &self,
        result: &ObjectId,
        delivered: &TreeFiles,
        changed: &[String],
    ) -> Result<ObjectId, StoryError> {
        let taken: Vec<&String> = changed.iter().collect();
        self.exchange(result, delivered, &self.base, &taken)
    }

    /// The product of the base with the delivered tests.
    pub(super) fn old_product(
        &self,
        delivered: &TreeFiles,
        changed: &[String],
    ) -> Result<ObjectId, StoryError> {
        let taken: Vec<&String> = changed.iter().collect();
        self.exchange(&self.clone.base, &self.base, delivered, &taken)
    }

    /// A version with the tests of another.
    fn exchange(
        &self,
        onto: &ObjectId,
        product: &TreeFiles,
        tests: &TreeFiles,
        paths: &[&String],
    ) -> Result<ObjectId, StoryError> {
        let edits: Result<Vec<Edit>, StoryError> =
            paths.iter().map(|path| self.edit(path, product, tests)).collect();
        let identity = Engine::identity();
        Ok(compose::compose(&self.git, self.clone, onto, &edits?, &identity)?)
    }

    fn edit(&self, path: &str, product: &TreeFiles, tests: &TreeFiles) -> Result<Edit, StoryError> {
        let taken = match tests.entry(path) {
            Some((kind, id)) => Replacement::Object(kind, id.clone()),
            None => Replacement::Absent,
        };
        let content = match self.classes.of(path) {
            Class::Product if self.inline.contains(path) => {
                self.test_modules(path, product, tests)?
            }
            Class::Mixed => self.mixed(path, product, tests)?.unwrap_or(taken),
            Class::Test | Class::Configuration | Class::Product | Class::Artefact => taken,
        };
        Ok(Edit { path: path.to_owned(), content })
    }

    /// The product's part of one version with the tests' part of the other.
    fn mixed(
        &self,
        path: &str,
        product: &TreeFiles,
        tests: &TreeFiles,
    ) -> Result<Option<Replacement>, StoryError> {
        let Some(whole) = self.text(product, path)? else { return Ok(Some(Replacement::Absent)) };
        let mixed = mixed::with_tests_of(path, &whole, self.text(tests, path)?.as_deref());
        Ok(mixed.map(|text| Replacement::Text { text, is_executable: false }))
    }

    /// The same for a file of Rust that holds modules of tests.
    fn test_modules(
        &self,
        path: &str,
        product: &TreeFiles,
        tests: &TreeFiles,
    ) -> Result<Replacement, StoryError> {
        let Some(whole) = self.text(product, path)? else { return Ok(Replacement::Absent) };
        let tests = self.text(tests, path)?.unwrap_or_default();
        let text = mixed::rust::with_test_modules(&whole, &tests);
        let is_executable = product.entry(path).is_some_and(|it| it.0 == Kind::Executable);
        Ok(Replacement::Text { text, is_executable })
    }

    /// The files of the product whose modules of tests differ.
    pub(super) fn changed_test_modules(
        &self,
        product: &[String],
        delivered: &TreeFiles,
    ) -> Result<BTreeSet<String>, StoryError> {
        let is_rust = |it: &&String| it.rsplit_once('.').is_some_and(|it| it.1 == "rs");
        let rust: Vec<&str> = product.iter().filter(is_rust).map(String::as_str).collect();
        let texts = |files: &TreeFiles| -> Result<BTreeMap<String, String>, StoryError> {
            Ok(files.texts(&self.git, self.clone, rust.iter().copied(), MIXED)?)
        };
        let (before, after) = (texts(&self.base)?, texts(delivered)?);
        let modules = |texts: &BTreeMap<String, String>, path: &str| {
            texts.get(path).map(|it| mixed::rust::test_modules(it)).unwrap_or_default()
        };
        let differs = |path: &&str| modules(&before, path) != modules(&after, path);
        Ok(rust.iter().copied().filter(differs).map(str::to_owned).collect())
    }

    fn text(&self, files: &TreeFiles, path: &str) -> Result<Option<String>, StoryError> {
        let texts = files.texts(&self.git, self.clone, [path], MIXED)?;
        Ok(texts.into_values().next())
    }
}
