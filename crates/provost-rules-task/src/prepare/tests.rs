use std::collections::BTreeSet;

use super::*;

type Texts<'a> = &'a [(&'a str, &'a str)];

/// What is suggested, with a manifest beside each lock file that needs one.
fn suggested(base: Texts<'_>, delivered: Texts<'_>) -> Suggestion {
    let manifest = |lock: &str| {
        Some(match lock.rsplit_once('/').map_or(lock, |it| it.1) {
            "Cargo.lock" => lock.replace("Cargo.lock", "Cargo.toml"),
            "go.sum" => lock.replace("go.sum", "go.mod"),
            _ => return None,
        })
    };
    let complete = |files: Texts<'_>| -> Vec<(String, String)> {
        let given = files.iter().map(|it| (it.0.to_owned(), it.1.to_owned()));
        let added = files.iter().filter_map(|it| manifest(it.0));
        let added = added.filter(|path| !files.iter().any(|it| it.0 == path));
        given.chain(added.map(|it| (it, String::new()))).collect()
    };
    let (base, delivered) = (complete(base), complete(delivered));
    suggested_as_is(&borrowed(&base), &borrowed(&delivered))
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect()
}

fn suggested_as_is(base: Texts<'_>, delivered: Texts<'_>) -> Suggestion {
    let text = |files: Texts<'_>, path: &str| {
        files.iter().find(|it| it.0 == path).map(|it| it.1.to_owned())
    };
    let paths = |files: Texts<'_>| files.iter().map(|it| it.0.to_owned()).collect::<BTreeSet<_>>();
    suggest(Files {
        base_paths: &paths(base),
        paths: &paths(delivered),
        is_same: &|path| text(base, path) == text(delivered, path),
        base: &|path| text(base, path),
        delivered: &|path| text(delivered, path),
    })
}

/// The names and folders of what is installed.
fn found(files: Texts<'_>) -> Vec<(&'static str, String)> {
    let suggestion = suggested(files, files);
    assert_eq!(suggestion.left_out, [], "{files:?}");
    suggestion.installs.into_iter().map(|it| (it.name, it.folder)).collect()
}

#[track_caller]
fn left_out(base: Texts<'_>, delivered: Texts<'_>, because: &str) {
    let suggestion = suggested(base, delivered);
    assert_eq!(suggestion.installs, [], "{delivered:?}");
    let found: Vec<&str> = suggestion.left_out.iter().map(|it| it.because.as_str()).collect();
    assert_eq!(found, [because], "{delivered:?}");
}

#[track_caller]
fn followed(base: Texts<'_>, delivered: Texts<'_>) {
    let suggestion = suggested(base, delivered);
    assert_eq!((suggestion.installs.len(), suggestion.left_out), (1, vec![]), "{delivered:?}");
}

/// A lock file without the project that it locks is a file like any other.
#[test]
fn a_stray_lock_file_installs_nothing() {
    for lock in ["Cargo.lock", "go.sum"] {
        let suggestion = suggested_as_is(&[], &[(lock, "")]);
        assert_eq!((suggestion.installs, suggestion.left_out), (vec![], vec![]), "{lock}");
    }
}

#[test]
fn each_row_is_found_by_its_file() {
    assert_eq!(suggested(&[], &[]), Suggestion::default());
    for (file, text, name) in [
        ("package-lock.json", "{}", "npm"),
        ("npm-shrinkwrap.json", "{}", "npm"),
        ("pnpm-lock.yaml", "", "pnpm"),
        ("yarn.lock", "# yarn lockfile v1\n", "yarn 1"),
        ("yarn.lock", "__metadata:\n  version: 8\n", "yarn"),
        ("bun.lock", "{}", "bun"),
        ("uv.lock", "", "uv"),
        ("poetry.lock", "", "poetry"),
        ("Pipfile.lock", "{}", "pipenv"),
        ("requirements.txt", "x==1\n", "pip"),
        ("requirements-dev.txt", "x==1\n", "pip"),
        ("pyproject.toml", "[project]\nname = 'x'\n", "pyproject"),
        ("Cargo.lock", "", "cargo"),
        ("go.sum", "", "go"),
        ("pom.xml", "", "maven"),
        ("build.gradle.kts", "", "gradle"),
        ("Gemfile.lock", "", "bundler"),
        ("composer.lock", "", "composer"),
        ("packages.lock.json", "", "dotnet"),
    ] {
        assert_eq!(found(&[(file, text)]), [(name, String::new())], "{file}");
    }
    // A file that configures tools alone is not a project.
    assert_eq!(found(&[("pyproject.toml", "[tool.ruff]\n")]), []);
    assert_eq!(found(&[("go.sum", ""), ("vendor/modules.txt", "")]), []);
}

/// Two package managers of one ecosystem would undo each other's work.
#[test]
fn one_row_of_an_ecosystem_applies_to_a_folder() {
    let both = [("pnpm-lock.yaml", ""), ("package-lock.json", "{}"), ("Cargo.lock", "")];
    let root = String::new();
    assert_eq!(found(&both), [("pnpm", root.clone()), ("cargo", root.clone())]);
    let python = [("uv.lock", ""), ("requirements.txt", ""), ("pyproject.toml", "[project]")];
    assert_eq!(found(&python), [("uv", root)]);
}

#[test]
fn a_project_in_a_subfolder_is_installed_and_a_member_of_a_workspace_is_not() {
    let at = |folder: &str| folder.to_owned();
    let apart = [("Cargo.lock", ""), ("frontend/package-lock.json", "{}")];
    assert_eq!(found(&apart), [("cargo", at("")), ("npm", at("frontend"))]);
    let two =
        [("package-lock.json", "{}"), ("package.json", "{}"), ("web/package-lock.json", "{}")];
    assert_eq!(found(&two), [("npm", at("")), ("npm", at("web"))]);
    let member = [
        ("package-lock.json", "{}"),
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("packages/a/package-lock.json", "{}"),
        ("tools/package-lock.json", "{}"),
    ];
    assert_eq!(found(&member), [("npm", at("")), ("npm", at("tools"))]);
    let crates = [
        ("Cargo.lock", ""),
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n"),
        ("crates/a/Cargo.lock", ""),
        ("fuzz/Cargo.lock", ""),
    ];
    assert_eq!(found(&crates), [("cargo", at("")), ("cargo", at("fuzz"))]);
}

/// A lock file that a test works on is not one of the project.
#[test]
fn lock_files_of_tests_and_of_other_projects_are_passed_over() {
    for path in [
        "tests/fixtures/a/package-lock.json",
        "node_modules/x/package-lock.json",
        "vendor/x/Cargo.lock",
        "examples/a/package-lock.json",
        ".github/x/package-lock.json",
        "a/b/c/d/package-lock.json",
        "docs/requirements.txt",
    ] {
        assert_eq!(found(&[(path, "{}")]), [], "{path}");
    }
    let api = [("api/requirements.txt", "x\n"), ("api/main.py", "")];
    assert_eq!(found(&api), [("pip", "api".to_owned())]);
}

#[test]
fn the_commands_are_those_of_the_row_with_what_is_to_be_installed() {
    let install = |files: Texts<'_>| suggested(files, files).installs.remove(0);
    let both = install(&[
        ("requirements.txt", "x==1"),
        ("requirements-dev.txt", "-r requirements.txt\ny"),
    ]);
    let fetch = both.fetch.last().unwrap();
    assert!(fetch.ends_with(":all: -r requirements-dev.txt -r requirements.txt"), "{fetch}");
    assert_eq!(both.environment.as_deref(), Some(".venv"));
    let text = "[build-system]\nrequires = ['setuptools>=61']\n[project]\nname = 'shop'\n\
                dependencies = ['idna>=3; python_version > \"3\"']\n\
                [project.optional-dependencies]\ntest = ['pytest', 'shop[x]']\nx = ['no']\n";
    let project = install(&[("sub/pyproject.toml", text)]);
    let fetch = project.fetch.last().unwrap();
    let words = "'setuptools>=61' wheel 'idna>=3; python_version > \"3\"' pytest";
    assert!(fetch.ends_with(words), "{fetch}");
    assert_eq!((project.build.len(), project.must_build), (1, true));
    assert_eq!(project.environment.as_deref(), Some("sub/.venv"));
    let virtual_one = install(&[("uv.lock", ""), ("pyproject.toml", "[project]\nname = 'x'\n")]);
    assert_eq!((virtual_one.fetch.len(), virtual_one.build.len()), (1, 0));
    assert!(!install(&[("pom.xml", "")]).must_fetch);
    assert!(install(&[("Cargo.lock", "")]).must_fetch);
}

/// What was installed for the base serves as long as nothing that decides about it changes.
#[test]
fn an_installation_is_that_of_the_base_until_its_files_change() {
    let is_of_base = |base: Texts<'_>, delivered: Texts<'_>| {
        suggested(base, delivered).installs.remove(0).is_of_base
    };
    let npm = ("package-lock.json", "{}");
    assert!(is_of_base(&[npm], &[npm, ("src/a.js", "")]));
    assert!(!is_of_base(&[npm], &[("package-lock.json", "{ }")]));
    assert!(!is_of_base(&[npm], &[npm, ("package.json", "{}")]));
    let python = [("requirements-dev.txt", "-r more.txt\n"), ("more.txt", "x==1\n")];
    assert!(is_of_base(&python, &python));
    assert!(!is_of_base(&python, &[python[0], ("more.txt", "x==2\n")]));
}

/// STORY-6.1: a package manager runs nothing that was delivered.
#[test]
fn a_package_manager_is_not_told_what_to_run() {
    let npm = ("package-lock.json", "{}");
    left_out(&[npm], &[npm, (".npmrc", "git=./evil.sh")], ".npmrc");
    let git = ("package-lock.json", r#"{"resolved": "git+file:///x#1"}"#);
    left_out(&[npm], &[git], "package-lock.json");
    left_out(&[npm], &[npm, ("npm-shrinkwrap.json", git.1)], "npm-shrinkwrap.json");
    let other = ("package.json", r#"{"packageManager": "npm@https://example.com/x.tgz"}"#);
    left_out(&[npm], &[npm, other], "package.json");
    let inner = ("web/package-lock.json", "{}");
    left_out(&[inner], &[inner, (".npmrc", "git=./evil.sh")], ".npmrc");
    left_out(&[inner], &[inner, ("web/.npmrc", "git=./evil.sh")], "web/.npmrc");
    let pnpm = ("pnpm-lock.yaml", "");
    left_out(&[pnpm], &[pnpm, (".pnpmfile.cjs", "")], ".pnpmfile.cjs");
    let told = ("pnpm-workspace.yaml", "packages:\n- a\npnpmfile: ./x.cjs\n");
    left_out(&[pnpm], &[pnpm, told], "pnpm-workspace.yaml");
    let yarn = ("yarn.lock", "__metadata:\n");
    left_out(&[yarn], &[yarn, (".yarnrc.yml", "yarnPath: ./evil.cjs")], ".yarnrc.yml");
    left_out(&[yarn], &[yarn, (".yarn/releases/yarn.cjs", "evil")], ".yarn/releases/yarn.cjs");
    let exec = ("yarn.lock", "__metadata:\n\"x@exec:./evil.js\":\n");
    left_out(&[exec], &[exec], "yarn.lock");
    let cargo = ("Cargo.lock", "");
    left_out(&[cargo], &[cargo, (".cargo/config.toml", "")], ".cargo/config.toml");
    left_out(&[cargo], &[cargo, ("rust-toolchain.toml", "")], "rust-toolchain.toml");
    let uv = ("uv.lock", "");
    let index = ("pyproject.toml", "[tool.uv]\nkeyring-provider = 'subprocess'\n");
    left_out(&[uv], &[uv, index], "pyproject.toml");
    // An environment that was delivered would be run in place of the one that is made.
    left_out(&[uv], &[uv, (".venv/bin/python", "evil")], ".venv/bin/python");
    let poetry = ("poetry.lock", "");
    let plugin = ("pyproject.toml", "[tool.poetry.requires-plugins]\nevil = '*'\n");
    left_out(&[poetry], &[poetry, plugin], "pyproject.toml");
    let folder = ("poetry.lock", "[package.source]\ntype = \"directory\"\nurl = \"evil\"\n");
    left_out(&[folder], &[folder], "poetry.lock");
    let pipenv = ("Pipfile.lock", r#"{"default": {"x": {"path": "./evil"}}}"#);
    left_out(&[pipenv], &[pipenv], "Pipfile.lock");
    let maven = ("pom.xml", "");
    left_out(&[maven], &[("pom.xml", "<plugin/>")], "pom.xml");
    let gradle = ("build.gradle", "");
    left_out(&[gradle], &[gradle, ("buildSrc/x.gradle", "")], "buildSrc/x.gradle");
    let gems = ("Gemfile.lock", "");
    left_out(&[gems], &[gems, ("Gemfile", "system('evil')")], "Gemfile");
    let dotnet = ("packages.lock.json", "");
    left_out(&[dotnet], &[dotnet, ("src/x.csproj", "")], "src/x.csproj");
}

#[test]
fn what_a_person_told_a_package_manager_stays() {
    let npm = ("package-lock.json", r#"{"resolved": "git+https://example.com/x#1"}"#);
    followed(&[npm, (".npmrc", "x=y")], &[npm, (".npmrc", "x=y")]);
    let changed = ("package.json", r#"{"dependencies": {"left": "1"}}"#);
    followed(&[npm], &[("package-lock.json", "{}"), changed]);
    let (pnpm, more) = (("pnpm-lock.yaml", ""), "packages:\n  - a\n  - b\nshared: true\n");
    let workspace = ("pnpm-workspace.yaml", "packages:\n  - a\nshared: true\n");
    followed(&[pnpm, workspace], &[pnpm, ("pnpm-workspace.yaml", more)]);
    let uv = ("uv.lock", "");
    let told = "[project]\nname = 'x'\n[tool.uv]\nindex-url = 'https://example.com'\n";
    let wider = format!("{told}[tool.ruff]\n");
    followed(&[uv, ("pyproject.toml", told)], &[uv, ("pyproject.toml", &wider)]);
}

/// STORY-6.1: nothing of the repository is built while the network is on.
#[test]
fn only_packages_of_the_index_are_installed_for_python() {
    for line in [
        "./evil",
        "evil/",
        "-e .",
        "file:evil",
        "evil @ file:///x",
        "evil @ https://example.com/evil.tar.gz",
        "git+https://example.com/evil",
        "https://example.com/evil.tar.gz",
        "-r missing.txt",
        "-r https://example.com/x.txt",
        "-r ../outside.txt",
        "--find-links=.",
        "--index-url https://example.com",
        "evil.whl",
        "evil\\\n/x",
    ] {
        let because = line.replace("\\\n", " ");
        left_out(&[], &[("requirements.txt", line)], &format!("requirements.txt: {because}"));
    }
    let own = ("requirements.txt", "-e .");
    left_out(&[own], &[own], "requirements.txt: -e .");
    let named = [
        ("requirements.txt", "-r more/a.txt"),
        ("more/a.txt", "-rb.txt"),
        ("more/b.txt", "./evil"),
    ];
    left_out(&named, &named, "more/b.txt: ./evil");
    let plain = "# tools\npytest==8.1 # the runner\nx[y] >=1,<2; python_version < '3.9'\n\
                 a==1 --hash=sha256:00\n";
    followed(&[], &[("requirements.txt", plain)]);
    let address = ("requirements.txt", "--index-url https://example.com\na @ https://x/a.whl");
    followed(&[address], &[address]);
    let project = ("pyproject.toml", "[project]\ndependencies = ['x @ file:///evil']\n");
    left_out(&[], &[project], "pyproject.toml: x @ file:///evil");
    let build = ("pyproject.toml", "[build-system]\nrequires = ['./evil']\n[project]\n");
    left_out(&[build], &[build], "pyproject.toml: ./evil");
}

#[test]
fn only_dependencies_stay_after_a_preparation() {
    assert!(is_dependency("a/node_modules", true) && !is_dependency("node_modules", false));
    assert!(is_dependency(".venv", true) && is_dependency(".pnp.cjs", false));
    assert!(!is_dependency("target", true) && !is_dependency("GNUmakefile", false));
    let ignored = |path: &str| path.starts_with("out/") || path == "a.pyc";
    assert!(is_prepared(".venv", true, ignored) && is_prepared("out/x", false, ignored));
    assert!(!is_prepared("GNUmakefile", false, ignored) && !is_prepared("out", true, ignored));
    assert!(!is_prepared("a.pyc", false, ignored));
}

#[test]
fn every_cache_is_private() {
    let variables: Vec<_> = cache_variables().collect();
    let names: BTreeSet<_> = variables.iter().map(|it| it.0).collect();
    assert_eq!(names.len(), variables.len(), "no variable is set twice");
    for it in
        ["npm_config_cache", "PIP_CACHE_DIR", "UV_CACHE_DIR", "CARGO_HOME", "GOPATH", "GOCACHE"]
    {
        let value = variables.iter().find(|(name, _)| *name == it).unwrap().1;
        assert!(value.starts_with("{caches}/"), "{it}");
    }
}

/// What the configuration names for the files of a delivery.
fn of_names(
    names: &[(&str, &str)],
    files: Texts<'_>,
) -> Result<Vec<(&'static str, String)>, String> {
    let named: Vec<NamedInstall> = names
        .iter()
        .map(|it| NamedInstall { name: it.0.to_owned(), folder: it.1.to_owned() })
        .collect();
    let text = |path: &str| files.iter().find(|it| it.0 == path).map(|it| it.1.to_owned());
    let paths: BTreeSet<String> = files.iter().map(|it| it.0.to_owned()).collect();
    let all = Files {
        base_paths: &paths,
        paths: &paths,
        is_same: &|_| true,
        base: &text,
        delivered: &text,
    };
    let suggestion = super::named(&named.iter().collect::<Vec<_>>(), all);
    let suggestion = suggestion.map_err(|it| it.file)?;
    Ok(suggestion.installs.into_iter().map(|it| (it.name, it.folder)).collect())
}

/// A named row applies where it would not have been found, and alone.
#[test]
fn a_named_ecosystem_is_installed_where_it_is_named() {
    let files = [
        ("uv.lock", ""),
        ("pyproject.toml", ""),
        ("pnpm-lock.yaml", ""),
        ("package-lock.json", "{}"),
        ("package.json", "{}"),
        ("examples/shop/yarn.lock", "# yarn lockfile v1\n"),
        ("examples/shop/package.json", "{}"),
        ("lost/uv.lock", ""),
    ];
    let at = |folder: &str| folder.to_owned();
    assert_eq!(of_names(&[("npm", ""), ("npm", "")], &files), Ok(vec![("npm", at(""))]));
    let shop = [("yarn", "examples/shop"), ("uv", "")];
    assert_eq!(of_names(&shop, &files), Ok(vec![("yarn 1", at("examples/shop")), ("uv", at(""))]));
    // What is missing is named: the lock file, or what it belongs to.
    for (name, folder, file) in [
        ("uv", "examples", "examples/uv.lock"),
        ("uv", "lost", "lost/pyproject.toml"),
        ("cargo", "", "Cargo.lock"),
    ] {
        assert_eq!(of_names(&[(name, folder)], &files), Err(at(file)));
    }
}
