//! New files that are found before the runner or the configuration that was used until now.

use provost_rules::ecosystem::{self, Project};

use super::ChangedText;
use crate::base::BaseTree;

/// Whether a new file takes the place of a runner or of its configuration.
pub(super) fn shadows(change: &ChangedText<'_>, base: &BaseTree) -> bool {
    let Some(text) = change.after else { return false };
    let (folder, name) = change.path.rsplit_once('/').unwrap_or(("", change.path));
    if folder.split('/').any(|it| it == "node_modules") {
        let lists = "node_modules/.package-lock.json";
        let is_program = folder.ends_with("node_modules/.bin");
        return is_program || !base.has_file(lists);
    }
    if change.before.is_some() {
        return false;
    }
    let is_beside = |name: &String| {
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        base.has_file(&path)
    };
    let takes_place = |it: &Project| {
        let at = it.manifests.iter().position(|it| it == name);
        at.is_some_and(|at| {
            it.first_manifest_only && it.manifests.iter().skip(at + 1).any(is_beside)
        })
    };
    let is_lax = ecosystem::runner_file(change.path)
        .is_some_and(|it| it.when_new && it.narrows.is_match(text));
    is_lax
        || ecosystem::all().iter().any(|it| {
            it.replaces_runner.iter().any(|it| it.matches(change.path))
                || it.projects.iter().any(takes_place)
        })
}

/// Whether a file of a person's home tells a runner what to run; keys and mirrors do not.
pub(super) fn tells_runners(path: &str, text: &str) -> bool {
    ecosystem::home_file(path).is_none_or(|it| it.narrows.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, before: Option<&str>, text: &str, expected: bool) {
        let base = BaseTree::new(["Makefile", "sub/Makefile", "setup.cfg"], []);
        let change = ChangedText { path, old_path: None, before, after: Some(text) };
        assert_eq!(shadows(&change, &base), expected, "{path}: {text}");
    }

    #[test]
    fn a_file_that_stands_before_another_is_seen() {
        for (path, text) in [
            ("GNUmakefile", "check:\n"),
            ("sub/makefile", "check:\n"),
            ("unittest.py", "print(1)\n"),
            ("tests/pytest.py", ""),
            ("pytest/__init__.py", ""),
            ("node_modules/.bin/jest", "#!/bin/sh\n"),
            ("apps/web/node_modules/jest/index.js", ""),
            (".npmrc", "script-shell=/bin/true\n"),
            ("pytest.ini", "[pytest]\naddopts = --co\n"),
            ("jest.config.js", "module.exports = { passWithNoTests: true };\n"),
            (".cargo/config.toml", "[target.x]\nrunner = \"true\"\n"),
            (".cargo/config.toml", "[alias]\ntest = \"version\"\n"),
        ] {
            check(path, None, text, true);
        }
    }

    #[test]
    fn a_file_of_its_own_is_left_alone() {
        for (path, text) in [
            ("tools/Makefile", "check:\n"),
            ("tools/GNUmakefile", "check:\n"),
            ("sums/unit_test.py", ""),
            ("tests/__init__.py", ""),
            ("modules/node.js", ""),
            (".npmrc", "registry=https://example.com/\n"),
            ("pytest.ini", "[pytest]\ntestpaths = tests\n"),
            ("jest.config.js", "module.exports = { verbose: true };\n"),
            (".cargo/config.toml", "[build]\njobs = 2\n"),
        ] {
            check(path, None, text, false);
        }
        check("unittest.py", Some("a"), "b", false);
    }

    #[test]
    fn a_home_tells_runners_what_to_run_or_something_else() {
        for (path, text, expected) in [
            (".npmrc", "script-shell=/bin/true\n", true),
            (".yarnrc", "script-shell \"/bin/true\"\n", true),
            (".yarnrc.yml", "nodeOptions: \"-r ./x.js\"\n", true),
            (".npmrc", "//example.com/:_authToken=x\n", false),
            (".cargo/config.toml", "[target.x]\nrunner = \"true\"\n", true),
            (".cargo/config.toml", "[net]\noffline = true\n", false),
            (".mavenrc", "MAVEN_OPTS=-DskipTests\n", true),
            (".local/lib/python3.11/site-packages/usercustomize.py", "import os\n", true),
        ] {
            assert_eq!(tells_runners(path, text), expected, "{path}: {text}");
        }
    }
}
