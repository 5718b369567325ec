//! `provost check hook`: a payload held against the field rules and the built-in policy.

use provost_kernel::{Exit, Finding, Lang, guard::HookType};
use provost_rules_guard::{
    answer::presentable,
    check::{CheckedHook, check},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::say;
use crate::{
    input::Source,
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
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
}

impl<'a> Answer<'a> {
    fn of(checked: &'a CheckedHook, lang: Lang) -> Self {
        let CheckedHook { continues, reason, input, dropped, findings, passed: _ } = checked;
        let message = reason.as_ref().map(|lines| {
            let lines: Vec<_> = lines.iter().map(|it| lang.render(it)).collect();
            presentable(&lines.join("\n"))
        });
        Self { continues: *continues, message, input: input.as_ref(), dropped, findings }
    }
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let bytes = Source::from(self.file.as_str()).read()?;
        let checked = check(&bytes, self.hook);
        match session.output.format() {
            Format::Json => session.output.document(&Answer::of(&checked, session.output.lang)),
            Format::Text => print(session, self.hook, &checked),
        }
        Ok(if checked.passed { Exit::Success } else { Exit::Refused })
    }
}

fn print(session: &mut Session, hook: HookType, checked: &CheckedHook) {
    let lang = session.output.lang;
    let ruling =
        if checked.passed { lang.pick("passed", "通过") } else { lang.pick("refused", "拒绝") };
    say(session, "hook", "钩子", hook.as_str());
    say(session, "ruling", "裁决", ruling);
    if !checked.dropped.is_empty() {
        say(session, "left out", "略去的字段", &checked.dropped.join(", "));
    }
    for finding in &checked.findings {
        let about = match finding.subject.as_str() {
            "" => lang.render(&finding.message),
            subject => format!("{} ({subject})", lang.render(&finding.message)),
        };
        session.output.line(&format!("  {:?} {}: {about}", finding.severity, finding.rule));
    }
}
