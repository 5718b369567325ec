//! Which tests a run has run, from what the hooks of the runners left.
//!
//! Each file of a record is named for its format: `.xml` is that of `JUnit`, `.jsonl` that of our own reporters,
//! `.libtest` and `.gotest` what a test binary printed.

mod go;
mod junit;
mod libtest;
mod lines;

use std::collections::BTreeMap;

pub use provost_kernel::task::{TestName, TestOutcome};

/// The tests of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestRecord {
    pub tests: BTreeMap<TestName, TestOutcome>,
    /// Runners that started and did not say that they finished.
    pub unfinished: u32,
}

/// One file of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedFile {
    pub name: String,
    pub text: String,
}

impl TestRecord {
    /// Reads what the hooks left; none if no hook was reached.
    pub fn read(files: &[RecordedFile]) -> Option<Self> {
        let mut record = Self::default();
        let mut is_known = false;
        for file in files {
            let extension = file.name.rsplit('.').next().unwrap_or_default();
            let read = match extension {
                "xml" => junit::read,
                "jsonl" => lines::read,
                "libtest" => libtest::read,
                "gotest" => go::read,
                _ => continue,
            };
            is_known = true;
            read(&file.text, &mut record);
        }
        is_known.then_some(record)
    }

    /// How many tests ended in this way.
    pub fn count(&self, outcome: TestOutcome) -> u32 {
        let n = self.tests.values().filter(|it| **it == outcome).count();
        u32::try_from(n).unwrap_or(u32::MAX)
    }

    /// The tests that ended in this way.
    pub fn ended(&self, outcome: TestOutcome) -> impl Iterator<Item = &TestName> {
        self.tests.iter().filter(move |it| *it.1 == outcome).map(|it| it.0)
    }

    pub fn outcome(&self, name: &TestName) -> Option<TestOutcome> {
        self.tests.get(name).copied()
    }

    fn add(&mut self, name: TestName, outcome: TestOutcome) {
        let known = self.tests.entry(name).or_insert(outcome);
        *known = outcome.max(*known);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// What a file of a record is read as, one line for each test.
    #[track_caller]
    pub(crate) fn check(name: &str, text: &str, expected: &[&str], unfinished: u32) {
        let file = RecordedFile { name: name.to_owned(), text: text.to_owned() };
        let record = TestRecord::read(&[file]).unwrap();
        let lines: Vec<String> =
            record.tests.iter().map(|(name, it)| format!("{name} {it:?}")).collect();
        assert_eq!(lines, expected, "{text}");
        assert_eq!(record.unfinished, unfinished, "{text}");
    }

    #[test]
    fn a_folder_without_records_says_nothing() {
        assert_eq!(TestRecord::read(&[]), None);
        let note = RecordedFile { name: "core".to_owned(), text: String::new() };
        assert_eq!(TestRecord::read(&[note]), None);
    }
}
