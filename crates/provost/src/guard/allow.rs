//! `provost guard allow`: a person permits what the guard refused.

use provost_kernel::{
    Exit, Lang, Message,
    guard::{
        PendingRefusal, Permit, PermitScope, RefusalCode, Snooze, TrustedPath,
        policy::{Day, PolicyRule},
    },
};
use provost_rules_guard::permit::Overview;
use serde::Serialize;

use super::{
    log::recorded_in,
    order::{self, DONE, RuleScope, add_rule, as_person, minutes_left, orders, shown_minutes},
};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost guard allow\n  provost guard allow K7MX3P --because \"the branch is generated\"\n  provost guard allow K7MX3P --rule --until 2026-12-31 --because \"rebuilt every night\"\n\nA refusal names its code. It holds for 15 minutes, for exactly the call that was refused, in the\nsession that made it. Without a code, lists what can be permitted and what is. It is for people: it\nneeds a terminal and a yes, and is refused where an agent runs (1)."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Args {
    /// The code in the refusal
    #[arg(value_name = "CODE", requires = "because")]
    code: Option<RefusalCode>,
    /// Permit the call one time (default)
    #[arg(long, conflicts_with_all = ["session", "rule"], requires = "code")]
    once: bool,
    /// Permit the call for the rest of its session
    #[arg(long, conflicts_with = "rule", requires = "code")]
    session: bool,
    /// Permit such calls in this project for good, by a rule in your own configuration
    #[arg(long, requires = "code")]
    rule: bool,
    /// Why
    #[arg(long, value_name = "TEXT", requires = "code")]
    because: Option<String>,
    /// The last day of the rule
    #[arg(long, value_name = "DATE", requires = "rule")]
    until: Option<Day>,
    /// Write the rule for all your projects
    #[arg(long, requires = "rule")]
    user: bool,
}

/// A refusal that no rule can permit.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.no_rule",
    en = "no rule can name exactly what `{code}` stands for",
    zh = "没有规则能准确描述 `{code}` 对应的调用",
    hint(
        en = "permit it once, or write a rule yourself: see `[[guard.rules]]`",
        zh = "请只允许一次，或自行编写规则：见 `[[guard.rules]]`"
    ),
    exit = Refused
)]
struct NoRule {
    code: RefusalCode,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let Some(code) = &self.code else {
            let layout = recorded_in(session, false)?;
            let list = List::of(orders(&layout).overview()?);
            session.output.show(&list);
            return Ok(DONE);
        };
        let layout = order::home(session)?;
        // What the person is asked about must be there.
        crate::story::person(session)?;
        let refusal = orders(&layout).refusal(code)?;
        let lang = session.output.lang;
        let because = self.because.as_deref();
        let granted = if self.rule {
            let permanent = refusal.permanent.clone();
            let rule = permanent.ok_or_else(|| NoRule { code: code.clone() })?;
            let why = because.map(|it| it.trim().to_owned());
            let rule = PolicyRule { why, until: self.until.clone(), ..rule };
            let question = rule_question(lang, &refusal);
            let file = as_person(session, &layout, because, &question, |orders, order| {
                let audit = |file: &str, rule: &PolicyRule| {
                    let shown = serde_json::to_value(rule).unwrap_or_default();
                    Ok(orders.allow_by_rule(code, file, &shown, order)?)
                };
                let scope = if self.user { RuleScope::All } else { RuleScope::Project };
                let file = add_rule(session, rule, scope, audit)?;
                orders.settle(code)?;
                Ok(file)
            })?;
            Granted { code, scope: "rule", minutes: None, file: Some(file.into_string()) }
        } else {
            let scope = if self.session { PermitScope::Session } else { PermitScope::Once };
            let question = question(lang, &refusal, scope);
            let permit = as_person(session, &layout, because, &question, |orders, order| {
                Ok(orders.allow(code, scope, order)?)
            })?;
            let minutes = Some(minutes_left(permit.expires));
            Granted { code, scope: scope.as_str(), minutes, file: None }
        };
        session.output.show(&granted);
        Ok(DONE)
    }
}

fn question(lang: Lang, refusal: &PendingRefusal, scope: PermitScope) -> String {
    let PendingRefusal { subject, rule, tool, directory, .. } = refusal;
    let (en, zh) = match scope {
        PermitScope::Once => ("once", "执行一次"),
        PermitScope::Session => ("for its session", "在其会话内执行"),
    };
    lang.pick(
        format!(
            "let the agent do this {en}: `{subject}` ({tool} in `{directory}`, rule `{rule}`)?"
        ),
        format!("允许智能体{zh} `{subject}`（{tool}，位于 `{directory}`，规则 `{rule}`）？"),
    )
}

fn shown_scope(lang: Lang, scope: PermitScope) -> &'static str {
    match scope {
        PermitScope::Once => lang.pick("once", "一次"),
        PermitScope::Session => lang.pick("for its session", "本次会话"),
    }
}

fn rule_question(lang: Lang, refusal: &PendingRefusal) -> String {
    let PendingRefusal { subject, rule, .. } = refusal;
    lang.pick(
        format!("let agents do this from now on: `{subject}` (rule `{rule}`)?"),
        format!("今后允许智能体执行 `{subject}`（规则 `{rule}`）？"),
    )
}

/// What was permitted, as a script reads it.
#[derive(Debug, Serialize)]
struct Granted<'a> {
    code: &'a RefusalCode,
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    minutes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl View for Granted<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, code) = (page.lang, self.code);
        page.line(&match (&self.file, self.minutes) {
            (Some(file), _) => lang.pick(
                format!("`{code}` is permitted by a rule in `{file}`"),
                format!("`{code}` 已由 `{file}` 中的规则允许"),
            ),
            (None, minutes) => {
                let left = shown_minutes(lang, minutes.unwrap_or_default());
                lang.pick(
                    format!("`{code}` is permitted for {left}: let the agent try again"),
                    format!("`{code}` 已获准，有效期 {left}：请让智能体重试"),
                )
            }
        });
    }
}

/// What can be permitted, and what is.
#[derive(Debug, Serialize)]
struct List {
    refusals: Vec<PendingRefusal>,
    permits: Vec<Permit>,
    trusted: Vec<TrustedPath>,
    snooze: Option<Snooze>,
}

impl List {
    fn of(overview: Overview) -> Self {
        let Overview { refusals, permits } = overview;
        Self {
            refusals,
            permits: permits.permits,
            trusted: permits.trusted,
            snooze: permits.snooze,
        }
    }
}

impl View for List {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let left = |expires| shown_minutes(lang, minutes_left(expires));
        let mut lines: Vec<String> = Vec::new();
        for it in &self.refusals {
            let state = lang.pick("refused", "已拒绝");
            let PendingRefusal { code, subject, rule, tool, session, .. } = it;
            let session: String = session.chars().take(8).collect();
            let left = left(it.expires);
            lines.push(format!("{code}  {state}  `{subject}`  {rule}  {tool}  {session}  {left}"));
        }
        for it in &self.permits {
            let state = lang.pick("permitted", "已允许");
            let (code, subject, scope) = (&it.code, &it.subject, shown_scope(lang, it.scope));
            lines.push(format!("{code}  {state} ({scope})  `{subject}`  {}", left(it.expires)));
        }
        for TrustedPath { path, because, .. } in &self.trusted {
            lines.push(lang.pick(
                format!("trusted  `{path}`  {because}"),
                format!("信任  `{path}`  {because}"),
            ));
        }
        if let Some(snooze) = &self.snooze {
            let left = left(snooze.expires);
            lines.push(lang.pick(
                format!("snoozed for {left}  {}", snooze.because),
                format!("静默 {left}  {}", snooze.because),
            ));
        }
        if lines.is_empty() {
            lines.push(
                lang.pick("nothing to permit, and nothing permitted", "没有待允许或已允许的内容")
                    .to_owned(),
            );
        }
        for line in &lines {
            page.line(line);
        }
    }
}
