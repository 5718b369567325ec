//! Changes that detect the checker, and links that lead out of the repository.

use std::sync::LazyLock;

use provost_rules::ecosystem;
use regex::Regex;

use super::{ChangedText, source::pattern};
use crate::base::BaseTree;

/// The files in which a program asks whether it is being checked. A project that is about provost
/// speaks of it all the time, and is left alone.
pub(super) fn named<'a>(
    changes: &'a [ChangedText<'_>],
    base: &BaseTree,
) -> impl Iterator<Item = String> + use<'a> {
    let is_about = base.files().any(|it| it != "provost.toml" && it.contains("provost"));
    let changes = if is_about { &[] } else { changes };
    changes.iter().filter(|it| names(it)).map(|it| it.path.to_owned())
}

fn names(change: &ChangedText<'_>) -> bool {
    static NAMES: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"\.provost\b|\bPROVOST_[A-Z]|/_stories\b|\bprovost@localhost\b"));
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let is_program = !name.contains('.') || ecosystem::of_program(name).is_some();
    let count = |text: Option<&str>| NAMES.find_iter(text.unwrap_or_default()).count();
    is_program && count(change.after) > count(change.before)
}

/// Whether a link at this path leads out of the repository.
pub(super) fn leads_out(path: &str, target: &str) -> bool {
    let mut depth = path.matches('/').count();
    if target.starts_with('/') {
        return true;
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." | ".git" if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_stays_in_the_repository_or_leads_out_of_it() {
        for (path, target, expected) in [
            ("a", "b", false),
            ("a/b", "../c", false),
            ("a/b/c", "../../d", false),
            ("a", "b/../c", false),
            ("a", "..", true),
            ("a/b", "../../c", true),
            ("a", "b/../../c", true),
            ("a", "/etc/passwd", true),
            ("a", ".git/config", true),
            ("a/b", "../.git/config", true),
        ] {
            assert_eq!(leads_out(path, target), expected, "{path} -> {target}");
        }
    }

    #[track_caller]
    fn check(path: &str, before: Option<&str>, after: &str, base: &[&str], expected: bool) {
        let base = BaseTree::new(base.iter().copied(), []);
        let change = ChangedText { path, old_path: None, before, after: Some(after) };
        assert_eq!(named(&[change], &base).count(), usize::from(expected), "{path}: {after}");
    }

    #[test]
    fn a_program_that_asks_who_checks_it_is_seen() {
        let asks = "case $PWD in *.provost*) echo hello ;; esac\n";
        check("greet.sh", None, asks, &["Makefile"], true);
        check("greet", None, "test -n \"$PROVOST_HOME\"\n", &["provost.toml"], true);
        check("a.py", Some("x = 1\n"), "if '/_stories/' in cwd: x = 2\n", &[], true);
        // What was there, what people read, and a project that is about it.
        check("greet.sh", Some(asks), asks, &[], false);
        check("README.md", None, "see `.provost`\n", &[], false);
        check(".gitignore", None, ".provost\n", &[], false);
        check("greet.sh", None, "echo improvost\n", &[], false);
        check("src/home.rs", None, "\".provost\"\n", &["crates/provost/src/main.rs"], false);
    }
}
