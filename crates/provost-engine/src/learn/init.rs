//! Makes a mission out of a person's file of cases: three files that a run can begin with.

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Lang,
    learn::{Endpoint, Label, MissionName},
};
use provost_rules_learn::{
    import, judge_mission,
    mission::read,
    ticket_mission::{self, GUIDANCE, MISSION, TICKETS},
};
use provost_vault::eval::publish;
use serde::Serialize;

use super::{IngestReject, LearnError, Refusal, TicketIndex, prepare::text};

/// What a person gives.
#[derive(Clone, Debug)]
pub struct InitOrder<'a> {
    /// The file with the cases: CSV, or lines of JSON.
    pub tickets: &'a Utf8Path,
    /// The folder of the mission.
    pub folder: &'a Utf8Path,
    pub mission: &'a MissionName,
    pub endpoint: &'a Endpoint,
    pub language: Lang,
}

/// What was made.
#[derive(Clone, Debug, Serialize)]
pub struct Initialised {
    pub mission: MissionName,
    /// The file to run.
    pub file: Utf8PathBuf,
    pub passes: usize,
    pub fails: usize,
    /// Lines that became no ticket.
    #[serde(skip)]
    pub rejects: Vec<IngestReject>,
}

/// Writes the files of a mission; none of them is there before.
pub fn init(order: &InitOrder<'_>) -> Result<Initialised, LearnError> {
    let InitOrder { tickets, folder, mission, endpoint, language } = *order;
    let cases = text(tickets)?;
    let is_csv = tickets.extension().is_some_and(|it| matches!(it, "csv" | "tsv"));
    let lines = if is_csv {
        import::from_csv(&cases, mission)
    } else {
        import::from_lines(&cases, mission)
    };
    let lines = lines.map_err(|error| Refusal::Import { path: tickets.to_owned(), error })?;
    let toml = ticket_mission::template(mission, endpoint, language);
    let guidance = ticket_mission::guidance(mission, language);
    let guidance = serde_json::to_string_pretty(&guidance).map_err(LearnError::encode)?;
    let parsed = read(&toml)?;
    judge_mission::check(&parsed).map_err(Refusal::Judge)?;
    let files = [(TICKETS, lines.join("\n") + "\n"), (GUIDANCE, guidance + "\n"), (MISSION, toml)];
    if let Some(path) = files.iter().map(|it| folder.join(it.0)).find(|it| it.exists()) {
        return Err(Refusal::Exists { path }.into());
    }
    for (name, text) in &files {
        publish(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    let ticket_index = TicketIndex::read(&[folder.join(TICKETS)], &parsed)?;
    let count = |label| ticket_index.entries().iter().filter(|it| it.key.label() == label).count();
    Ok(Initialised {
        mission: mission.clone(),
        file: folder.join(MISSION),
        passes: count(Label::Pass),
        fails: count(Label::Fail),
        rejects: ticket_index.rejects().to_vec(),
    })
}
