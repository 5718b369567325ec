//! A look at a tree before git looks at it.
//!
//! Git opens certain files of a tree by their names, and a pipe under such a name holds it up for
//! ever. It also leaves out, with a warning that is not read, what it cannot list. So names and
//! kinds are looked at first, without opening or following anything that an agent may have left.

use std::{
    ffi::OsStr,
    fs::{self, DirEntry, FileType},
    io::{self, Read as _},
    os::unix::{ffi::OsStrExt as _, fs::OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use provost_kernel::{Message, shorten_to};

use super::{GitAction, GitError};

/// How many files and folders a tree may hold.
const MAX_ENTRIES: usize = 2_000_000;

/// How long a path may be: the kernel opens none that is longer.
const MAX_PATH: usize = 4095;

/// How many folders may lie in one another.
const MAX_DEPTH: usize = 255;

/// The files of a tree that git reads by their names.
const READ_BY_GIT: [&str; 3] = [".gitattributes", ".gitignore", ".gitmodules"];

/// Why a tree is not fit to be looked at by git.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "git.obstacle")]
pub enum Obstacle {
    #[message(en = "is a pipe, a socket or a device", zh = "是管道、套接字或设备")]
    Special,
    /// Something else stands where git reads a file.
    #[message(
        en = "is not a plain file, and git would read it",
        zh = "不是普通文件，而 git 会读取它"
    )]
    NotAFile,
    #[message(en = "is a repository that leads out of the tree", zh = "是指向目录之外的仓库")]
    Elsewhere,
    #[message(en = "has a path that is too long", zh = "的路径过长")]
    TooLong,
    #[message(en = "is nested too deeply", zh = "的层级过深")]
    TooDeep,
    #[message(en = "exceeds the limit of files in a tree", zh = "超出目录的文件数上限")]
    TooMany,
    #[message(en = "is a folder without read permission", zh = "是没有读取权限的文件夹")]
    Closed,
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Whatever keeps a tree from being taken in as it is.
    Delivery,
    /// What would hold git up, and nothing else: programs may leave the rest behind.
    Hazards,
}

/// Where a folder lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Tree,
    /// The folder of a repository inside the tree, which git looks into to recognise it.
    Repository,
    /// Its references.
    References,
}

struct Folder {
    /// From the tree.
    path: PathBuf,
    depth: usize,
    zone: Zone,
}

struct Survey<'t> {
    tree: &'t Path,
    scope: Scope,
    folders: Vec<Folder>,
    special: Vec<PathBuf>,
}

/// Refuses, by name, a tree that git cannot look at safely and completely. What is neither a file nor a
/// folder, and holds nothing up, is returned for a delivery: it may be ignored.
pub(super) fn check(tree: &Path, scope: Scope) -> Result<Vec<PathBuf>, GitError> {
    let root = Folder { path: PathBuf::new(), depth: 0, zone: Zone::Tree };
    let mut survey = Survey { tree, scope, folders: vec![root], special: Vec::new() };
    let mut n_entries = 0;
    while let Some(folder) = survey.folders.pop() {
        let Some(entries) = survey.entries(&folder)? else { continue };
        for entry in entries {
            let entry = entry.map_err(|source| survey.broken(&folder.path, source))?;
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                return Err(unfit(&folder.path, Obstacle::TooMany));
            }
            survey.look(&folder, &entry)?;
        }
    }
    Ok(survey.special)
}

impl Survey<'_> {
    /// What is in a folder; none if that need not be known.
    fn entries(&self, folder: &Folder) -> Result<Option<fs::ReadDir>, GitError> {
        match fs::read_dir(self.tree.join(&folder.path)) {
            Ok(entries) => Ok(Some(entries)),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => match self.scope {
                Scope::Delivery => Err(unfit(&folder.path, Obstacle::Closed)),
                Scope::Hazards => Ok(None),
            },
            Err(source) => Err(self.broken(&folder.path, source)),
        }
    }

    fn look(&mut self, folder: &Folder, entry: &DirEntry) -> Result<(), GitError> {
        let name = entry.file_name();
        let path = folder.path.join(&name);
        let kind = entry.file_type().map_err(|source| self.broken(&path, source))?;
        // The agent's own repository is read as data, by code that is made for it.
        if path.as_os_str() == ".git" {
            return Ok(());
        }
        match folder.zone {
            Zone::Tree => self.look_in_tree(folder, path, &name, kind),
            Zone::Repository => self.look_in_repository(folder, path, &name, kind),
            Zone::References if kind.is_dir() => self.enter(folder, path, Zone::References),
            Zone::References if kind.is_file() => Ok(()),
            Zone::References => Err(unfit(&path, Obstacle::Special)),
        }
    }

    fn look_in_tree(
        &mut self,
        folder: &Folder,
        path: PathBuf,
        name: &OsStr,
        kind: FileType,
    ) -> Result<(), GitError> {
        let is_read = READ_BY_GIT.iter().any(|it| name == *it);
        let is_repository = name == ".git";
        if is_special(kind) && (is_read || is_repository) {
            return Err(unfit(&path, Obstacle::Special));
        }
        if is_special(kind) && self.scope == Scope::Delivery {
            self.special.push(path);
            return Ok(());
        }
        if is_read && !kind.is_file() {
            return Err(unfit(&path, Obstacle::NotAFile));
        }
        if self.scope == Scope::Delivery && self.length(&path) > MAX_PATH {
            return Err(unfit(&path, Obstacle::TooLong));
        }
        match (is_repository, kind.is_dir()) {
            (true, true) => self.enter(folder, path, Zone::Repository),
            (false, true) => self.enter(folder, path, Zone::Tree),
            (true, false) if kind.is_symlink() => Err(unfit(&path, Obstacle::Elsewhere)),
            (true, false) if kind.is_file() => self.follow(folder, &path),
            (true | false, false) => Ok(()),
        }
    }

    fn look_in_repository(
        &mut self,
        folder: &Folder,
        path: PathBuf,
        name: &OsStr,
        kind: FileType,
    ) -> Result<(), GitError> {
        if is_special(kind) {
            return Err(unfit(&path, Obstacle::Special));
        }
        // Hooks are often links, and are never looked at.
        if name == "commondir" || (kind.is_symlink() && name != "hooks") {
            return Err(unfit(&path, Obstacle::Elsewhere));
        }
        if kind.is_dir() && (name == "refs" || name == "reftable") {
            return self.enter(folder, path, Zone::References);
        }
        Ok(())
    }

    fn enter(&mut self, from: &Folder, path: PathBuf, zone: Zone) -> Result<(), GitError> {
        let depth = from.depth + 1;
        let is_far = depth > MAX_DEPTH || self.length(&path) > MAX_PATH;
        match self.scope {
            Scope::Delivery if is_far => return Err(unfit(&path, Obstacle::TooDeep)),
            // Git cannot go there either.
            Scope::Hazards if is_far => return Ok(()),
            Scope::Delivery | Scope::Hazards => {}
        }
        self.folders.push(Folder { path, depth, zone });
        Ok(())
    }

    /// Looks at the repository that a file named `.git` leads to, as git would.
    fn follow(&mut self, folder: &Folder, path: &Path) -> Result<(), GitError> {
        let text = self.read(path).map_err(|source| self.broken(path, source))?;
        let Some(target) = text.strip_prefix(b"gitdir: ") else { return Ok(()) };
        let target = Path::new(OsStr::from_bytes(target.trim_ascii_end()));
        // What does not exist holds nothing up.
        let Ok(target) = self.tree.join(&folder.path).join(target).canonicalize() else {
            return Ok(());
        };
        let tree = self.tree.canonicalize().map_err(|source| self.broken(path, source))?;
        match target.strip_prefix(&tree) {
            Ok(inside) if target.is_dir() => {
                self.enter(folder, inside.to_owned(), Zone::Repository)
            }
            // A submodule of a linked worktree has its repository beside that of the worktree.
            Err(_) if target.is_dir() && self.is_own(&target) => {
                self.enter(folder, target, Zone::Repository)
            }
            Ok(_) | Err(_) => Err(unfit(path, Obstacle::Elsewhere)),
        }
    }

    /// Whether a repository belongs to the one that a worktree is linked to.
    fn is_own(&self, target: &Path) -> bool {
        let Ok(text) = self.read(Path::new(".git")) else { return false };
        let Some(own) = text.strip_prefix(b"gitdir: ") else { return false };
        let own = self.tree.join(OsStr::from_bytes(own.trim_ascii_end()));
        own.canonicalize().is_ok_and(|it| target.starts_with(it.join("modules")))
    }

    /// The beginning of a file that was a plain one a moment ago.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        #[expect(clippy::disallowed_methods, reason = "read only, and outside every home")]
        let file = fs::OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(self.tree.join(path))?;
        let mut bytes = Vec::new();
        file.take(2 * MAX_PATH as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&self, path: &Path) -> usize {
        self.tree.as_os_str().len() + 1 + path.as_os_str().len()
    }

    fn broken(&self, path: &Path, source: io::Error) -> GitError {
        GitError::File { action: GitAction::Read, path: self.tree.join(path), source }
    }
}

fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}

/// The path is an agent's: it is made fit to print, and not longer than a person reads.
pub(super) fn unfit(path: &Path, why: Obstacle) -> GitError {
    let text = shorten_to(&path.to_string_lossy(), 200).escape_debug().to_string();
    GitError::Unfit { path: if text.is_empty() { ".".to_owned() } else { text }, why }
}
