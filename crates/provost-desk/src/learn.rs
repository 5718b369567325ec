//! Labels: what a person said of a finished task is kept for the judge of its type.
//!
//! A label goes into the log of tickets before the state says that there is a review: an order that
//! was placed takes effect however often the machine stops, and so does its label. The log only
//! grows and outlives the files of the task; that a line is there twice changes nothing. Where it
//! could not be written, the next gathering of labels makes up for it from the state.

use provost_kernel::{
    AttemptNumber, Digest, TaskId,
    learn::{KeyError, MissionName},
    task::{Evidence, Order, OrderRecord, Proofs, Review, Status, TaskSpec, TaskType, Verdict},
};
use provost_rules_learn::{
    judge,
    review::{self, Log, ReviewTicket, Reviewed, Verdicts},
};
use provost_vault::{
    AttemptFile, FileError, Location, RealDisk, Stored,
    audit::Provenance,
    learn::{MissionFolder, MissionLog, read_current},
    read_record,
    task::names_of_tasks,
    write_atomic,
};

use crate::{DISK, Desk};

mod request;
mod view;

pub use self::request::{BlindError, BlindItem, BlindView, RequestKind, ReviewRequest, Unreviewed};
pub use self::view::{
    AccountView, AgreementView, EpochView, GateRunView, HypothesisView, LearnBoard, LearnPort,
    LearnRun, MissionLine, MissionView, QueueView, Resolving, RollingBack, RuleView, Share,
    StepView,
};

/// The labels of one task type.
#[derive(Debug)]
pub struct Labels {
    /// The file with the label of each attempt that counts, one ticket to a line.
    pub tickets: Location,
    pub log: Log,
    /// What the judge decided, reviewed or not.
    pub verdicts: Verdicts,
    /// Labels that were missing from the log and are there now.
    pub made_up_for: usize,
    /// Tasks that could not be looked at: they are not in the figures.
    pub unreadable: Vec<TaskId>,
}

/// Whether a label that is missing from the log is put there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    Kept,
    Seen,
}

/// Why a label could not be kept.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum LabelError {
    File(#[from] FileError),
    Key(#[from] KeyError),
    #[error("the state does not match the audit chain")]
    Altered,
}

impl Desk {
    /// Gathers what people said of the tasks of a type. Labels that a crash or a full disk kept
    /// from the log are put there first.
    pub fn labels(&self, task_type: TaskType) -> Result<Labels, FileError> {
        let labels = self.gathered(task_type, Keeping::Kept)?;
        let lines = labels.log.lines().flat_map(|it| [it, b"\n"]);
        write_atomic(&DISK, &labels.tickets, &lines.collect::<Vec<_>>().concat())?;
        Ok(labels)
    }

    /// The same without a write, for who only looks.
    pub(crate) fn labels_seen(&self, task_type: TaskType) -> Result<Labels, FileError> {
        self.gathered(task_type, Keeping::Seen)
    }

    fn gathered(&self, task_type: TaskType, keeping: Keeping) -> Result<Labels, FileError> {
        let mission = MissionName::of_judge(task_type);
        let folder = self.mission(&mission);
        let mut log = Log::default();
        for line in folder.lines(MissionLog::Tickets)? {
            log.take(line?);
        }
        let mut labels = Labels {
            tickets: self.layout.newest_tickets(&mission),
            log,
            verdicts: Verdicts::default(),
            made_up_for: 0,
            unreadable: Vec::new(),
        };
        for task in names_of_tasks(&DISK, &self.layout)? {
            if self.gather(&task, task_type, &mut labels, keeping).is_err() {
                labels.unreadable.push(task);
            }
        }
        Ok(labels)
    }

    /// Adds what one task has to say.
    fn gather(
        &self,
        task: &TaskId,
        task_type: TaskType,
        labels: &mut Labels,
        keeping: Keeping,
    ) -> Result<(), LabelError> {
        let files = self.files(task);
        let Stored::Present(spec) = files.spec()? else { return Ok(()) };
        if spec.value.task_type != Some(task_type) {
            return Ok(());
        }
        for attempt in files.attempts()? {
            if let Some(verdict) = self.verdict(task, attempt)? {
                labels.verdicts.count(verdict.guidance_used, verdict.judge_decision);
            }
        }
        let Stored::Present(found) = files.found_status()? else { return Ok(()) };
        if found.provenance == Provenance::Altered {
            return Err(LabelError::Altered);
        }
        let status = found.status;
        let Some(found) = &status.value.review else { return Ok(()) };
        let order = order_of(&files.orders()?, &status.value, found);
        let group = review::group(task, found.attempt.unwrap_or_default())?;
        if labels.log.has(&group, order) {
            return Ok(());
        }
        if let Some(ticket) = self.ticket(&spec.value, found, order)? {
            let line = match keeping {
                Keeping::Kept => self.append(&ticket)?,
                Keeping::Seen => line(&ticket),
            };
            labels.log.take(line);
            labels.made_up_for += 1;
        }
        Ok(())
    }

    /// Keeps the label that an order gives, if it gives one.
    pub(crate) fn label(
        &self,
        spec: &TaskSpec,
        after: &Status,
        record: &OrderRecord,
    ) -> Result<(), LabelError> {
        let Some(found) = after.review.as_ref().filter(|_| is_review(&record.order)) else {
            return Ok(());
        };
        if let Some(ticket) = self.ticket(spec, found, record.seq)? {
            self.append(&ticket)?;
        }
        Ok(())
    }

    /// The ticket of a review; none for a task without a type, and none for an attempt that left
    /// nothing to judge.
    fn ticket(
        &self,
        spec: &TaskSpec,
        found: &Review,
        order: u64,
    ) -> Result<Option<ReviewTicket>, LabelError> {
        let (Some(task_type), Some(number)) = (spec.task_type, found.attempt) else {
            return Ok(None);
        };
        let Ok(attempt) = AttemptNumber::try_from(number) else { return Ok(None) };
        let task = &spec.task_id;
        let at = |file| self.layout.attempt_file(task, attempt, file);
        let Some(evidence) = kept::<Evidence>(&at(AttemptFile::Evidence))? else {
            return Ok(None);
        };
        let proofs = kept::<Proofs>(&at(AttemptFile::Proofs))?;
        let verdict = self.verdict(task, attempt)?;
        let draw = self.outcome(task, task_type, number)?;
        Ok(Some(review::ticket(&Reviewed {
            spec,
            task_type,
            review: found,
            order,
            attempt: number,
            evidence: &evidence,
            proofs: proofs.as_ref(),
            verdict: verdict.as_ref(),
            criteria_version: self.criteria_version(task_type),
            draw: draw.as_ref(),
        })?))
    }

    /// The checklist in force; none where it cannot be read, which the next attempt will say.
    fn criteria_version(&self, task_type: TaskType) -> Option<Digest> {
        let mission = MissionName::of_judge(task_type);
        let current = read_current(&DISK, &self.layout, &mission).ok()?;
        let rulebook = judge::rulebook(&mission, current).ok()?;
        Some(judge::criteria_version(&rulebook.guidance))
    }

    /// The verdict on an attempt, if there is one on a task with a type.
    fn verdict(&self, task: &TaskId, attempt: AttemptNumber) -> Result<Option<Verdict>, FileError> {
        kept(&self.layout.verdict(task, attempt))
    }

    fn append(&self, ticket: &ReviewTicket) -> Result<Vec<u8>, FileError> {
        self.mission(&ticket.mission).append(MissionLog::Tickets, ticket)?;
        Ok(line(ticket))
    }

    fn mission(&self, mission: &MissionName) -> MissionFolder<RealDisk> {
        MissionFolder::new(&self.layout.mission(mission))
    }
}

/// A ticket as a line: it has a JSON form, or it could not have been written.
fn line(ticket: &ReviewTicket) -> Vec<u8> {
    serde_json::to_vec(ticket).unwrap_or_default()
}

/// The number of the order that a review comes from; 0 if the queue no longer has it.
fn order_of(orders: &[OrderRecord], status: &Status, found: &Review) -> u64 {
    let applied = orders.iter().filter(|it| it.seq <= status.last_order_seq_applied);
    let mut reviews = applied.filter(|it| is_review(&it.order) && it.actor == found.actor);
    let newest = reviews.rfind(|it| it.created_at == found.reviewed_at);
    newest.map_or(0, |it| it.seq)
}

/// Whether an order says what a person thinks of a result.
fn is_review(order: &Order) -> bool {
    match order {
        Order::Approve | Order::Reject { .. } => true,
        Order::Pause
        | Order::PauseNow
        | Order::Resume
        | Order::Reset
        | Order::Rerun { .. }
        | Order::Rejudge
        | Order::Edit { .. }
        | Order::Answer { .. }
        | Order::Override { .. }
        | Order::Set { .. }
        | Order::Rollback { .. }
        | Order::Accept { .. }
        | Order::Land { .. }
        | Order::UndoLand { .. } => false,
    }
}

/// A record, if it is there and whole.
fn kept<T: provost_kernel::Record>(at: &Location) -> Result<Option<T>, FileError> {
    Ok(read_record::<_, T>(&DISK, at)?.present().map(|it| it.value))
}
