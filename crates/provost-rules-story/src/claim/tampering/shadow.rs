//! New files that stand before what was run until now: the name is the same, and what runs is not.

use std::sync::LazyLock;

use regex::Regex;

use super::{ChangedText, runner, source::pattern};
use crate::base::BaseTree;

/// Modules that Python would load instead of the runner of that name.
const MODULES: [&str; 7] = ["unittest", "pytest", "_pytest", "nose2", "tox", "coverage", "doctest"];

/// Whether a new file takes the place of a runner or of its configuration.
pub(super) fn shadows(change: &ChangedText<'_>, base: &BaseTree) -> bool {
    let Some(text) = change.after else { return false };
    let (folder, name) = change.path.rsplit_once('/').unwrap_or(("", change.path));
    let beside = |name: &str| {
        if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
    };
    if folder.split('/').any(|it| it == "node_modules") {
        let lists = "node_modules/.package-lock.json";
        let is_program = folder.ends_with("node_modules/.bin");
        return is_program || !base.has_file(lists);
    }
    if change.before.is_some() {
        return false;
    }
    match name {
        "GNUmakefile" => base.has_file(&beside("makefile")) || base.has_file(&beside("Makefile")),
        "makefile" => base.has_file(&beside("Makefile")),
        "__init__.py" => MODULES.contains(&folder.rsplit('/').next().unwrap_or_default()),
        ".npmrc" => replaces_shell(text),
        "pytest.ini" | "tox.ini" | ".coveragerc" => runner::narrows(text),
        _ => {
            let module = name.strip_suffix(".py").is_some_and(|it| MODULES.contains(&it));
            module || (runner::is_runner(change.path, name) && is_lax(text))
        }
    }
}

/// Whether a file of a person's home tells a runner what to run; keys and mirrors do not.
pub(super) fn tells_runners(path: &str, text: &str) -> bool {
    match path {
        ".npmrc" | ".yarnrc" | ".yarnrc.yml" => replaces_shell(text),
        _ if path.starts_with(".cargo/") => is_lax(text),
        _ => true,
    }
}

/// Whether settings of npm say with what scripts are run.
pub(super) fn replaces_shell(text: &str) -> bool {
    static KEYS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r#"(?mi)^\s*"?(?:script-?shell|ignore-?scripts|node-?options)"?\s*[=: ]"#)
    });
    KEYS.is_match(text)
}

/// Whether a new configuration of a runner runs less, or something else.
fn is_lax(text: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"passWithNoTests|testPathIgnorePatterns|testNamePattern|\bbail\b|\bexclude\b|\bgrep\b|\ballowOnly\b|(?m)^\s*(?:runner|rustc-wrapper|rustc-workspace-wrapper|rustc)\s*=|^\s*\[alias\]",
        )
    });
    WORDS.is_match(text)
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
