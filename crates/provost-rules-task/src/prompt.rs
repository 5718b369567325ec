//! What an agent and a judge are told.
//!
//! Whatever a program wrote stands between fences whose name is a digest of what they hold, so
//! that nothing inside can close them; it is said to be data. Every part has a limit.

mod coder;
mod judge;

pub use self::{
    coder::{CoderLimits, CoderPrompt, PreviousCheck, PreviousTest, coder, moved},
    judge::{JudgePrompt, JudgeText, ShownChange, judge},
};

/// How much of each part is told, in bytes unless it says otherwise.
pub mod limit {
    /// Of what the coder said before, in the iterative mode.
    pub const PREVIOUS_OUTPUT: usize = 80_000;
    /// Of the lines of a test's log.
    pub const TEST_LOG_LINES: usize = 200;
    /// Of a test's log.
    pub const TEST_LOG: usize = 32_000;
    /// Of the log of another check.
    pub const CHECK_LOG: usize = 16_000;
    /// Of instructions, reasons and other words of a judge or a person.
    pub const WORDS: usize = 32_000;
    /// Of a list of files.
    pub const FILES: usize = 16_000;
    /// Of a change.
    pub const DIFF: usize = 120_000;
    /// Of what the coder replied, to the judge.
    pub const CODER_OUTPUT: usize = 16_000;
    /// Of the stories of a plan.
    pub const STORIES: usize = 200_000;
    /// Of the goal or the acceptance criteria.
    pub const GOAL: usize = 100_000;
}
