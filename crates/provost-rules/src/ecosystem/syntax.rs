//! What tests look like in a language: enough to compare two versions of a file line by line.

use serde::Deserialize;

use super::{FilePattern, Pattern};

/// How tests are written. The patterns see one trimmed line without its comment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestSyntax {
    /// Where runners look for tests.
    pub files: Vec<FilePattern>,
    /// Tests stand beside the code, so that what is not in a test is the product.
    #[serde(default)]
    pub beside_code: bool,
    /// A file without a named test is one test.
    #[serde(default)]
    pub whole_file: bool,
    pub line_comment: String,
    /// How a comment of several lines starts and ends.
    #[serde(default)]
    pub block_comments: Vec<(String, String)>,
    /// A line that belongs to the header below it.
    #[serde(default)]
    pub attribute: Pattern,
    /// The header of a test; its last group is the name.
    #[serde(default)]
    pub test: Pattern,
    /// The header of a group of tests.
    #[serde(default)]
    pub group: Pattern,
    /// The header of any function.
    #[serde(default)]
    pub function: Pattern,
    /// An attribute that makes the function below it a test.
    #[serde(default)]
    pub mark: Pattern,
    /// The test never runs.
    pub skipped: Pattern,
    /// The test runs under a condition, or may fail.
    #[serde(default)]
    pub conditional: Pattern,
    /// No other test runs.
    #[serde(default)]
    pub focused: Pattern,
    pub assertion: Pattern,
    /// An assertion that always holds.
    #[serde(default)]
    pub vacuous: Pattern,
    /// The two sides of an assertion, which must not be the same text.
    #[serde(default)]
    pub sides: Pattern,
    /// An assertion that almost everything satisfies.
    #[serde(default)]
    pub weak: Pattern,
    /// A test over several cases.
    #[serde(default)]
    pub table: Pattern,
}

impl TestSyntax {
    /// Whether a runner looks for tests in this file.
    pub fn is_test_file(&self, path: &str) -> bool {
        self.files.iter().any(|it| it.matches(path))
    }

    /// Whether a line holds an assertion that always holds.
    pub fn is_vacuous(&self, line: &str) -> bool {
        self.vacuous.is_match(line)
            || self.sides.captures(line).is_some_and(|it| {
                let mut sides = it.iter().skip(1).flatten().map(|it| it.as_str().trim());
                sides.next().is_some_and(|left| sides.next() == Some(left))
            })
    }

    /// How many assertions a line holds.
    pub fn assertions(&self, line: &str) -> usize {
        self.assertion.find_iter(line).count()
    }
}
