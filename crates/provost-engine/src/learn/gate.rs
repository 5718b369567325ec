//! No measurement, no force: every label bets on the rules that are older before anything is learned
//! from it, and what reflection writes becomes a shadow.

mod port;
mod proposal;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Digest,
    learn::{FailureReason, GateMode, GroupId, Guidance, Label, RuleKey, Split, TicketKey},
};
use provost_rules_learn::{
    guidance::Cause,
    hypothesis::EventKind,
    measure::{
        Account, Entry,
        arrange::Arrangement,
        event::{Event, Return},
        fresh::{FreshLabel, Way},
        ledger::{Ledger, Line, Numbered, Register},
        policy::Policy,
        procedure::{Mode, Procedure, RuleSet},
        summary::Summary,
    },
    pool,
};

use self::port::{GatePort, Stopped};
pub(super) use self::proposal::{Origin, Written};
use super::{
    LearnError, Run,
    accounts::{Accounts, Life},
    ledger,
    line::{Begun, Happened},
    rollout::Rolled,
    season,
};

/// Everything that measures rules in a run.
#[derive(Debug)]
pub(super) struct Gate {
    procedure: Procedure,
    register: Register,
    arrangement: Arrangement,
    accounts: Accounts,
    asked: Asked,
    /// The rules of the procedure that the guidance shows.
    shown: RuleSet,
    /// What happened, and is not told to the hypotheses yet.
    happened: Vec<Event>,
    /// How many proposals were refused by a golden case or a probe.
    n_refused: u64,
    /// The rules that were taken back because they harm.
    returned: Vec<String>,
    /// The budget of the run is spent: nothing more is measured.
    is_over: bool,
}

/// What was asked about tickets, so that nothing is asked twice.
#[derive(Debug, Default)]
struct Asked {
    /// What the judge is shown on each side, by rules and vote.
    sides: BTreeMap<(RuleSet, u8), (Digest, Guidance)>,
    /// By rules, ticket and vote.
    verdicts: BTreeMap<(Digest, usize, u8), Option<Label>>,
    /// What was said of each ticket last.
    last: BTreeMap<usize, Option<Label>>,
    /// The ticket that stands for each group.
    places: BTreeMap<GroupId, usize>,
    /// The tickets that were read in this run.
    read: BTreeSet<usize>,
    calls: u64,
}

/// The calls that each label makes room for.
pub(super) const CALLS_PER_LABEL: u64 = 30;

impl Gate {
    /// Begins where the run began: at the end of the ledger, or where it was then.
    pub(super) fn begin(
        life: Life,
        ledger: &mut ledger::Ledger,
        mode: GateMode,
        start: &Guidance,
    ) -> Result<Self, LearnError> {
        let begun = ledger.begin_gate(start.digest(), &Begun::at(life.log.lines()))?;
        let lines = life.log.lines();
        let known = lines.get(..begun.lines).filter(|it| Begun::at(it) == begun);
        let known = known.ok_or(LearnError::RunDiffers { file: "accounts.jsonl", seq: 0 })?;
        let Ledger { book, register, .. } = Ledger::read(Policy::STANDARD, known)?;
        let mode = match mode {
            GateMode::Shadow => Mode::OffersOnly,
            GateMode::Auto | GateMode::Enforce | GateMode::Off => Mode::Enforce,
        };
        Ok(Self {
            arrangement: Arrangement::new(start, &book),
            procedure: Procedure::new(book, mode),
            register,
            accounts: Accounts::new(life, begun.lines),
            asked: Asked::default(),
            shown: RuleSet::default(),
            happened: Vec::new(),
            n_refused: 0,
            returned: Vec::new(),
            is_over: false,
        })
    }

    /// What people are told at the end.
    pub(super) fn summary(&self) -> Summary {
        let mut summary = Summary::new(&self.procedure.book, &self.register);
        summary.waiting = self.procedure.waiting();
        summary.proposed = self.procedure.proposed().count();
        summary.refused = self.n_refused;
        summary.returned.clone_from(&self.returned);
        summary
    }

    /// Whether the ledger decides about the rule of a key.
    pub(super) fn decides_about(&self, key: RuleKey) -> bool {
        let rule = self.arrangement.rule(key);
        rule.is_some_and(|it| self.shown.added.contains(&it))
    }

    /// The key that a rule has or had.
    pub(super) fn key(&self, rule: &str) -> Option<RuleKey> {
        self.arrangement.key(rule)
    }

    /// Records what happened without the procedure.
    fn record(&mut self, event: Event) -> Result<(), LearnError> {
        let entry = self.procedure.book.record(event)?;
        let run = Some(self.accounts.run().clone());
        self.accounts.keep(&Line::Event { run, entry })
    }
}

impl Run<'_> {
    /// Brings the ledger to the beginning of the run: the season, and the rules in force.
    pub(super) fn begin_measuring(&mut self) -> Result<(), LearnError> {
        self.with_gate(|run, gate| {
            let ticket_index = run.setup.ticket_index;
            for entry in ticket_index.entries() {
                let group = run.case(&entry.key)?;
                gate.register.check(&entry.key, &group, entry.split)?;
            }
            let basis = gate.accounts.basis().to_owned();
            if gate.procedure.book.season().map(season::basis) != Some(basis.as_str()) {
                gate.record(Event::SeasonBegan { because: basis })?;
            }
            for label in run.withdrawn(gate) {
                gate.record(Event::Withdrawn { label })?;
            }
            let birth = gate.register.len();
            run.ask(gate, |procedure, port| procedure.reconsider(birth, port))?;
            run.follow(gate)
        })?;
        self.tell_hypotheses()
    }

    /// The labels that rules won and that hold no longer: the person changed them, or said that they
    /// were wrong. A ticket that is not among those of this run was not withdrawn.
    fn withdrawn(&self, gate: &Gate) -> Vec<u64> {
        let (setup, book) = (self.setup, &gate.procedure.book);
        let tickets: BTreeSet<_> = setup.ticket_index.entries().iter().map(|it| &it.key).collect();
        let is_changed = |key: &TicketKey| {
            let other = TicketKey::new(key.group().clone(), key.label().opposite());
            tickets.contains(&other) && !tickets.contains(key)
        };
        let is_left_out = |key: &TicketKey| setup.mission.exclude_ticket_keys.contains(key);
        let withdrawn = gate.register.labels().filter(|(number, key)| {
            (is_changed(key) || is_left_out(key)) && book.rests_on(*number)
        });
        let mut withdrawn: Vec<u64> = withdrawn.map(|(number, _)| number).collect();
        withdrawn.sort_unstable();
        withdrawn
    }

    /// Takes a label in, before anything is learned from it.
    pub(super) fn measure_label(
        &mut self,
        rolled: &Rolled,
        guidance: &Guidance,
    ) -> Result<(), LearnError> {
        let verdict = match &rolled.outcome {
            Ok(selection) => Some(selection.verdict),
            // Nobody was asked, so nothing was read.
            Err(FailureReason::BudgetExhausted) => return Ok(()),
            Err(_) => None,
        };
        let at = rolled.at;
        self.with_gate(|run, gate| {
            gate.asked.verdicts.insert((guidance.digest(), at, 0), verdict);
            gate.asked.last.insert(at, verdict);
            if !gate.asked.read.insert(at) {
                return Ok(());
            }
            let (label, is_new) = run.read_label(gate, at)?;
            if gate.procedure.is_due(&label.group) {
                return run.follow(gate);
            }
            gate.asked.places.insert(label.group.clone(), at);
            if is_new {
                run.prefetch(gate, &label)?;
                run.ask(gate, |procedure, port| procedure.count(&label, port))?;
            }
            gate.procedure.remember(&label);
            let birth = gate.register.len();
            run.ask(gate, |procedure, port| procedure.open(birth, port))?;
            run.follow(gate)
        })?;
        self.tell_hypotheses()
    }

    /// Gives stakes to what waits for the screen, after a reflection.
    pub(super) fn open_shadows(&mut self) -> Result<(), LearnError> {
        self.with_gate(|run, gate| {
            let birth = gate.register.len();
            run.ask(gate, |procedure, port| procedure.open(birth, port))?;
            run.follow(gate)
        })?;
        self.tell_hypotheses()
    }

    /// Does something with the gate, if the run has one.
    fn with_gate(
        &mut self,
        act: impl FnOnce(&mut Self, &mut Gate) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let Some(mut gate) = self.gate.take() else { return Ok(()) };
        let acted = act(self, &mut gate);
        self.gate = Some(gate);
        acted
    }

    /// Has the procedure do something that may ask the model. A spent budget ends measuring, and not
    /// the run.
    fn ask(
        &mut self,
        gate: &mut Gate,
        act: impl FnOnce(&mut Procedure, &mut GatePort<'_, '_>) -> Result<(), Stopped>,
    ) -> Result<(), LearnError> {
        if gate.is_over {
            return Ok(());
        }
        let Gate { procedure, arrangement, accounts, asked, happened, n_refused, .. } = gate;
        let mut port = GatePort { run: self, arrangement, accounts, asked, happened, n_refused };
        match act(procedure, &mut port) {
            Ok(()) => Ok(()),
            Err(Stopped::BudgetSpent) => {
                gate.is_over = true;
                Ok(())
            }
            Err(Stopped::Failed(error)) => Err(*error),
        }
    }

    /// The label of a ticket as it is counted, and whether it was never read before.
    fn read_label(&self, gate: &mut Gate, at: usize) -> Result<(FreshLabel, bool), LearnError> {
        let entry = self.setup.ticket_index.entry(at);
        let group = self.case(&entry.key)?;
        let first = gate.register.first(&group);
        let known = gate.register.number(&entry.key);
        let number = known.unwrap_or_else(|| gate.register.len().saturating_add(1));
        if known.is_none() {
            let label = Numbered {
                number,
                group: group.clone(),
                pool: entry.split,
                counts: entry.is_human && entry.way != Way::Volunteered,
            };
            gate.register.read(&entry.key, &label);
            let (run, ticket) = (gate.accounts.run().clone(), entry.key.clone());
            gate.accounts.keep(&Line::Label { run, ticket, label })?;
        }
        let label = FreshLabel {
            number,
            group,
            first,
            label: entry.key.label(),
            is_by_person: entry.is_human,
            way: entry.way.clone(),
        };
        Ok((label, known.is_none()))
    }

    /// The case that a ticket is about.
    fn case(&self, key: &TicketKey) -> Result<GroupId, LearnError> {
        let case = pool::case_of(&self.setup.mission.mission, key.group());
        case.parse().map_err(|_| LearnError::Invariant { what: format!("`{case}` is no group") })
    }

    /// Writes what was added to the ledger. It follows from answers that are on the disk and from the
    /// beginning of the run, so what a crash takes away is made again.
    pub(super) fn save_accounts(&mut self) -> Result<(), LearnError> {
        let clock = self.clock();
        self.gate.as_mut().map_or(Ok(()), |gate| gate.accounts.commit(clock))
    }

    /// Lets the guidance follow the ledger.
    fn follow(&mut self, gate: &mut Gate) -> Result<(), LearnError> {
        let rules = gate.procedure.rules();
        if rules == gate.shown {
            return Ok(());
        }
        let after = gate.arrangement.guidance(&rules, &self.guidance);
        gate.arrangement.keep(&rules, &after);
        // Keys may be others now.
        gate.asked.sides.clear();
        gate.shown = rules;
        if after.rules == self.guidance.rules {
            return Ok(());
        }
        let after = Guidance { step: after.step.saturating_add(1), ..after };
        let written: Vec<_> = after
            .rules
            .iter()
            .filter(|(key, it)| self.guidance.rules.get(key).map(|it| &it.text) != Some(&it.text))
            .map(|(key, _)| *key)
            .collect();
        let after = self.with_origins(gate, after);
        self.change(Cause::Ledger, None, after)?;
        self.credit.applied(&written);
        self.tally.changes += 1;
        Ok(())
    }

    /// Tells the hypotheses of the run what became of them.
    fn tell_hypotheses(&mut self) -> Result<(), LearnError> {
        let Some(gate) = &mut self.gate else { return Ok(()) };
        let happened = std::mem::take(&mut gate.happened);
        for event in happened {
            let Some(rule) = event.rule().map(str::to_owned) else { continue };
            if let Event::Returned { why: Return::Harm, .. } = &event
                && let Some(gate) = &mut self.gate
            {
                let account = gate.procedure.book.account(&rule);
                gate.returned.extend(account.map(Account::name));
            }
            let kind = match event {
                Event::Opened { .. } => EventKind::Shadow,
                Event::Promoted { .. } => EventKind::Promoted,
                Event::Retired { .. } => EventKind::Rejected,
                Event::Returned { .. } => EventKind::Retired,
                Event::SeasonBegan { .. }
                | Event::Aliased { .. }
                | Event::Bet { .. }
                | Event::Offered { .. }
                | Event::Declined { .. }
                | Event::Adopted { .. }
                | Event::Vetoed { .. }
                | Event::RolledBack { .. }
                | Event::Withdrawn { .. } => continue,
            };
            self.tally.promotions += u32::from(kind == EventKind::Promoted);
            self.turn_hypothesis(&rule, kind)?;
        }
        Ok(())
    }

    /// Keeps an entry of the ledger, and a line of it in the run.
    fn keep_entry(&mut self, accounts: &mut Accounts, entry: &Entry) -> Result<(), LearnError> {
        let run = Some(accounts.run().clone());
        accounts.keep(&Line::Event { run, entry: entry.clone() })?;
        let line = Happened { entry };
        self.ledger.write(ledger::Book::GateRuns, self.guidance.digest(), &line).map(drop)
    }

    /// The places of cases that no rule may decide otherwise.
    fn guarded(&self) -> Vec<(usize, Split)> {
        let entries = self.setup.ticket_index.entries().iter().enumerate();
        let is_guarded = |it: Split| matches!(it, Split::Golden | Split::Probe);
        entries.filter(|(_, it)| is_guarded(it.split)).map(|(at, it)| (at, it.split)).collect()
    }
}
