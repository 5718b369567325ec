//! A patch, read hunk by hunk.
//!
//! A line of a file stands after a sign, so that no content can look like the header of a file or
//! of a hunk.

use super::class::{Class, PathClass, is_risky};

/// How many lines are shown around a line with a risk word.
const AROUND: usize = 4;

/// The part of a patch that is about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePatch {
    pub(super) path: String,
    /// The lines before the first hunk that say more than the path: a mode, a deletion.
    pub(super) header: String,
    pub(super) pieces: Vec<Piece>,
}

/// Lines of one file that have one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) class: Class,
    pub(super) text: String,
}

/// A line number on each side of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    old: u64,
    new: u64,
}

/// Reads a patch as `git diff-tree -p` prints it.
pub(super) fn files(patch: &str) -> Vec<FilePatch> {
    let mut files = Vec::new();
    let mut section: Vec<&str> = Vec::new();
    for line in patch.lines() {
        if line.starts_with("diff --git ") && !section.is_empty() {
            files.extend(file(&section));
            section.clear();
        }
        section.push(line);
    }
    files.extend(file(&section));
    files
}

fn file(section: &[&str]) -> Option<FilePatch> {
    let first = section.iter().position(|it| it.starts_with("@@ -")).unwrap_or(section.len());
    let (head, body) = section.split_at(first);
    let path = path(head)?;
    let kind = PathClass::of(&path);
    let telling = |it: &&&str| {
        !["diff --git ", "index ", "--- ", "+++ "].iter().any(|start| it.starts_with(start))
    };
    let header: Vec<String> = head.iter().filter(telling).map(|it| format!("{it}\n")).collect();
    let mut pieces = Vec::new();
    let mut rest = body;
    while let Some((hunk, lines)) = rest.split_first() {
        let end = lines.iter().position(|it| it.starts_with("@@ -")).unwrap_or(lines.len());
        pieces.extend(split(hunk, &lines[..end], kind));
        rest = &lines[end..];
    }
    if pieces.is_empty() {
        // A mode, an empty file or a binary file: its header is all there is.
        let loses_lines = head.iter().any(|it| it.starts_with("deleted file"));
        pieces.push(Piece { class: kind.class(loses_lines, false), text: String::new() });
    }
    Some(FilePatch { path, header: header.concat(), pieces })
}

/// Cuts a hunk where its class changes, each part with a header of its own.
fn split(header: &str, lines: &[&str], kind: PathClass) -> Vec<Piece> {
    let loses_lines = lines.iter().any(|it| it.starts_with('-'));
    let mut near = vec![false; lines.len()];
    if kind == PathClass::Product {
        let risky = |it: &&str| it.starts_with('+') && is_risky(it);
        for (at, _) in lines.iter().enumerate().filter(|(_, it)| risky(it)) {
            let end = (at + AROUND + 1).min(lines.len());
            near[at.saturating_sub(AROUND)..end].fill(true);
        }
    }
    let mut at = start(header);
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < lines.len() {
        let is_near = near[from];
        let length = near[from..].iter().take_while(|it| **it == is_near).count();
        let part = &lines[from..from + length];
        let (text, next) = rendered(part, at);
        pieces.push(Piece { class: kind.class(loses_lines, is_near), text });
        at = next;
        from += length;
    }
    pieces
}

/// Lines of a hunk under a header of their own, and where the next ones start.
fn rendered(lines: &[&str], at: At) -> (String, At) {
    let is_old = |it: &&&str| !it.starts_with(['+', '\\']);
    let is_new = |it: &&&str| !it.starts_with(['-', '\\']);
    let old = lines.iter().filter(is_old).count() as u64;
    let new = lines.iter().filter(is_new).count() as u64;
    let body: Vec<String> = lines.iter().map(|it| format!("{it}\n")).collect();
    let text = format!("@@ -{},{old} +{},{new} @@\n{}", at.old, at.new, body.concat());
    (text, At { old: at.old + old, new: at.new + new })
}

/// The numbers in `@@ -1,2 +3,4 @@`.
fn start(header: &str) -> At {
    let number = |sign: char| {
        let word = header.split(' ').skip(1).find(|it| it.starts_with(sign))?;
        word[1..].split(',').next()?.parse().ok()
    };
    At { old: number('-').unwrap_or(0), new: number('+').unwrap_or(0) }
}

/// The path in the lines before the first hunk.
fn path(head: &[&str]) -> Option<String> {
    let side = |start: &str, prefix: &str| {
        let line = head.iter().find_map(|it| it.strip_prefix(start))?;
        // Git ends a path with a space in it by a tab.
        unquoted(line.trim_end_matches('\t')).strip_prefix(prefix).map(str::to_owned)
    };
    side("+++ ", "b/").or_else(|| side("--- ", "a/")).or_else(|| {
        // No lines: both names are the same, so the second is the second half.
        let names = head.first()?.strip_prefix("diff --git ")?;
        if names.starts_with('"') {
            let second = names.rsplit_once(" \"")?.1;
            return unquoted(&format!("\"{second}")).strip_prefix("b/").map(str::to_owned);
        }
        names.get(names.len().div_ceil(2)..)?.strip_prefix("b/").map(str::to_owned)
    })
}

/// A path without git's quotes and escapes.
fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        match rest {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', tail @ ..] => {
                bytes.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = tail;
            }
            [escaped, tail @ ..] => {
                bytes.push(match escaped {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => *other,
                });
                rest = tail;
            }
            [] => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn only(patch: &str) -> FilePatch {
        let mut files = files(patch);
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    #[test]
    fn a_path_is_read_whatever_git_made_of_it() {
        for (patch, expected) in [
            ("diff --git a/a.rs b/a.rs\nindex 1..2\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n", "a.rs"),
            ("diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n", "a b"),
            (
                "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a",
                "x",
            ),
            ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "x"),
            ("diff --git a/a b b/a b\nnew file mode 100644\nindex 0..e\n", "a b"),
            (
                "diff --git \"a/\\344\\273\\273.md\" \"b/\\344\\273\\273.md\"\nnew file mode 100644\n",
                "任.md",
            ),
            ("diff --git a/x b/x\n--- \"a/t\\tb\"\n+++ \"b/t\\tb\"\n@@ -1 +1 @@\n", "t\tb"),
        ] {
            assert_eq!(only(patch).path, expected, "{patch}");
        }
        assert_eq!(files(""), []);
    }

    #[test]
    fn a_hunk_is_cut_around_its_risks() {
        let lines: Vec<String> = (1..=30)
            .map(|it| if it == 15 { "+os._exit(0)\n".to_owned() } else { format!("+line {it}\n") })
            .collect();
        let patch = format!(
            "diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,30 @@\n{}",
            lines.concat()
        );
        let file = only(&patch);
        assert_eq!(file.header, "new file mode 100644\n");
        let seen: Vec<(Class, &str, usize)> = file
            .pieces
            .iter()
            .map(|it| (it.class, it.text.lines().next().unwrap(), it.text.lines().count() - 1))
            .collect();
        assert_eq!(
            seen,
            [
                (Class::Product, "@@ -0,0 +1,10 @@", 10),
                (Class::Risk, "@@ -0,0 +11,9 @@", 9),
                (Class::Product, "@@ -0,0 +20,11 @@", 11),
            ]
        );
    }

    #[test]
    fn a_test_that_loses_a_line_is_told_apart_hunk_by_hunk() {
        let patch = "diff --git a/tests/a.py b/tests/a.py\n--- a/tests/a.py\n+++ b/tests/a.py\n\
                     @@ -1,2 +1,3 @@\n a\n+b\n c\n@@ -9,2 +10,1 @@ def f\n-x\n y\n";
        let classes: Vec<Class> = only(patch).pieces.iter().map(|it| it.class).collect();
        assert_eq!(classes, [Class::Test, Class::TestWithDeletions]);
    }

    /// A line of a file is never taken for a header, even if it looks like one.
    #[test]
    fn content_cannot_start_another_file() {
        let patch = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,4 @@\n a\n\
                     +diff --git a/b.md b/b.md\n+@@ -1 +1 @@\n+--- a/b.md\n";
        let file = only(patch);
        assert_eq!((file.path.as_str(), file.pieces.len()), ("a.py", 1));
    }

    #[test]
    fn what_has_no_lines_is_still_there() {
        let file = only("diff --git a/tests/a.sh b/tests/a.sh\nold mode 100755\nnew mode 100644\n");
        assert_eq!(file.header, "old mode 100755\nnew mode 100644\n");
        assert_eq!(file.pieces, [Piece { class: Class::Test, text: String::new() }]);
    }
}
