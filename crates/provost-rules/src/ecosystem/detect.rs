//! Finds the projects of a folder by its files, and the commands that check them.

use std::{collections::BTreeSet, fmt};

use serde_json::Value;

use super::{Case, Ecosystem, Project, Where, all, is_like};

/// The most test files of a folder that are read to find out which runner they are for.
const TEST_FILES: usize = 20;
/// What npm writes in place of a test script.
const PLACEHOLDER: &str = "no test specified";

/// The files of a version of a repository, as far as projects are found by them.
#[derive(Clone, Copy)]
pub struct ProjectFiles<'a> {
    pub paths: &'a BTreeSet<String>,
    /// Reads a file; none if it does not exist or is not text.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// What the commands of a project are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The gates of a story, which need a command for every kind and read what it prints.
    Gate,
    /// The checks of a task: what is configured, with a test whose runner is recorded.
    Task,
}

/// A project, and how it is checked. A command that is none is one that is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectedProject {
    /// The kind of project, as in the table of ecosystems.
    pub name: &'static str,
    pub ecosystem: &'static str,
    pub folder: String,
    /// The file that shows it, from the root of the repository.
    pub manifest: String,
    pub typecheck: Option<String>,
    pub build: Option<String>,
    pub test: Option<String>,
    pub lint: Option<String>,
}

/// A folder of the repository.
#[derive(Clone, Copy)]
struct Folder<'a> {
    files: ProjectFiles<'a>,
    path: &'a str,
    purpose: Purpose,
}

/// Every project of a folder.
pub fn projects(files: ProjectFiles<'_>, path: &str, purpose: Purpose) -> Vec<DetectedProject> {
    let folder = Folder { files, path, purpose };
    let find = |only_alone: bool| {
        all().iter().flat_map(|it| folder.of_entry(it, only_alone)).collect::<Vec<_>>()
    };
    let mut found = find(false);
    let is_complete = match purpose {
        Purpose::Gate => !found.is_empty(),
        Purpose::Task => found.iter().any(|it| it.test.is_some()),
    };
    if !is_complete {
        found.extend(find(true));
    }
    found
}

impl<'a> Folder<'a> {
    /// The projects of one entry. A row that is for tasks only stands in for the others.
    fn of_entry(&self, entry: &'static Ecosystem, only_alone: bool) -> Vec<DetectedProject> {
        let find = |tasks_only: bool| {
            let rows = entry.projects.iter();
            let rows = rows
                .filter(|it| it.only_alone == only_alone && it.tasks_only.is_some() == tasks_only);
            rows.filter_map(|it| self.detect(entry, it)).collect::<Vec<_>>()
        };
        let found = find(false);
        if found.is_empty() && self.purpose == Purpose::Task { find(true) } else { found }
    }

    fn detect(&self, entry: &'static Ecosystem, row: &'static Project) -> Option<DetectedProject> {
        if row.tasks_only == Some(Where::Root) && !self.path.is_empty() {
            return None;
        }
        let manifest = row.manifests.iter().find_map(|it| self.first(it))?;
        let tool = row.tools.iter().find(|it| it.has.is_empty() || self.has_any(&it.has));
        let command = |cases: Vec<&Case>| {
            let is_for = |it: &&Case| self.purpose == Purpose::Gate || !it.gates_only;
            let mut cases = cases.into_iter().filter(is_for);
            let case = cases.find(|it| self.applies(it, entry, &manifest))?;
            let run = match self.purpose {
                Purpose::Gate => &case.run,
                Purpose::Task => case.brief.as_ref().unwrap_or(&case.run),
            };
            let words = tool.iter().flat_map(|it| &it.words);
            let fill = |run: String, (word, text): (&String, &String)| {
                run.replace(&format!("{{{word}}}"), text)
            };
            Some(words.fold(run.clone(), fill))
        };
        // What every project of its kind could run, the test of a task compiles already.
        let is_chosen = |it: &&Case| self.purpose == Purpose::Gate || !it.is_unconditional();
        let check = |cases: &'static [Case]| command(cases.iter().filter(is_chosen).collect());
        Some(DetectedProject {
            name: &row.name,
            ecosystem: &entry.name,
            folder: self.path.to_owned(),
            manifest: self.at(&manifest),
            typecheck: check(&row.typecheck),
            build: check(&row.build),
            test: command(row.test.iter().collect()),
            lint: check(&row.lint),
        })
    }

    fn applies(&self, case: &Case, entry: &Ecosystem, manifest: &str) -> bool {
        let has_target = |target: &String| {
            self.text(manifest).lines().any(|line| {
                let rest = line.strip_prefix(target.as_str()).map(str::trim_start);
                rest.is_some_and(|it| it.starts_with(':') && !it.starts_with(":="))
            })
        };
        if self.has_any(&case.lacks) {
            return false;
        }
        case.is_unconditional()
            || self.has_any(&case.has)
            || case.script.as_ref().is_some_and(|it| self.has_script(manifest, it))
            || case.target.as_ref().is_some_and(has_target)
            || case.text.iter().any(|(file, pattern)| pattern.is_match(&self.text(file)))
            || case.tests_say.as_ref().is_some_and(|pattern| {
                let mut texts = self.test_files(entry).filter_map(|it| (self.files.read)(it));
                texts.any(|it| pattern.is_match(&it))
            })
    }

    /// Whether a manifest in JSON has a script that does something.
    fn has_script(&self, manifest: &str, name: &str) -> bool {
        let package: Value = serde_json::from_str(&self.text(manifest)).unwrap_or_default();
        match package.get("scripts").and_then(|it| it.get(name)) {
            Some(Value::String(text)) => !text.trim().is_empty() && !text.contains(PLACEHOLDER),
            // Composer takes a list of commands.
            Some(Value::Array(commands)) => !commands.is_empty(),
            _ => false,
        }
    }

    /// The first test files of the folder and of those below it.
    fn test_files(&self, entry: &Ecosystem) -> impl Iterator<Item = &'a str> {
        let patterns = entry.tests.iter().flat_map(|it| &it.files).collect::<Vec<_>>();
        let is_test = move |path: &&str| {
            let extension = path.rsplit_once('.').map(|(_, it)| it).unwrap_or_default();
            entry.extensions.iter().any(|it| it == extension)
                && patterns.iter().any(|it| it.matches(path))
        };
        self.below().filter(is_test).take(TEST_FILES).collect::<Vec<_>>().into_iter()
    }

    /// Every path in the folder, from the root of the repository.
    fn below(&self) -> impl Iterator<Item = &'a str> {
        let start = if self.path.is_empty() { String::new() } else { format!("{}/", self.path) };
        let paths = self.files.paths.range(start.clone()..);
        paths.map(String::as_str).take_while(move |it| it.starts_with(&start))
    }

    /// The first file that a name or a pattern means, from the folder.
    fn first(&self, pattern: &str) -> Option<String> {
        if !pattern.contains('*') {
            return self.has(pattern).then(|| pattern.to_owned());
        }
        let skip = if self.path.is_empty() { 0 } else { self.path.len() + 1 };
        let depth = pattern.matches('/').count();
        let mut files = self.below().filter_map(|it| it.get(skip..));
        files.find(|it| it.matches('/').count() == depth && is_like(pattern, it)).map(str::to_owned)
    }

    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    fn has(&self, name: &str) -> bool {
        self.files.paths.contains(&self.at(name))
    }

    fn has_any(&self, names: &[String]) -> bool {
        names.iter().any(|it| self.first(it).is_some())
    }

    /// A file of the folder, or an empty text.
    fn text(&self, name: &str) -> String {
        if !self.has(name) {
            return String::new();
        }
        (self.files.read)(&self.at(name)).unwrap_or_default()
    }
}

impl fmt::Debug for ProjectFiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProjectFiles").field("paths", &self.paths.len()).finish_non_exhaustive()
    }
}
