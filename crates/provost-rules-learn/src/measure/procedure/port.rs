//! What the procedure asks for: the judge, reflection and vetoes.

use std::collections::BTreeSet;

use provost_kernel::learn::{GroupId, Label};

use crate::measure::{
    book::{Book, BookError},
    e_value::Claim,
    event::{Entry, Veto},
    fresh::FreshLabel,
    payoff::Votes,
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
    /// The rules that it takes the place of, by signature.
    pub replaces: Vec<String>,
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

    /// What the judge said of a ticket last, under whatever rules: it only says where to look first.
    fn last_verdict(
        &mut self,
        rules: &RuleSet,
        ticket: &GroupId,
    ) -> Result<Option<Label>, Self::Error> {
        self.vote(rules, ticket, 0)
    }

    /// How many calls there is room for. Without room, labels wait for their bets in order.
    fn room(&self) -> u64 {
        u64::MAX
    }

    /// What speaks against a proven rule.
    fn veto(
        &mut self,
        rule: &str,
        with: &RuleSet,
        without: &RuleSet,
        book: &Book,
    ) -> Result<Option<Veto>, Self::Error>;

    /// Whether a rule changes the verdict on a case that no rule may decide otherwise. One that does
    /// gets no account.
    fn guard(&mut self, with: &RuleSet, without: &RuleSet) -> Result<Option<Veto>, Self::Error> {
        let _ = (with, without);
        Ok(None)
    }

    /// Hears of one label that a proposal was screened on.
    fn screened(
        &mut self,
        rule: &str,
        label: &FreshLabel,
        votes: &Votes,
    ) -> Result<(), Self::Error> {
        let _ = (rule, label, votes);
        Ok(())
    }

    /// Hears of a proposal that was refused for good.
    fn refused(&mut self, rule: &str, veto: Veto) -> Result<(), Self::Error> {
        let _ = (rule, veto);
        Ok(())
    }

    /// The most calls that a look for vetoes makes: a proof waits until there is room.
    fn veto_cost(&self) -> u64 {
        0
    }

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
