//! A patch, file by file, in the order in which a person should read it: what could bend a verdict
//! comes first.

use super::{
    class::{Class, PathClass},
    patch,
};

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

/// The same of a patch that may have been cut: `stat` has a line for each file, and no file is left out.
///
/// A file that the patch does not show is one to look at, so it counts as a risk.
pub fn by_risk_complete(patch: &str, stat: &str) -> Vec<Section> {
    let mut sections = by_risk(patch);
    // A patch that has every file names a renamed one in its own way.
    let is_cut = stat.lines().count() > sections.len();
    for (path, counts) in stat.lines().filter_map(|it| it.rsplit_once(" | ")) {
        let (added, removed) = numbers(counts);
        match sections.iter_mut().find(|it| it.path.escape_debug().to_string() == path) {
            Some(section) => {
                section.added = section.added.max(added);
                section.removed = section.removed.max(removed);
            }
            None if is_cut => sections.push(unseen(path, added, removed)),
            None => {}
        }
    }
    sections.sort_by_key(|it| it.class);
    sections
}

/// A file of which no line was kept.
fn unseen(path: &str, added: usize, removed: usize) -> Section {
    let class = PathClass::of(path).class(removed > 0, true);
    let text = format!(
        "diff --git a/{path} b/{path}\nnot kept: the change is larger than what provost keeps of it\n"
    );
    Section { path: path.to_owned(), class, added, removed, text }
}

/// `+3 -1` as numbers; a binary file has none.
fn numbers(counts: &str) -> (usize, usize) {
    let number = |sign: char| {
        let word = counts.split(' ').find_map(|it| it.strip_prefix(sign));
        word.and_then(|it| it.parse().ok()).unwrap_or_default()
    };
    (number('+'), number('-'))
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

    /// A file that lies behind the end of what is kept is listed, and not as harmless.
    #[test]
    fn a_cut_patch_hides_no_file() {
        let cut: String = PATCH.split_inclusive('\n').take(13).collect();
        let stat =
            "README.md | +1 -0\nsrc/cart.py | +400 -1\nzz_backdoor.py | +2 -0\nbig.bin | binary\n";
        let shown = by_risk_complete(&cut, stat);
        let of = |path: &str| shown.iter().find(|it| it.path == path).unwrap();
        assert_eq!(shown.len(), 4);
        assert_eq!((of("zz_backdoor.py").class, of("zz_backdoor.py").added), (Class::Risk, 2));
        assert_eq!((of("src/cart.py").added, of("src/cart.py").removed), (400, 1));
        assert!(super::super::hunks(of("src/cart.py")).cut, "399 lines are missing");
        assert!(super::super::hunks(of("zz_backdoor.py")).cut);
        let whole = "README.md | +1 -0\nsrc/cart.py | +1 -1\ntests/test_cart.py | +0 -2\nmoved.py | +0 -0\n";
        assert_eq!(by_risk_complete(PATCH, whole), by_risk(PATCH));
    }
}
