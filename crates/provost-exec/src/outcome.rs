//! How a job ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{limits::ReachedLimit, sandbox::SandboxReport};

/// What is known of a job when nothing of it is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code, taken from the process itself and never through a pipe (LOOP-A12): the
    /// program's own; 128 + n when signal n ended it; 124 when the deadline did; 127 when the
    /// program does not exist and 126 when it cannot be executed.
    pub rc: i32,
    pub ended: Ended,
    /// How many processes the program left behind, or had around it when it was ended.
    pub leftovers_ended: u32,
    /// Processes that did not die although they were killed, because the kernel holds them. They
    /// end as soon as it lets go.
    pub unkillable: Vec<i32>,
    /// How many bytes were cut off the end of standard output to keep it within the cap. What was
    /// written at the very moment of a cut may be missing from the count.
    pub stdout_dropped: u64,
    /// The same for standard error.
    pub stderr_dropped: u64,
    /// From the start of the program until nothing of the job was left.
    pub wall: Duration,
    /// What the sandbox enforced; nothing when the job had none.
    pub sandbox: Option<SandboxReport>,
}

/// Why a job ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "ended", deny_unknown_fields)]
pub enum Ended {
    /// The program exited by itself.
    Exited,
    /// A signal ended the program, and provost did not send it.
    Signalled { signal: i32 },
    /// The deadline passed.
    DeadlineReached,
    /// The caller cancelled.
    Cancelled,
    /// It took more of the machine than it may; `rc` is 137, as after KILL.
    LimitReached { reached: ReachedLimit },
    /// The program could not be started; `rc` is 126 or 127.
    NotRun { reason: String },
}

impl Outcome {
    /// The exit code of a job whose deadline passed.
    pub const DEADLINE_RC: i32 = 124;

    /// Whether the program exited by itself with code 0.
    pub fn is_success(&self) -> bool {
        self.rc == 0 && self.ended == Ended::Exited
    }
}
