//! The agents that are installed here, for `init` and `doctor`.

use std::collections::BTreeMap;

use provost_adapter::preset::{
    Preset,
    installed::{InstalledAgent, Login, installed},
};
use provost_kernel::{Config, Lang};

use crate::environment;

/// Looks for agents in `PATH`, and whether they are logged in. What cannot be looked for is not
/// there.
pub(crate) fn find(variables: &BTreeMap<String, String>) -> Vec<InstalledAgent> {
    // In a repository, its settings would be obeyed.
    let (Ok(guardian), Ok(nowhere)) = (environment::guardian(), tempfile::tempdir()) else {
        return Vec::new();
    };
    installed(&guardian, variables, nowhere.path())
}

/// The preset that a name means and whose program is in `PATH`; none for a person's own adapter.
pub(crate) fn preset_of(config: &Config, name: &str) -> Option<&'static Preset> {
    match config.adapter.get(name) {
        Some(it) if it.get("program").is_none() => Preset::named(it.get("preset")?.as_str()?),
        Some(_) => None,
        None => Preset::named(&name.replace('_', "-")),
    }
}

/// An agent, its version, and whether it is logged in.
pub(crate) fn describe(agent: &InstalledAgent, lang: Lang) -> String {
    let version = agent.version.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    let login = match agent.login {
        Login::LoggedIn => lang.pick(", logged in", "，已登录"),
        Login::LoggedOut => lang.pick(", not logged in", "，未登录"),
        Login::Unknown => lang.pick(", login not checked", "，未检查登录"),
    };
    format!("{}{version}{login}", agent.title)
}
