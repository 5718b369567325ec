//! What a person said of a finished task, as a ticket for the judge of its type.
//!
//! The log of tickets only grows: a person may change their mind, so the newest label of an attempt
//! counts and those before it are superseded when the log is read. Everything in a ticket is
//! bounded and without secrets, and nothing in it tells the label but the label.

mod drawn;
mod log;

use provost_kernel::{
    Actor, Digest, Finding, Source, TaskId,
    learn::{GroupId, Item, KeyError, Label, LabelSource, MissionName, TicketKey},
    task::{
        Evidence, Excerpt, Proofs, Review, ReviewOutcome, TaskSpec, TaskType, Verdict,
        VerdictDecision,
    },
};
use provost_rules::secret::redact;
use provost_rules_task::story;
use serde::{Deserialize, Serialize};

pub use self::{
    drawn::{DrawnAgreement, Verdicts, by_guidance},
    log::{Log, opinions},
};
use super::{
    draw::Outcome,
    measure::fresh::Way,
    ticket::{self, names_key},
};

/// A reviewed attempt, with everything that a ticket is made of.
#[derive(Clone, Copy, Debug)]
pub struct Reviewed<'a> {
    pub spec: &'a TaskSpec,
    pub task_type: TaskType,
    pub review: &'a Review,
    /// The number of the person's order: the newest one counts, whatever a clock says.
    pub order: u64,
    pub attempt: u16,
    pub evidence: &'a Evidence,
    pub proofs: Option<&'a Proofs>,
    /// What the judge said; none where there is no valid verdict.
    pub verdict: Option<&'a Verdict>,
    /// The checklist in force; none where it is not known.
    pub criteria_version: Option<Digest>,
    /// What became of the draw of the attempt, if there was one.
    pub draw: Option<&'a Outcome>,
}

/// One line of the log of tickets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewTicket {
    pub mission: MissionName,
    pub group_id: GroupId,
    pub label: Label,
    pub items: Vec<Item>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_reason: Option<String>,
    pub label_source: LabelSource,
    pub label_timestamp: String,
    pub labeler: String,
    pub blind: bool,
    /// How it came that the person was asked; none if nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Way>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criteria_version: Option<Digest>,
    pub meta: Meta,
}

/// Where a ticket comes from; no model is ever shown it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub task_id: TaskId,
    pub attempt: u16,
    pub order: u64,
    /// What the judge decided by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_decision: Option<VerdictDecision>,
    /// What the judge judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guidance_used: Option<Digest>,
}

/// How much of each part a ticket holds, in bytes. It is read many times by a model that pays for
/// every word, so it is far less than a judge is shown.
mod limit {
    pub(super) const GOAL: usize = 4_000;
    pub(super) const FILES: usize = 2_000;
    pub(super) const DIFF: usize = 12_000;
    pub(super) const LOG: usize = 4_000;
    pub(super) const FINDINGS: usize = 3_000;
    pub(super) const CLAIMS: usize = 4_000;
    pub(super) const WORDS: usize = 4_000;
    pub(super) const REASON: usize = 2_000;
}

/// How a ticket of an attempt is called.
pub fn group(task: &TaskId, attempt: u16) -> Result<GroupId, KeyError> {
    format!("{task}#{attempt}").parse()
}

/// The task whose attempt a ticket is of: all its attempts are one case, seen more than once.
pub fn task_of(group: &GroupId) -> &str {
    let group = group.as_str();
    group.rsplit_once('#').map_or(group, |(task, _)| task)
}

/// Makes the ticket of a review.
pub fn ticket(reviewed: &Reviewed<'_>) -> Result<ReviewTicket, KeyError> {
    let Reviewed { spec, review, verdict, .. } = *reviewed;
    let group = group(&spec.task_id, reviewed.attempt)?;
    let items = items(spec, reviewed.evidence, reviewed.proofs).into_iter();
    let items =
        items.map(|(name, text)| Item { name: name.to_owned(), text: plain(&text, &group) });
    Ok(ReviewTicket {
        mission: MissionName::of_judge(reviewed.task_type),
        label: label(review.outcome),
        items: items.collect(),
        label_reason: review.because.as_deref().map(|it| head(it, limit::REASON)),
        label_source: label_source(&review.actor),
        label_timestamp: review.reviewed_at.to_string(),
        labeler: review.actor.to_string(),
        // A reviewer is shown the verdict, if there is one and they did not ask not to be.
        blind: review.blind || verdict.is_none(),
        // Who saw the verdict follows it, so only a blind review is what was asked for.
        way: reviewed.draw.filter(|_| review.blind).and_then(Outcome::way),
        criteria_version: reviewed.criteria_version,
        meta: Meta {
            task_id: spec.task_id.clone(),
            attempt: reviewed.attempt,
            order: reviewed.order,
            judge_decision: verdict.map(|it| it.judge_decision),
            guidance_used: verdict.and_then(|it| it.guidance_used),
        },
        group_id: group,
    })
}

/// A person's acceptance is a pass; no review is both.
fn label(outcome: ReviewOutcome) -> Label {
    match outcome {
        ReviewOutcome::Approved => Label::Pass,
        ReviewOutcome::Rejected => Label::Fail,
    }
}

/// Who gave the label: only what came through a person's door is a person's.
fn label_source(actor: &Actor) -> LabelSource {
    match actor.source {
        Source::Cli | Source::Web | Source::Telegram => LabelSource::Human,
        Source::Agent | Source::Provost => LabelSource::Other(actor.to_string()),
    }
}

/// The evidence, in the order in which it is shown, to a model or to a person who reviews blind.
pub fn items(
    spec: &TaskSpec,
    evidence: &Evidence,
    proofs: Option<&Proofs>,
) -> Vec<(&'static str, String)> {
    let items = [
        ("goal", head(&spec.goal, limit::GOAL)),
        ("acceptance", head(&spec.acceptance, limit::GOAL)),
        ("diff_summary", diff_summary(evidence)),
        ("commands", commands(evidence)),
        ("findings", head(&findings(&evidence.findings), limit::FINDINGS)),
        ("claims", proofs.map(claims).unwrap_or_default()),
        ("agent_words", tail(&evidence.coder_output.text, limit::WORDS)),
    ];
    items.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect()
}

fn diff_summary(evidence: &Evidence) -> String {
    let paths = &evidence.git.changed_paths;
    let list = head(&paths.join("\n"), limit::FILES);
    format!(
        "{} files changed\n{list}\n\n{}",
        paths.len(),
        head(&evidence.git.diff.text, limit::DIFF)
    )
}

/// What was run and how it ended; what was not run is said not to have been.
fn commands(evidence: &Evidence) -> String {
    let test = match evidence.test.rc {
        None => "test: not run\n".to_owned(),
        Some(rc) => {
            format!("test: exit code {rc}\n{}\n", tail(&evidence.test.log_tail.text, limit::LOG))
        }
    };
    let ran = evidence.commands.iter().map(|it| format!("{}: exit code {}\n", it.cmd, it.rc));
    format!("{test}{}", head(&ran.collect::<Vec<_>>().concat(), limit::LOG))
}

fn findings(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|it| format!("{} {}: {}\n", it.rule, it.subject, it.message));
    lines.collect::<Vec<_>>().concat()
}

fn claims(proofs: &Proofs) -> String {
    let (facts, words) = (story::lines(proofs), story::claims(proofs));
    format!("{}\n{}", head(&facts, limit::CLAIMS), head(&words, limit::CLAIMS))
}

/// The start of a text, without secrets: what is cut is cut after it was looked through.
fn head(text: &str, bytes: usize) -> String {
    said(Excerpt::head(&clean(text), bytes))
}

/// The end of a text, in the same way.
fn tail(text: &str, bytes: usize) -> String {
    said(Excerpt::tail(&clean(text), bytes))
}

fn clean(text: &str) -> String {
    String::from_utf8_lossy(&redact(text.as_bytes())).into_owned()
}

fn said(part: Excerpt) -> String {
    let Excerpt { text, total_bytes, truncated, .. } = part;
    if truncated { format!("{text}\n[cut: {total_bytes} bytes in all]") } else { text }
}

/// A text that does not name its own ticket. One that does is refused where tickets are read, and
/// an agent could write it to keep a rejection from being learned from.
fn plain(text: &str, group: &GroupId) -> String {
    let plain = text.replace(&format!("{group}::"), &format!("{group}: :"));
    let names = |label| names_key(&plain, &TicketKey::new(group.clone(), label));
    if !names(Label::Pass) && !names(Label::Fail) {
        return plain;
    }
    // It is spelt in another way: no two colons stay together, however they are written.
    let mut apart = ticket::plain(&plain);
    while apart.contains("::") {
        apart = apart.replace("::", ": :");
    }
    apart
}

/// What a judge answered: a question is not an answer.
pub fn answer(decision: VerdictDecision) -> Option<Label> {
    match decision {
        VerdictDecision::Pass => Some(Label::Pass),
        VerdictDecision::Fail => Some(Label::Fail),
        VerdictDecision::NeedUserInput => None,
    }
}

impl ReviewTicket {
    /// What the judge answered, if it did.
    pub fn judge(&self) -> Option<Label> {
        self.meta.judge_decision.and_then(answer)
    }
}

#[cfg(test)]
mod tests;
