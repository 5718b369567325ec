//! Patterns in the table: regular expressions, and names of files.

use std::{fmt, ops::Deref, sync::OnceLock};

use regex::Regex;
use serde::{Deserialize, Deserializer};

/// A regular expression that is compiled when it is first used. Without one nothing matches.
pub struct Pattern {
    text: String,
    compiled: OnceLock<Regex>,
}

/// A file at any depth: a name with `*`, a path, or, with a slash at its end, a folder.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub struct FilePattern(String);

impl Pattern {
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Default for Pattern {
    fn default() -> Self {
        Self { text: r"^\b$.".to_owned(), compiled: OnceLock::new() }
    }
}

impl Deref for Pattern {
    type Target = Regex;

    #[expect(clippy::expect_used, reason = "a test compiles every pattern of the table")]
    fn deref(&self) -> &Regex {
        self.compiled.get_or_init(|| Regex::new(&self.text).expect("a pattern of the table"))
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self { text, compiled: OnceLock::new() })
    }
}

impl FilePattern {
    pub fn new(pattern: &str) -> Self {
        Self(pattern.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a path of the repository is meant.
    pub fn matches(&self, path: &str) -> bool {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some(folder) = self.0.strip_suffix('/') {
            return folders.split('/').any(|it| is_like(folder, it));
        }
        match self.0.rsplit_once('/') {
            Some(_) => {
                path.strip_suffix(&self.0).is_some_and(|it| it.is_empty() || it.ends_with('/'))
            }
            None => is_like(&self.0, name),
        }
    }
}

/// Whether a name matches a pattern in which `*` stands for any characters.
pub fn is_like(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.filter_map(|at| name.get(at..)).any(|it| is_like(rest, it))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: bool) {
        assert_eq!(FilePattern(pattern.to_owned()).matches(path), expected, "{pattern} {path}");
    }

    #[test]
    fn a_file_is_meant_at_any_depth() {
        for path in ["a.ini", "x/y/a.ini"] {
            check("a.ini", path, true);
        }
        check("a.ini", "ba.ini", false);
        check("test_*.py", "x/test_.py", true);
        check("test_*.py", "test_a/x.py", false);
        check("*.test.*", "a.test.ts", true);
        check("*.test.*", "a.test", false);
        check("*", "anything", true);
        check("tests/", "x/tests/y/z", true);
        check("tests/", "x/tests", false);
        check(".cargo/config.toml", "x/.cargo/config.toml", true);
        check(".cargo/config.toml", "x.cargo/config.toml", false);
    }

    #[test]
    fn a_pattern_that_is_left_out_matches_nothing() {
        for text in ["", "a", "a b\n"] {
            assert!(!Pattern::default().is_match(text), "{text:?}");
        }
    }
}
