//! Patterns of paths that people write: files, folders, and globs with `*`, `?` and `**`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Paths of a repository, from its root.
#[derive(Clone, Debug, Default)]
pub struct PathPatterns(GlobSet);

impl PathPatterns {
    /// Each pattern stands for the files that it names, and for all files of the folders that it
    /// names. Only `*` and `?` make a glob: brackets and braces stand in the names of real files.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
            let mut glob = String::with_capacity(pattern.len());
            for found in pattern.chars() {
                match found {
                    '[' | ']' | '{' | '}' => glob.extend(['[', found, ']']),
                    _ => glob.push(found),
                }
            }
            for glob in [glob.clone(), format!("{glob}/**")] {
                let mut builder = GlobBuilder::new(&glob);
                let built = builder.literal_separator(true).backslash_escape(false).build();
                // Without brackets every text is a glob.
                if let Ok(built) = built {
                    set.add(built);
                }
            }
        }
        Self(set.build().unwrap_or_default())
    }

    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// A path as it is written in a folder of the repository, from its root; none if it leads outside.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_repository() {
        for (folder, path, expected) in [
            ("", "a", Some("a")),
            ("", "./a//b/", Some("a/b")),
            ("web", "../a", Some("a")),
            ("web/x", ".", Some("web/x")),
            ("web", "../../a", None),
            ("web", "/a", None),
        ] {
            assert_eq!(joined(folder, path).as_deref(), expected, "{folder} {path}");
        }
    }

    #[test]
    fn files_folders_and_globs() {
        for (pattern, path, expected) in [
            ("tests/test_a.py", "tests/test_a.py", true),
            ("tests/test_a.py", "tests/test_ab.py", false),
            ("tests/test_a.py", "x/tests/test_a.py", false),
            ("tests", "tests/deep/test_a.py", true),
            ("./tests/", "tests/test_a.py", true),
            ("tests", "tests2/a.py", false),
            ("tests/*.py", "tests/test_a.py", true),
            ("tests/*.py", "tests/deep/test_a.py", false),
            ("**/*.snap", "a/b/c.snap", true),
            ("**/*.snap", "c.snap", true),
            ("app/[id]/page.test.tsx", "app/[id]/page.test.tsx", true),
            ("app/[id]/page.test.tsx", "app/i/page.test.tsx", false),
        ] {
            assert_eq!(PathPatterns::new([pattern]).matches(path), expected, "{pattern} {path}");
        }
        assert!(!PathPatterns::default().matches("a"));
    }
}
