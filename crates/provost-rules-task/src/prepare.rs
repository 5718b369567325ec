//! What makes a clean checkout ready for its test, by the lock files that it has.
//!
//! The lock files are the agent's, and what they bring is installed with the network on. So
//! nothing of the agent may run meanwhile: no script of a package, no build of a folder of the
//! repository, no program that the configuration of a package manager names. Where a file of the
//! agent could ask for that, the lock file is left out, and it is said why.

use std::collections::BTreeMap;

use provost_kernel::{Message, shorten};
use provost_rules::ecosystem::{self, Install, Manifest, Sources, Workspace};
use serde_json::Value;

/// The files of the base and of what was delivered, as far as package managers read them.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// Whether both have the same at a path, which may be nothing.
    pub is_same: &'a dyn Fn(&str) -> bool,
    /// The text of a file of the base; none if it is not a plain file.
    pub base: &'a dyn Fn(&str) -> Option<String>,
    /// The text of a file that was delivered; none if it is not a plain file.
    pub delivered: &'a dyn Fn(&str) -> Option<String>,
}

/// What lock files suggest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion {
    pub commands: Vec<&'static str>,
    pub left_out: Vec<LeftOut>,
}

/// A lock file that is not followed, and the file for which that is.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.prepare.left_out",
    en = "dependencies of `{lock_file}` are not installed: `{because}` could run delivered code",
    zh = "不安装 `{lock_file}` 中的依赖：`{because}` 可能运行所提交的代码"
)]
pub struct LeftOut {
    pub lock_file: &'static str,
    pub because: String,
}

/// What the lock files of a delivery suggest.
pub fn by_lock_file(files: Files<'_>) -> Suggestion {
    let mut suggestion = Suggestion::default();
    let installs = ecosystem::all().iter().flat_map(|it| &it.installs);
    for install in installs.filter(|it| (files.delivered)(&it.lock_file).is_some()) {
        match doubt(install, files) {
            Some(because) => {
                suggestion.left_out.push(LeftOut { lock_file: &install.lock_file, because });
            }
            None => suggestion.commands.push(&install.command),
        }
    }
    suggestion
}

/// Whether something that is there after the preparation may stay: a folder that an installation
/// creates, and nothing else that a lock file could bring into the checkout.
pub fn is_dependency(path: &str, is_folder: bool) -> bool {
    let mut installs = ecosystem::all().iter().flat_map(|it| &it.installs);
    is_folder && installs.any(|it| it.brings.iter().any(|it| it == name(path)))
}

/// The same for what a person's own command has prepared: folders of dependencies, and what the
/// rules of the base leave out. A compiled file never stays: it would be run instead of its source.
pub fn is_prepared(path: &str, is_folder: bool, is_ignored: impl Fn(&str) -> bool) -> bool {
    let mut compiled = ecosystem::all().iter().flat_map(|it| &it.compiled);
    if is_folder {
        ecosystem::any(|it| &it.dependency_folders, name(path))
    } else {
        !compiled.any(|it| it.matches(path)) && is_ignored(path)
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The file that could make an installation run something that was delivered.
fn doubt(install: &Install, files: Files<'_>) -> Option<String> {
    let settings = install.settings.iter().find(|it| !(files.is_same)(it)).cloned();
    settings
        .or_else(|| manager(install.manifest.as_ref()?, files))
        .or_else(|| source(install.sources.as_ref()?, files))
        .or_else(|| workspace(install.workspace.as_ref()?, files))
        .or_else(|| install.requirement_lines.then(|| requirement(&install.lock_file, files))?)
}

/// A new lock file with a package from a source that is refused.
fn source(sources: &Sources, files: Files<'_>) -> Option<String> {
    let is_refused = |it: &&String| {
        let text = (files.delivered)(it).unwrap_or_default();
        !(files.is_same)(it) && sources.refused.is_match(&text)
    };
    sources.files.iter().find(is_refused).cloned()
}

/// A workspace file with other settings than those of the base.
fn workspace(workspace: &Workspace, files: Files<'_>) -> Option<String> {
    let file = &workspace.file;
    let sections = |text: Option<String>| {
        let mut sections = sections(&text.unwrap_or_default());
        sections.retain(|key, _| !workspace.harmless.contains(key));
        sections
    };
    let is_told =
        !(files.is_same)(file) && sections((files.base)(file)) != sections((files.delivered)(file));
    is_told.then(|| file.clone())
}

/// The top-level keys of a YAML file, with their lines.
fn sections(text: &str) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut key = String::new();
    for line in text.lines().filter(|it| !it.trim().is_empty() && !it.starts_with('#')) {
        if !line.starts_with([' ', '\t', '-']) {
            line.split(':').next().unwrap_or_default().trim().clone_into(&mut key);
        }
        let section = sections.entry(key.clone()).or_default();
        section.push_str(line);
        section.push('\n');
    }
    sections
}

/// A manifest that selects or configures another package manager than that of the base.
fn manager(manifest: &Manifest, files: Files<'_>) -> Option<String> {
    let file = &manifest.file;
    if (files.is_same)(file) {
        return None;
    }
    let read = |text: Option<String>| -> Value {
        text.and_then(|it| serde_json::from_str(&it).ok()).unwrap_or_default()
    };
    let (base, delivered) = (read((files.base)(file)), read((files.delivered)(file)));
    let differs = |key: &String| base[key.as_str()] != delivered[key.as_str()];
    manifest.keys.iter().any(differs).then(|| file.clone())
}

/// A folder of the repository would be built, and a file that is named may name one.
fn requirement(file: &str, files: Files<'_>) -> Option<String> {
    let text = (files.delivered)(file).unwrap_or_default().replace("\\\n", " ");
    let is_of_person = (files.is_same)(file);
    let line = text.lines().find(|it| !is_plain(it, is_of_person))?;
    Some(format!("{file}: {}", shorten(line.trim()).escape_debug()))
}

/// Whether a line names a package of the index. What a person wrote may name an address, too; what
/// lies in the repository is built from what was delivered, even where a person named it.
fn is_plain(line: &str, is_of_person: bool) -> bool {
    let line = line.split(" #").next().unwrap_or_default().trim();
    if line.is_empty() || line.starts_with('#') {
        return true;
    }
    if line.starts_with('-') {
        let names_index =
            ["--index-url", "--extra-index-url", "--require-hashes", "--prefer-binary", "-i "];
        return is_of_person && names_index.iter().any(|it| line.starts_with(it));
    }
    let requirement = line.split(" --hash=").next().unwrap_or_default();
    if let Some((_, address)) = requirement.split_once('@') {
        return is_of_person && address.trim_start().starts_with("https://");
    }
    let requirement = requirement.split(';').next().unwrap_or_default();
    let is_name = |it: char| it.is_ascii_alphanumeric() || "._-[], \t<>=!~*+".contains(it);
    let ends_as_file = [".whl", ".zip", ".tar.gz", ".tgz", ".tar"];
    requirement.starts_with(|it: char| it.is_ascii_alphanumeric())
        && requirement.chars().all(is_name)
        && !ends_as_file.iter().any(|it| requirement.trim_end().ends_with(it))
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Texts<'a> = &'a [(&'a str, &'a str)];

    fn suggest(base: Texts<'_>, delivered: Texts<'_>) -> Suggestion {
        let text = |files: Texts<'_>, path: &str| {
            files.iter().find(|it| it.0 == path).map(|it| it.1.to_owned())
        };
        by_lock_file(Files {
            is_same: &|path| text(base, path) == text(delivered, path),
            base: &|path| text(base, path),
            delivered: &|path| text(delivered, path),
        })
    }

    #[track_caller]
    fn left_out(base: Texts<'_>, delivered: Texts<'_>, because: &str) {
        let suggestion = suggest(base, delivered);
        assert_eq!(suggestion.commands, Vec::<&str>::new(), "{delivered:?}");
        let found: Vec<&str> = suggestion.left_out.iter().map(|it| it.because.as_str()).collect();
        assert_eq!(found, [because], "{delivered:?}");
    }

    #[track_caller]
    fn followed(base: Texts<'_>, delivered: Texts<'_>) {
        let suggestion = suggest(base, delivered);
        assert_eq!((suggestion.commands.len(), suggestion.left_out), (1, vec![]), "{delivered:?}");
    }

    #[test]
    fn each_lock_file_has_its_command() {
        assert_eq!(suggest(&[], &[]), Suggestion::default());
        assert_eq!(suggest(&[], &[("Cargo.lock", "")]).commands, ["cargo fetch --locked"]);
        let all = ["package-lock.json", "pnpm-lock.yaml", "Cargo.lock", "requirements.txt"];
        assert_eq!(suggest(&[], &all.map(|it| (it, ""))).commands.len(), all.len());
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
        let pnpm = ("pnpm-lock.yaml", "");
        left_out(&[pnpm], &[pnpm, (".pnpmfile.cjs", "")], ".pnpmfile.cjs");
        let told = ("pnpm-workspace.yaml", "packages:\n- a\npnpmfile: ./x.cjs\n");
        left_out(&[pnpm], &[pnpm, told], "pnpm-workspace.yaml");
        let cargo = ("Cargo.lock", "");
        left_out(&[cargo], &[cargo, (".cargo/config.toml", "")], ".cargo/config.toml");
        left_out(&[cargo], &[cargo, ("rust-toolchain.toml", "")], "rust-toolchain.toml");
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
            "-r other.txt",
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
        let plain = "# tools\npytest==8.1 # the runner\nx[y] >=1,<2; python_version < '3.9'\n\
                     a==1 --hash=sha256:00\n";
        followed(&[], &[("requirements.txt", plain)]);
        let address = ("requirements.txt", "--index-url https://example.com\na @ https://x/a.whl");
        followed(&[address], &[address]);
    }

    #[test]
    fn only_dependencies_stay_after_a_preparation() {
        assert!(is_dependency("a/node_modules", true) && !is_dependency("node_modules", false));
        assert!(!is_dependency("target", true) && !is_dependency("GNUmakefile", false));
        let ignored = |path: &str| path.starts_with("out/") || path == "a.pyc";
        assert!(is_prepared(".venv", true, ignored) && is_prepared("out/x", false, ignored));
        assert!(!is_prepared("GNUmakefile", false, ignored) && !is_prepared("out", true, ignored));
        assert!(!is_prepared("a.pyc", false, ignored));
    }
}
