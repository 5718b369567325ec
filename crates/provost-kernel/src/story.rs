//! The words of `story`: a plan, what an agent claims about it, and what its change touches.
//!
//! These are the shapes that files, tools and rules share. What follows from them is judged in
//! `provost-rules-story`.

mod branch;
mod claim;
mod disk;
mod event;
mod execution;
mod id;
mod plan;
mod proof;
mod record;
mod scope;

pub use self::{
    branch::{BranchName, BranchNameError},
    claim::{
        BaseTests, ClaimResult, ClaimVerdict, CriterionClaim, CriterionStatus, EvidenceLabel,
        EvidenceResult, GateClaim, GateKind, GateOutcome, GateResult, KeptEvidence, ScopeOutcome,
        StoryUpdate, TestFacts, TreeId,
    },
    disk::{DiskRules, LineEndings},
    event::{
        BaseRun, Declared, EventBody, EventKind, ExecutionChange, GateRun, Imported, Rebased,
        Replanned, Started, StoryEvent, StoryOutcome, StoryState, Updated, Verified, Waived,
    },
    execution::{Execution, ExecutionId, ExecutionIdError, ExecutionProgress, ExecutionStatus},
    id::{CriterionId, CriterionIdError, StoryId, StoryIdError},
    plan::{Criterion, Plan, PlanPriority, Story},
    proof::{EvidenceProof, ProofNeed, VerifyOnBase},
    record::{
        AppliedEvent, AttemptRecord, DeclarationRecord, ExecutionSummary, FirstSubmissions,
        LegacyStory, StoryCount, StoryName, StoryRow, WaiverRecord,
    },
    scope::{
        Declaration, DeltaKind, Deviation, ExcludedFiles, Explanation, FileDelta, ScopeLimits,
        ScopePart, ScopeReport, ScopeResult,
    },
};
