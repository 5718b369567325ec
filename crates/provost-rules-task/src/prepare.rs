//! What makes a clean checkout ready for its test, by the lock files that it has.
//!
//! The lock files are the agent's, and what they bring is fetched with the network on. So nothing
//! of the agent may run meanwhile: no script of a package, no build of a folder of the repository,
//! no program that the configuration of a package manager names. Where a file of the agent could
//! ask for that, the folder is left out, and it is said why.

mod doubt;
mod find;
mod inputs;
mod members;
mod requirements;
#[cfg(test)]
mod tests;
mod wanted;

use std::collections::BTreeSet;

use provost_kernel::Message;
use provost_rules::ecosystem::{self, Install, installs};

pub(crate) use self::{find::subfolders, members::is_member as member_of};
pub use self::{
    find::{named, suggest},
    inputs::LayerInputs,
    wanted::{NamedInstall, PrepareBy, PrepareError, Wanted, wanted},
};

/// The files of the base and of what was delivered, as far as package managers read them.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// The paths of the plain files of the base.
    pub base_paths: &'a BTreeSet<String>,
    /// The paths of the plain files that were delivered.
    pub paths: &'a BTreeSet<String>,
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
    pub installs: Vec<SuggestedInstall>,
    pub left_out: Vec<LeftOut>,
}

/// The installation of one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedInstall {
    /// The name of its row.
    pub name: &'static str,
    /// The program that it needs.
    pub program: &'static str,
    /// From the root; empty for the root itself.
    pub folder: String,
    /// With the network on.
    pub fetch: Vec<String>,
    /// With the network off.
    pub build: Vec<String>,
    /// Whether nothing is proven where fetching fails, and where building does.
    pub must_fetch: bool,
    pub must_build: bool,
    /// The folder of a virtual environment of Python, from the root.
    pub environment: Option<String>,
    /// Variables of its commands.
    pub variables: Vec<(&'static str, &'static str)>,
    /// What tells which programs it runs with: a command that prints their versions.
    pub versions: Option<&'static str>,
    /// The file by which it was found, from the root.
    pub found_by: String,
    /// What else of the repository it depends on.
    pub inputs: LayerInputs,
    pub pinned: Pinned,
    /// Whether everything that decides what is installed is as in the base.
    pub is_of_base: bool,
}

/// Whether the same files always install the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// A lock file names every version.
    Locked,
    /// The newest version that fits is looked for.
    Floating,
}

/// A lock file that is not followed, and the file for which that is.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.prepare.left_out",
    en = "dependencies of `{lock_file}` are not installed: `{because}` could run delivered code",
    zh = "不安装 `{lock_file}` 中的依赖：`{because}` 可能运行所提交的代码"
)]
pub struct LeftOut {
    pub lock_file: String,
    pub because: String,
}

/// An installation that the configuration names, and a file that it lacks.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.prepare.absent",
    en = "`prepare` names the ecosystem `{name}`, and `{file}` is missing",
    zh = "`prepare` 指定了生态系统 `{name}`，但缺少 `{file}`"
)]
pub struct Absent {
    pub name: String,
    /// From the root.
    pub file: String,
}

/// The variables of every job, by which programs find private caches: `{caches}` is their folder.
pub fn cache_variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of = |it: &'static Install| it.variables.iter();
    installs().iter().flat_map(of).map(|(name, value)| (name.as_str(), value.as_str()))
}

/// The names of the caches that tests read, too.
pub fn lasting_caches() -> BTreeSet<String> {
    let lasting = installs().iter().filter(|it| it.cache_stays);
    let values = lasting.flat_map(|it| it.variables.values());
    let name = |it: &String| it.split("{caches}/").nth(1).map(str::to_owned);
    values.filter_map(name).collect()
}

/// Whether something that is there after the preparation may stay: what an installation creates,
/// and nothing else that a lock file could bring into the checkout.
pub fn is_dependency(path: &str, is_folder: bool) -> bool {
    installs().iter().any(|it| {
        let brings = if is_folder { &it.brings } else { &it.brings_files };
        brings.iter().any(|it| it == name(path))
    })
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

/// A file in a folder, both from the root.
fn join(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}

/// The folder of a path; empty for the root.
fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder, and those above it up to the root.
fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |it| (!it.is_empty()).then(|| parent(it)))
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}
