//! The events of a program, read while it runs: who watches is told, and the budget holds.

use std::path::Path;

use provost_kernel::{model::Usage, task::Budget};

use super::{
    account::Account,
    facts::{self, Report},
};
use crate::{
    adapter::Seen,
    tail::{LineReader, Next},
};

/// Reads events while a program prints them.
pub(super) struct Events<'a> {
    pub(super) report: Report,
    pub(super) budget: &'a Budget,
    pub(super) account: Account,
    /// Where the program works.
    pub(super) tree: &'a Path,
    /// Who is told what it does.
    pub(super) seen: &'a Seen<'a>,
    pub(super) n_seen: usize,
}

/// More activities of one call are not told.
const TOLD: usize = 1000;

impl LineReader for Events<'_> {
    fn line(&mut self, line: &[u8]) -> Next {
        if let (Report::Events(take), Some(event)) = (self.report, facts::object(line)) {
            take(&mut self.account, &event);
        }
        let left = TOLD.saturating_sub(self.n_seen);
        for activity in self.account.activities.drain(..).take(left) {
            self.n_seen += 1;
            (self.seen)(&activity.shown(self.tree));
        }
        if self.account.is_spent(self.budget) { Next::Stop } else { Next::GoOn }
    }
}

/// What a call cost that ended at a limit: a program that stops there and names no figure has spent
/// the whole of the one limit that it had.
pub(super) fn at_least(usage: Usage, budget: &Budget) -> Usage {
    match (usage.is_unknown(), budget.tokens, budget.usd) {
        (true, Some(tokens), None) => Usage { input_tokens: Some(tokens), ..usage },
        (true, None, Some(usd)) => Usage { usd: Some(usd), ..usage },
        (_, _, _) => usage,
    }
}
