//! The names of tasks, read without their files: the audit chain needs them, and the files need the
//! chain.

use provost_kernel::TaskId;

use crate::{Action, Disk, FileError, Layout, Location};

/// Every name under the folder of all tasks that a task could have, in order; not each is one.
pub fn names_of_tasks<D: Disk>(disk: &D, layout: &Layout) -> Result<Vec<TaskId>, FileError> {
    let names = names(disk, &layout.out())?;
    let mut tasks: Vec<TaskId> = names.iter().filter_map(|it| it.parse().ok()).collect();
    tasks.sort_unstable();
    Ok(tasks)
}

/// The names in a folder; none when it is absent.
pub(crate) fn names<D: Disk>(disk: &D, folder: &Location) -> Result<Vec<String>, FileError> {
    match disk.list(folder) {
        Ok(names) => Ok(names),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(FileError::on(Action::List, folder)(error)),
    }
}
