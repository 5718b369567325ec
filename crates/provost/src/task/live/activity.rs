//! The lines by which a person sees an agent work, and why a test failed.
//!
//! An agent or a program wrote what they say: they are shown and used for nothing. Control characters
//! are taken out where a line is printed.

use provost_adapter::preset::activity::Activity;
use provost_kernel::{Lang, shorten_to};

/// The longest line of a test that is shown: a log may hold one of a megabyte.
const LONGEST: usize = 160;

/// One thing that an agent does.
pub(super) fn line(activity: &Activity, lang: Lang) -> String {
    match activity {
        Activity::Edits { path, added, removed } => {
            let verb = lang.pick("edits", "修改");
            let lines = [("+", added), ("−", removed)];
            let lines = lines.map(|(sign, n)| n.map(|n| format!(" {sign}{n}")).unwrap_or_default());
            format!("    │ {verb} {path}{}", lines.concat())
        }
        Activity::Runs { command } => format!("    │ {} {command}", lang.pick("runs", "运行")),
        Activity::Says { text } => format!("    │ {} {text}", lang.pick("says", "说明")),
    }
}

/// A line that a failed test printed.
pub(super) fn printed(text: &str) -> String {
    format!("    │ {}", shorten_to(text, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_what_an_agent_does() {
        let edits =
            |added, removed| Activity::Edits { path: "src/a.py".to_owned(), added, removed };
        let runs = Activity::Runs { command: "make".to_owned() };
        let says = Activity::Says { text: "All done.".to_owned() };
        for (activity, en, zh) in [
            (edits(Some(4), Some(1)), "edits src/a.py +4 −1", "修改 src/a.py +4 −1"),
            (edits(Some(4), None), "edits src/a.py +4", "修改 src/a.py +4"),
            (edits(None, None), "edits src/a.py", "修改 src/a.py"),
            (runs, "runs make", "运行 make"),
            (says, "says All done.", "说明 All done."),
        ] {
            assert_eq!(line(&activity, Lang::En), format!("    │ {en}"));
            assert_eq!(line(&activity, Lang::Zh), format!("    │ {zh}"));
        }
    }
}
