//! What the base of a change holds, and what its `.gitignore` and `.gitattributes` files say.
//!
//! Only the base is asked. What an agent writes into such a file takes effect for the next
//! change, once this one was reviewed.

use std::collections::{BTreeMap, BTreeSet};

use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use unicode_normalization::UnicodeNormalization as _;

/// The names of the files that say what is not a source.
pub const IGNORE_FILE: &str = ".gitignore";
pub const ATTRIBUTES_FILE: &str = ".gitattributes";

/// The attribute by which a repository calls a file generated.
const GENERATED: &str = "linguist-generated";

/// The files of the base and its rules.
#[derive(Clone, Debug, Default)]
pub struct BaseTree {
    /// By their normal form, in which two spellings of one name are the same.
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
    /// By the folder that each lies in; the root is empty.
    ignores: BTreeMap<String, Gitignore>,
    attributes: BTreeMap<String, Vec<AttributeLine>>,
}

/// One line of a `.gitattributes` file that speaks of generated files.
#[derive(Clone, Debug)]
struct AttributeLine {
    pattern: GlobMatcher,
    mark: Mark,
}

/// What a line makes of the files it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Generated,
    Source,
    /// Nothing: it takes back what another line says.
    Unspecified,
}

impl BaseTree {
    /// Reads the paths of the base, and the texts of its rule files by their paths.
    pub fn new<'a>(
        paths: impl IntoIterator<Item = &'a str>,
        rules: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut base = Self::default();
        for path in paths {
            let path = normal(path);
            for (at, _) in path.match_indices('/') {
                base.folders.extend(path.get(..at).map(str::to_owned));
            }
            base.files.insert(path);
        }
        for (path, text) in rules {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            match name {
                IGNORE_FILE => {
                    base.ignores.insert(folder.to_owned(), ignore_rules(text));
                }
                ATTRIBUTES_FILE => {
                    base.attributes.insert(folder.to_owned(), attribute_lines(text));
                }
                _ => {}
            }
        }
        base
    }

    /// Whether the base has a file here.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains(&normal(path))
    }

    /// Whether the base has anything below this folder.
    pub fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(&normal(path))
    }

    /// Every file, in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Whether the base leaves this file out. It says nothing about a file that it has.
    pub fn is_ignored(&self, path: &str) -> bool {
        if self.has_file(path) {
            return false;
        }
        // What lies in an ignored folder cannot be taken in again.
        let mut ends = path.match_indices('/').map(|(at, _)| at);
        ends.any(|at| path.get(..at).is_some_and(|it| self.ignores_alone(it, true)))
            || self.ignores_alone(path, false)
    }

    /// What the nearest rule file says of this path, whatever becomes of the folders above it.
    fn ignores_alone(&self, path: &str, is_folder: bool) -> bool {
        let found = around(path).find_map(|(folder, rest)| {
            let matched = self.ignores.get(folder)?.matched(rest, is_folder);
            (!matched.is_none()).then(|| matched.is_ignore())
        });
        found.unwrap_or(false)
    }

    /// Whether the base's attributes call this file generated, or say that it is not.
    pub fn is_generated(&self, path: &str) -> Option<bool> {
        around(path)
            .find_map(|(folder, rest)| {
                let lines = self.attributes.get(folder)?;
                lines.iter().rev().find(|it| it.pattern.is_match(rest))
            })
            .and_then(|line| match line.mark {
                Mark::Generated => Some(true),
                Mark::Source => Some(false),
                Mark::Unspecified => None,
            })
    }
}

/// The form of a path in which two spellings of one name are the same.
pub(super) fn normal(path: &str) -> String {
    path.nfc().collect()
}

/// The folders around a path, the nearest first, and the rest of the path below each.
fn around(path: &str) -> impl Iterator<Item = (&str, &str)> {
    path.rmatch_indices('/')
        .filter_map(|(at, _)| Some((path.get(..at)?, path.get(at + 1..)?)))
        .chain([("", path)])
}

fn ignore_rules(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        // An invalid pattern ignores nothing, so that more is counted.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn attribute_lines(text: &str) -> Vec<AttributeLine> {
    text.lines().filter_map(attribute_line).collect()
}

/// Reads one line; none if it says nothing about generated files.
fn attribute_line(line: &str) -> Option<AttributeLine> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|it| !it.starts_with(['#', '"', '[', '!']))?;
    let mark = words.filter_map(mark).next_back()?;
    Some(AttributeLine { pattern: attribute_pattern(pattern)?, mark })
}

/// What one word of a line says of generated files; none if it speaks of something else.
fn mark(word: &str) -> Option<Mark> {
    match word.strip_prefix(['-', '!']) {
        Some(GENERATED) if word.starts_with('-') => Some(Mark::Source),
        Some(GENERATED) => Some(Mark::Unspecified),
        Some(_) => None,
        None => match word.split_once('=').unwrap_or((word, "true")) {
            (GENERATED, "true" | "1") => Some(Mark::Generated),
            (GENERATED, _) => Some(Mark::Source),
            _ => None,
        },
    }
}

/// A pattern with a slash is one from its folder; one without matches a name at any depth.
fn attribute_pattern(pattern: &str) -> Option<GlobMatcher> {
    if pattern.ends_with('/') {
        return None;
    }
    let pattern = match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    };
    // Git knows no alternatives in braces.
    let pattern = pattern.replace('{', "[{]").replace('}', "[}]");
    let mut builder = GlobBuilder::new(&pattern);
    Some(builder.literal_separator(true).backslash_escape(true).build().ok()?.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_ignored(rules: &[(&str, &str)], path: &str, expected: bool) {
        let base = BaseTree::new(["tracked.log"], rules.iter().copied());
        assert_eq!(base.is_ignored(path), expected, "{rules:?} {path}");
    }

    #[test]
    fn the_ignore_files_of_the_base_are_read_as_git_reads_them() {
        let root = &[(".gitignore", "# x\n*.log\n/out\ntmp/\n!keep.log\r\n\n")];
        for (path, expected) in [
            ("a.log", true),
            ("deep/er/a.log", true),
            ("keep.log", false),
            ("deep/keep.log", false),
            ("out", true),
            ("out/x.rs", true),
            ("src/out/x.rs", false),
            ("tmp", false),
            ("tmp/x", true),
            ("src/tmp/x/y", true),
            ("tmp/keep.log", true),
            ("a.log.rs", false),
            ("tracked.log", false),
            ("src/main.rs", false),
        ] {
            check_ignored(root, path, expected);
        }
    }

    #[test]
    fn the_nearest_ignore_file_has_the_last_word() {
        let rules = &[(".gitignore", "*.gen\n"), ("sub/.gitignore", "!*.gen\n/only\n")];
        check_ignored(rules, "a.gen", true);
        check_ignored(rules, "sub/a.gen", false);
        check_ignored(rules, "sub/deep/a.gen", false);
        check_ignored(rules, "sub/only", true);
        check_ignored(rules, "only", false);
        let rules = &[(".gitignore", "sub/\n"), ("sub/.gitignore", "!*\n")];
        check_ignored(rules, "sub/a", true);
        check_ignored(&[("elsewhere/.gitignore", "*\n")], "a", false);
    }

    #[track_caller]
    fn check_generated(rules: &[(&str, &str)], path: &str, expected: Option<bool>) {
        let base = BaseTree::new([], rules.iter().copied());
        assert_eq!(base.is_generated(path), expected, "{rules:?} {path}");
    }

    #[test]
    fn the_attributes_of_the_base_say_what_is_generated() {
        for (line, path, expected) in [
            ("*.pb.go linguist-generated", "api/x.pb.go", Some(true)),
            ("*.pb.go linguist-generated=true", "x.pb.go", Some(true)),
            ("*.pb.go text linguist-generated=true eol=lf", "x.pb.go", Some(true)),
            ("*.pb.go -linguist-generated", "x.pb.go", Some(false)),
            ("*.pb.go linguist-generated=false", "x.pb.go", Some(false)),
            ("*.pb.go linguist-generated=maybe", "x.pb.go", Some(false)),
            ("*.pb.go !linguist-generated", "x.pb.go", None),
            ("*.pb.go linguist-vendored", "x.pb.go", None),
            ("*.pb.go", "x.pb.go", None),
            ("# *.pb.go linguist-generated", "x.pb.go", None),
            ("gen/** linguist-generated", "gen/a/b.ts", Some(true)),
            ("gen/** linguist-generated", "src/gen/b.ts", None),
            ("/x.ts linguist-generated", "x.ts", Some(true)),
            ("/x.ts linguist-generated", "a/x.ts", None),
            ("gen linguist-generated", "gen/x.ts", None),
            ("gen/ linguist-generated", "gen/x.ts", None),
            ("*.{a,b} linguist-generated", "x.a", None),
            ("[attr]made linguist-generated", "made", None),
            ("* linguist-generated\n*.rs -linguist-generated", "a.rs", Some(false)),
            ("*.rs -linguist-generated\n* linguist-generated", "a.rs", Some(true)),
            ("* linguist-generated\n*.rs !linguist-generated", "a.rs", None),
        ] {
            check_generated(&[(".gitattributes", line)], path, expected);
        }
        let rules = &[
            (".gitattributes", "*.ts linguist-generated\n"),
            ("src/.gitattributes", "a.ts -linguist-generated\n"),
        ];
        check_generated(rules, "src/a.ts", Some(false));
        check_generated(rules, "src/b.ts", Some(true));
        check_generated(rules, "a.ts", Some(true));
    }

    #[test]
    fn a_name_is_the_same_in_either_spelling() {
        let base = BaseTree::new(["caf\u{e9}/a.rs"], []);
        assert!(base.has_file("cafe\u{301}/a.rs"));
        assert!(base.has_folder("cafe\u{301}"));
        assert!(!base.has_folder("caf"));
        assert!(!base.has_folder("caf\u{e9}/a.rs"));
    }
}
