//! What the audit chain says is in force for a mission.
//!
//! An adoption is in the chain before the file is replaced, and names what it replaces. So the newest
//! entry of a mission names what the file holds, however often the machine stopped between the two;
//! whatever else the file holds, nobody put in force.

use provost_kernel::{
    Digest,
    learn::{Current, MissionName, RunName},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Disk, FileError, Layout,
    audit::{More, Standing, read_back},
};

/// What puts guidance in force.
const ACTIONS: [&str; 2] = ["learn.adopt", "learn.rollback"];

/// The newest adoption of a mission.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Adoption {
    new: Named,
    old: Option<Named>,
}

/// Guidance, by what pins it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Named {
    run: RunName,
    scaffold_sha256: Digest,
    guidance_sha256: Digest,
}

/// The subject of the entries about a mission.
pub fn subject(mission: &MissionName) -> String {
    format!("mission:{mission}")
}

/// What an entry says of guidance.
pub fn summary(current: &Current) -> Value {
    json!({
        "run": current.run(),
        "step": current.guidance().step,
        "scaffold_sha256": current.scaffold(),
        "guidance_sha256": current.guidance().digest(),
    })
}

/// Reads the newest adoption of a mission; nothing if the chain has none that is as it was written.
pub fn adoption<D: Disk>(
    disk: &D,
    layout: &Layout,
    mission: &MissionName,
) -> Result<Option<Adoption>, FileError> {
    let subject = subject(mission);
    let mut newest = None;
    read_back(disk, layout, None, |line| {
        let is_whole = line.standing == Standing::Whole;
        let Some(entry) = line.entry.filter(|_| is_whole) else { return More::Yes };
        if entry.subject != subject || !ACTIONS.contains(&entry.action.as_str()) {
            return More::Yes;
        }
        newest = serde_json::from_value(entry.detail).ok();
        More::No
    })?;
    Ok(newest)
}

impl Adoption {
    /// Whether this is what was put in force, or what was before, should the file not have been
    /// replaced yet.
    pub fn names(&self, current: &Current) -> bool {
        let is_it = |it: &Named| {
            it.run == *current.run()
                && it.scaffold_sha256 == current.scaffold()
                && it.guidance_sha256 == current.guidance().digest()
        };
        is_it(&self.new) || self.old.as_ref().is_some_and(is_it)
    }
}
