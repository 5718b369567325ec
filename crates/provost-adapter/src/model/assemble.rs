//! From the endpoints of a mission to a crew that can be asked.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use provost_exec::{Guardian, sandbox::Sandbox};
use provost_kernel::learn::{Endpoint, Price};
use secrecy::SecretString;

use super::{
    ChatModel, ChatModelSettings, CommandCheck, CommandModel, CommandModelSettings, Crew, Model,
    ModelError, RecordingModel,
};
use crate::chat::ChatKey;

/// What the caller has read from the outside world for all endpoints.
pub struct ModelSupplies<'a> {
    /// Those variables that endpoints name and that are set.
    pub variables: &'a BTreeMap<String, SecretString>,
    /// What relative paths start from, and where programs start: an absolute path.
    pub folder: &'a Path,
    pub guardian: &'a Guardian,
    /// The environment of programs.
    pub env: &'a BTreeMap<String, String>,
    /// What programs may do.
    pub sandbox: Option<&'a Sandbox>,
    pub check: CommandCheck,
}

/// Makes the models that the endpoints describe, for so many questions at once in all.
pub fn assemble(
    endpoints: &[Endpoint],
    price: Price,
    concurrency: u32,
    supplies: &ModelSupplies<'_>,
) -> Result<Crew, ModelError> {
    let total = usize::try_from(concurrency).unwrap_or(usize::MAX);
    let one = |endpoint: &Endpoint| model(endpoint, price, total, supplies);
    let models = endpoints.iter().map(one).collect::<Result<_, _>>()?;
    Ok(Crew::new(models, total))
}

fn model(
    endpoint: &Endpoint,
    price: Price,
    total: usize,
    supplies: &ModelSupplies<'_>,
) -> Result<(Arc<dyn Model>, usize), ModelError> {
    let seconds = |it: u32| Duration::from_secs(it.into());
    let count = |it: u32| usize::try_from(it).unwrap_or(usize::MAX).min(total);
    Ok(match endpoint {
        Endpoint::Chat { base_url, model, key_variable, concurrency, timeout_seconds } => {
            let mut settings = ChatModelSettings::new(base_url, model);
            settings.key = key(key_variable.as_deref(), supplies.variables);
            settings.concurrency = count(*concurrency);
            settings.timeout = seconds(*timeout_seconds);
            settings.price = price;
            (Arc::new(ChatModel::new(settings)?), count(*concurrency))
        }
        Endpoint::Command { command, concurrency, timeout_seconds, model: _ } => {
            let settings = CommandModelSettings {
                argv: command.clone(),
                cwd: supplies.folder.to_owned(),
                env: supplies.env.clone(),
                guardian: supplies.guardian.clone(),
                sandbox: supplies.sandbox.cloned(),
                check: Arc::clone(&supplies.check),
                timeout: seconds(*timeout_seconds),
                price,
            };
            (Arc::new(CommandModel::new(settings)), count(*concurrency))
        }
        Endpoint::Recording { path, model: _ } => {
            let path: PathBuf = supplies.folder.join(path);
            (Arc::new(RecordingModel::open(&path)?), total)
        }
    })
}

fn key(variable: Option<&str>, variables: &BTreeMap<String, SecretString>) -> ChatKey {
    match variable {
        None => ChatKey::NotNeeded,
        Some(variable) => ChatKey::FromVariable {
            variable: variable.to_owned(),
            secret: variables.get(variable).cloned(),
        },
    }
}

impl std::fmt::Debug for ModelSupplies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment may hold keys.
        f.debug_struct("ModelSupplies").field("folder", &self.folder).finish_non_exhaustive()
    }
}
