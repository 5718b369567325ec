//! A run as anybody may look at it: nothing is written, repaired or locked.

use serde::de::DeserializeOwned;

use super::{
    ArtifactFile, DocumentFile,
    file::{RUN, SCAFFOLD, SNAPSHOTS, snapshot_name, snapshot_step},
};
use crate::{
    Action, Disk, FileError, Lines, Location, RealDisk, Stored, last_line, lines,
    lock::{self, Holder},
    read_json,
};

/// The files of one run, to read.
#[derive(Clone, Debug)]
pub struct RunView<D: Disk = RealDisk> {
    pub(super) disk: D,
    pub(super) at: Location,
}

impl RunView {
    /// A run on this machine.
    pub fn new(at: &Location) -> Self {
        Self::on(RealDisk, at)
    }
}

impl<D: Disk> RunView<D> {
    /// A run on a disk.
    pub fn on(disk: D, at: &Location) -> Self {
        Self { disk, at: at.clone() }
    }

    /// The folder of the run.
    pub fn location(&self) -> &Location {
        &self.at
    }

    /// A log of the run, for messages and for other programs.
    pub fn artifact(&self, file: ArtifactFile) -> Location {
        self.at.join(file.file_name())
    }

    /// What a document holds.
    pub fn read<T: DeserializeOwned>(&self, file: DocumentFile) -> Result<Stored<T>, FileError> {
        read_json(&self.disk, &self.document(file))
    }

    /// What the run depends on, as it was when it began.
    pub fn run<T: DeserializeOwned>(&self) -> Result<Stored<T>, FileError> {
        read_json(&self.disk, &self.run_file())
    }

    /// The scaffold, as it was when the run began.
    pub fn scaffold<T: DeserializeOwned>(&self) -> Result<Stored<T>, FileError> {
        read_json(&self.disk, &self.scaffold_file())
    }

    /// The whole lines of a log, in order; none if it is absent.
    pub fn lines(&self, file: ArtifactFile) -> Result<Lines<'_, D>, FileError> {
        lines(&self.disk, &self.artifact(file))
    }

    /// The last whole line of a log.
    pub fn last_line(&self, file: ArtifactFile) -> Result<Option<Vec<u8>>, FileError> {
        last_line(&self.disk, &self.artifact(file))
    }

    /// The steps of which there is a copy, in order.
    pub fn snapshots(&self) -> Result<Vec<u64>, FileError> {
        let folder = self.at.join(SNAPSHOTS);
        let names = match self.disk.list(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.map_err(FileError::on(Action::List, &folder))?,
        };
        let mut steps: Vec<u64> = names.iter().filter_map(|it| snapshot_step(it)).collect();
        steps.sort_unstable();
        Ok(steps)
    }

    /// The copy of the guidance at a step.
    pub fn snapshot<T: DeserializeOwned>(&self, step: u64) -> Result<Stored<T>, FileError> {
        read_json(&self.disk, &self.snapshot_file(step))
    }

    /// The process at work on the run, if any.
    pub fn holder(&self) -> Result<Option<Holder>, FileError> {
        let holder = lock::holder(&self.disk, &self.lock())?;
        Ok(holder.filter(|it| !it.released && it.process.is_running()))
    }

    pub(super) fn document(&self, file: DocumentFile) -> Location {
        self.at.join(file.file_name())
    }

    pub(super) fn run_file(&self) -> Location {
        self.at.join(RUN)
    }

    pub(super) fn scaffold_file(&self) -> Location {
        self.at.join(SCAFFOLD)
    }

    pub(super) fn snapshot_file(&self, step: u64) -> Location {
        self.at.join(SNAPSHOTS).join(snapshot_name(step))
    }

    /// The lock lies beside the folder: nothing in it differs from one machine to another.
    pub(super) fn lock(&self) -> Location {
        match self.at.folder() {
            Some(folder) => folder.join(format!("{}.lock", self.at.name())),
            None => self.at.join("run.lock"),
        }
    }
}
