//! The private state of an agent during one call (ruling 96).
//!
//! The person's own folders of a client are never writable: what lies there is obeyed at its next
//! start, outside every sandbox. The login and the settings are copied in before the call; a login
//! that the program renewed goes back after it, and nothing else does.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use camino::Utf8Path;
use provost_adapter::{
    preset::{
        Preset, installed,
        state::{StateKind, is_renewed},
    },
    select::{AdapterConfig, Selected},
};
use provost_vault::{
    FileError, ForeignFile, Location, RealDisk, Stored, make_work_folder, read_json, set_aside,
    work_part, write_record,
};
use serde_json::Value;

use crate::Engine;

/// What an agent has of the person's for one call.
#[derive(Debug, Default)]
pub(crate) struct AgentHome {
    /// Variables that name its folders.
    pub(crate) variables: BTreeMap<String, String>,
    /// Logins, each with its copy.
    logins: Vec<(ForeignFile, Location)>,
    /// What was taken out of the tree, and where it lies meanwhile.
    aside: Vec<(Location, Location)>,
}

impl Engine<'_> {
    /// Makes the state of an agent below a folder that it can write.
    pub(crate) fn agent_home(
        &self,
        selected: &Selected,
        root: &Location,
    ) -> Result<AgentHome, FileError> {
        let mut made = AgentHome::default();
        let AdapterConfig::Preset { preset, .. } = &selected.config else { return Ok(made) };
        let Some(preset) = Preset::named(preset) else { return Ok(made) };
        let mut folders = BTreeMap::new();
        for (variable, name) in preset.state.folders {
            let folder = make_work_folder(&work_part(root, name))?;
            made.variables.insert((*variable).to_owned(), folder.to_string_lossy().into_owned());
            folders.insert(*name, folder);
        }
        let home = self.variables.get("HOME").map_or(Path::new("/"), Path::new);
        // Settings that name another of these files, as trust in hooks does, mean its copy.
        let copies: Vec<(String, String)> = preset
            .state
            .files
            .iter()
            .filter_map(|it| {
                let copy = folders.get(it.into)?.join(it.name);
                let text = |path: &Path| path.to_string_lossy().into_owned();
                Some((text(&it.source(home, self.variables)), text(&copy)))
            })
            .collect();
        for file in preset.state.files {
            let source = file.source(home, self.variables);
            // What is not there, or cannot be read, the program will miss and say so.
            let Some(source) = Utf8Path::from_path(&source) else { continue };
            let Ok(own) = ForeignFile::read(source) else { continue };
            let Ok(Some(text)) = own.text() else { continue };
            let parts = file.name.split('/');
            let copy = parts.fold(work_part(root, file.into), |at, part| work_part(&at, part));
            match file.kind {
                StateKind::Settings => {
                    let text = copies
                        .iter()
                        .fold(text.to_owned(), |text, (from, to)| text.replace(from.as_str(), to));
                    write_record(&RealDisk, &copy, text.as_bytes())?;
                }
                StateKind::Login => {
                    write_record(&RealDisk, &copy, text.as_bytes())?;
                    made.logins.push((own, copy));
                }
            }
        }
        Ok(made)
    }
}

/// The logins of agents, from the home. What wraps one of them has to find its login.
const AGENT_LOGINS: [&str; 6] =
    [".claude", ".claude.json", ".codex", ".gemini", ".config/opencode", ".local/share/opencode"];

impl Engine<'_> {
    /// What an agent needs of the places where credentials lie: a preset has its login in its own
    /// folder, and needs that of a provider; its program may lie there as well (ruling 87).
    pub(crate) fn needed_by(&self, selected: &Selected) -> Vec<PathBuf> {
        let home = self.variables.get("HOME").map_or(Path::new("/"), Path::new);
        let in_home = |it: &&str| home.join(it);
        match &selected.config {
            AdapterConfig::Preset { preset, program, .. } => {
                let Some(preset) = Preset::named(preset) else { return Vec::new() };
                let program = match program {
                    Some(program) => Some(PathBuf::from(program)),
                    None => installed::find(preset.program, self.variables),
                };
                let real = program.as_ref().and_then(|it| it.canonicalize().ok());
                // Where Claude Code keeps its program in some homes, behind an alias or a script.
                let local = Some(home.join(".claude/local")).filter(|it| it.is_dir());
                let logins = preset.logins(self.variables);
                logins.iter().map(in_home).chain(program).chain(real).chain(local).collect()
            }
            AdapterConfig::Command { remote: Some(_), .. } => vec![home.join(".ssh")],
            AdapterConfig::Command { .. } => AGENT_LOGINS.iter().map(in_home).collect(),
            AdapterConfig::Script { .. }
            | AdapterConfig::Chat { .. }
            | AdapterConfig::Recording { .. } => Vec::new(),
        }
    }
}

impl AgentHome {
    /// Takes what an agent would obey out of the tree, until [`give_back`](Self::give_back).
    pub(crate) fn clear(
        &mut self,
        selected: &Selected,
        tree: &Location,
        into: &Location,
    ) -> Result<(), FileError> {
        let AdapterConfig::Preset { preset, .. } = &selected.config else { return Ok(()) };
        for name in Preset::named(preset).map_or(&[][..], |it| it.set_aside) {
            let (from, to) = (work_part(tree, name), work_part(into, name));
            if set_aside(&from, &to)? {
                self.aside.push((from, to));
            }
        }
        Ok(())
    }

    /// Puts back what was taken out of the tree, and a login that was renewed. A login that cannot
    /// be put back stops nothing: the person is asked for it by their client.
    pub(crate) fn give_back(self) -> Result<(), FileError> {
        for (from, to) in &self.aside {
            // What the agent put there meanwhile stays, and is held against the rules.
            set_aside(to, from)?;
        }
        for (own, copy) in self.logins {
            let Ok(Stored::Present(after)) = read_json::<_, Value>(&RealDisk, &copy) else {
                continue;
            };
            let (Ok(Some(before)), Ok(after)) = (own.text(), serde_json::to_vec_pretty(&after))
            else {
                continue;
            };
            if is_renewed(before.as_bytes(), &after) {
                let _ = own.replace(&after);
            }
        }
        Ok(())
    }
}
