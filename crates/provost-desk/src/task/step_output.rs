//! What a step of an attempt printed.

use provost_kernel::{AttemptNumber, TaskId};
use provost_rules::secret::redact;
use provost_vault::{Disk as _, Step, StepFile, is_present, task::read_tail};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{DISK, Desk, DeskError, LookError};

/// A step whose output people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Printed {
    Agent,
    Test,
    Judge,
    Prepare,
}

/// What a step printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepOutput {
    pub step: Printed,
    pub attempt: AttemptNumber,
    pub streams: Vec<StreamText>,
}

/// One stream of a step, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamText {
    pub name: StreamName,
    /// The whole of it, as a path.
    pub path: String,
    pub text: String,
    /// Whether the start is left out.
    pub is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamName {
    Stdout,
    Stderr,
}

impl Printed {
    fn step(self) -> Step {
        match self {
            Self::Agent => Step::Coder,
            Self::Test => Step::Test,
            Self::Judge => Step::Judge,
            Self::Prepare => Step::Prepare,
        }
    }

    /// The word that people use for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Test => "test",
            Self::Judge => "judge",
            Self::Prepare => "prepare",
        }
    }
}

impl Desk {
    /// What a step printed, up to so many bytes from the end of each stream; in the newest attempt
    /// that has it, unless one is named.
    pub fn step_output(
        &self,
        task: &TaskId,
        step: Printed,
        named: Option<AttemptNumber>,
        most: u64,
    ) -> Result<StepOutput, DeskError> {
        self.look(task)?;
        let at = |attempt, file| self.layout.step_file(task, attempt, step.step(), file);
        let is_there = |attempt: &AttemptNumber| {
            use StepFile::{Stderr, StderrRaw, Stdout, StdoutRaw};
            [Stdout, Stderr, StdoutRaw, StderrRaw].iter().any(|it| is_present(&at(*attempt, *it)))
        };
        let attempts = self.files(task).attempts()?;
        let mut candidates = attempts.into_iter().rev().filter(|it| named.is_none_or(|n| n == *it));
        let Some(attempt) = candidates.find(is_there) else {
            let (task, attempt) = (task.clone(), named.map(AttemptNumber::get));
            return Err(LookError::NoOutput { task, step: step.word(), attempt }.into());
        };
        let mut streams = Vec::new();
        for (name, done, running) in [
            (StreamName::Stdout, StepFile::Stdout, StepFile::StdoutRaw),
            (StreamName::Stderr, StepFile::Stderr, StepFile::StderrRaw),
        ] {
            // What runs is not redacted on disk yet: the other file is empty until it ends.
            let (done, running) = (at(attempt, done), at(attempt, running));
            let file = if is_present(&running) { &running } else { &done };
            let length = DISK.stat(file).map_or(0, |it| it.len);
            let tail = read_tail(&DISK, file, most)?;
            let is_cut = length > most;
            // A line that lost its start may have lost what shows that it is a secret.
            let tail = if is_cut { tail.split_once('\n').map_or("", |it| it.1) } else { &tail };
            let text = String::from_utf8_lossy(&redact(tail.as_bytes())).into_owned();
            streams.push(StreamText { name, path: done.path().to_string(), text, is_cut });
        }
        Ok(StepOutput { step, attempt, streams })
    }
}
