//! `provost guard deny`: a person takes a permission back, or adds a rule that refuses.

use provost_kernel::{
    Exit, Message,
    guard::{
        RefusalCode,
        policy::{Day, Effect, PolicyRule},
    },
};
use serde::Serialize;

use super::order::{self, DONE, RuleScope, add_rule, as_person};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard deny K7MX3P --because \"not needed any more\"\n  provost guard deny --all --because \"the session is over\"\n  provost guard deny --command \"git push\" --because \"only CI pushes\"\n  provost guard deny --path 'migrations/**' --because \"written by hand\"\n\nIt is for people: it needs a terminal and a yes, and is refused where an agent runs (1)."
)]
pub(super) struct Args {
    /// The code of the permission to take back
    #[arg(value_name = "CODE", conflicts_with = "all")]
    code: Option<RefusalCode>,
    /// Take back every permission
    #[arg(long)]
    all: bool,
    /// Refuse commands that begin with these words
    #[arg(long, value_name = "WORDS", conflicts_with_all = ["code", "all"])]
    command: Option<String>,
    /// Refuse what touches these paths
    #[arg(long, value_name = "GLOB", conflicts_with_all = ["code", "all"])]
    path: Vec<String>,
    /// Refuse what speaks to these hosts
    #[arg(long, value_name = "HOST", conflicts_with_all = ["code", "all"])]
    host: Vec<String>,
    /// Refuse these tools
    #[arg(long, value_name = "NAME", conflicts_with_all = ["code", "all"])]
    tool: Vec<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// The last day of the rule
    #[arg(long, value_name = "DATE", conflicts_with_all = ["code", "all"])]
    until: Option<Day>,
    /// Write the rule for all your projects
    #[arg(long, conflicts_with_all = ["code", "all"])]
    user: bool,
}

/// An order that says nothing.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.deny",
    en = "nothing to refuse was named",
    zh = "没有指明要拒绝的内容",
    hint(
        en = "name a code, or one of `--all`, `--command`, `--path`, `--host`, `--tool`",
        zh = "请给出代码，或 `--all`、`--command`、`--path`、`--host`、`--tool` 之一"
    )
)]
struct Nothing;

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = order::home(session)?;
        let lang = session.output.lang;
        let because = Some(self.because.as_str());
        let denied = if self.code.is_some() || self.all {
            let code = self.code.as_ref();
            let what = code.map_or_else(
                || lang.pick("every permission", "所有许可").to_owned(),
                |it| format!("`{it}`"),
            );
            let question = lang.pick(format!("take back {what}?"), format!("收回{what}？"));
            let gone = as_person(session, &layout, because, &question, |orders, order| {
                Ok(orders.revoke(code, order)?)
            })?;
            Denied { revoked: gone.into_iter().map(|it| it.code).collect(), file: None }
        } else {
            let rule = self.rule()?;
            let question = lang.pick("add a rule that refuses this?", "添加拒绝此项的规则？");
            let file = as_person(session, &layout, because, question, |orders, order| {
                let audit = |file: &str, rule: &PolicyRule| {
                    let shown = serde_json::to_value(rule).unwrap_or_default();
                    Ok(orders.deny_by_rule(file, &shown, order)?)
                };
                let scope = if self.user { RuleScope::All } else { RuleScope::Project };
                add_rule(session, rule, scope, audit)
            })?;
            Denied { revoked: Vec::new(), file: Some(file.into_string()) }
        };
        session.output.show(&denied);
        Ok(DONE)
    }
}

impl Args {
    fn rule(&self) -> Result<PolicyRule, Nothing> {
        let command = self.command.as_deref().unwrap_or_default();
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let named = [&command, &self.path, &self.host, &self.tool];
        if named.iter().all(|it| it.is_empty()) {
            return Err(Nothing);
        }
        Ok(PolicyRule {
            command,
            path: self.path.clone(),
            host: self.host.clone(),
            tool: self.tool.clone(),
            why: Some(self.because.trim().to_owned()),
            until: self.until.clone(),
            ..PolicyRule::new(Effect::Deny)
        })
    }
}

/// What is refused now, as a script reads it.
#[derive(Debug, Serialize)]
struct Denied {
    revoked: Vec<RefusalCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl View for Denied {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        for code in &self.revoked {
            page.line(&lang.pick(format!("`{code}` is taken back"), format!("`{code}` 已收回")));
        }
        if let Some(file) = &self.file {
            page.line(
                &lang.pick(format!("the rule stands in `{file}`"), format!("规则已写入 `{file}`")),
            );
        }
    }
}
