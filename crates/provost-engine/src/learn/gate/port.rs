//! What the procedure asks: the mission's judge, under one set of rules or another.

use std::collections::BTreeSet;

use provost_kernel::{
    Digest,
    learn::{Answer, CallKind, FormatProblem, GroupId, Guidance, Label, Split, TicketKey},
};
use provost_rules_learn::{
    hypothesis,
    measure::{
        self, Entry,
        arrange::{Arrangement, rotated},
        book::BookError,
        event::{Event, Veto},
        fresh::FreshLabel,
        payoff::Votes,
        procedure::{Port, Proposal, RuleSet},
    },
};

use super::{Asked, CALLS_PER_LABEL, Gate};
use crate::learn::{
    LearnError, Run,
    accounts::Accounts,
    calls::{self, Purpose, Said},
    ledger::Book,
    line::{Refused, RefusedBody, Screened, ScreenedBody},
    rollout::{outcome, steady},
};

/// The judge of a run, for the procedure.
pub(super) struct GatePort<'g, 'r> {
    pub run: &'g mut Run<'r>,
    pub arrangement: &'g Arrangement,
    pub accounts: &'g mut Accounts,
    pub asked: &'g mut Asked,
    pub happened: &'g mut Vec<Event>,
    pub n_refused: &'g mut u64,
}

/// Why the procedure stopped.
pub(super) enum Stopped {
    BudgetSpent,
    Failed(Box<LearnError>),
}

/// How many votes a case has that no rule may decide otherwise, and how many decide.
const GUARD: (u8, usize) = (5, 4);

impl From<LearnError> for Stopped {
    fn from(error: LearnError) -> Self {
        Self::Failed(Box::new(error))
    }
}

impl From<BookError> for Stopped {
    fn from(error: BookError) -> Self {
        LearnError::from(error).into()
    }
}

/// One question to the judge, and where its answer is kept.
struct Asking {
    key: (Digest, usize, u8),
    question: calls::Asked,
}

impl GatePort<'_, '_> {
    /// The rules of one side, and their digest: made once, because every vote asks for it.
    fn guidance(&mut self, rules: &RuleSet, vote: u8) -> (Digest, Guidance) {
        let key = (rules.clone(), vote);
        if let Some(known) = self.asked.sides.get(&key) {
            return known.clone();
        }
        let made = rotated(&self.arrangement.guidance(rules, &self.run.guidance), vote);
        let side = (made.digest(), made);
        self.asked.sides.insert(key, side.clone());
        side
    }

    /// The question of a vote; nothing where the answer is known, or needs no model.
    fn asking(
        &mut self,
        rules: &RuleSet,
        at: usize,
        vote: u8,
    ) -> Result<Result<Asking, Option<Label>>, LearnError> {
        let (digest, guidance) = self.guidance(rules, vote);
        let key = (digest, at, vote);
        if let Some(known) = self.asked.verdicts.get(&key) {
            return Ok(Err(*known));
        }
        let setup = self.run.setup;
        let ticket = setup.ticket_index.ticket(at, setup.mission)?;
        if let Some(verdict) = self.run.overrides.verdict(&ticket) {
            // Whatever the rules are, evidence decides.
            return Ok(Err(Some(verdict)));
        }
        let (form, scaffold) = (&self.run.form, &setup.seed.scaffold);
        let request = steady(setup.mission, form, scaffold, &guidance, &ticket)?;
        Ok(Ok(Asking { key, question: calls::Asked { request, tickets: vec![ticket.key()] } }))
    }

    /// Asks, and keeps what was said. An answer that is not valid is none.
    fn ask(&mut self, asking: Vec<Asking>) -> Result<(), Stopped> {
        let epoch = self.run.epoch;
        let purpose = Purpose { kind: CallKind::Gate, epoch, cycle: Some(self.run.cycle) };
        let (keys, questions): (Vec<_>, Vec<_>) =
            asking.into_iter().map(|it| (it.key, it.question)).unzip();
        let said = self.run.calls.ask(purpose, &questions)?;
        for (key, said) in keys.into_iter().zip(said) {
            if said == Said::NotAsked {
                return Err(Stopped::BudgetSpent);
            }
            self.asked.calls = self.asked.calls.saturating_add(1);
            let read = outcome(&said, &self.run.form.contract, self.run.setup.mission);
            if let Said::Answer(Answer { text, .. }) = &said {
                let problem = read.as_ref().err().and_then(|it| it.problem());
                self.run.answers.read(text, problem.map(FormatProblem::as_str));
            }
            self.asked.verdicts.insert(key, read.ok().map(|(label, _)| label));
        }
        Ok(())
    }

    fn place(&self, ticket: &GroupId) -> Result<usize, LearnError> {
        self.asked.places.get(ticket).copied().ok_or_else(|| LearnError::Invariant {
            what: format!("{ticket} is asked about and was not read"),
        })
    }

    /// Whether the verdict on a case is right with most of its votes, or wrong with most.
    fn most(&mut self, rules: &RuleSet, at: usize, label: Label) -> Result<Most, Stopped> {
        let (n_votes, least) = GUARD;
        let mut right = 0;
        for vote in 0..n_votes {
            right += usize::from(self.vote_at(rules, at, vote)? == Some(label));
        }
        let wrong = usize::from(n_votes) - right;
        Ok(match (right >= least, wrong >= least) {
            (true, _) => Most::Right,
            (_, true) => Most::Wrong,
            (false, false) => Most::Neither,
        })
    }

    fn vote_at(&mut self, rules: &RuleSet, at: usize, vote: u8) -> Result<Option<Label>, Stopped> {
        match self.asking(rules, at, vote)? {
            Err(known) => Ok(known),
            Ok(asking) => {
                let key = asking.key;
                self.ask(vec![asking])?;
                Ok(self.asked.verdicts.get(&key).copied().flatten())
            }
        }
    }

    /// Whether a hypothesis has the support that the mission asks for, its wins included: each is a
    /// ticket, and a run that brings one is a cycle.
    fn is_supported(&self, rule: &str, book: &measure::Book) -> bool {
        let settings = &self.run.setup.mission.reflection;
        let Some(record) = self.run.pool.records().get(rule) else { return true };
        let won = book.account(rule).map(measure::Account::won).unwrap_or_default();
        let support = record.support(settings);
        let cited: BTreeSet<&GroupId> = support.keys.iter().map(TicketKey::group).collect();
        let n_new = won.iter().filter(|it| !cited.contains(it)).count();
        hypothesis::is_enough(
            settings,
            support.cycles.len() + usize::from(!won.is_empty()),
            support.keys.len() + n_new,
        )
    }
}

/// What most votes on a case are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Most {
    Right,
    Wrong,
    Neither,
}

impl Port for GatePort<'_, '_> {
    type Error = Stopped;

    fn vote(
        &mut self,
        rules: &RuleSet,
        ticket: &GroupId,
        vote: u8,
    ) -> Result<Option<Label>, Stopped> {
        let at = self.place(ticket)?;
        self.vote_at(rules, at, vote)
    }

    fn last_verdict(&mut self, _: &RuleSet, ticket: &GroupId) -> Result<Option<Label>, Stopped> {
        let at = self.place(ticket)?;
        Ok(self.asked.last.get(&at).copied().flatten())
    }

    fn room(&self) -> u64 {
        let labels = u64::try_from(self.asked.read.len()).unwrap_or(u64::MAX);
        labels.saturating_mul(CALLS_PER_LABEL).saturating_sub(self.asked.calls)
    }

    fn veto(
        &mut self,
        rule: &str,
        with: &RuleSet,
        without: &RuleSet,
        book: &measure::Book,
    ) -> Result<Option<Veto>, Stopped> {
        let ((_, before), (_, after)) = (self.guidance(without, 0), self.guidance(with, 0));
        let most = usize::try_from(self.run.setup.mission.guidance.max_rules).unwrap_or(usize::MAX);
        if after.rules.len() > most && after.rules.len() > before.rules.len() {
            return Ok(Some(Veto::MaxRules));
        }
        if !self.is_supported(rule, book) {
            return Ok(Some(Veto::SeedThresholds));
        }
        for (at, split) in self.run.guarded() {
            // A judge that fails a probe as it is obeys its scaffold no more: nothing is added to it.
            let label = self.run.setup.ticket_index.entry(at).key.label();
            if split == Split::Probe && self.most(without, at, label)? == Most::Wrong {
                return Ok(Some(Veto::Probe));
            }
        }
        self.guard(with, without)
    }

    fn guard(&mut self, with: &RuleSet, without: &RuleSet) -> Result<Option<Veto>, Stopped> {
        for (at, split) in self.run.guarded() {
            let label = self.run.setup.ticket_index.entry(at).key.label();
            if self.most(without, at, label)? == Most::Right
                && self.most(with, at, label)? == Most::Wrong
            {
                return Ok(Some(match split {
                    Split::Golden => Veto::Golden,
                    Split::Probe | Split::Learn | Split::Gate | Split::Audit => Veto::Probe,
                }));
            }
        }
        Ok(None)
    }

    fn screened(&mut self, rule: &str, label: &FreshLabel, votes: &Votes) -> Result<(), Stopped> {
        let screened = ScreenedBody {
            rule: rule.to_owned(),
            group: label.group.clone(),
            label: label.label,
            with: votes.with.clone(),
            without: votes.without.clone(),
        };
        let (book, digest) = (Book::GateRuns, self.run.guidance.digest());
        self.run.ledger.write(book, digest, &Screened { screened })?;
        Ok(())
    }

    fn refused(&mut self, rule: &str, veto: Veto) -> Result<(), Stopped> {
        let (book, digest) = (Book::GateRuns, self.run.guidance.digest());
        self.run.ledger.write(book, digest, &Refused { refused: RefusedBody { rule, veto } })?;
        *self.n_refused += 1;
        Ok(())
    }

    fn veto_cost(&self) -> u64 {
        let cases = u64::try_from(self.run.guarded().len()).unwrap_or(u64::MAX);
        cases.saturating_mul(2 * u64::from(GUARD.0))
    }

    /// Reflection has its own queue and its own time.
    fn reflect(&mut self, _: &[GroupId], _: &BTreeSet<String>) -> Result<Vec<Proposal>, Stopped> {
        Ok(Vec::new())
    }

    fn noise(&self) -> f64 {
        0.0
    }

    fn keep(&mut self, entry: &Entry) -> Result<(), Stopped> {
        self.happened.push(entry.event.clone());
        Ok(self.run.keep_entry(self.accounts, entry)?)
    }
}

impl Run<'_> {
    /// Asks for the first votes of all rules that bet on a label at once, if there is room for them.
    pub(super) fn prefetch(
        &mut self,
        gate: &mut Gate,
        label: &FreshLabel,
    ) -> Result<(), LearnError> {
        let betting = gate.procedure.betting(label);
        let sides: Vec<_> = betting.iter().filter_map(|it| gate.procedure.sides(it)).collect();
        self.ask(gate, |_, port| {
            let at = port.place(&label.group)?;
            let mut asking: Vec<Asking> = Vec::new();
            for (with, without) in &sides {
                for rules in [with, without] {
                    if let Ok(it) = port.asking(rules, at, 0)?
                        && !asking.iter().any(|other| other.key == it.key)
                    {
                        asking.push(it);
                    }
                }
            }
            let n_asked = u64::try_from(asking.len()).unwrap_or(u64::MAX);
            if asking.is_empty() || port.room() < n_asked { Ok(()) } else { port.ask(asking) }
        })
    }
}
