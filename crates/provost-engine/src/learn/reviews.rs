//! What people said of finished tasks, as the tickets of a mission, and how well the judge agrees
//! with them.

use camino::Utf8PathBuf;
use provost_desk::Desk;
use provost_kernel::{TaskId, task::TaskType};
use provost_rules_learn::{
    agreement::{Agreement, agreement},
    review::{DrawnAgreement, by_guidance, opinions},
};

use super::LearnError;

/// How well the judge of a task type agrees with people.
#[derive(Debug)]
pub struct JudgeAgreement {
    pub agreement: Agreement,
    /// From the labels of drawn tasks, under each guidance, the one that was reviewed last first.
    pub by_guidance: Vec<DrawnAgreement>,
    /// Tasks that could not be looked at: they are in none of the figures.
    pub unreadable: Vec<TaskId>,
}

/// Gathers the tickets of a task type: the file has each reviewed attempt once, with its newest
/// label. Nothing is lost if the machine stopped between a review and its ticket.
pub fn gather(desk: &Desk, task_type: TaskType) -> Result<Utf8PathBuf, LearnError> {
    Ok(desk.labels(task_type)?.tickets.path())
}

/// Holds what the judge of a task type said against what people said.
pub fn judge_agreement(desk: &Desk, task_type: TaskType) -> Result<JudgeAgreement, LearnError> {
    let labels = desk.labels(task_type)?;
    let agreement = agreement(&opinions(&labels.log), labels.verdicts.all());
    let by_guidance = by_guidance(&labels.log, &labels.verdicts);
    Ok(JudgeAgreement { agreement, by_guidance, unreadable: labels.unreadable })
}
