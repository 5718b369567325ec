//! What a call cost, and what a run may still spend.
//!
//! Calls are counted in the order in which a run asks them, not in the order in which answers
//! arrive, so that a budget ends a run at the same place with any number of workers.

use provost_kernel::{
    learn::{Budget, Price, Spent},
    model::{ModelReply, ModelRequest},
    task::Usd,
};

/// So many questions in a row without an answer mean that the model does not answer.
pub const SILENCE: usize = 16;

/// How many bytes stand for a token that the model did not count.
const BYTES_PER_TOKEN: usize = 4;
const MILLION: u128 = 1_000_000;

/// What a call cost. What the model does not count is estimated: a budget must never be blind.
pub fn spent(request: &ModelRequest, reply: &ModelReply, price: Price) -> Spent {
    let estimate =
        |bytes: usize| u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX);
    let asked = || request.messages.iter().map(|it| it.content.len()).sum();
    let usage = reply.usage;
    let prompt_tokens = usage.input_tokens.unwrap_or_else(|| estimate(asked()));
    let completion_tokens = usage.output_tokens.unwrap_or_else(|| estimate(reply.text.len()));
    let estimated = || cost(prompt_tokens, completion_tokens, price);
    let micro_usd = usage.usd.map_or_else(estimated, Usd::in_micros);
    Spent { prompt_tokens, completion_tokens, micro_usd }
}

/// What tokens cost, in millionths of a dollar; a part of one counts as one.
pub(crate) fn cost(prompt_tokens: u64, completion_tokens: u64, price: Price) -> u64 {
    let of = |tokens: u64, price: u64| u128::from(tokens).saturating_mul(u128::from(price));
    let prompt = of(prompt_tokens, price.prompt_micro_usd_per_million);
    let completion = of(completion_tokens, price.completion_micro_usd_per_million);
    let sum = prompt.saturating_add(completion).div_ceil(MILLION);
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// Whether one more question may be asked after so many calls that cost so much.
pub fn allows(budget: &Budget, calls: u64, spent: Spent) -> bool {
    let is_under = |cap: Option<u64>, used: u64| cap.is_none_or(|cap| used < cap);
    is_under(budget.max_model_calls, calls)
        && is_under(budget.max_tokens, spent.tokens())
        && is_under(budget.max_micro_usd, spent.micro_usd)
}

/// Whether one more call of reflection may be made in an epoch that has made so many (LEARN-5.2).
pub fn allows_reflection(max_calls_per_epoch: Option<u32>, calls: u64) -> bool {
    max_calls_per_epoch.is_none_or(|cap| calls < u64::from(cap))
}

/// Whether a change may still be applied in an epoch that has applied so many.
pub fn allows_change(change_cap_per_epoch: Option<u32>, changes: u64) -> bool {
    change_cap_per_epoch.is_none_or(|cap| changes < u64::from(cap))
}

/// Whether so many failures in a row mean that somebody should be asked who is known to answer.
pub fn is_silent(failures_in_a_row: usize) -> bool {
    failures_in_a_row >= SILENCE
}

#[cfg(test)]
mod tests {
    use provost_kernel::model::Usage;

    use super::*;

    #[test]
    fn a_budget_allows_until_it_is_reached() {
        let spent = Spent { prompt_tokens: 60, completion_tokens: 40, micro_usd: 5 };
        let check = |budget: Budget, calls, expected| {
            assert_eq!(allows(&budget, calls, spent), expected, "{budget:?} {calls}");
        };
        check(Budget::default(), u64::MAX, true);
        check(Budget { max_model_calls: Some(3), ..Budget::default() }, 2, true);
        check(Budget { max_model_calls: Some(3), ..Budget::default() }, 3, false);
        check(Budget { max_tokens: Some(101), ..Budget::default() }, 0, true);
        check(Budget { max_tokens: Some(100), ..Budget::default() }, 0, false);
        check(Budget { max_micro_usd: Some(6), ..Budget::default() }, 0, true);
        check(Budget { max_micro_usd: Some(5), ..Budget::default() }, 0, false);
    }

    /// LEARN-5.2: the cap counts decision and ops calls.
    #[test]
    fn reflection_and_changes_have_caps_of_their_own() {
        assert!(allows_reflection(None, 1_000));
        assert!(allows_reflection(Some(2), 1));
        assert!(!allows_reflection(Some(2), 2));
        assert!(allows_change(Some(1), 0));
        assert!(!allows_change(Some(1), 1));
    }

    #[test]
    fn silence_is_told_from_a_failure() {
        for (failures, expected) in [(0, false), (1, false), (15, false), (16, true)] {
            assert_eq!(is_silent(failures), expected, "{failures}");
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
            let reply = ModelReply { text: "abcde".to_owned(), usage, ..ModelReply::default() };
            let spent = spent(&ModelRequest::instruct("12345678", ""), &reply, price);
            assert_eq!((spent.prompt_tokens, spent.completion_tokens, spent.micro_usd), expected);
        };
        check(Usage::default(), (2, 2, 2));
        check(Usage { input_tokens: Some(7), output_tokens: Some(0), usd: None }, (7, 0, 7));
        let usd = Some(Usd::micros(99));
        check(Usage { input_tokens: Some(7), output_tokens: None, usd }, (7, 2, 99));
    }
}
