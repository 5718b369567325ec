//! Which adapter a name means, and whether it may play a role.
//!
//! A name is looked up in the configuration first, then among the names that provost knows by
//! itself, where `_` and `-` are the same sign. Nothing here has an effect.

mod error;
mod rooted;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::error::SelectError;
use crate::{
    chat::ResponseFormat,
    preset::{Preset, table},
    request::AgentRole,
    script::Behaviour,
    support::{Level, PartialRuns, Support, SupportGap},
};

/// An adapter as `provost.toml` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AdapterConfig {
    /// A program that speaks the protocol `provost.adapter/1`.
    Command {
        /// The program and its arguments. There is no shell unless it names one.
        argv: Vec<String>,
        /// Variables that the program may have from the person's environment, keys among them.
        #[serde(default)]
        variables: Vec<String>,
        /// The SSH alias through which it runs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remote: Option<String>,
    },
    /// A model behind an OpenAI-compatible interface.
    Chat {
        /// The address up to and without `/chat/completions`.
        base: String,
        /// The model, where the task names none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// The environment variable that holds the key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_variable: Option<String>,
        /// What the model is asked to answer in.
        #[serde(default)]
        format: ResponseFormat,
    },
    /// Answers that were recorded.
    Recording {
        /// The JSONL file.
        file: String,
    },
    /// A deterministic agent that is part of provost.
    Script {
        /// What it does.
        behaviour: Behaviour,
    },
    /// An agent that provost knows how to drive.
    Preset {
        /// Which one.
        preset: String,
        /// Another program than the one in `PATH`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
        /// The model, where the task names none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// Flags for its command line, each in one word. Which ones is limited.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<String>,
        /// More variables that the program may have from the person's environment.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        variables: Vec<String>,
    },
}

/// An adapter that may play its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    pub name: String,
    pub role: AgentRole,
    pub config: AdapterConfig,
    pub support: Support,
}

/// The start of a name that means a scripted agent: `script:pass`.
pub const SCRIPT_PREFIX: &str = "script:";

/// Finds the adapter that a name means, for a run or as a default (LOOP-A15).
pub fn select(
    name: &str,
    role: AgentRole,
    configured: &BTreeMap<String, AdapterConfig>,
    partial: PartialRuns,
) -> Result<Selected, SelectError> {
    let (config, support) = match configured.get(name) {
        Some(config) => (config.clone(), support(name, config, role)?),
        None => of_itself(name, role, configured)?,
    };
    let name = name.to_owned();
    match support.level {
        _ if support.permits(partial) => Ok(Selected { name, role, config, support }),
        Level::Partial => Err(SelectError::Partial { name, role, support }),
        Level::Unsupported | Level::Supported => {
            Err(SelectError::Unsupported { name, role, support })
        }
    }
}

/// Every name that provost knows by itself, besides `script:…`.
pub fn known_names() -> Vec<&'static str> {
    let presets = table::ALL.iter().map(|it| it.name);
    presets.chain(OTHER_NAMES.iter().map(|(name, _)| *name)).collect()
}

impl AdapterConfig {
    /// Names of variables that it gets from a person's environment, which is this.
    pub fn variables(&self, set: &BTreeMap<String, String>) -> Vec<String> {
        match self {
            Self::Command { variables, .. } => variables.clone(),
            Self::Chat { key_variable, .. } => key_variable.iter().cloned().collect(),
            Self::Recording { .. } | Self::Script { .. } => Vec::new(),
            Self::Preset { preset, variables, .. } => {
                let passing = Preset::named(preset).map(|it| it.passing(set)).unwrap_or_default();
                passing.into_iter().chain(variables.iter().cloned()).collect()
            }
        }
    }

    /// A preset to which nothing is added.
    fn plain_preset(preset: &Preset) -> Self {
        Self::Preset {
            preset: preset.name.to_owned(),
            program: None,
            model: None,
            args: Vec::new(),
            variables: Vec::new(),
        }
    }
}

/// The preset that a name means by itself, such as `claude-code` or `claude`.
pub fn preset_meant(name: &str) -> Option<&'static Preset> {
    match known(name, AgentRole::Coder)?.0 {
        AdapterConfig::Preset { preset, .. } => Preset::named(&preset),
        AdapterConfig::Command { .. }
        | AdapterConfig::Chat { .. }
        | AdapterConfig::Recording { .. }
        | AdapterConfig::Script { .. } => None,
    }
}

/// Whether a key is sent to the service that it belongs to.
pub(crate) fn is_service(base: &str, key: &str) -> bool {
    let base = base.trim_end_matches('/');
    OTHER_NAMES.iter().any(|(_, meaning)| {
        matches!(meaning, Meaning::Chat(known, _, Some(own)) if *known == base && *own == key)
    })
}

/// What a name means that is not configured.
fn of_itself(
    name: &str,
    role: AgentRole,
    configured: &BTreeMap<String, AdapterConfig>,
) -> Result<(AdapterConfig, Support), SelectError> {
    let (config, support) = known(name, role).ok_or_else(|| unknown(name, configured))?;
    Ok((configured_preset(&config, configured).cloned().unwrap_or(config), support))
}

/// What is configured under the name of the preset itself, if it is that preset: what a person adds
/// to it there counts for its other names, too.
fn configured_preset<'a>(
    meant: &AdapterConfig,
    configured: &'a BTreeMap<String, AdapterConfig>,
) -> Option<&'a AdapterConfig> {
    let AdapterConfig::Preset { preset: meant, .. } = meant else { return None };
    let found = configured.get(meant)?;
    matches!(found, AdapterConfig::Preset { preset, .. } if preset == meant).then_some(found)
}

const CHANGES_NOTHING: Support = Support::unsupported(SupportGap::AnswersOnly);

const NOT_PLAYED: Support = Support::unsupported(SupportGap::OtherRole);

const NOT_TRIED: Support = Support::partial(SupportGap::NotTested);

/// How far an adapter of this kind is known to work.
fn support(name: &str, config: &AdapterConfig, role: AgentRole) -> Result<Support, SelectError> {
    Ok(match (config, role) {
        (AdapterConfig::Command { .. }, _)
        | (AdapterConfig::Chat { .. } | AdapterConfig::Recording { .. }, AgentRole::Judge) => {
            Support::SUPPORTED
        }
        (AdapterConfig::Chat { .. } | AdapterConfig::Recording { .. }, AgentRole::Coder) => {
            CHANGES_NOTHING
        }
        (AdapterConfig::Script { behaviour }, role) => {
            if behaviour.roles().contains(&role) {
                Support::SUPPORTED
            } else {
                NOT_PLAYED
            }
        }
        (AdapterConfig::Preset { preset, .. }, role) => match Preset::named(preset) {
            Some(preset) => preset.support(role),
            None => return Err(SelectError::unknown_preset(name, preset)),
        },
    })
}

/// What a name means that is not the name of a preset.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Preset(&'static str),
    Script(Behaviour),
    /// A chat interface: its address, the usual model, the variable of the key.
    Chat(&'static str, Option<&'static str>, Option<&'static str>),
}

/// The names of the original, and of services that speak the chat interface.
const OTHER_NAMES: [(&str, Meaning); 16] = [
    ("cursor-agent", Meaning::Preset("cursor")),
    ("cursor-cli", Meaning::Preset("cursor")),
    ("codex-cli", Meaning::Preset("codex")),
    ("claude-bridge", Meaning::Preset("claude-code")),
    ("claude-cli", Meaning::Preset("claude-code")),
    ("claude", Meaning::Preset("claude-code")),
    ("gemini-cli", Meaning::Preset("gemini")),
    ("mock", Meaning::Script(Behaviour::Mock)),
    ("mock-timeout", Meaning::Script(Behaviour::TimeOut)),
    ("mock-need-input", Meaning::Script(Behaviour::NeedInput)),
    ("structure-gate", Meaning::Script(Behaviour::StructureGate)),
    ("antigravity-cli", Meaning::Chat("http://127.0.0.1:8317/v1", Some("gemini-2.5-flash"), None)),
    ("antigravity", Meaning::Chat("http://127.0.0.1:8317/v1", Some("gemini-2.5-flash"), None)),
    ("openai-api", Meaning::Chat("https://api.openai.com/v1", None, Some("OPENAI_API_KEY"))),
    ("moonshot-api", Meaning::Chat("https://api.moonshot.cn/v1", None, Some("MOONSHOT_API_KEY"))),
    (
        "openrouter-api",
        Meaning::Chat("https://openrouter.ai/api/v1", None, Some("OPENROUTER_API_KEY")),
    ),
];

/// What provost itself means by a name.
fn known(name: &str, role: AgentRole) -> Option<(AdapterConfig, Support)> {
    if let Some(behaviour) = name.strip_prefix(SCRIPT_PREFIX) {
        return Some(script(behaviour.parse().ok()?, role));
    }
    let same = name.replace('_', "-");
    if let Some(preset) = Preset::named(&same) {
        return Some(driven(preset, role));
    }
    let (_, meaning) = OTHER_NAMES.iter().find(|(other, _)| *other == same)?;
    match meaning {
        Meaning::Preset(preset) => Preset::named(preset).map(|it| driven(it, role)),
        Meaning::Script(behaviour) => Some(script(*behaviour, role)),
        Meaning::Chat(base, model, key) => {
            let config = AdapterConfig::Chat {
                base: (*base).to_owned(),
                model: model.map(str::to_owned),
                key_variable: key.map(str::to_owned),
                format: ResponseFormat::Text,
            };
            let support = match role {
                AgentRole::Coder => CHANGES_NOTHING,
                AgentRole::Judge => NOT_TRIED,
            };
            Some((config, support))
        }
    }
}

fn script(behaviour: Behaviour, role: AgentRole) -> (AdapterConfig, Support) {
    let plays = behaviour.roles().contains(&role);
    let support = if plays { Support::SUPPORTED } else { NOT_PLAYED };
    (AdapterConfig::Script { behaviour }, support)
}

fn driven(preset: &Preset, role: AgentRole) -> (AdapterConfig, Support) {
    (AdapterConfig::plain_preset(preset), preset.support(role))
}

fn unknown(name: &str, configured: &BTreeMap<String, AdapterConfig>) -> SelectError {
    let scripts: Vec<String> =
        Behaviour::ALL.iter().map(|it| format!("{SCRIPT_PREFIX}{}", it.as_str())).collect();
    let candidates = configured
        .keys()
        .map(String::as_str)
        .chain(known_names())
        .chain(scripts.iter().map(String::as_str));
    SelectError::unknown(name, candidates)
}

#[cfg(test)]
mod tests;
