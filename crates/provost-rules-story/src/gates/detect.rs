//! What the files of a folder say about how it is checked, one function for each ecosystem.

use std::fmt;

use serde_json::Value;

use super::GateBase;

/// The tools of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ecosystem {
    Cargo,
    Node,
    Go,
    Python,
    Maven,
    Gradle,
    Make,
}

/// How a folder is checked. A command that is none is one that is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) ecosystem: Ecosystem,
    pub(super) folder: String,
    pub(super) typecheck: Option<String>,
    pub(super) build: Option<String>,
    pub(super) test: Option<String>,
}

/// A folder of the base.
#[derive(Clone, Copy)]
struct Folder<'a> {
    base: GateBase<'a>,
    path: &'a str,
}

/// The scripts by which people call the check of types, the most usual first.
const TYPECHECK_SCRIPTS: [&str; 4] = ["check-types", "typecheck", "type-check", "types"];
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

impl Ecosystem {
    /// Everything that a folder can be checked by. A makefile counts where it is alone: beside the
    /// tools of a language it is a shorthand for them.
    pub(super) fn all(base: GateBase<'_>, path: &str) -> Vec<Found> {
        let folder = Folder { base, path };
        let tools = [cargo, node, go, python, maven, gradle];
        let found: Vec<Found> = tools.into_iter().filter_map(|it| it(folder)).collect();
        if found.is_empty() { make(folder).into_iter().collect() } else { found }
    }
}

impl Folder<'_> {
    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    fn has(&self, name: &str) -> bool {
        self.base.paths.contains(&self.at(name))
    }

    fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|it| self.has(it))
    }

    /// A file of the base, or nothing.
    fn text(&self, name: &str) -> String {
        if !self.has(name) {
            return String::new();
        }
        (self.base.read)(&self.at(name)).unwrap_or_default()
    }

    /// Whether the folder says anywhere that its tests are those of pytest.
    fn uses_pytest(&self) -> bool {
        const NAMING: [&str; 7] = [
            "pyproject.toml",
            "setup.cfg",
            "setup.py",
            "tox.ini",
            "requirements.txt",
            "requirements-dev.txt",
            "dev-requirements.txt",
        ];
        self.has_any(&["pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"])
            || NAMING.iter().any(|it| self.text(it).contains("pytest"))
    }

    fn found(&self, ecosystem: Ecosystem, commands: [Option<&str>; 3]) -> Found {
        let [typecheck, build, test] = commands.map(|it| it.map(str::to_owned));
        Found { ecosystem, folder: self.path.to_owned(), typecheck, build, test }
    }
}

fn cargo(folder: Folder<'_>) -> Option<Found> {
    let commands = [
        Some("cargo check --workspace --all-targets"),
        Some("cargo build --workspace"),
        Some("cargo test --workspace"),
    ];
    folder.has("Cargo.toml").then(|| folder.found(Ecosystem::Cargo, commands))
}

fn node(folder: Folder<'_>) -> Option<Found> {
    if !folder.has("package.json") {
        return None;
    }
    let package: Value = serde_json::from_str(&folder.text("package.json")).unwrap_or_default();
    let has_script = |name: &str| package["scripts"][name].is_string();
    let (run, execute) = if folder.has("pnpm-lock.yaml") {
        ("pnpm run", "pnpm exec")
    } else if folder.has("yarn.lock") {
        ("yarn run", "yarn exec")
    } else if folder.has_any(&["bun.lock", "bun.lockb"]) {
        ("bun run", "bunx --no-install")
    } else {
        ("npm run", "npx --no-install")
    };
    let script = TYPECHECK_SCRIPTS.into_iter().find(|it| has_script(it));
    let typecheck = match script {
        Some(script) => Some(format!("{run} {script}")),
        None => folder.has("tsconfig.json").then(|| format!("{execute} tsc --noEmit")),
    };
    Some(Found {
        ecosystem: Ecosystem::Node,
        folder: folder.path.to_owned(),
        typecheck,
        build: has_script("build").then(|| format!("{run} build")),
        test: has_script("test").then(|| format!("{run} test")),
    })
}

fn go(folder: Folder<'_>) -> Option<Found> {
    let commands = [Some("go vet ./..."), Some("go build ./..."), Some("go test -v ./...")];
    folder.has("go.mod").then(|| folder.found(Ecosystem::Go, commands))
}

fn python(folder: Folder<'_>) -> Option<Found> {
    if !folder.has_any(&["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"]) {
        return None;
    }
    let (project, setup) = (folder.text("pyproject.toml"), folder.text("setup.cfg"));
    let has_table =
        |text: &str, name: &str| text.lines().any(|it| it.trim().starts_with(&format!("[{name}")));
    let typecheck = if folder.has_any(&["mypy.ini", ".mypy.ini"])
        || has_table(&project, "tool.mypy")
        || has_table(&setup, "mypy")
    {
        "python3 -m mypy ."
    } else if folder.has("pyrightconfig.json") || has_table(&project, "tool.pyright") {
        "pyright"
    } else {
        "python3 -m compileall -q ."
    };
    // Without a network, the backend can only be the one that is installed.
    let build = has_table(&project, "build-system").then_some("python3 -m build --no-isolation");
    let test = if folder.uses_pytest() { "python3 -m pytest -v" } else { "python3 -m unittest -v" };
    Some(folder.found(Ecosystem::Python, [Some(typecheck), build, Some(test)]))
}

fn maven(folder: Folder<'_>) -> Option<Found> {
    let commands =
        [Some("mvn -q test-compile"), Some("mvn -q -DskipTests package"), Some("mvn test")];
    folder.has("pom.xml").then(|| folder.found(Ecosystem::Maven, commands))
}

fn gradle(folder: Folder<'_>) -> Option<Found> {
    let commands = if folder.has("gradlew") {
        ["./gradlew testClasses", "./gradlew assemble", "./gradlew test"]
    } else {
        ["gradle testClasses", "gradle assemble", "gradle test"]
    };
    let is_there = folder.has_any(&["build.gradle", "build.gradle.kts"]);
    is_there.then(|| folder.found(Ecosystem::Gradle, commands.map(Some)))
}

/// Make has no types of its own: what its build compiles, it checks.
fn make(folder: Folder<'_>) -> Option<Found> {
    let name = MAKEFILES.into_iter().find(|it| folder.has(it))?;
    let text = folder.text(name);
    let has = |target: &str| {
        text.lines().any(|line| {
            let rest = line.strip_prefix(target).map(str::trim_start);
            rest.is_some_and(|it| it.starts_with(':') && !it.starts_with(":="))
        })
    };
    let typecheck = ["typecheck", "check-types"].into_iter().find(|it| has(it));
    let test = ["test", "check"].into_iter().find(|it| has(it));
    let command = |target: &str| format!("make {target}");
    Some(Found {
        ecosystem: Ecosystem::Make,
        folder: folder.path.to_owned(),
        typecheck: typecheck.map(command),
        build: Some(if has("build") { command("build") } else { "make".to_owned() }),
        test: test.map(command),
    })
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cargo => "cargo",
            Self::Node => "node",
            Self::Go => "go",
            Self::Python => "python",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
            Self::Make => "make",
        })
    }
}
