//! What happens at each new label, in order, before anything learns from it.
//!
//! The judge, the reflection and the vetoes are asked through a port; what they answer is all that
//! the procedure depends on. It stops where the port fails: entries that were made are kept by the
//! caller, so that the same label goes on where it was.

use std::collections::{BTreeSet, VecDeque};

use provost_kernel::learn::{GroupId, Label};

use super::{
    account::Account,
    book::{Book, BookError},
    e_value::Claim,
    event::{Entry, Event, Veto},
    fresh::FreshLabel,
    payoff::{Votes, majority},
    screen::{Screened, Screening},
    standing::Standing,
};

/// The rules of one side of a comparison: the mission's own, with these added and those left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleSet {
    pub added: BTreeSet<String>,
    pub removed: BTreeSet<String>,
}

/// A text that reflection wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// Its signature.
    pub rule: String,
    /// The text of a rule, or the rule that is to be removed.
    pub text: String,
    pub claim: Claim,
}

/// What the procedure asks for.
pub trait Port {
    type Error: From<BookError>;

    /// One vote on a ticket. The first is the verdict; each further one rotates the learned rules,
    /// because the same prompt repeats the same error.
    fn vote(
        &mut self,
        rules: &RuleSet,
        ticket: &GroupId,
        vote: u8,
    ) -> Result<Option<Label>, Self::Error>;

    /// What speaks against a proven rule.
    fn veto(&mut self, rule: &str, book: &Book) -> Result<Option<Veto>, Self::Error>;

    /// The texts that reflection writes when it is shown errors, beside those that are known already.
    fn reflect(
        &mut self,
        errors: &[GroupId],
        known: &BTreeSet<String>,
    ) -> Result<Vec<Proposal>, Self::Error>;

    /// The share of verdicts that a line without meaning changes.
    fn noise(&self) -> f64;

    /// Keeps an entry, durably, before anything follows from it.
    fn keep(&mut self, entry: &Entry) -> Result<(), Self::Error>;
}

/// The state of learning between two labels.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub book: Book,
    labels: Vec<FreshLabel>,
    errors: Vec<GroupId>,
    new_errors: usize,
    queue: VecDeque<Waiting>,
}

/// A proposal and the number of labels from which it is screened.
#[derive(Clone, Debug)]
struct Waiting {
    proposal: Proposal,
    from: usize,
}

/// The harm from which labels are asked for a measured rule: one net loss.
const SUSPICION: f64 = 1.5;
/// What limits the queue: the newest proposals stay.
const BACKLOG: usize = 60;

impl Procedure {
    pub fn new(book: Book) -> Self {
        Self { book, labels: Vec::new(), errors: Vec::new(), new_errors: 0, queue: VecDeque::new() }
    }

    /// The rules that verdicts follow.
    pub fn rules(&self) -> RuleSet {
        let mut rules = RuleSet::default();
        for (rule, account) in self.book.in_force() {
            match account.claim() {
                Claim::Better => rules.added.insert(rule.clone()),
                Claim::NotWorse => rules.removed.insert(account.text().to_owned()),
            };
        }
        rules.added.retain(|it| !rules.removed.contains(it));
        rules
    }

    /// Takes a label in.
    pub fn label<P: Port>(&mut self, label: &FreshLabel, port: &mut P) -> Result<(), P::Error> {
        self.bet(label, port)?;
        self.settle(label.number, port)?;
        self.promote(port)?;
        self.learn(label, port)?;
        self.open(label.number, port)
    }

    /// Every rule that the label counts for bets on it.
    fn bet<P: Port>(&mut self, label: &FreshLabel, port: &mut P) -> Result<(), P::Error> {
        let betting = self.book.in_force().chain(self.book.shadows());
        let betting: Vec<String> = betting.map(|(rule, _)| rule.clone()).collect();
        for rule in betting {
            let Some((with, without)) = self.sides(&rule) else { continue };
            if !self.may_count(&rule, label) {
                continue;
            }
            let votes = self.votes(&with, &without, &label.group, port)?;
            if self.book.counts(&rule, label, &votes) {
                let Votes { with, without } = votes;
                self.record(Event::Bet { rule, label: label.clone(), with, without }, port)?;
            }
        }
        Ok(())
    }

    /// Whether votes on a label can count at all, so that no call is made in vain.
    fn may_count(&self, rule: &str, label: &FreshLabel) -> bool {
        self.book
            .account(rule)
            .is_some_and(|it| it.is_open_to(&label.group) && label.counts(rule, it.birth(), true))
    }

    fn settle<P: Port>(&mut self, birth: u64, port: &mut P) -> Result<(), P::Error> {
        for event in self.book.consequences(birth) {
            self.record(event, port)?;
        }
        Ok(())
    }

    /// Puts the best proven rule in force, one at a label.
    fn promote<P: Port>(&mut self, port: &mut P) -> Result<(), P::Error> {
        let mut vetoed = BTreeSet::new();
        while let Some(rule) = self.book.best(|it| vetoed.contains(it)).map(str::to_owned) {
            if let Some(veto) = port.veto(&rule, &self.book)? {
                vetoed.insert(rule.clone());
                self.record(Event::Vetoed { rule, veto }, port)?;
            } else {
                return self.record(Event::Promoted { rule }, port);
            }
        }
        Ok(())
    }

    /// Looks whether the judge is wrong, and has reflection write rules about its errors.
    fn learn<P: Port>(&mut self, label: &FreshLabel, port: &mut P) -> Result<(), P::Error> {
        let policy = *self.book.policy();
        let rules = self.rules();
        let is_error = port.vote(&rules, &label.group, 0)? != Some(label.label) && {
            let votes = (0..policy.votes).map(|it| port.vote(&rules, &label.group, it));
            majority(&votes.collect::<Result<Vec<_>, _>>()?) != Some(label.label)
        };
        self.labels.push(label.clone());
        if is_error {
            self.errors.push(label.group.clone());
            self.new_errors = self.new_errors.saturating_add(1);
        }
        if self.new_errors < policy.errors {
            return Ok(());
        }
        self.new_errors = 0;
        let newest = self.errors.len().saturating_sub(policy.shown);
        let shown = self.errors.get(newest..).unwrap_or_default().to_vec();
        let mut known = self.known();
        for proposal in port.reflect(&shown, &known)? {
            if known.insert(proposal.rule.clone()) {
                self.queue.push_back(Waiting { proposal, from: self.labels.len() });
            }
        }
        while self.queue.len() > BACKLOG {
            self.queue.pop_front();
        }
        Ok(())
    }

    /// What waits for the screen, bets or is in force.
    fn known(&self) -> BTreeSet<String> {
        let betting = self.book.in_force().chain(self.book.shadows()).map(|(rule, _)| rule);
        self.queue.iter().map(|it| &it.proposal.rule).chain(betting).cloned().collect()
    }

    /// Gives stakes to what passes the screen, as long as there is room.
    fn open<P: Port>(&mut self, birth: u64, port: &mut P) -> Result<(), P::Error> {
        let mut later = VecDeque::new();
        while let Some(waiting) = self.queue.pop_front() {
            let Waiting { proposal, from } = &waiting;
            if self.labels.len() < *from {
                later.push_back(waiting);
                continue;
            }
            if !self.book.can_open(&proposal.rule, proposal.claim) {
                // A full house is a reason to wait, an account of its own a reason to forget it.
                if self.book.account(&proposal.rule).is_none() {
                    later.push_back(waiting);
                }
                continue;
            }
            let is_passed = proposal.claim == Claim::NotWorse || self.screen(proposal, port)?;
            if is_passed {
                let Proposal { rule, text, claim } = proposal.clone();
                self.record(Event::Opened { rule, text, claim, birth }, port)?;
            } else {
                let more = self.labels.len() / 2;
                let from = self.labels.len().saturating_add(more.max(1));
                later.push_back(Waiting { proposal: proposal.clone(), from });
            }
        }
        self.queue = later;
        Ok(())
    }

    /// Whether a proposal is worth a stake, on older labels: those first that the judge gets wrong.
    fn screen<P: Port>(&self, proposal: &Proposal, port: &mut P) -> Result<bool, P::Error> {
        let policy = *self.book.policy();
        let without = self.rules();
        let mut with = without.clone();
        with.added.insert(proposal.rule.clone());
        let (mut errors, mut others) = (Vec::new(), Vec::new());
        let mut groups = BTreeSet::new();
        for label in self.labels.iter().rev().filter(|it| groups.insert(&it.group)) {
            let is_right = port.vote(&without, &label.group, 0)? == Some(label.label);
            if is_right { others.push(label) } else { errors.push(label) }
        }
        // Without labels that the judge gets right, every rule would look good.
        errors.truncate(policy.screen / 2);
        others.truncate(policy.screen - errors.len());
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (mut left, mut wrong) = (count(errors.len() + others.len()), count(errors.len()));
        let mut screening = Screening::default();
        // Votes confirm each flip, so that only noise which strikes twice is left.
        let noise = port.noise() * port.noise();
        for label in errors.iter().chain(&others) {
            match screening.decide(left, wrong, policy.screen_wins, noise) {
                Screened::Continue => {}
                Screened::Passed => return Ok(true),
                Screened::Failed => return Ok(false),
            }
            let votes = self.votes(&with, &without, &label.group, port)?;
            let payoff = votes.payoff(label.label, &policy);
            screening.wins += u32::from(payoff > 0.0);
            screening.losses += u32::from(payoff < 0.0);
            screening.labels += 1;
            left -= 1;
            wrong = wrong.saturating_sub(1);
        }
        let decided = screening.decide(0, 0, policy.screen_wins, noise);
        Ok(decided == Screened::Passed)
    }

    /// The rules with a change and without it.
    pub fn sides(&self, rule: &str) -> Option<(RuleSet, RuleSet)> {
        let account = self.book.account(rule)?;
        let (mut with, mut without) = (self.rules(), self.rules());
        match account.claim() {
            Claim::Better => {
                with.added.insert(rule.to_owned());
                without.added.remove(rule);
            }
            Claim::NotWorse => {
                let target = account.text();
                with.added.remove(target);
                with.removed.insert(target.to_owned());
                without.removed.remove(target);
            }
        }
        Some((with, without))
    }

    /// The votes of both sides: one each, and more where the first ones differ.
    fn votes<P: Port>(
        &self,
        with: &RuleSet,
        without: &RuleSet,
        ticket: &GroupId,
        port: &mut P,
    ) -> Result<Votes, P::Error> {
        let n_votes = self.book.policy().votes;
        let mut votes = Votes {
            with: vec![port.vote(with, ticket, 0)?],
            without: vec![port.vote(without, ticket, 0)?],
        };
        if votes.with != votes.without {
            for vote in 1..n_votes {
                votes.with.push(port.vote(with, ticket, vote)?);
                votes.without.push(port.vote(without, ticket, vote)?);
            }
        }
        Ok(votes)
    }

    fn record<P: Port>(&mut self, event: Event, port: &mut P) -> Result<(), P::Error> {
        let entry = self.book.record(event)?;
        port.keep(&entry)
    }

    /// The rule that the next label is asked for: one in force first that shows harm or was never
    /// proven, then the shadow with the highest e-value.
    pub fn asks_for(&self) -> Option<&str> {
        let rank = |it: &Account| match it.standing() {
            Standing::Adopted => Some(1),
            Standing::Measured if it.harm() > SUSPICION => Some(2),
            Standing::Shadow | Standing::Offered => Some(0),
            Standing::Measured | Standing::Proposed | Standing::Retired => None,
        };
        let candidates = self.book.accounts().iter().filter_map(|(rule, it)| {
            let rank = rank(it).filter(|_| it.claim() == Claim::Better)?;
            Some((rank, it.e_value(), rule))
        });
        let best =
            candidates.max_by(|(a, one, _), (b, other, _)| a.cmp(b).then(one.total_cmp(other)));
        best.map(|(_, _, rule)| rule.as_str())
    }
}
