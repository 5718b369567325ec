//! The accounts of a mission, made from its ledger and from nothing else.
//!
//! [`Book::record`] is the only way to change an account. It refuses an event that the policy does
//! not allow, so a ledger that was edited by hand cannot put a rule in force.

mod apply;
mod error;

use std::collections::BTreeMap;

pub use self::error::{BookError, Reason};
use super::{
    account::Account,
    bank::Bank,
    e_value::Claim,
    event::{After, Entry, Event, Retirement, Return, SCHEMA},
    fresh::FreshLabel,
    payoff::Votes,
    policy::Policy,
    standing::{Standing, Turn},
};

/// Every account of a mission, and the bank.
#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    policy: Policy,
    bank: Bank,
    accounts: BTreeMap<String, Account>,
    aliases: BTreeMap<String, String>,
    removals: usize,
    season: Option<String>,
    seq: u64,
}

impl Book {
    pub fn new(policy: Policy) -> Self {
        Self {
            policy,
            bank: Bank::new(),
            accounts: BTreeMap::new(),
            aliases: BTreeMap::new(),
            removals: 0,
            season: None,
            seq: 0,
        }
    }

    /// Recomputes a ledger, and refuses one that is not what its own inputs give.
    pub fn verify<'a>(
        policy: Policy,
        entries: impl IntoIterator<Item = &'a Entry>,
    ) -> Result<Self, BookError> {
        let mut book = Self::new(policy);
        for entry in entries {
            book.absorb(entry)?;
        }
        Ok(book)
    }

    /// Takes one more entry of a ledger in, and refuses it if it is not what follows.
    pub fn absorb(&mut self, entry: &Entry) -> Result<(), BookError> {
        let seq = self.seq.saturating_add(1);
        if entry.schema != SCHEMA || entry.seq != seq {
            return Err(BookError::OutOfOrder { seq });
        }
        let expected = self.record(entry.event.clone())?;
        if expected.after.agrees(&entry.after) { Ok(()) } else { Err(BookError::Numbers { seq }) }
    }

    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub fn bank(&self) -> f64 {
        self.bank.balance()
    }

    /// What the season rests on; none before the first.
    pub fn season(&self) -> Option<&str> {
        self.season.as_deref()
    }

    /// How many entries there are.
    pub fn len(&self) -> u64 {
        self.seq
    }

    pub fn is_empty(&self) -> bool {
        self.seq == 0
    }

    pub fn accounts(&self) -> &BTreeMap<String, Account> {
        &self.accounts
    }

    /// The account of a signature or of its alias.
    pub fn account(&self, rule: &str) -> Option<&Account> {
        let rule = self.aliases.get(rule).map_or(rule, String::as_str);
        self.accounts.get(rule)
    }

    /// The signature and account that people call by a name such as `h7`.
    pub fn named(&self, name: &str) -> Option<(&String, &Account)> {
        self.accounts.iter().find(|(_, it)| it.name() == name)
    }

    fn next_number(&self) -> u32 {
        u32::try_from(self.accounts.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The rules in force, by signature.
    pub fn in_force(&self) -> impl Iterator<Item = (&String, &Account)> {
        self.accounts.iter().filter(|(_, it)| it.standing.is_in_force())
    }

    /// What bets without being in force.
    pub fn shadows(&self) -> impl Iterator<Item = (&String, &Account)> {
        self.accounts.iter().filter(|(_, it)| it.standing.is_shadow())
    }

    /// Whether a rule may take a stake now.
    pub fn can_open(&self, rule: &str, claim: Claim) -> bool {
        let is_new = self
            .accounts
            .get(rule)
            .is_none_or(|it| it.standing == Standing::Retired && self.why_futile(it).is_none());
        let has_room = match claim {
            Claim::Better => self.shadows().count() < self.policy.shadows,
            Claim::NotWorse => self.removals < self.policy.removals,
        };
        is_new && has_room && !self.aliases.contains_key(rule)
    }

    /// The rule that is proven best, among those that are not left out.
    pub fn best(&self, is_left_out: impl Fn(&str) -> bool) -> Option<&str> {
        let candidates = self.accounts.iter().filter(|(rule, it)| {
            it.standing.after(Turn::Promoted).is_some()
                && it.is_proven(&self.policy)
                && !is_left_out(rule)
        });
        let best = candidates.max_by(|(_, a), (_, b)| a.e_value().total_cmp(&b.e_value()));
        best.map(|(rule, _)| rule.as_str())
    }

    /// What follows from the accounts as they are, promotions aside: offers, returns, retirements.
    pub fn consequences(&self, birth: u64) -> Vec<Event> {
        let of = |(rule, account): (&String, &Account)| {
            let rule = rule.clone();
            if let Some(why) = self.why_returned(account) {
                Some(Event::Returned { rule, why, birth })
            } else if let Some(why) = self.why_retired(account) {
                Some(Event::Retired { rule, why })
            } else if account.standing == Standing::Shadow && account.is_offerable(&self.policy) {
                Some(Event::Offered { rule })
            } else {
                None
            }
        };
        self.accounts.iter().filter_map(of).collect()
    }

    /// Whether a label counts for a rule whose votes are these.
    pub fn counts(&self, rule: &str, label: &FreshLabel, votes: &Votes) -> bool {
        self.accounts.get(rule).is_some_and(|it| {
            (it.standing.is_in_force() || it.standing.is_shadow())
                && it.is_open_to(&label.group)
                && label.counts(rule, it.birth, votes.is_flip_to_fail())
        })
    }

    /// Whether a rule won a label: once it is withdrawn, none does.
    pub fn rests_on(&self, label: u64) -> bool {
        self.accounts.values().any(|it| it.rests_on(label))
    }

    /// Takes an event in, and makes its entry; an event that is refused changes nothing.
    pub fn record(&mut self, event: Event) -> Result<Entry, BookError> {
        let seq = self.seq.saturating_add(1);
        self.apply(&event).map_err(|source| BookError::Refused { seq, source })?;
        self.seq = seq;
        let account = event.rule().and_then(|it| self.account(it));
        let after = After {
            e_value: account.map(Account::e_value),
            stake: account.map(Account::stake),
            harm: account.map(Account::harm),
            bank: self.bank.balance(),
        };
        Ok(Entry { schema: SCHEMA, seq, event, after })
    }

    /// Why a rule does not stay in force.
    fn why_returned(&self, account: &Account) -> Option<Return> {
        let (harm, is_unproven) = match account.standing {
            Standing::Measured => (self.policy.measured_harm, !account.is_proven(&self.policy)),
            Standing::Adopted => (self.policy.adopted_harm, false),
            Standing::Proposed | Standing::Shadow | Standing::Offered | Standing::Retired => {
                return None;
            }
        };
        if account.harm() >= harm {
            Some(Return::Harm)
        } else {
            is_unproven.then_some(Return::ProofGone)
        }
    }

    /// Why a shadow does not go on betting.
    fn why_retired(&self, account: &Account) -> Option<Retirement> {
        if !account.standing.is_shadow() {
            return None;
        }
        let is_idle =
            account.claim == Claim::Better && account.labels_without_win() >= self.policy.patience;
        self.why_futile(account).or_else(|| is_idle.then_some(Retirement::NoWins))
    }

    /// What a new stake would not change.
    fn why_futile(&self, account: &Account) -> Option<Retirement> {
        let (wins, losses) = (account.wins(), account.losses());
        if account.e_value() < self.policy.futile {
            Some(Retirement::LowEValue)
        } else {
            let is_losing = losses >= self.policy.losses && losses > wins;
            is_losing.then_some(Retirement::Losses)
        }
    }
}

#[cfg(test)]
mod tests;
