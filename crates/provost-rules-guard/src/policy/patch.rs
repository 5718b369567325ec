//! The files that a patch changes, and the lines that it adds.

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) deletes: bool,
}

/// What names a file at the beginning of a line, in lower case, and whether the file goes away.
const MARKS: [(&str, bool); 11] = [
    ("*** add file:", false),
    ("*** update file:", false),
    ("*** delete file:", true),
    ("*** move to:", false),
    ("+++ ", false),
    ("--- ", false),
    ("copy from ", false),
    ("copy to ", false),
    ("index: ", false),
    ("rename from ", true),
    ("rename to ", false),
];

/// The files of a patch, in the form that agents write (`*** Update File: x`) or in git's.
pub(super) fn changes(patch: &str) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    for line in patch.lines() {
        let line = line.trim_end();
        let bare = line.trim_start();
        if let Some(pair) = bare.strip_prefix("diff --git ") {
            found.extend(both(pair).into_iter().filter_map(|it| change(it, false)));
        } else if line.starts_with("deleted file mode") {
            // The header before it named the file.
            found.iter_mut().rev().take(2).for_each(|it| it.deletes = true);
        }
        let hit = MARKS.iter().find_map(|(mark, deletes)| {
            let lead = bare.get(..mark.len())?;
            // Inside a change such words are text, and stand behind a sign or a blank.
            let is_text = mark.starts_with('c') && bare.len() != line.len();
            (lead.eq_ignore_ascii_case(mark) && !is_text)
                .then(|| (bare.get(mark.len()..).unwrap_or_default(), *deletes))
        });
        found.extend(hit.and_then(|(path, deletes)| change(path, deletes)));
    }
    found
}

fn change(written: &str, deletes: bool) -> Option<Change> {
    let path = unquoted(written.split('\t').next().unwrap_or_default().trim());
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(&path);
    let is_file = !path.is_empty() && path != "/dev/null";
    is_file.then(|| Change { path: path.to_owned(), deletes })
}

/// The two names in `a/x b/x`. Where blanks in the names leave it open, each word is one.
fn both(pair: &str) -> Vec<&str> {
    match pair.split_once(" b/") {
        Some((one, two)) if !two.contains(" b/") => vec![one, two],
        _ => pair.split(' ').collect(),
    }
}

/// A name without the quotes and numbers that git writes: `"\056env"` is `.env`.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"') else { return path.to_owned() };
    let mut rest = inner.trim_end_matches('"').as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        bytes.extend(octal.or((*first != b'\\').then_some(*first)));
        rest = if octal.is_some() { after.get(3..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines that a patch adds.
pub(super) fn added(patch: &str) -> String {
    let lines =
        patch.lines().filter(|it| !it.starts_with("+++")).filter_map(|it| it.strip_prefix('+'));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_named() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: .env\n@@\n-x\n+y\n\
                     *** Delete File: 文档/b.md\n*** Add File: c\n+z\n*** End Patch";
        let paths: Vec<_> = changes(patch).into_iter().map(|it| (it.path, it.deletes)).collect();
        let expected = [("src/a.rs", false), (".env", false), ("文档/b.md", true), ("c", false)];
        assert_eq!(paths, expected.map(|(path, deletes)| (path.to_owned(), deletes)));
        assert_eq!(added(patch), "y\nz");
        let git = "--- a/x.rs\t2024\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/n";
        let paths: Vec<_> = changes(git).into_iter().map(|it| it.path).collect();
        assert_eq!(paths, ["x.rs", "x.rs", "n"]);
    }

    #[test]
    fn a_file_is_named_however_it_is_written() {
        for (patch, expected, deletes) in [
            ("*** Add File:.env", ".env", false),
            ("*** Move To: .env", ".env", false),
            ("*** DELETE FILE: x", "x", true),
            ("copy to .env", ".env", false),
            (
                "diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755",
                ".git/hooks/x",
                false,
            ),
            ("diff --git a/x b/x\ndeleted file mode 100644", "x", true),
            ("+++ \"b/\\056env\"", ".env", false),
            ("diff --git \"a/\\056env\" \"b/\\056env\"", ".env", false),
            ("Index: provost.toml", "provost.toml", false),
        ] {
            let found = changes(patch);
            let last = found.last().map(|it| (it.path.as_str(), it.deletes));
            assert_eq!(last, Some((expected, deletes)), "{patch}");
        }
        assert_eq!(changes(" copy to .env what it says\n+copy to .env"), []);
    }
}
