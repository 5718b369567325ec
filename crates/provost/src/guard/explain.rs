//! `provost guard explain`: which rule decides a command, and why. Nothing is run.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use clap::builder::NonEmptyStringValueParser;
use provost_engine::guard::{install::SetupError, links, place::place, test::targets};
use provost_kernel::{
    Clock as _, Exit, Lang,
    guard::{
        CompiledPolicy, Harness,
        policy::{Effect, PolicyRuling, ToolCall},
    },
};
use provost_rules_guard::policy;
use provost_vault::{Layout, SystemClock};
use serde::Serialize;

use super::setup::Place;
use crate::{
    config, environment, home,
    hook::ground::of_user,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard explain 'git branch -D main'\n  provost guard explain 'npm test && npm publish' --json\n\nExits with 0 whatever the ruling. The command is not run."
)]
pub(super) struct Args {
    /// The shell command
    #[arg(value_name = "COMMAND", value_parser = NonEmptyStringValueParser::new())]
    command: String,
    /// The command's working directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    directory: Option<Utf8PathBuf>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    command: &'a str,
    directory: &'a str,
    /// The policy that was asked: that of the installed hook, or of the home.
    policy: &'a PolicyOrigin,
    #[serde(flatten)]
    ruling: &'a PolicyRuling,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (directory, ruling, policy) =
            explained(session, &self.command, self.directory.as_deref())?;
        session.output.show(&Explained {
            command: &self.command,
            directory: directory.as_str(),
            policy: &policy,
            ruling: &ruling,
        });
        Ok(Exit::Success)
    }
}

/// Whose policy an explanation stands on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PolicyOrigin {
    /// The clients whose installed hook uses it; none if the guard is not installed.
    pub(crate) clients: Vec<Harness>,
    /// The home that the hook names, or the person's for a guard for all projects.
    home: String,
    /// The repository that tightens it.
    project: Option<String>,
}

/// What the guard would say of a command in a folder, which is the current one where none is given.
pub(crate) fn ruling(
    session: &Session,
    command: &str,
    directory: Option<&Utf8Path>,
) -> Result<(Utf8PathBuf, PolicyRuling), AnyFault> {
    explained(session, command, directory).map(|(directory, ruling, _)| (directory, ruling))
}

/// The same, with the policy that it stands on: that of the hook that is installed. Where several are
/// installed, the strictest answer counts, as it does for the client.
fn explained(
    session: &Session,
    command: &str,
    directory: Option<&Utf8Path>,
) -> Result<(Utf8PathBuf, PolicyRuling, PolicyOrigin), AnyFault> {
    let current = environment::current_folder()?;
    let directory = directory.map_or(current.clone(), |it| current.join(it));
    let user_home = session.environment.text("HOME")?;
    let program = environment::program()?;
    let mut strictest: Option<(PolicyRuling, PolicyOrigin)> = None;
    for (origin, layout, compiled) in policies(session, &current)? {
        let folder = Some(directory.as_str());
        let at = place(Some(&layout), folder, user_home, None, Some(program.as_str()));
        let call = ToolCall {
            root: at.root,
            granted: at.granted,
            home: at.home,
            user_home: at.user_home,
            program: at.program,
            ..ToolCall::shell(command, directory.as_str())
        };
        let compiled = compiled.policy(SystemClock.now());
        let ruling = policy::rule(&compiled, &call);
        let links = links(&ruling, call.root.as_deref());
        let ruling = policy::rule(&compiled, &ToolCall { links, ..call });
        if strictest.as_ref().is_none_or(|(it, _)| ruling.effect > it.effect) {
            strictest = Some((ruling, origin));
        }
    }
    let (ruling, origin) = strictest.ok_or(SetupError::NoProject)?;
    Ok((directory, ruling, origin))
}

/// The policies of the hooks that are installed, or that of the home if there is none.
pub(crate) fn policies(
    session: &Session,
    folder: &Utf8Path,
) -> Result<Vec<(PolicyOrigin, Layout, CompiledPolicy)>, AnyFault> {
    let environment = &session.environment;
    let installed = match Place::new(session) {
        Ok(place) if session.flags.home.is_none() => targets(place.setup())?,
        Ok(_) | Err(_) => Vec::new(),
    };
    let mut homes: BTreeMap<Option<Utf8PathBuf>, Vec<Harness>> = BTreeMap::new();
    for (client, _, home) in installed {
        homes.entry(home).or_default().push(client);
    }
    if homes.is_empty() {
        homes.insert(Some(session.intended_layout()?.home().path()), Vec::new());
    }
    let mut policies = Vec::new();
    for (home, clients) in homes {
        let (layout, project, compiled) = if let Some(path) = &home {
            let home = home::find(Some(path), environment, folder)?;
            let layout = home::layout(&home, environment, folder)?;
            (layout, None, config::compile(environment, path)?)
        } else {
            let ground = of_user(environment, folder)?;
            let project = ground.user.and_then(|it| it.project);
            let user = session.user_layout()?;
            let path = user.home().path();
            let compiled = config::compile_for_user(environment, &path, project.as_deref())?;
            (ground.home.unwrap_or(user), project, compiled)
        };
        let origin = PolicyOrigin {
            clients,
            home: layout.home().path().into_string(),
            project: project.map(Utf8PathBuf::into_string),
        };
        policies.push((origin, layout, compiled));
    }
    Ok(policies)
}

impl View for Explained<'_> {
    fn page(&self, page: &mut Page<'_>) {
        for line in lines(self.ruling, page.lang) {
            page.line(&line);
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let PolicyOrigin { clients, home, .. } = self.policy;
        let titles: Vec<&str> = clients.iter().map(|it| it.title()).collect();
        let titles = titles.join(page.lang.pick(", ", "、"));
        if clients.is_empty() {
            page.message(
                format!("the guard is not installed; this is the policy of `{home}`"),
                format!("未安装守卫；这是 `{home}` 的策略"),
            );
        } else {
            page.message(
                format!("policy of the hook in {titles}, recorded in `{home}`"),
                format!("{titles} 中钩子的策略，记录在 `{home}`"),
            );
        }
    }
}

/// The ruling, for a person.
fn lines(ruling: &PolicyRuling, lang: Lang) -> Vec<String> {
    let PolicyRuling { effect, rule, why, subject, hint, open: _, touched: _ } = ruling;
    let (word, label) = (effect.as_str(), label(*effect, lang));
    let mut lines = vec![lang.pick(
        format!("{word}: {label}, by the rule `{rule}`"),
        format!("{word}：{label}，依据规则 `{rule}`"),
    )];
    let mut add = |en: &str, zh: &str, text: &str| {
        lines.push(lang.pick(format!("{en}: {text}"), format!("{zh}：{text}")));
    };
    add("why", "原因", &lang.render(why));
    if !subject.is_empty() {
        add("part", "部分", &format!("`{subject}`"));
    }
    if let Some(hint) = hint {
        add("hint", "提示", &lang.render(hint));
    }
    lines
}

fn label(effect: Effect, lang: Lang) -> &'static str {
    match effect {
        Effect::Allow => lang.pick("allowed", "允许"),
        Effect::Record => lang.pick("allowed and recorded", "允许并记录"),
        Effect::Ask => lang.pick("a person must decide", "需由人决定"),
        Effect::Deny => lang.pick("refused", "拒绝"),
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::policy::Policy;

    use super::*;

    #[test]
    fn an_explanation_names_the_rule_in_both_languages() {
        let ruling = |command| policy::rule(&Policy::default(), &ToolCall::shell(command, "/p"));
        let forced = ruling("ls && git push --force");
        assert_eq!(
            lines(&forced, Lang::En),
            [
                "deny: refused, by the rule `git.force-push`",
                "why: it overwrites what others have pushed",
                "part: `git push --force`",
                "hint: push a new branch, or ask the person to push",
            ],
        );
        assert_eq!(
            lines(&forced, Lang::Zh),
            [
                "deny：拒绝，依据规则 `git.force-push`",
                "原因：它会覆盖他人已推送的内容",
                "部分：`git push --force`",
                "提示：请推送新分支，或请使用者来推送",
            ],
        );
        assert_eq!(
            lines(&ruling("ls"), Lang::En),
            ["allow: allowed, by the rule `default`", "why: no rule forbids it", "part: `ls`"],
        );
    }
}
