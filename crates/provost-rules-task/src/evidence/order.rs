//! A patch, file by file, in the order in which a person should read it: what could bend a verdict
//! comes first.

use super::{class::Class, patch};

/// The part of a patch that is about one file, as git printed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub path: String,
    /// The first class of its lines.
    pub class: Class,
    pub added: usize,
    pub removed: usize,
    pub text: String,
}

/// Sorts the files of a patch by their classes; files of one class stay in git's order.
pub fn by_risk(patch: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = starts(patch).into_iter().filter_map(section).collect();
    sections.sort_by_key(|it| it.class);
    sections
}

/// The patch, cut before each file.
fn starts(patch: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in patch.lines() {
        match parts.last_mut() {
            Some(part) if !line.starts_with("diff --git ") => {
                part.push_str(line);
                part.push('\n');
            }
            _ => parts.push(format!("{line}\n")),
        }
    }
    parts
}

fn section(text: String) -> Option<Section> {
    let file = patch::files(&text).into_iter().next()?;
    let class = file.pieces.iter().map(|it| it.class).min()?;
    let body = text.lines().skip_while(|it| !it.starts_with("@@ -"));
    let (mut added, mut removed) = (0, 0);
    for line in body {
        added += usize::from(line.starts_with('+'));
        removed += usize::from(line.starts_with('-'));
    }
    Some(Section { path: file.path, class, added, removed, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
diff --git a/README.md b/README.md
index 1..2 100644
--- a/README.md
+++ b/README.md
@@ -1 +1,2 @@
 text
+diff --git a/x b/x
diff --git a/src/cart.py b/src/cart.py
index 1..2 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -1 +1 @@
-a
+b
diff --git a/tests/test_cart.py b/tests/test_cart.py
index 1..2 100644
--- a/tests/test_cart.py
+++ b/tests/test_cart.py
@@ -1,2 +1 @@
-a
--- b
diff --git a/conftest.py b/conftest.py
new file mode 100644
index 0..2
";

    #[test]
    fn what_could_bend_a_verdict_comes_first() {
        let order: Vec<(String, usize, usize)> =
            by_risk(PATCH).into_iter().map(|it| (it.path, it.added, it.removed)).collect();
        let expected = [
            ("conftest.py", 0, 0),
            ("tests/test_cart.py", 0, 2),
            ("src/cart.py", 1, 1),
            ("README.md", 1, 0),
        ];
        assert_eq!(order, expected.map(|(path, added, removed)| (path.to_owned(), added, removed)));
    }

    #[test]
    fn nothing_is_lost() {
        let text: usize = by_risk(PATCH).iter().map(|it| it.text.len()).sum();
        assert_eq!(text, PATCH.len());
        assert_eq!(by_risk(""), []);
    }
}
