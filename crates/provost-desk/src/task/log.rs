//! The logs of a task by byte, as they grow.

use provost_kernel::{AttemptNumber, TaskId, task::EventLine};
use provost_rules::secret::scan;
use provost_vault::{Step, StepFile, is_present, task::read_part};
use schemars::JsonSchema;
use serde::Serialize;

use super::StreamName;
use crate::{DISK, Desk, DeskError, LookError};

/// Who wrote a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogRole {
    /// The run in the background itself; it has one log for all attempts.
    Coordinator,
    Coder,
    Test,
    Judge,
    Prepare,
}

/// Some bytes of a log, as text. Secrets are covered, byte for byte, so that places stay what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogPart {
    pub role: LogRole,
    pub stream: StreamName,
    pub from: u64,
    /// Where to go on.
    pub next: u64,
    /// Whether nothing more will come.
    pub ended: bool,
    pub text: String,
}

/// Events of a task, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventPage {
    pub events: Vec<EventLine>,
    /// The number to go on after; none where these are the last ones.
    pub next: Option<u64>,
}

/// So much before a part is read with it: a secret can have begun there.
const CONTEXT: u64 = 16 << 10;

impl LogRole {
    pub const NAMES: &'static [&'static str] =
        &["coordinator", "coder", "test", "judge", "prepare"];

    /// The role of a name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Coordinator, Self::Coder, Self::Test, Self::Judge, Self::Prepare];
        all.into_iter().zip(Self::NAMES).find(|(_, it)| **it == name).map(|(role, _)| role)
    }

    fn step(self) -> Option<Step> {
        match self {
            Self::Coordinator => None,
            Self::Coder => Some(Step::Coder),
            Self::Test => Some(Step::Test),
            Self::Judge => Some(Step::Judge),
            Self::Prepare => Some(Step::Prepare),
        }
    }
}

impl Desk {
    /// At most so many bytes of a log from a place on; whole lines while it still grows.
    pub fn log(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        (role, stream): (LogRole, StreamName),
        from: u64,
        limit: u64,
    ) -> Result<LogPart, DeskError> {
        let status = self.look(task)?.status.value;
        if !self.files(task).attempts()?.contains(&attempt) {
            let (task, attempt) = (task.clone(), Some(attempt.get()));
            return Err(LookError::NoOutput { task, step: "attempt", attempt }.into());
        }
        let is_current = status.is_driven() && status.current_attempt == attempt.get();
        let (at, is_whole) = match role.step() {
            None => (self.layout.detached_log(task), !status.is_driven()),
            Some(step) => {
                let (done, running) = match stream {
                    StreamName::Stdout => (StepFile::Stdout, StepFile::StdoutRaw),
                    StreamName::Stderr => (StepFile::Stderr, StepFile::StderrRaw),
                };
                let at = |file| self.layout.step_file(task, attempt, step, file);
                // What runs is not redacted on disk yet: the other file is empty until it ends.
                let is_running = is_present(&at(running));
                let is_whole = !is_running && is_present(&at(done));
                (at(if is_running { running } else { done }), is_whole || !is_current)
            }
        };
        let (_, len) = read_part(&DISK, &at, 0, 0)?;
        let from = from.min(len);
        let start = from.saturating_sub(CONTEXT);
        let (mut bytes, len) = read_part(&DISK, &at, start, from - start + limit)?;
        let reached = start + bytes.len() as u64;
        if !is_whole || reached < len {
            // A line that has not ended may still become a secret.
            let end = bytes.iter().rposition(|&it| it == b'\n').map_or(0, |it| it + 1);
            let is_one_line = (end as u64) <= from - start && reached - from.min(reached) >= limit;
            bytes.truncate(if is_one_line { bytes.len() } else { end });
        }
        for hit in scan(&bytes) {
            if let Some(secret) = bytes.get_mut(hit.span) {
                secret.fill(b'*');
            }
        }
        let behind = usize::try_from(from - start).unwrap_or(usize::MAX).min(bytes.len());
        let shown = &bytes[behind..];
        let from = from.min(start + bytes.len() as u64);
        let next = from + shown.len() as u64;
        let text = String::from_utf8_lossy(shown).into_owned();
        Ok(LogPart { role, stream, from, next, ended: is_whole && next >= len, text })
    }

    /// The events of a task behind a number.
    pub fn events(&self, task: &TaskId, after: u64, limit: usize) -> Result<EventPage, DeskError> {
        self.look(task)?;
        let found = self.files(task).events()?;
        let is_later = |it: &EventLine| it.value.seq > after;
        let mut events: Vec<EventLine> = found.records.into_iter().filter(is_later).collect();
        let is_cut = events.len() > limit;
        events.truncate(limit);
        let next = events.last().map(|it| it.value.seq).filter(|_| is_cut);
        Ok(EventPage { events, next })
    }
}
