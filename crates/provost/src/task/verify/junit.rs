//! A verification as `JUnit` XML: one suite, a test case for each check and for each failing test.

use std::fmt::Write as _;

use provost_engine::task::{VerifyCheck, VerifyReport};
use provost_kernel::{
    Lang, Severity,
    task::{Standing, VerifyOutcome},
};
use provost_rules_task::concern;

use crate::xml::escape;

/// The name of the suite.
const SUITE: &str = "provost verify";

/// The report of a branch that was tested with this command.
pub(super) fn junit(report: &VerifyReport, command: &str, lang: Lang) -> String {
    let mut rows = String::new();
    let (mut failures, mut skipped, mut wall) = (0, 0, 0);
    for check in &report.checks {
        wall += check.wall_ms.unwrap_or(0);
        let detail = escape(&lang.render(&check.detail.0));
        let inner = match standing(report, check) {
            Standing::Verified => String::new(),
            Standing::Failed => {
                failures += 1;
                let found = findings(report, check, lang);
                format!("<failure message=\"{detail}\">{found}</failure>")
            }
            Standing::NotVerified => {
                skipped += 1;
                format!("<skipped message=\"{detail}\"/>")
            }
        };
        let time = seconds(check.wall_ms.unwrap_or(0));
        let _ = writeln!(
            rows,
            "    <testcase classname=\"{SUITE}\" name=\"{}\" time=\"{time}\">{inner}</testcase>",
            check.name
        );
    }
    let message =
        escape(&lang.pick(format!("fails in `{command}`"), format!("在 `{command}` 中失败")));
    for test in &report.failed_tests {
        failures += 1;
        let (class, name) = (escape(&test.place), escape(&test.path.join("::")));
        let _ = writeln!(
            rows,
            "    <testcase classname=\"{class}\" name=\"{name}\"><failure message=\"{message}\"/></testcase>"
        );
    }
    let tests = report.checks.len() + report.failed_tests.len();
    let counts = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{}\"",
        seconds(wall)
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{SUITE}\" {counts}>\n  <testsuite name=\"{SUITE}\" {counts}>\n{rows}  </testsuite>\n</testsuites>\n"
    )
}

/// How a check counts: what keeps the branch from passing is a failure.
fn standing(report: &VerifyReport, check: &VerifyCheck) -> Standing {
    let was_run = check.wall_ms.is_some() || ["paths", "agent config"].contains(&check.name);
    match (check.standing, report.outcome) {
        (Standing::NotVerified, VerifyOutcome::Refused | VerifyOutcome::NeedsPerson) if was_run => {
            Standing::Failed
        }
        (standing, _) => standing,
    }
}

/// What was found, an escaped line for each, below the check that it belongs to.
fn findings(report: &VerifyReport, check: &VerifyCheck, lang: Lang) -> String {
    let of_check = report
        .findings
        .iter()
        .map(|it| &it.finding)
        .filter(|it| check.name == owner(&it.rule) && it.severity < Severity::P2);
    let lines = of_check.map(|it| {
        let message = lang.render(&it.message);
        let line = match it.subject.as_str() {
            "" => format!("{}: {message}", it.rule),
            subject => format!("{}: {message} ({subject})", it.rule),
        };
        escape(&line) + "\n"
    });
    let printed = if check.name == "tests" { escape(&report.output) } else { String::new() };
    lines.chain([printed]).collect()
}

/// The check that a finding belongs to.
fn owner(rule: &str) -> &'static str {
    match rule {
        "task.policy.secrets" | "task.policy.unscanned" => "secrets",
        "task.verify.test" => "tests",
        "task.verify.lint" => "lint",
        "task.verify.types" => "types",
        "task.verify.build" => "build",
        concern::PLANTED => "agent config",
        concern::LEADS_OUT | concern::SUBMODULE => "paths",
        rule if rule.starts_with("task.policy.") => "paths",
        _ => "proof",
    }
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}
