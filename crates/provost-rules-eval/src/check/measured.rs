//! Checks of what an answer took: time, tokens and money. What was not measured is never enough.

use provost_kernel::task::Usd;

use super::{super::path::Subject, Outcome, fault::Fault};

pub(super) fn latency(max_ms: u64, subject: Subject<'_>) -> Outcome {
    match subject.meta.latency_ms {
        Some(found) if found <= max_ms => Outcome::Pass,
        Some(found) => Fault::Slow { found, max: max_ms }.into(),
        None => Fault::NoLatency.into(),
    }
}

pub(super) fn cost(max_tokens: Option<u64>, max_usd: Option<Usd>, subject: Subject<'_>) -> Outcome {
    let usage = subject.meta.usage;
    if let Some(max) = max_tokens {
        match usage.tokens() {
            None => return Fault::NoTokens.into(),
            Some(found) if found > max => return Fault::ManyTokens { found, max }.into(),
            Some(_) => {}
        }
    }
    match (max_usd, usage.usd) {
        (Some(_), None) => Fault::NoPrice.into(),
        (Some(max), Some(found)) if found > max => {
            Fault::Expensive { found: found.to_string(), max: max.to_string() }.into()
        }
        (Some(_) | None, _) => Outcome::Pass,
    }
}
