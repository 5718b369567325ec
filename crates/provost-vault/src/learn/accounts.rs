//! The ledger of a mission, `accounts.jsonl`: each line is in the audit chain before it is written.
//!
//! The chain holds the line itself, so a line that a crash cut off is written again from there, and
//! one that was changed, removed or added by hand differs from what the chain says.

use camino::Utf8PathBuf;
use provost_kernel::{Actor, Clock, Message, learn::MissionName};
use serde::Deserialize;
use serde_json::json;

use super::MissionLog;
use crate::{
    Disk, Durable, FileError, Layout, Location, Log,
    audit::{Audit, AuditError, ChainEntry, Event, More, read_back},
    lines,
};

/// The ledger of one mission.
#[derive(Debug)]
pub struct AccountLog<'a, D: Disk> {
    disk: &'a D,
    layout: &'a Layout,
    mission: &'a MissionName,
}

/// Why a ledger cannot be read or continued.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.account_log")]
pub enum AccountLogError {
    #[error(transparent)]
    #[message(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    #[message(transparent)]
    Audit(#[from] AuditError),
    #[message(
        en = "line {line} of `{path}` is not the one in the audit chain",
        zh = "`{path}` 第 {line} 行与审计链中的不符",
        hint(
            en = "`provost audit verify` checks the chain itself; restore the file from a backup",
            zh = "`provost audit verify` 检查审计链本身；请从备份恢复该文件"
        ),
        exit = Integrity
    )]
    Differs { path: Utf8PathBuf, line: u64 },
}

/// What the chain says about one line.
#[derive(Debug, Deserialize)]
struct Audited {
    line: u64,
    text: String,
}

const ACTION: &str = "learn.account";
/// The first entry of a chain that a person began anew: what came before is in quarantine.
const RESTART: &str = "audit.restart";

impl<'a, D: Disk> AccountLog<'a, D> {
    pub fn new(disk: &'a D, layout: &'a Layout, mission: &'a MissionName) -> Self {
        Self { disk, layout, mission }
    }

    /// Adds the next line, durably: to the chain, then to the file.
    pub fn append(
        &self,
        text: &str,
        actor: &Actor,
        clock: &dyn Clock,
    ) -> Result<(), AccountLogError> {
        let line = count(self.complete()?.len()).saturating_add(1);
        let event = Event {
            actor: actor.clone(),
            action: ACTION.to_owned(),
            subject: self.subject(),
            request_id: None,
            detail: json!({"line": line, "text": text}),
        };
        let mut chain = Audit::open(self.disk, self.layout)?;
        let head = chain.append(&event, clock, Durable::Now)?;
        chain.store_head(head, ACTION, clock)?;
        Ok(self.write(text)?)
    }

    /// Every line, checked against the chain. A last line that a crash kept from the file counts: it
    /// is in the chain.
    pub fn read(&self) -> Result<Vec<String>, AccountLogError> {
        self.checked().map(|(lines, _)| lines)
    }

    /// The same, and writes the last line where only the chain has it.
    fn complete(&self) -> Result<Vec<String>, AccountLogError> {
        let (lines, unwritten) = self.checked()?;
        if let (Some(last), true) = (lines.last(), unwritten) {
            self.write(last)?;
        }
        Ok(lines)
    }

    /// The lines, and whether the file lacks the last one.
    fn checked(&self) -> Result<(Vec<String>, bool), AccountLogError> {
        let at = self.at();
        let differs = |line: u64| AccountLogError::Differs { path: at.path(), line };
        let mut written = Vec::new();
        for line in lines(self.disk, &at)? {
            let number = count(written.len()).saturating_add(1);
            written.push(String::from_utf8(line?).map_err(|_| differs(number))?);
        }
        let (audited, is_whole) = self.audited()?;
        let n_written = count(written.len());
        // Without a restart, the chain knows every line; after one, those that came later.
        let mut next =
            if is_whole { 1 } else { audited.first().map_or(n_written + 1, |it| it.line) };
        let mut unwritten = false;
        for Audited { line, text } in audited {
            if line != next {
                return Err(differs(next));
            }
            match usize::try_from(line - 1).ok().and_then(|it| written.get(it)) {
                Some(known) if *known == text => {}
                None if line == n_written + 1 && !unwritten => {
                    written.push(text);
                    unwritten = true;
                }
                Some(_) | None => return Err(differs(line)),
            }
            next += 1;
        }
        let end = n_written + u64::from(unwritten) + 1;
        if next == end { Ok((written, unwritten)) } else { Err(differs(next)) }
    }

    /// What the chain says, the oldest first, and whether it goes back to its beginning.
    fn audited(&self) -> Result<(Vec<Audited>, bool), AccountLogError> {
        let (subject, at) = (self.subject(), self.at());
        let (mut audited, mut is_whole, mut damaged) = (Vec::new(), true, false);
        read_back(self.disk, self.layout, None, |it| {
            let Some(ChainEntry { action, subject: about, detail, .. }) = it.entry else {
                damaged = true;
                return More::Yes;
            };
            is_whole &= action != RESTART;
            if action == ACTION && about == subject {
                match serde_json::from_value::<Audited>(detail) {
                    Ok(line) => audited.push(line),
                    Err(_) => damaged = true,
                }
            }
            More::Yes
        })?;
        if damaged {
            return Err(AuditError::Broken { at: self.layout.audit() }.into());
        }
        audited.reverse();
        // Two processes cannot write one line: an entry that the file never got is repeated by none.
        match audited.windows(2).find(|it| matches!(it, [a, b] if a.line >= b.line)) {
            Some(pair) => {
                let line = pair.first().map_or(1, |it| it.line);
                Err(AccountLogError::Differs { path: at.path(), line })
            }
            None => Ok((audited, is_whole)),
        }
    }

    fn write(&self, text: &str) -> Result<(), FileError> {
        Log::open(self.disk, &self.at())?.append(text.as_bytes(), Durable::Now)
    }

    fn at(&self) -> Location {
        self.layout.mission(self.mission).join(MissionLog::Accounts.file_name())
    }

    fn subject(&self) -> String {
        format!("mission:{}", self.mission)
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{Exit, Millis, Source};

    use super::*;
    use crate::{sim::SimDisk, write_atomic};

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn written(disk: &SimDisk, texts: &[&str]) -> Location {
        let (layout, mission) = (layout(), "m".parse().unwrap());
        let log = AccountLog::new(disk, &layout, &mission);
        let actor = Actor { source: Source::Cli, id: "kim".to_owned() };
        for text in texts {
            log.append(text, &actor, &Noon).unwrap();
        }
        log.at()
    }

    #[test]
    fn what_was_written_is_read_and_each_mission_has_its_own() {
        let disk = SimDisk::default();
        written(&disk, &["a", "b", "b", "c"]);
        let layout = layout();
        for (mission, expected) in [("m", &["a", "b", "b", "c"][..]), ("n", &[])] {
            let mission = mission.parse().unwrap();
            let log = AccountLog::new(&disk, &layout, &mission);
            assert_eq!(log.read().unwrap(), expected);
        }
    }

    /// A ledger that was edited is worth nothing, and only the line that a crash may have cut off
    /// is written again.
    #[test]
    fn an_edited_ledger_is_refused_and_its_last_line_restored() {
        for (edited, expected) in [
            ("a\nb\nc\n", Ok(3)),
            ("a\nb\n", Ok(3)),
            ("a\nb\nx\n", Err(3)),
            ("a\n", Err(3)),
            ("", Err(2)),
            ("b\nb\nc\n", Err(1)),
            ("a\nc\n", Err(2)),
            ("a\nb\nc\nd\n", Err(4)),
        ] {
            let disk = SimDisk::default();
            let at = written(&disk, &["a", "b", "c"]);
            write_atomic(&disk, &at, edited.as_bytes()).unwrap();
            let (layout, mission) = (layout(), "m".parse().unwrap());
            let log = AccountLog::new(&disk, &layout, &mission);
            match (log.read(), expected) {
                (Ok(lines), Ok(n_lines)) => {
                    assert_eq!(lines.len(), n_lines, "{edited:?}");
                    assert_eq!(log.complete().unwrap(), ["a", "b", "c"]);
                    let whole: Vec<_> = lines_of(&disk, &at);
                    assert_eq!(whole, ["a", "b", "c"]);
                }
                (Err(AccountLogError::Differs { line, .. }), Err(expected)) => {
                    assert_eq!(line, expected, "{edited:?}");
                }
                (other, _) => panic!("{edited:?}: {other:?}"),
            }
        }
    }

    fn lines_of(disk: &SimDisk, at: &Location) -> Vec<String> {
        lines(&disk, at).unwrap().map(|it| String::from_utf8(it.unwrap()).unwrap()).collect()
    }

    #[test]
    fn an_edited_ledger_exits_with_the_code_of_integrity() {
        let error = AccountLogError::Differs { path: "/x".into(), line: 3 };
        assert_eq!(error.exit(), Exit::Integrity);
        assert_eq!(error.to_string(), "line 3 of `/x` is not the one in the audit chain");
    }
}
