//! Files of the home directory that configure test runners: editing one while a story is worked on
//! changes what its proofs mean.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use provost_kernel::{Finding, story::Execution};
use provost_rules::ecosystem::{self, FilePattern, Reads};
use provost_rules_story::claim::tampering::home;

use crate::Engine;

/// The largest file that is read.
const TEXT: u64 = 1 << 20;

/// The files that changed since the plan was started, by their ctime, which cannot be set back.
pub(super) fn findings(engine: &Engine<'_>, execution: &Execution) -> Vec<Finding> {
    let Some(folder) = engine.variables.get("HOME").filter(|it| !it.is_empty()) else {
        return Vec::new();
    };
    let started = execution.created_at.seconds();
    let is_new = |path: &str| {
        let found = Path::new(folder).join(path).symlink_metadata();
        found.is_ok_and(|it| it.ctime() >= started)
    };
    let modules = python_modules(Path::new(folder));
    let paths = ecosystem::home_files().map(str::to_owned).chain(modules);
    let text = |path: &str| {
        let path = Path::new(folder).join(path);
        let is_plain = path.metadata().is_ok_and(|it| it.is_file() && it.len() <= TEXT);
        let bytes = if is_plain { fs::read(path).unwrap_or_default() } else { Vec::new() };
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let changed: Vec<(String, String)> =
        paths.filter(|it| is_new(it)).map(|it| (it.clone(), text(&it))).collect();
    home(changed.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

/// Where Python would look for modules that it loads before everything else.
fn python_modules(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(home.join(".local/lib")).into_iter().flatten().flatten();
    let names = entries.filter_map(|it| it.file_name().into_string().ok());
    let versions = names.filter(|it| it.starts_with("python"));
    let runner_files = || ecosystem::all().iter().flat_map(|it| &it.runner_files);
    let preloaded = || {
        let files = runner_files().filter(|it| matches!(it.reads, Reads::Preloaded));
        files.flat_map(|it| &it.files).map(FilePattern::as_str)
    };
    versions
        .flat_map(|version| {
            preloaded().map(move |it| format!(".local/lib/{version}/site-packages/{it}"))
        })
        .collect()
}
