//! Why a name selects no adapter.

use provost_form::nearest::nearest;
use provost_kernel::{Message, shorten};

use crate::{preset::table, request::AgentRole, support::Support};

/// A name that selects no adapter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "adapter.select")]
pub enum SelectError {
    #[message(
        en = "unknown adapter `{name}`",
        zh = "未知的适配器 `{name}`",
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否指 `{nearest}`？"),
        hint(
            when = nearest.is_none(),
            en = "describe it under `[adapter.{name}]` in `provost.toml`",
            zh = "请在 `provost.toml` 的 `[adapter.{name}]` 中描述它"
        )
    )]
    Unknown { name: String, nearest: Option<String> },
    /// The configuration names a preset that does not exist.
    #[message(
        en = "unknown preset `{preset}` of the adapter `{adapter}`",
        zh = "适配器 `{adapter}` 的预设 `{preset}` 未知",
        arg(known = table::ALL.iter().map(|it| it.name).collect::<Vec<_>>()),
        hint(when = nearest.is_some(), en = "did you mean `{nearest}`?", zh = "是否指 `{nearest}`？"),
        hint(when = nearest.is_none(), en = "known are {known:names}", zh = "可用：{known:names}")
    )]
    UnknownPreset { adapter: String, preset: String, nearest: Option<String> },
    /// It may work, and the person has not allowed it (LOOP-A15).
    #[message(
        en = "the adapter `{name}` is PARTIAL as a {role}: {reason}",
        zh = "适配器 `{name}` 作为{role}仅为 PARTIAL：{reason}",
        arg(reason = support.reason),
        hint(
            en = "set `ALLOW_PARTIAL_RUN=true` to use it anyway",
            zh = "如仍要使用，请设置 `ALLOW_PARTIAL_RUN=true`"
        )
    )]
    Partial { name: String, role: AgentRole, support: Support },
    /// It does not support this role.
    #[message(
        en = "the adapter `{name}` cannot be a {role}: {reason}",
        zh = "适配器 `{name}` 不能担任{role}：{reason}",
        arg(reason = support.reason)
    )]
    Unsupported { name: String, role: AgentRole, support: Support },
}

impl SelectError {
    pub(super) fn unknown<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Self {
        Self::Unknown { name: shown(name), nearest: nearest(name, candidates).map(str::to_owned) }
    }

    pub(super) fn unknown_preset(adapter: &str, preset: &str) -> Self {
        let names = table::ALL.iter().map(|it| it.name);
        Self::UnknownPreset {
            adapter: adapter.to_owned(),
            preset: shown(preset),
            nearest: nearest(preset, names).map(str::to_owned),
        }
    }
}

fn shown(name: &str) -> String {
    shorten(name).escape_debug().to_string()
}
