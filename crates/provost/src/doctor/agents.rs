//! The agents that are installed, and whether the configured coder and judge can be used.

use std::collections::BTreeMap;

use provost_adapter::{
    AgentRole, PartialRuns,
    preset::{
        Preset,
        installed::{InstalledAgent, Login},
        table,
    },
    select::{AdapterConfig, select},
};
use provost_kernel::{Config, Lang};

use super::{Check, State, checks::unusable};
use crate::{agents, config, session::Session};

/// The judge that is no model: the tests decide.
const TESTS: &str = "tests";

/// Looks for agents, and at the configured judge.
pub(super) fn all(session: &Session, config: &Config, lang: Lang) -> Vec<Check> {
    let variables: BTreeMap<String, String> = session.environment.texts().collect();
    let agents = agents::find(&variables);
    vec![coder(config, &agents, lang), judge(config, &variables, &agents, lang)]
}

fn coder(config: &Config, agents: &[InstalledAgent], lang: Lang) -> Check {
    const NAME: &str = "agents";
    let described: Vec<String> = agents.iter().map(|it| agents::describe(it, lang)).collect();
    let named = config.task.coder.as_deref();
    let preset = named.and_then(|name| agents::preset_of(config, name));
    let missing = preset.filter(|it| !agents.iter().any(|agent| agent.name == it.name));
    if let Some(preset) = missing {
        let (title, program) = (preset.title, preset.program);
        let what = lang.pick(
            format!("the coder {title} is not installed: `{program}` is not in PATH"),
            format!("编码智能体 {title} 尚未安装：PATH 中没有 `{program}`"),
        );
        return Check::new(NAME, State::Warn, what).with_hint(lang.pick(
            "install it, or set another `task.coder` in `provost.toml`",
            "请安装它，或在 `provost.toml` 中设置其他 `task.coder`",
        ));
    }
    // A person's own adapter is not looked for.
    let own = named.filter(|it| preset.is_none() && config.adapter.contains_key(*it));
    if let (Some(name), true) = (own, agents.is_empty()) {
        let what = lang.pick(
            format!("the coder is `{name}`, an adapter of your own"),
            format!("编码智能体是你自己的适配器 `{name}`"),
        );
        return Check::new(NAME, State::Ok, what);
    }
    if agents.is_empty() {
        let what = lang.pick("none found in PATH", "PATH 中没有找到").to_owned();
        let programs: Vec<_> = table::ALL.iter().map(|it| format!("`{}`", it.program)).collect();
        let programs = programs.join(lang.pick(", ", "、"));
        return Check::new(NAME, State::Warn, what).with_hint(lang.pick(
            format!("provost drives {programs}, and adapters of your own"),
            format!("provost 可驱动 {programs}，以及你自己的适配器"),
        ));
    }
    let what = described.join(lang.pick("; ", "；"));
    let is_meant = |it: &&InstalledAgent| preset.is_none_or(|preset| preset.name == it.name);
    let is_usable = agents.iter().filter(is_meant).any(|it| it.login != Login::LoggedOut);
    match agents.iter().find(is_meant).filter(|_| !is_usable) {
        Some(it) => Check::new(NAME, State::Warn, what).with_hint(lang.pick(
            format!("log in with `{}`", it.program.display()),
            format!("请用 `{}` 登录", it.program.display()),
        )),
        None => Check::new(NAME, State::Ok, what),
    }
}

fn judge(
    config: &Config,
    variables: &BTreeMap<String, String>,
    agents: &[InstalledAgent],
    lang: Lang,
) -> Check {
    const NAME: &str = "judge";
    let Some(name) = config.task.judge.as_deref().filter(|it| *it != TESTS) else {
        let what = lang.pick("the tests decide; no model is asked", "由测试决定；不调用模型");
        return Check::new(NAME, State::Ok, what.to_owned());
    };
    let adapters = match config::adapters(config) {
        Ok(adapters) => adapters,
        Err(error) => return unusable(NAME, &error, lang),
    };
    let partial = PartialRuns::of_variable(variables.get("ALLOW_PARTIAL_RUN").map(String::as_str));
    let selected = match select(name, AgentRole::Judge, &adapters, partial) {
        Ok(selected) => selected,
        Err(error) => return unusable(NAME, &error, lang),
    };
    let warn = |what: String| Check::new(NAME, State::Warn, what);
    match &selected.config {
        AdapterConfig::Preset { preset, .. } => {
            let agent = agents.iter().find(|it| it.name == preset);
            match (agent, Preset::named(preset)) {
                (None, Some(preset)) => warn(lang.pick(
                    format!("`{name}`: `{}` is not in PATH", preset.program),
                    format!("`{name}`：PATH 中没有 `{}`", preset.program),
                )),
                (Some(it), _) if it.login == Login::LoggedOut => warn(lang.pick(
                    format!("`{name}`: {} is not logged in", it.title),
                    format!("`{name}`：{} 尚未登录", it.title),
                )),
                (Some(_) | None, _) => Check::new(NAME, State::Ok, format!("`{name}`")),
            }
        }
        AdapterConfig::Chat { key_variable: Some(variable), .. }
            if variables.get(variable).is_none_or(String::is_empty) =>
        {
            warn(lang.pick(
                format!("`{name}` has no key: `{variable}` is not set"),
                format!("`{name}` 没有密钥：未设置 `{variable}`"),
            ))
            .with_hint(lang.pick(
                format!("set `{variable}`, or `judge = \"tests\"` under `[task]`"),
                format!("请设置 `{variable}`，或在 `[task]` 中写 `judge = \"tests\"`"),
            ))
        }
        AdapterConfig::Chat { .. }
        | AdapterConfig::Command { .. }
        | AdapterConfig::Recording { .. }
        | AdapterConfig::Script { .. } => Check::new(NAME, State::Ok, format!("`{name}`")),
    }
}
