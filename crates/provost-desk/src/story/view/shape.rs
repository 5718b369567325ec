//! What is shown of plans and stories.

use provost_kernel::{
    Text, Timestamp,
    story::{CriterionId, ExecutionStatus, GateOutcome, ScopeLimits},
};
use schemars::JsonSchema;
use serde::Serialize;

/// All plans.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StoryBoard {
    /// What is going on, the one that changed last first.
    pub plans: Vec<PlanView>,
    pub next_cursor: Option<String>,
    /// What is over; only on the first page.
    pub history: Vec<PlanView>,
    pub totals: StoryTotals,
    /// Rules that refused updates, the busiest first.
    pub refusals: Vec<RefusalCount>,
}

/// Counts over the plans that are going on.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub struct StoryTotals {
    pub plans: usize,
    pub stories: usize,
    pub done: usize,
    pub contradicted: usize,
    pub stale: usize,
    pub criteria: usize,
    pub criteria_passing: usize,
    pub waivers: usize,
    /// Stories that were called done, and those of them whose evidence was complete the first time
    /// (STORY-6.3).
    pub submitted: u64,
    pub complete_at_first: u64,
    pub refused: u64,
}

/// How often a rule refused.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RefusalCount {
    pub rule: String,
    pub count: u64,
}

/// One plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanView {
    pub id: String,
    pub title: String,
    pub branch: String,
    pub plan: String,
    pub base: Option<String>,
    pub status: ExecutionStatus,
    pub status_reason: Option<String>,
    pub started_at: Timestamp,
    pub updated_at: Timestamp,
    pub merged_at: Option<Timestamp>,
    pub stories: Vec<StoryLine>,
    /// Why its stories cannot be shown.
    pub problem: Option<Text>,
}

/// One story in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StoryLine {
    /// How it is asked for.
    pub key: String,
    pub story_id: String,
    pub title: String,
    /// `US-001 2/3 AC` (STORY-2.3).
    pub label: Text,
    pub passing: usize,
    pub total: usize,
    /// `done`, `stale`, `contradicted`, `open`, `declared` or `not_begun`.
    pub standing: &'static str,
    pub criteria: Vec<CriterionMark>,
    pub declared_files: Option<usize>,
    pub stale: Option<Text>,
}

/// A criterion in a list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CriterionMark {
    pub id: CriterionId,
    /// `PROVEN`, `SHOWN`, `HOLDS`, `PRESENT`, `CLAIMED`, `HOLLOW`, `CONTRADICTED`, `STALE`, `NOT_RUN`
    /// or `WAIVED`.
    pub label: &'static str,
    pub passes: bool,
}

/// One story in full (STORY-2.4).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StoryView {
    #[serde(flatten)]
    pub line: StoryLine,
    pub branch: String,
    pub description: String,
    pub notes: String,
    pub evidence: Vec<CriterionView>,
    pub gates: Vec<GateView>,
    pub scope: ScopeView,
    /// What the last look found.
    pub findings: Vec<FindingView>,
    pub attempts: Vec<AttemptView>,
    /// What to do about a stale story.
    pub next: Vec<Text>,
}

/// A criterion with what is behind it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CriterionView {
    pub id: CriterionId,
    pub text: String,
    pub label: &'static str,
    pub passes: bool,
    /// How strong the proof has to be.
    pub needs: Option<&'static str>,
    pub command: Option<String>,
    pub exit: Option<i32>,
    pub tree: Option<String>,
    pub tail: Option<String>,
    pub note: Option<Text>,
    pub findings: Vec<String>,
    /// What the agent said.
    pub said: Option<String>,
    pub files: Vec<String>,
    pub tests: Vec<String>,
    pub blocked: Option<String>,
    pub waived: Option<WaiverView>,
}

/// Who does without a proof, and why.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WaiverView {
    pub actor: String,
    pub reason: String,
    pub at: Timestamp,
}

/// A gate of the last look.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GateView {
    pub name: String,
    pub outcome: GateOutcome,
    pub command: Option<String>,
    pub exit: Option<i32>,
    pub duration_ms: u64,
    pub required: bool,
}

/// How far the change goes.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScopeView {
    /// Measured where a limit was reached; unknown otherwise.
    pub files: Option<i64>,
    pub lines: Option<i64>,
    pub declared: Option<usize>,
    pub limits: ScopeLimits,
}

/// One thing that a rule noticed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FindingView {
    pub rule: String,
    pub severity: provost_kernel::Severity,
    pub subject: String,
    pub message: Text,
    pub hint: Option<Text>,
}

/// One update.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttemptView {
    pub seq: u64,
    pub at: Timestamp,
    pub result: provost_kernel::story::ClaimResult,
    /// Whether the agent called the story done.
    pub said_done: bool,
    pub is_done: bool,
    pub codes: Vec<String>,
}
