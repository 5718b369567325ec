//! One learning run, from its first question to its report.
//!
//! A run is a function of the mission, the tickets and the answers. It is carried out from the
//! start each time: answers that are in the log are taken from there, and every line that comes of
//! them is held against the one that is there. So a run that was killed ends as it would have.

use std::{collections::BTreeMap, sync::Arc};

use provost_kernel::{
    Clock, Digest,
    learn::{CallKind, FailureReason, Guidance, Label, Split, TicketKey},
};
use provost_rules_learn::{
    census::{Census, Class},
    closure::Queue,
    contract::Contract,
    guidance::{self as rules, Cause},
    hypothesis::{At, EventKind, Pool, Status},
    lifecycle::{self, Counted, Credit, Outcome},
    malformed::AnswerCount,
    metrics::{Standing, Views},
    pool,
    text::TicketNames,
    vote::Overrides,
};
use provost_vault::learn::{ArtifactFile, RunFolder};

use super::{
    LearnError,
    accounts::Life,
    calls::{Calls, Purpose},
    gate::{Gate, Origin},
    ledger::{Book, Ledger},
    line::{self, Timing},
    measure::FirstGate,
    progress::Progress,
    reflect::Waiting,
    report::{EpochReport, Report, Stop},
    rollout::{self, Form, Rolled},
    setup::{Setup, nonce},
};

/// So many answers tell what a model does before an epoch is over.
const EARLY: u64 = 100;

/// A run under way.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub setup: Setup<'a>,
    pub calls: Calls<'a>,
    pub ledger: Ledger,
    pub overrides: Overrides,
    pub form: Arc<Form>,
    /// How many answers there were so far, and how many of them could not be read.
    pub answers: AnswerCount,
    pub guidance: Guidance,
    pub pool: Pool,
    pub credit: Credit,
    /// What measures rules; a run of the first edition has none.
    pub gate: Option<Gate>,
    pub first_gate: FirstGate,
    /// Where the rules of this run come from, by signature.
    pub origins: BTreeMap<String, Origin>,
    pub humans: Humans,
    /// What would name a ticket in a rule.
    pub names: TicketNames,
    pub epoch: u32,
    pub cycle: u64,
    pub last_change: Option<String>,
    pub queue: Queue,
    pub waiting: BTreeMap<TicketKey, Waiting>,
    pub tally: EpochTally,
    pub census: Census,
    pub window: Views,
    /// The verdict of each ticket of the epoch, by its place in the index.
    pub judged: Vec<(usize, Option<Label>)>,
    pub global_step: u64,
    clock: ClockFace<'a>,
}

/// A clock: what it shows is written to `timing.jsonl` and nowhere else.
struct ClockFace<'a>(&'a dyn Clock);

impl std::fmt::Debug for ClockFace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClockFace")
    }
}

/// Whose labels count: all but those of these tickets, which are few or none.
#[derive(Debug)]
pub(super) struct Humans(std::collections::BTreeSet<TicketKey>);

/// The guidance, and each hypothesis with its support.
pub(super) type Standings = (Digest, Vec<(String, usize, Status)>);

/// What was done in one epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EpochTally {
    pub reflection_calls: u64,
    pub changes: u64,
    /// The cycles that gave a change to the gate.
    pub proposed: u64,
    pub promotions: u32,
    pub removed: u64,
}

impl Humans {
    pub(super) fn has(&self, key: &TicketKey) -> bool {
        !self.0.contains(key)
    }
}

/// Carries out a run, or goes on with it, to its report.
pub fn run(
    setup: Setup<'_>,
    folder: RunFolder,
    life: Life,
    clock: &dyn Clock,
) -> Result<Report, LearnError> {
    let mut run = Run::begin(setup, folder, life, clock)?;
    let mut epochs = Vec::new();
    let mut stop = Stop::Epochs;
    for epoch in 1..=setup.mission.runner.epochs {
        let report = run.epoch(epoch)?;
        run.check_answers(1)?;
        let has_changed = report.has_changed;
        epochs.push(report);
        if !run.calls.is_allowed() {
            stop = Stop::Budget;
            break;
        }
        if !has_changed {
            stop = Stop::Converged;
            break;
        }
    }
    run.end(epochs, stop)
}

impl<'a> Run<'a> {
    fn begin(
        setup: Setup<'a>,
        folder: RunFolder,
        life: Life,
        clock: &'a dyn Clock,
    ) -> Result<Self, LearnError> {
        let Setup { mission, seed, ticket_index, .. } = setup;
        setup.inputs().check_pool()?;
        setup.inputs().check_bound()?;
        setup.inputs().check_gate()?;
        let identity = setup.inputs().identity()?;
        folder.pin_scaffold(&rules::scaffold_file(&seed.scaffold))?;
        folder.pin_run(&identity)?;
        let calls = folder.artifact(ArtifactFile::Calls)?;
        let is_other = |it: &&super::Entry| !it.is_human;
        let others =
            ticket_index.entries().iter().filter(is_other).map(|it| it.key.clone()).collect();
        let mut run = Self {
            calls: Calls::new(calls, setup.pool, setup.cancel, mission),
            ledger: Ledger::open(folder, seed.scaffold.digest())?,
            overrides: Overrides::new(&mission.overrides)?,
            form: Arc::new(Form {
                grid: rollout::grid(&mission.sampler),
                nonce: nonce(&setup),
                contract: Contract::of(mission)?,
            }),
            answers: AnswerCount::default(),
            guidance: seed.guidance.clone(),
            pool: Pool::default(),
            credit: Credit::new(mission.feedback.window_tickets),
            gate: None,
            first_gate: FirstGate::new(&setup),
            origins: BTreeMap::new(),
            humans: Humans(others),
            names: TicketNames::new(ticket_index.entries().iter().map(|it| it.key.group())),
            epoch: 0,
            cycle: 0,
            last_change: None,
            queue: Queue::new(1, 0),
            waiting: BTreeMap::new(),
            tally: EpochTally::default(),
            census: Census::default(),
            window: Views::default(),
            judged: Vec::new(),
            global_step: 0,
            setup,
            clock: ClockFace(clock),
        };
        run.time("started")?;
        for reject in ticket_index.rejects() {
            run.ledger.write(Book::Rejects, run.guidance.digest(), reject)?;
        }
        let document = run.document();
        run.ledger.change(Cause::Seed, None, None, &seed.guidance, &document)?;
        if !mission.edition.is_first() {
            let mode = mission.gate.mode;
            run.gate = Some(Gate::begin(life, &mut run.ledger, mode, &seed.guidance)?);
            run.begin_measuring()?;
        }
        Ok(run)
    }

    fn epoch(&mut self, epoch: u32) -> Result<EpochReport, LearnError> {
        let Setup { mission, ticket_index, .. } = self.setup;
        self.epoch = epoch;
        self.tally = EpochTally::default();
        self.census = Census::default();
        self.judged.clear();
        self.waiting.clear();
        let reflection = &mission.reflection;
        self.queue = Queue::new(reflection.batch_size, reflection.retry_budget_per_group_per_epoch);
        let before = self.standing();
        let mut order = ticket_index.pool(Split::Learn);
        pool::order(&mut order, mission.seed, epoch, |at| ticket_index.entry(*at).key.clone());
        let batch = rollout::size(mission.runner.rollout_batch_size);
        let purpose = Purpose { kind: CallKind::Rollout, epoch, cycle: None };
        let mut batches = order.chunks(batch).peekable();
        let mut ready = None;
        while let Some(places) = batches.next() {
            let guidance = self.guidance.clone();
            let next = batches.peek().copied().unwrap_or_default();
            let rolled;
            (rolled, ready) = self.rollout_ahead(purpose, &guidance, places, ready, next)?;
            for one in rolled {
                self.measure_label(&one, &guidance)?;
                self.take(one, &guidance)?;
                self.reflect(false)?;
            }
            self.count_feedback()?;
            self.save_accounts()?;
            self.ledger.flush()?;
            self.check_answers(EARLY)?;
            self.setup.watch.tell(&Progress::Judged {
                epoch,
                done: self.judged.len(),
                of: order.len(),
                calls: self.calls.count(),
                replayed: self.calls.replayed(),
                spent: self.calls.spent(),
                left: self.answers_left(order.len()),
            });
        }
        self.reflect(true)?;
        self.save_accounts()?;
        self.count_feedback()?;
        self.clean_up()?;
        self.close_epoch(&order, before)
    }

    /// How many answers to tickets there may be until the last epoch is over.
    fn answers_left(&self, of: usize) -> u64 {
        let mission = self.setup.mission;
        let number = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
        let later = u64::from(mission.runner.epochs.saturating_sub(self.epoch));
        let tickets = later
            .saturating_mul(number(of))
            .saturating_add(number(of.saturating_sub(self.judged.len())));
        tickets.saturating_mul(mission.candidates().into())
    }

    /// Ends a run whose model does not answer in the form that it is asked for, from so many answers
    /// on.
    pub(super) fn check_answers(&self, least: u64) -> Result<(), LearnError> {
        let AnswerCount { answers, malformed, example } = &self.answers;
        let mission = self.setup.mission;
        let Some(example) = example.clone().filter(|_| {
            !mission.edition.is_first()
                && *answers >= least
                && self.answers.exceeds(mission.max_malformed)
        }) else {
            return Ok(());
        };
        Err(LearnError::Malformed {
            malformed: *malformed,
            answers: *answers,
            problem: example.problem,
            text: example.text,
        })
    }

    /// Takes one judged ticket in.
    fn take(&mut self, rolled: Rolled, guidance: &Guidance) -> Result<(), LearnError> {
        self.write_trajectories(&rolled, guidance)?;
        self.write_choice(&rolled, guidance)?;
        let Rolled { at, key, candidates, outcome, .. } = rolled;
        let verdict = outcome.as_ref().ok().map(|it| it.verdict);
        // A ticket that the budget did not allow to be asked says nothing about the guidance.
        if outcome != Err(FailureReason::BudgetExhausted) {
            self.judged.push((at, verdict));
            let standing = if verdict.is_some() { Standing::Both } else { Standing::IncludeOnly };
            self.window.add(key.label(), verdict, standing);
        }
        match outcome {
            Err(_) => self.settle(&key, Class::Failed)?,
            Ok(selection) => {
                let hit = if selection.label_match { Outcome::Hit } else { Outcome::Miss };
                let counted = if selection.eligible { Counted::Later } else { Counted::Now };
                // A rule that was written after the ticket was judged had no part in it.
                if guidance.step == self.guidance.step {
                    self.credit.judged(&key, hit, counted);
                }
                if selection.eligible {
                    self.queue.push(key.clone());
                    self.waiting.insert(key, Waiting { at, selection, candidates });
                } else {
                    self.settle(&key, Class::Stable)?;
                }
            }
        }
        self.global_step += 1;
        self.write_window(false)
    }

    /// Puts a ticket into its class for this epoch, once.
    pub(super) fn settle(&mut self, key: &TicketKey, class: Class) -> Result<(), LearnError> {
        self.waiting.remove(key);
        Ok(self.census.put(key.clone(), class)?)
    }

    /// A ticket that no prompt can hold.
    pub(super) fn fail_overlength(&mut self, key: &TicketKey) -> Result<(), LearnError> {
        let body = line::Malformed {
            ticket_key: key,
            group_id: key.group().as_str(),
            mission: &self.setup.mission.mission,
            gt_label: key.label(),
            epoch: self.epoch,
            candidate_index: None,
            reason: FailureReason::OverlengthPrompt.to_string(),
            raw_text: None,
        };
        self.ledger.write(Book::Malformed, self.guidance.digest(), &body)?;
        self.credit.discard(key);
        self.settle(key, Class::Failed)
    }

    /// Makes a new state of the guidance the one that counts.
    pub(super) fn change(
        &mut self,
        cause: Cause,
        reflection: Option<&str>,
        after: Guidance,
    ) -> Result<(), LearnError> {
        let before = std::mem::replace(&mut self.guidance, after);
        if cause != Cause::Feedback {
            let retention = rollout::size(self.setup.mission.guidance.retention);
            let old = self.document_of(&before);
            self.ledger.folder().keep_snapshot(before.step, &old, retention)?;
        }
        if self.guidance.checklist().is_empty() {
            return Err(LearnError::Invariant { what: "G0 is gone".to_owned() });
        }
        let document = self.document();
        self.ledger.change(cause, reflection, Some(&before), &self.guidance, &document)
    }

    pub(super) fn document(&self) -> serde_json::Value {
        self.document_of(&self.guidance)
    }

    fn document_of(&self, guidance: &Guidance) -> serde_json::Value {
        rules::write(&self.setup.mission.mission, guidance, &self.setup.seed.updated_at)
    }

    fn count_feedback(&mut self) -> Result<(), LearnError> {
        match self.credit.settle(&self.guidance) {
            Some(after) => self.change(Cause::Feedback, None, after),
            None => Ok(()),
        }
    }

    /// Removes rules that stopped working; a hypothesis that became one of them is retired.
    fn clean_up(&mut self) -> Result<(), LearnError> {
        let Some(settings) = &self.setup.mission.lifecycle else { return Ok(()) };
        let mut failing = lifecycle::failing(&self.guidance, settings);
        // What the ledger has in force is watched for harm, on labels that were not learned from.
        failing.retain(|key| self.gate.as_ref().is_none_or(|gate| !gate.decides_about(*key)));
        if failing.is_empty() {
            return Ok(());
        }
        let after = rules::remove(&self.guidance, &failing);
        self.change(Cause::Cleanup, None, after)?;
        self.tally.removed += u64::try_from(failing.len()).unwrap_or(u64::MAX);
        let at = At { epoch: self.epoch, reflection_cycle: self.cycle, cycle_root: self.cycle };
        for rule in failing {
            let Some(signature) = self.pool.of_rule(rule).map(str::to_owned) else { continue };
            let seq = self.ledger.next_event();
            let turned = self.pool.turn(seq, at, &signature, EventKind::Retired);
            let Some(event) = turned.map(|it| it.with_rule(rule)) else { continue };
            self.ledger.event(&event)?;
            self.pool.absorb(&event);
        }
        Ok(())
    }

    /// What an epoch must change if there is to be another.
    pub(super) fn standing(&self) -> Standings {
        let records = self.pool.records().iter();
        let hypotheses = records.map(|(key, it)| (key.clone(), it.cited.len(), it.status));
        (self.guidance.digest(), hypotheses.collect())
    }

    /// How many tickets of this epoch were judged.
    pub(super) fn judged_so_far(&self) -> u64 {
        u64::try_from(self.judged.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn clock(&self) -> &'a dyn Clock {
        self.clock.0
    }

    pub(super) fn time(&mut self, event: &'static str) -> Result<(), LearnError> {
        let timing = Timing {
            event,
            at: self.clock.0.now().to_string(),
            epoch: self.epoch,
            calls: self.calls.count(),
            replayed: self.calls.replayed(),
            spent: self.calls.spent(),
        };
        self.ledger.time(&timing)
    }
}
