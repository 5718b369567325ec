//! Asking a person: the newest result that nobody reviewed and whose verdict a rule changes.
//!
//! Which result is chosen follows from the verdicts of the judge with the rule and without it. Nobody
//! knows the label when it is chosen, so a bet on it is fair; it counts for this rule alone.

use camino::Utf8Path;
use provost_adapter::{CallError, Cancel, model::ModelPool};
use provost_desk::{Desk, learn::Unreviewed};
use provost_kernel::{
    Digest, TaskId,
    learn::{Guidance, Label, Mission, Scaffold, Source},
};
use provost_rules_learn::{
    contract::Contract,
    measure::{
        Book,
        arrange::Arrangement,
        procedure::{Mode, Procedure},
    },
    ticket::read_line,
};
use provost_vault::{RealDisk, learn::read_current};
use serde::Serialize;

use super::{
    LearnError, MissionDir, Refusal,
    prepare::{self, read_mission},
    rollout::{self, Form},
};

/// A mission over reviews, and the rule that the next review is asked for.
#[derive(Debug)]
pub struct Asking {
    pub mission: Mission,
    /// What people call the rule, and what it says; none where no rule bets.
    pub rule: Option<AskedFor>,
    unreviewed: Vec<Unreviewed>,
    scaffold: Scaffold,
    /// What the judge is shown with the rule.
    with: Guidance,
}

/// The rule that a review is asked for.
#[derive(Clone, Debug, Serialize)]
pub struct AskedFor {
    pub name: String,
    pub text: String,
    #[serde(skip)]
    signature: String,
}

/// What a person is asked.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// The task whose review is asked for; null where the rule changes no verdict that was looked at.
    pub task_id: Option<TaskId>,
    /// How many results were looked at, with one call each.
    pub looked: usize,
}

/// How many results are looked at for one request.
const SEARCH: usize = 16;

impl Asking {
    /// Finds the rule that is worth a review most: one that was adopted, else the one with the most
    /// evidence.
    pub fn new(file: &Utf8Path, desk: &Desk) -> Result<Self, LearnError> {
        let folder = file.parent().unwrap_or(Utf8Path::new("/"));
        let mission = read_mission(file)?;
        let Source::Reviews(task_type) = mission.source else {
            return Err(Refusal::NotReviews { mission: mission.mission }.into());
        };
        let book = MissionDir::of(desk.layout(), &mission, folder).book(desk.layout())?;
        let seed = prepare::seed(&mission, folder)?;
        let current = read_current(&RealDisk, desk.layout(), &mission.mission)?;
        let base = current.map_or(seed.guidance, |it| it.guidance().clone());
        let rule = worthiest(&book);
        let arrangement = Arrangement::new(&base, &book);
        let sides =
            rule.as_ref().and_then(|it| Procedure::new(book, Mode::Enforce).sides(&it.signature));
        let with =
            sides.map_or_else(|| base.clone(), |(with, _)| arrangement.guidance(&with, &base));
        let mut unreviewed = desk.unreviewed(task_type)?;
        unreviewed.truncate(SEARCH);
        Ok(Self { mission, rule, unreviewed, scaffold: seed.scaffold, with })
    }

    /// The most calls that it makes.
    pub fn calls(&self) -> usize {
        if self.rule.is_some() { self.unreviewed.len() } else { 0 }
    }

    /// Asks the judge about one result after the other, and a person about the first that the rule
    /// changes.
    pub fn run(&self, desk: &Desk, pool: &ModelPool, cancel: &Cancel) -> Result<Asked, LearnError> {
        let Some(rule) = &self.rule else { return Ok(Asked { task_id: None, looked: 0 }) };
        let form = Form {
            grid: rollout::grid(&self.mission.sampler),
            nonce: self.nonce(),
            contract: Contract::of(&self.mission)?,
        };
        for (at, it) in self.unreviewed.iter().enumerate() {
            let verdict = self.verdict(it, &form, pool, cancel)?;
            // The judge's own verdict is the first vote without the rule.
            if verdict.is_some_and(|verdict| verdict != it.judged) {
                desk.ask_for_review(&it.task_id, it.attempt, it.judged, &rule.signature)?;
                return Ok(Asked { task_id: Some(it.task_id.clone()), looked: at + 1 });
            }
        }
        Ok(Asked { task_id: None, looked: self.unreviewed.len() })
    }

    /// What the judge says with the rule; nothing where its answer is not valid.
    fn verdict(
        &self,
        result: &Unreviewed,
        form: &Form,
        pool: &ModelPool,
        cancel: &Cancel,
    ) -> Result<Option<Label>, LearnError> {
        let Ok(Some(ticket)) = read_line(&result.ticket, &self.mission.mission) else {
            return Ok(None);
        };
        let request = rollout::steady(&self.mission, form, &self.scaffold, &self.with, &ticket)?;
        let mut reply = None;
        pool.run(&mut std::iter::once(request), cancel, &mut |_, _, it| {
            reply = Some(it);
            std::ops::ControlFlow::Continue(())
        });
        match reply {
            Some(Ok(reply)) => {
                let read = form.contract.read(&reply.text, &self.mission);
                Ok(read.ok().map(|(label, _)| label))
            }
            Some(Err(failure)) => Err(match failure.error {
                CallError::Quota { retry_after } => LearnError::Quota {
                    detail: failure.detail,
                    after: retry_after.map(provost_adapter::RetryAfter::stored),
                },
                CallError::TimedOut
                | CallError::NotAuthorised
                | CallError::Budget
                | CallError::Failed(_)
                | CallError::Missing
                | CallError::Cancelled
                | CallError::NotRecorded => LearnError::Unreachable { detail: failure.detail },
            }),
            None => Err(LearnError::Interrupted),
        }
    }

    /// What fences evidence: every result is in it.
    fn nonce(&self) -> String {
        let lines: Vec<&[u8]> = self.unreviewed.iter().map(|it| it.ticket.as_slice()).collect();
        Digest::of_bytes(&lines.concat()).to_string().chars().take(16).collect()
    }
}

fn worthiest(book: &Book) -> Option<AskedFor> {
    let adopted = book.in_force().filter(|(_, it)| it.is_adopted() && it.adds());
    let shadows = book.shadows().filter(|(_, it)| it.adds());
    let mut best =
        adopted.map(|it| (true, it)).chain(shadows.map(|it| (false, it))).collect::<Vec<_>>();
    best.sort_by(|(a, (_, x)), (b, (_, y))| b.cmp(a).then(y.e_value().total_cmp(&x.e_value())));
    let (_, (signature, account)) = best.into_iter().next()?;
    let (name, text) = (account.name(), account.text().to_owned());
    Some(AskedFor { name, text, signature: signature.clone() })
}
