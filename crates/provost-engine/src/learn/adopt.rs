//! A person's decision to put a rule in force that is not proven, and the ledger for those who look.

use std::{collections::BTreeMap, sync::Arc};

use provost_kernel::learn::{Current, GroupId, Guidance, Label};
use provost_rules_learn::{
    guidance::{self as rules, Difference},
    hypothesis,
    measure::{
        Account, Book,
        arrange::Arrangement,
        book::BookError,
        e_value::Claim,
        event::Event,
        ledger::{Ledger, Line},
        payoff::Votes,
        policy::Policy,
        procedure::{Mode, Procedure},
        summary::{RuleSummary, Summary},
    },
    signature::signature,
};
use provost_vault::{
    Layout, RealDisk, SystemClock,
    learn::{AccountLog, ArtifactFile, read_accounts},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    GuidanceStore, LearnError, MissionDir, Refusal, line::ScreenedBody, mission_dir::each,
};

/// A ledger that was recomputed.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerStatus {
    pub schema: &'static str,
    pub mission: String,
    pub lines: usize,
    pub summary: Summary,
}

/// What a person sees before they adopt a rule.
#[derive(Clone, Debug, Serialize)]
pub struct AdoptionView {
    pub mission: String,
    pub rule: RuleSummary,
    pub differences: Vec<Difference>,
    /// Every labelled case that the rule was tried on.
    pub cases: Vec<CaseView>,
    pub better: usize,
    pub worse: usize,
    /// The rules after it.
    #[serde(skip)]
    after: Guidance,
    #[serde(skip)]
    before: Current,
    #[serde(skip)]
    signature: String,
}

/// One labelled case without a rule and with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaseView {
    pub group: GroupId,
    pub label: Label,
    pub before: Option<Label>,
    pub after: Option<Label>,
}

const VERIFY: &str = "provost.learn.verify/1";

/// A line of `gate_runs.jsonl`, as far as it is about older labels.
#[derive(Deserialize)]
struct GateLine {
    screened: Option<ScreenedBody>,
}

impl MissionDir {
    /// Recomputes the ledger, and says what it comes to.
    pub fn verify(&self, layout: &Layout) -> Result<LedgerStatus, LearnError> {
        let lines = read_accounts(&RealDisk, layout, &self.mission)?;
        let Ledger { book, register, .. } = Ledger::read(Policy::STANDARD, &lines)?;
        Ok(LedgerStatus {
            schema: VERIFY,
            mission: self.mission.to_string(),
            lines: lines.len(),
            summary: Summary::new(&book, &register),
        })
    }

    /// The accounts of the mission.
    pub(super) fn book(&self, layout: &Layout) -> Result<Book, LearnError> {
        let lines = read_accounts(&RealDisk, layout, &self.mission)?;
        Ok(Ledger::read(Policy::STANDARD, &lines)?.book)
    }

    /// What a rule did to every labelled case that it was tried on: older ones on the screen, younger
    /// ones as bets.
    fn cases(&self, layout: &Layout, rule: &str) -> Result<Vec<CaseView>, LearnError> {
        let mut cases = BTreeMap::new();
        let mut add = |group: GroupId, label, votes: &Votes| {
            let (before, after) = votes.verdicts();
            cases.insert(group.clone(), CaseView { group, label, before, after });
        };
        for run in self.begun()? {
            each(&self.view(&run), ArtifactFile::GateRuns, |it: GateLine| {
                if let Some(it) = it.screened.filter(|it| it.rule == rule) {
                    add(it.group, it.label, &Votes { with: it.with, without: it.without });
                }
            })?;
        }
        for text in read_accounts(&RealDisk, layout, &self.mission)? {
            if let Ok(Line::Event { entry, .. }) = serde_json::from_str(&text)
                && let Event::Bet { rule: bet, label, with, without } = entry.event
                && bet == rule
            {
                add(label.group, label.label, &Votes { with, without });
            }
        }
        Ok(cases.into_values().collect())
    }

    /// Refuses a hypothesis that fewer cycles or tickets support than the mission asks for.
    fn check_support(&self, rule: &str, name: &str, book: &Book) -> Result<(), LearnError> {
        for run in self.begun()? {
            let (_, pool) = self.hypotheses(Some(&run))?;
            let Some(record) = pool.records().get(rule) else { continue };
            let won = book.account(rule).map(Account::won).unwrap_or_default();
            let (cycles, keys) = hypothesis::human_support(record);
            let cycles = cycles + usize::from(!won.is_empty());
            let keys = keys + won.len();
            let (least_cycles, least_keys) = THRESHOLDS;
            if cycles < least_cycles || keys < least_keys {
                let rule = name.to_owned();
                return Err(Refusal::LittleSupport { rule, cycles, keys }.into());
            }
        }
        Ok(())
    }
}

/// The least cycles and tickets that support a hypothesis before it is adopted.
const THRESHOLDS: (usize, usize) = (2, 6);

impl GuidanceStore<'_> {
    /// What adopting a rule would change, and what it did so far.
    pub fn adoption(&self, dir: &MissionDir, name: &str) -> Result<AdoptionView, LearnError> {
        let lines = read_accounts(&RealDisk, self.layout, &dir.mission)?;
        let Ledger { mut book, .. } = Ledger::read(Policy::STANDARD, &lines)?;
        let unknown = || Refusal::NoAccount { mission: dir.mission.clone(), rule: name.to_owned() };
        let (rule, account) = book.named(name).ok_or_else(unknown)?;
        let (rule, claim) = (rule.clone(), account.claim());
        if claim == Claim::NotWorse {
            return Err(Refusal::NotARule { rule: name.to_owned() }.into());
        }
        let text = account.text().to_owned();
        let summary = RuleSummary::all(&book).into_iter().find(|it| it.name == name);
        let summary = summary.ok_or_else(unknown)?;
        dir.check_support(&rule, name, &book)?;
        let before = self.before(dir)?;
        let before = before.ok_or(Refusal::NothingInForce { mission: dir.mission.clone() })?;
        let arrangement = Arrangement::new(before.guidance(), &book);
        // The reason is only known when it is done; here it is assumed that there is one.
        let because = Some(String::new());
        let by = self.actor.to_string();
        book.record(Event::Adopted { rule: rule.clone(), text, by, because }).map_err(refused)?;
        let rules = Procedure::new(book, Mode::Enforce).rules();
        let after = arrangement.guidance(&rules, before.guidance());
        let cases = dir.cases(self.layout, &rule)?;
        let is_right = |verdict: Option<Label>, it: &CaseView| verdict == Some(it.label);
        let turned = |to: bool| {
            let is_turned = |it: &&CaseView| {
                is_right(it.before, it) != is_right(it.after, it) && is_right(it.after, it) == to
            };
            cases.iter().filter(is_turned).count()
        };
        Ok(AdoptionView {
            mission: dir.mission.to_string(),
            differences: rules::differences(before.guidance(), &after),
            better: turned(true),
            worse: turned(false),
            rule: summary,
            cases,
            after: Guidance { step: after.step.saturating_add(1), ..after },
            before,
            signature: rule,
        })
    }

    /// Puts a rule in force by a person's decision, without a proof. The ledger says so first.
    pub fn adopt_rule(
        &self,
        dir: &MissionDir,
        view: AdoptionView,
        although_worse: Option<&str>,
    ) -> Result<u64, LearnError> {
        let AdoptionView { better, worse, .. } = view;
        if worse > better && although_worse.is_none() {
            let rule = view.rule.name;
            return Err(Refusal::MakesWorse { rule, better, worse }.into());
        }
        let (by, because) = (self.actor.to_string(), although_worse.map(str::to_owned));
        let (rule, text) = (view.signature, view.rule.text.clone());
        self.enter(dir, vec![Event::Adopted { rule, text, by, because }])?;
        let scaffold = super::force::scaffold(&dir.view(view.before.run()))?;
        let (step, run) = (view.after.step, view.before.run().clone());
        let note = json!({
            "rule": view.rule.name,
            "wins": view.rule.wins,
            "losses": view.rule.losses,
            "although_worse": although_worse,
        });
        let order = ("learn.adopt", Some(("adopted", note)));
        self.put(dir, order, &run, &scaffold, view.after, Some(&view.before))?;
        Ok(step)
    }

    /// Enters what a person ordered into the ledger.
    pub(super) fn enter(&self, dir: &MissionDir, events: Vec<Event>) -> Result<(), LearnError> {
        if events.is_empty() {
            return Ok(());
        }
        let mut log = AccountLog::open(self.layout, &dir.mission, Arc::new(SystemClock))?;
        let Ledger { mut book, .. } = Ledger::read(Policy::STANDARD, log.lines())?;
        let mut texts = Vec::with_capacity(events.len());
        for event in events {
            let line = Line::Event { run: None, entry: book.record(event).map_err(refused)? };
            texts.push(serde_json::to_string(&line).map_err(LearnError::encode)?);
        }
        Ok(log.append(texts, self.actor, self.clock)?)
    }

    /// What a step back means for the ledger: rules that leave are rolled back, and rules that come
    /// again are adopted, because a person says so and no label does.
    pub(super) fn rolled_back(
        &self,
        dir: &MissionDir,
        step: u64,
        guidance: &Guidance,
    ) -> Result<Vec<Event>, LearnError> {
        let book = dir.book(self.layout)?;
        let holds: Vec<String> = guidance.rules.values().map(|it| signature(&it.text)).collect();
        let by = || self.actor.to_string();
        let mut events = Vec::new();
        for (rule, account) in book.in_force() {
            let is_gone = if account.adds() {
                !holds.contains(rule)
            } else {
                account.removes().iter().any(|it| holds.contains(it))
            };
            if is_gone {
                events.push(Event::RolledBack { rule: rule.clone(), by: by() });
            }
        }
        for rule in &holds {
            let Some(account) = book.accounts().get(rule) else { continue };
            if account.adds() && !account.standing().is_in_force() {
                let because = Some(format!("rollback to step {step}"));
                let (rule, text) = (rule.clone(), account.text().to_owned());
                events.push(Event::Adopted { rule, text, by: by(), because });
            }
        }
        Ok(events)
    }
}

/// An order that the accounts refuse is no damage of the ledger.
fn refused(error: BookError) -> LearnError {
    match error {
        BookError::Refused { source, .. } => Refusal::Ledger { why: source }.into(),
        BookError::OutOfOrder { .. } | BookError::Numbers { .. } => error.into(),
    }
}
