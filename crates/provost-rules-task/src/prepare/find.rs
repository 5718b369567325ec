//! Finds the folders of a repository whose dependencies are to be installed.

use std::collections::BTreeSet;

use provost_rules::ecosystem::{FileText, Install, installs};

use super::{
    Absent, Files, LeftOut, NamedInstall, SuggestedInstall, Suggestion, doubt::doubt, inputs, join,
    members::is_member, requirements, wanted,
};

/// Folders whose lock files belong to somebody else's project, or to a test's.
const PASSED_OVER: [&str; 16] = [
    "node_modules",
    "vendor",
    "third_party",
    "thirdparty",
    "fixtures",
    "fixture",
    "__fixtures__",
    "testdata",
    "test",
    "tests",
    "__tests__",
    "spec",
    "examples",
    "example",
    "templates",
    "target",
];
/// How deep a folder may lie, and how many are prepared.
const DEPTH: usize = 3;
const MOST: usize = 12;

/// What the lock files of a delivery suggest.
pub fn suggest(files: Files<'_>) -> Suggestion {
    of_rows(found(files), files)
}

fn of_rows(rows: Vec<(&'static Install, String)>, files: Files<'_>) -> Suggestion {
    let mut suggestion = Suggestion::default();
    for (row, folder) in rows {
        let found_by = first_found(row, &folder, files);
        if let Some(because) = doubt(row, &folder, files) {
            suggestion.left_out.push(LeftOut { lock_file: found_by, because });
            continue;
        }
        match install(row, &folder, found_by.clone(), files) {
            Ok(install) => suggestion.installs.push(install),
            Err(because) => suggestion.left_out.push(LeftOut { lock_file: found_by, because }),
        }
    }
    suggestion
}

/// What the configuration names. The same rules hold as for what is found: a file of the agent that
/// could run something is not followed.
pub fn named(wanted: &[&NamedInstall], files: Files<'_>) -> Result<Suggestion, Absent> {
    let mut found: Vec<(&'static Install, String)> = Vec::new();
    for NamedInstall { name, folder } in wanted {
        let row = row_of(name, folder, files)?;
        if !found.iter().any(|(other, at)| other.name == row.name && at == folder) {
            found.push((row, folder.clone()));
        }
    }
    Ok(of_rows(found, files))
}

/// The row of a name that fits a folder, with everything in it that the row needs.
fn row_of(name: &str, folder: &str, files: Files<'_>) -> Result<&'static Install, Absent> {
    let has = |file: &&String| files.paths.contains(&join(folder, file));
    let absent = |file: &String| Absent { name: name.to_owned(), file: join(folder, file) };
    let mut missing = None;
    for row in wanted::rows(name) {
        let lacks = match (&row.only_if, &row.manifest) {
            _ if !row.found_by.iter().any(|it| has(&it)) => row.found_by.first(),
            (Some(it), _) if !says(it, folder, files) => Some(&it.file),
            (_, Some(it)) if !has(&&it.file) => Some(&it.file),
            _ => return Ok(row),
        };
        missing = missing.or(lacks.map(absent));
    }
    Err(missing.unwrap_or_else(|| absent(&String::new())))
}

/// The rows that apply, with their folders: the root first.
fn found(files: Files<'_>) -> Vec<(&'static Install, String)> {
    let mut folders: Vec<&str> = candidates(files).into_iter().collect();
    folders.sort_by_key(|it| (depth(it), *it));
    let mut found: Vec<(&'static Install, String)> = Vec::new();
    for folder in folders {
        for row in installs().iter().filter(|it| applies(it, folder, files)) {
            let is_known = |(other, at): &(&Install, String)| {
                other.ecosystem == row.ecosystem
                    && (at == folder || is_member(other, at, folder, files))
            };
            if !found.iter().any(is_known) && found.len() < MOST {
                found.push((row, folder.to_owned()));
            }
        }
    }
    found
}

/// The folders that have a file by which some row is found.
fn candidates(files: Files<'_>) -> BTreeSet<&str> {
    let mut folders = BTreeSet::new();
    for path in files.paths {
        for file in installs().iter().flat_map(|it| &it.found_by) {
            let Some(folder) = path.strip_suffix(file.as_str()) else { continue };
            let Some(folder) = folder.strip_suffix('/').or(folder.is_empty().then_some("")) else {
                continue;
            };
            if is_near(folder) {
                folders.insert(folder);
            }
        }
    }
    folders
}

/// The folders below the root in which a project of its own may lie: those that are not deep come
/// first.
pub(crate) fn subfolders(files: Files<'_>) -> Vec<&str> {
    let parents = files.paths.iter().filter_map(|it| it.rsplit_once('/')).map(|(folder, _)| folder);
    let folders: BTreeSet<&str> = parents.filter(|it| is_near(it)).collect();
    let mut folders: Vec<&str> = folders.into_iter().collect();
    folders.sort_by_key(|it| (depth(it), *it));
    folders
}

/// Whether a folder is neither deep nor one that is passed over.
fn is_near(folder: &str) -> bool {
    let is_passed_over = |part: &str| part.starts_with('.') || PASSED_OVER.contains(&part);
    depth(folder) <= DEPTH && !folder.split('/').any(is_passed_over)
}

fn depth(folder: &str) -> usize {
    if folder.is_empty() { 0 } else { folder.split('/').count() }
}

fn applies(row: &Install, folder: &str, files: Files<'_>) -> bool {
    let has = |file: &String| files.paths.contains(&join(folder, file));
    // A list of requirements in a subfolder is rarely one of a project of its own.
    let is_project = row.name != "pip" || folder.is_empty() || is_python_project(folder, files);
    // Modules that came along need not be fetched.
    let is_vendored = row.name == "go" && files.paths.contains(&join(folder, "vendor/modules.txt"));
    row.found_by.iter().any(has)
        && is_project
        && !is_vendored
        && row.only_if.as_ref().is_none_or(|it| says(it, folder, files))
}

/// Whether a folder has a program of Python beside its requirements.
fn is_python_project(folder: &str, files: Files<'_>) -> bool {
    let below = format!("{folder}/");
    let is_program = |it: &&String| {
        it.starts_with(&below) && std::path::Path::new(it).extension().is_some_and(|it| it == "py")
    };
    files.paths.iter().any(|it| is_program(&it))
}

fn says(wanted: &FileText, folder: &str, files: Files<'_>) -> bool {
    let text = (files.delivered)(&join(folder, &wanted.file));
    text.is_some_and(|it| wanted.text.is_match(&it))
}

fn first_found(row: &Install, folder: &str, files: Files<'_>) -> String {
    let mut paths = row.found_by.iter().map(|it| join(folder, it));
    paths.find(|it| files.paths.contains(it)).unwrap_or_default()
}

/// The installation of a folder, or what in it could run delivered code.
fn install(
    row: &'static Install,
    folder: &str,
    found_by: String,
    files: Files<'_>,
) -> Result<SuggestedInstall, String> {
    let builds = row.build_if.as_ref().is_none_or(|it| says(it, folder, files));
    let words = match row.requirements {
        Some(it) => requirements::words(it, row, folder, files)?,
        None => None,
    };
    // A command that would have nothing to install is not run.
    let fill = |command: &&String| match (&words, command.contains("{requirements}")) {
        (_, false) => Some((*command).clone()),
        (Some(words), true) => Some(command.replace("{requirements}", words)),
        (None, true) => None,
    };
    let inputs = row
        .found_by
        .iter()
        .chain(row.manifest.iter().map(|it| &it.file))
        .chain(row.members.iter().map(|it| &it.file))
        .chain(&row.settings);
    let is_built = builds && row.build_if.is_some();
    let is_of_base = inputs.map(|it| join(folder, it)).all(|it| (files.is_same)(&it))
        && requirements::are_of_base(row, folder, files)
        && (!is_built || inputs::builds_as_base(files));
    Ok(SuggestedInstall {
        name: &row.name,
        program: &row.program,
        folder: folder.to_owned(),
        fetch: row.fetch.iter().filter_map(|it| fill(&it)).collect(),
        build: if builds { row.build.clone() } else { Vec::new() },
        must_fetch: !row.untried,
        must_build: !row.untried && !row.build_may_fail,
        environment: row.environment.as_ref().map(|it| join(folder, it)),
        variables: row.own_variables.iter().map(|(name, it)| (&**name, &**it)).collect(),
        versions: inputs::versions(row),
        found_by,
        inputs: inputs::of(row, folder, files, is_built),
        pinned: inputs::pinned(row),
        is_of_base,
    })
}
