use super::*;

/// Gates as `kind name @folder: command`; `-` does not apply, `?` is not configured.
fn shown(gates: &[Gate]) -> Vec<String> {
    let one = |it: &Gate| {
        let plan = match &it.plan {
            GatePlan::Run(command) => command,
            GatePlan::NotApplicable => "-",
            GatePlan::NotConfigured => "?",
        };
        let name = if it.name.is_empty() { String::new() } else { format!(" <{}>", it.name) };
        let folder = if it.folder.is_empty() { "" } else { " @" };
        format!("{}{name}{folder}{}: {plan}", it.kind, it.folder)
    };
    gates.iter().map(one).collect()
}

fn planned(configured: &[ConfiguredGate], files: &[(&str, &str)], changed: &[&str]) -> Vec<String> {
    let paths: BTreeSet<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let read =
        |path: &str| files.iter().find(|(it, _)| *it == path).map(|(_, text)| (*text).to_owned());
    shown(&plan(configured, ProjectFiles { paths: &paths, read: &read }, changed))
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(planned(&[], files, &["src/a.x"]), expected, "{files:?}");
}

/// STORY-1.2: each ecosystem has its command lines (ruling 51).
#[test]
fn gates_are_found_by_the_files_of_the_base() {
    check(
        &[("Cargo.toml", ""), ("Makefile", "build:\n")],
        &["typecheck: cargo check --workspace --all-targets", "build: cargo build --workspace"],
    );
    check(&[("go.mod", "")], &["typecheck: go vet ./...", "build: go build ./..."]);
    check(
        &[("pom.xml", "")],
        &["typecheck: mvn -q test-compile", "build: mvn -q -DskipTests package"],
    );
    check(
        &[("build.gradle.kts", "")],
        &["typecheck: gradle testClasses", "build: gradle assemble"],
    );
    check(
        &[("build.gradle", ""), ("gradlew", "")],
        &["typecheck: ./gradlew testClasses", "build: ./gradlew assemble"],
    );
    check(&[("README", "")], &["typecheck: ?", "build: ?"]);
    check(&[], &["typecheck: ?", "build: ?"]);
}

#[test]
fn a_node_project_is_checked_by_its_own_scripts_and_manager() {
    let scripts = r#"{"scripts": {"types": "tsc", "type-check": "tsc -b", "build": "vite build"}}"#;
    check(&[("package.json", scripts)], &["typecheck: npm run type-check", "build: npm run build"]);
    check(
        &[("package.json", scripts), ("pnpm-lock.yaml", "")],
        &["typecheck: pnpm run type-check", "build: pnpm run build"],
    );
    check(
        &[("package.json", "{}"), ("tsconfig.json", "{}"), ("yarn.lock", "")],
        &["typecheck: yarn exec tsc --noEmit", "build: -"],
    );
    check(&[("package.json", "not JSON"), ("bun.lockb", "")], &["typecheck: -", "build: -"]);
}

#[test]
fn a_python_project_is_checked_by_what_it_configures() {
    check(&[("requirements.txt", "")], &["typecheck: python3 -m compileall -q .", "build: -"]);
    check(
        &[("pyproject.toml", "[build-system]\n[tool.mypy]\n")],
        &["typecheck: python3 -m mypy .", "build: python3 -m build --no-isolation"],
    );
    check(&[("setup.py", ""), ("pyrightconfig.json", "{}")], &["typecheck: pyright", "build: -"]);
}

#[test]
fn a_makefile_alone_is_its_build() {
    check(&[("Makefile", "all:\n\techo\n")], &["typecheck: -", "build: make"]);
    check(
        &[("Makefile", "CC := x\nbuild : a\ntypecheck:\n")],
        &["typecheck: make typecheck", "build: make build"],
    );
    check(&[("GNUmakefile", "build := 1\n")], &["typecheck: -", "build: make"]);
}

/// Where several tools are at work, each has its gate; a package without a root has its own.
#[test]
fn every_package_that_is_touched_is_checked() {
    let both = [("Cargo.toml", ""), ("go.mod", "")];
    assert_eq!(
        planned(&[], &both, &["a.go"]),
        [
            "typecheck <cargo typecheck>: cargo check --workspace --all-targets",
            "typecheck <go typecheck>: go vet ./...",
            "build <cargo build>: cargo build --workspace",
            "build <go build>: go build ./...",
        ],
    );
    let packages = [("api/go.mod", ""), ("web/package.json", "{}"), ("old/go.mod", "")];
    assert_eq!(
        planned(&[], &packages, &["api/v1/x.go", "web/src/a.js", "README.md"]),
        [
            "typecheck <go typecheck (api)> @api: go vet ./...",
            "typecheck <node typecheck (web)> @web: -",
            "build <go build (api)> @api: go build ./...",
            "build <node build (web)> @web: -",
        ],
    );
    assert_eq!(planned(&[], &packages, &["other/x.c"]), ["typecheck: ?", "build: ?"]);
}

#[test]
fn documents_need_no_gate_and_nothing_else_is_a_document() {
    let files = [("Cargo.toml", "")];
    let none = ["typecheck: -", "build: -"];
    assert_eq!(planned(&[], &files, &["README.md", "docs/a.RST"]), none);
    for changed in [&["README.md", "src/lib.rs"][..], &["requirements.txt"], &["a.mdx"], &[]] {
        assert_ne!(planned(&[], &files, changed), none, "{changed:?}");
    }
}

#[test]
fn the_configuration_comes_first_and_leaves_open_what_it_does_not_name() {
    let gate = |id: &str, kind, when: Option<&str>| ConfiguredGate {
        id: id.to_owned(),
        kind,
        command: format!("run {id}"),
        when: when.map(str::to_owned),
    };
    let configured = [
        gate("api", GateKind::Build, None),
        gate("web", GateKind::Build, Some("web.json")),
        gate("unit", GateKind::Test, None),
    ];
    assert_eq!(
        planned(&configured, &[("Cargo.toml", "")], &["a.rs"]),
        [
            "typecheck: cargo check --workspace --all-targets",
            "build <api>: run api",
            "test <unit>: run unit",
        ],
    );
    let with_web = [("Cargo.toml", ""), ("web.json", "")];
    assert!(planned(&configured, &with_web, &["a.rs"]).contains(&"build <web>: run web".into()));
    let paths = BTreeSet::from(["Makefile".to_owned()]);
    let read = |_: &str| Some("check:\n".to_owned());
    let base = ProjectFiles { paths: &paths, read: &read };
    assert_eq!(tests(&configured, base, &[]).unwrap().command, "run unit");
    assert_eq!(tests(&[], base, &[]).unwrap().command, "make check");
}
