//! The folder of a mission: its runs, and what outlives each of them.

use provost_kernel::learn::RunName;
use serde::{Serialize, de::DeserializeOwned};

use super::{MissionLog, file::CURRENT};
use crate::{
    Action, Disk, Durable, FileError, Kind, Lines, Location, Log, RealDisk, Stored, last_line,
    lines, read_json, write_json,
};

/// The folder of one mission.
#[derive(Clone, Debug)]
pub struct MissionFolder<D: Disk = RealDisk> {
    disk: D,
    at: Location,
}

impl MissionFolder {
    /// A mission on this machine.
    pub fn new(at: &Location) -> Self {
        Self::on(RealDisk, at)
    }
}

impl<D: Disk> MissionFolder<D> {
    /// A mission on a disk.
    pub fn on(disk: D, at: &Location) -> Self {
        Self { disk, at: at.clone() }
    }

    /// The folder of one of its runs.
    pub fn run(&self, run: &RunName) -> Location {
        self.at.join(run.as_str())
    }

    /// The runs that there are, by name.
    pub fn runs(&self) -> Result<Vec<RunName>, FileError> {
        let names = match self.disk.list(&self.at) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listed => listed.map_err(FileError::on(Action::List, &self.at))?,
        };
        let is_folder =
            |run: &RunName| self.disk.stat(&self.run(run)).is_ok_and(|it| it.kind == Kind::Folder);
        Ok(names.iter().filter_map(|it| it.parse().ok()).filter(is_folder).collect())
    }

    /// What is current.
    pub fn current<T: DeserializeOwned>(&self) -> Result<Stored<T>, FileError> {
        read_json(&self.disk, &self.at.join(CURRENT))
    }

    /// Makes something current: it is in the history first, and in it once, whenever the machine
    /// stops.
    pub fn adopt(&self, value: &impl Serialize) -> Result<(), FileError> {
        let at = self.log(MissionLog::History);
        let line = encoded(&at, value)?;
        if last_line(&self.disk, &at)?.is_none_or(|it| it != line) {
            Log::open(&self.disk, &at)?.append(&line, Durable::Now)?;
        }
        write_json(&self.disk, &self.at.join(CURRENT), value).map(drop)
    }

    /// Adds a line to a log, durably.
    pub fn append(&self, log: MissionLog, value: &impl Serialize) -> Result<(), FileError> {
        let at = self.log(log);
        Log::open(&self.disk, &at)?.append(&encoded(&at, value)?, Durable::Now)
    }

    /// The whole lines of a log, in order; none if it is absent.
    pub fn lines(&self, log: MissionLog) -> Result<Lines<'_, D>, FileError> {
        lines(&self.disk, &self.log(log))
    }

    /// Where a log lies, for messages and for other programs.
    pub fn log(&self, log: MissionLog) -> Location {
        self.at.join(log.file_name())
    }
}

fn encoded(at: &Location, value: &impl Serialize) -> Result<Vec<u8>, FileError> {
    serde_json::to_vec(value).map_err(|error| FileError::on(Action::Encode, at)(error.into()))
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use serde_json::{Value, json};

    use super::*;
    use crate::{Layout, disk::create_folders, sim::SimDisk, write_atomic};

    fn place() -> Location {
        let layout = Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"));
        layout.mission(&"judge.feature".parse().unwrap())
    }

    #[test]
    fn what_is_current_is_in_the_history_once() {
        let disk = SimDisk::default();
        let mission = MissionFolder::on(&disk, &place());
        assert_eq!(mission.current::<Value>().unwrap(), Stored::Absent);
        for step in [1, 2, 2, 1] {
            mission.adopt(&json!({ "step": step })).unwrap();
        }
        assert_eq!(mission.current().unwrap(), Stored::Present(json!({ "step": 1 })));
        let history: Vec<Vec<u8>> =
            mission.lines(MissionLog::History).unwrap().map(Result::unwrap).collect();
        assert_eq!(history, [br#"{"step":1}"#, br#"{"step":2}"#, br#"{"step":1}"#]);
    }

    #[test]
    fn only_folders_of_runs_are_runs() {
        let disk = SimDisk::default();
        let mission = MissionFolder::on(&disk, &place());
        assert_eq!(mission.runs().unwrap(), [] as [RunName; 0]);
        for name in ["run-2", "run-1"] {
            create_folders(&disk, &mission.run(&name.parse().unwrap())).unwrap();
        }
        mission.append(MissionLog::Tickets, &json!({})).unwrap();
        write_atomic(&disk, &place().join("run-3"), b"a file").unwrap();
        let runs: Vec<String> = mission.runs().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(runs, ["run-1", "run-2"]);
        assert_eq!(mission.lines(MissionLog::Tickets).unwrap().count(), 1);
    }
}
