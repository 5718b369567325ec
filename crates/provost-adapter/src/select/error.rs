//! Why a name selects no adapter.

use provost_kernel::{Exit, Message, Text};

use crate::{preset::table, request::AgentRole, support::Support};

/// A name that selects no adapter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum SelectError {
    Unknown {
        name: String,
        nearest: Option<String>,
    },
    /// The configuration names a preset that does not exist.
    UnknownPreset {
        adapter: String,
        preset: String,
        nearest: Option<String>,
    },
    /// It may work, and nobody has allowed it (LOOP-A15).
    Partial {
        name: String,
        role: AgentRole,
        support: Support,
    },
    /// It cannot play this role.
    Unsupported {
        name: String,
        role: AgentRole,
        support: Support,
    },
}

/// How many characters of a foreign text are shown.
const SHOWN: usize = 60;

/// How alike two names must be to take one for a slip of the other.
const NEAR: f64 = 0.8;

impl SelectError {
    pub(super) fn unknown<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Self {
        Self::Unknown { name: shown(name), nearest: nearest(name, candidates) }
    }

    pub(super) fn unknown_preset(adapter: &str, preset: &str) -> Self {
        let names = table::ALL.iter().map(|it| it.name);
        Self::UnknownPreset {
            adapter: adapter.to_owned(),
            preset: shown(preset),
            nearest: nearest(preset, names),
        }
    }
}

fn shown(name: &str) -> String {
    name.chars().take(SHOWN).flat_map(char::escape_debug).collect()
}

fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    // A name of a megabyte is nobody's slip.
    if name.chars().count() > SHOWN {
        return None;
    }
    candidates
        .map(|it| (strsim::jaro_winkler(name, it), it))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|(one, _), (two, _)| one.total_cmp(two))
        .map(|(_, it)| it.to_owned())
}

impl Message for SelectError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Unknown { name, .. } => lang.pick(
                format!("there is no adapter `{name}`"),
                format!("没有名为 `{name}` 的适配器"),
            ),
            Self::UnknownPreset { adapter, preset, .. } => lang.pick(
                format!("the adapter `{adapter}` names no preset of provost: `{preset}`"),
                format!("适配器 `{adapter}` 的预设不存在:`{preset}`"),
            ),
            Self::Partial { name, role, support } => lang.pick(
                format!(
                    "the adapter `{name}` is PARTIAL as a {}: {}",
                    role.as_str(),
                    support.reason(lang)
                ),
                format!(
                    "适配器 `{name}` 作为 {} 仅为 PARTIAL:{}",
                    role.as_str(),
                    support.reason(lang)
                ),
            ),
            Self::Unsupported { name, role, support } => lang.pick(
                format!(
                    "the adapter `{name}` cannot be a {}: {}",
                    role.as_str(),
                    support.reason(lang)
                ),
                format!("适配器 `{name}` 不能担任 {}:{}", role.as_str(), support.reason(lang)),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| match self {
            Self::Unknown { nearest: Some(nearest), .. }
            | Self::UnknownPreset { nearest: Some(nearest), .. } => {
                vec![
                    lang.pick(format!("did you mean `{nearest}`?"), format!("是否指 `{nearest}`?")),
                ]
            }
            Self::Unknown { nearest: None, name } => vec![lang.pick(
                format!("describe it under `[adapter.{name}]` in `provost.toml`"),
                format!("请在 `provost.toml` 的 `[adapter.{name}]` 中描述它"),
            )],
            Self::UnknownPreset { nearest: None, .. } => {
                let names: Vec<&str> = table::ALL.iter().map(|it| it.name).collect();
                let names = names.join(", ");
                vec![lang.pick(format!("there are: {names}"), format!("可用:{names}"))]
            }
            Self::Partial { .. } => vec![
                lang.pick(
                    "set `ALLOW_PARTIAL_RUN=true` to use it all the same",
                    "如仍要使用,请设置 `ALLOW_PARTIAL_RUN=true`",
                )
                .to_owned(),
            ],
            Self::Unsupported { .. } => Vec::new(),
        })
    }

    fn exit(&self) -> Exit {
        Exit::Unable
    }
}
