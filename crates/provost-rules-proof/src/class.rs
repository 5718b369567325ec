//! Which files of a repository are tests, and which are the product.
//!
//! The base decides: a file that an agent adds or renames is what its path says, and the scripts that
//! a command runs are those of the base.

mod reach;

use std::collections::BTreeSet;

use provost_rules::ecosystem::{self, Reads};
use provost_shell::{Place, parse};

use crate::paths::PathPatterns;

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
/// Endings of files that are tests in any ecosystem.
const ENDINGS: [&str; 3] = [".bats", ".t", ".snap"];
/// Where Rust keeps a module of tests that stands beside its code.
const TEST_MODULE: &str = "tests.rs";
/// Endings of compiled files that no ecosystem of the table names.
const COMPILED: [&str; 3] = [".pyc", ".class", ".o"];

/// Tells classes apart.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Scripts that the command runs.
    scripts: BTreeSet<String>,
    /// What the configuration of the base says, whatever a path looks like.
    tests: PathPatterns,
    product: PathPatterns,
}

impl Classes {
    /// The classes for a command, in a base of which `text` reads files.
    pub fn of_command(command: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let commands = reach::commands(command, text);
        let scripts = commands.iter().flat_map(|it| scripts(it));
        let scripts = scripts.filter(|it| text(it).is_some()).collect();
        Self { scripts, ..Self::default() }
    }

    /// The same with the paths that the configuration of the base names; tests go first.
    #[must_use]
    pub fn configured(self, tests: &[String], product: &[String]) -> Self {
        let patterns = |it: &[String]| PathPatterns::new(it.iter().map(String::as_str));
        Self { tests: patterns(tests), product: patterns(product), ..self }
    }

    /// The scripts that the command runs, itself or through make and package scripts.
    pub fn scripts(&self) -> impl Iterator<Item = &str> {
        self.scripts.iter().map(String::as_str)
    }

    /// Whether the command runs a file as a script.
    pub fn runs(&self, path: &str) -> bool {
        self.scripts.contains(path)
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
        let is_test = self.scripts.contains(path)
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

/// The scripts that decide how a command ends: run by themselves or by an interpreter, and neither
/// in a substitution nor in front of a pipe, where another program looks at what they print.
fn scripts(command: &str) -> impl Iterator<Item = String> {
    let script = parse(command);
    let feeds: Vec<usize> = script.pipes.iter().flat_map(|it| it.from.clone()).collect();
    let deciding = script.invocations.into_iter().enumerate().filter(move |(at, it)| {
        !feeds.contains(at) && !matches!(it.place, Place::Substitution | Place::Process)
    });
    deciding.filter_map(|(_, it)| {
        let words: Vec<&str> = it.words.iter().filter_map(|it| it.text()).collect();
        let (program, arguments) = words.split_first()?;
        let named = if is_interpreter(program) { file_argument(arguments)? } else { program };
        let named = named.strip_prefix("./").unwrap_or(named);
        (!named.starts_with('/')).then(|| named.to_owned())
    })
}

/// The scripts that a command names, itself or through make and package scripts, and that a version
/// does not have whose files `text` reads. A bare name is a program of the machine.
pub(crate) fn missing_scripts(command: &str, text: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let commands = reach::commands(command, text);
    let invocations = commands.iter().flat_map(|it| parse(it).invocations);
    let named = invocations.filter_map(|it| {
        let words: Vec<&str> = it.words.iter().filter_map(|it| it.text()).collect();
        let (program, arguments) = words.split_first()?;
        let named = if is_interpreter(program) { file_argument(arguments) } else { None };
        let named = named.or_else(|| program.contains('/').then_some(program))?;
        let named = named.strip_prefix("./").unwrap_or(named);
        (!named.starts_with('/')).then(|| named.to_owned())
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

fn is_interpreter(program: &str) -> bool {
    !program.contains('/') && runs_file(program)
}

/// Whether a program runs the file that is its first argument.
fn runs_file(program: &str) -> bool {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "python" | "node" | "ruby" | "perl")
        || matches!(name, "deno" | "bun" | "php" | "source" | ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, path: &str, expected: Class) {
        let classes = Classes::of_command(command, &|_| Some(String::new()));
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
        ] {
            check("make", path, Class::Test);
        }
        for path in [
            "conftest.py",
            "sub/conftest.py",
            "Makefile",
            "jest.config.js",
            ".npmrc",
            "sitecustomize.py",
            ".cargo/config.toml",
        ] {
            check("make", path, Class::Configuration);
        }
        for path in
            ["package.json", "web/package.json", "pyproject.toml", "setup.cfg", "Cargo.toml"]
        {
            check("make", path, Class::Mixed);
        }
        for path in ["src/__pycache__/a.cpython-311.pyc", "a.pyc", "A.class", "a.o"] {
            check("make", path, Class::Artefact);
        }
        for path in
            ["src/cart.py", "src/contest.py", "README.md", "src/lib.rs", "check.sh", "latest.js"]
        {
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
        ] {
            check(command, "check.sh", Class::Test);
        }
        // What prints for another program is the product.
        for command in [
            "./check.sh | grep -q ok",
            "test \"$(./check.sh)\" = ok",
            "grep x check.sh",
            "sh -n check.sh",
            "node --check check.sh",
        ] {
            check(command, "check.sh", Class::Product);
        }
        let classes = Classes::of_command("sh check.sh", &|_| None);
        assert_eq!(classes.of("check.sh"), Class::Product, "the base has no such script");
    }
}
