//! A person's worktree as its repository keeps it: line endings, modes, and files that a filter wrote.
//!
//! No filter is run: an agent can write one. What a filter of the person had made of a file when the plan
//! started is known by its id, and as long as the same bytes lie there, the file did not change.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use provost_kernel::story::{DiskRules, LineEndings};

use super::{
    Git, GitAction, GitError, PrivateClone, clone, list,
    snapshot::{is_present, reading, scratch_file, scratch_index, to_path},
};

/// So many files may have a filter; more of them count as changed.
const MOST_FILTERED: usize = 20_000;

/// What says where the person's own settings lie.
const OF_THE_PERSON: [&str; 2] = ["HOME", "XDG_CONFIG_HOME"];

/// Finds out how a person's worktree keeps its files. Only variables that say where settings lie are
/// looked at.
pub fn rules(
    git: &Git,
    clone: &PrivateClone,
    variables: &BTreeMap<String, String>,
) -> Result<DiskRules, GitError> {
    let settled = PrivateClone { disk: said(git, &clone.tree, variables)?, ..clone.clone() };
    let filtered = filtered(git, &settled)?;
    Ok(DiskRules { filtered, ..settled.disk })
}

/// What the settings of the person say, without a look at files.
pub fn said(
    git: &Git,
    repository: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<DiskRules, GitError> {
    let setting = |key: &str| setting(git, repository, key, variables);
    let line_endings = match setting("core.autocrlf")?.as_deref() {
        Some("true" | "yes" | "on" | "1" | "") => Some(LineEndings::Windows),
        Some("input") => Some(LineEndings::Input),
        Some(_) | None => None,
    };
    let modes = setting("core.fileMode")?;
    let ignores_modes = matches!(modes.as_deref(), Some("false" | "no" | "off" | "0"));
    let sparse = setting("core.sparseCheckout")?;
    let is_sparse = matches!(sparse.as_deref(), Some("true" | "yes" | "on" | "1" | ""));
    Ok(DiskRules { line_endings, ignores_modes, is_sparse, ..DiskRules::default() })
}

/// The settings of git with which files are read by these rules.
pub(super) fn settings(rules: &DiskRules) -> impl Iterator<Item = &'static str> {
    let endings = rules.line_endings.map(|it| match it {
        LineEndings::Windows => "core.autocrlf=true",
        LineEndings::Input => "core.autocrlf=input",
    });
    let modes = rules.ignores_modes.then_some("core.fileMode=false");
    endings.into_iter().chain(modes)
}

/// Those of the paths at which lies what a filter had written.
pub(super) fn unchanged(
    git: &Git,
    clone: &PrivateClone,
    paths: &[&[u8]],
) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let known = &clone.disk.filtered;
    let is_known = |path: &&str| known.contains_key(*path);
    let wanted: Vec<&str> =
        paths.iter().filter_map(|it| std::str::from_utf8(it).ok()).filter(is_known).collect();
    let found = raw_ids(git, clone, &wanted)?;
    let same = found.into_iter().filter(|(path, id)| known.get(*path) == Some(id));
    Ok(same.map(|(path, _)| path.as_bytes().to_vec()).collect())
}

/// The value of a setting in the person's files; none if they do not say it.
fn setting(
    git: &Git,
    repository: &Path,
    key: &str,
    variables: &BTreeMap<String, String>,
) -> Result<Option<String>, GitError> {
    let args = ["config", "--show-scope", "--get-all", "-z", key];
    let mut call = git.at(repository, GitAction::Read, &args).with_own_settings();
    for name in OF_THE_PERSON {
        if let Some(value) = variables.get(name) {
            call.set(name, value);
        }
    }
    let ran = call.run()?;
    let fields: Vec<&[u8]> = ran.stdout.split(|&it| it == 0).collect();
    let (pairs, _) = fields.as_chunks::<2>();
    // What we pass on the command line is no setting of the person.
    let said = pairs.iter().rev().find(|[scope, _]| *scope != b"command");
    Ok(said.map(|[_, value]| String::from_utf8_lossy(value).to_ascii_lowercase()))
}

/// The files of the base that have a filter there, and differ from it: by path, what lies on the disk.
fn filtered(git: &Git, clone: &PrivateClone) -> Result<BTreeMap<String, String>, GitError> {
    let index = scratch_index(clone)?;
    let call = |args: &[&str]| {
        let call = reading(git, clone, GitAction::List, args);
        call.in_tree(&clone.tree).with("GIT_INDEX_FILE", &index)
    };
    let changed = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let changed = call(&changed).output()?;
    if changed.is_empty() {
        return Ok(BTreeMap::new());
    }
    let input = scratch_file(clone, "filtered.paths");
    clone::write(&input, &changed)?;
    // The attributes are those of the index, which is the base.
    let args = ["check-attr", "-z", "--stdin", "--cached", "filter"];
    let said = call(&args).reading(input).output()?;
    let fields: Vec<&[u8]> = list::paths(&said).collect();
    let (records, _) = fields.as_chunks::<3>();
    let has_filter = |value: &[u8]| !matches!(value, b"unspecified" | b"unset" | b"set");
    let paths: Vec<&str> = records
        .iter()
        .filter(|[_, _, value]| has_filter(value))
        .filter_map(|[path, ..]| std::str::from_utf8(path).ok())
        .take(MOST_FILTERED)
        .collect();
    let found = raw_ids(git, clone, &paths)?;
    Ok(found.into_iter().map(|(path, id)| (path.to_owned(), id)).collect())
}

/// What lies at these paths, as it lies there: plain files alone.
fn raw_ids<'p>(
    git: &Git,
    clone: &PrivateClone,
    paths: &[&'p str],
) -> Result<Vec<(&'p str, String)>, GitError> {
    let is_file = |path: &&str| {
        let metadata = clone.tree.join(to_path(path.as_bytes())).symlink_metadata();
        is_present(&clone.tree, path.as_bytes())
            && metadata.is_ok_and(|it| it.is_file())
            && !path.contains('\n')
            && !path.starts_with('"')
    };
    let paths: Vec<&str> = paths.iter().copied().filter(is_file).collect();
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let input = scratch_file(clone, "filtered.files");
    clone::write(&input, format!("{}\n", paths.join("\n")).as_bytes())?;
    let args = ["hash-object", "--no-filters", "--stdin-paths"];
    let call = reading(git, clone, GitAction::Read, &args).in_tree(&clone.tree);
    let printed = call.reading(input).output()?;
    let printed = String::from_utf8_lossy(&printed);
    Ok(paths.into_iter().zip(printed.lines().map(str::to_owned)).collect())
}
