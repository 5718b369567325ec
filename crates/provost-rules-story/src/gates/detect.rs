//! Finds the projects of a folder by its files, and the commands that check them.

use provost_rules::ecosystem::{self, Case, Project};
use serde_json::Value;

use super::GateBase;

/// A project, and how it is checked. A command that is none is one that is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DetectedProject {
    /// The kind of project, as in the table of ecosystems.
    pub(super) name: &'static str,
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

/// Every project of a folder.
pub(super) fn projects(base: GateBase<'_>, path: &str) -> Vec<DetectedProject> {
    let folder = Folder { base, path };
    let find = |only_alone: bool| {
        let kinds = ecosystem::all().iter().flat_map(|it| &it.projects);
        let kinds = kinds.filter(move |it| it.only_alone == only_alone);
        kinds.filter_map(|it| folder.detect(it)).collect::<Vec<_>>()
    };
    let found = find(false);
    if found.is_empty() { find(true) } else { found }
}

impl Folder<'_> {
    fn detect(&self, project: &'static Project) -> Option<DetectedProject> {
        let manifest = project.manifests.iter().find(|it| self.has(it))?;
        let tool = project.tools.iter().find(|it| it.has.is_empty() || self.has_any(&it.has));
        let command = |cases: &[Case]| {
            let case = cases.iter().find(|it| self.applies(it, manifest))?;
            let words = tool.iter().flat_map(|it| &it.words);
            let fill = |run: String, (word, text): (&String, &String)| {
                run.replace(&format!("{{{word}}}"), text)
            };
            Some(words.fold(case.run.clone(), fill))
        };
        Some(DetectedProject {
            name: &project.name,
            folder: self.path.to_owned(),
            typecheck: command(&project.typecheck),
            build: command(&project.build),
            test: command(&project.test),
        })
    }

    fn applies(&self, case: &Case, manifest: &str) -> bool {
        let has_script = |name: &String| {
            let package: Value = serde_json::from_str(&self.text(manifest)).unwrap_or_default();
            package["scripts"][name.as_str()].is_string()
        };
        let has_target = |target: &String| {
            self.text(manifest).lines().any(|line| {
                let rest = line.strip_prefix(target.as_str()).map(str::trim_start);
                rest.is_some_and(|it| it.starts_with(':') && !it.starts_with(":="))
            })
        };
        case.is_unconditional()
            || self.has_any(&case.has)
            || case.script.as_ref().is_some_and(has_script)
            || case.target.as_ref().is_some_and(has_target)
            || case.text.iter().any(|(file, pattern)| pattern.is_match(&self.text(file)))
    }

    fn at(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.path) }
    }

    fn has(&self, name: &str) -> bool {
        self.base.paths.contains(&self.at(name))
    }

    fn has_any(&self, names: &[String]) -> bool {
        names.iter().any(|it| self.has(it))
    }

    /// A file of the base, or an empty text.
    fn text(&self, name: &str) -> String {
        if !self.has(name) {
            return String::new();
        }
        (self.base.read)(&self.at(name)).unwrap_or_default()
    }
}
