//! The folders outside the home in which attempts work.
//!
//! What an agent left in them is hostile: it is removed without following a link, and never read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{Action, Disk as _, FileError, Location, RealDisk, disk::create_folders};

/// Makes a folder of the home, and the folders above it, durably.
pub fn make_folder(at: &Location) -> Result<(), FileError> {
    create_folders(&RealDisk, at).map_err(FileError::on(Action::CreateFolder, at))
}

/// Makes a folder in which an attempt works, and returns its real path.
///
/// What lies in it is gone after the attempt, so nothing of it is made durable.
pub fn make_work_folder(at: &Location) -> Result<PathBuf, FileError> {
    let fail = || FileError::on(Action::CreateFolder, at);
    create(at).map_err(fail())?;
    at.path().as_std_path().canonicalize().map_err(fail())
}

/// A folder or file of a work place; the name is one component.
pub fn work_part(place: &Location, name: &'static str) -> Location {
    place.join(name)
}

/// The folder of this path, if it lies in a work place; the place itself where it does not.
pub fn work_below(place: &Location, folder: &Path) -> Location {
    let real = place.path().as_std_path().canonicalize();
    let below = real.ok().and_then(|it| folder.strip_prefix(it).ok().map(Path::to_owned));
    let below = below.unwrap_or_default();
    let parts = below.iter().filter_map(|it| it.to_str());
    parts.fold(place.clone(), |at, part| at.join(part))
}

/// One of several like folders of a work place: its name does not tell which one.
pub fn work_apart(place: &Location) -> Location {
    let name = uuid::Uuid::new_v4().simple().to_string();
    place.join(name.get(..8).unwrap_or(&name))
}

fn create(at: &Location) -> io::Result<()> {
    match RealDisk.create_folder(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(&at.folder().ok_or(error)?)?;
            create(at)
        }
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Moves a file or folder of a work place to another one, unless it is absent or something is there
/// already. Says whether it was moved.
#[expect(clippy::disallowed_methods, reason = "a folder of an attempt, which the vault owns")]
pub fn set_aside(from: &Location, to: &Location) -> Result<bool, FileError> {
    if !is_present(from) || is_present(to) {
        return Ok(false);
    }
    let fail = || FileError::on(Action::Replace, to);
    if let Some(folder) = to.folder() {
        create(&folder).map_err(fail())?;
    }
    fs::rename(from.path(), to.path()).map_err(fail())?;
    Ok(true)
}

/// Whether there is something at a location.
pub fn is_present(at: &Location) -> bool {
    RealDisk.stat(at).is_ok()
}

/// Removes a file, or a folder with everything in it; what is absent is not an error.
pub fn remove(at: &Location) -> Result<(), FileError> {
    let path = at.path();
    let removed = match remove_once(path.as_std_path()) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // An agent can take away its own permission to remove.
            unlock(path.as_std_path());
            remove_once(path.as_std_path())
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(FileError::on(Action::Remove, at)(error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes a folder in which nothing is left, and the folder that it lies in, if that is so there.
pub fn remove_empty(at: &Location) {
    for folder in [Some(at.clone()), at.folder()].into_iter().flatten() {
        // One that somebody uses stays.
        let _ = fs::remove_dir(folder.path());
    }
}

#[expect(clippy::disallowed_methods, reason = "a folder of an attempt, which the vault owns")]
fn remove_once(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Gives every folder below a path back to its owner, as far as that is possible.
#[cfg(unix)]
fn unlock(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;

    if !fs::symlink_metadata(path).is_ok_and(|it| it.is_dir()) {
        return;
    }
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        unlock(&entry.path());
    }
}

#[cfg(not(unix))]
fn unlock(_: &Path) {}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes what an agent would have left")]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::{Layout, WorkPlace};

    #[test]
    fn a_folder_is_removed_with_all_that_an_agent_left_and_nothing_else() {
        let state = tempfile::tempdir().unwrap();
        let outside = state.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "kept").unwrap();
        let root = Utf8Path::from_path(state.path()).unwrap();
        let layout = Layout::new(Utf8Path::new("/r/.provost"), None, root);
        let at = layout.work_place(
            &"t1".parse().unwrap(),
            provost_kernel::AttemptNumber::FIRST,
            WorkPlace::Tree,
        );
        let path = make_work_folder(&at).unwrap();
        fs::create_dir(path.join("locked")).unwrap();
        fs::write(path.join("locked/file"), "x").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::os::unix::fs::symlink(&outside, path.join("link")).unwrap();
            fs::set_permissions(path.join("locked"), fs::Permissions::from_mode(0o500)).unwrap();
        }
        remove(&at).unwrap();
        assert!(!is_present(&at));
        remove(&at).unwrap();
        assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "kept");
    }
}
