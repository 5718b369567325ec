//! `provost check hook`: a payload held against the field rules and the built-in policy.

use provost_kernel::{Exit, Finding, Lang, guard::HookType};
use provost_rules_guard::{
    answer::presentable,
    check::{CheckedHook, check},
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost check hook permission-request payload.json\n  provost check hook pre-tool-use - --json < payload.json\n\nOnly the built-in rules apply, not those of the project. Exits with 0 if the payload is allowed,\nwith 1 if it is denied, with 2 if it is invalid."
)]
pub(super) struct Args {
    /// One of the fifteen hook types
    #[arg(value_name = "TYPE")]
    hook: HookType,
    /// A JSON file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    #[serde(rename = "continue")]
    continues: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    input: Option<&'a Map<String, Value>>,
    dropped: &'a [String],
    findings: &'a [Finding],
    #[serde(skip)]
    hook: HookType,
    #[serde(skip)]
    passed: bool,
}

impl<'a> Answer<'a> {
    fn of(hook: HookType, checked: &'a CheckedHook, lang: Lang) -> Self {
        let &CheckedHook { continues, ref reason, ref input, ref dropped, ref findings, passed } =
            checked;
        let message = reason.as_ref().map(|lines| {
            let lines: Vec<_> = lines.iter().map(|it| lang.render(it)).collect();
            presentable(&lines.join("\n"))
        });
        Self { continues, message, input: input.as_ref(), dropped, findings, hook, passed }
    }
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let bytes = Source::from(self.file.as_str()).read()?;
        let checked = check(&bytes, self.hook);
        session.output.show(&Answer::of(self.hook, &checked, session.output.lang));
        Ok(if checked.passed { Exit::Success } else { Exit::Refused })
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let ruling = if self.passed {
            lang.pick("passed", "通过")
        } else {
            lang.pick("refused", "拒绝")
        };
        page.row("hook", "钩子", self.hook.as_str());
        page.row("ruling", "裁决", ruling);
        if !self.dropped.is_empty() {
            page.row("ignored fields", "忽略的字段", self.dropped.join(", "));
        }
        for finding in self.findings {
            page.finding(finding);
        }
    }
}
