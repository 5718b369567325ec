//! Workflow commands for GitHub Actions: one annotation for each failed check.

use std::fmt::Write as _;

use provost_kernel::{
    Lang, Severity,
    eval::{CaseResult, Report},
};
use provost_rules_eval::judge::listed;

use super::{FileOf, message};

/// More than this are not shown by GitHub for one step.
const MAX_OF_A_KIND: usize = 10;

/// The annotations, one line each; the gravest first. The cases are those that are not simply good.
pub(in crate::eval) fn annotations(
    report: &Report,
    noted: &[CaseResult],
    file_of: FileOf<'_>,
    lang: Lang,
) -> String {
    let (mut out, mut errors, mut warnings) = (String::new(), 0, 0);
    for level in [Severity::P0, Severity::P1, Severity::P2] {
        let refuses = level <= report.run.fail_on;
        let (command, shown) =
            if refuses { ("error", &mut errors) } else { ("warning", &mut warnings) };
        for case in noted {
            for check in listed(case).filter(|it| it.level == level) {
                if *shown >= MAX_OF_A_KIND {
                    break;
                }
                *shown += 1;
                let file = file_of(&case.id);
                let file = file.map(|it| format!("file={},", property(&it))).unwrap_or_default();
                let title = property(&format!("{level:?} {} {}", case.id, check.name));
                let text = data(&message(check, lang));
                let _ = writeln!(out, "::{command} {file}title={title}::{text}");
            }
        }
    }
    out
}

/// What an engine wrote cannot end the line and start a command of its own.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn no_message_starts_a_command_of_its_own() {
        let (report, cases) = sample();
        let file_of = |id: &str| (id == "c").then(|| "a,b.json".to_owned());
        let shown = annotations(&report, &cases, &file_of, Lang::En);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("::error title=P0 a<b score.priority_band::IF_TIME"));
        assert_eq!(lines[1], "::error title=P1 a<b todos.verb_led::one%0Atwo");
        assert!(lines[2].starts_with("::warning file=a%2Cb.json,title=P2 c "));
    }
}
