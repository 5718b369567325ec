//! What people are told of a mission's accounts.

use serde::{Deserialize, Serialize};

use super::{
    account::Account,
    book::Book,
    e_value::Claim,
    effect::{Labelling, smallest},
    ledger::Register,
    standing::Standing,
};

/// The accounts of a mission at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many labels were read in the life of the mission.
    pub labels: u64,
    /// How many of them count for rules that are younger.
    pub counted: u64,
    /// How many labels wait for bets, because there was no room for calls.
    #[serde(default)]
    pub waiting: usize,
    /// How many proposals wait for the screen, or failed it and are screened again later.
    #[serde(default)]
    pub proposed: usize,
    /// How many proposals were refused by a golden case or a probe.
    #[serde(default)]
    pub refused: u64,
    /// The rules that were taken back in the run because they harm.
    #[serde(default)]
    pub returned: Vec<String>,
    pub bank: f64,
    pub rules: Vec<RuleSummary>,
    /// What further labels can show.
    pub visible: Option<Visible>,
}

/// One account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleSummary {
    /// What people call it, such as `h7`.
    pub name: String,
    pub text: String,
    pub claim: Claim,
    pub standing: Standing,
    pub wins: u32,
    pub losses: u32,
    pub e_value: f64,
    /// The e-value at which it takes effect; none for a rule without a stake.
    pub bound: Option<f64>,
    /// How many more wins, without a loss, would prove it; none for what bets no more.
    pub wins_to_proof: Option<u32>,
    pub harm: f64,
}

/// So many more labels show a rule of this effect with four chances in five.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visible {
    pub labels: u32,
    /// The share of cases that the rule must mend, in percent.
    pub percent: u32,
}

/// An effect above this is not looked for: so bad a judge needs no learning.
const LARGE: u32 = 50;
/// How many more labels are thought of.
const HORIZONS: [u32; 7] = [20, 34, 50, 100, 200, 500, 1000];

impl Summary {
    pub fn new(book: &Book, register: &Register) -> Self {
        let (labels, counted) = (register.len(), register.counted());
        Self {
            labels,
            counted,
            waiting: 0,
            proposed: 0,
            refused: 0,
            returned: Vec::new(),
            bank: book.bank(),
            rules: RuleSummary::all(book),
            visible: visible(book, labels),
        }
    }
}

impl RuleSummary {
    /// One for each account, in the order of their names.
    pub fn all(book: &Book) -> Vec<Self> {
        let mut accounts: Vec<&Account> = book.accounts().values().collect();
        accounts.sort_by_key(|it| it.number);
        accounts.into_iter().map(|it| Self::new(it, book)).collect()
    }

    fn new(account: &Account, book: &Book) -> Self {
        let policy = book.policy();
        let is_betting = account.standing().is_shadow() || account.standing() == Standing::Adopted;
        let bound = match account.claim() {
            Claim::Better => {
                (account.stake() > 0.0).then(|| 1.0 / (policy.alpha * account.stake()))
            }
            Claim::NotWorse => Some(policy.removal),
        };
        Self {
            name: account.name(),
            text: account.text().to_owned(),
            claim: account.claim(),
            standing: account.standing(),
            wins: account.wins(),
            losses: account.losses(),
            e_value: account.e_value(),
            bound: bound.filter(|_| is_betting),
            wins_to_proof: if is_betting { account.wins_to_proof(policy) } else { None },
            harm: account.harm(),
        }
    }
}

/// The first number of further labels that can show a rule at all.
fn visible(book: &Book, labels: u64) -> Option<Visible> {
    let stake = book.bank() / 2.0;
    let least = u32::try_from(labels).unwrap_or(u32::MAX).min(1000);
    let horizons = HORIZONS.into_iter().filter(|it| *it >= least);
    horizons
        .filter_map(|labels| {
            let percent = smallest(labels, stake, 0.0, Labelling::AsTheyCome, book.policy())?;
            Some(Visible { labels, percent })
        })
        .find(|it| it.percent <= LARGE)
}

#[cfg(test)]
mod tests {
    use provost_kernel::learn::{Split, TicketKey};

    use super::*;
    use crate::measure::{Policy, event::Event, ledger::Numbered};

    #[test]
    fn a_shadow_says_what_it_lacks() {
        let mut book = Book::new(Policy::STANDARD);
        let mut register = Register::default();
        for number in 1..=8 {
            let key: TicketKey = format!("g{number}::fail").parse().unwrap();
            let (group, pool) = (key.group().clone(), Split::Learn);
            assert!(register.read(&key, &Numbered { number, group, pool, counts: true }));
        }
        let first = Summary::new(&book, &register);
        assert_eq!((first.labels, first.counted), (8, 8));
        assert_eq!(first.visible, Some(Visible { labels: 34, percent: 42 }));
        let (rule, text) = ("r".to_owned(), "If r, then fail.".to_owned());
        let (claim, replaces) = (Claim::Better, Vec::new());
        book.record(Event::Opened { rule, text, claim, replaces, birth: 8 }).unwrap();
        let summary = Summary::new(&book, &register);
        let found = summary.rules.first().unwrap();
        assert_eq!((found.name.as_str(), found.standing), ("h1", Standing::Shadow));
        assert_eq!(found.wins_to_proof, Some(8), "eight wins prove the first rule");
        assert!(found.bound.is_some_and(|it| (it - 100.0).abs() < 1e-9));
    }
}
