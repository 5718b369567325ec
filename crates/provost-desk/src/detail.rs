//! One task, with everything that a page shows of it: what was ruled, what is proven and by which runs,
//! what was said, what it cost, and what can be ordered.

mod attempts;
mod background;
mod change;
mod criteria;
mod facts;
mod given;
mod judge;
mod past;
mod ruling;

use provost_kernel::{
    AttemptNumber, TaskId,
    task::{Landing, OverrideVersion, Row, Status, TaskSpec},
};
use provost_rules_task::offers::Offer;
use provost_vault::{AttemptFile, task::read_tail};
use schemars::JsonSchema;
use serde::Serialize;

pub use provost_rules_task::evidence::{DiffLine, FileDiff, Hunk, LineKind};

pub use self::{
    attempts::{AttemptLine, StepLine},
    change::{ChangeView, ChangedFile},
    criteria::CriterionView,
    facts::{EvidenceView, FactView, FindingView, OutputPointer},
    given::{GivenOrder, GivenOutcome},
    judge::{DimensionScore, JudgeView},
    past::AttemptProof,
    ruling::Ruling,
};
use crate::{
    DISK, Desk, DeskError,
    board::BoardRow,
    task::{AttemptView, BaseView, Explanation, Seen, Spent, View},
};

/// One task, as a page shows it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Detail {
    pub row: BoardRow,
    /// As it is on disk, without what belongs to its last write alone.
    pub status: Status,
    /// With what people changed of it; null when it cannot be read.
    pub spec: Option<TaskSpec>,
    pub ruling: Ruling,
    /// Six, in the order of the facts.
    pub proof: Vec<FactView>,
    pub attempts: Vec<AttemptLine>,
    pub base: Option<BaseView>,
    pub change: Option<ChangeView>,
    pub explanation: ExplanationView,
    pub judge: Option<JudgeView>,
    pub budget: BudgetView,
    pub landing: Option<LandingView>,
    /// The error of the last command in the background, as long as nothing has happened since.
    pub background_failure: Option<String>,
    pub overrides: Vec<OverrideVersion>,
    /// The orders that people gave, in order.
    pub given: Vec<GivenOrder>,
    /// The orders that the task takes now.
    pub orders: Vec<Offer>,
    /// What an order about this result carries, so that it is about no other.
    pub seen: Seen,
    /// Files that are there and cannot be understood, as paths.
    pub unreadable: Vec<String>,
    /// The file of a state that does not match the audit chain.
    pub altered: Option<String>,
}

/// Why the task is where it is, and the table that was asked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExplanationView {
    #[serde(flatten)]
    pub explanation: Explanation,
    /// The names of all rows of the table, in order.
    pub rows: &'static [&'static str],
    /// Which of them decided.
    pub row_index: Option<usize>,
}

/// What the task cost, and what it may cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BudgetView {
    pub usd: Option<String>,
    pub limit_usd: Option<String>,
    pub seconds: u64,
    pub limit_seconds: Option<u64>,
    pub tokens: Option<u64>,
    pub limit_tokens: Option<u64>,
}

/// Where the result lies, or is to be put.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LandingView {
    pub branch: String,
    /// How many commits the branch was ahead of where the task started when the result came to it. Only
    /// the tip of the branch is on record, so this is 0 where that was the start; null where the branch
    /// had moved on or is new, and before the result lands.
    pub behind: Option<u64>,
    pub commit: Option<String>,
    pub undone: bool,
}

impl Desk {
    /// Everything that a page shows of a task.
    pub fn detail(&self, task: &TaskId) -> Result<Detail, DeskError> {
        // A page hears of every change, so that it need not wait for one that may come.
        let view = self.view_of(task, self.look(task)?)?;
        let mut unreadable = view.unreadable.clone();
        let row = self.row_of(&view.looked)?;
        let status = view.status();
        let spec = view.spec.as_ref().map(|it| it.value.clone());
        let is_trusted = view.looked.altered.is_none();
        let orders = if is_trusted { self.offers(status)? } else { Vec::new() };
        let explanation = Explanation::of(&view);
        let seen = Seen { attempt: status.current_attempt, state_version: status.state_version };
        let proof = self.facts(&view, &row.seals, &mut unreadable)?;
        let judge = self.judge_view(&view, &mut unreadable)?;
        Ok(Detail {
            ruling: Ruling::of(&row, status),
            proof,
            attempts: self.attempt_lines(&view)?,
            base: view.base.clone(),
            change: self.change_view(status)?,
            judge,
            budget: budget(&view),
            landing: landing(status, spec.as_ref()),
            background_failure: self.background_failure(&view.looked)?,
            overrides: self.files(task).overrides()?,
            given: self.given(status)?,
            orders,
            seen,
            unreadable,
            altered: view.looked.altered.clone(),
            explanation: ExplanationView::of(explanation),
            status: Status { outbox: Vec::new(), ..status.clone() },
            row,
            spec,
        })
    }

    /// A short file of an attempt, as text; empty where it is absent.
    fn attempt_text(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        file: AttemptFile,
    ) -> Result<String, DeskError> {
        const MOST: u64 = 4096;
        let at = self.layout().attempt_file(task, attempt, file);
        Ok(read_tail(&DISK, &at, MOST)?.trim().to_owned())
    }

    /// The commit of what an attempt delivered.
    fn commit_of(&self, task: &TaskId, attempt: u16) -> Result<Option<String>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(attempt) else { return Ok(None) };
        let commit = self.attempt_text(task, attempt, AttemptFile::HeadCommit)?;
        Ok(Some(commit).filter(|it| !it.is_empty()))
    }
}

impl ExplanationView {
    fn of(explanation: Explanation) -> Self {
        let row_index = Row::ALL.iter().position(|it| Some(*it) == explanation.row);
        Self { explanation, rows: Row::WORDS, row_index }
    }
}

fn budget(view: &View) -> BudgetView {
    let limits = view.spec.as_ref().map(|it| it.value.budget).unwrap_or_default();
    let metrics = view.attempts.iter().filter_map(|it| it.metrics.as_ref());
    let tokens = metrics.clone().filter_map(|it| it.tokens);
    let dollars = |it: provost_kernel::task::Usd| it.to_string().trim_start_matches('$').to_owned();
    BudgetView {
        usd: Spent::of(&view.attempts).usd.map(dollars),
        limit_usd: limits.usd.map(dollars),
        seconds: metrics.map(|it| it.elapsed_seconds).sum(),
        limit_seconds: limits.wall.map(|it| it.0),
        tokens: tokens.reduce(u64::saturating_add),
        limit_tokens: limits.tokens,
    }
}

fn landing(status: &Status, spec: Option<&TaskSpec>) -> Option<LandingView> {
    let landed = status.landed.as_ref().filter(|it| it.attempt == status.current_attempt);
    let target = || spec.and_then(|it| it.target_branch.clone());
    Some(LandingView {
        branch: landed.map(|it| it.branch.clone()).or_else(target)?,
        behind: landed.and_then(|it| behind(it, spec?)),
        commit: landed.filter(|it| it.is_there()).map(|it| it.put.commit.clone()),
        undone: landed.is_some_and(Landing::is_taken_back),
    })
}

/// How far a branch had moved on when a result came to it, as far as that is on record.
fn behind(landed: &Landing, spec: &TaskSpec) -> Option<u64> {
    (landed.put.before.as_deref()? == spec.base_commit()?).then_some(0)
}

/// An attempt by its number.
fn newest(view: &View) -> Option<&AttemptView> {
    view.current()
}
