//! A judge that is asked now, and what it is kept in.

use std::{collections::BTreeMap, path::PathBuf};

use provost_adapter::{
    Adapter, AgentRole, Keys, PartialRuns, Supplies, assemble,
    preset::Preset,
    select::{AdapterConfig, select},
};
use provost_engine::task::calibration::Place;
use provost_exec::{
    Check, Guardian, environment as allowed,
    sandbox::{Network, Requirement},
};
use provost_kernel::Finding;
use provost_rules::sudo;
use provost_shell::parse_argv;

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
    /// Folders of its login, which it must be able to write.
    pub(super) folders: Vec<PathBuf>,
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
    let keys = Keys::read(selected.config.variables(), |name| environment.text(name))?;
    let (mut network, mut folders, mut recording) = (Network::On, Vec::new(), String::new());
    match &selected.config {
        AdapterConfig::Command { remote: Some(_), .. } => {
            return Err(CalibrateError::Remote { judge: name.to_owned() }.into());
        }
        AdapterConfig::Command { remote: None, .. } | AdapterConfig::Chat { .. } => {}
        AdapterConfig::Recording { file } => recording = files::read_text(file)?,
        AdapterConfig::Script { .. } => network = Network::Off(Requirement::Accept),
        AdapterConfig::Preset { preset, .. } => {
            let home = environment.text("HOME")?.unwrap_or_default();
            let named = Preset::named(preset).into_iter();
            let paths = named.flat_map(|it| it.folders_in(home.as_ref()));
            // Those that do not exist are not made for it.
            folders = paths.filter_map(|it| it.canonicalize().ok()).collect();
        }
    }
    let script_host = environment::script_host()?;
    let supplies =
        Supplies { script_host: &script_host, keys, remote: None, recording: &recording };
    Ok(Live { adapter: assemble(&selected, supplies)?, network, folders })
}

/// The command rules: nothing gains another user's rights (LOOP-A3).
pub(super) fn refuse_sudo(argv: &[String]) -> Result<(), Finding> {
    sudo::refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err)
}

impl JudgeContext {
    pub(super) fn of(session: &Session) -> Result<Self, EnvironmentError> {
        // A judge has no business in the home; without one there is nothing to hide.
        let home = session.home().ok().and_then(|it| it.path.canonicalize().ok());
        Ok(Self {
            guardian: environment::guardian()?,
            env: allowed::inherited(allowed::PLAIN, session.environment.texts()),
            hidden: home.into_iter().collect(),
        })
    }

    pub(super) fn place<'a>(
        &'a self,
        network: Network,
        folders: Vec<PathBuf>,
        check: &'a Check<'a>,
    ) -> Place<'a> {
        Place {
            guardian: &self.guardian,
            env: self.env.clone(),
            writable: folders,
            hidden: self.hidden.clone(),
            network,
            check,
        }
    }
}
