//! A mission to learn on without a model: tickets whose labels follow from words in them, and a
//! scripted model that sees what a real one would see and nothing else.
//!
//! What it answers follows from the question alone, so that runs can be held against each other.
//! The same script can be asked in the process, or over HTTP.

mod hostile;
mod parsed_prompt;
mod scripted_model;
mod server;
pub mod simulation;
mod ticket;
mod world;

use std::{sync::Mutex, time::Duration};

use provost_adapter::{
    Cancel,
    model::{Model, ModelFailure},
};
use provost_kernel::{
    Digest,
    model::{ModelReply, ModelRequest, Usage},
    task::Usd,
};

pub use self::{
    hostile::{ATTACKED, attack, malformed},
    parsed_prompt::{Kind, ParsedPrompt, Shown},
    scripted_model::{
        VOCABULARY, decide, hypothesis, judge, propose, rule, scripted_model, two_lines, words,
    },
    server::{Act, Server},
    ticket::{Lot, chance, planted, shuffled, ticket},
    world::World,
};

/// What a scripted model says.
pub type Script = dyn Fn(&ParsedPrompt) -> Said + Send + Sync;

/// The answer of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Text(String),
    /// No model answers.
    Down,
}

/// A model that follows a script and remembers what it was asked.
pub struct Scripted {
    script: Box<Script>,
    asked: Mutex<Vec<ModelRequest>>,
    /// Answers come after a time that differs from question to question, up to this.
    delay: Duration,
    usage: Usage,
}

impl Scripted {
    pub fn new(script: impl Fn(&ParsedPrompt) -> Said + Send + Sync + 'static) -> Self {
        Self {
            script: Box::new(script),
            asked: Mutex::default(),
            delay: Duration::ZERO,
            usage: Usage {
                input_tokens: Some(100),
                output_tokens: Some(10),
                usd: Some(Usd::micros(7)),
            },
        }
    }

    /// The same, with answers that arrive in another order than they were asked for.
    #[must_use]
    pub fn slow(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Everything that it was asked, in the order in which it was.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().map(|it| it.clone()).unwrap_or_default()
    }

    /// The same, read.
    pub fn heard(&self) -> Vec<ParsedPrompt> {
        self.asked().iter().map(ParsedPrompt::read).collect()
    }
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scripted").field("delay", &self.delay).finish_non_exhaustive()
    }
}

impl Model for Scripted {
    fn ask(&self, request: &ModelRequest, _cancel: &Cancel) -> Result<ModelReply, ModelFailure> {
        if let Ok(mut asked) = self.asked.lock() {
            asked.push(request.clone());
        }
        if !self.delay.is_zero() {
            let digest = request.digest().unwrap_or(Digest::ZERO).to_string();
            let share = u32::from_str_radix(&digest[..2], 16).unwrap_or_default();
            std::thread::sleep(self.delay * share / 256);
        }
        match (self.script)(&ParsedPrompt::read(request)) {
            Said::Text(text) => Ok(ModelReply { text, usage: self.usage, ..ModelReply::default() }),
            Said::Down => Err(ModelFailure::unreachable("nobody is there")),
        }
    }
}
