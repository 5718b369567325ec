//! The agents that a task of the page can name, and what keeps one from working here.

use std::collections::BTreeMap;

use provost_adapter::{
    AgentRole, PartialRuns,
    preset::{
        Preset,
        installed::{InstalledAgent, Login, find},
    },
    select::{AdapterConfig, known_names, select},
};
use provost_kernel::{Message, Text};
use provost_web::AdapterRow;

/// What an agent lacks, and what to type.
#[derive(Debug, Message)]
#[message(code = "adapter.lack")]
enum Lack {
    #[message(
        en = "{title} is not installed: install `{program}`, then type `provost doctor`",
        zh = "{title} 未安装：请先安装 `{program}`，再输入 `provost doctor`"
    )]
    Program { title: &'static str, program: String },
    #[message(
        en = "{title} is not logged in: type `{mend}`",
        zh = "{title} 尚未登录：请输入 `{mend}`"
    )]
    Login { title: &'static str, mend: &'static str },
    #[message(
        en = "no key: set `{variable}`, then start `provost serve` again",
        zh = "没有密钥：请设置 `{variable}`，再重新启动 `provost serve`"
    )]
    Key { variable: String },
}

/// What is known of this machine and this project.
pub(super) struct Known<'a> {
    pub(super) configured: &'a BTreeMap<String, AdapterConfig>,
    pub(super) installed: &'a [InstalledAgent],
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) partial: PartialRuns,
}

impl Known<'_> {
    /// Every agent, by name.
    pub(super) fn rows(&self) -> Vec<AdapterRow> {
        let mut names: Vec<String> = self.configured.keys().cloned().collect();
        names.extend(known_names().into_iter().map(str::to_owned));
        names.sort();
        names.dedup();
        names.into_iter().map(|it| self.row(it)).collect()
    }

    fn row(&self, name: String) -> AdapterRow {
        let of = |role| select(&name, role, self.configured, self.partial);
        let roles = [("coder", AgentRole::Coder), ("judge", AgentRole::Judge)];
        let can: Vec<_> = roles.iter().filter_map(|it| Some((it.0, of(it.1).ok()?))).collect();
        let config = can.first().map(|it| &it.1.config);
        let lack = config.and_then(|it| self.lack(it)).map(|it| it.text());
        let refused = || of(AgentRole::Coder).err().map(|it| it.text());
        let reason: Option<Text> = if can.is_empty() { refused() } else { lack };
        let level = can.first().map(|it| it.1.support.level.as_str());
        let kind = match config {
            _ if self.configured.contains_key(&name) => "configured",
            Some(AdapterConfig::Preset { .. }) => "preset",
            None if Preset::named(&name.replace('_', "-")).is_some() => "preset",
            Some(
                AdapterConfig::Command { .. }
                | AdapterConfig::Chat { .. }
                | AdapterConfig::Recording { .. }
                | AdapterConfig::Script { .. },
            )
            | None => "built-in",
        };
        AdapterRow {
            kind: kind.to_owned(),
            support_level: level.unwrap_or("PARTIAL").to_owned(),
            available: !can.is_empty() && reason.is_none(),
            reason,
            roles: can.into_iter().map(|it| it.0).collect(),
            name,
        }
    }

    /// What keeps an agent from working that may be used, whichever name it goes by.
    fn lack(&self, config: &AdapterConfig) -> Option<Lack> {
        match config {
            AdapterConfig::Preset { preset, program, .. } => {
                self.lack_of_preset(Preset::named(preset)?, program.as_deref())
            }
            AdapterConfig::Chat { key_variable: Some(variable), .. } => {
                let is_set = self.variables.get(variable).is_some_and(|it| !it.is_empty());
                (!is_set).then(|| Lack::Key { variable: variable.clone() })
            }
            AdapterConfig::Chat { key_variable: None, .. }
            | AdapterConfig::Command { .. }
            | AdapterConfig::Recording { .. }
            | AdapterConfig::Script { .. } => None,
        }
    }

    fn lack_of_preset(&self, preset: &'static Preset, program: Option<&str>) -> Option<Lack> {
        let title = preset.title;
        if let Some(program) = program {
            // One with a path of its own may lie in the base.
            let is_there = program.contains('/') || find(program, self.variables).is_some();
            let program = program.to_owned();
            return (!is_there).then_some(Lack::Program { title, program });
        }
        let Some(found) = self.installed.iter().find(|it| it.name == preset.name) else {
            return Some(Lack::Program { title, program: preset.program.to_owned() });
        };
        let mend = preset.mend_login()?;
        (found.login == Login::LoggedOut).then_some(Lack::Login { title, mend })
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    fn row(installed: &[InstalledAgent], name: &str) -> AdapterRow {
        let (configured, variables) = (BTreeMap::new(), BTreeMap::new());
        let partial = PartialRuns::of_variable(Some("true"));
        let known = Known { configured: &configured, installed, variables: &variables, partial };
        let rows = known.rows();
        rows.into_iter().find(|it| it.name == name).unwrap()
    }

    /// A client that is missing is missing under each of its names.
    #[test]
    fn a_missing_program_is_named() {
        for name in ["claude-code", "claude", "claude-cli", "claude-bridge"] {
            let row = row(&[], name);
            assert!(!row.available, "{row:?}");
            assert_eq!(row.kind, "preset", "{row:?}");
            let reason = row.reason.unwrap();
            assert_eq!(reason.code(), Some("adapter.lack.program"));
            let said = Lang::En.render(&reason);
            assert!(said.contains("`claude`") && said.contains("`provost doctor`"), "{said}");
        }
        let key = row(&[], "openai-api");
        assert_eq!(key.reason.unwrap().code(), Some("adapter.lack.key"));
        let mock = row(&[], "mock");
        assert!(mock.available && mock.reason.is_none(), "{mock:?}");
    }

    #[test]
    fn what_is_installed_is_there_under_each_of_its_names() {
        let agent = |login| InstalledAgent {
            name: "claude-code",
            title: "Claude Code",
            program: "/bin/claude".into(),
            version: None,
            login,
        };
        for name in ["claude-code", "claude"] {
            let there = row(&[agent(Login::LoggedIn)], name);
            assert!(there.available && there.reason.is_none(), "{there:?}");
            let out = row(&[agent(Login::LoggedOut)], name);
            assert!(!out.available, "{out:?}");
            assert_eq!(out.reason.unwrap().code(), Some("adapter.lack.login"));
        }
    }
}
