//! What is installed for Python: only packages of an index, nothing that is built from the
//! repository while the network is on.

use provost_kernel::shorten;
use provost_rules::ecosystem::{Install, Requirements};
use serde_json::Value;

use super::{Files, join, members, parent};

/// How many files of requirements may name each other.
const DEPTH: usize = 8;
/// Groups of optional dependencies that tests need.
const GROUPS: [&str; 5] = ["test", "tests", "testing", "dev", "develop"];

/// The words that stand for `{requirements}`, quoted for a shell; none if there is nothing to
/// install. An error names what could run delivered code.
pub(super) fn words(
    kind: Requirements,
    row: &Install,
    folder: &str,
    files: Files<'_>,
) -> Result<Option<String>, String> {
    let words: Vec<String> = match kind {
        Requirements::Files => {
            let listed = chosen(row, folder, files);
            for file in &listed {
                check(file, files, DEPTH)?;
            }
            listed.iter().flat_map(|it| ["-r".to_owned(), inside(folder, it).to_owned()]).collect()
        }
        Requirements::Project => {
            let mut all = build_system(folder, files)?;
            all.extend(project(folder, files)?);
            all
        }
        Requirements::BuildSystem => build_system(folder, files)?,
    };
    Ok((!words.is_empty()).then(|| quoted(&words)))
}

/// Whether the requirements are those of the base, as far as files besides the manifest name them.
pub(super) fn are_of_base(row: &Install, folder: &str, files: Files<'_>) -> bool {
    match row.requirements {
        Some(Requirements::Files) => {
            let listed = chosen(row, folder, files);
            listed.iter().all(|it| named(it, files, DEPTH).iter().all(|it| (files.is_same)(it)))
        }
        Some(Requirements::Project | Requirements::BuildSystem) => {
            (files.is_same)(&join(folder, "pyproject.toml"))
        }
        None => true,
    }
}

/// One list for development or tests, and that of the product.
pub(super) fn chosen(row: &Install, folder: &str, files: Files<'_>) -> Vec<String> {
    let mut there = row.found_by.iter().map(|it| join(folder, it));
    let first = there.find(|it| files.paths.contains(it));
    let product = row.found_by.last().map(|it| join(folder, it));
    let product = product.filter(|it| files.paths.contains(it) && Some(it) != first.as_ref());
    first.into_iter().chain(product).collect()
}

fn inside<'a>(folder: &str, path: &'a str) -> &'a str {
    path.strip_prefix(folder).map_or(path, |it| it.trim_start_matches('/'))
}

/// A file of requirements, and those that it names.
pub(super) fn named(file: &str, files: Files<'_>, depth: usize) -> Vec<String> {
    let text = (files.delivered)(file).unwrap_or_default();
    let mut all = vec![file.to_owned()];
    if depth > 0 {
        for other in lines(&text).iter().filter_map(|it| reference(it)) {
            if let Some(path) = resolve(parent(file), other) {
                all.extend(named(&path, files, depth - 1));
            }
        }
    }
    all
}

/// Whether every line of a file, and of those that it names, is plain.
fn check(file: &str, files: Files<'_>, depth: usize) -> Result<(), String> {
    let text = (files.delivered)(file).unwrap_or_default();
    let is_of_person = (files.is_same)(file);
    for line in lines(&text) {
        let is_allowed = match reference(&line).and_then(|it| resolve(parent(file), it)) {
            Some(path) if depth > 0 && files.paths.contains(&path) => {
                check(&path, files, depth - 1)?;
                true
            }
            Some(_) => false,
            None => is_plain(&line, is_of_person),
        };
        if !is_allowed {
            return Err(shown(file, &line));
        }
    }
    Ok(())
}

fn lines(text: &str) -> Vec<String> {
    text.replace("\\\n", " ").lines().map(str::to_owned).collect()
}

fn shown(file: &str, line: &str) -> String {
    format!("{file}: {}", shorten(line.trim()).escape_debug())
}

/// The file that a line names: `-r other.txt`, `-c constraints.txt`.
fn reference(line: &str) -> Option<&str> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    let options = ["-r", "-c", "--requirement", "--constraint"];
    let rest = options.iter().find_map(|it| {
        let rest = line.strip_prefix(it)?;
        rest.starts_with([' ', '=']).then(|| rest.trim_start_matches([' ', '=']))
    });
    rest.or_else(|| line.strip_prefix("-r").or_else(|| line.strip_prefix("-c")))
        .map(str::trim)
        .filter(|it| !it.is_empty() && !it.contains(':'))
}

/// A path from a folder, within the repository.
fn resolve(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/').filter(|it| !it.is_empty() && *it != ".") {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts.join("/"))
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
    let is_name = |it: char| it.is_ascii_alphanumeric() || "._-[], \t<>=!~*+()".contains(it);
    let ends_as_file = [".whl", ".zip", ".tar.gz", ".tgz", ".tar"];
    requirement.starts_with(|it: char| it.is_ascii_alphanumeric())
        && requirement.chars().all(is_name)
        && !ends_as_file.iter().any(|it| requirement.trim_end().ends_with(it))
}

/// What a project needs to run and to be tested.
fn project(folder: &str, files: Files<'_>) -> Result<Vec<String>, String> {
    let value = pyproject(folder, files);
    let list = |key: &str| texts(members::at(&value, key));
    let mut all = list("project.dependencies");
    for group in GROUPS {
        all.extend(list(&format!("project.optional-dependencies.{group}")));
        all.extend(list(&format!("dependency-groups.{group}")));
    }
    // An extra of the project itself: `shop[test]`.
    let own = members::at(&value, "project.name").and_then(Value::as_str).unwrap_or_default();
    all.retain(|it| own.is_empty() || !it.starts_with(&format!("{own}[")));
    plain(folder, all, files)
}

fn build_system(folder: &str, files: Files<'_>) -> Result<Vec<String>, String> {
    let value = pyproject(folder, files);
    let mut all = texts(members::at(&value, "build-system.requires"));
    // What an editable installation asks for besides, and cannot fetch later.
    for (backend, besides) in [("hatchling", "editables"), ("setuptools", "wheel")] {
        if all.iter().any(|it| it.starts_with(backend)) && !all.iter().any(|it| it == besides) {
            all.push(besides.to_owned());
        }
    }
    plain(folder, all, files)
}

fn plain(folder: &str, all: Vec<String>, files: Files<'_>) -> Result<Vec<String>, String> {
    let file = join(folder, "pyproject.toml");
    let is_of_person = (files.is_same)(&file);
    match all.iter().find(|it| it.starts_with('-') || !is_plain(it, is_of_person)) {
        Some(it) => Err(shown(&file, it)),
        None => Ok(all),
    }
}

fn pyproject(folder: &str, files: Files<'_>) -> Value {
    let file = join(folder, "pyproject.toml");
    members::read(&file, &(files.delivered)(&file).unwrap_or_default())
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Words for a shell.
fn quoted(words: &[String]) -> String {
    let is_safe = |it: char| it.is_ascii_alphanumeric() || "_-./=".contains(it);
    let quote = |word: &String| {
        if !word.is_empty() && word.chars().all(is_safe) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}
