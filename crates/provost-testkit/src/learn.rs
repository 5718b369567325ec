//! A mission to learn on without a model: tickets whose labels follow from words in them, and a
//! scripted model that sees what a real one would see and nothing else.
//!
//! What it answers follows from the question alone, so that runs can be held against each other.
//! The same script can be asked in the process, or over HTTP.

mod heard;
mod hostile;
mod pupil;
mod server;
mod ticket;
mod world;

use std::{sync::Mutex, time::Duration};

use provost_adapter::{Cancel, model::Model};
use provost_kernel::{
    Digest,
    learn::{Answer, CallProblem, Question, Spent},
};

pub use self::{
    heard::{Heard, Kind, Shown},
    hostile::{ATTACKED, attack, malformed},
    pupil::{VOCABULARY, decide, hypothesis, judge, propose, pupil, rule, two_lines, words},
    server::{Act, Server},
    ticket::{Lot, chance, planted, shuffled, ticket},
    world::World,
};

/// What a scripted model says.
pub type Script = dyn Fn(&Heard) -> Said + Send + Sync;

/// The answer of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Text(String),
    /// Nobody is there.
    Down,
}

/// A model that follows a script and remembers what it was asked.
pub struct Scripted {
    script: Box<Script>,
    asked: Mutex<Vec<Question>>,
    /// Answers come after a time that differs from question to question, up to this.
    delay: Duration,
    cost: Spent,
}

impl Scripted {
    pub fn new(script: impl Fn(&Heard) -> Said + Send + Sync + 'static) -> Self {
        Self {
            script: Box::new(script),
            asked: Mutex::default(),
            delay: Duration::ZERO,
            cost: Spent { prompt_tokens: 100, completion_tokens: 10, micro_usd: 7 },
        }
    }

    /// The same, with answers that arrive in another order than they were asked for.
    #[must_use]
    pub fn slow(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Everything that it was asked, in the order in which it was.
    pub fn asked(&self) -> Vec<Question> {
        self.asked.lock().map(|it| it.clone()).unwrap_or_default()
    }

    /// The same, read.
    pub fn heard(&self) -> Vec<Heard> {
        self.asked().iter().map(Heard::read).collect()
    }
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripted").field("delay", &self.delay).finish_non_exhaustive()
    }
}

impl Model for Scripted {
    fn ask(&self, question: &Question, _cancel: &Cancel) -> Result<Answer, CallProblem> {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(question.clone());
        }
        if !self.delay.is_zero() {
            let digest = question.digest().unwrap_or(Digest::ZERO).to_string();
            let share = u32::from_str_radix(&digest[..2], 16).unwrap_or_default();
            std::thread::sleep(self.delay * share / 256);
        }
        match (self.script)(&Heard::read(question)) {
            Said::Text(text) => Ok(Answer { text, spent: self.cost }),
            Said::Down => Err(CallProblem::Transport { detail: "nobody is there".to_owned() }),
        }
    }
}
