//! From a selected description to an adapter that can be called.

use provost_exec::remote::Remote;
use provost_rules::retry::RetryPolicy;

use crate::{
    adapter::Adapter,
    chat::{ChatAdapter, ChatSettings},
    command::CommandAdapter,
    error::AdapterError,
    keys::Keys,
    preset::{Preset, PresetAdapter},
    recording::RecordingAdapter,
    script::{ScriptAdapter, ScriptHost},
    select::{AdapterConfig, Selected},
};

/// What the caller has read from the outside world for one adapter.
#[derive(Clone, Debug)]
pub struct Supplies<'a> {
    pub script_host: &'a ScriptHost,
    /// Those of [`AdapterConfig::variables`] that are set.
    pub keys: Keys,
    /// The SSH alias that the description names, after the caller has checked it.
    pub remote: Option<Remote>,
    /// What the file of a recording holds.
    pub recording: &'a str,
}

/// Makes the adapter that was selected.
pub fn assemble(
    selected: &Selected,
    supplies: Supplies<'_>,
) -> Result<Box<dyn Adapter>, AdapterError> {
    let name = selected.name.as_str();
    let Supplies { script_host, keys, remote, recording } = supplies;
    Ok(match &selected.config {
        AdapterConfig::Command { argv, .. } => {
            let adapter = CommandAdapter::new(name, argv.clone()).with_keys(keys);
            Box::new(match remote {
                Some(remote) => adapter.at(remote),
                None => adapter,
            })
        }
        AdapterConfig::Chat { base, model, key_variable, format } => {
            let settings = ChatSettings {
                base: base.clone(),
                model: model.clone(),
                key: keys.api_key(key_variable.as_deref()),
                format: *format,
                retry: RetryPolicy::JUDGE,
            };
            Box::new(ChatAdapter::new(name, settings)?)
        }
        AdapterConfig::Recording { .. } => Box::new(RecordingAdapter::read(name, recording)?),
        AdapterConfig::Script { behaviour } => {
            Box::new(ScriptAdapter::new(name, *behaviour, script_host))
        }
        AdapterConfig::Preset { preset, program, model, args, variables } => {
            let preset = Preset::named(preset).ok_or_else(|| AdapterError::Role {
                adapter: selected.name.clone(),
                role: selected.role,
            })?;
            let adapter = PresetAdapter::new(name, preset)
                .with_model(model.as_deref())
                .with_additions(args, variables)
                .with_keys(keys);
            Box::new(match program {
                Some(program) => adapter.with_program(program),
                None => adapter,
            })
        }
    })
}
