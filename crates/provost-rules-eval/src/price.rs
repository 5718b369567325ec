//! What tokens cost, where the engine does not say so itself.

use std::str::FromStr;

use provost_kernel::{model::Usage, task::Usd};

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    input: Usd,
    output: Usd,
}

/// A text that names no prices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a pair of prices: write US dollars for a million tokens read and written, such as `0.15/0.60`"
)]
pub struct PricesError(String);

const MILLION: u64 = 1_000_000;

impl Prices {
    /// A usage with its price; one that has a price keeps it, and one without tokens has none.
    #[must_use]
    pub fn of(self, usage: Usage) -> Usage {
        let is_known = usage.usd.is_some() || usage.tokens().is_none();
        if is_known {
            return usage;
        }
        let part = |tokens: Option<u64>, price: Usd| {
            let micros = u128::from(tokens.unwrap_or_default()) * u128::from(price.in_micros());
            u64::try_from(micros.div_ceil(MILLION.into())).unwrap_or(u64::MAX)
        };
        let input = Usd::micros(part(usage.input_tokens, self.input));
        let output = Usd::micros(part(usage.output_tokens, self.output));
        Usage { usd: Some(input.plus(output)), ..usage }
    }
}

impl FromStr for Prices {
    type Err = PricesError;

    fn from_str(text: &str) -> Result<Self, PricesError> {
        let amount = |it: &str| serde_json::from_str::<Usd>(it.trim()).ok();
        let pair = text.split_once('/').and_then(|(input, output)| {
            Some(Self { input: amount(input)?, output: amount(output)? })
        });
        pair.ok_or_else(|| PricesError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_a_price() {
        let prices: Prices = "0.15/0.60".parse().unwrap();
        let used = |input, output, usd: Option<u64>| Usage {
            input_tokens: input,
            output_tokens: output,
            usd: usd.map(Usd::micros),
        };
        for (usage, expected) in [
            (used(Some(1000), Some(100), None), Some(210)),
            (used(Some(1), None, None), Some(1)),
            (used(None, None, None), None),
            (used(Some(1000), Some(100), Some(7)), Some(7)),
        ] {
            assert_eq!(prices.of(usage).usd, expected.map(Usd::micros), "{usage:?}");
        }
        for bad in ["", "1", "a/b", "-1/1", "1/2/3"] {
            assert!(bad.parse::<Prices>().is_err(), "{bad}");
        }
    }
}
