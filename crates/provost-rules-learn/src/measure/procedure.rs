//! What happens at each new label, in order, before anything learns from it.
//!
//! The judge, the reflection and the vetoes are asked through a port; what they answer is all that
//! the procedure depends on. It stops where the port fails: entries that were made are kept by the
//! caller, so that the same label goes on where it was.

mod port;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provost_kernel::learn::GroupId;

pub use self::port::{Port, Proposal, RuleSet};
use super::{
    account::Account,
    book::Book,
    e_value::Claim,
    event::{Event, Veto},
    fresh::FreshLabel,
    payoff::{Votes, majority},
    screen::{Screened, Screening},
    standing::Standing,
};

/// The state of learning between two labels.
#[derive(Clone, Debug)]
pub struct Procedure {
    pub book: Book,
    /// The newest label of each case, in the order in which they were read.
    labels: Vec<FreshLabel>,
    /// Their numbers.
    newest: BTreeMap<GroupId, u64>,
    errors: Vec<GroupId>,
    new_errors: usize,
    queue: VecDeque<Waiting>,
    /// Labels that rules have yet to bet on, in order.
    due: VecDeque<Due>,
    /// What spoke against proven rules last, so that it is recorded once.
    vetoes: BTreeMap<String, Veto>,
    mode: Mode,
}

/// Whether what is proven takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Enforce,
    /// A proof is an offer, and a person decides.
    OffersOnly,
}

/// A label, and the rules that have yet to bet on it.
#[derive(Clone, Debug)]
struct Due {
    label: FreshLabel,
    rules: VecDeque<String>,
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
    pub fn new(book: Book, mode: Mode) -> Self {
        Self {
            book,
            labels: Vec::new(),
            newest: BTreeMap::new(),
            errors: Vec::new(),
            new_errors: 0,
            queue: VecDeque::new(),
            due: VecDeque::new(),
            vetoes: BTreeMap::new(),
            mode,
        }
    }

    /// The rules that verdicts follow.
    pub fn rules(&self) -> RuleSet {
        let mut rules = RuleSet::default();
        for (rule, account) in self.book.in_force() {
            rules.added.extend(account.adds().then(|| rule.clone()));
            rules.removed.extend(account.removes().iter().cloned());
        }
        rules.added.retain(|it| !rules.removed.contains(it));
        rules
    }

    /// Takes a label in.
    pub fn label<P: Port>(&mut self, label: &FreshLabel, port: &mut P) -> Result<(), P::Error> {
        self.count(label, port)?;
        self.learn(label, port)?;
        self.open(label.number, port)
    }

    /// Has every rule that the label counts for bet on it, before anything is learned from it.
    pub fn count<P: Port>(&mut self, label: &FreshLabel, port: &mut P) -> Result<(), P::Error> {
        let rules = self.betting(label).into();
        self.due.push_back(Due { label: label.clone(), rules });
        self.bet(port)?;
        self.settle(label.number, port)?;
        self.promote(port)
    }

    /// What follows from the accounts as they are: after a label was withdrawn, what it proved is gone.
    pub fn reconsider<P: Port>(&mut self, birth: u64, port: &mut P) -> Result<(), P::Error> {
        self.settle(birth, port)
    }

    /// The rules that bet on a label: its votes with each of them are asked.
    pub fn betting(&self, label: &FreshLabel) -> Vec<String> {
        let betting = self.book.in_force().chain(self.book.shadows());
        let betting = betting.map(|(rule, _)| rule).filter(|it| self.may_count(it, label));
        betting.cloned().collect()
    }

    /// Remembers a label for the screen: no rule that is opened from now on bets on it.
    ///
    /// A case that is labelled again is one case, with its newest label.
    pub fn remember(&mut self, label: &FreshLabel) {
        match self.newest.insert(label.group.clone(), label.number) {
            Some(number) if number == label.number => return,
            Some(_) => self.labels.retain(|it| it.group != label.group),
            None => {}
        }
        self.labels.push(label.clone());
    }

    /// Takes a proposal in, which waits for the screen; false if it is known already.
    pub fn propose(&mut self, proposal: Proposal) -> bool {
        let is_new = !self.known().contains(&proposal.rule);
        if is_new {
            self.queue.push_back(Waiting { proposal, from: self.labels.len() });
        }
        while self.queue.len() > BACKLOG {
            self.queue.pop_front();
        }
        is_new
    }

    /// Whether a label of a group waits for bets.
    pub fn is_due(&self, group: &GroupId) -> bool {
        self.due.iter().any(|it| it.label.group == *group)
    }

    /// How many labels wait for bets, because there was no room for calls.
    pub fn waiting(&self) -> usize {
        self.due.len()
    }

    /// The proposals that have no account yet.
    pub fn proposed(&self) -> impl Iterator<Item = &Proposal> {
        self.queue.iter().map(|it| &it.proposal)
    }

    /// Bets on the labels that are due, in order, as long as there is room for the calls.
    fn bet<P: Port>(&mut self, port: &mut P) -> Result<(), P::Error> {
        let cost = 2 * u64::from(self.book.policy().votes);
        while let Some(mut due) = self.due.pop_front() {
            while let Some(rule) = due.rules.pop_front() {
                if port.room() < cost {
                    due.rules.push_front(rule);
                    self.due.push_front(due);
                    return Ok(());
                }
                self.bet_on(rule, &due.label, port)?;
            }
        }
        Ok(())
    }

    fn bet_on<P: Port>(
        &mut self,
        rule: String,
        label: &FreshLabel,
        port: &mut P,
    ) -> Result<(), P::Error> {
        let Some((with, without)) = self.sides(&rule) else { return Ok(()) };
        if !self.may_count(&rule, label) {
            return Ok(());
        }
        let votes = self.votes(&with, &without, &label.group, port)?;
        if self.book.counts(&rule, label, &votes) {
            let Votes { with, without } = votes;
            self.record(Event::Bet { rule, label: label.clone(), with, without }, port)?;
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
        if self.mode == Mode::OffersOnly {
            return Ok(());
        }
        let mut vetoed = BTreeSet::new();
        while let Some(rule) = self.book.best(|it| vetoed.contains(it)).map(str::to_owned) {
            if port.room() < port.veto_cost() {
                return Ok(());
            }
            let Some((with, without)) = self.sides(&rule) else { return Ok(()) };
            if let Some(veto) = port.veto(&rule, &with, &without, &self.book)? {
                vetoed.insert(rule.clone());
                if self.vetoes.insert(rule.clone(), veto) != Some(veto) {
                    self.record(Event::Vetoed { rule, veto }, port)?;
                }
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
        self.remember(label);
        if is_error && !self.errors.contains(&label.group) {
            self.errors.push(label.group.clone());
            self.new_errors = self.new_errors.saturating_add(1);
        }
        if self.new_errors < policy.errors {
            return Ok(());
        }
        self.new_errors = 0;
        let newest = self.errors.len().saturating_sub(policy.shown);
        let shown = self.errors.get(newest..).unwrap_or_default().to_vec();
        for proposal in port.reflect(&shown, &self.known())? {
            self.propose(proposal);
        }
        Ok(())
    }

    /// What waits for the screen, bets or is in force.
    fn known(&self) -> BTreeSet<String> {
        let betting = self.book.in_force().chain(self.book.shadows()).map(|(rule, _)| rule);
        self.queue.iter().map(|it| &it.proposal.rule).chain(betting).cloned().collect()
    }

    /// Gives stakes to what passes the screen, as long as there is room.
    pub fn open<P: Port>(&mut self, birth: u64, port: &mut P) -> Result<(), P::Error> {
        let mut later = VecDeque::new();
        while let Some(waiting) = self.queue.pop_front() {
            let Waiting { proposal, from } = &waiting;
            if self.labels.len() < *from
                || port.room() < self.screen_cost().saturating_add(port.veto_cost())
            {
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
                let (with, without) = self.sides_of(proposal);
                if let Some(veto) = port.guard(&with, &without)? {
                    port.refused(&proposal.rule, veto)?;
                    continue;
                }
                let Proposal { rule, text, claim, replaces } = proposal.clone();
                self.record(Event::Opened { rule, text, claim, replaces, birth }, port)?;
            } else {
                let more = self.labels.len() / 2;
                let from = self.labels.len().saturating_add(more.max(1));
                later.push_back(Waiting { proposal: proposal.clone(), from });
            }
        }
        self.queue = later;
        Ok(())
    }

    /// The most calls that a screen makes.
    fn screen_cost(&self) -> u64 {
        let policy = self.book.policy();
        let labels = u64::try_from(self.labels.len().min(policy.screen)).unwrap_or(u64::MAX);
        labels.saturating_mul(2 * u64::from(policy.votes))
    }

    /// Whether a proposal is worth a stake, on older labels: those first that the judge gets wrong.
    fn screen<P: Port>(&self, proposal: &Proposal, port: &mut P) -> Result<bool, P::Error> {
        let policy = *self.book.policy();
        let (with, without) = self.sides_of(proposal);
        let (mut errors, mut others) = (Vec::new(), Vec::new());
        for label in self.labels.iter().rev() {
            let is_right = port.last_verdict(&without, &label.group)? == Some(label.label);
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
            port.screened(&proposal.rule, label, &votes)?;
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

    /// The rules with a proposal and without it.
    fn sides_of(&self, proposal: &Proposal) -> (RuleSet, RuleSet) {
        let without = self.rules();
        let mut with = without.clone();
        leave_out(&mut with, &proposal.replaces);
        if proposal.claim == Claim::NotWorse && proposal.replaces.is_empty() {
            leave_out(&mut with, std::slice::from_ref(&proposal.text));
        } else {
            with.added.insert(proposal.rule.clone());
        }
        (with, without)
    }

    /// The rules with a change and without it.
    pub fn sides(&self, rule: &str) -> Option<(RuleSet, RuleSet)> {
        let account = self.book.account(rule)?;
        let (mut with, mut without) = (self.rules(), self.rules());
        without.added.remove(rule);
        for target in account.removes() {
            without.removed.remove(target);
            // What it put out of force is a rule of its own.
            let is_aside = account.standing().is_in_force() && self.book.account(target).is_some();
            without.added.extend(is_aside.then(|| target.clone()));
        }
        leave_out(&mut with, account.removes());
        with.added.extend(account.adds().then(|| rule.to_owned()));
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

/// Takes rules out of a set.
fn leave_out(rules: &mut RuleSet, targets: &[String]) {
    for target in targets {
        rules.added.remove(target);
        rules.removed.insert(target.clone());
    }
}
