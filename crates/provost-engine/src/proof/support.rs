//! Changed files that count among the tests by what they hold, or by who reads them.

use std::collections::BTreeMap;

use provost_exec::git::tree::TreeFiles;
use provost_rules_proof::{
    class::{Class, is_plain_data},
    support::{bends_shell, imports_tests, is_read_by_tests_alone},
};

use super::{Prover, planted::SOURCE};
use crate::story::StoryError;

/// How many files are searched for the name of another one.
const SEARCHED: usize = 4000;

impl Prover<'_> {
    /// Counts changed files of the base among the tests if they import a library of tests, if only tests
    /// name their data, or if they bend the shell of a test that reads them.
    pub(super) fn find_support(&mut self, delivered: &TreeFiles) -> Result<(), StoryError> {
        let is_kept =
            |it: &String| self.classes.of(it) == Class::Product && self.base.entry(it).is_some();
        let changed: Vec<String> = self.changed(delivered).into_iter().filter(is_kept).collect();
        let paths = || changed.iter().map(String::as_str);
        let before = self.base.texts(&self.git, self.clone, paths(), SOURCE)?;
        let after = delivered.texts(&self.git, self.clone, paths(), SOURCE)?;
        let now = |path: &str| after.get(path).map(String::as_str).unwrap_or_default();
        let mut support: Vec<String> = before
            .iter()
            .filter(|(path, text)| {
                let is_bent = self.classes.sources(path) && bends_shell(text, now(path));
                is_bent || imports_tests(path, text)
            })
            .map(|it| it.0.clone())
            .collect();
        let data: Vec<&String> = changed.iter().filter(|it| is_plain_data(it)).collect();
        if !data.is_empty()
            && let Some([tests, product]) = self.sources()?
        {
            let is_theirs =
                |it: &&&String| is_read_by_tests_alone(it, tests.values(), product.values());
            support.extend(data.iter().filter(is_theirs).map(|it| (*it).clone()));
        }
        self.classes.add_support(support);
        Ok(())
    }

    /// The code of the base: of its tests, and of its product; none where there is too much of it.
    fn sources(&self) -> Result<Option<[BTreeMap<String, String>; 2]>, StoryError> {
        let code: Vec<&str> = self.base.plain().filter(|it| !is_plain_data(it)).collect();
        if code.len() > SEARCHED {
            return Ok(None);
        }
        let (tests, product): (Vec<&str>, Vec<&str>) =
            code.into_iter().partition(|it| self.classes.is_tests(it));
        let texts = |paths: Vec<&str>| self.base.texts(&self.git, self.clone, paths, SOURCE);
        Ok(Some([texts(tests)?, texts(product)?]))
    }
}
