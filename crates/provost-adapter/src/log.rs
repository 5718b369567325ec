//! The lines of a call for `run.log`.
//!
//! They are facts that provost knows itself, one `key=value` to a line. A value from outside is
//! cut and written on one line, so that no value can add a line of its own.

use std::fmt::{self, Display};

use provost_exec::{Outcome, sandbox::SandboxReport};

/// The lines of one call, in the order in which things happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    lines: Vec<String>,
    /// What a server said of the last refusal: people are told, and it is on no line.
    quoted: Option<String>,
}

/// How many characters of a value are kept.
const SHOWN: usize = 200;

impl Log {
    /// The lines, without their ends.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// What a server said in its own words.
    pub(crate) fn quoted(&self) -> Option<&str> {
        self.quoted.as_deref()
    }

    pub(crate) fn quote(&mut self, words: Option<String>) {
        self.quoted = words;
    }

    /// Adds one fact.
    pub fn note(&mut self, key: &str, value: impl Display) {
        let value: String = value.to_string().escape_debug().take(SHOWN).collect();
        // The marks of a quoted text do not hide anything in a log: they stay readable.
        self.lines.push(format!("{key}={}", value.replace("\\\"", "\"").replace("\\'", "'")));
    }
}

impl Log {
    /// Notes how a program ended.
    pub fn note_outcome(&mut self, outcome: &Outcome) {
        let Outcome { rc, ended, leftovers_ended, unkillable, sandbox, wall, .. } = outcome;
        self.note("rc", rc);
        self.note("ended", format!("{ended:?}"));
        self.note("wall_ms", wall.as_millis());
        if *leftovers_ended > 0 {
            self.note("leftovers_ended", leftovers_ended);
        }
        if !unkillable.is_empty() {
            self.note("unkillable", format!("{unkillable:?}"));
        }
        match sandbox {
            None => self.note("sandbox", "none"),
            Some(report) => {
                let SandboxReport { files, network, gaps, .. } = report;
                self.note("sandbox", format!("files {files:?}, network {network:?}"));
                for gap in gaps {
                    self.note("sandbox_gap", format!("{gap:?}"));
                }
            }
        }
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_add_a_line() {
        let mut log = Log::default();
        log.note("temperature", 0);
        log.note("model", "x\ntemperature=1\r\u{1b}[31m\u{2028}");
        log.note("said", "it's \"so\" 中文");
        assert_eq!(
            log.to_string(),
            "temperature=0\nmodel=x\\ntemperature=1\\r\\u{1b}[31m\\u{2028}\nsaid=it's \"so\" 中文\n"
        );
        log.note("long", "y".repeat(10_000));
        assert_eq!(log.lines()[3].len(), "long=".len() + SHOWN);
    }
}
