//! Strict probes: whether the tests notice each changed part of the product.

use std::{collections::BTreeMap, ops::RangeInclusive};

use crate::plant::{
    Mutant,
    language::Language,
    mutants,
    tree::{Source, parse, tokens},
    value_mutants,
};

/// How many changed files are taken back one by one.
const REVERTS: usize = 8;
/// Comments that compilers and interpreters obey.
const DIRECTIVES: [&str; 8] =
    ["//go:", "// +build", "//export ", "#!", "coding", "@jsx", "@ts-", "# type:"];
/// How many mutants are run in all.
const MUTANTS: usize = 12;

/// A changed file of the product, before and after; none where it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// The changed files that are worth taking back: code whose change is more than comments and white
/// space. What is no code, such as documents and data, no test has to notice.
pub fn reverts(files: &[ChangedFile]) -> Vec<&ChangedFile> {
    let is_code = |it: &&ChangedFile| match (&it.before, &it.after) {
        (Some(before), Some(after)) => code(&it.path, before) != code(&it.path, after),
        (None, Some(text)) | (Some(text), None) => {
            code(&it.path, text).is_some_and(|it| !it.is_empty())
        }
        (None, None) => false,
    };
    let known = files.iter().filter(|it| Language::of(&it.path).is_some());
    known.filter(is_code).take(REVERTS).collect()
}

/// The changed sources, if the change of the product is nothing but comments and white space in them,
/// and documents beside them: no behaviour can have made a test green. Data may be the product's.
pub fn comments_only(files: &[ChangedFile]) -> Option<Vec<String>> {
    let (sources, others): (Vec<&ChangedFile>, Vec<&ChangedFile>) =
        files.iter().partition(|it| Language::of(&it.path).is_some());
    let is_document = |it: &&ChangedFile| {
        let name = it.path.to_lowercase();
        [".md", ".rst", ".adoc", ".txt"].iter().any(|ending| name.ends_with(ending))
    };
    let is_same = |it: &&ChangedFile| match (&it.before, &it.after) {
        (Some(before), Some(after)) => {
            code(&it.path, before).is_some_and(|was| code(&it.path, after) == Some(was))
                && !has_directive(before, after)
                && !has_directive(after, before)
        }
        (None, _) | (_, None) => false,
    };
    let is_only = others.iter().all(is_document) && sources.iter().all(is_same);
    let paths = || sources.iter().map(|it| it.path.clone()).collect();
    (is_only && !sources.is_empty()).then(paths)
}

/// Whether a line that another version does not have is obeyed although it is a comment.
fn has_directive(before: &str, after: &str) -> bool {
    let changed = changed_lines(before, after);
    let lines = after.lines().zip(1_u32..).filter(|(_, n)| changed.iter().any(|it| it.contains(n)));
    lines.into_iter().any(|(line, _)| DIRECTIVES.iter().any(|it| line.contains(it)))
}

/// Mutants of the changed lines, file by file in turn: of their operators, else of what they return.
pub fn changed_mutants(files: &[ChangedFile]) -> Vec<(&str, Mutant)> {
    let found = in_turn(files, mutants);
    if found.is_empty() { in_turn(files, value_mutants) } else { found }
}

fn in_turn(
    files: &[ChangedFile],
    mutants: fn(&str, &str, &[RangeInclusive<u32>]) -> Vec<Mutant>,
) -> Vec<(&str, Mutant)> {
    let of_file = |it: &'_ ChangedFile| -> Vec<Mutant> {
        let after = it.after.as_deref().unwrap_or_default();
        let lines = changed_lines(it.before.as_deref().unwrap_or_default(), after);
        mutants(&it.path, after, &lines)
    };
    let found: Vec<(&str, Vec<Mutant>)> =
        files.iter().map(|it| (it.path.as_str(), of_file(it))).collect();
    let most = found.iter().map(|it| it.1.len()).max().unwrap_or(0);
    let turns = (0..most).flat_map(|turn| {
        found.iter().filter_map(move |(path, mutants)| Some((*path, mutants.get(turn)?.clone())))
    });
    turns.take(MUTANTS).collect()
}

/// The lines of a text that another version of it does not have, from 1. A line that occurs several
/// times counts as changed for every time that it occurs more often.
pub(crate) fn changed_lines(before: &str, after: &str) -> Vec<RangeInclusive<u32>> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for line in before.lines() {
        *known.entry(line.trim()).or_default() += 1;
    }
    let mut changed = Vec::new();
    for (line, number) in after.lines().zip(1_u32..) {
        match known.get_mut(line.trim()) {
            Some(left) if *left > 0 => *left -= 1,
            Some(_) | None => changed.push(number..=number),
        }
    }
    changed
}

/// The tokens of a file without its comments; none for a language that is not known.
fn code(path: &str, text: &str) -> Option<Vec<String>> {
    let tree = parse(Language::of(path)?, text)?;
    Some(tokens(Source { text, root: tree.root_node() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, before: Option<&str>, after: Option<&str>) -> ChangedFile {
        let own = |it: Option<&str>| it.map(str::to_owned);
        ChangedFile { path: path.to_owned(), before: own(before), after: own(after) }
    }

    #[test]
    fn only_changed_code_is_taken_back() {
        let check = |path, before, after, expected: bool| {
            let files = [file(path, before, after)];
            assert_eq!(reverts(&files).len(), usize::from(expected), "{path} {before:?} {after:?}");
        };
        check("a.py", Some("x = 1\n"), Some("x = 2\n"), true);
        check("a.py", Some("x = 1\n"), Some("# why\nx = 1  # so\n"), false);
        check("a.rs", Some("fn a() {}"), Some("/// Does it.\nfn a() { }\n"), false);
        check("a.go", None, Some("package a\n"), true);
        check("a/__init__.py", None, Some(""), false);
        check("a.ts", Some("let a = 1"), None, true);
        check("README.md", Some("a"), Some("b"), false);
        check("data.json", Some("1"), Some("2"), false);
        let many: Vec<_> = (0..9).map(|it| file(&format!("{it}.py"), None, Some("a"))).collect();
        assert_eq!(reverts(&many).len(), REVERTS);
    }

    #[test]
    fn a_change_of_comments_is_known() {
        let check = |files: &[ChangedFile], expected: Option<&[&str]>| {
            let found = comments_only(files);
            let found: Option<Vec<&str>> =
                found.as_ref().map(|it| it.iter().map(String::as_str).collect());
            assert_eq!(found.as_deref(), expected, "{files:?}");
        };
        let comment = || file("a.py", Some("x = 1\n"), Some("# why\nx = 1\n"));
        let document = || file("README.md", Some("a"), Some("b"));
        check(&[comment()], Some(&["a.py"]));
        check(&[comment(), document()], Some(&["a.py"]));
        check(&[file("a.js", Some("f()"), Some("/* so */ f();"))], None);
        check(&[file("a.go", Some("package a\n"), Some("// A.\npackage a\n"))], Some(&["a.go"]));
        check(&[comment(), file("b.py", Some("x = 1\n"), Some("x = 2\n"))], None);
        check(&[comment(), file("b.json", Some("1"), Some("2"))], None);
        check(&[comment(), file("b.py", None, Some("# new\n"))], None);
        check(&[comment(), file("b.py", Some("# old\n"), None)], None);
        check(&[file("a.go", Some("package a\n"), Some("//go:build x\npackage a\n"))], None);
        check(&[file("a.go", Some("//go:embed x\nvar a int\n"), Some("var a int\n"))], None);
        check(&[document()], None);
        check(&[], None);
    }

    #[test]
    fn mutants_are_of_changed_lines_in_turn() {
        let before = "def f(a):\n    return a + 1\n";
        let after = "def f(a):\n    return a + 1\n\n\ndef g(a):\n    return a * 2 + 1\n";
        let files = [file("a.py", Some(before), Some(after)), file("b.py", None, Some(after))];
        let found = changed_mutants(&files);
        assert!(found.iter().filter(|it| it.0 == "a.py").all(|it| it.1.line == 6), "{found:?}");
        assert_eq!([found[0].0, found[1].0, found[2].0], ["a.py", "b.py", "a.py"]);
        assert_eq!(changed_mutants(&[file("a.py", Some(after), Some(before))]), []);
        let many: Vec<_> = (0..9).map(|it| file(&format!("{it}.py"), None, Some(after))).collect();
        assert_eq!(changed_mutants(&many).len(), MUTANTS);
    }
}
