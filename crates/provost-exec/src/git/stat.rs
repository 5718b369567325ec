//! How much a change holds, as `git diff --numstat` counts it: renames found, every stage seen.
//!
//! A folder is measured as it lies on the disk, with what is untracked, against a commit. What the
//! folder's own `.gitignore`, `.git/info/exclude`, index or configuration would hide is counted all
//! the same: the caller says what is left out, and asks the base for that. The person's index is
//! only read.

mod numstat;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use provost_kernel::story::{DeltaKind, DiskRules, FileDelta};

use self::numstat::Old;
use super::{
    Git, GitAction, GitError, Kind, ObjectId, PrivateClone, Snapshot, changes, clone, list, read,
    snapshot::{self, gitlinks, has_repository, reading, scratch_file, scratch_index, to_path},
    survey::{self, Scope},
};

/// The largest index and rule file that are read.
const MAX_INDEX: u64 = 1 << 30;
const MAX_RULES: u64 = 1 << 20;

/// The largest file whose lines are counted; what is larger is too large for any change.
const MAX_WEIGHED: u64 = 8 << 20;

/// The files that say what is not a source.
const RULE_FILES: [&str; 2] = [".gitignore", ".gitattributes"];

/// What the base holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaseContent {
    /// Every path that is text.
    pub paths: Vec<String>,
    /// Its `.gitignore` and `.gitattributes` files, by path.
    pub rules: Vec<(String, String)>,
}

/// Makes a private repository in the new folder `git_dir`, from which a person's work tree is
/// measured against `base`. Nothing is written anywhere else.
pub fn beside(
    git: &Git,
    tree: &Path,
    base: &str,
    git_dir: &Path,
) -> Result<PrivateClone, GitError> {
    let source = clone::source(git, tree, base)?;
    clone::watch_over(git, &source, git_dir)?;
    let clone = PrivateClone {
        tree: tree.to_owned(),
        git_dir: git_dir.to_owned(),
        base: source.base.clone(),
        disk: DiskRules::default(),
    };
    let args = ["read-tree", clone.base.as_str()];
    git.in_dir(git_dir, GitAction::Read, &args).output()?;
    Ok(clone)
}

/// Reads the paths of the base, and its rules.
pub fn base(git: &Git, clone: &PrivateClone) -> Result<BaseContent, GitError> {
    let tree = changes::base_tree(git, clone)?;
    let text = |path: &[u8]| std::str::from_utf8(path).ok().map(str::to_owned);
    let mut rules: BTreeMap<ObjectId, Vec<String>> = BTreeMap::new();
    for (path, entry) in &tree {
        let is_file = matches!(entry.kind, Kind::File | Kind::Executable);
        let Some(path) = text(path).filter(|_| is_file) else { continue };
        if RULE_FILES.contains(&path.rsplit('/').next().unwrap_or_default()) {
            rules.entry(entry.id.clone()).or_default().push(path);
        }
    }
    let ids: Vec<ObjectId> = rules.keys().cloned().collect();
    let mut content = BaseContent {
        paths: tree.keys().filter_map(|path| text(path)).collect(),
        rules: Vec::new(),
    };
    changes::read_blobs(git, clone, &ids, MAX_RULES, |id, bytes| {
        // A rule that is too long to be read leaves nothing out.
        let rule = bytes.map(|it| String::from_utf8_lossy(it).into_owned()).unwrap_or_default();
        let paths = rules.get(id).into_iter().flatten();
        content.rules.extend(paths.map(|path| (path.clone(), rule.clone())));
    })?;
    Ok(content)
}

/// Measures a work tree as [`beside`] opened it.
///
/// An untracked file that `is_left_out` names is not part of the change, unless it was staged or
/// committed. What is in the last commit or the index, and not on the disk, counts as well.
pub fn of_folder(
    git: &Git,
    clone: &PrivateClone,
    is_left_out: &dyn Fn(&str) -> bool,
) -> Result<Vec<FileDelta>, GitError> {
    survey::check(&clone.tree, Scope::Hazards)?;
    let mut stages = Vec::new();
    if let Some(head) = head(git, clone)? {
        stages.push(between(git, clone, &clone.base, &head)?);
    }
    if let Some(staged) = staged(git, clone)? {
        stages.push(between(git, clone, &clone.base, &staged)?);
    }
    let kept: BTreeSet<&str> = stages.iter().flatten().map(|it| it.path.as_str()).collect();
    let (work, mut links) = work(git, clone, |path| !kept.contains(path) && is_left_out(path))?;
    let mut deltas = between(git, clone, &clone.base, &work)?;
    deltas.append(&mut links);
    Ok(union(deltas, stages))
}

/// Measures what a snapshot of an agent's tree holds.
pub fn of_snapshot(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
) -> Result<Vec<FileDelta>, GitError> {
    let mut deltas = between(git, clone, &snapshot.base, &snapshot.work)?;
    for path in &snapshot.nested {
        deltas.push(submodule(path.strip_suffix(b"/").unwrap_or(path), Old::Absent)?);
    }
    let parts = [snapshot.head.id(), snapshot.staged.id()].into_iter().flatten();
    let stages: Result<Vec<_>, _> =
        parts.map(|it| between(git, clone, &snapshot.base, it)).collect();
    Ok(union(deltas, stages?))
}

/// The difference of two trees or commits.
fn between(
    git: &Git,
    clone: &PrivateClone,
    old: &ObjectId,
    new: &ObjectId,
) -> Result<Vec<FileDelta>, GitError> {
    let args = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--numstat",
        "--no-abbrev",
        "--find-renames",
        "-l1000",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=none",
        old.as_str(),
        new.as_str(),
    ];
    let found = numstat::parse(&reading(git, clone, GitAction::Compare, &args).output()?)?;
    weigh(git, clone, found)
}

/// Finds out how many bytes each change holds.
fn weigh(
    git: &Git,
    clone: &PrivateClone,
    found: Vec<(FileDelta, Option<ObjectId>)>,
) -> Result<Vec<FileDelta>, GitError> {
    let ids: BTreeSet<&ObjectId> = found.iter().filter_map(|(_, id)| id.as_ref()).collect();
    let ids: Vec<ObjectId> = ids.into_iter().cloned().collect();
    let mut sizes: BTreeMap<ObjectId, Content> = BTreeMap::new();
    changes::read_blobs(git, clone, &ids, MAX_WEIGHED, |id, bytes| {
        sizes.insert(id.clone(), bytes.map_or(Content::LARGE, Content::of));
    })?;
    let weighed = |(delta, id): (FileDelta, Option<ObjectId>)| {
        let content = id.and_then(|it| sizes.get(&it).copied()).unwrap_or_default();
        FileDelta { bytes: content.added(&delta), ..delta }
    };
    Ok(found.into_iter().map(weighed).collect())
}

/// How much a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Content {
    bytes: u64,
    lines: u64,
}

impl Content {
    /// One that is not looked at: at least so much, on a line.
    const LARGE: Self = Self { bytes: MAX_WEIGHED, lines: 1 };

    fn of(bytes: &[u8]) -> Self {
        let n_lines = bytes.split_inclusive(|&it| it == b'\n').count();
        Self { bytes: bytes.len() as u64, lines: n_lines as u64 }
    }

    /// How many bytes of it a change added.
    fn added(self, delta: &FileDelta) -> u64 {
        if delta.is_binary || delta.additions >= self.lines {
            return self.bytes;
        }
        let whole = u128::from(self.bytes) * u128::from(delta.additions);
        u64::try_from(whole.div_ceil(u128::from(self.lines))).unwrap_or(u64::MAX)
    }
}

/// What is on the disk, and what only earlier stages hold, each path once.
fn union(deltas: Vec<FileDelta>, stages: Vec<Vec<FileDelta>>) -> Vec<FileDelta> {
    let mut all: BTreeMap<String, FileDelta> = BTreeMap::new();
    for delta in deltas.into_iter().chain(stages.into_iter().flatten()) {
        all.entry(delta.path.clone()).or_insert(delta);
    }
    all.into_values().collect()
}

/// The last commit of the repository; none when there is none yet.
fn head(git: &Git, clone: &PrivateClone) -> Result<Option<ObjectId>, GitError> {
    match read::commit(git, &clone.tree, "HEAD") {
        Ok(id) => Ok(Some(id)),
        Err(GitError::BadRevision { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The tree of the repository's index, which is copied first; none when there is no index.
fn staged(git: &Git, clone: &PrivateClone) -> Result<Option<ObjectId>, GitError> {
    let args = ["rev-parse", "--path-format=absolute", "--git-path", "index"];
    let path = git.at(&clone.tree, GitAction::Read, &args).line()?;
    let path = Path::new(&path);
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_INDEX => {}
        Ok(_) | Err(_) => return Err(clone::bad_path(path)),
    }
    let bytes = fs::read(path).map_err(|source| GitError::File {
        action: GitAction::Read,
        path: path.to_owned(),
        source,
    })?;
    let index = scratch_file(clone, "agent.index");
    clone::write(&index, &bytes)?;
    let call = reading(git, clone, GitAction::Read, &["write-tree", "--missing-ok"]);
    let tree = call.with("GIT_INDEX_FILE", &index).line()?;
    tree.parse().map(Some).map_err(|_| GitError::BadRevision { revision: tree })
}

/// The files on the disk as a tree, and the repositories among them that differ from the base.
fn work(
    git: &Git,
    clone: &PrivateClone,
    is_left_out: impl Fn(&str) -> bool,
) -> Result<(ObjectId, Vec<FileDelta>), GitError> {
    let index = scratch_index(clone)?;
    let call = |args: &[&str]| {
        reading(git, clone, GitAction::List, args)
            .in_tree(&clone.tree)
            .with("GIT_INDEX_FILE", &index)
    };
    // The index knows no file of this tree yet. What has the content of the base is found first,
    // so that only the rest is written; git exits with 1 when there is such a rest.
    call(&["update-index", "-q", "--refresh"]).run()?;
    let changed = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let changed = call(&changed).output()?;
    let listed = call(&["ls-files", "--others", "-z"]).run()?;
    // Git says on the side what it could not look into, and goes on.
    if listed.rc != 0 || listed.dropped > 0 || !listed.failure().text.is_empty() {
        let subject = clone.tree.display().to_string();
        return Err(GitError::Failed {
            action: GitAction::List,
            subject,
            failure: listed.failure(),
        });
    }
    let is_kept = |path: &&[u8]| !is_left_out(&String::from_utf8_lossy(path));
    let (nested, files): (Vec<&[u8]>, Vec<&[u8]>) =
        list::paths(&listed.stdout).filter(is_kept).partition(|path| path.ends_with(b"/"));
    let stage = call(&["ls-files", "--stage", "-z"]).output()?;

    let mut links = Vec::new();
    for path in nested {
        links.push(submodule(path.strip_suffix(b"/").unwrap_or(path), Old::Absent)?);
    }
    let mut replaced = Vec::new();
    for path in gitlinks(&stage) {
        let place = clone.tree.join(to_path(path));
        if place.symlink_metadata().is_ok_and(|it| !it.is_dir()) {
            replaced.push(path);
        } else if has_repository(&clone.tree, path) && is_moved(git, &place, path, &stage) {
            links.push(submodule(path, Old::Submodule)?);
        }
    }
    let changed = snapshot::changed(git, clone, &changed)?;
    let touched = changed.iter().map(Vec::as_slice).chain(files).chain(replaced).collect();
    Ok((snapshot::take_in(git, clone, &index, touched, &[])?, links))
}

/// Whether a repository inside the tree is at another commit than the base names.
fn is_moved(git: &Git, place: &Path, path: &[u8], stage: &[u8]) -> bool {
    let Ok(id) = read::commit(git, place, "HEAD") else { return true };
    let record = format!("160000 {id} 0\t");
    !list::paths(stage).any(|it| it.strip_prefix(record.as_bytes()) == Some(path))
}

/// Another repository, which counts as git counts it: one line, or one for another.
fn submodule(path: &[u8], old: Old) -> Result<FileDelta, GitError> {
    Ok(FileDelta {
        path: numstat::text(path)?,
        old_path: None,
        additions: 1,
        deletions: match old {
            Old::Absent => 0,
            Old::Submodule => 1,
        },
        bytes: 0,
        kind: DeltaKind::Submodule,
        is_binary: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], additions: u64, is_binary: bool, expected: u64) {
        let path = "a".to_owned();
        let kind = DeltaKind::Modified;
        let delta =
            FileDelta { path, old_path: None, additions, deletions: 0, bytes: 0, kind, is_binary };
        assert_eq!(Content::of(content).added(&delta), expected);
    }

    #[test]
    fn an_added_line_is_as_long_as_a_line_of_its_file() {
        check(b"one\ntwo\nsix\n", 3, false, 12);
        check(b"one\ntwo\nsix\n", 1, false, 4);
        check(b"one\ntwo\nsix\n", 0, false, 0);
        check(&[b'x'; 1000], 1, false, 1000);
        check(&[0; 1000], 0, true, 1000);
        check(b"", 0, false, 0);
        assert_eq!(Content::LARGE.bytes, MAX_WEIGHED);
    }
}
