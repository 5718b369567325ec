use std::collections::BTreeSet;

use super::*;

fn detected(files: &[(&str, &str)]) -> Detected {
    let paths: BTreeSet<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let read =
        |path: &str| files.iter().find(|(it, _)| *it == path).map(|(_, text)| (*text).to_owned());
    checks(ProjectFiles { paths: &paths, read: &read })
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: Option<&str>) {
    assert_eq!(detected(files).checks.test.as_deref(), expected, "{files:?}");
}

/// Every check, as `test · types · build · lint`.
#[track_caller]
fn check_all(files: &[(&str, &str)], expected: [&str; 4]) {
    let Checks { test, typecheck, build, lint } = detected(files).checks;
    let actual = [test, typecheck, build, lint].map(|it| it.unwrap_or_else(|| "-".to_owned()));
    assert_eq!(actual, expected, "{files:?}");
}

/// The projects, as `kind folder (manager by file)`.
fn shown(files: &[(&str, &str)]) -> Vec<String> {
    let one = |it: &FoundProject| {
        let by = it.manager.as_ref().map(|it| format!(" ({} by {})", it.name, it.found_by));
        format!("{} {:?}{}", it.kind, it.folder, by.unwrap_or_default())
    };
    detected(files).projects.iter().map(one).collect()
}

const UNITTEST: &str = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n";

#[test]
fn nothing_found_is_a_value() {
    assert_eq!(detected(&[]), Detected::default());
    assert_eq!(detected(&[("README.md", "# x"), ("src/main.c", "")]), Detected::default());
}

#[test]
fn a_python_project_is_tested_by_the_runner_that_its_files_are_for() {
    let pytest = Some("python3 -m pytest -q");
    check(&[("pyproject.toml", "[tool.pytest.ini_options]\n")], pytest);
    check(&[("requirements.txt", "flask\n"), ("requirements-dev.txt", "pytest==8\n")], pytest);
    check(&[("setup.py", ""), ("tests/test_a.py", "import pytest\n")], pytest);
    check(&[("setup.py", ""), ("tests/test_a.py", "def test_a():\n    assert 1\n")], pytest);
    check(
        &[
            ("pyproject.toml", "[project]\n"),
            ("tests/__init__.py", ""),
            ("tests/test_a.py", UNITTEST),
        ],
        Some("python3 -m unittest"),
    );
    check(
        &[("pyproject.toml", "[project]\n"), ("tests/test_a.py", UNITTEST)],
        Some("python3 -m unittest discover -s tests"),
    );
    check(
        &[("setup.cfg", ""), ("test/test_a.py", UNITTEST)],
        Some("python3 -m unittest discover -s test"),
    );
    check(
        &[("manage.py", "import django\n"), ("requirements.txt", "django\n")],
        Some("python3 manage.py test"),
    );
    // No test file, and nothing that names a runner.
    check(&[("requirements.txt", "flask\n"), ("app.py", "")], None);
}

#[test]
fn python_programs_without_a_manifest_are_found_by_their_tests() {
    check(&[("calc.py", ""), ("test_calc.py", UNITTEST)], Some("python3 -m unittest"));
    check(
        &[("购物车.py", ""), ("test_购物车.py", "def test_总价():\n    assert 1\n")],
        Some("python3 -m pytest -q"),
    );
    check(
        &[("calc.py", ""), ("tests/test_calc.py", UNITTEST)],
        Some("python3 -m unittest discover -s tests"),
    );
    check(&[("src/deep/test_calc.py", UNITTEST)], None);
}

#[test]
fn a_node_project_is_tested_by_its_script_and_its_manager() {
    let script = r#"{"name": "商店", "scripts": {"test": "node --test"}}"#;
    for (lock, expected) in [
        ("package-lock.json", "npm test"),
        ("pnpm-lock.yaml", "pnpm test"),
        ("yarn.lock", "yarn test"),
        ("bun.lock", "bun run test"),
        ("README.md", "npm test"),
    ] {
        check(&[("package.json", script), (lock, "")], Some(expected));
    }
    let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
    check(&[("package.json", placeholder)], None);
    check(&[("package.json", r#"{"scripts": {"test": " "}}"#)], None);
    check(&[("package.json", "not JSON")], None);
    check(
        &[("package.json", placeholder), ("a.test.js", "const test = require('node:test');\n")],
        Some("node --test"),
    );
    check(&[("package.json", placeholder), ("Makefile", "test:\n\t./t.sh\n")], Some("make test"));
}

#[test]
fn each_other_ecosystem_has_its_command() {
    check(&[("Cargo.toml", "[package]\nname = \"x\"\n")], Some("cargo test"));
    check(&[("Cargo.toml", "[workspace]\n")], Some("cargo test --workspace"));
    check(&[("go.mod", "module x\n")], Some("go test -count=1 ./..."));
    check(&[("Makefile", "test: build\n\t./t.sh\n")], Some("make test"));
    check(&[("Makefile", "all:\n\tcc x.c\n")], None);
    check(&[("Makefile", "test := 1\n")], None);
    check(&[("pom.xml", "")], Some("mvn -q test"));
    check(&[("build.gradle.kts", "")], Some("gradle test"));
    check(&[("build.gradle", ""), ("gradlew", "")], Some("./gradlew test"));
    check(&[("Gemfile", "gem 'rspec'\n")], Some("bundle exec rspec"));
    check(&[("Gemfile", ""), ("Rakefile", "task :test do\n")], Some("bundle exec rake test"));
    check(&[("Gemfile", "")], None);
    check(&[("Shop.sln", "")], Some("dotnet test"));
    check(&[("composer.json", r#"{"scripts": {"test": ["phpunit"]}}"#)], Some("composer test"));
    check(&[("composer.json", "{}"), ("phpunit.xml.dist", "")], Some("vendor/bin/phpunit"));
    // Beside a language, a makefile is a shorthand for its tools.
    check(&[("go.mod", ""), ("Makefile", "test:\n")], Some("go test -count=1 ./..."));
}

#[test]
fn other_checks_are_found_where_they_are_configured() {
    check_all(
        &[("pyproject.toml", "[tool.mypy]\n[tool.ruff]\n[tool.pytest.ini_options]\n")],
        ["python3 -m pytest -q", "python3 -m mypy .", "-", "ruff check ."],
    );
    // A gate would compile; that finds no wrong types.
    check_all(&[("requirements.txt", "pytest\n")], ["python3 -m pytest -q", "-", "-", "-"]);
    check_all(
        &[
            (
                "package.json",
                r#"{"scripts": {"test": "jest", "build": "vite build", "lint": "eslint"}}"#,
            ),
            ("tsconfig.json", "{}"),
            ("pnpm-lock.yaml", ""),
        ],
        ["pnpm test", "pnpm exec tsc --noEmit", "pnpm run build", "pnpm run lint"],
    );
    check_all(
        &[("go.mod", ""), (".golangci.yml", "")],
        ["go test -count=1 ./...", "-", "-", "golangci-lint run"],
    );
    check_all(
        &[("Cargo.toml", "[package]\n[lints.clippy]\n")],
        ["cargo test", "-", "-", "cargo clippy --workspace --all-targets"],
    );
    check_all(&[("Makefile", "test:\nlint:\n")], ["make test", "-", "-", "make lint"]);
}

#[test]
fn a_package_manager_is_found_with_its_file() {
    let package = ("package.json", r#"{"scripts": {"test": "jest"}}"#);
    assert_eq!(shown(&[package, ("yarn.lock", "")]), [r#"node "" (yarn 1 by yarn.lock)"#]);
    assert_eq!(
        shown(&[("pyproject.toml", "[project]\n"), ("uv.lock", "")]),
        [r#"python "" (uv by uv.lock)"#],
    );
    assert_eq!(shown(&[("Cargo.toml", "[package]\n")]), [r#"cargo """#]);
}

#[test]
fn several_projects_at_the_root_are_all_tested() {
    let files = [
        ("pyproject.toml", "[tool.pytest]\n"),
        ("package.json", r#"{"scripts": {"test": "jest"}}"#),
    ];
    check(&files, Some("npm test && python3 -m pytest -q"));
}

#[test]
fn subprojects_are_tested_where_the_root_has_no_test() {
    let api = ("api/go.mod", "module api\n");
    let web = ("网页 前端/package.json", r#"{"scripts": {"test": "jest"}}"#);
    check(&[api], Some("cd api && go test -count=1 ./..."));
    check(&[api, web], Some("(cd api && go test -count=1 ./...) && (cd '网页 前端' && npm test)"));
    check(&[("it's/go.mod", "")], Some(r"cd 'it'\''s' && go test -count=1 ./..."));
    check(&[("-x/go.mod", "")], Some("cd ./-x && go test -count=1 ./..."));
    // What belongs to somebody else, or to a test, is passed over.
    check(&[("vendor/x/go.mod", ""), ("tests/fixture/Cargo.toml", "")], None);

    let detected = detected(&[("go.mod", "module x\n"), api, web]);
    assert_eq!(detected.checks.test.as_deref(), Some("go test -count=1 ./..."));
    let left_out: Vec<_> = detected.left_out().map(|it| it.folder.as_str()).collect();
    assert_eq!(left_out, ["api", "网页 前端"]);
}

#[test]
fn members_of_a_workspace_belong_to_it() {
    let member = ("packages/a/package.json", r#"{"scripts": {"test": "jest"}}"#);
    let root = r#"{"workspaces": ["packages/*"], "scripts": {"test": "jest"}}"#;
    assert_eq!(shown(&[("package.json", root), member]), [r#"node """#]);
    let without_test = r#"{"workspaces": ["packages/*"]}"#;
    check(&[("package.json", without_test), member], Some("cd packages/a && npm test"));
    let workspace = ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    let member = ("crates/a/Cargo.toml", "[package]\n");
    assert_eq!(shown(&[workspace, member]), [r#"cargo """#]);
    // A folder inside a project that is tested as a whole is not one of its own.
    let nested = [("a/Cargo.toml", "[package]\n"), ("a/b/Cargo.toml", "[package]\n")];
    assert_eq!(shown(&nested), [r#"cargo "a""#]);
}
