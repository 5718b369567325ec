//! Builds the model pool of a mission from its endpoints.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use provost_exec::{Guardian, sandbox::Sandbox};
use provost_kernel::learn::Endpoint;

use super::{
    ChatModel, ChatModelSettings, CommandCheck, CommandModel, CommandModelSettings, Model,
    ModelError, ModelPool, RecordingModel, Timeout,
};
use crate::keys::Keys;

/// What the caller has read from the outside world for all endpoints.
pub struct ModelSupplies<'a> {
    pub keys: &'a Keys,
    /// What relative paths start from, and where programs start: an absolute path.
    pub folder: &'a Path,
    pub guardian: &'a Guardian,
    /// The environment of programs.
    pub env: &'a BTreeMap<String, String>,
    /// What programs may do.
    pub sandbox: Option<&'a Sandbox>,
    pub check: CommandCheck,
}

/// Builds the models that the endpoints describe, for so many requests at once in all.
pub fn assemble(
    endpoints: &[Endpoint],
    concurrency: u32,
    supplies: &ModelSupplies<'_>,
) -> Result<ModelPool, ModelError> {
    let total = usize::try_from(concurrency).unwrap_or(usize::MAX);
    let one = |endpoint: &Endpoint| model(endpoint, total, supplies);
    let models = endpoints.iter().map(one).collect::<Result<_, _>>()?;
    Ok(ModelPool::new(models, total))
}

fn model(
    endpoint: &Endpoint,
    total: usize,
    supplies: &ModelSupplies<'_>,
) -> Result<(Arc<dyn Model>, usize), ModelError> {
    let seconds = |it: u32| Duration::from_secs(it.into());
    let count = |it: u32| usize::try_from(it).unwrap_or(usize::MAX).min(total);
    Ok(match endpoint {
        Endpoint::Chat { base_url, model, key_variable, concurrency, timeout_seconds } => {
            let mut settings = ChatModelSettings::new(base_url, model);
            settings.key = supplies.keys.api_key(key_variable.as_deref());
            settings.connections = count(*concurrency);
            settings.timeout = Timeout::Try(seconds(*timeout_seconds));
            (Arc::new(ChatModel::new(model, settings)?), count(*concurrency))
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
            };
            (Arc::new(CommandModel::new(settings)), count(*concurrency))
        }
        Endpoint::Recording { path, model: _ } => {
            let path: PathBuf = supplies.folder.join(path);
            (Arc::new(RecordingModel::open(&path)?), total)
        }
    })
}

impl std::fmt::Debug for ModelSupplies<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment may hold keys.
        f.debug_struct("ModelSupplies").field("folder", &self.folder).finish_non_exhaustive()
    }
}
