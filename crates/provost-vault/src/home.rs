//! The home folder itself: private, versioned, and never part of a repository.

use provost_kernel::{Message, TaskId};
use serde::{Deserialize, Serialize};

use crate::{
    Action, Disk, FileError, Layout, Location, Stored, disk::create_folders, read_json,
    write_atomic, write_json,
};

/// The newest format of a home that this provost knows.
const FORMAT: u32 = 1;

/// Why a home cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "vault.home")]
pub enum HomeError {
    #[message(
        en = "`{at}` has format {found}; this provost supports up to {supported}",
        zh = "`{at}` 的格式为 {found}；此 provost 最高支持 {supported}",
        arg(supported = FORMAT),
        hint(
            en = "use the provost that wrote it, or another folder with `--home DIR`",
            zh = "请使用写入它的 provost 版本，或用 `--home DIR` 指定其他文件夹"
        )
    )]
    Newer { at: Location, found: u32 },
    #[message(
        en = "`{at}` does not state the format of the home",
        zh = "`{at}` 未说明主目录的格式",
        hint(en = "remove `{at}`; provost writes it anew", zh = "请删除 `{at}`；provost 会重新写入"),
        exit = Integrity
    )]
    Unreadable { at: Location },
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
}

#[derive(Debug, Serialize, Deserialize)]
struct Format {
    schema: String,
}

/// Whether there is a home, and one that this provost understands; touches nothing.
///
/// A folder without a `format` is not a home yet.
pub fn inspect_home<D: Disk>(disk: &D, layout: &Layout) -> Result<bool, HomeError> {
    let at = layout.format();
    match read_json::<D, Format>(disk, &at)? {
        Stored::Absent => Ok(false),
        Stored::Corrupt(_) => Err(HomeError::Unreadable { at }),
        Stored::Present(format) => {
            let found = format.schema.strip_prefix("provost.home/").and_then(|it| it.parse().ok());
            match found {
                Some(found) if found > FORMAT => Err(HomeError::Newer { at, found }),
                Some(_) => Ok(true),
                None => Err(HomeError::Unreadable { at }),
            }
        }
    }
}

/// Creates what a home needs and is not there; refuses one that a newer provost wrote.
///
/// The folder has the mode 0700, and its own `.gitignore` makes git ignore all of it, so that
/// nothing in it is committed even where the repository's own rules forget it.
pub fn prepare_home<D: Disk>(disk: &D, layout: &Layout) -> Result<(), HomeError> {
    if inspect_home(disk, layout)? {
        return Ok(keep_out_of_git(disk, layout)?);
    }
    let home = layout.home();
    create_folders(disk, &home).map_err(FileError::on(Action::CreateFolder, &home))?;
    // First what keeps the home out of git, then what makes it a home.
    keep_out_of_git(disk, layout)?;
    let format = Format { schema: format!("provost.home/{FORMAT}") };
    Ok(write_json(disk, &layout.format(), &format).map(drop)?)
}

/// Gives the home the mode 0700, and only if it is a folder: a link is not followed.
#[cfg(unix)]
pub fn make_home_private(layout: &Layout) -> Result<(), FileError> {
    use rustix::fs::{Mode, OFlags};

    let home = layout.home();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(home.path().as_std_path(), flags, Mode::empty())
        .and_then(|folder| rustix::fs::fchmod(folder, Mode::RWXU))
        .map_err(|error| FileError::on(Action::MakePrivate, &home)(error.into()))
}

/// The folders below the home that only their owner may enter and that exist: that of all tasks, what
/// provost keeps there for itself, and those of the first `tasks` tasks.
///
/// A folder of tasks outside the home may hold other things: it is not among them.
pub fn private_folders<D: Disk>(
    disk: &D,
    layout: &Layout,
    tasks: usize,
) -> Result<Vec<Location>, FileError> {
    let out = layout.out();
    let names = match disk.list(&out) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(FileError::on(Action::List, &out))?,
    };
    let is_own = |it: &&String| matches!(it.as_str(), "_audit" | "_index");
    let is_task = |it: &&String| it.parse::<TaskId>().is_ok();
    let inside = names.iter().filter(is_own).chain(names.iter().filter(is_task).take(tasks));
    let inside = inside.map(|it| out.join(it));
    let is_of_home = out.path().starts_with(layout.home().path());
    Ok(is_of_home.then(|| out.clone()).into_iter().chain(inside).collect())
}

/// Gives a folder the mode 0700; a link on the way to it is not followed.
#[cfg(unix)]
pub fn make_private(at: &Location) -> Result<(), FileError> {
    crate::disk::open_folder(at)
        .and_then(|folder| Ok(rustix::fs::fchmod(folder, rustix::fs::Mode::RWXU)?))
        .map_err(FileError::on(Action::MakePrivate, at))
}

fn keep_out_of_git<D: Disk>(disk: &D, layout: &Layout) -> Result<(), FileError> {
    let at = layout.gitignore();
    match disk.stat(&at) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            write_atomic(disk, &at, b"*\n").map(drop)
        }
        stat => stat.map(drop).map_err(FileError::on(Action::Read, &at)),
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::sim::SimDisk;

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    /// HOOK-2.6: the home keeps itself out of git.
    #[test]
    fn a_home_is_made_once_and_ignores_itself() {
        let (disk, layout) = (SimDisk::default(), layout());
        prepare_home(&disk, &layout).unwrap();
        let names = disk.list(&layout.home()).unwrap();
        assert_eq!(names, [".gitignore", "format"]);
        let steps = disk.steps();
        prepare_home(&disk, &layout).unwrap();
        assert_eq!(disk.steps(), steps, "the second time writes nothing");

        disk.remove(&layout.gitignore()).unwrap();
        prepare_home(&disk, &layout).unwrap();
        assert_eq!(disk.list(&layout.home()).unwrap(), names, "a lost rule is restored");
    }

    #[test]
    fn a_home_of_a_newer_provost_is_refused_and_left_alone() {
        let (disk, layout) = (SimDisk::default(), layout());
        write_json(&disk, &layout.format(), &Format { schema: "provost.home/2".to_owned() })
            .unwrap();
        let error = prepare_home(&disk, &layout).unwrap_err();
        assert_eq!(error.to_string(), "`/h/format` has format 2; this provost supports up to 1");
        write_atomic(&disk, &layout.format(), b"{}").unwrap();
        let error = prepare_home(&disk, &layout).unwrap_err();
        assert_eq!(error.exit(), provost_kernel::Exit::Integrity);
    }
}
