//! What a tree or a commit holds: its paths, and the texts of some of its files.

use std::collections::BTreeMap;

use super::{
    Git, GitAction, GitError, Kind, ObjectId, PrivateClone, changes, list, read, snapshot::reading,
};

/// The files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeFiles {
    /// Every path that is text, with what lies there.
    entries: BTreeMap<String, (Kind, ObjectId)>,
}

impl TreeFiles {
    /// Lists a tree or a commit of the private repository.
    pub fn of(git: &Git, clone: &PrivateClone, tree: &ObjectId) -> Result<Self, GitError> {
        let args = ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()];
        let bytes = reading(git, clone, GitAction::List, &args).output()?;
        let listed = list::tree(&bytes)?.into_iter();
        let entries = listed.filter_map(|(path, entry)| {
            Some((String::from_utf8(path).ok()?, (entry.kind, entry.id)))
        });
        Ok(Self { entries: entries.collect() })
    }

    /// What lies at a path.
    pub fn entry(&self, path: &str) -> Option<(Kind, &ObjectId)> {
        self.entries.get(path).map(|(kind, id)| (*kind, id))
    }

    /// The paths, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// The paths of plain files, in order: neither links nor other repositories.
    pub fn plain(&self) -> impl Iterator<Item = &str> {
        let is_plain = |kind: Kind| matches!(kind, Kind::File | Kind::Executable);
        self.entries
            .iter()
            .filter(move |(_, (kind, _))| is_plain(*kind))
            .map(|(path, _)| path.as_str())
    }

    /// Whether both have the same at a path, which may be nothing.
    pub fn agrees_with(&self, other: &Self, path: &str) -> bool {
        self.entries.get(path) == other.entries.get(path)
    }

    /// Reads those of the files that are plain files of at most `limit` bytes, as text.
    pub fn texts<'a>(
        &self,
        git: &Git,
        clone: &PrivateClone,
        paths: impl IntoIterator<Item = &'a str>,
        limit: u64,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let is_plain = |kind: Kind| matches!(kind, Kind::File | Kind::Executable);
        self.contents(git, clone, paths, limit, is_plain)
    }

    /// Reads where those of the paths lead that are links.
    pub fn targets<'a>(
        &self,
        git: &Git,
        clone: &PrivateClone,
        paths: impl IntoIterator<Item = &'a str>,
        limit: u64,
    ) -> Result<BTreeMap<String, String>, GitError> {
        self.contents(git, clone, paths, limit, |kind| kind == Kind::Symlink)
    }

    fn contents<'a>(
        &self,
        git: &Git,
        clone: &PrivateClone,
        paths: impl IntoIterator<Item = &'a str>,
        limit: u64,
        is_wanted: impl Fn(Kind) -> bool,
    ) -> Result<BTreeMap<String, String>, GitError> {
        let mut wanted: BTreeMap<ObjectId, Vec<&str>> = BTreeMap::new();
        for path in paths {
            if let Some((kind, id)) = self.entries.get(path)
                && is_wanted(*kind)
            {
                wanted.entry(id.clone()).or_default().push(path);
            }
        }
        let ids: Vec<ObjectId> = wanted.keys().cloned().collect();
        let mut texts = BTreeMap::new();
        changes::read_blobs(git, clone, &ids, limit, |id, bytes| {
            let Some(bytes) = bytes else { return };
            let text = String::from_utf8_lossy(bytes);
            let paths = wanted.get(id).into_iter().flatten();
            texts.extend(paths.map(|path| ((*path).to_owned(), text.clone().into_owned())));
        })?;
        Ok(texts)
    }
}

/// The paths at which two trees or commits differ. One that is not text is told as far as it is.
pub fn changed(
    git: &Git,
    clone: &PrivateClone,
    old: &ObjectId,
    new: &ObjectId,
) -> Result<Vec<String>, GitError> {
    let args = [changes::DIFF_TREE.as_slice(), &[old.as_str(), new.as_str()]].concat();
    let bytes = reading(git, clone, GitAction::Compare, &args).output()?;
    let (raws, _) = list::changes(&bytes)?;
    let text = |it: list::Raw| String::from_utf8_lossy(&it.path).into_owned();
    Ok(raws.into_iter().map(text).collect())
}

/// What becomes of a commit when what changed since `base` is put onto another one: the tree; none where
/// both changed the same.
pub fn merged(
    git: &Git,
    clone: &PrivateClone,
    base: &ObjectId,
    onto: &ObjectId,
    work: &ObjectId,
) -> Result<Option<ObjectId>, GitError> {
    let of = format!("--merge-base={base}");
    let args = ["merge-tree", "--write-tree", "--no-messages", &of, onto.as_str(), work.as_str()];
    let ran = reading(git, clone, GitAction::Compare, &args).run()?;
    let text = String::from_utf8_lossy(&ran.stdout);
    // Git exits with 1 when there are conflicts.
    Ok(text.lines().next().filter(|_| ran.rc == 0).and_then(|it| it.parse().ok()))
}

/// The tree of a commit of the repository; none if it has no commit of this name.
pub fn tree_of(
    git: &Git,
    repository: &std::path::Path,
    name: &str,
) -> Result<Option<ObjectId>, GitError> {
    let commit = match read::commit(git, repository, name) {
        Ok(commit) => commit,
        Err(GitError::BadRevision { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let tree = format!("{commit}^{{tree}}");
    let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &tree];
    let line = git.at(repository, GitAction::Read, &args).line()?;
    line.parse().map(Some).map_err(|_| GitError::BadRevision { revision: line })
}

/// Whether the repository still has a commit of this name.
pub fn has_commit(git: &Git, repository: &std::path::Path, name: &str) -> Result<bool, GitError> {
    match read::commit(git, repository, name) {
        Ok(_) => Ok(true),
        Err(GitError::BadRevision { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
