//! The agent's `.git`, read as data.
//!
//! Nothing here trusts a name: every file is opened without following a link, is a plain file, and
//! is no larger than such a file can sensibly be.

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::ObjectId;

/// A `HEAD`, a ref and the list of packed refs are small.
const MAX_REF: u64 = 64 << 20;

/// The index of a tree of a million files has about this size.
const MAX_INDEX: u64 = 256 << 20;

/// How many files may lie in a store of objects.
const MAX_OBJECT_FILES: usize = 2_000_000;

/// A `.git` that is a folder, as [`PrivateClone`](super::PrivateClone) made it.
#[derive(Debug)]
pub(super) struct AgentFolder(PathBuf);

impl AgentFolder {
    pub(super) fn open(tree: &Path) -> Result<Self, String> {
        let path = tree.join(".git");
        match path.symlink_metadata() {
            Ok(it) if it.is_dir() => Ok(Self(path)),
            Ok(_) => Err("`.git` is not a folder any more".to_owned()),
            Err(error) => Err(format!("`.git` cannot be read: {error}")),
        }
    }

    /// A repository that lies elsewhere.
    pub(super) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// The commit that `HEAD` names.
    pub(super) fn head(&self) -> Result<ObjectId, String> {
        let mut name = "HEAD".to_owned();
        // A ref may name another ref, but not for long.
        for _ in 0..5 {
            let text = match self.read(&name, MAX_REF)? {
                Some(bytes) => {
                    String::from_utf8(bytes).map_err(|_| format!("`{name}` is no text"))?
                }
                None => self.packed(&name)?,
            };
            let text = text.trim_end();
            if let Ok(id) = text.parse() {
                return Ok(id);
            }
            name = match text.strip_prefix("ref:").map(str::trim) {
                Some(next) if is_ref_name(next) => next.to_owned(),
                _ => return Err(format!("`{name}` is not a commit")),
            };
        }
        Err("`HEAD` leads in a circle".to_owned())
    }

    /// The index as it is; none when there is no such file.
    pub(super) fn index(&self) -> Result<Option<Vec<u8>>, String> {
        self.read("index", MAX_INDEX)
    }

    /// The store of objects, when it holds nothing but plain files and folders and leads to no
    /// store but those that `alternates` lists.
    pub(super) fn objects(&self, alternates: &[u8]) -> Result<PathBuf, String> {
        self.store(Some(alternates))
    }

    /// The same, when it leads to no other store.
    pub(super) fn own_objects(&self) -> Result<PathBuf, String> {
        self.store(None)
    }

    fn store(&self, alternates: Option<&[u8]>) -> Result<PathBuf, String> {
        let listed = self.read("objects/info/alternates", MAX_REF)?;
        if listed.as_deref() != alternates {
            return Err("`objects/info/alternates` is not what it was".to_owned());
        }
        let root = self.0.join("objects");
        let mut n_files = 0;
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            let unreadable = |error| format!("`{}` cannot be read: {error}", folder.display());
            for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                let kind = entry.file_type().map_err(unreadable)?;
                n_files += 1;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if !kind.is_file() {
                    return Err("the store of objects holds a link or a device".to_owned());
                }
                if n_files > MAX_OBJECT_FILES {
                    return Err("the store of objects holds too many files".to_owned());
                }
            }
        }
        Ok(root)
    }

    fn packed(&self, name: &str) -> Result<String, String> {
        let list = self.read("packed-refs", MAX_REF)?.unwrap_or_default();
        let list = String::from_utf8_lossy(&list);
        list.lines()
            .filter_map(|line| line.split_once(' '))
            .find_map(|(id, packed)| (packed == name).then(|| id.to_owned()))
            .ok_or_else(|| format!("`{name}` does not exist"))
    }

    /// Reads one file below the folder; none when it does not exist.
    fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, String> {
        let file = match open_beneath(&self.0, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("`{name}` cannot be opened: {error}")),
        };
        let unreadable = |error| format!("`{name}` cannot be read: {error}");
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(format!("`{name}` is not a plain file"));
        }
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if u64::try_from(bytes.len()).is_ok_and(|len| len <= limit) {
            Ok(Some(bytes))
        } else {
            Err(format!("`{name}` is larger than {limit} bytes"))
        }
    }
}

/// A name that can only lead to a file below `refs`.
fn is_ref_name(name: &str) -> bool {
    name.starts_with("refs/")
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && !name.contains(['\0', '\n', ' '])
}

/// Opens a file below `root`. No part of its name may be a link, and a device does not block.
#[cfg(target_os = "linux")]
fn open_beneath(root: &Path, name: &str) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

    let folder =
        openat(CWD, root, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    Ok(openat2(folder, name, flags, Mode::empty(), resolve)?.into())
}

#[cfg(not(target_os = "linux"))]
fn open_beneath(root: &Path, name: &str) -> io::Result<File> {
    let mut path = root.to_owned();
    for part in name.split('/') {
        path.push(part);
        let kind = path.symlink_metadata()?.file_type();
        if !kind.is_dir() && !kind.is_file() {
            return Err(io::Error::from(io::ErrorKind::InvalidInput));
        }
    }
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_cannot_lead_out_of_refs() {
        let check =
            |name: &str, is_allowed: bool| assert_eq!(is_ref_name(name), is_allowed, "{name:?}");
        check("refs/heads/main", true);
        check("refs/heads/功能", true);
        check("HEAD", false);
        check("refs/../config", false);
        check("refs//x", false);
        check("/etc/passwd", false);
        check("refs/x\nrefs/y", false);
        check("", false);
    }
}
