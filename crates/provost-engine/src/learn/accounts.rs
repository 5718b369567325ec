//! The ledger of a mission during a run: what the run adds.
//!
//! A run that is carried out again adds the same lines again: those that are there are compared, and
//! only what is new is written. An order of a person in between ends a run that was interrupted: its
//! answers were given under other rules.

use provost_kernel::{Actor, Clock, learn::RunName};
use provost_rules_learn::measure::ledger::Line;
use provost_vault::learn::AccountLog;

use super::LearnError;

/// What outlives a run: the ledger of its mission, and who adds to it.
#[derive(Debug)]
pub struct Life {
    pub log: AccountLog,
    pub actor: Actor,
    pub run: RunName,
    /// What evidence rests on besides labels: the judge and the mission's own rules. Another one
    /// begins a season.
    pub basis: String,
}

/// The ledger, as far as the run has come.
#[derive(Debug)]
pub(super) struct Accounts {
    life: Life,
    /// The lines that are taken in.
    at: usize,
    /// Those behind them that are not written yet.
    unwritten: Vec<String>,
}

impl Accounts {
    /// The ledger behind so many lines.
    pub(super) fn new(life: Life, at: usize) -> Self {
        Self { life, at, unwritten: Vec::new() }
    }

    pub(super) fn run(&self) -> &RunName {
        &self.life.run
    }

    pub(super) fn basis(&self) -> &str {
        &self.life.basis
    }

    /// Adds a line of the run. One that is there already must be the same.
    pub(super) fn keep(&mut self, line: &Line) -> Result<(), LearnError> {
        let text = serde_json::to_string(line).map_err(LearnError::encode)?;
        match self.life.log.lines().get(self.at) {
            Some(known) if *known == text => {
                self.at += 1;
                Ok(())
            }
            Some(known) => Err(self.differs(known)),
            None => {
                self.unwritten.push(text);
                Ok(())
            }
        }
    }

    /// Writes what was added, all of it or nothing.
    pub(super) fn commit(&mut self, clock: &dyn Clock) -> Result<(), LearnError> {
        let texts = std::mem::take(&mut self.unwritten);
        let n_texts = texts.len();
        self.life.log.append(texts, &self.life.actor, clock)?;
        self.at += n_texts;
        Ok(())
    }

    /// Why the line that is there is not the one that the run adds.
    fn differs(&self, known: &str) -> LearnError {
        let run = serde_json::from_str(known).ok().and_then(|line| match line {
            Line::Label { run, .. } => Some(run),
            Line::Event { run, .. } => run,
        });
        if run.as_ref() == Some(&self.life.run) {
            let seq = u64::try_from(self.at).unwrap_or(u64::MAX);
            LearnError::RunDiffers { file: "accounts.jsonl", seq }
        } else {
            LearnError::LedgerMoved { run: self.life.run.clone() }
        }
    }
}
