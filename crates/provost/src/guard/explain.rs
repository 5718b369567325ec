//! `provost guard explain`: which rule decides a command, and why. Nothing is run.

use camino::{Utf8Path, Utf8PathBuf};
use clap::builder::NonEmptyStringValueParser;
use provost_engine::guard::place::place;
use provost_kernel::{
    Exit, Lang,
    guard::policy::{Effect, Policy, PolicyRuling, ToolCall},
};
use provost_rules_guard::policy;
use serde::Serialize;

use crate::{
    config, environment,
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
    #[serde(flatten)]
    ruling: &'a PolicyRuling,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (directory, ruling) = ruling(session, &self.command, self.directory.as_deref())?;
        session.output.show(&Explained {
            command: &self.command,
            directory: directory.as_str(),
            ruling: &ruling,
        });
        Ok(Exit::Success)
    }
}

/// What the guard would say of a command in a folder, which is the current one where none is given.
pub(crate) fn ruling(
    session: &Session,
    command: &str,
    directory: Option<&Utf8Path>,
) -> Result<(Utf8PathBuf, PolicyRuling), AnyFault> {
    let current = environment::current_folder()?;
    let directory = directory.map_or(current.clone(), |it| current.join(it));
    let layout = session.intended_layout()?;
    let compiled = config::compile(&session.environment, &layout.home().path())?;
    let user_home = session.environment.text("HOME")?;
    let at = place(Some(&layout), Some(directory.as_str()), user_home, None);
    let call = ToolCall {
        root: at.root,
        granted: at.granted,
        home: at.home,
        user_home: at.user_home,
        ..ToolCall::shell(command, directory.as_str())
    };
    let ruling = policy::rule(&Policy { rules: compiled.rules }, &call);
    Ok((directory, ruling))
}

impl View for Explained<'_> {
    fn page(&self, page: &mut Page<'_>) {
        for line in lines(self.ruling, page.lang) {
            page.line(&line);
        }
    }
}

/// The ruling, for a person.
fn lines(ruling: &PolicyRuling, lang: Lang) -> Vec<String> {
    let PolicyRuling { effect, rule, why, subject, hint } = ruling;
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
