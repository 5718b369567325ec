//! A judge that is asked now, and what it is kept in.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};

use camino::Utf8Path;

use provost_adapter::{
    Adapter, AgentRole, Keys, PartialRuns, Supplies, assemble,
    preset::Preset,
    select::{AdapterConfig, select},
};
use provost_engine::task::calibration::{Place, RunError};
use provost_exec::{
    Check, Guardian, environment as allowed,
    sandbox::{Network, Requirement},
};
use provost_kernel::Finding;
use provost_rules::sudo;
use provost_shell::parse_argv;
use provost_vault::ForeignFile;
use tempfile::TempDir;

use super::{error::CalibrateError, files};
use crate::{
    config,
    environment::{self, EnvironmentError},
    session::{AnyFault, Session},
};

/// A judge that can be asked.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) adapter: Box<dyn Adapter>,
    pub(super) network: Network,
    /// What it keeps; none for a judge that is no agent of a person's.
    pub(super) state: Option<PrivateState>,
}

/// Folders of an agent's own, with copies of the person's login and settings (ruling 96).
#[derive(Debug)]
pub(super) struct PrivateState {
    /// Removed with it.
    _folder: TempDir,
    /// The same, as a sandbox names it.
    path: PathBuf,
    /// Variables that name the folders.
    variables: BTreeMap<String, String>,
}

/// What of this run a judge's place is made of.
#[derive(Debug)]
pub(super) struct JudgeContext {
    guardian: Guardian,
    env: BTreeMap<String, String>,
    hidden: Vec<PathBuf>,
}

/// Finds the judge that a name means, if it may judge here (LOOP-A15).
pub(super) fn find(session: &mut Session, name: &str) -> Result<Live, AnyFault> {
    let configured = config::adapters(&session.configuration()?.config)?;
    let environment = &session.environment;
    let partial = PartialRuns::of_variable(environment.text("ALLOW_PARTIAL_RUN")?);
    let selected = select(name, AgentRole::Judge, &configured, partial)?;
    let variables: BTreeMap<String, String> = environment.texts().collect();
    let selected = selected.with_named_variables(&variables);
    let names = selected.config.variables(&variables);
    let keys = Keys::read(names.iter().map(String::as_str), |name| environment.text(name))?;
    let (mut network, mut state, mut recording) = (Network::On, None, String::new());
    match &selected.config {
        AdapterConfig::Command { remote: Some(_), .. } => {
            return Err(CalibrateError::Remote { judge: name.to_owned() }.into());
        }
        AdapterConfig::Command { remote: None, .. } | AdapterConfig::Chat { .. } => {}
        AdapterConfig::Recording { file } => recording = files::read_text(file)?,
        AdapterConfig::Script { .. } => network = Network::Off(Requirement::Accept),
        AdapterConfig::Preset { preset, .. } => {
            let made = Preset::named(preset).map(|it| PrivateState::make(it, &variables));
            state = made.transpose().map_err(RunError::Place)?;
        }
    }
    let script_host = environment::script_host()?;
    let supplies =
        Supplies { script_host: &script_host, keys, remote: None, recording: &recording };
    Ok(Live { adapter: assemble(&selected, supplies)?, network, state })
}

/// The command rules: nothing gains another user's rights (LOOP-A3).
pub(super) fn refuse_sudo(argv: &[String]) -> Result<(), Finding> {
    sudo::refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err)
}

impl PrivateState {
    fn make(preset: &Preset, variables: &BTreeMap<String, String>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("provost-agent-").tempdir()?;
        let path = folder.path().canonicalize()?;
        let home = variables.get("HOME").map_or(Path::new("/"), Path::new);
        for file in preset.state.files {
            let copy = path.join(file.into).join(file.name);
            let source = file.source(home, variables);
            let (Some(source), Some(copy)) =
                (Utf8Path::from_path(&source), Utf8Path::from_path(&copy))
            else {
                continue;
            };
            // What is not there, or cannot be read, the program will miss and say so.
            let Ok(own) = ForeignFile::read(source) else { continue };
            if let Ok(Some(text)) = own.text() {
                let copied = ForeignFile::read(copy).and_then(|it| it.replace(text.as_bytes()));
                copied.map_err(io::Error::other)?;
            }
        }
        let named = preset.state.folders.iter().map(|(variable, folder)| {
            ((*variable).to_owned(), path.join(folder).to_string_lossy().into_owned())
        });
        Ok(Self { variables: named.collect(), path, _folder: folder })
    }
}

impl JudgeContext {
    pub(super) fn of(session: &Session) -> Result<Self, EnvironmentError> {
        // A judge has no business in the home; without one there is nothing to hide.
        let home = session.home().ok().and_then(|it| it.path.canonicalize().ok());
        Ok(Self {
            guardian: environment::guardian()?,
            env: allowed::inherited(
                allowed::PLAIN.into_iter().chain(allowed::CERTIFICATES).chain(allowed::PROXIES),
                session.environment.texts(),
            ),
            hidden: home.into_iter().collect(),
        })
    }

    pub(super) fn place<'a>(
        &'a self,
        network: Network,
        state: Option<&PrivateState>,
        check: &'a Check<'a>,
    ) -> Place<'a> {
        let mut env = self.env.clone();
        env.extend(state.into_iter().flat_map(|it| it.variables.clone()));
        Place {
            guardian: &self.guardian,
            env,
            writable: state.into_iter().map(|it| it.path.clone()).collect(),
            hidden: self.hidden.clone(),
            network,
            check,
        }
    }
}
