//! Trees that never were: the product of one version with the tests of another.

use provost_exec::git::{
    ObjectId,
    compose::{self, Edit, Replacement},
    tree::TreeFiles,
};
use provost_rules_proof::{class::Class, mixed};

use super::Prover;
use crate::{Engine, EngineError};

/// The largest file of which a part is exchanged.
const MIXED: u64 = 4 << 20;

impl Prover<'_> {
    /// The delivered product with the tests of the base; files with leave keep the delivered tests.
    pub(super) fn old_tests(
        &self,
        result: &ObjectId,
        delivered: &TreeFiles,
        changed: &[String],
        leave: &[String],
    ) -> Result<ObjectId, EngineError> {
        let taken: Vec<&String> = changed.iter().filter(|it| !leave.contains(it)).collect();
        self.exchange(result, delivered, &self.base, &taken)
    }

    /// The product of the base with the delivered tests.
    pub(super) fn old_product(
        &self,
        delivered: &TreeFiles,
        changed: &[String],
    ) -> Result<ObjectId, EngineError> {
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
    ) -> Result<ObjectId, EngineError> {
        let edits: Result<Vec<Edit>, EngineError> =
            paths.iter().map(|path| self.edit(path, product, tests)).collect();
        let identity = Engine::identity();
        Ok(compose::compose(&self.git, self.clone, onto, &edits?, &identity)?)
    }

    fn edit(
        &self,
        path: &str,
        product: &TreeFiles,
        tests: &TreeFiles,
    ) -> Result<Edit, EngineError> {
        let taken = match tests.entry(path) {
            Some((kind, id)) => Replacement::Object(kind, id.clone()),
            None => Replacement::Absent,
        };
        let content = match self.classes.of(path) {
            Class::Mixed => self.mixed(path, product, tests)?.unwrap_or(taken),
            // Compiled files of the agent are in no corner.
            Class::Artefact => match self.base.entry(path) {
                Some((kind, id)) => Replacement::Object(kind, id.clone()),
                None => Replacement::Absent,
            },
            Class::Test | Class::Configuration | Class::Product => taken,
        };
        Ok(Edit { path: path.to_owned(), content })
    }

    /// The product's part of one version with the tests' part of the other.
    fn mixed(
        &self,
        path: &str,
        product: &TreeFiles,
        tests: &TreeFiles,
    ) -> Result<Option<Replacement>, EngineError> {
        let text = |files: &TreeFiles| -> Result<Option<String>, EngineError> {
            let texts = files.texts(&self.git, self.clone, [path], MIXED)?;
            Ok(texts.into_values().next())
        };
        let Some(whole) = text(product)? else { return Ok(Some(Replacement::Absent)) };
        let mixed = mixed::with_tests_of(path, &whole, text(tests)?.as_deref());
        Ok(mixed.map(|text| Replacement::Text { text, is_executable: false }))
    }
}
