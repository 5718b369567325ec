//! Which files of a repository are tests, and which are the product.
//!
//! The base decides: a file that an agent adds or renames is what its path says, and the scripts that
//! a command runs are those of the base.

mod reach;

use std::collections::BTreeSet;

use provost_rules::ecosystem::{self, Reads};
use provost_shell::{Invocation, Place, RedirectKind, parse};

use self::reach::Reached;
use crate::paths::{PathPatterns, joined};

/// What a file is to the proof of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// It checks the product.
    Test,
    /// It says how tests are run.
    Configuration,
    /// A part of it says how tests are run.
    Mixed,
    /// Compiled from sources; it would be run in their place.
    Artefact,
    /// The rest.
    Product,
}

/// Folders of tests, whatever the ecosystem.
const FOLDERS: [&str; 9] =
    ["test", "tests", "spec", "specs", "__tests__", "e2e", "t", "testdata", "__snapshots__"];
/// Folders of what tests compare a product with; code in them is not of the tests by that.
const EXPECTED: [&str; 6] = ["expected", "golden", "goldens", "snapshots", "fixtures", "approvals"];
/// Endings of files that are tests in any ecosystem.
const ENDINGS: [&str; 6] = [".bats", ".t", ".snap", ".golden", ".expected", ".approved.txt"];
/// Endings of data: texts that are read, in which no program is written.
const DATA: [&str; 12] = [
    ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".out", ".dat", ".xml", ".yaml", ".yml",
    ".md",
];
/// Modules that test runners of Python load: a file of this name in the root is loaded in their place.
const SHADOWED: [&str; 17] = [
    "unittest",
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "exceptiongroup",
    "doctest",
    "difflib",
    "traceback",
    "pprint",
    "warnings",
    "contextlib",
    "functools",
    "inspect",
    "linecache",
    "re",
    "operator",
];
/// Names of files and folders that help tests, beside the product.
const SUPPORT: [&str; 10] = [
    "testing",
    "testutil",
    "testutils",
    "test_util",
    "test_utils",
    "test_support",
    "test_helper",
    "test_helpers",
    "testhelper",
    "testhelpers",
];
/// Where Rust keeps a module of tests that stands beside its code.
const TEST_MODULE: &str = "tests.rs";
/// Endings of compiled files that no ecosystem of the table names.
const COMPILED: [&str; 7] = [".pyc", ".class", ".o", ".so", ".dylib", ".dll", ".a"];

/// Tells classes apart.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Scripts that the command runs.
    scripts: BTreeSet<String>,
    /// What those need: scripts and included makefiles.
    helpers: BTreeSet<String>,
    /// Files that serve the tests alone, by what they hold.
    support: BTreeSet<String>,
    /// Scripts that tests read into their own shell and that lie elsewhere.
    sourced: BTreeSet<String>,
    /// What the configuration of the base says, whatever a path looks like.
    tests: PathPatterns,
    product: PathPatterns,
}

impl Classes {
    /// The classes for a command that starts in a folder, in a base of which `text` reads files.
    pub fn of_command(command: &str, folder: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let Reached { commands, helpers, sourced } = Reached::from(command, folder, text);
        let direct = commands.iter().filter(|it| !it.is_script());
        let named = direct.flat_map(|it| {
            scripts(&it.text).filter_map(|run| joined(&it.folder, &run.path)).collect::<Vec<_>>()
        });
        let scripts = named.filter(|it| text(it).is_some()).collect();
        Self { scripts, helpers, sourced, ..Self::default() }
    }

    /// The same with the paths that the configuration of the base names; tests go first.
    #[must_use]
    pub fn configured(self, tests: &[String], product: &[String]) -> Self {
        let patterns = |it: &[String]| PathPatterns::new(it.iter().map(String::as_str));
        Self { tests: patterns(tests), product: patterns(product), ..self }
    }

    /// Counts files among the tests, unless the configuration names them.
    pub fn add_support(&mut self, paths: impl IntoIterator<Item = String>) {
        self.support.extend(paths);
    }

    /// Whether tests read a file into their own shell, while it may be the product.
    pub fn sources(&self, path: &str) -> bool {
        self.sourced.contains(path)
    }

    /// The scripts that the command runs, itself or through make and package scripts.
    pub fn scripts(&self) -> impl Iterator<Item = &str> {
        self.scripts.iter().map(String::as_str)
    }

    /// Whether the command runs a file as a script.
    pub fn runs(&self, path: &str) -> bool {
        self.scripts.contains(path)
    }

    /// Whether a file is a script that the command runs, or one that such a script needs.
    pub fn reaches(&self, path: &str) -> bool {
        self.runs(path) || self.helpers.contains(path)
    }

    /// What a file is.
    pub fn of(&self, path: &str) -> Class {
        if self.tests.matches(path) {
            return Class::Test;
        }
        if self.product.matches(path) {
            return Class::Product;
        }
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut compiled = ecosystem::all().iter().flat_map(|it| &it.compiled);
        if COMPILED.iter().any(|it| name.ends_with(it)) || compiled.any(|it| it.matches(path)) {
            return Class::Artefact;
        }
        if let Some(class) = ecosystem::runner_file(path).and_then(|it| configuration(&it.reads)) {
            return class;
        }
        if is_shadow(path) {
            return Class::Configuration;
        }
        let is_expected =
            || folders.split('/').any(|it| EXPECTED.contains(&it)) && is_plain_data(path);
        let is_test = is_expected()
            || self.scripts.contains(path)
            || self.helpers.contains(path)
            || self.support.contains(path)
            || is_support(path)
            || folders.split('/').any(|it| FOLDERS.contains(&it))
            || ENDINGS.iter().any(|it| name.ends_with(it))
            || name == TEST_MODULE
            || is_test_file(path);
        if is_test { Class::Test } else { Class::Product }
    }

    /// Whether a file belongs to the tests, in whole or in part.
    pub fn is_tests(&self, path: &str) -> bool {
        match self.of(path) {
            Class::Test | Class::Configuration | Class::Mixed => true,
            Class::Artefact | Class::Product => false,
        }
    }
}

/// Whether a file holds data and no program, by its name; sources of languages that provost does not know
/// are not data.
pub fn is_plain_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    !name.contains('.') || DATA.iter().any(|it| name.ends_with(it))
}

/// Whether a file or its folder is called as what helps tests is.
fn is_support(path: &str) -> bool {
    let stem = |it: &str| it.split('.').next().unwrap_or(it).replace('-', "_");
    path.split('/').any(|it| SUPPORT.contains(&stem(it).as_str()))
}

/// Whether a file is loaded in place of a module of the runner.
fn is_shadow(path: &str) -> bool {
    let module = match path.split_once('/') {
        Some((folder, rest)) => (rest == "__init__.py").then_some(folder),
        None => path.strip_suffix(".py"),
    };
    module.is_some_and(|it| SHADOWED.contains(&it))
}

/// What a file is that configures a runner.
fn configuration(reads: &Reads) -> Option<Class> {
    match reads {
        Reads::Whole | Reads::MakeTargets | Reads::Hooks | Reads::Preloaded | Reads::Settings => {
            Some(Class::Configuration)
        }
        Reads::PackageScripts(_)
        | Reads::TomlKeys(_)
        | Reads::TomlTables(_)
        | Reads::IniSections(_) => Some(Class::Mixed),
        // Build files of Java hold the product's build as well.
        Reads::Switches => None,
    }
}

/// Whether a runner finds tests in a file of this name. Where tests stand beside the code, or where
/// any script may be one, its name says nothing.
fn is_test_file(path: &str) -> bool {
    ecosystem::test_syntax(path)
        .is_some_and(|it| !it.beside_code && !it.whole_file && it.is_test_file(path))
}

/// A script that a command runs.
struct RunScript {
    /// As it is written, without what only the run knows.
    path: String,
    /// It is read into the running shell.
    is_read: bool,
    /// Its path begins where the running script lies: `"$(dirname "$0")/lib.sh"`.
    is_beside: bool,
}

/// The scripts that decide how a command ends: run by themselves or by an interpreter, and neither
/// in a substitution, nor in front of a pipe or into a file, where another program looks at what they
/// print.
fn scripts(command: &str) -> impl Iterator<Item = RunScript> {
    let script = parse(command);
    let feeds: Vec<usize> = script.pipes.iter().flat_map(|it| it.from.clone()).collect();
    let deciding = script.invocations.into_iter().enumerate().filter(move |(at, it)| {
        !feeds.contains(at)
            && !matches!(it.place, Place::Substitution | Place::Process)
            && !writes_file(it)
    });
    deciding.filter_map(|(_, it)| read_script(&it).or_else(|| run_script(&it)))
}

/// Whether what it prints goes into a file that something else may look at.
fn writes_file(invocation: &Invocation) -> bool {
    invocation.redirects.iter().any(|it| {
        matches!(it.kind, RedirectKind::Write | RedirectKind::Append)
            && matches!(it.descriptor, None | Some(1))
            && it.target.text().is_none_or(|it| !it.starts_with("/dev/"))
    })
}

fn run_script(invocation: &Invocation) -> Option<RunScript> {
    let words: Vec<&str> = invocation.words.iter().filter_map(|it| it.text()).collect();
    let (program, arguments) = words.split_first()?;
    let named = if is_interpreter(program) { file_argument(arguments)? } else { program };
    let path = (!named.starts_with('/')).then(|| (*named).to_owned())?;
    Some(RunScript { path, is_read: false, is_beside: false })
}

/// `. lib.sh`, `source "$here/lib.sh"`.
fn read_script(invocation: &Invocation) -> Option<RunScript> {
    let [program, file, ..] = invocation.words.as_slice() else { return None };
    if !matches!(program.text(), Some("." | "source")) {
        return None;
    }
    let (path, is_beside) = match file.text() {
        Some(path) => (path, false),
        None => (file.base_name()?, true),
    };
    Some(RunScript { path: path.to_owned(), is_read: true, is_beside })
}

/// Whether a file is a script of the shell.
fn is_shell(path: &str, text: &str) -> bool {
    let first = text.lines().next().and_then(|it| it.strip_prefix("#!"));
    match first {
        Some(line) => line.split(['/', ' ']).any(|it| SHELLS.contains(&it)),
        None => SHELLS.iter().any(|it| path.ends_with(&format!(".{it}"))),
    }
}

/// The scripts that a command names, itself or through make and package scripts, and that a version
/// does not have whose files `text` reads. A bare name is a program of the machine.
pub(crate) fn missing_scripts(command: &str, text: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let reached = Reached::from(command, "", text);
    let direct = reached.commands.iter().filter(|it| !it.is_script());
    let named = direct.flat_map(|command| {
        let invocations = parse(&command.text).invocations;
        let named = invocations.iter().filter_map(|it| {
            let words: Vec<&str> = it.words.iter().filter_map(|it| it.text()).collect();
            let (program, arguments) = words.split_first()?;
            let named = if is_interpreter(program) { file_argument(arguments) } else { None };
            let named = named.or_else(|| program.contains('/').then_some(program))?;
            joined(&command.folder, named)
        });
        named.collect::<Vec<_>>()
    });
    named.filter(|it| text(it).is_none()).collect()
}

/// The file that an interpreter runs; none if it runs a module or code of its command line, or only
/// checks the syntax of a file.
fn file_argument<'a, 'b>(arguments: &'a [&'b str]) -> Option<&'a &'b str> {
    let runs_no_file = |it: &&&str| matches!(**it, "-m" | "-c" | "-n" | "--check");
    let before_file = |it: &&&str| it.starts_with('-') && !runs_no_file(it);
    arguments.iter().find(|it| !before_file(it)).filter(|it| !runs_no_file(it))
}

/// Programs that run the text of a shell script.
const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];

fn is_interpreter(program: &str) -> bool {
    !program.contains('/') && runs_file(program)
}

/// Whether a program runs the file that is its first argument.
fn runs_file(program: &str) -> bool {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    SHELLS.contains(&name)
        || matches!(name, "python" | "node" | "ruby" | "perl" | "deno" | "bun" | "php")
        || matches!(name, "source" | ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, path: &str, expected: Class) {
        let classes = Classes::of_command(command, "", &|_| Some(String::new()));
        assert_eq!(classes.of(path), expected, "{command}: {path}");
    }

    #[test]
    fn paths_say_what_a_file_is() {
        for path in [
            "tests/test_a.py",
            "tests/helper.py",
            "src/cart_test.go",
            "src/cart.test.ts",
            "src/__tests__/x.js",
            "pkg/testdata/golden.json",
            "a.bats",
            "src/__snapshots__/x.snap",
            "t/basic.t",
            "src/cart/tests.rs",
            "expected/out10.txt",
            "pkg/golden/a.json",
            "api/fixtures/orders",
            "total.golden",
            "shop/testing.py",
            "internal/testutil/check.go",
            "src/test_support.rs",
            "lib/test-helpers.js",
        ] {
            check("make", path, Class::Test);
        }
        for path in [
            "conftest.py",
            "sub/conftest.py",
            "Makefile",
            "jest.config.js",
            ".babelrc",
            ".npmrc",
            "sitecustomize.py",
            ".cargo/config.toml",
            "difflib.py",
            "iniconfig.py",
            "unittest/__init__.py",
        ] {
            check("make", path, Class::Configuration);
        }
        for path in
            ["package.json", "web/package.json", "pyproject.toml", "setup.cfg", "Cargo.toml"]
        {
            check("make", path, Class::Mixed);
        }
        for path in [
            "src/__pycache__/a.cpython-311.pyc",
            "a.pyc",
            "A.class",
            "a.o",
            "lib/fast.cpython-311-x86_64-linux-gnu.so",
            "shop.egg-info/entry_points.txt",
        ] {
            check("make", path, Class::Artefact);
        }
        for path in [
            "src/cart.py",
            "src/contest.py",
            "README.md",
            "src/lib.rs",
            "check.sh",
            "latest.js",
            "src/fixtures/loader.py",
            "shop/difflib.py",
            "calendar.py",
            "data/cases.json",
        ] {
            check("make", path, Class::Product);
        }
    }

    #[test]
    fn the_configuration_of_the_base_decides() {
        let own = |it: &[&str]| it.iter().map(ToString::to_string).collect::<Vec<_>>();
        let classes = Classes::default()
            .configured(&own(&["checks/**/*.py", "src/fixtures"]), &own(&["testing", "t", "src"]));
        for (path, expected) in [
            ("checks/deep/a.py", Class::Test),
            ("src/fixtures/a.txt", Class::Test),
            ("testing/tests/a.py", Class::Product),
            ("t/a.py", Class::Product),
            ("tests/a.py", Class::Test),
        ] {
            assert_eq!(classes.of(path), expected, "{path}");
        }
    }

    #[test]
    fn a_script_that_the_command_runs_is_a_test() {
        for command in [
            "sh check.sh",
            "./check.sh --fast",
            "bash -e check.sh",
            "make build && sh check.sh",
            "CI=1 ./check.sh",
            "timeout 60 sh check.sh",
            "sh check.sh > /dev/null 2> log.txt",
        ] {
            check(command, "check.sh", Class::Test);
        }
        // What prints for another program is the product.
        for command in [
            "./check.sh | grep -q ok",
            "test \"$(./check.sh)\" = ok",
            "./check.sh > out.txt && diff out.txt expected.txt",
            "grep x check.sh",
            "sh -n check.sh",
            "node --check check.sh",
        ] {
            check(command, "check.sh", Class::Product);
        }
        let classes = Classes::of_command("sh check.sh", "", &|_| None);
        assert_eq!(classes.of("check.sh"), Class::Product, "the base has no such script");
    }

    /// PROOF-6: what a command reaches in the base is not the agent's.
    #[test]
    fn what_a_script_needs_is_a_test() {
        let text = |path: &str| {
            let text = match path {
                "Makefile" => "include rules.mk\ncheck:\n\tsh scripts/check.sh\n",
                "rules.mk" => "deep:\n\t$(MAKE) -C web\nunit:\n\tsh unit.sh\n",
                "scripts/check.sh" => {
                    "#!/bin/sh\n. \"$(dirname \"$0\")/lib.sh\"\npython3 tools/compare.py\nsh app.sh --all\n\
                     said=$(sh tools/print.sh)\n"
                }
                "scripts/lib.sh" => ". ./scripts/more.sh\nsh scripts/run.sh > out.txt\n",
                "web/package.json" => r#"{"scripts": {"test": "node check.js"}}"#,
                "web/Makefile" => "all:\n\t./all.sh\n",
                "scripts/more.sh" | "scripts/run.sh" | "tools/compare.py" | "tools/print.sh"
                | "app.sh" | "unit.sh" | "web/check.js" | "web/all.sh" | "check.js" => "true\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let check = |command: &str, folder: &str, expected: &[&str]| {
            let classes = Classes::of_command(command, folder, &text);
            let reached: BTreeSet<&str> =
                classes.scripts.iter().chain(&classes.helpers).map(String::as_str).collect();
            assert_eq!(reached, expected.iter().copied().collect(), "{command}");
        };
        let all = [
            "rules.mk",
            "scripts/check.sh",
            "scripts/lib.sh",
            "scripts/more.sh",
            "tools/compare.py",
        ];
        check("make check", "", &all);
        check("make -f rules.mk unit", "", &["rules.mk", "unit.sh"]);
        check("make -C web", "", &["web/all.sh"]);
        check("cd web && npm test", "", &["web/check.js"]);
        check("npm --prefix web test", "", &["web/check.js"]);
        check("npm test", "web", &["web/check.js"]);
        check("node check.js", "web", &["web/check.js"]);
    }
}
