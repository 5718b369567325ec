//! The hunks of one file of a patch, line by line, at most so many.

use schemars::JsonSchema;
use serde::Serialize;

use super::order::Section;

/// What changed in one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileDiff {
    pub path: String,
    pub hunks: Vec<Hunk>,
    /// Whether lines were left out.
    pub cut: bool,
}

/// Lines that stand together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hunk {
    /// As git prints it: `@@ -1,2 +1,3 @@`.
    pub header: String,
    pub lines: Vec<DiffLine>,
}

/// One line, with its number on each side that has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiffLine {
    pub kind: LineKind,
    pub old: Option<u64>,
    pub new: Option<u64>,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    Same,
    Added,
    Removed,
}

/// The most lines of a file that are shown, and the longest, in characters.
const LINES: usize = 5000;
const LONGEST: usize = 2000;

/// Reads the hunks of one file.
pub fn hunks(section: &Section) -> FileDiff {
    let mut diff = FileDiff { path: section.path.clone(), hunks: Vec::new(), cut: false };
    let (mut old, mut new, mut shown) = (0, 0, 0);
    let mut changed = 0;
    for line in section.text.lines() {
        if line.starts_with("@@ -") {
            (old, new) = starts(line);
            diff.hunks.push(Hunk { header: line.to_owned(), lines: Vec::new() });
            continue;
        }
        let Some(hunk) = diff.hunks.last_mut() else { continue };
        let kind = match line.as_bytes().first() {
            Some(b'+') => LineKind::Added,
            Some(b'-') => LineKind::Removed,
            // "No newline at end of file" is about a line, and is none.
            Some(b'\\') => continue,
            Some(_) | None => LineKind::Same,
        };
        if shown == LINES {
            diff.cut = true;
            break;
        }
        shown += 1;
        let text = line.get(1..).unwrap_or_default();
        let short = provost_kernel::shorten_to(text, LONGEST);
        diff.cut |= short.len() != text.len();
        let is_old = kind != LineKind::Added;
        let is_new = kind != LineKind::Removed;
        hunk.lines.push(DiffLine {
            kind,
            old: is_old.then_some(old),
            new: is_new.then_some(new),
            text: short,
        });
        old += u64::from(is_old);
        new += u64::from(is_new);
        changed += usize::from(kind != LineKind::Same);
    }
    // What was not kept of a long change is missing here, too.
    diff.cut |= changed < section.added + section.removed;
    diff
}

/// The first line of a hunk on each side, from `@@ -1,2 +3,4 @@`.
fn starts(header: &str) -> (u64, u64) {
    let number = |sign: char| {
        let word = header.split(' ').skip(1).find(|it| it.starts_with(sign))?;
        word.get(1..)?.split(',').next()?.parse().ok()
    };
    (number('-').unwrap_or(0), number('+').unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::by_risk;

    const HEAD: &str = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n";

    fn read(body: &str) -> FileDiff {
        hunks(&by_risk(&format!("{HEAD}{body}"))[0])
    }

    #[test]
    fn a_line_has_its_number_on_each_side() {
        let diff = read(
            "@@ -3,3 +3,3 @@ def a():\n same\n-old\n+new\n\\ No newline at end of file\n@@ -9 +9 @@\n---x\n+++y\n",
        );
        let lines: Vec<_> = diff
            .hunks
            .iter()
            .flat_map(|it| &it.lines)
            .map(|it| (it.kind, it.old, it.new, it.text.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                (LineKind::Same, Some(3), Some(3), "same"),
                (LineKind::Removed, Some(4), None, "old"),
                (LineKind::Added, None, Some(4), "new"),
                (LineKind::Removed, Some(9), None, "--x"),
                (LineKind::Added, None, Some(9), "++y"),
            ],
        );
        assert_eq!((diff.hunks.len(), diff.cut), (2, false));
    }

    #[test]
    fn a_long_file_is_cut_and_says_so() {
        let diff = read(&format!("@@ -0,0 +1,6000 @@\n{}", "+x\n".repeat(6000)));
        assert_eq!((diff.hunks[0].lines.len(), diff.cut), (LINES, true));
        let diff = read(&format!("@@ -0,0 +1 @@\n+{}\n", "x".repeat(9000)));
        assert!(diff.cut && diff.hunks[0].lines[0].text.chars().count() == LONGEST + 1);
    }
}
