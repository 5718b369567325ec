//! Finds the test code in a source file.
//!
//! It reads lines as rustfmt writes them (a function ends at a brace that is indented like its
//! first line), which is enough here and needs no parser of the whole language.

use std::collections::BTreeMap;

use super::modules;
use crate::project::File;

/// The test code of the project.
#[derive(Debug)]
pub(super) struct TestCode<'a> {
    files: &'a [File],
    texts: BTreeMap<&'a str, &'a str>,
}

/// A test function, with its comments and attributes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestFunction<'a> {
    pub(super) file: &'a str,
    pub(super) name: &'a str,
    pub(super) text: String,
}

impl<'a> TestCode<'a> {
    pub(super) fn new(files: &'a [File]) -> Self {
        Self { files, texts: modules::texts(files) }
    }

    /// Every test function of the project.
    pub(super) fn functions(&self) -> Vec<TestFunction<'a>> {
        let mut functions = Vec::new();
        for file in self.files.iter().filter(|it| it.is_rust()) {
            let lines: Vec<&str> = file.text.lines().collect();
            let tests = self.start(file)..lines.len();
            functions.extend(tests.filter_map(|at| function(file, &lines, at)));
        }
        for file in self.files.iter().filter(|it| it.path.ends_with(".spec.js")) {
            let lines: Vec<&str> = file.text.lines().collect();
            functions.extend((0..lines.len()).filter_map(|at| page_test(file, &lines, at)));
        }
        functions
    }

    /// The line, from 0, at which the tests of a file begin: its end when it has none.
    pub(super) fn start(&self, file: &File) -> usize {
        if self.is_whole(&file.path) {
            return 0;
        }
        let lines: Vec<&str> = file.text.lines().collect();
        let begins_here = |at: usize| {
            lines[at] == "#[cfg(test)]"
                && lines[at + 1..]
                    .iter()
                    .find(|it| !it.starts_with("#["))
                    .is_some_and(|it| it.starts_with("mod ") && it.ends_with('{'))
        };
        (0..lines.len()).find(|&at| begins_here(at)).unwrap_or(lines.len())
    }

    /// Whether the whole file is test code: by its place, or because the file above declares it
    /// for tests only or is test code itself.
    fn is_whole(&self, path: &str) -> bool {
        if path.split('/').any(|it| it == "tests") {
            return true;
        }
        let Some((module, parents)) = modules::parents(path) else {
            return false;
        };
        parents.iter().any(|parent| {
            self.texts.get(parent.as_str()).is_some_and(|text| {
                modules::declaration(text, module)
                    .is_some_and(|it| it == modules::Purpose::Tests || self.is_whole(parent))
            })
        })
    }
}

/// The test function whose `#[test]` stands on line `at`.
fn function<'a>(file: &'a File, lines: &[&'a str], at: usize) -> Option<TestFunction<'a>> {
    let attribute = lines[at].trim();
    if attribute != "#[test]" && !attribute.ends_with("::test]") {
        return None;
    }
    let is_leading = |line: &str| {
        let line = line.trim();
        line.starts_with("//") || !(line.is_empty() || line.ends_with(['{', '}', ';']))
    };
    let first = (0..at).rev().take_while(|&it| is_leading(lines[it])).last().unwrap_or(at);
    let signature = (at..lines.len()).find(|&it| name(lines[it]).is_some())?;
    let indent = lines[signature].len() - lines[signature].trim_start().len();
    let closes = |line: &str| line.trim_end().len() == indent + 1 && line.trim_end().ends_with('}');
    let last = if lines[signature].ends_with('}') {
        signature
    } else {
        (signature..lines.len()).find(|&it| closes(lines[it])).unwrap_or(lines.len() - 1)
    };
    Some(TestFunction {
        file: &file.path,
        name: name(lines[signature])?,
        text: lines[first..=last].join("\n"),
    })
}

/// The test of the page whose title stands on line `at`, with the comment above it.
fn page_test<'a>(file: &'a File, lines: &[&'a str], at: usize) -> Option<TestFunction<'a>> {
    let name = lines[at].strip_prefix("test('")?.split('\'').next()?;
    let is_comment = |it: &usize| lines[*it].starts_with("//");
    let first = (0..at).rev().take_while(is_comment).last().unwrap_or(at);
    Some(TestFunction { file: &file.path, name, text: lines[first..=at].join("\n") })
}

fn name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::{super::file, *};

    const SOURCE: &str = r"
#[cfg(test)]
use std::fmt;

/// LOOP-A1 in code is no test.
fn product() {}

#[cfg(test)]
mod tests {
    fn helper() {}
    /// First line;
    #[test]
    #[cfg(unix)]
    fn one_line() {}

    proptest! {
        /// Doc of the second.
        #[test]
        fn with_a_body(value in any::<u8>()) {
            if value == 0 {
                return;
            }
            // The last comment.
        }
    }

    // Between.
    fn after() {}
}
";

    #[test]
    fn a_test_of_the_page_has_its_title_and_its_comment() {
        let text = "const a = 1;\n// LOOP-U8: first,\n// second.\ntest('304 is empty', async () => {\n});\n";
        let files = [file("e2e/a.spec.js", text), file("e2e/world.js", "test('no', 1);\n")];
        let found = TestCode::new(&files).functions();
        let text = "// LOOP-U8: first,\n// second.\ntest('304 is empty', async () => {".to_owned();
        assert_eq!(found, [TestFunction { file: "e2e/a.spec.js", name: "304 is empty", text }]);
    }

    #[test]
    fn a_test_has_its_comments_and_its_body() {
        let files = [file("crates/a/src/x.rs", SOURCE)];
        let found = TestCode::new(&files).functions();
        let names: Vec<&str> = found.iter().map(|it| it.name).collect();
        assert_eq!(names, ["one_line", "with_a_body"]);

        assert!(found[0].text.trim_start().starts_with("/// First line;"), "{}", found[0].text);
        assert!(found[0].text.ends_with("fn one_line() {}"));
        assert!(!found[0].text.contains("helper"));
        assert!(found[1].text.contains("Doc of the second"));
        assert!(found[1].text.contains("The last comment"));
        assert!(!found[1].text.contains("Between"));
    }

    #[track_caller]
    fn check_start(path: &str, text: &str, expected: usize) {
        let files = [file(path, text)];
        assert_eq!(TestCode::new(&files).start(&files[0]), expected, "{path}");
    }

    #[test]
    fn tests_begin_at_their_module() {
        check_start("crates/a/src/x.rs", SOURCE, 7);
        check_start("crates/a/src/x.rs", "fn a() {}\nfn b() {}\n", 2);
        check_start("crates/a/src/x.rs", "fn a() {}\n#[cfg(test)]\nmod tests;\n", 3);
        check_start("crates/a/src/x.rs", "#[cfg(test)]\n#[expect(x)]\nmod tests {\n}\n", 0);
        check_start("crates/a/tests/it/x.rs", "fn a() {}\n", 0);
    }
    #[test]
    fn a_module_that_is_declared_for_tests_is_test_code() {
        let files = [
            file("crates/a/src/lib.rs", "mod part;\n#[cfg(test)]\nmod crash;\n"),
            file("crates/a/src/part.rs", "\n#[cfg(all(test, unix))]\n#[expect(x)]\nmod tests;\n"),
            file("crates/a/src/part/tests.rs", "\n"),
            file("crates/a/src/crash.rs", "mod deep;\n"),
            file("crates/a/src/crash/deep.rs", "\n"),
        ];
        let code = TestCode::new(&files);
        let starts: Vec<usize> = files.iter().map(|it| code.start(it)).collect();
        assert_eq!(starts, [3, 4, 0, 0, 0]);
    }
}
