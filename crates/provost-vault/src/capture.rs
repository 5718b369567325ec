//! The files that a job prints to: opened here, written by the job itself (LOOP-A12).

use std::fs::File;

use crate::{Action, Disk as _, FileError, Location, RealDisk, disk::open_in_folder};

/// Opens an empty file for the output of a job, and creates it with its folders if it is absent.
///
/// It is opened for appending, so that whoever shares it can cut it back without leaving a hole.
pub fn open_capture(at: &Location) -> Result<File, FileError> {
    let file = open_in_folder(&RealDisk, at, |disk| disk.open_log(at))
        .map_err(FileError::on(Action::Open, at))?;
    if RealDisk.len(&file).map_err(FileError::on(Action::Read, at))? > 0 {
        RealDisk.truncate(&file, 0).map_err(FileError::on(Action::Write, at))?;
    }
    Ok(file)
}
