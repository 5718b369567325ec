//! What a person sees while a task runs.

use std::time::Duration;

use provost_adapter::preset::activity::Activity;
use provost_kernel::{
    TaskId, Text,
    task::{CheckKind, Checked, Checkpoint, Decision, Role, TaskSpec},
};

/// Somebody who watches a run. It is told, and asked nothing.
pub trait Progress: Sync {
    fn update(&self, update: &Update<'_>);
}

/// A step of an attempt, as a watcher knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Making the work tree.
    Clone,
    /// Asking which files will change.
    Declare,
    Coder,
    /// Holding the change against the rules.
    Policy,
    /// Making a clean checkout ready.
    Prepare,
    /// Running the test on the base.
    Base,
    Test,
    /// Running a check besides the test, on the base or on the result.
    Check(CheckKind),
    /// Running again what the agent claims.
    Claims,
    Judge,
}

/// A command that is run for a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofCommand<'a> {
    /// Its number among the outputs of this look.
    pub number: u16,
    /// The command line, as a shell takes it.
    pub line: &'a str,
    pub on: ProofTree,
}

/// The tree that a command runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofTree {
    /// What was delivered.
    Delivered,
    /// The base, on which a failure is what a good proof shows.
    Base,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Update<'a> {
    /// A task was made: this is what will run.
    Created {
        spec: &'a TaskSpec,
        coder: &'a str,
        judge: &'a str,
    },
    AttemptStarted {
        task: &'a TaskId,
        /// The number of the attempt.
        attempt: u16,
        /// Which of the attempts that count it is, and how many there may be.
        count: u16,
        of: u16,
    },
    StepStarted {
        step: Step,
    },
    StepFinished {
        step: Step,
        /// How it came out, in a few words.
        outcome: &'a Text,
        wall: Duration,
    },
    /// The coder starts on the files of the attempt before.
    Continued {
        /// And in its session.
        has_session: bool,
    },
    /// The session of the attempt before is not gone on in, or that of this one cannot be kept.
    SessionDropped(&'a Text),
    /// The coder is seen to do something.
    Agent(&'a Activity),
    /// The last lines that a test printed which failed, without secrets.
    Printed(&'a [&'a str]),
    /// A place was reached where a pause takes effect.
    Checkpoint(Checkpoint),
    /// Something was checked, or could not be.
    Checked(&'a Checked),
    /// A provider's quota is waited for.
    Waiting {
        role: Role,
        wait: Duration,
    },
    Decided {
        attempt: u16,
        decision: &'a Decision,
        /// What spoke against it; empty where it passed.
        reasons: &'a [Text],
    },
    /// A result was merged with a branch that had moved on, and is about to be proven again.
    Merged {
        branch: &'a str,
        /// By how many commits.
        behind: u64,
    },
    /// A command of a proof was started.
    CommandStarted {
        command: &'a ProofCommand<'a>,
    },
    /// It ended with this exit code; none where it did not run to its end.
    CommandEnded {
        command: &'a ProofCommand<'a>,
        rc: Option<i32>,
    },
}
