//! What an agent has made of its tree, fixed as objects in the private repository.
//!
//! Committed, staged, unstaged and untracked work are all taken in. A file that the tree's own
//! `.gitignore` leaves out is not: it is not delivered, so it does not count. A repository inside
//! the tree is not entered, because git would run its commands; it is named instead.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use super::{
    Content, Git, GitAction, GitError, Kind, ObjectId, Obstacle, PrivateClone, clone, disk,
    folder::AgentFolder,
    import,
    list::{self, Raw},
    run::Call,
    survey::{self, Scope},
};

/// How many bytes of new and changed files are taken in.
const MAX_BYTES: u64 = 4 << 30;

/// The state of a tree at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The commit that the agent started from.
    pub base: ObjectId,
    /// The agent's own last commit.
    pub head: Part,
    /// The tree of the agent's index.
    pub staged: Part,
    /// The tree of the files, untracked ones included: what is delivered.
    pub work: ObjectId,
    /// Repositories inside the tree. Nothing in them is delivered.
    pub nested: Vec<Vec<u8>>,
}

/// A part of the agent's own repository.
///
/// The work tree is read without it, so what was delivered is known in any case. A caller that
/// must know the history as well refuses an unreadable part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Read(ObjectId),
    /// Damaged, by accident or on purpose.
    Unreadable(String),
}

impl Part {
    pub fn id(&self) -> Option<&ObjectId> {
        match self {
            Self::Read(id) => Some(id),
            Self::Unreadable(_) => None,
        }
    }
}

/// Takes a snapshot of a tree in which no process of the agent is left.
///
/// A tree that would hold git up, or that git cannot list in full, is refused.
pub fn take(git: &Git, clone: &PrivateClone) -> Result<Snapshot, GitError> {
    let folder = AgentFolder::open(&clone.tree);
    let Delivery { work, nested, staged } = Delivery::of(git, clone, &folder)?;
    let (head, staged) = match &folder {
        Ok(folder) => import::verified(git, clone, folder, folder.head(), staged, &work)?,
        Err(why) => (Err(why.clone()), staged),
    };
    let part = |found: Result<ObjectId, String>| match found {
        Ok(id) => Part::Read(id),
        Err(why) => Part::Unreadable(why),
    };
    Ok(Snapshot { base: clone.base.clone(), head: part(head), staged: part(staged), work, nested })
}

/// The tree that a snapshot would have, without the history that led to it.
pub fn work(git: &Git, clone: &PrivateClone) -> Result<ObjectId, GitError> {
    Ok(Delivery::of(git, clone, &AgentFolder::open(&clone.tree))?.work)
}

/// What lies in a tree, without a look at history.
struct Delivery {
    /// The tree of the files.
    work: ObjectId,
    /// Repositories among them.
    nested: Vec<Vec<u8>>,
    /// The tree of the agent's index.
    staged: Result<ObjectId, String>,
}

impl Delivery {
    fn of(
        git: &Git,
        clone: &PrivateClone,
        folder: &Result<AgentFolder, String>,
    ) -> Result<Self, GitError> {
        let special = survey::check(&clone.tree, Scope::Delivery)?;
        refuse_special(git, clone, special)?;
        let staged = match folder {
            Ok(folder) => index_tree(git, clone, folder)?,
            Err(why) => Err(why.clone()),
        };
        // What the agent has added to its index is delivered even if it is ignored.
        let added = match &staged {
            Ok(tree) => import::new_files(git, clone, tree)?,
            Err(_) => Vec::new(),
        };
        let (work, nested) = work_tree(git, clone, &added)?;
        Ok(Self { work, nested, staged })
    }
}

/// Refuses what is neither a file nor a folder, unless it is ignored: programs leave sockets and pipes
/// where they work, and git never takes one in.
fn refuse_special(git: &Git, clone: &PrivateClone, special: Vec<PathBuf>) -> Result<(), GitError> {
    if special.is_empty() {
        return Ok(());
    }
    let input = scratch_file(clone, "special.paths");
    // With a dot before it, no name is read as anything else.
    let named = |it: &PathBuf| [b"./", it.as_os_str().as_bytes()].concat();
    clone::write(&input, &special.iter().map(named).collect::<Vec<_>>().join(&0))?;
    let args = ["check-ignore", "-z", "--stdin"];
    let call = reading(git, clone, GitAction::List, &args).in_tree(&clone.tree).reading(input);
    // Git exits with 1 when none is ignored, and does not answer where paths are to be literal.
    let ran = call.with("GIT_LITERAL_PATHSPECS", "0").run()?;
    let ignored: BTreeSet<&[u8]> = list::paths(&ran.stdout).collect();
    let is_ignored = |it: &&PathBuf| ran.rc == 0 && ignored.contains(named(it).as_slice());
    match special.iter().find(|it| !is_ignored(it)) {
        Some(path) => Err(survey::unfit(path, Obstacle::Special)),
        None => Ok(()),
    }
}

/// A command in the private repository that reads what the agent wrote.
pub(super) fn reading<'g>(
    git: &'g Git,
    clone: &PrivateClone,
    action: GitAction,
    args: &[&str],
) -> Call<'g> {
    let call = git.in_dir(&clone.git_dir, action, args).confined_to(&clone.git_dir);
    call.configured(disk::settings(&clone.disk))
}

/// Writes the files as a tree, without the agent's repository: every object comes from the base or
/// is made from what lies on the disk, so that no object of the agent can stand in for a file.
fn work_tree(
    git: &Git,
    clone: &PrivateClone,
    added: &[Raw],
) -> Result<(ObjectId, Vec<Vec<u8>>), GitError> {
    let index = scratch_index(clone)?;
    let call = |action, args: &[&str]| {
        reading(git, clone, action, args).in_tree(&clone.tree).with("GIT_INDEX_FILE", &index)
    };

    let changed = ["diff-files", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules=all"];
    let changed = call(GitAction::Compare, &changed).output()?;
    let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
    let untracked = call(GitAction::List, &untracked).output()?;
    // Git writes a repository inside the tree as a folder, and enters no other folder that way.
    let (mut nested, files): (Vec<&[u8]>, Vec<&[u8]>) =
        list::paths(&untracked).partition(|path| path.ends_with(b"/"));
    let tracked = call(GitAction::List, &["ls-files", "--stage", "-z"]).output()?;
    let links = gitlinks(&tracked);
    nested.extend(links.iter().filter(|path| has_repository(&clone.tree, path)));

    let changed = self::changed(git, clone, &changed)?;
    let changed = changed.iter().map(Vec::as_slice);
    let touched = changed.chain(files).chain(added.iter().map(|it| &*it.path));
    let tree = take_in(git, clone, &index, touched.collect(), added)?;
    Ok((tree, nested.into_iter().map(<[u8]>::to_vec).collect()))
}

/// The paths of a list that changed: neither what a filter had written, nor what a sparse checkout
/// leaves out.
pub(super) fn changed(
    git: &Git,
    clone: &PrivateClone,
    listed: &[u8],
) -> Result<Vec<Vec<u8>>, GitError> {
    let mut paths: Vec<&[u8]> = list::paths(listed).collect();
    let filtered = disk::unchanged(git, clone, &paths)?;
    paths.retain(|it| !filtered.contains(*it));
    let is_absent = |it: &&&[u8]| clone.tree.join(to_path(it)).symlink_metadata().is_err();
    if clone.disk.is_sparse && paths.iter().any(|it| is_absent(&it)) {
        let left_out = left_out(git, clone)?;
        paths.retain(|it| !is_absent(&it) || !left_out.contains(*it));
    }
    Ok(paths.into_iter().map(<[u8]>::to_vec).collect())
}

/// The paths that the index of the worktree leaves out of it, as a sparse checkout does. An agent can
/// write that, too: what is left out is delivered as the base has it.
fn left_out(git: &Git, clone: &PrivateClone) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let index = scratch_file(clone, "agent.index");
    if !index.exists() {
        return Ok(BTreeSet::new());
    }
    let args = ["ls-files", "-t", "-z"];
    let ran = reading(git, clone, GitAction::List, &args).with("GIT_INDEX_FILE", &index).run()?;
    let listed = list::paths(&ran.stdout).filter_map(|it| it.strip_prefix(b"S "));
    Ok(listed.filter(|_| ran.rc == 0).map(<[u8]>::to_vec).collect())
}

/// Brings these paths of an index to what lies on the disk, and writes the index as a tree.
///
/// Where the disk keeps no modes, a file is executable that the agent has `added` as one.
pub(super) fn take_in(
    git: &Git,
    clone: &PrivateClone,
    index: &Path,
    touched: BTreeSet<&[u8]>,
    added: &[Raw],
) -> Result<ObjectId, GitError> {
    let call = |action, args: &[&str]| {
        reading(git, clone, action, args).in_tree(&clone.tree).with("GIT_INDEX_FILE", index)
    };
    let executable: Vec<&[u8]> = added
        .iter()
        .filter(|it| clone.disk.ignores_modes && it.new == Some(Kind::Executable))
        .map(|it| &*it.path)
        .filter(|it| touched.contains(it) && is_inside(it) && is_present(&clone.tree, it))
        .collect();
    let (present, absent): (Vec<&[u8]>, Vec<&[u8]>) = touched
        .into_iter()
        .filter(|path| is_inside(path))
        .partition(|path| is_present(&clone.tree, path));
    check_size(&clone.tree, &present)?;
    // Removing comes first: a file may stand where a folder was.
    let remove = ["update-index", "--force-remove", "-z", "--stdin"];
    let add = ["update-index", "--add", "--replace", "-z", "--stdin"];
    let mark = ["update-index", "--chmod=+x", "-z", "--stdin"];
    for (args, paths) in [(remove.as_slice(), absent), (&add, present), (&mark, executable)] {
        if !paths.is_empty() {
            let input = scratch_file(clone, "work.paths");
            clone::write(&input, &[paths.join(&0).as_slice(), &[0]].concat())?;
            call(GitAction::WriteIndex, args).reading(input).output()?;
        }
    }
    let tree = call(GitAction::WriteIndex, &["write-tree"]).line()?;
    tree.parse().map_err(|_| GitError::BadRevision { revision: tree })
}

/// Copies the index that the tree was checked out with, in such a way that git reads every file.
///
/// Git takes a file for untouched when its times and size are those in the index, unless the index
/// is as old as the file; then it looks at the content. Times can be set back and sizes kept, so
/// this index is older than every file.
pub(super) fn scratch_index(clone: &PrivateClone) -> Result<PathBuf, GitError> {
    let index = scratch_file(clone, "work.index");
    let known = clone.git_dir.join("index");
    let known = fs::read(&known).map_err(|source| GitError::File {
        action: GitAction::Read,
        path: known,
        source,
    })?;
    clone::write(&index, &known)?;
    #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
    let aged = OpenOptions::new()
        .write(true)
        .open(&index)
        .and_then(|file| file.set_modified(UNIX_EPOCH + Duration::from_secs(1)));
    aged.map_err(|source| GitError::File {
        action: GitAction::SetTime,
        path: index.clone(),
        source,
    })?;
    Ok(index)
}

/// Whether a path stays in the tree and out of its `.git`. The agent's index may say anything.
fn is_inside(path: &[u8]) -> bool {
    path.split(|&it| it == b'/').all(|part| !matches!(part, b"" | b"." | b".." | b".git"))
}

/// Whether there is something other than a folder at this path, with no link on the way to it.
pub(super) fn is_present(tree: &Path, path: &[u8]) -> bool {
    let mut at = tree.to_owned();
    let mut parts = to_path(path).components().peekable();
    while let Some(part) = parts.next() {
        at.push(part);
        let Ok(metadata) = at.symlink_metadata() else { return false };
        if metadata.is_dir() != parts.peek().is_some() {
            return false;
        }
    }
    true
}

/// The paths at which the base names another repository.
pub(super) fn gitlinks(stage: &[u8]) -> Vec<&[u8]> {
    list::paths(stage)
        .filter(|record| record.starts_with(b"160000 "))
        .filter_map(|record| record.splitn(2, |&it| it == b'\t').nth(1))
        .collect()
}

/// Whether the agent has put a repository where the base only names one.
pub(super) fn has_repository(tree: &Path, path: &[u8]) -> bool {
    let path = tree.join(to_path(path)).join(".git");
    path.symlink_metadata().is_ok()
}

/// Refuses, by name, what would fill the disk.
pub(super) fn check_size(tree: &Path, paths: &[&[u8]]) -> Result<(), GitError> {
    let mut total: u64 = 0;
    for path in paths {
        // What is not there any more has no size.
        let Ok(metadata) = tree.join(to_path(path)).symlink_metadata() else { continue };
        total = total.saturating_add(metadata.len());
        if total > MAX_BYTES {
            let subject = path.escape_ascii().to_string();
            return Err(GitError::TooLarge { what: Content::Changes, subject, limit: MAX_BYTES });
        }
    }
    Ok(())
}

/// The tree of the agent's index, which is copied first and read as a file of ours.
fn index_tree(
    git: &Git,
    clone: &PrivateClone,
    folder: &AgentFolder,
) -> Result<Result<ObjectId, String>, GitError> {
    let bytes = match folder.index() {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(Err("there is no index".to_owned())),
        Err(why) => return Ok(Err(why)),
    };
    let index = scratch_file(clone, "agent.index");
    clone::write(&index, &bytes)?;
    // Its objects are not here yet.
    let ran = reading(git, clone, GitAction::WriteIndex, &["write-tree", "--missing-ok"])
        .with("GIT_INDEX_FILE", &index)
        .run()?;
    if ran.rc != 0 {
        return Ok(Err(format!("the index cannot be read: {}", ran.failure().text)));
    }
    let line = String::from_utf8_lossy(&ran.stdout);
    Ok(line.trim_end().parse().map_err(|_| "the index has no tree".to_owned()))
}

/// A file of ours in the private repository, for one step.
pub(super) fn scratch_file(clone: &PrivateClone, name: &str) -> PathBuf {
    clone.git_dir.join("provost").join(name)
}

pub(super) fn to_path(bytes: &[u8]) -> &Path {
    use std::ffi::OsStr;
    Path::new(OsStr::from_bytes(bytes))
}
