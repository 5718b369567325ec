//! How much a part of a change matters to a judge: what could bend a verdict comes first.

use provost_kernel::{Message, Text};
use provost_rules::ecosystem::{self, Ecosystem};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    agent_config,
    concern::{Delivered, Form},
};

/// The class of a part of a change. The smaller, the earlier it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// 0: settings of agents, hooks, build scripts.
    Settings,
    /// 1: what configures test runners and CI.
    Runner,
    /// 2: a test that lost lines.
    TestWithDeletions,
    /// 3: any other test.
    Test,
    /// 4: lines of the product that could end, patch or leave a run.
    Risk,
    /// 5: the rest of the product.
    Product,
    /// 6: documents.
    Document,
    /// 6: lock files, which are only counted.
    Lock,
}

/// Why a file could bend a verdict.
#[derive(Debug, Message)]
#[message(code = "task.risk")]
enum Risk {
    #[message(
        en = "settings of agents, hooks or a build script",
        zh = "智能体设置、钩子或构建脚本"
    )]
    Settings,
    #[message(en = "configures how tests run", zh = "决定测试如何运行")]
    Runner,
    #[message(en = "a test that lost lines", zh = "删去了若干行的测试")]
    TestWithDeletions,
    #[message(en = "a test", zh = "测试")]
    Test,
    #[message(
        en = "could end a run, change what equal means, start a program or reach a network",
        zh = "可能结束运行、改变相等的含义、启动程序或访问网络"
    )]
    Line,
}

/// What a path alone says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathClass {
    Settings,
    Runner,
    Test,
    Product,
    Document,
    Lock,
}

/// Files that run when the project is built, installed or checked out.
const BUILD_SCRIPTS: [&str; 9] = [
    "CMakeLists.txt",
    "binding.gyp",
    "build.gradle",
    "build.gradle.kts",
    "build.rs",
    "conanfile.py",
    "settings.gradle",
    "settings.gradle.kts",
    "setup.py",
];

/// Files that configure compilers and runners and that no ecosystem names.
const RUNNER_FILES: [&str; 5] =
    [".swcrc", "babel.config.js", "babel.config.json", ".babelrc", "tsconfig.json"];

/// Folders of tests, in every language.
const TEST_FOLDERS: [&str; 10] = [
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "__snapshots__",
    "__mocks__",
    "e2e",
    "t",
    "testdata",
];

/// Ends of the names of tests, in every language.
const TEST_ENDS: [&str; 4] = [".bats", ".snap", ".t", "_test.go"];

/// Ends of the names of documents.
const DOCUMENTS: [&str; 7] = [".md", ".mdx", ".rst", ".txt", ".adoc", ".org", ".tex"];

/// What a line of the product contains that could end a run, change what equal means, look at the
/// environment, start a program or reach a network.
const RISKS: [&str; 61] = [
    // Ends a run.
    "exit(",
    "exit 0",
    "Exit(",
    "abort(",
    "atexit",
    "process.kill",
    "os.kill",
    "SystemExit",
    "panic::set_hook",
    "signal.",
    // Patches assertions, runners or what equal means.
    "__eq__",
    "__ne__",
    "__bool__",
    "__instancecheck__",
    "PartialEq for",
    "Symbol.toPrimitive",
    "Object.is",
    "Object.defineProperty",
    "Proxy(",
    ".prototype.",
    "AssertionError",
    "assert.",
    "setattr(",
    "monkeypatch",
    "unittest",
    "pytest",
    "sys.modules",
    "require.cache",
    "builtins",
    "globalThis",
    "macro_rules! assert",
    "cfg(test)",
    "cfg!(test)",
    // Looks at the environment.
    "environ",
    "getenv",
    "process.env",
    "process.argv",
    "sys.argv",
    "env::var",
    "import.meta.env",
    "NODE_ENV",
    "GITHUB_ACTIONS",
    // Starts a program or runs a text.
    "subprocess",
    "os.system",
    "popen",
    "child_process",
    "Command::new",
    "exec.Command",
    "exec(",
    "eval(",
    "new Function(",
    "__import__",
    "ctypes",
    "dlopen",
    // Reaches a network.
    "http://",
    "https://",
    "socket",
    "TcpStream",
    "net.Dial",
    "fetch(",
    "curl ",
];

impl Class {
    /// Whether a judge must have seen all of it before an approval counts.
    pub fn is_required(self) -> bool {
        self <= Self::Risk
    }

    /// Why a file of this class could bend a verdict; none where it could not.
    pub fn risk(self) -> Option<Text> {
        let risk = match self {
            Self::Settings => Risk::Settings,
            Self::Runner => Risk::Runner,
            Self::TestWithDeletions => Risk::TestWithDeletions,
            Self::Test => Risk::Test,
            Self::Risk => Risk::Line,
            Self::Product | Self::Document | Self::Lock => return None,
        };
        Some(risk.text())
    }

    /// What stands over the part, in the words of the prompt.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Settings => "agent settings, hooks, build scripts",
            Self::Runner => "configuration of test runners and CI",
            Self::TestWithDeletions => "tests with deleted lines",
            Self::Test => "other tests",
            Self::Risk => "product lines with risk words",
            Self::Product => "other product lines",
            Self::Document => "documents",
            Self::Lock => "lock files",
        }
    }
}

impl PathClass {
    pub(super) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_obeyed = agent_config::reader(Delivered { path, form: Form::File }).is_some();
        if is_obeyed || BUILD_SCRIPTS.contains(&name) {
            Self::Settings
        } else if is_runner_file(path) || RUNNER_FILES.contains(&name) {
            Self::Runner
        } else if is_lock_file(name) {
            Self::Lock
        } else if is_test(path, name) {
            Self::Test
        } else if DOCUMENTS.iter().any(|it| name.ends_with(it)) {
            Self::Document
        } else {
            Self::Product
        }
    }

    /// The class of a part of such a file.
    pub(super) fn class(self, loses_lines: bool, has_risk: bool) -> Class {
        match (self, loses_lines, has_risk) {
            (Self::Settings, ..) => Class::Settings,
            (Self::Runner, ..) => Class::Runner,
            (Self::Test, true, _) => Class::TestWithDeletions,
            (Self::Test, false, _) => Class::Test,
            (Self::Product, _, true) => Class::Risk,
            (Self::Product, _, false) => Class::Product,
            (Self::Document, ..) => Class::Document,
            (Self::Lock, ..) => Class::Lock,
        }
    }
}

/// Whether a line of the product has a risk word.
pub(super) fn is_risky(line: &str) -> bool {
    RISKS.iter().any(|it| line.contains(it))
}

fn is_runner_file(path: &str) -> bool {
    let replaces = |it: &Ecosystem| it.replaces_runner.iter().any(|it| it.matches(path));
    ecosystem::runner_file(path).is_some() || ecosystem::all().iter().any(replaces)
}

fn is_lock_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|it| it.1 == "lock")
        || ecosystem::any(|it| &it.lock_files, name)
}

fn is_test(path: &str, name: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let in_folder = folders.split('/').any(|it| TEST_FOLDERS.contains(&it));
    let syntax = ecosystem::test_syntax(path);
    // Where tests stand beside the code, a name says nothing.
    let by_syntax = syntax.is_some_and(|it| !it.beside_code && it.is_test_file(path));
    in_folder || by_syntax || TEST_ENDS.iter().any(|it| name.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_a_class() {
        use PathClass as P;
        for (path, expected) in [
            (".claude/settings.json", P::Settings),
            ("CLAUDE.md", P::Settings),
            (".github/workflows/ci.yml", P::Settings),
            (".gitattributes", P::Settings),
            (".npmrc", P::Settings),
            ("a/.cargo/config.toml", P::Settings),
            ("crates/a/build.rs", P::Settings),
            ("setup.py", P::Settings),
            ("conftest.py", P::Runner),
            ("package.json", P::Runner),
            ("Makefile", P::Runner),
            ("a/Cargo.toml", P::Runner),
            ("vitest.config.ts", P::Runner),
            ("tests/test_sums.py", P::Test),
            ("src/sum.test.ts", P::Test),
            ("pkg/sum_test.go", P::Test),
            ("tests/data/golden.json", P::Test),
            ("crates/a/tests/it/main.rs", P::Test),
            ("src/__snapshots__/a.snap", P::Test),
            ("src/lib.rs", P::Product),
            ("src/test_helper.rs", P::Product),
            ("src/contest.py", P::Product),
            ("bin/tool", P::Product),
            ("README.md", P::Document),
            ("docs/a.rst", P::Document),
            ("Cargo.lock", P::Lock),
            ("web/package-lock.json", P::Lock),
            ("go.sum", P::Lock),
        ] {
            assert_eq!(PathClass::of(path), expected, "{path}");
        }
    }

    #[test]
    fn a_part_of_a_file_has_a_class() {
        for (path, loses, risk, expected) in [
            ("tests/a.py", true, false, Class::TestWithDeletions),
            ("tests/a.py", false, true, Class::Test),
            ("src/a.py", true, true, Class::Risk),
            ("src/a.py", true, false, Class::Product),
            ("conftest.py", true, true, Class::Runner),
            ("README.md", true, true, Class::Document),
        ] {
            assert_eq!(PathClass::of(path).class(loses, risk), expected, "{path}");
        }
        let required = [Class::Settings, Class::Runner, Class::TestWithDeletions, Class::Test];
        assert!(required.into_iter().chain([Class::Risk]).all(Class::is_required));
        assert!(
            ![Class::Product, Class::Document, Class::Lock].into_iter().any(Class::is_required)
        );
    }

    #[test]
    fn what_must_be_seen_says_why() {
        use Class::{Document, Lock, Product, Risk, Runner, Settings, Test, TestWithDeletions};
        for class in [Settings, Runner, TestWithDeletions, Test, Risk, Product, Document, Lock] {
            assert_eq!(class.risk().is_some(), class.is_required(), "{class:?}");
        }
    }

    #[test]
    fn risk_words_are_found_and_ordinary_lines_are_not() {
        for line in [
            "    os._exit(0)",
            "  process.exit(0);",
            "std::process::exit(0);",
            "    def __eq__(self, other): return True",
            "impl PartialEq for Sum {",
            "if os.environ.get('CI'):",
            "subprocess.run(['make'])",
            "const r = await fetch(url)",
            "Object.is = () => true",
            "atexit.register(f)",
        ] {
            assert!(is_risky(line), "{line}");
        }
        for line in
            ["let sum = a + b;", "return total", "// adds up", "def add(a, b):", "fmt.Println(x)"]
        {
            assert!(!is_risky(line), "{line}");
        }
    }
}
