//! A run as the one process has it that carries it on.

use std::sync::Arc;

use provost_kernel::Clock;
use serde::Serialize;

use super::{ArtifactError, ArtifactFile, DocumentFile, RunView, Verified, file::SNAPSHOTS};
use crate::{
    Action, Disk, FileError, Location, RealDisk,
    atomic::is_temporary,
    disk::{create_folders, read_all},
    lock::{LockError, TaskLock, Timing},
    write_atomic, write_json, write_record,
};

/// The folder of one run, for the one process that holds its lock.
#[derive(Debug)]
pub struct RunFolder<D: Disk = RealDisk> {
    view: RunView<D>,
    /// Held for its end; a simulated disk has no other process.
    _lock: Option<TaskLock>,
}

impl RunFolder {
    /// Opens a run, or says which process carries it on already.
    pub fn open(at: &Location, clock: Arc<dyn Clock>) -> Result<Self, LockError> {
        let view = RunView::new(at);
        let lock = TaskLock::acquire(&view.lock(), clock, Timing::default())?;
        let folder = Self { view, _lock: Some(lock) };
        folder.prepare()?;
        Ok(folder)
    }
}

impl<D: Disk + Clone> RunFolder<D> {
    /// A run on a disk of its own.
    #[cfg(test)]
    pub(crate) fn on(disk: D, at: &Location) -> Result<Self, FileError> {
        let folder = Self { view: RunView::on(disk, at), _lock: None };
        folder.prepare()?;
        Ok(folder)
    }

    /// What anybody may read of it.
    pub fn view(&self) -> &RunView<D> {
        &self.view
    }

    /// Opens a log: what is in it is compared with what is made again, and then it grows.
    ///
    /// The answers are synced before anything is added anywhere that follows from them; otherwise a
    /// power cut could take an answer away and leave what was made of it.
    pub fn artifact(&self, file: ArtifactFile) -> Result<Verified<D>, FileError> {
        let mut log = Verified::open(self.view.disk.clone(), &self.view.artifact(file))?;
        match file {
            ArtifactFile::Calls => log = log.at_once(),
            ArtifactFile::Timing => log.pass()?,
            ArtifactFile::GuidanceLog
            | ArtifactFile::Trajectories
            | ArtifactFile::Selections
            | ArtifactFile::Reflection
            | ArtifactFile::HypothesisEvents
            | ArtifactFile::StopGradientQueue
            | ArtifactFile::FailureMalformed
            | ArtifactFile::Metrics
            | ArtifactFile::GateRuns
            | ArtifactFile::IngestRejects
            | ArtifactFile::GroupReport
            | ArtifactFile::Census
            | ArtifactFile::Distillation => {}
        }
        Ok(log)
    }

    /// Replaces a document.
    pub fn write(&self, file: DocumentFile, value: &impl Serialize) -> Result<(), FileError> {
        write_json(&self.view.disk, &self.view.document(file), value).map(drop)
    }

    /// Keeps the scaffold when the run begins, and from then on only holds it against this one:
    /// nothing writes it a second time (LEARN-1.3).
    pub fn pin_scaffold(&self, value: &impl Serialize) -> Result<(), ArtifactError> {
        self.pin(&self.view.scaffold_file(), value)
    }

    /// Keeps what the run depends on when it begins, and from then on only compares it.
    pub fn pin_run(&self, value: &impl Serialize) -> Result<(), ArtifactError> {
        self.pin(&self.view.run_file(), value)
    }

    /// Keeps a copy of the guidance, and the newest `retention` copies of all.
    ///
    /// Nothing is concluded from copies: every step is in the log of the guidance.
    pub fn keep_snapshot(
        &self,
        step: u64,
        value: &impl Serialize,
        retention: usize,
    ) -> Result<(), FileError> {
        let at = self.view.snapshot_file(step);
        write_record(&self.view.disk, &at, &pretty(&at, value)?)?;
        let steps = self.view.snapshots()?;
        let excess = steps.len().saturating_sub(retention.max(1));
        for &old in steps.iter().take(excess) {
            let at = self.view.snapshot_file(old);
            self.view.disk.remove(&at).map_err(FileError::on(Action::Remove, &at))?;
        }
        Ok(())
    }

    fn pin(&self, at: &Location, value: &impl Serialize) -> Result<(), ArtifactError> {
        let bytes = pretty(at, value)?;
        let disk = &self.view.disk;
        match disk.open(at) {
            Ok(file) => {
                let kept = read_all(disk, &file).map_err(FileError::on(Action::Read, at))?;
                if kept == bytes { Ok(()) } else { Err(ArtifactError::Altered { path: at.path() }) }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(write_atomic(disk, at, &bytes).map(drop)?)
            }
            Err(error) => Err(FileError::on(Action::Open, at)(error).into()),
        }
    }

    /// Makes the folder, and removes what a process that was killed has left half written.
    fn prepare(&self) -> Result<(), FileError> {
        let RunView { disk, at } = &self.view;
        create_folders(disk, at).map_err(FileError::on(Action::CreateFolder, at))?;
        for folder in [at.clone(), at.join(SNAPSHOTS)] {
            let names = match disk.list(&folder) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                listed => listed.map_err(FileError::on(Action::List, &folder))?,
            };
            for name in names.iter().filter(|it| is_temporary(it)) {
                let at = folder.join(name);
                disk.remove(&at).map_err(FileError::on(Action::Remove, &at))?;
            }
        }
        Ok(())
    }
}

/// A value as a file: JSON, two spaces deep, with a final newline.
fn pretty(at: &Location, value: &impl Serialize) -> Result<Vec<u8>, FileError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| FileError::on(Action::Encode, at)(error.into()))?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use camino::{Utf8Path, Utf8PathBuf};
    use provost_kernel::{Exit, Message};
    use serde_json::{Value, json};

    use super::*;
    use crate::{Layout, Stored, SystemClock, sim::SimDisk};

    fn place(home: &Utf8Path) -> Location {
        let layout = Layout::new(home, None, Utf8Path::new("/s"));
        layout.learn_run(&"挡风板".parse().unwrap(), &"run-1".parse().unwrap())
    }

    fn real() -> (tempfile::TempDir, Location) {
        let folder = tempfile::tempdir().unwrap();
        let home = Utf8PathBuf::from_path_buf(folder.path().join("home")).unwrap();
        let at = place(&home);
        (folder, at)
    }

    fn open(at: &Location) -> Result<RunFolder, LockError> {
        RunFolder::open(at, Arc::new(SystemClock))
    }

    #[test]
    fn a_run_is_carried_on_by_one_process_and_seen_by_all() {
        let (_folder, at) = real();
        let view = RunView::new(&at);
        assert_eq!(view.holder().unwrap(), None);
        let run = open(&at).unwrap();
        let error = open(&at).unwrap_err();
        assert_eq!(error.exit(), Exit::Conflict);
        let pid = std::process::id();
        assert!(error.to_string().contains(&format!("process {pid} on ")), "{error}");
        assert_eq!(view.holder().unwrap().unwrap().process.pid, pid);
        drop(run);
        assert_eq!(view.holder().unwrap(), None);
        open(&at).unwrap();
    }

    /// Two runs with the same answers have the same folders, on any machine.
    #[test]
    fn nothing_in_the_folder_tells_who_made_it() {
        let (_folder, at) = real();
        let run = open(&at).unwrap();
        run.pin_scaffold(&json!({})).unwrap();
        run.write(DocumentFile::Guidance, &json!({})).unwrap();
        let mut calls = run.artifact(ArtifactFile::Calls).unwrap();
        calls.append_json(&json!({"seq": 0})).unwrap();
        calls.finish().unwrap();
        let left_over = at.join(".guidance.json.tmp.8c0f5b9e-2f0a-4bb0-9a53-0a3a9a3f1c11");
        RealDisk.create(&left_over).unwrap();
        drop(run);
        open(&at).unwrap();
        let names = RealDisk.list(&at).unwrap();
        assert_eq!(names, ["calls.jsonl", "guidance.json", "scaffold.json"]);
    }

    /// LEARN-1.3: the scaffold of a run is written once.
    #[test]
    fn a_scaffold_is_kept_once_and_then_only_compared() {
        let (disk, at) = (SimDisk::default(), place(Utf8Path::new("/h")));
        let run = RunFolder::on(&disk, &at).unwrap();
        run.pin_scaffold(&json!({"S1": "a"})).unwrap();
        let steps = disk.steps();
        run.pin_scaffold(&json!({"S1": "a"})).unwrap();
        for other in [json!({"S1": "a."}), json!({}), json!({"S1": "a", "S2": "b"})] {
            let error = run.pin_scaffold(&other).unwrap_err();
            assert!(matches!(error, ArtifactError::Altered { .. }), "{error}");
            assert_eq!(error.exit(), Exit::Integrity);
        }
        assert_eq!(disk.steps(), steps, "nothing was written");
        assert_eq!(run.view().scaffold().unwrap(), Stored::Present(json!({"S1": "a"})));
        run.pin_run(&json!({"seed": 1})).unwrap();
        assert!(run.pin_run(&json!({"seed": 2})).is_err());
    }

    #[test]
    fn the_newest_copies_of_the_guidance_are_kept() {
        let (disk, at) = (SimDisk::default(), place(Utf8Path::new("/h")));
        let run = RunFolder::on(&disk, &at).unwrap();
        assert_eq!(run.view().snapshots().unwrap(), [0; 0]);
        for step in [8, 9, 10, 1_000_000, 11] {
            run.keep_snapshot(step, &json!({ "step": step }), 3).unwrap();
        }
        assert_eq!(run.view().snapshots().unwrap(), [10, 11, 1_000_000]);
        let stored: Stored<Value> = run.view().snapshot(10).unwrap();
        assert_eq!(stored, Stored::Present(json!({ "step": 10 })));
        assert_eq!(run.view().snapshot::<Value>(8).unwrap(), Stored::Absent);
        run.keep_snapshot(12, &json!({}), 0).unwrap();
        assert_eq!(run.view().snapshots().unwrap().len(), 1, "one is always kept");
    }

    /// An answer that came is in the file before the next one comes: a kill costs none of them.
    #[test]
    fn an_answer_does_not_wait_in_memory() {
        let (disk, at) = (SimDisk::default(), place(Utf8Path::new("/h")));
        let run = RunFolder::on(&disk, &at).unwrap();
        let mut calls = run.artifact(ArtifactFile::Calls).unwrap();
        let mut selections = run.artifact(ArtifactFile::Selections).unwrap();
        for n in 1..=3 {
            calls.append_json(&json!({ "seq": n })).unwrap();
            selections.append_json(&json!({ "seq": n })).unwrap();
            assert_eq!(run.view().lines(ArtifactFile::Calls).unwrap().count(), n);
            assert_eq!(run.view().lines(ArtifactFile::Selections).unwrap().count(), 0);
        }
    }

    #[test]
    fn times_are_added_and_never_compared() {
        let (disk, at) = (SimDisk::default(), place(Utf8Path::new("/h")));
        let run = RunFolder::on(&disk, &at).unwrap();
        for millis in [7, 9] {
            let mut timing = run.artifact(ArtifactFile::Timing).unwrap();
            timing.append_json(&json!({ "ms": millis })).unwrap();
            timing.finish().unwrap();
        }
        assert_eq!(run.view().lines(ArtifactFile::Timing).unwrap().count(), 2);
        let last = run.view().last_line(ArtifactFile::Timing).unwrap().unwrap();
        assert_eq!(last, br#"{"ms":9}"#);
    }
}
