//! What the endpoints of a mission need of the outside world.

use std::{collections::BTreeMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::{
    Keys,
    model::{CommandCheck, ModelPool, ModelSupplies, assemble},
};
use provost_exec::{
    Guardian, Limits, environment as allowed,
    sandbox::{Network, Requirement, Sandbox},
};
use provost_kernel::learn::{Endpoint, Mission};
use provost_rules::sudo::refuse_sudo;
use provost_shell::parse_argv;

use crate::{
    environment,
    session::{AnyFault, Session},
};

/// Keys, environment and walls for the models of a mission.
#[derive(Debug)]
pub(super) struct Supplies {
    keys: Keys,
    folder: Utf8PathBuf,
    guardian: Guardian,
    env: BTreeMap<String, String>,
    sandbox: Sandbox,
}

impl Supplies {
    pub(super) fn new(
        session: &Session,
        mission: &Mission,
        file: &Utf8Path,
    ) -> Result<Self, AnyFault> {
        let names = mission.endpoints.iter().filter_map(|endpoint| match endpoint {
            Endpoint::Chat { key_variable, .. } => key_variable.as_deref(),
            Endpoint::Command { .. } | Endpoint::Recording { .. } => None,
        });
        let keys = Keys::read(names, |name| session.environment.text(name))?;
        // A model has no business in the home; without one there is nothing to hide.
        let home = session.home().ok().and_then(|it| it.path.canonicalize().ok());
        Ok(Self {
            keys,
            folder: file.parent().unwrap_or(Utf8Path::new("/")).to_owned(),
            guardian: environment::guardian()?,
            env: allowed::inherited(allowed::PLAIN, session.environment.texts()),
            // It answers, and changes nothing: whatever asks a remote model needs the network.
            sandbox: Sandbox {
                writable: Vec::new(),
                hidden: home.into_iter().collect(),
                network: Network::On,
                files: Requirement::Accept,
                limits: Limits::of_machine(),
            },
        })
    }

    /// The models of the mission.
    pub(super) fn pool(&self, mission: &Mission) -> Result<ModelPool, AnyFault> {
        let check: CommandCheck = Arc::new(|argv: &[String]| {
            // Nothing gains another user's rights (LOOP-A3).
            refuse_sudo(&parse_argv(argv)).map_or(Ok(()), Err)
        });
        let supplies = ModelSupplies {
            keys: &self.keys,
            folder: self.folder.as_std_path(),
            guardian: &self.guardian,
            env: &self.env,
            sandbox: Some(&self.sandbox),
            check,
        };
        Ok(assemble(&mission.endpoints, mission.concurrency, &supplies)?)
    }
}
