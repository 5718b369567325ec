//! Models as a learning run asks them: one question, one answer, byte for byte.
//!
//! A [`Model`] is an OpenAI-compatible interface, a program, or a recording of an earlier run. A
//! [`Crew`] asks many questions of several models at once and hands back the answers in the order
//! of the questions, so that nobody can tell how many were under way.

mod assemble;
mod chat;
mod command;
mod crew;
mod error;
mod recording;

use std::fmt::Debug;

use provost_kernel::learn::{Answer, CallProblem, Price, Question, Spent};

pub use self::{
    assemble::{ModelSupplies, assemble},
    chat::{ChatModel, ChatModelSettings},
    command::{CommandCheck, CommandModel, CommandModelSettings},
    crew::{Crew, Each, Ended},
    error::ModelError,
    recording::RecordingModel,
};
use crate::{cancel::Cancel, reply::Usage};

/// Something that answers questions.
///
/// An implementation must be cancel-safe: when [`Cancel`] asks for the end, the call returns soon
/// and leaves no process behind. It gives back what was said as it was said, and judges nothing.
pub trait Model: Debug + Send + Sync {
    /// Asks one question, and returns when nothing of the call is left.
    fn ask(&self, question: &Question, cancel: &Cancel) -> Result<Answer, CallProblem>;
}

/// How many bytes stand for a token where nobody has counted.
const BYTES_PER_TOKEN: usize = 4;
const MILLION: u128 = 1_000_000;

/// What a call cost. What the model does not count is estimated: a budget must never be blind.
fn spent(question: &Question, text: &str, usage: Usage, price: Price) -> Spent {
    let estimate =
        |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX);
    let asked = || question.messages.iter().map(|it| it.content.len()).sum();
    let prompt_tokens = usage.input_tokens.unwrap_or_else(|| estimate(asked()));
    let completion_tokens = usage.output_tokens.unwrap_or_else(|| estimate(text.len()));
    let micro_usd = match usage.usd {
        Some(usd) => usd.in_micros(),
        None => cost(prompt_tokens, completion_tokens, price),
    };
    Spent { prompt_tokens, completion_tokens, micro_usd }
}

/// What tokens cost, in millionths of a dollar; a part of one counts as one.
fn cost(prompt_tokens: u64, completion_tokens: u64, price: Price) -> u64 {
    let of = |tokens: u64, price: u64| u128::from(tokens).saturating_mul(u128::from(price));
    let prompt = of(prompt_tokens, price.prompt_micro_usd_per_million);
    let completion = of(completion_tokens, price.completion_micro_usd_per_million);
    let sum = prompt.saturating_add(completion).div_ceil(MILLION);
    u64::try_from(sum).unwrap_or(u64::MAX)
}

fn transport(detail: impl Into<String>) -> CallProblem {
    CallProblem::Transport { detail: detail.into() }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        learn::{Decode, Message, Speaker},
        task::Usd,
    };

    use super::*;

    pub(super) fn question(text: &str) -> Question {
        Question {
            model: None,
            messages: vec![Message { role: Speaker::User, content: text.to_owned() }],
            decode: Decode {
                temperature: 0.1,
                top_p: 0.9,
                max_new_tokens: 16,
                seed: Some(43),
                repetition_penalty: 1.0,
                no_repeat_ngram_size: None,
                stop: Vec::new(),
            },
        }
    }

    #[test]
    fn tokens_are_paid_for_to_the_last_part_of_a_millionth() {
        let check = |tokens: (u64, u64), price: (u64, u64), expected: u64| {
            let price = Price {
                prompt_micro_usd_per_million: price.0,
                completion_micro_usd_per_million: price.1,
            };
            assert_eq!(cost(tokens.0, tokens.1, price), expected, "{tokens:?} {price:?}");
        };
        check((0, 0), (5, 5), 0);
        check((1, 0), (1, 0), 1);
        check((1_000_000, 0), (3_000_000, 0), 3_000_000);
        check((1_000, 200), (2_000_000, 8_000_000), 3_600);
        check((3, 3), (100_000, 100_000), 1);
        check((u64::MAX, u64::MAX), (u64::MAX, u64::MAX), u64::MAX);
    }

    #[test]
    fn what_a_model_counts_stands_and_the_rest_is_estimated() {
        let price = Price { prompt_micro_usd_per_million: 1_000_000, ..Price::default() };
        let check = |usage: Usage, expected: (u64, u64, u64)| {
            let spent = spent(&question("12345678"), "abcde", usage, price);
            assert_eq!((spent.prompt_tokens, spent.completion_tokens, spent.micro_usd), expected);
        };
        check(Usage::default(), (2, 2, 2));
        check(Usage { input_tokens: Some(7), output_tokens: Some(0), usd: None }, (7, 0, 7));
        let usd = Some(Usd::micros(99));
        check(Usage { input_tokens: Some(7), output_tokens: None, usd }, (7, 2, 99));
    }
}
