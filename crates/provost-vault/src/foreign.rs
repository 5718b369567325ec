//! Files that belong to a person, outside the home: read, replaced and given back.
//!
//! They are replaced as a whole or not at all, with their mode and their owner, and a link to them
//! stays a link. What somebody else wrote in between is not overwritten: the bytes that were read
//! must still be there.

use std::{fs, io, io::Write as _, os::unix::fs::MetadataExt as _, path::Path};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::Message;
use rustix::fs::{Gid, Mode, OFlags, Uid};

use crate::{Action, FileError};

/// A file that somebody else may change at any time, as it was when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignFile {
    /// The name by which it is known.
    path: Utf8PathBuf,
    /// Where it really lies.
    target: Utf8PathBuf,
    /// What it holds; nothing if it is not there.
    contents: Option<Vec<u8>>,
}

/// Why a person's file was not touched.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.foreign")]
pub enum ForeignError {
    /// A folder, a device, or a dangling link.
    #[message(
        en = "`{path}` is not a file, or a dangling link",
        zh = "`{path}` 不是文件，或是无效的链接",
        hint(
            en = "move it away and run the command again; nothing was changed",
            zh = "请将其移走后重试；没有更改任何内容"
        )
    )]
    NotAFile { path: Utf8PathBuf },
    #[message(
        en = "`{path}` is larger than 8 MiB",
        zh = "`{path}` 大于 8 MiB",
        hint(
            en = "move it away and run the command again; nothing was changed",
            zh = "请将其移走后重试；没有更改任何内容"
        )
    )]
    TooLarge { path: Utf8PathBuf },
    #[message(
        en = "`{path}` is not UTF-8",
        zh = "`{path}` 不是 UTF-8",
        hint(
            en = "move it away and run the command again; nothing was changed",
            zh = "请将其移走后重试；没有更改任何内容"
        )
    )]
    NotUtf8 { path: Utf8PathBuf },
    /// Another process wrote it since it was read.
    #[message(
        en = "`{path}` was changed by another process at the same moment",
        zh = "`{path}` 在此期间被其他进程更改",
        hint(en = "run the command again; nothing was changed", zh = "请重试；没有更改任何内容"),
        exit = Conflict
    )]
    Changed { path: Utf8PathBuf },
    #[message(
        en = "{0}",
        zh = "{0}",
        hint(
            when = field0.is_denied(),
            en = "check who owns the file and its folder, and their permissions",
            zh = "请检查该文件及其文件夹的所有者和权限"
        ),
        inherit = field0
    )]
    File(#[source] FileError),
}

/// The largest file that is taken for a configuration.
const LIMIT: u64 = 8 << 20;

impl ForeignFile {
    /// Reads a file; one that is not there has no contents.
    pub fn read(path: &Utf8Path) -> Result<Self, ForeignError> {
        let target = match path.canonicalize_utf8() {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return if fs::symlink_metadata(path).is_ok() {
                    Err(ForeignError::NotAFile { path: path.to_owned() })
                } else {
                    Ok(Self { path: path.to_owned(), target: path.to_owned(), contents: None })
                };
            }
            Err(source) => return Err(fail(Action::Open, path)(source)),
        };
        let contents = Some(read(path, &target)?);
        Ok(Self { path: path.to_owned(), target, contents })
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What it holds; nothing if it is not there.
    pub fn text(&self) -> Result<Option<&str>, ForeignError> {
        let text = self.contents.as_deref().map(std::str::from_utf8).transpose();
        text.map_err(|_| ForeignError::NotUtf8 { path: self.path.clone() })
    }

    /// The folders that must be made before it can be written, from the outermost inward.
    pub fn missing_folders(&self) -> Vec<Utf8PathBuf> {
        let above = self.target.ancestors().skip(1).filter(|it| !it.as_str().is_empty());
        let mut missing: Vec<_> =
            above.take_while(|it| !it.exists()).map(Utf8Path::to_owned).collect();
        missing.reverse();
        missing
    }

    /// Replaces it, unless somebody wrote it since it was read.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), ForeignError> {
        self.make_folders()?;
        let folder = self.folder();
        let name = self.target.file_name().unwrap_or_default();
        let temporary = folder.join(format!(".{name}.tmp.{}", uuid::Uuid::new_v4()));
        let written = self.write(&temporary, bytes).and_then(|()| self.check()).and_then(|()| {
            #[expect(clippy::disallowed_methods, reason = "the vault is the one that renames")]
            fs::rename(&temporary, &self.target).map_err(fail(Action::Replace, &self.path))
        });
        if written.is_err() {
            // What remains of it, if this fails too, is a hidden file that is never read.
            let _ = remove_file(&temporary);
        }
        written.map(|()| sync(folder))
    }

    /// Removes it, unless somebody wrote it since it was read.
    pub fn remove(&self) -> Result<(), ForeignError> {
        self.check()?;
        remove_file(&self.target).map_err(fail(Action::Remove, &self.path))?;
        sync(self.folder());
        Ok(())
    }

    fn folder(&self) -> &Utf8Path {
        self.target.parent().unwrap_or(&self.target)
    }

    fn make_folders(&self) -> Result<(), ForeignError> {
        for folder in self.missing_folders() {
            #[expect(
                clippy::disallowed_methods,
                reason = "the vault is the one that makes folders"
            )]
            let made = fs::create_dir(&folder);
            match made {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(fail(Action::CreateFolder, &folder))?,
            }
            sync(folder.parent().unwrap_or(&folder));
        }
        Ok(())
    }

    /// Writes a file next to it that looks like it, durably.
    fn write(&self, temporary: &Utf8Path, bytes: &[u8]) -> Result<(), ForeignError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let private = Mode::RUSR | Mode::WUSR;
        let file = rustix::fs::open(temporary.as_std_path(), flags, private)
            .map_err(|error| fail(Action::CreateTemporary, &self.path)(error.into()))?;
        let mut file = fs::File::from(file);
        file.write_all(bytes).map_err(fail(Action::Write, &self.path))?;
        if self.contents.is_some() {
            self.look_alike(&file).map_err(fail(Action::Write, &self.path))?;
        }
        file.sync_all().map_err(fail(Action::Sync, &self.path))
    }

    /// Gives a new file the owner and the mode of the one that it replaces.
    fn look_alike(&self, file: &fs::File) -> io::Result<()> {
        let (theirs, ours) = (fs::metadata(&self.target)?, file.metadata()?);
        if (theirs.uid(), theirs.gid()) != (ours.uid(), ours.gid()) {
            let (uid, gid) = (Uid::from_raw(theirs.uid()), Gid::from_raw(theirs.gid()));
            rustix::fs::fchown(file, Some(uid), Some(gid))?;
        }
        Ok(rustix::fs::fchmod(file, Mode::from_raw_mode(theirs.mode()))?)
    }

    /// Whether it still is what was read.
    fn check(&self) -> Result<(), ForeignError> {
        if Self::read(&self.path)? == *self {
            Ok(())
        } else {
            Err(ForeignError::Changed { path: self.path.clone() })
        }
    }
}

/// Removes folders that were made for a file, from the innermost outward, as far as they are empty.
pub fn remove_folders(folders: &[Utf8PathBuf]) {
    for folder in folders.iter().rev() {
        // One that is not empty has become somebody's, and so have those around it.
        if fs::remove_dir(folder).is_err() {
            return;
        }
        sync(folder.parent().unwrap_or(folder));
    }
}

fn read(path: &Utf8Path, target: &Utf8Path) -> Result<Vec<u8>, ForeignError> {
    use io::Read as _;

    // A pipe in place of a file would block an ordinary open for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(target.as_std_path(), flags, Mode::empty())
        .map_err(|error| fail(Action::Open, path)(error.into()))?;
    let file = fs::File::from(file);
    let metadata = file.metadata().map_err(fail(Action::Read, path))?;
    if !metadata.is_file() {
        return Err(ForeignError::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(fail(Action::Read, path))?;
    if bytes.len() as u64 > LIMIT {
        return Err(ForeignError::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

#[expect(clippy::disallowed_methods, reason = "the vault is the one that removes")]
fn remove_file(path: &Utf8Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Makes the names in a folder durable, as far as the file system can.
fn sync(folder: &Utf8Path) {
    let _ = fs::File::open(Path::new(folder.as_str())).and_then(|it| it.sync_all());
}

fn fail(action: Action, path: &Utf8Path) -> impl FnOnce(io::Error) -> ForeignError + use<> {
    let path = path.to_owned();
    move |source| ForeignError::File(FileError { action, path, source })
}

impl From<FileError> for ForeignError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test is the person to whom the files belong")]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn world() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    fn names(folder: &Utf8Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name());
        let mut names: Vec<_> = names.map(|it| it.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_is_left_behind() {
        let (_world, root) = world();
        let path = root.join("settings.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let file = ForeignFile::read(&path).unwrap();
        assert_eq!(file.text().unwrap(), Some("old"));
        file.replace(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(names(&root), ["settings.json"]);
    }

    #[test]
    fn a_file_that_was_not_there_goes_with_its_folders() {
        let (_world, root) = world();
        let path = root.join("a/b/settings.json");
        let file = ForeignFile::read(&path).unwrap();
        assert_eq!(file.text().unwrap(), None);
        let folders = file.missing_folders();
        assert_eq!(folders, [root.join("a"), root.join("a/b")]);
        file.replace(b"new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        let file = ForeignFile::read(&path).unwrap();
        assert_eq!(file.missing_folders(), Vec::<Utf8PathBuf>::new());
        file.remove().unwrap();
        remove_folders(&folders);
        assert_eq!(names(&root), Vec::<String>::new());
    }

    #[test]
    fn a_folder_that_somebody_uses_stays() {
        let (_world, root) = world();
        let path = root.join("a/b/c/settings.json");
        let file = ForeignFile::read(&path).unwrap();
        let folders = file.missing_folders();
        file.replace(b"new").unwrap();
        fs::write(root.join("a/b/mine"), "").unwrap();
        ForeignFile::read(&path).unwrap().remove().unwrap();
        remove_folders(&folders);
        assert_eq!(names(&root.join("a/b")), ["mine"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let (_world, root) = world();
        fs::create_dir(root.join("dotfiles")).unwrap();
        fs::write(root.join("dotfiles/settings.json"), "old").unwrap();
        let path = root.join("settings.json");
        symlink("dotfiles/settings.json", &path).unwrap();
        ForeignFile::read(&path).unwrap().replace(b"new").unwrap();
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(root.join("dotfiles/settings.json")).unwrap(), "new");
        assert_eq!(names(&root.join("dotfiles")), ["settings.json"]);
    }

    #[test]
    fn what_somebody_wrote_in_between_is_not_overwritten() {
        let (_world, root) = world();
        let path = root.join("settings.json");
        let check = |file: &ForeignFile, expected: &str| {
            for error in [file.replace(b"ours").unwrap_err(), file.remove().unwrap_err()] {
                assert!(matches!(error, ForeignError::Changed { .. }), "{error}");
                assert_eq!(error.exit(), provost_kernel::Exit::Conflict);
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(names(&root), ["settings.json"]);
        };
        let absent = ForeignFile::read(&path).unwrap();
        fs::write(&path, "theirs").unwrap();
        check(&absent, "theirs");
        let read = ForeignFile::read(&path).unwrap();
        fs::write(&path, "again").unwrap();
        check(&read, "again");
    }

    #[test]
    fn what_is_not_a_file_is_refused() {
        let (_world, root) = world();
        let check = |path: &Utf8Path| {
            let error = ForeignFile::read(path).unwrap_err();
            assert!(matches!(error, ForeignError::NotAFile { .. }), "{error}");
        };
        check(&root);
        symlink("nowhere", root.join("dangling")).unwrap();
        check(&root.join("dangling"));
        symlink("/dev/null", root.join("device")).unwrap();
        check(&root.join("device"));
        let pipe = root.join("pipe");
        let (fifo, mode) = (rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR);
        rustix::fs::mknodat(rustix::fs::CWD, pipe.as_std_path(), fifo, mode, 0).unwrap();
        check(&pipe);
        fs::write(root.join("bytes"), b"\xff").unwrap();
        let file = ForeignFile::read(&root.join("bytes")).unwrap();
        assert!(matches!(file.text(), Err(ForeignError::NotUtf8 { .. })));
        fs::write(root.join("large"), vec![b' '; (8 << 20) + 1]).unwrap();
        let error = ForeignFile::read(&root.join("large")).unwrap_err();
        assert!(matches!(error, ForeignError::TooLarge { .. }), "{error}");
    }
}
