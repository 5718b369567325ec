//! Which checks a repository has, found by its files: the test of a task that names none, and what
//! `provost init` proposes.
//!
//! Nothing is decided by a name alone: a command is proposed where the manifest, a script or a test
//! file shows that there is something to run. Where nothing shows it, nothing is proposed.

#[cfg(test)]
mod tests;

use provost_kernel::task::{Check, CheckKind};
use provost_rules::ecosystem::{self, DetectedProject, ProjectFiles, Purpose, installs};
use serde::Serialize;

use crate::prepare::{self, Files, SuggestedInstall, member_of, subfolders};

/// The most projects below the root that are listed.
const MOST: usize = 12;

/// What the files of a repository show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Detected {
    /// The projects at the root, then those below it that none of them contains.
    pub projects: Vec<FoundProject>,
    /// The commands for the whole repository, started at its root.
    pub checks: Checks,
}

/// One project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundProject {
    /// As in the table of ecosystems: `cargo`, `node`, `python`, …
    pub kind: &'static str,
    pub ecosystem: &'static str,
    /// From the root; empty for the root itself.
    pub folder: String,
    /// The file that shows it, from the root.
    pub manifest: String,
    /// How its dependencies are installed; none where nothing says which there are.
    pub manager: Option<Manager>,
    /// The commands, started in its folder.
    pub checks: Checks,
}

/// A package manager, with the file that shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Manager {
    pub name: &'static str,
    pub program: &'static str,
    pub found_by: String,
    /// With the network on, then with the network off.
    pub fetch: Vec<String>,
    pub build: Vec<String>,
}

/// The commands that are configured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checks {
    pub test: Option<String>,
    pub typecheck: Option<String>,
    pub build: Option<String>,
    pub lint: Option<String>,
}

/// Says which projects the files show, and how they are checked.
pub fn checks(files: ProjectFiles<'_>) -> Detected {
    let own = Files {
        base_paths: files.paths,
        paths: files.paths,
        is_same: &|_| true,
        base: files.read,
        delivered: files.read,
    };
    let installs = prepare::suggest(own).installs;
    let found = |folder: &str| ecosystem::projects(files, folder, Purpose::Task);
    let mut projects = found("");
    for folder in subfolders(own) {
        let is_covered = |it: &DetectedProject| {
            projects.iter().any(|above| covers(above, it) || is_member(above, it, own))
        };
        let mut new = found(folder);
        new.retain(|it| !is_covered(it));
        projects.extend(new);
    }
    let n_root = projects.iter().filter(|it| it.folder.is_empty()).count();
    projects.truncate(n_root + MOST);
    let projects: Vec<_> = projects.into_iter().map(|it| with_manager(it, &installs)).collect();
    let checks = Checks {
        test: whole(&projects, |it| it.test.as_ref()),
        typecheck: whole(&projects, |it| it.typecheck.as_ref()),
        build: whole(&projects, |it| it.build.as_ref()),
        lint: whole(&projects, |it| it.lint.as_ref()),
    };
    Detected { projects, checks }
}

impl Detected {
    /// The projects whose tests the command for the whole repository does not run.
    pub fn left_out(&self) -> impl Iterator<Item = &FoundProject> {
        let has_root = self.projects.iter().any(|it| it.folder.is_empty() && it.has_test());
        self.projects.iter().filter(move |it| has_root && !it.folder.is_empty() && it.has_test())
    }
}

impl Checks {
    /// The checks besides the test: what is configured, else what was found.
    pub fn with(&self, configured: &[Check]) -> Vec<Check> {
        let kinds = CheckKind::ALL.iter().copied();
        let check = |kind| {
            let own = configured.iter().find(|it| it.kind == kind).map(|it| &it.command);
            let found = match kind {
                CheckKind::Lint => self.lint.as_ref(),
                CheckKind::Types => self.typecheck.as_ref(),
                CheckKind::Build => self.build.as_ref(),
            };
            Some(Check { kind, command: own.or(found)?.clone() })
        };
        kinds.filter_map(check).collect()
    }
}

impl FoundProject {
    pub fn has_test(&self) -> bool {
        self.checks.test.is_some()
    }
}

/// Whether a project below another one is part of it: the runner of the one above looks there, too.
/// Modules of Go below a module are not.
fn covers(above: &DetectedProject, it: &DetectedProject) -> bool {
    !above.folder.is_empty()
        && above.ecosystem == it.ecosystem
        && above.test.is_some()
        && above.name != "go"
        && it.folder.strip_prefix(&above.folder).is_some_and(|it| it.starts_with('/'))
}

/// Whether a project belongs to the workspace of another, whose test is that of the workspace.
fn is_member(above: &DetectedProject, it: &DetectedProject, files: Files<'_>) -> bool {
    above.ecosystem == it.ecosystem
        && above.test.is_some()
        && installs()
            .iter()
            .filter(|row| row.ecosystem == it.ecosystem)
            .any(|row| member_of(row, &above.folder, &it.folder, files))
}

fn with_manager(it: DetectedProject, suggested: &[SuggestedInstall]) -> FoundProject {
    let is_own = |install: &&SuggestedInstall| {
        let row = installs().iter().find(|row| row.name == install.name);
        install.folder == it.folder && row.is_some_and(|row| row.ecosystem == it.ecosystem)
    };
    let manager = suggested.iter().find(is_own).map(|install| Manager {
        name: install.name,
        program: install.program,
        found_by: install.found_by.clone(),
        fetch: install.fetch.clone(),
        build: install.build.clone(),
    });
    let DetectedProject { name, ecosystem, folder, manifest, typecheck, build, test, lint } = it;
    let checks = Checks { test, typecheck, build, lint };
    FoundProject { kind: name, ecosystem, folder, manifest, manager, checks }
}

/// One command for the whole repository: that of the projects at the root, or, where these have
/// none, those of all the others.
fn whole<'a>(
    projects: &'a [FoundProject],
    of: impl Fn(&'a Checks) -> Option<&'a String>,
) -> Option<String> {
    let commands = |is_root: bool| {
        let of = &of;
        projects.iter().filter(move |it| it.folder.is_empty() == is_root).filter_map(move |it| {
            let command = of(&it.checks)?;
            Some((it.folder.as_str(), command.as_str()))
        })
    };
    let at_root: Vec<&str> = commands(true).map(|(_, command)| command).collect();
    if !at_root.is_empty() {
        return Some(at_root.join(" && "));
    }
    let below: Vec<String> = commands(false)
        .map(|(folder, command)| format!("cd {} && {command}", word(folder)))
        .collect();
    match below.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => {
            let each: Vec<String> = several.iter().map(|it| format!("({it})")).collect();
            Some(each.join(" && "))
        }
    }
}

/// A folder as one word of a shell.
fn word(folder: &str) -> String {
    // What starts with a dash would be an option.
    let folder = if folder.starts_with('-') { format!("./{folder}") } else { folder.to_owned() };
    let is_plain = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '/' | '-');
    if folder.chars().all(is_plain) {
        folder
    } else {
        format!("'{}'", folder.replace('\'', r"'\''"))
    }
}
