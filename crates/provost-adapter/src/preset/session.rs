//! How a program goes on in the session of an earlier call.
//!
//! Only its transcript passes from one call to the next: no settings, no hooks, no login. The agent
//! wrote it, so its name must be exactly the one that the program gives, and the id of the session,
//! which comes onto the command line, a UUID.

use provost_kernel::{SessionId, model::Usage};

/// Where a program keeps its transcripts.
#[derive(Debug)]
pub struct Sessions {
    /// The private folder, and the one in it.
    pub folder: [&'static str; 2],
    /// How many folders below that one a transcript may lie.
    pub depth: u8,
    /// The folders below it in which the program looks for an earlier one.
    pub put: &'static [&'static str],
    /// What stands in the name before the id.
    pub named: Named,
}

/// What stands in the name of a transcript before the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Nothing,
    /// `rollout-2026-11-17T12-08-04-`.
    Rollout,
}

/// A session that a call goes on in.
#[derive(Clone, Copy, Debug)]
pub struct Resumed<'a> {
    pub session: &'a SessionId,
    /// What the program said of the session at the end of the call before.
    pub spent: Usage,
}

/// The form of a UUID, with the same hexadecimal digit in all places.
const UUID: &str = "00000000-0000-0000-0000-000000000000";
/// The form of the date in the name of a transcript.
const DATE: &str = "0000-00-00T00-00-00-";

impl Sessions {
    /// Whether a session can be gone on in by its id.
    pub fn accepts(&self, session: &SessionId) -> bool {
        has_form(session.as_str(), UUID, |it| it.is_ascii_hexdigit())
    }

    /// Whether a file is the transcript of a session.
    pub fn is_transcript(&self, name: &str, session: &SessionId) -> bool {
        let Some(before) =
            name.strip_suffix(".jsonl").and_then(|it| it.strip_suffix(session.as_str()))
        else {
            return false;
        };
        match self.named {
            Named::Nothing => before.is_empty(),
            Named::Rollout => before
                .strip_prefix("rollout-")
                .is_some_and(|it| has_form(it, DATE, |it| it.is_ascii_digit())),
        }
    }
}

/// Whether a text has digits where the form has a 0, and the same characters elsewhere.
fn has_form(text: &str, form: &str, is_digit: fn(char) -> bool) -> bool {
    let fits = |(it, form): (char, char)| if form == '0' { is_digit(it) } else { it == form };
    text.len() == form.len() && text.chars().zip(form.chars()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::Preset;

    const ID: &str = "01a1e968-3c25-70a0-8f76-1cb15669c516";

    #[test]
    fn only_a_uuid_comes_onto_a_command_line() {
        let sessions = Preset::named("codex").unwrap().sessions.as_ref().unwrap();
        let accepts = |id: &str| id.parse().is_ok_and(|it| sessions.accepts(&it));
        assert!(accepts(ID));
        for bad in ["", "last", "--last", "-1", "ses_e1696", &ID[1..], &format!("{ID}0")] {
            assert!(!accepts(bad), "{bad}");
        }
    }

    /// The names that the programs were seen to give, and what an agent might leave beside them.
    #[test]
    fn a_transcript_has_the_name_that_the_program_gives() {
        let id: SessionId = ID.parse().unwrap();
        let is_it = |preset: &str, name: &str| {
            let sessions = Preset::named(preset).unwrap().sessions.as_ref().unwrap();
            sessions.is_transcript(name, &id)
        };
        let rollout = format!("rollout-2026-11-17T12-08-04-{ID}.jsonl");
        assert!(is_it("claude-code", &format!("{ID}.jsonl")));
        assert!(is_it("codex", &rollout));
        for (preset, name) in [
            ("claude-code", rollout.clone()),
            ("claude-code", format!("{ID}.json")),
            ("claude-code", format!("agent-{ID}.jsonl")),
            ("claude-code", ID.to_owned()),
            ("codex", format!("{ID}.jsonl")),
            ("codex", format!("rollout-{ID}.jsonl")),
            ("codex", format!("x{rollout}")),
            ("codex", rollout.replace("2026", "../x")),
        ] {
            assert!(!is_it(preset, &name), "{preset} {name}");
        }
    }
}
