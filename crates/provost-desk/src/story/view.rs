//! Plans and stories as people read them: how far each is, and what is behind every criterion.

mod shape;

use std::collections::BTreeMap;

use provost_kernel::{
    Actor, Finding, RequestId,
    message::Phrase,
    story::{
        Criterion, CriterionId, CriterionStatus, EventBody, EvidenceLabel, Execution, GateRun,
        ScopeLimits, StoryName, StoryOutcome, StoryRow, WaiverRecord,
    },
    task::ProofLabel,
};
use provost_rules_story::{progress, stale::Stale};
use provost_store::{Found, Listed};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::shape::{
    AttemptView, CriterionMark, CriterionView, FindingView, GateView, PlanView, RefusalCount,
    ScopeView, StoryBoard, StoryLine, StoryTotals, StoryView, WaiverView,
};
use super::{Stories, StoriesError};
use crate::{Desk, PageError, PortError};

/// So many plans of history are shown.
const HISTORY: u32 = 10;
/// The longest output that is shown.
const TAIL: usize = 4000;

/// What a desk cannot find out or do about stories alone.
pub trait StoryPort: Send + Sync {
    /// Compares the worktree of a plan with what its stories were proven on: that takes git.
    fn compare(
        &self,
        desk: &Desk,
        stories: &Stories<'_>,
        execution: &Execution,
        rows: Vec<StoryRow>,
    ) -> Result<Vec<ComparedStory>, PortError>;

    /// Records that a person does without the proof of a criterion.
    fn waive(&self, desk: &Desk, waiver: &Waiver<'_>) -> Result<Waiving, PortError>;
}

/// A story as it is to be shown, and why it is not known to hold any more.
#[derive(Clone, Debug)]
pub struct ComparedStory {
    pub row: StoryRow,
    pub stale: Option<Stale>,
}

/// What a person does without.
#[derive(Clone, Copy, Debug)]
pub struct Waiver<'a> {
    pub actor: &'a Actor,
    pub request_id: Option<&'a RequestId>,
    pub story: &'a StoryName,
    pub criterion: CriterionId,
    pub because: &'a str,
}

/// What became of a waiver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiving {
    pub branch: String,
    pub story_id: String,
    pub criterion: CriterionId,
    /// The text that was waived.
    pub text: String,
    pub reason: String,
    pub actor: String,
}

/// Why stories cannot be shown.
#[derive(Debug)]
pub enum StoryViewError {
    Stories(StoriesError),
    Page(PageError),
    Port(PortError),
}

impl Desk {
    /// Every plan that is going on, from a cursor, and the newest of those that are over.
    pub fn story_board(
        &self,
        port: &dyn StoryPort,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<StoryBoard, StoryViewError> {
        let stories = self.stories().map_err(StoryViewError::Stories)?;
        let store = stories.store();
        let active = store.records(Listed::Active).map_err(stores)?;
        let first = match cursor {
            None => 0,
            Some(id) => {
                let known = active.iter().position(|it| it.id.as_str() == id);
                known.ok_or(StoryViewError::Page(PageError::Cursor))? + 1
            }
        };
        let mut totals = StoryTotals { plans: active.len(), ..StoryTotals::default() };
        let submissions = store.first_submissions().map_err(stores)?;
        (totals.submitted, totals.complete_at_first) =
            (submissions.submitted, submissions.complete);
        let mut plans = Vec::new();
        for (at, execution) in active.iter().enumerate() {
            let is_shown = (first..first + limit).contains(&at);
            let plan = self.plan(port, &stories, execution, is_shown, &mut totals)?;
            plans.extend(is_shown.then_some(plan));
        }
        let has_more = active.len() > first + limit;
        let next_cursor = plans.last().filter(|_| has_more).map(|it: &PlanView| it.id.clone());
        let mut history = Vec::new();
        if cursor.is_none() {
            let past = store.records(Listed::Archived { limit: HISTORY }).map_err(stores)?;
            for execution in &past {
                let mut ignored = StoryTotals::default();
                history.push(self.plan(port, &stories, execution, false, &mut ignored)?);
            }
        }
        let counted = store.rejections().map_err(stores)?;
        let mut refusals: Vec<RefusalCount> =
            counted.into_iter().map(|(rule, count)| RefusalCount { rule, count }).collect();
        refusals.sort_by(|one, other| other.count.cmp(&one.count).then(one.rule.cmp(&other.rule)));
        totals.refused = refusals.iter().map(|it| it.count).sum();
        Ok(StoryBoard { plans, next_cursor, history, totals, refusals })
    }

    /// One story.
    pub fn story(
        &self,
        port: &dyn StoryPort,
        name: &StoryName,
    ) -> Result<StoryView, StoryViewError> {
        let stories = self.stories().map_err(StoryViewError::Stories)?;
        let store = stories.store();
        let shown = match &name.of {
            Some(of) => format!("{of}:{}", name.story),
            None => name.story.to_string(),
        };
        let Found::One(found) = store.find_story(name).map_err(stores)? else {
            return Err(StoryViewError::Page(PageError::Unknown { name: shown }));
        };
        let (execution, row) = *found;
        let waivers = store.waivers(&execution.id).map_err(stores)?;
        let attempts = store.attempts(&execution.id, &row.story_id).map_err(stores)?;
        let outcome = last_look(&stories, &execution, &row)?;
        let compared =
            port.compare(self, &stories, &execution, vec![row]).map_err(StoryViewError::Port)?;
        let Some(ComparedStory { row, stale }) = compared.into_iter().next() else {
            return Err(StoryViewError::Page(PageError::Unknown { name: shown }));
        };
        let line = line(&execution, &row, stale.as_ref(), &waivers);
        let evidence =
            row.acceptance_criteria.iter().map(|it| criterion(&row, it, &waivers)).collect();
        let findings = outcome.as_ref().map(|it| it.findings.as_slice()).unwrap_or_default();
        Ok(StoryView {
            evidence,
            gates: outcome.iter().flat_map(|it| &it.gates).map(gate).collect(),
            scope: scope(findings, line.declared_files),
            findings: findings.iter().map(finding).collect(),
            attempts: attempts
                .into_iter()
                .rev()
                .take(50)
                .map(|it| AttemptView {
                    seq: it.seq,
                    at: it.created_at,
                    result: it.result,
                    said_done: it.original_passes,
                    is_done: it.passes,
                    codes: it.codes,
                })
                .collect(),
            next: stale
                .map(|it| it.next.into_iter().map(|Phrase(it)| it).collect())
                .unwrap_or_default(),
            branch: execution.branch.to_string(),
            description: row.description,
            notes: row.notes,
            line,
        })
    }

    fn plan(
        &self,
        port: &dyn StoryPort,
        stories: &Stories<'_>,
        execution: &Execution,
        is_compared: bool,
        totals: &mut StoryTotals,
    ) -> Result<PlanView, StoryViewError> {
        let store = stories.store();
        let rows = store.stories(&execution.id).map_err(stores)?;
        let waivers = store.waivers(&execution.id).map_err(stores)?;
        let as_kept =
            |rows: Vec<StoryRow>| rows.into_iter().map(|row| ComparedStory { row, stale: None });
        // A worktree that cannot be compared hides no plan.
        let (compared, problem) = if is_compared {
            match port.compare(self, stories, execution, rows.clone()) {
                Ok(compared) => (compared, None),
                Err(error) => (as_kept(rows).collect(), Some(error.0.text())),
            }
        } else {
            (as_kept(rows).collect(), None)
        };
        let lines: Vec<StoryLine> = compared
            .iter()
            .map(|it| line(execution, &it.row, it.stale.as_ref(), &waivers))
            .collect();
        let count = |word: &str| lines.iter().filter(|it| it.standing == word).count();
        totals.stories += lines.len();
        totals.done += count("done");
        totals.contradicted += count("contradicted");
        totals.stale += count("stale");
        totals.criteria += lines.iter().map(|it| it.total).sum::<usize>();
        totals.criteria_passing += lines.iter().map(|it| it.passing).sum::<usize>();
        totals.waivers += waivers.len();
        Ok(PlanView {
            id: execution.id.to_string(),
            title: execution.description.clone(),
            branch: execution.branch.to_string(),
            plan: execution.prd_path.clone(),
            base: execution.base_commit_sha.clone(),
            status: execution.status,
            status_reason: execution.status_reason.clone(),
            started_at: execution.created_at,
            updated_at: execution.updated_at,
            merged_at: execution.merged_at,
            stories: lines,
            problem,
        })
    }
}

fn stores(error: provost_store::StoreError) -> StoryViewError {
    StoryViewError::Stories(error.into())
}

/// What the newest look at a story came to.
fn last_look(
    stories: &Stories<'_>,
    execution: &Execution,
    row: &StoryRow,
) -> Result<Option<StoryOutcome>, StoryViewError> {
    let files = |error| StoryViewError::Stories(StoriesError::File(error));
    let mut newest: Option<StoryOutcome> = None;
    for event in stories.files().events().map_err(files)? {
        let event = event.map_err(files)?;
        if event.execution_id != execution.id || event.story_id.as_ref() != Some(&row.story_id) {
            continue;
        }
        let outcome = match event.body {
            EventBody::Updated(it) => it.outcome,
            EventBody::Verified(it) => it.outcome,
            EventBody::Started(_)
            | EventBody::Declared(_)
            | EventBody::Changed(_)
            | EventBody::Replanned(_)
            | EventBody::Imported(_)
            | EventBody::Waived(_)
            | EventBody::Rebased(_) => continue,
        };
        // A look that ran no gate leaves those of the look before it.
        let gates = match newest.take() {
            Some(before) if outcome.gates.is_empty() => before.gates,
            _ => outcome.gates.clone(),
        };
        newest = Some(StoryOutcome { gates, ..outcome });
    }
    Ok(newest)
}

fn line(
    execution: &Execution,
    row: &StoryRow,
    stale: Option<&Stale>,
    waivers: &[WaiverRecord],
) -> StoryLine {
    let done = progress::progress(&row.story(), &row.ac_status);
    let is_proven = row.passes && done.total > 0 && done.passing == done.total;
    let criteria: Vec<CriterionMark> = row
        .acceptance_criteria
        .iter()
        .map(|it| {
            let status = row.ac_status.get(&it.id);
            let waived = waiver(row, it.id, waivers).is_some();
            CriterionMark {
                id: it.id,
                label: label(status, waived),
                passes: status.is_some_and(|it| it.passes),
            }
        })
        .collect();
    let is_bad = |it: &CriterionMark| matches!(it.label, "CONTRADICTED" | "HOLLOW");
    let standing = if is_proven && stale.is_some() {
        "stale"
    } else if is_proven {
        "done"
    } else if criteria.iter().any(is_bad) {
        "contradicted"
    } else if !row.ac_status.is_empty() {
        "open"
    } else if row.expected_files.is_some() {
        "declared"
    } else {
        "not_begun"
    };
    StoryLine {
        key: format!("{}:{}", execution.id, row.story_id),
        story_id: row.story_id.to_string(),
        title: row.title.clone(),
        label: progress::label(&row.story_id, done),
        passing: done.passing,
        total: done.total,
        standing,
        criteria,
        declared_files: row.expected_files.as_ref().map(Vec::len),
        stale: stale.map(|it| it.text.0.clone()),
    }
}

/// The label of a criterion. A waiver proves nothing, and hides no proof.
fn label(status: Option<&CriterionStatus>, is_waived: bool) -> &'static str {
    match status {
        Some(status) if status.passes || !is_waived => match (status.label, status.proof) {
            // An earlier version did not say how strong the proof is.
            (EvidenceLabel::Reproduced, None) => ProofLabel::Holds.as_str(),
            _ => status.word(),
        },
        _ if is_waived => "WAIVED",
        _ => EvidenceLabel::NotRun.as_str(),
    }
}

fn waiver<'a>(
    row: &StoryRow,
    criterion: CriterionId,
    waivers: &'a [WaiverRecord],
) -> Option<&'a WaiverRecord> {
    waivers.iter().find(|it| it.story_id == row.story_id && it.criterion == criterion)
}

fn criterion(row: &StoryRow, criterion: &Criterion, waivers: &[WaiverRecord]) -> CriterionView {
    let id = criterion.id;
    let (status, kept) = (row.ac_status.get(&id), row.evidence.get(&id));
    let result = kept.and_then(|it| it.result.as_ref());
    let waived = waiver(row, id, waivers);
    let findings = result.and_then(|it| it.proof.as_ref()).map(|it| it.findings.as_slice());
    CriterionView {
        id,
        text: criterion.text.clone(),
        label: label(status, waived.is_some()),
        passes: status.is_some_and(|it| it.passes),
        needs: status.and_then(|it| it.need).or(criterion.need).map(|it| it.label().as_str()),
        command: status.and_then(|it| it.command.clone()).or_else(|| criterion.verify.clone()),
        exit: result.and_then(|it| it.exit_code),
        tree: result.map(|it| it.tree.0.clone()),
        tail: result.and_then(|it| it.output.as_deref()).map(tail),
        note: result.and_then(provost_kernel::story::EvidenceResult::note),
        findings: findings
            .unwrap_or_default()
            .iter()
            .map(|it| match it.subjects.as_slice() {
                [] => it.code.to_string(),
                subjects => format!("{}: {}", it.code, subjects.join(", ")),
            })
            .collect(),
        said: status.and_then(|it| it.evidence.clone()),
        files: status.map(|it| it.files.clone()).unwrap_or_default(),
        tests: status.map(|it| it.tests.clone()).unwrap_or_default(),
        blocked: status.and_then(|it| it.blocked_reason.clone()),
        waived: waived.map(|it| WaiverView {
            actor: it.actor.clone(),
            reason: it.reason.clone(),
            at: it.created_at,
        }),
    }
}

/// The end of an output.
fn tail(output: &str) -> String {
    let skipped = output.chars().count().saturating_sub(TAIL);
    output.chars().skip(skipped).collect()
}

fn gate(GateRun { result, duration_ms, .. }: &GateRun) -> GateView {
    GateView {
        name: if result.name.is_empty() { result.kind.to_string() } else { result.name.clone() },
        outcome: result.outcome,
        command: result.command.clone(),
        exit: result.exit_code,
        duration_ms: *duration_ms,
        required: result.required,
    }
}

/// How far a change goes, as far as a rule wrote it down.
fn scope(findings: &[Finding], declared: Option<usize>) -> ScopeView {
    let args: Vec<BTreeMap<String, i64>> = findings
        .iter()
        .filter_map(|it| it.message.record())
        .filter(|it| it.code.starts_with("story.scope"))
        .map(|it| it.args.into_iter().filter_map(|(name, it)| Some((name, it.as_i64()?))).collect())
        .collect();
    let of = |name: &str| {
        args.iter().find(|it| it.contains_key("files")).and_then(|it| it.get(name).copied())
    };
    ScopeView { files: of("files"), lines: of("lines"), declared, limits: ScopeLimits::SEED }
}

fn finding(it: &Finding) -> FindingView {
    FindingView {
        rule: it.rule.to_string(),
        severity: it.severity,
        subject: it.subject.clone(),
        message: it.message.clone(),
        hint: it.hint.clone(),
    }
}

#[cfg(test)]
mod tests;
