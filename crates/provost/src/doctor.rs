//! `provost doctor`: can provost work here, and if not, what to do.
//!
//! Every check is data; what was not checked is not shown as good. Looking changes nothing, and
//! `--fix` does only what [`repair`] lists.

mod agents;
mod checks;
mod folders;
mod git;
mod guard;
mod home;
mod repair;
mod sandbox;

use provost_kernel::{Exit, Lang};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    paint::Tone,
    report,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};
use repair::Repair;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost doctor --fix")]
pub(crate) struct Args {
    /// Create a private home that git ignores
    #[arg(long)]
    fix: bool,
}

/// What one look found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[serde(skip)]
    repair: Option<Repair>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    Warn,
    Fail,
    /// Nothing is wrong, and nothing is guarded.
    NotEnforced,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    passed: bool,
    checks: &'a [Check],
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        // A configuration that cannot be read is one of the findings; but to repair is to write.
        if self.fix { Preparation::Identity } else { Preparation::None }
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let mut checks = checks::all(session);
        let mut failed = None;
        if self.fix {
            failed = repair_all(session, &checks);
            checks = checks::all(session);
        }
        session.output.show(&Answer { passed: passed(&checks), checks: &checks });
        let verdict = if passed(&checks) { Exit::Success } else { Exit::Refused };
        Ok(failed.unwrap_or(verdict))
    }
}

/// What every check found, in the words of the tool `ralph_doctor`.
pub(crate) fn look(session: &mut Session) -> Value {
    let checks = checks::all(session);
    let shown = |it: &Check| {
        let status = match it.state {
            State::Ok => "ok",
            State::Warn | State::NotEnforced => "warn",
            State::Fail => "error",
        };
        json!({"name": it.name, "status": status, "message": it.what, "fix": it.hint})
    };
    let shown: Vec<Value> = checks.iter().map(shown).collect();
    let count = |status: &str| shown.iter().filter(|it| it["status"] == status).count();
    json!({
        "healthy": passed(&checks),
        "summary": {"ok": count("ok"), "warn": count("warn"), "error": count("error")},
        "environment": {
            "platform": std::env::consts::OS,
            "provostVersion": env!("CARGO_PKG_VERSION"),
        },
        "checks": shown,
    })
}

/// Repairs what can be; the answer is what a repair in vain means to a script.
fn repair_all(session: &mut Session, checks: &[Check]) -> Option<Exit> {
    let mut failed = None;
    for repair in checks.iter().filter_map(|it| it.repair.as_ref()) {
        match repair.carry_out(session) {
            Ok(()) => {
                let lang = session.output.lang;
                session.output.message(&repair.describe(lang));
            }
            Err(fault) => {
                report::complain(&mut session.output, fault.0.as_ref());
                failed = Some(fault.0.exit());
            }
        }
    }
    failed
}

fn passed(checks: &[Check]) -> bool {
    checks.iter().all(|it| it.state != State::Fail)
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, checks) = (page.lang, self.checks);
        let labels: Vec<_> = checks.iter().map(|it| it.state.label(lang)).collect();
        let label_width = labels.iter().map(|it| columns(it)).max().unwrap_or_default();
        let names: Vec<_> = checks.iter().map(|it| lang.pick(it.name, chinese(it.name))).collect();
        let name_width = names.iter().map(|it| columns(it)).max().unwrap_or_default();
        for ((Check { what, hint, .. }, label), name) in checks.iter().zip(labels).zip(names) {
            let gap = " ".repeat(label_width - columns(label));
            let name_gap = " ".repeat(name_width - columns(name));
            let at = label_width + name_width + 4;
            let line = format!("{label}{gap}  {name}{name_gap}  {what}");
            page.indented(&[Tone::Plain.of(line)], at);
            if let Some(hint) = hint {
                let hint = format!("{}{}{hint}", " ".repeat(at), lang.pick("hint: ", "提示："));
                page.indented(&[Tone::Plain.of(hint)], at);
            }
        }
    }

    fn notes(&self, page: &mut Page<'_>) {
        let count = |state| self.checks.iter().filter(|it| it.state == state).count();
        let (all, failed, warned) = (self.checks.len(), count(State::Fail), count(State::Warn));
        page.message(
            format!("checks: {all}, failed: {failed}, warnings: {warned}"),
            format!("共 {all} 项检查，失败 {failed} 项，警告 {warned} 项"),
        );
    }
}

/// How many columns of a terminal one of our labels takes: a Chinese character takes two.
fn columns(label: &str) -> usize {
    label.chars().map(|it| if it.is_ascii() { 1 } else { 2 }).sum()
}

/// What a check is called in Chinese.
fn chinese(name: &'static str) -> &'static str {
    match name {
        "platform" => "平台",
        "configuration" => "配置",
        "identity" => "身份",
        "home" => "主目录",
        "permissions" => "权限",
        "ignored" => "忽略规则",
        "locks" => "锁",
        "tasks" => "任务",
        "sandbox" => "沙箱",
        "guard" => "守卫",
        "environments" => "环境",
        "agents" => "智能体",
        "judge" => "评审",
        // A program's own name.
        other => other,
    }
}

impl State {
    fn label(self, lang: Lang) -> &'static str {
        match self {
            Self::Ok => lang.pick("ok", "正常"),
            Self::Warn => lang.pick("warn", "警告"),
            Self::Fail => lang.pick("fail", "失败"),
            Self::NotEnforced => lang.pick("not enforced", "未启用"),
        }
    }
}

impl Check {
    fn new(name: &'static str, state: State, what: String) -> Self {
        Self { name, state, what, hint: None, repair: None }
    }

    fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn with_repair(self, repair: Repair) -> Self {
        Self { repair: Some(repair), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failure_fails() {
        let check = |state, expected| {
            let checks =
                [Check::new("x", State::Ok, String::new()), Check::new("y", state, String::new())];
            assert_eq!(passed(&checks), expected, "{state:?}");
        };
        check(State::Ok, true);
        check(State::Warn, true);
        check(State::NotEnforced, true);
        check(State::Fail, false);
    }
}
