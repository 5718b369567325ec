//! Where a mission lies: what outlives its runs is in the home, and its runs are there or where the
//! mission wants them.

use std::{collections::BTreeMap, fs, time::SystemTime};

use camino::Utf8Path;
use provost_kernel::{
    RecordFile, Timestamp,
    learn::{Current, Mission, MissionName, Resolution, Resolved, RunName, TicketKey},
};
use provost_vault::{
    Layout, Location, RealDisk, Stored, is_present,
    learn::{ArtifactFile, MissionFolder, MissionLog, RunView},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{LearnError, Refusal};

/// The folders of one mission.
#[derive(Clone, Debug)]
pub struct MissionDir {
    pub mission: MissionName,
    /// What is in force, what was, and what people resolved.
    pub(super) home: MissionFolder,
    runs: MissionFolder,
}

impl MissionDir {
    /// A mission of the home. Every task type has one, whether anything was learned or not.
    pub fn named(layout: &Layout, name: &str) -> Result<Self, LearnError> {
        let unknown = || Refusal::NoMission { name: name.to_owned(), known: missions(layout) };
        let mission: MissionName = name.parse().map_err(|_| unknown())?;
        let at = layout.mission(&mission);
        if !is_present(&at) && mission.judged_type().is_none() {
            return Err(unknown().into());
        }
        let home = MissionFolder::new(&at);
        Ok(Self { mission, runs: home.clone(), home })
    }

    /// The mission of a file, whose relative paths start in a folder.
    pub fn of(layout: &Layout, mission: &Mission, folder: &Utf8Path) -> Self {
        let name = &mission.mission;
        let home = MissionFolder::new(&layout.mission(name));
        let runs = match &mission.output.root {
            Some(root) => MissionFolder::new(&Layout::mission_elsewhere(&folder.join(root), name)),
            None => home.clone(),
        };
        Self { mission: name.clone(), home, runs }
    }

    /// The folder of a run.
    pub(super) fn at(&self, run: &RunName) -> Location {
        self.runs.run(run)
    }

    /// A run, to look at.
    pub fn view(&self, run: &RunName) -> RunView {
        RunView::new(&self.at(run))
    }

    /// The runs that were begun, by name.
    pub fn begun(&self) -> Result<Vec<RunName>, LearnError> {
        let mut begun = Vec::new();
        for run in self.runs.runs()? {
            if !matches!(self.view(&run).run::<Value>()?, Stored::Absent) {
                begun.push(run);
            }
        }
        Ok(begun)
    }

    /// The run that is asked about: the one that is named, or the one that was at work last.
    pub fn choose(&self, named: Option<&RunName>) -> Result<RunName, LearnError> {
        let known = self.begun()?;
        if let Some(run) = named {
            let is_known = known.contains(run);
            return if is_known { Ok(run.clone()) } else { Err(self.no_run(Some(run), known)) };
        }
        let mut newest: Option<(LastAtWork, RunName)> = None;
        for run in &known {
            let at = last_at_work(&self.view(run))?;
            if newest.as_ref().is_none_or(|(other, _)| at >= *other) {
                newest = Some((at, run.clone()));
            }
        }
        newest.map(|(_, run)| run).ok_or_else(|| self.no_run(None, Vec::new()))
    }

    /// What people said of tickets, the newest word on each.
    pub fn resolutions(&self) -> Result<BTreeMap<TicketKey, Resolution>, LearnError> {
        let mut resolutions = BTreeMap::new();
        for line in self.home.lines(MissionLog::Resolutions)? {
            // A line that cannot be read leaves a ticket out or in against a person's word.
            let resolved: Resolved = serde_json::from_slice(&line?).map_err(|error| {
                let path = self.home.log(MissionLog::Resolutions).path();
                Refusal::Damaged { path, why: error.to_string() }
            })?;
            resolutions.insert(resolved.ticket_key, resolved.resolution);
        }
        Ok(resolutions)
    }

    /// What was in force, the oldest first. A line of another version says nothing here.
    pub(super) fn history(&self) -> Result<Vec<Current>, LearnError> {
        let mut history = Vec::new();
        for line in self.home.lines(MissionLog::History)? {
            let value = serde_json::from_slice(&line?).ok();
            let kept = value.and_then(|it| RecordFile::<Current>::read(it).ok());
            history.extend(kept.map(|it| it.value));
        }
        Ok(history)
    }

    fn no_run(&self, run: Option<&RunName>, known: Vec<RunName>) -> LearnError {
        let mission = self.mission.clone();
        match run {
            Some(run) => Refusal::NoRun { mission, run: run.clone(), known },
            None => Refusal::NeverRun { mission },
        }
        .into()
    }
}

/// When a run was at work last: what it noted to the second, and when it did so.
type LastAtWork = (Option<Timestamp>, Option<SystemTime>);

fn last_at_work(view: &RunView) -> Result<LastAtWork, LearnError> {
    let last = view.last_line(ArtifactFile::Timing)?;
    let line = last.and_then(|it| serde_json::from_slice::<Value>(&it).ok());
    let noted = line.and_then(|it| it["at"].as_str()?.parse().ok());
    let written = fs::metadata(view.artifact(ArtifactFile::Timing).path());
    Ok((noted, written.and_then(|it| it.modified()).ok()))
}

/// Every line of a log of a run.
pub(super) fn records<T: DeserializeOwned>(
    view: &RunView<RealDisk>,
    file: ArtifactFile,
) -> Result<Vec<T>, LearnError> {
    let mut records = Vec::new();
    each(view, file, |it| records.push(it))?;
    Ok(records)
}

/// Takes every line of a log of a run in turn.
pub(super) fn each<T: DeserializeOwned>(
    view: &RunView<RealDisk>,
    file: ArtifactFile,
    mut take: impl FnMut(T),
) -> Result<(), LearnError> {
    for line in view.lines(file)? {
        let value = serde_json::from_slice(&line?).map_err(|error| Refusal::Damaged {
            path: view.artifact(file).path(),
            why: error.to_string(),
        })?;
        take(value);
    }
    Ok(())
}

/// The missions of a home that were ever run; none where they cannot be listed.
pub(super) fn missions(layout: &Layout) -> Vec<MissionName> {
    let listed = fs::read_dir(layout.learn().path()).into_iter().flatten().flatten();
    let names = listed.filter_map(|it| it.file_name().to_str()?.parse().ok());
    let was_run = |it: &MissionName| {
        MissionFolder::new(&layout.mission(it)).runs().is_ok_and(|it| !it.is_empty())
    };
    let mut names: Vec<MissionName> = names.filter(was_run).collect();
    names.sort();
    names
}
