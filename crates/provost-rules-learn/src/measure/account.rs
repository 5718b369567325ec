//! The account of one rule, for life: its stake, its bets, its harm.

use std::collections::BTreeSet;

use provost_kernel::learn::GroupId;

use super::{
    bank::Stake,
    e_value::{Capital, Claim},
    fresh::FreshLabel,
    harm::Harm,
    payoff::Votes,
    policy::Policy,
    standing::Standing,
};

/// What is known of one rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The how-manieth account of the mission it is, from 1 on: what people call it by.
    pub(super) number: u32,
    pub(super) text: String,
    /// The rules that it takes the place of, by signature.
    pub(super) replaces: Vec<String>,
    /// What it put out of force, and what that was before.
    pub(super) set_aside: Vec<(String, Standing)>,
    pub(super) claim: Claim,
    pub(super) standing: Standing,
    pub(super) birth: u64,
    /// What it had from the bank last; it stays known after it was settled.
    pub(super) stake: Stake,
    pub(super) is_adopted: bool,
    /// A person said no to it, so it is not offered again.
    pub(super) is_declined: bool,
    pub(super) harm: Harm,
    groups: BTreeSet<GroupId>,
    bets: Vec<Bet>,
    /// Where the bets of the e-value begin.
    round: usize,
    capital: Capital,
    labels_without_win: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Bet {
    group: GroupId,
    label: u64,
    payoff: f64,
    is_change: bool,
    is_excluded: bool,
}

/// A rule that lacks more wins than this is not told how many.
const PATIENCE: u32 = 200;

impl Account {
    pub(super) fn new(number: u32, text: &str, claim: Claim, replaces: &[String]) -> Self {
        Self {
            number,
            text: text.to_owned(),
            replaces: replaces.to_vec(),
            set_aside: Vec::new(),
            claim,
            standing: Standing::Proposed,
            birth: 0,
            stake: Stake::NONE,
            is_adopted: false,
            is_declined: false,
            harm: Harm::none(),
            groups: BTreeSet::new(),
            bets: Vec::new(),
            round: 0,
            capital: Capital::new(claim),
            labels_without_win: 0,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// What people call it, such as `h7`.
    pub fn name(&self) -> String {
        format!("h{}", self.number)
    }

    /// Whether it stands among the rules while it holds. A removal does not.
    pub fn adds(&self) -> bool {
        self.claim == Claim::Better || !self.replaces.is_empty()
    }

    /// The rules that do not hold beside it, by signature.
    pub fn removes(&self) -> &[String] {
        if self.adds() { &self.replaces } else { std::slice::from_ref(&self.text) }
    }

    /// Whether it is in force because a person said so.
    pub fn is_adopted(&self) -> bool {
        self.standing == Standing::Adopted
    }

    /// The groups that it won.
    pub fn won(&self) -> BTreeSet<GroupId> {
        let won = self.bets.iter().filter(|it| it.payoff > 0.0 && !it.is_excluded);
        won.map(|it| it.group.clone()).collect()
    }

    pub fn standing(&self) -> Standing {
        self.standing
    }

    pub fn birth(&self) -> u64 {
        self.birth
    }

    pub fn stake(&self) -> f64 {
        self.stake.amount()
    }

    pub fn e_value(&self) -> f64 {
        self.capital.e_value()
    }

    pub fn harm(&self) -> f64 {
        self.harm.level()
    }

    pub fn wins(&self) -> u32 {
        self.count(|payoff| payoff > 0.0)
    }

    pub fn losses(&self) -> u32 {
        self.count(|payoff| payoff < 0.0)
    }

    pub fn labels_without_win(&self) -> u32 {
        self.labels_without_win
    }

    /// How many more wins, without a loss, would prove it.
    pub fn wins_to_proof(&self, policy: &Policy) -> Option<u32> {
        let mut capital = self.capital.clone();
        let (wins, losses) = (self.wins(), self.losses());
        (0..=PATIENCE).find(|more| match self.claim {
            Claim::Better => {
                capital.bet(if *more > 0 { 1.0 } else { 0.0 });
                let leads = wins.saturating_add(*more) >= losses.saturating_add(policy.lead);
                leads && self.stake.amount() * capital.e_value() * policy.alpha >= 1.0
            }
            Claim::NotWorse => {
                let is_proven = capital.e_value() >= policy.removal;
                capital.bet(0.0);
                is_proven
            }
        })
    }

    /// Whether a label may still be counted for it: one bet per group.
    pub fn is_open_to(&self, group: &GroupId) -> bool {
        !self.groups.contains(group)
    }

    /// Whether it wins by as many labels as an offer or a promotion needs.
    pub(super) fn leads(&self, policy: &Policy) -> bool {
        self.claim == Claim::NotWorse || self.wins() >= self.losses().saturating_add(policy.lead)
    }

    /// What its evidence must reach, and what it is: an e-value weighed by the stake for a rule
    /// that must be better, the plain one for a removal.
    pub(super) fn is_proven(&self, policy: &Policy) -> bool {
        match self.claim {
            Claim::Better => self.reaches(policy.alpha) && self.leads(policy),
            Claim::NotWorse => self.e_value() >= policy.removal,
        }
    }

    /// Whether it is worth a person's decision.
    pub(super) fn is_offerable(&self, policy: &Policy) -> bool {
        self.claim == Claim::Better
            && !self.is_declined
            && self.reaches(policy.offer_alpha)
            && self.leads(policy)
    }

    fn reaches(&self, alpha: f64) -> bool {
        self.stake.amount() * self.e_value() * alpha >= 1.0
    }

    /// Takes one label in, once.
    pub(super) fn bet(&mut self, label: &FreshLabel, votes: &Votes, policy: &Policy) {
        self.groups.insert(label.group.clone());
        if self.standing.is_in_force() {
            self.harm.count(votes.harm(label.label));
        }
        if self.standing == Standing::Measured {
            return;
        }
        let payoff = match self.claim {
            Claim::Better => votes.payoff(label.label, policy) * label.way.weight(),
            Claim::NotWorse => votes.difference(label.label),
        };
        self.labels_without_win =
            if payoff > 0.0 { 0 } else { self.labels_without_win.saturating_add(1) };
        self.capital.bet(payoff);
        self.bets.push(Bet {
            group: label.group.clone(),
            label: label.number,
            payoff,
            is_change: votes.differ(),
            is_excluded: false,
        });
    }

    /// Begins the evidence anew: what was proven so far does not count twice.
    pub(super) fn begin_round(&mut self) {
        self.round = self.bets.len();
        self.capital = Capital::new(self.claim);
        self.labels_without_win = 0;
    }

    /// Goes on with the evidence it has.
    pub(super) fn resume(&mut self) {
        self.labels_without_win = 0;
    }

    /// The most that it may be staked with: evidence from before must not be multiplied by a larger
    /// stake than it was gathered with.
    pub(super) fn limit(&self) -> Option<Stake> {
        (self.e_value() > 1.0).then_some(self.stake)
    }

    /// Whether a label is among what it won.
    pub(super) fn rests_on(&self, label: u64) -> bool {
        self.bets.iter().any(|it| it.label == label && it.payoff > 0.0 && !it.is_excluded)
    }

    /// Drops what a withdrawn label won. What it lost stays, so that nobody gains by withdrawing.
    pub(super) fn withdraw(&mut self, label: u64) {
        for bet in &mut self.bets {
            if bet.label == label && bet.payoff > 0.0 {
                bet.is_excluded = true;
            }
        }
        self.recompute();
    }

    /// The groups whose verdict it changes.
    pub(super) fn changed(&self) -> BTreeSet<GroupId> {
        self.bets.iter().filter(|it| it.is_change).map(|it| it.group.clone()).collect()
    }

    /// Leaves out the groups whose verdict another rule changed that is in force now, if that
    /// lowers the evidence.
    pub(super) fn discount(&mut self, groups: &BTreeSet<GroupId>) {
        let left = |it: &Bet| !it.is_excluded && !groups.contains(&it.group);
        let reduced =
            Capital::of(self.claim, self.round_bets().filter(|it| left(it)).map(|it| it.payoff));
        if reduced.e_value() < self.e_value() {
            for bet in &mut self.bets {
                bet.is_excluded |= groups.contains(&bet.group);
            }
            self.capital = reduced;
        }
    }

    fn recompute(&mut self) {
        let counted = self.round_bets().filter(|it| !it.is_excluded).map(|it| it.payoff);
        self.capital = Capital::of(self.claim, counted);
    }

    fn round_bets(&self) -> impl Iterator<Item = &Bet> {
        self.bets.get(self.round..).unwrap_or_default().iter()
    }

    fn count(&self, holds: impl Fn(f64) -> bool) -> u32 {
        let counted = self.round_bets().filter(|it| !it.is_excluded && holds(it.payoff)).count();
        u32::try_from(counted).unwrap_or(u32::MAX)
    }
}
