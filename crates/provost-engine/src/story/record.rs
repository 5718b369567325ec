//! A verdict, and its record: judged from what is known at that moment, appended and synced, then
//! indexed. If another record came first, the judgement is repeated with it.

use std::collections::{BTreeMap, BTreeSet};

use provost_desk::{
    Desk,
    story::{Stories, StoriesError},
};
use provost_exec::git::keep::{self, StoryResult};
use provost_kernel::{
    Actor, Finding, Severity, Text,
    message::Phrase,
    story::{
        ClaimResult, ClaimVerdict, CriterionId, CriterionStatus, Declared, EventBody,
        EvidenceResult, Execution, ExecutionChange, ExecutionProgress, GateResult, GateRun,
        ScopeOutcome, ScopeReport, StoryName, StoryOutcome, StoryRow, StoryUpdate, TreeId, Updated,
        Verified,
    },
};
use provost_rules_story::{
    claim::{ClaimFacts, judge, note},
    execution::Step,
    progress::{label, progress},
    work,
};
use provost_vault::story::NewEvent;
use serde::Serialize;
use serde_json::Value;

use super::{
    StoryError, find::find, gather::Gathered, plan_view, trail, worktree_snapshot::WorktreeSnapshot,
};
use crate::Engine;

/// The result of an update or a verification, with the keys that scripts and agents read.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the keys of the original's answer")]
pub struct Answer {
    /// Whether the update was taken.
    pub success: bool,
    pub branch: Option<String>,
    pub story_id: Option<String>,
    /// Whether the story is done, as provost sees it.
    pub passes: bool,
    /// Whether the agent said so.
    pub original_passes: bool,
    pub all_complete: bool,
    /// How many stories are proven: `1/4 US`.
    pub progress: String,
    /// How far the story is: `US-001 2/3 AC`.
    pub label: Phrase,
    pub ac_status: BTreeMap<CriterionId, CriterionStatus>,
    /// What was looked at for this answer.
    pub evidence: BTreeMap<CriterionId, EvidenceResult>,
    pub gates: Vec<GateRun>,
    pub scope: Option<ScopeReport>,
    pub tree: Option<TreeId>,
    pub findings: Vec<Finding>,
    /// The rules of the findings, each once.
    pub codes: Vec<String>,
    /// What to send next.
    pub next: Vec<Phrase>,
}

/// Why there is something to record.
#[derive(Clone, Debug)]
pub(super) enum Occasion {
    /// An agent sent this.
    Update(Value),
    /// An agent sent this, and it says nothing about the work.
    Note(Value),
    /// Nothing new was claimed.
    Verification,
}

/// Everything that was found out for a verdict.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// None where the work could not be measured.
    pub(super) worktree: Option<&'a WorktreeSnapshot>,
    pub(super) scope: ScopeOutcome,
    pub(super) report: Option<ScopeReport>,
    pub(super) scope_findings: Vec<Finding>,
    pub(super) gathered: Gathered,
    /// The first declaration, where it came with the update.
    pub(super) declared: Option<Declared>,
}

impl<'a> Facts<'a> {
    /// What is known of a story whose change was judged before: only the proofs are looked at.
    pub(super) fn settled(worktree: &'a WorktreeSnapshot) -> Self {
        Self { worktree: Some(worktree), scope: ScopeOutcome::Accepted, ..Self::unmeasured() }
    }

    /// What is known where the work could not be measured: nothing.
    pub(super) fn unmeasured() -> Self {
        Self {
            worktree: None,
            scope: ScopeOutcome::Unverifiable,
            report: None,
            scope_findings: Vec::new(),
            gathered: Gathered::default(),
            declared: None,
        }
    }

    /// The verdict on an update of a story of which this is known.
    pub(super) fn judge(&self, row: &StoryRow, update: &StoryUpdate) -> ClaimVerdict {
        let nowhere = TreeId(String::new());
        let gates: Vec<GateResult> =
            self.gathered.gates.iter().map(|it| it.result.clone()).collect();
        let facts = ClaimFacts {
            tree: self.worktree.map_or(&nowhere, |it| &it.tree),
            kept: &row.evidence,
            evidence: &self.gathered.evidence,
            gates: &gates,
            scope: self.scope,
            scope_findings: &self.scope_findings,
            tampering: &self.gathered.tampering,
            changes_product: self.gathered.changes_product,
        };
        judge(&row.story(), update, facts)
    }
}

/// Judges, records, and answers.
pub(super) fn record(
    (desk, actor): (&Desk, &Actor),
    name: &StoryName,
    update: &StoryUpdate,
    occasion: &Occasion,
    facts: Facts<'_>,
) -> Result<Answer, StoryError> {
    loop {
        let mut stories = desk.stories()?;
        let last = stories.last()?;
        let (execution, row) = find(&stories, name)?;
        let mut verdict = match occasion {
            Occasion::Update(_) | Occasion::Verification => facts.judge(&row, update),
            Occasion::Note(_) => note(&row.story(), update, &row.ac_status, &row.evidence),
        };
        if matches!(occasion, Occasion::Verification) {
            // Nothing was sent that could be rejected: the result is recorded as it is.
            verdict.result = ClaimResult::Accept;
        }
        keep_result(desk, &execution, &facts, &verdict)?;
        let (proven, total) = count(&stories, &execution, &row, &verdict)?;
        let mut change = change(&execution, &row, update, &facts, proven == total, desk);
        let outcome = StoryOutcome {
            passes: verdict.passes,
            tree: facts.worktree.map(|it| it.tree.clone()),
            ac_status: verdict.ac_status.clone(),
            evidence: verdict.kept.clone(),
            findings: verdict.findings.clone(),
            gates: facts.gathered.gates.clone(),
            bases: facts.gathered.bases.clone(),
        };
        let body = match occasion {
            Occasion::Update(claimed) | Occasion::Note(claimed) => {
                EventBody::Updated(Box::new(Updated {
                    claimed: claimed.clone(),
                    result: verdict.result,
                    original_passes: update.passes,
                    outcome,
                    declared: facts.declared.clone(),
                    notes: update.notes.clone(),
                    change,
                }))
            }
            Occasion::Verification => {
                // A verification does not count as a step of the work.
                change.progress = None;
                EventBody::Verified(Box::new(Verified { outcome, change }))
            }
        };
        let event = NewEvent {
            at: desk.clock().now(),
            execution_id: execution.id.clone(),
            story_id: Some(row.story_id.clone()),
            body,
        };
        match stories.record_after(last, event) {
            Ok(event) => {
                trail::keep(desk, actor, &event)?;
                return Ok(answer(&execution, &row, verdict, facts, (proven, total)));
            }
            Err(StoriesError::Moved { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Keeps what a story that is done left behind: the next one sets out from it.
fn keep_result(
    desk: &Desk,
    execution: &Execution,
    facts: &Facts<'_>,
    verdict: &ClaimVerdict,
) -> Result<(), StoryError> {
    let Some(worktree) = facts.worktree.filter(|_| verdict.passes) else { return Ok(()) };
    let kept = StoryResult {
        execution: &execution.id,
        tree: &worktree.snapshot.work,
        head: &worktree.head,
        identity: &Engine::identity(),
        when: desk.clock().now(),
    };
    let project = execution.project_root.as_ref();
    Ok(keep::result(&worktree.git, &worktree.clone, project, &kept)?)
}

/// How many stories are proven with this verdict, of how many.
fn count(
    stories: &Stories<'_>,
    execution: &Execution,
    row: &StoryRow,
    verdict: &ClaimVerdict,
) -> Result<(usize, usize), StoryError> {
    let rows = stories.store().stories(&execution.id)?;
    let is_rejected = verdict.result == ClaimResult::Reject;
    let is_proven = |it: &&StoryRow| {
        if it.story_id == row.story_id && !is_rejected {
            return verdict.passes;
        }
        plan_view::is_proven(it)
    };
    Ok((rows.iter().filter(is_proven).count(), rows.len()))
}

/// What becomes of the execution.
fn change(
    execution: &Execution,
    row: &StoryRow,
    update: &StoryUpdate,
    facts: &Facts<'_>,
    is_complete: bool,
    desk: &Desk,
) -> ExecutionChange {
    let now = desk.clock().now();
    let before = &execution.progress;
    let step = update.step.clone().unwrap_or_else(|| {
        let word = if update.passes { "verifying" } else { "implementing" };
        word.to_owned()
    });
    let is_same_step = before.current_step.as_ref() == Some(&step)
        && before.current_story_id.as_ref() == Some(&row.story_id);
    let progress = ExecutionProgress {
        loop_count: before.loop_count.saturating_add(1),
        consecutive_errors: match &update.error {
            None => 0,
            error if *error == before.last_error => before.consecutive_errors.saturating_add(1),
            Some(_) => 1,
        },
        last_error: update.error.clone(),
        last_files_changed: facts.report.as_ref().map_or(before.last_files_changed, |it| it.files),
        last_progress_at: Some(now),
        current_story_id: Some(row.story_id.clone()),
        step_started_at: if is_same_step { before.step_started_at } else { Some(now) },
        current_step: Some(step),
        ..before.clone()
    };
    let status = work::status(execution.status, is_complete);
    ExecutionChange {
        status: status.map(|(status, _)| status),
        reason: status.and_then(|(_, step)| match step {
            Step::WithReason => Some(format!("an update of {}", row.story_id)),
            Step::Stay | Step::Ordinary => None,
        }),
        progress: Some(progress),
        ..ExecutionChange::default()
    }
}

fn answer(
    execution: &Execution,
    row: &StoryRow,
    verdict: ClaimVerdict,
    facts: Facts<'_>,
    (proven, total): (usize, usize),
) -> Answer {
    let success = verdict.result == ClaimResult::Accept;
    // A rejected update changes nothing.
    let ac_status = if success { verdict.ac_status } else { row.ac_status.clone() };
    Answer {
        success,
        branch: Some(execution.branch.to_string()),
        story_id: Some(row.story_id.to_string()),
        passes: verdict.passes,
        original_passes: verdict.original_passes,
        all_complete: proven == total,
        progress: format!("{proven}/{total} US"),
        label: Phrase(label(&row.story_id, progress(&row.story(), &ac_status))),
        ac_status,
        evidence: facts.gathered.evidence,
        gates: facts.gathered.gates,
        tree: facts.worktree.map(|it| it.tree.clone()),
        scope: facts.report,
        codes: codes(&verdict.findings),
        next: phrases(&verdict.findings),
        findings: verdict.findings,
    }
}

impl Answer {
    /// With findings that are not part of the verdict.
    #[must_use]
    pub(super) fn with(mut self, mut findings: Vec<Finding>) -> Self {
        self.findings.append(&mut findings);
        self.codes = codes(&self.findings);
        self.next = phrases(&self.findings);
        self
    }

    /// The answer to an invalid update.
    pub(super) fn refused(story: Option<(&Execution, &StoryRow)>, findings: Vec<Finding>) -> Self {
        let ac_status = story.map(|(_, row)| row.ac_status.clone()).unwrap_or_default();
        let label = story.map(|(_, row)| label(&row.story_id, progress(&row.story(), &ac_status)));
        Self {
            success: false,
            branch: story.map(|(execution, _)| execution.branch.to_string()),
            story_id: story.map(|(_, row)| row.story_id.to_string()),
            passes: false,
            original_passes: false,
            all_complete: false,
            progress: String::new(),
            label: Phrase(label.unwrap_or_else(|| Text::verbatim(""))),
            ac_status,
            evidence: BTreeMap::new(),
            gates: Vec::new(),
            scope: None,
            tree: None,
            codes: codes(&findings),
            next: phrases(&findings),
            findings,
        }
    }
}

/// The rules of findings, each once.
pub fn codes(findings: &[Finding]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let rules = findings.iter().map(|it| it.rule.as_ref());
    rules.filter(|it| seen.insert(*it)).map(str::to_owned).collect()
}

/// The hints of the findings that refuse, each once.
pub fn next(findings: &[Finding]) -> Vec<Text> {
    let mut hints: Vec<Text> = Vec::new();
    for hint in findings.iter().filter(|it| it.severity <= Severity::P1).flat_map(|it| &it.hint) {
        if !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    hints
}

fn phrases(findings: &[Finding]) -> Vec<Phrase> {
    next(findings).into_iter().map(Phrase).collect()
}
