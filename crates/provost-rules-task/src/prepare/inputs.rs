//! What an installation depends on: two bases that agree in it can share what was installed.
//!
//! To look at more than is needed costs an installation; to look at less would prove a change with
//! the dependencies of another one.

use std::{collections::BTreeSet, path::Path};

use provost_rules::ecosystem::{Install, Requirements};

use super::{Files, Pinned, requirements};

/// How deep files of requirements may name each other.
const DEPTH: usize = 8;
/// Files that choose the version of a program, whatever installs.
const CHOICES: [&str; 8] = [
    ".python-version",
    ".node-version",
    ".nvmrc",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
];
/// Files that the build of a project reads besides its manifest.
const BUILT_FROM: [&str; 8] = [
    "setup.cfg",
    "MANIFEST.in",
    "VERSION",
    "version.py",
    "_version.py",
    "__about__.py",
    "CMakeLists.txt",
    "meson.build",
];
/// What is compiled into an environment.
const COMPILED: [&str; 14] =
    ["c", "cc", "cpp", "cxx", "h", "hpp", "pyx", "pxd", "pxi", "f", "f90", "rs", "go", "cu"];
/// A program that builds a project, and may read anything for it.
const PROGRAM: &str = "setup.py";

/// What of a repository an installation depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerInputs {
    /// Everything in it.
    Tree,
    Some {
        /// These files.
        files: BTreeSet<String>,
        /// That there are these folders.
        folders: BTreeSet<String>,
    },
}

/// What the installation of a folder depends on.
pub(super) fn of(row: &Install, folder: &str, files: Files<'_>, is_built: bool) -> LayerInputs {
    if is_built && files.paths.iter().any(|it| name(it) == PROGRAM) {
        return LayerInputs::Tree;
    }
    let names = names(row);
    let is_input = |path: &&String| {
        names.iter().any(|it| fits(path, it))
            || CHOICES.contains(&name(path))
            || (is_built && is_built_from(path))
    };
    let mut inputs: BTreeSet<String> = files.paths.iter().filter(is_input).cloned().collect();
    if row.requirements == Some(Requirements::Files) {
        let chosen = requirements::chosen(row, folder, files);
        inputs.extend(chosen.iter().flat_map(|it| requirements::named(it, files, DEPTH)));
    }
    let folders = if is_built { packages(files.paths) } else { BTreeSet::new() };
    LayerInputs::Some { files: inputs, folders }
}

/// Whether what the build of a project leaves would be the same for the base.
pub(super) fn builds_as_base(files: Files<'_>) -> bool {
    let all = files.paths.iter().chain(files.base_paths);
    let mut read = all.filter(|it| name(it) == PROGRAM || is_built_from(it));
    packages(files.paths) == packages(files.base_paths) && read.all(|it| (files.is_same)(it))
}

pub(super) fn pinned(row: &Install) -> Pinned {
    let floats = matches!(row.requirements, Some(Requirements::Files | Requirements::Project));
    if floats || row.untried { Pinned::Floating } else { Pinned::Locked }
}

/// A command that says what packages are installed for.
pub(super) fn versions(row: &Install) -> Option<&'static str> {
    match row.ecosystem.as_str() {
        "javascript" => Some("node --version"),
        "python" => Some("python3 -I -c 'import sys; print(sys.version, sys.base_prefix)'"),
        _ => None,
    }
}

/// The names of all files that the row speaks of.
fn names(row: &Install) -> Vec<&str> {
    let texts = [&row.only_if, &row.build_if].into_iter().flatten().map(|it| &it.file);
    let names = row.found_by.iter().chain(&row.settings).chain(texts);
    let names = names.chain(row.manifest.iter().map(|it| &it.file));
    let names = names.chain(row.members.iter().map(|it| &it.file));
    let names = names.chain(row.workspace.iter().map(|it| &it.file));
    let names = names.chain(row.sources.iter().flat_map(|it| &it.files));
    names.map(String::as_str).collect()
}

/// Whether a path is one of a name, in whatever folder: with a slash at the end, one in such a
/// folder; with a star at the beginning, one with such an ending.
fn fits(path: &str, name: &str) -> bool {
    if let Some(ending) = name.strip_prefix('*') {
        return path.ends_with(ending);
    }
    let path = format!("/{path}");
    let name = format!("/{name}");
    if name.ends_with('/') { path.contains(&name) } else { path.ends_with(&name) }
}

fn is_built_from(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|it| it.to_str());
    BUILT_FROM.contains(&name(path)) || extension.is_some_and(|it| COMPILED.contains(&it))
}

/// The folders near the root that hold modules: an environment may know its packages by name.
fn packages(paths: &BTreeSet<String>) -> BTreeSet<String> {
    let modules = paths.iter().filter(|it| Path::new(it).extension().is_some_and(|it| it == "py"));
    let near = |path: &String| {
        let parts: Vec<&str> = path.split('/').collect();
        let (_, folders) = parts.split_last()?;
        Some(folders.iter().take(2).copied().collect::<Vec<_>>().join("/"))
    };
    modules.filter_map(near).collect()
}

fn name(path: &str) -> &str {
    super::name(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Texts<'a> = &'a [(&'a str, &'a str)];

    fn paths(files: Texts<'_>) -> BTreeSet<String> {
        files.iter().map(|it| it.0.to_owned()).collect()
    }

    fn suggested(base: Texts<'_>, delivered: Texts<'_>) -> super::super::SuggestedInstall {
        let text = |files: Texts<'_>, path: &str| {
            files.iter().find(|it| it.0 == path).map(|it| it.1.to_owned())
        };
        let suggestion = super::super::suggest(Files {
            base_paths: &paths(base),
            paths: &paths(delivered),
            is_same: &|path| text(base, path) == text(delivered, path),
            base: &|path| text(base, path),
            delivered: &|path| text(delivered, path),
        });
        let mut installs = suggestion.installs;
        assert_eq!(installs.len(), 1, "{:?}", suggestion.left_out);
        installs.remove(0)
    }

    const BUILT: &str = "[build-system]\nrequires = []\n[project]\nname = 'x'\n";

    #[track_caller]
    fn check(files: Texts<'_>, expected: &[&str], pinned: Pinned) {
        let it = suggested(files, files);
        let LayerInputs::Some { files: found, .. } = &it.inputs else { panic!("{:?}", it.inputs) };
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{files:?}");
        assert_eq!(it.pinned, pinned, "{files:?}");
    }

    /// Whatever decides what is installed is an input; a source that is only run is not.
    #[test]
    fn what_decides_what_is_installed_is_an_input() {
        check(
            &[
                ("package-lock.json", "{}"),
                ("package.json", "{}"),
                ("a/package.json", "{}"),
                (".npmrc", ""),
                (".nvmrc", "22"),
                ("src/cart.js", ""),
            ],
            &[".npmrc", ".nvmrc", "a/package.json", "package-lock.json", "package.json"],
            Pinned::Locked,
        );
        check(
            &[
                ("requirements.txt", "-r more.txt\n"),
                ("more.txt", "x\n"),
                ("a.txt", ""),
                ("x.py", ""),
            ],
            &["more.txt", "requirements.txt"],
            Pinned::Floating,
        );
        check(
            &[("Cargo.lock", ""), ("Cargo.toml", ""), ("src/lib.rs", ""), ("a/Cargo.toml", "")],
            &["Cargo.lock", "Cargo.toml", "a/Cargo.toml"],
            Pinned::Locked,
        );
        check(
            &[("uv.lock", ""), ("pyproject.toml", BUILT), ("x/fast.c", ""), ("x/slow.py", "")],
            &["pyproject.toml", "uv.lock", "x/fast.c"],
            Pinned::Locked,
        );
        check(
            &[("pyproject.toml", BUILT), ("x/slow.py", "")],
            &["pyproject.toml"],
            Pinned::Floating,
        );
    }

    #[test]
    fn a_program_that_builds_may_read_anything() {
        let files = [("uv.lock", ""), ("pyproject.toml", BUILT), ("setup.py", "")];
        assert_eq!(suggested(&files, &files).inputs, LayerInputs::Tree);
    }

    /// What the environment of the base does not know must be built again.
    #[test]
    fn a_new_package_or_a_changed_extension_is_not_that_of_the_base() {
        let base = [("uv.lock", ""), ("pyproject.toml", BUILT), ("x/a.py", ""), ("x/b.c", "1")];
        let with = |path: &'static str, text: &'static str| {
            let mut files: Vec<(&str, &str)> = base.into_iter().filter(|it| it.0 != path).collect();
            files.push((path, text));
            suggested(&base, &files).is_of_base
        };
        assert!(with("x/a.py", "2") && with("x/c.py", "2") && with("README.md", "2"));
        assert!(!with("y/a.py", "") && !with("x/b.c", "2") && !with("x/new.c", ""));
    }
}
