//! What changed, file by file: every path that was touched at any stage, counted as it stands now.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Git, GitAction, GitError, ObjectId, PrivateClone, Snapshot, clone,
    list::{self, Entry, Malformed, Raw},
    snapshot::{Part, reading, scratch_file},
};

/// One path that differs from the base, or did at some stage.
///
/// A rename is a deletion and an addition. A file that was added and taken away again is here with
/// no lines: its versions can still be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    /// Lines added between the base and the work tree; 0 for a binary file.
    pub added: u64,
    pub removed: u64,
    pub is_binary: bool,
    /// What the path is in the base.
    pub old: Option<Kind>,
    /// What the path is in the work tree.
    pub new: Option<Kind>,
    pub stages: Stages,
    /// Every content that the path had at any stage after the base.
    pub versions: Vec<ObjectId>,
}

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    File,
    Executable,
    Symlink,
    /// Another repository; its content is not delivered.
    Repository,
}

impl Kind {
    /// As git writes it in a tree.
    pub(super) fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Repository => "160000",
        }
    }
}

/// At which stages a path was touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts, not a state")]
pub struct Stages {
    /// In some commit of the agent, even if a later one took it back.
    pub committed: bool,
    /// In the index, differing from the agent's last commit.
    pub staged: bool,
    /// On the disk, differing from the index.
    pub unstaged: bool,
    /// On the disk and not in the index.
    pub untracked: bool,
}

impl Kind {
    /// Reads git's mode; none for the mode of what does not exist.
    pub(super) fn from_mode(mode: &str) -> Result<Option<Self>, Malformed> {
        match mode {
            "000000" => Ok(None),
            "100644" | "100664" => Ok(Some(Self::File)),
            "100755" => Ok(Some(Self::Executable)),
            "120000" => Ok(Some(Self::Symlink)),
            "160000" => Ok(Some(Self::Repository)),
            _ => Err(Malformed),
        }
    }
}

/// Lists every path that was touched, in the order of their names.
///
/// A name that is not text is refused: a rule that cannot name a file cannot judge it.
pub fn of(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
) -> Result<Vec<FileChange>, GitError> {
    let mut touched = Touched::default();
    let (raws, counts) = compare(git, clone, &snapshot.base, &snapshot.work)?;
    for raw in &raws {
        let change = touched.note(raw)?;
        (change.old, change.new) = (raw.old, raw.new);
    }
    for count in counts {
        let change = touched.at(&count.path)?;
        match count.lines {
            Some((added, removed)) => (change.added, change.removed) = (added, removed),
            None => change.is_binary = true,
        }
    }
    let moved: BTreeSet<String> = touched.0.keys().cloned().collect();

    let base = base_tree(git, clone)?;
    if let Part::Read(head) = &snapshot.head {
        let mut committed = history(git, clone, head)?;
        committed.extend(compare(git, clone, &snapshot.base, head)?.0);
        // A commit that brings a file to where it was, such as a base made anew, touches nothing.
        for raw in committed.iter().filter(|raw| base.get(&raw.path) != raw.new_entry().as_ref()) {
            touched.note(raw)?.stages.committed = true;
        }
    }
    // Without a readable index, what is on the disk counts as if nothing had been staged.
    let head = snapshot.head.id().unwrap_or(&snapshot.base);
    let staged = snapshot.staged.id().unwrap_or(head);
    for raw in compare(git, clone, head, staged)?.0 {
        touched.note(&raw)?.stages.staged = true;
    }
    for raw in compare(git, clone, staged, &snapshot.work)?.0 {
        let stages = &mut touched.note(&raw)?.stages;
        match raw.old {
            Some(_) => stages.unstaged = true,
            None => stages.untracked = true,
        }
    }
    for path in &snapshot.nested {
        let change = touched.at(path.strip_suffix(b"/").unwrap_or(path))?;
        change.new = Some(Kind::Repository);
        change.stages.untracked = true;
    }
    for (path, change) in &mut touched.0 {
        if let Some(entry) = base.get(path.as_bytes()).filter(|_| !moved.contains(path)) {
            change.old = Some(entry.kind);
            change.new = change.new.or(change.old);
        }
    }
    Ok(touched.0.into_values().collect())
}

/// The content of one version of a file.
pub fn read_blob(
    git: &Git,
    clone: &PrivateClone,
    id: &ObjectId,
    limit: u64,
) -> Result<Vec<u8>, GitError> {
    reading(git, clone, GitAction::Read, &["cat-file", "blob", id.as_str()])
        .printing_at_most(limit)
        .output()
}

/// The contents of versions of files, or of commits, in as few commands as their size allows.
///
/// `look` gets each one; one that is larger than `limit` is given as none.
pub fn read_blobs(
    git: &Git,
    clone: &PrivateClone,
    ids: &[ObjectId],
    limit: u64,
    mut look: impl FnMut(&ObjectId, Option<&[u8]>),
) -> Result<(), GitError> {
    if ids.is_empty() {
        return Ok(());
    }
    let input = scratch_file(clone, "agent.blobs");
    let ask = |kind: &str, ids: &[&ObjectId], most: u64| {
        let list: Vec<&str> = ids.iter().flat_map(|id| [id.as_str(), "\n"]).collect();
        clone::write(&input, list.concat().as_bytes())?;
        reading(git, clone, GitAction::Read, &["cat-file", kind])
            .reading(input.clone())
            .printing_at_most(most)
            .output()
    };
    let all: Vec<&ObjectId> = ids.iter().collect();
    let sizes = ask("--batch-check=%(objectsize)", &all, list_cap(ids.len()))?;
    let sizes: Vec<u64> = String::from_utf8_lossy(&sizes)
        .lines()
        .map(|it| it.trim().parse().unwrap_or(u64::MAX))
        .collect();
    let mut batch: Vec<(&ObjectId, u64)> = Vec::new();
    for (position, id) in ids.iter().enumerate() {
        let size = sizes.get(position).copied().unwrap_or(u64::MAX);
        if size > limit {
            look(id, None);
            continue;
        }
        let total: u64 = batch.iter().map(|(_, size)| size).sum();
        if total.saturating_add(size) > limit {
            give(&ask, &std::mem::take(&mut batch), &mut look)?;
        }
        batch.push((id, size));
    }
    give(&ask, &batch, &mut look)
}

/// Reads one batch and gives each of its contents to `look`.
fn give(
    ask: &impl Fn(&str, &[&ObjectId], u64) -> Result<Vec<u8>, GitError>,
    batch: &[(&ObjectId, u64)],
    look: &mut impl FnMut(&ObjectId, Option<&[u8]>),
) -> Result<(), GitError> {
    if batch.is_empty() {
        return Ok(());
    }
    let ids: Vec<&ObjectId> = batch.iter().map(|(id, _)| *id).collect();
    let total: u64 = batch.iter().map(|(_, size)| size.saturating_add(1)).sum();
    // Each content stands between a line that is as good as empty and a newline.
    let bytes = ask("--batch= ", &ids, total.saturating_add(list_cap(ids.len())))?;
    let mut rest = bytes.as_slice();
    for (id, size) in batch {
        let size = usize::try_from(*size).unwrap_or(usize::MAX);
        let start = rest.iter().position(|&it| it == b'\n').map_or(rest.len(), |it| it + 1);
        let content = rest.get(start..start.saturating_add(size));
        look(id, content);
        rest = rest.get(start.saturating_add(size).saturating_add(1)..).unwrap_or_default();
    }
    Ok(())
}

/// What a list of so many short lines may need.
fn list_cap(lines: usize) -> u64 {
    64 * (lines as u64 + 1)
}

/// The commits of the agent or of a branch: those that came after the base.
pub fn commits(
    git: &Git,
    clone: &PrivateClone,
    head: &ObjectId,
) -> Result<Vec<ObjectId>, GitError> {
    let args = ["rev-list", head.as_str(), &format!("^{}", clone.base)];
    let listed = reading(git, clone, GitAction::ListCommits, &args).output()?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let id = |line: &str| line.parse().map_err(|_| GitError::from(Malformed));
    listed.lines().map(id).collect()
}

/// A patch between the base and the work tree, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub bytes: Vec<u8>,
    /// How many bytes did not fit.
    pub dropped: u64,
}

/// The patch between the base and the work tree, cut at `limit` bytes.
pub fn patch(
    git: &Git,
    clone: &PrivateClone,
    snapshot: &Snapshot,
    limit: u64,
) -> Result<Patch, GitError> {
    let args = [
        "diff-tree",
        "-r",
        "-p",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--full-index",
        "--ignore-submodules=none",
        "--submodule=short",
        snapshot.base.as_str(),
        snapshot.work.as_str(),
    ];
    let call = reading(git, clone, GitAction::Diff, &args).printing_at_most(limit);
    let ran = call.run()?;
    if ran.rc != 0 {
        let subject = clone.tree.display().to_string();
        return Err(GitError::Failed { action: GitAction::Diff, subject, failure: ran.failure() });
    }
    Ok(Patch { bytes: ran.stdout, dropped: ran.dropped })
}

/// The paths found so far.
#[derive(Default)]
struct Touched(BTreeMap<String, FileChange>);

impl Touched {
    fn at(&mut self, path: &[u8]) -> Result<&mut FileChange, GitError> {
        let text = std::str::from_utf8(path)
            .map_err(|_| GitError::BadPath { path: path.escape_ascii().to_string() })?;
        Ok(self.0.entry(text.to_owned()).or_insert_with(|| FileChange {
            path: text.to_owned(),
            added: 0,
            removed: 0,
            is_binary: false,
            old: None,
            new: None,
            stages: Stages::default(),
            versions: Vec::new(),
        }))
    }

    fn note(&mut self, raw: &Raw) -> Result<&mut FileChange, GitError> {
        let change = self.at(&raw.path)?;
        if let Some(id) = &raw.new_blob
            && !change.versions.contains(id)
        {
            change.versions.push(id.clone());
        }
        Ok(change)
    }
}

/// How two trees are compared, wherever that is done.
pub(super) const DIFF_TREE: [&str; 9] = [
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=none",
];

/// Everything in the base, by path.
pub(super) fn base_tree(
    git: &Git,
    clone: &PrivateClone,
) -> Result<BTreeMap<Vec<u8>, Entry>, GitError> {
    let args = ["ls-tree", "-r", "-z", "--full-tree", clone.base.as_str()];
    let bytes = reading(git, clone, GitAction::List, &args).output()?;
    Ok(list::tree(&bytes)?)
}

fn compare(
    git: &Git,
    clone: &PrivateClone,
    old: &ObjectId,
    new: &ObjectId,
) -> Result<(Vec<Raw>, Vec<list::Counted>), GitError> {
    if old == new {
        return Ok((Vec::new(), Vec::new()));
    }
    let args = [DIFF_TREE.as_slice(), &["--numstat", old.as_str(), new.as_str()]].concat();
    let bytes = reading(git, clone, GitAction::Compare, &args).output()?;
    Ok(list::changes(&bytes)?)
}

/// What each commit after the base changed. A merge changes what differs from all its parents: the
/// rest is what one of them changed, and that is either after the base, too, or before it.
fn history(git: &Git, clone: &PrivateClone, head: &ObjectId) -> Result<Vec<Raw>, GitError> {
    let mut changed = of_commits(git, clone, head, "--no-merges")?;
    let merges = of_commits(git, clone, head, "--merges")?;
    if !merges.is_empty() {
        let own = merged_paths(git, clone)?;
        changed.extend(merges.into_iter().filter(|it| own.contains(&it.path)));
    }
    Ok(changed)
}

/// What commits of this kind changed, against each of their parents. Their list stays for a second
/// question.
fn of_commits(
    git: &Git,
    clone: &PrivateClone,
    head: &ObjectId,
    kind: &str,
) -> Result<Vec<Raw>, GitError> {
    let args = ["rev-list", kind, head.as_str(), &format!("^{}", clone.base)];
    let commits = reading(git, clone, GitAction::ListCommits, &args).output()?;
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let input = scratch_file(clone, "agent.commits");
    clone::write(&input, &commits)?;
    let args = [DIFF_TREE.as_slice(), &["--stdin", "-m", "--root", "--no-commit-id"]].concat();
    let bytes = reading(git, clone, GitAction::Read, &args).reading(input).output()?;
    Ok(list::changes(&bytes)?.0)
}

/// The paths that one of the listed merges has otherwise than all its parents.
fn merged_paths(git: &Git, clone: &PrivateClone) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let args = ["diff-tree", "-r", "-z", "-c", "--name-only", "--no-renames", "--no-ext-diff"];
    let args = [args.as_slice(), &["--no-textconv", "--ignore-submodules=none"]].concat();
    let args = [args.as_slice(), &["--stdin", "--no-commit-id"]].concat();
    let input = scratch_file(clone, "agent.commits");
    let bytes = reading(git, clone, GitAction::Read, &args).reading(input).output()?;
    Ok(list::paths(&bytes).map(<[u8]>::to_vec).collect())
}
