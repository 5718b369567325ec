//! The files that a patch changes, and the lines that it adds.

/// What a patch does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) path: String,
    pub(super) deletes: bool,
}

/// The files of a patch, in the form that agents write (`*** Update File: x`) or in git's.
pub(super) fn changes(patch: &str) -> Vec<Change> {
    let mut found: Vec<Change> = Vec::new();
    for line in patch.lines() {
        let line = line.trim_end();
        let named = [
            ("*** Add File: ", false),
            ("*** Update File: ", false),
            ("*** Delete File: ", true),
            ("*** Move to: ", false),
            ("+++ ", false),
            ("--- ", false),
            ("rename from ", true),
            ("rename to ", false),
        ];
        let hit = named.iter().find_map(|(mark, deletes)| {
            line.trim_start().strip_prefix(mark).map(|it| (it, *deletes))
        });
        if let Some((path, deletes)) = hit {
            let path = path.split('\t').next().unwrap_or_default().trim().trim_matches('"');
            let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
            if !path.is_empty() && path != "/dev/null" {
                found.push(Change { path: path.to_owned(), deletes });
            }
        }
    }
    found
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
}
