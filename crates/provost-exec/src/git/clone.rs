//! A private clone: a tree for an agent, and beside it the repository that watches over it.
//!
//! The agent gets an ordinary clone on a branch of its own. Objects are not copied: both
//! repositories name the person's store as an alternate and only read from it. There is no remote,
//! no hook, no template. Content that git-lfs or another filter of the person would fill in stays
//! as it is stored, because no filter is run.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use provost_kernel::story::DiskRules;

use super::{Git, GitAction, GitError, Identity, ObjectId, read, submodule};

/// The branch that an agent starts on.
pub const BRANCH: &str = "provost";

/// Where the private repository remembers what the clone was made from.
const BASE_REF: &str = "refs/provost/base";

/// The agent may say how files differ, but not to us: with `diff` unspecified, git looks at the
/// content, and nothing can be declared binary to escape the count. Most versions of git read no
/// attributes here in the first place, because the repository is bare.
const ATTRIBUTES: &str = "* !diff\n";

/// A tree for an agent, with the repository that it cannot write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateClone {
    /// Where the agent works; all of it may be hostile afterwards.
    pub tree: PathBuf,
    /// Ours, beside the tree: `<tree>.git`.
    pub git_dir: PathBuf,
    /// What the agent started from.
    pub base: ObjectId,
    /// How files lie in the tree, where we have not written it.
    pub disk: DiskRules,
}

/// Where objects come from.
pub(super) struct Source {
    /// Where the submodules of the base lie; none where they are among the objects, if anywhere.
    worktree: Option<PathBuf>,
    objects: PathBuf,
    /// The list of commits whose parents were left out, if the person's clone is shallow.
    shallow: PathBuf,
    format: String,
    pub(super) base: ObjectId,
}

/// Makes a private clone of the person's repository at `base`, in the new folder `into`.
///
/// The folder that `into` lies in must exist. The paths of the clone are real ones, as a
/// [`Sandbox`](crate::sandbox::Sandbox) wants them.
pub fn private(
    git: &Git,
    repository: &Path,
    base: &str,
    into: &Path,
    identity: &Identity,
) -> Result<PrivateClone, GitError> {
    make(git, &source(git, repository, base)?, into, identity)
}

/// Makes a clean clone of exactly what was snapshotted: of a commit that was published from this
/// clone. Nothing comes from the agent's tree but tracked content.
pub fn exact(
    git: &Git,
    clone: &PrivateClone,
    commit: &ObjectId,
    into: &Path,
    identity: &Identity,
) -> Result<PrivateClone, GitError> {
    let args = ["rev-parse", "--show-object-format"];
    let source = Source {
        worktree: None,
        objects: clone.git_dir.join("objects"),
        shallow: clone.git_dir.join("shallow"),
        format: git.in_dir(&clone.git_dir, GitAction::Read, &args).line()?,
        base: commit.clone(),
    };
    make(git, &source, into, identity)
}

impl PrivateClone {
    /// Finds a clone that was made earlier.
    pub fn open(git: &Git, tree: &Path) -> Result<Self, GitError> {
        let tree = real(tree)?;
        let git_dir = beside(&tree);
        let args = ["rev-parse", "--verify", "--quiet", BASE_REF];
        let line = git.in_dir(&git_dir, GitAction::Read, &args).line()?;
        let base = line.parse().map_err(|_| GitError::BadRevision { revision: line })?;
        Ok(Self { tree, git_dir, base, disk: DiskRules::default() })
    }
}

/// The commit that a private clone of a repository would start from, if one can be made.
pub fn base(git: &Git, repository: &Path, base: &str) -> Result<ObjectId, GitError> {
    source(git, repository, base).map(|it| it.base)
}

/// Asks the person's repository where its objects are, and what `base` is.
pub(super) fn source(git: &Git, repository: &Path, base: &str) -> Result<Source, GitError> {
    if !repository.is_dir() {
        return Err(GitError::NotARepository { path: repository.to_owned() });
    }
    let questions = [
        "rev-parse",
        "--path-format=absolute",
        "--is-bare-repository",
        "--show-object-format",
        "--git-path",
        "objects",
        "--git-path",
        "shallow",
    ];
    let ran = git.at(repository, GitAction::Read, &questions).run()?;
    if ran.rc != 0 {
        return Err(read::unreadable(repository, &ran));
    }
    let answer = String::from_utf8(ran.stdout).map_err(|_| bad_path(repository))?;
    let answers: Vec<&str> = answer.lines().collect();
    let [is_bare, format, objects, shallow] = *answers else { return Err(bad_path(repository)) };
    if is_bare == "true" {
        return Err(GitError::Bare { path: repository.to_owned() });
    }
    Ok(Source {
        worktree: Some(repository.to_owned()),
        objects: objects.into(),
        shallow: shallow.into(),
        format: format.to_owned(),
        base: read::commit(git, repository, base)?,
    })
}

fn make(
    git: &Git,
    source: &Source,
    into: &Path,
    identity: &Identity,
) -> Result<PrivateClone, GitError> {
    let tree = real(into)?;
    let git_dir = beside(&tree);
    for path in [&tree, &git_dir] {
        if path.symlink_metadata().is_ok() {
            return Err(GitError::Exists { path: path.clone() });
        }
        if path.to_str().is_none_or(|it| it.contains('\n')) {
            return Err(bad_path(path));
        }
    }
    let disk = DiskRules::default();
    let clone = PrivateClone { tree, git_dir, base: source.base.clone(), disk };
    let made = fill(git, source, &clone, identity);
    if made.is_err() {
        // Both folders are ours from this call: they did not exist before it.
        for path in [&clone.tree, &clone.git_dir] {
            #[expect(clippy::disallowed_methods, reason = "half a clone, outside every home")]
            let _ = fs::remove_dir_all(path);
        }
    }
    made.map(|()| clone)
}

fn fill(
    git: &Git,
    source: &Source,
    clone: &PrivateClone,
    identity: &Identity,
) -> Result<(), GitError> {
    let format = format!("--object-format={}", source.format);
    let tree_text = clone.tree.to_str().ok_or_else(|| bad_path(&clone.tree))?;
    let base = source.base.as_str();
    let agent_dir = clone.tree.join(".git");

    watch_over(git, source, &clone.git_dir)?;
    let plain = ["init", "--quiet", "--template=", &format, "--initial-branch", BRANCH];
    let plain = [plain.as_slice(), &["--", tree_text]].concat();
    git.at(Path::new("/"), GitAction::CreateClone, &plain).output()?;
    lend(source, &agent_dir)?;

    let remember = ["update-ref", BASE_REF, base];
    git.in_dir(&clone.git_dir, GitAction::Configure, &remember).output()?;
    let check_out = ["read-tree", "--reset", "-u", "--no-recurse-submodules", base];
    git.in_dir(&clone.git_dir, GitAction::CheckOut, &check_out).in_tree(&clone.tree).output()?;
    submodule::check_out(git, clone)?;

    sign(git, &agent_dir, identity)?;
    git.in_dir(&agent_dir, GitAction::Configure, &["update-ref", "HEAD", base]).output()?;
    // The same index, so that the agent's git finds every file as it left it.
    copy_if_present(&clone.git_dir.join("index"), &agent_dir.join("index"))
}

/// Says who commits in a repository.
pub(super) fn sign(git: &Git, git_dir: &Path, identity: &Identity) -> Result<(), GitError> {
    for (key, value) in [("user.name", &identity.name), ("user.email", &identity.email)] {
        git.in_dir(git_dir, GitAction::Configure, &["config", key, value]).output()?;
    }
    Ok(())
}

/// Makes the repository in which commands run, with no files in it.
pub(super) fn watch_over(git: &Git, source: &Source, git_dir: &Path) -> Result<(), GitError> {
    let format = format!("--object-format={}", source.format);
    let text = git_dir.to_str().ok_or_else(|| bad_path(git_dir))?;
    let bare = ["init", "--quiet", "--template=", &format, "--bare", "--", text];
    git.at(Path::new("/"), GitAction::CreateRepository, &bare).output()?;
    lend(source, git_dir)?;
    write(&git_dir.join("info/attributes"), ATTRIBUTES.as_bytes())?;
    match &source.worktree {
        Some(worktree) => submodule::bring_over(git, git_dir, worktree, &source.base),
        None => Ok(()),
    }
}

/// Lets a repository read the objects of the source.
fn lend(source: &Source, git_dir: &Path) -> Result<(), GitError> {
    let mut alternates = source.objects.as_os_str().as_bytes().to_vec();
    alternates.push(b'\n');
    write(&git_dir.join("objects/info/alternates"), &alternates)?;
    copy_if_present(&source.shallow, &git_dir.join("shallow"))
}

/// The path without links in the part that was there before the clone.
fn real(tree: &Path) -> Result<PathBuf, GitError> {
    let (Some(parent), Some(name)) = (tree.parent(), tree.file_name()) else {
        return Err(bad_path(tree));
    };
    let fail = |source| GitError::File { action: GitAction::Read, path: parent.to_owned(), source };
    Ok(parent.canonicalize().map_err(fail)?.join(name))
}

fn beside(tree: &Path) -> PathBuf {
    let mut name = tree.as_os_str().to_owned();
    name.push(".git");
    name.into()
}

pub(super) fn bad_path(path: &Path) -> GitError {
    GitError::BadPath { path: path.as_os_str().as_bytes().escape_ascii().to_string() }
}

/// Creates a file, with its folder, in a repository that was made just now.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), GitError> {
    let fail = |source| GitError::File { action: GitAction::Write, path: path.to_owned(), source };
    #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
    let done = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| OpenOptions::new().write(true).create(true).truncate(true).open(path))
        .and_then(|mut file| file.write_all(bytes));
    done.map_err(fail)
}

pub(super) fn copy_if_present(from: &Path, to: &Path) -> Result<(), GitError> {
    #[expect(clippy::disallowed_methods, reason = "scratch of ours, outside every home")]
    match fs::copy(from, to) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(GitError::File { action: GitAction::Copy, path: to.to_owned(), source }),
    }
}
