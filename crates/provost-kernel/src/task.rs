//! The words of `task`: a spec, the states and pauses of its run, verdicts, events and orders.
//!
//! These are the shapes that files, commands and rules share. What follows from them is judged in
//! `provost-rules-task`; what is kept in a file carries its schema and gives back what it does not know.

mod attempt;
mod budget;
mod check;
mod creation;
mod event;
mod evidence;
mod facts;
mod landing;
mod order;
mod pause;
mod proof;
mod score;
mod seal;
mod session;
mod setup;
mod spec;
mod state;
mod status;
mod summary;
mod test_proof;
mod thresholds;
mod verdict;
mod verification;

pub use self::{
    attempt::{Checked, DecisionRecord, Metrics, Standing},
    budget::{Budget, BudgetError, Usd, UsdError, Wall, WallError},
    check::{Check, CheckKind, CheckRun, CheckRuns, CheckState, CheckVerdict},
    creation::{Creation, CreationError},
    event::{AttemptDecided, Event, EventKind, EventLine, Note, StateChanged, UserInputReceived},
    evidence::{CommandEvidence, Evidence, Excerpt, GitEvidence, TestEvidence, Trust},
    facts::{Decision, ErrorClass, Facts, Row, TimeoutKey},
    landing::{BranchMove, LandMethod, LandedOn, Landing, short},
    order::{
        ChangeKind, Order, OrderRecord, OverrideVersion, Overrides, Seen, SpecChange, UserInput,
    },
    pause::{PauseCategory, PauseCode},
    proof::{CriterionProof, Proofs, StoryProof},
    score::{HalfPoints, Score, ScoreError, ScoreOf100, Weight},
    seal::{RunStep, Running, Seal, SealFact, SealStanding, TaskGroup},
    session::{SessionAgent, SessionRecord},
    setup::ProjectSetup,
    spec::{ContextMode, Expected, ScoringMode, SpecError, SpecProblem, TaskSpec, TaskType},
    state::{Checkpoint, Role, State, VerdictDecision},
    status::{Acceptance, AuditHead, Review, ReviewOutcome, Status, Terms, Transition},
    summary::{FinalSummary, IndexEntry},
    test_proof::{
        BaseTest, ProofCode, ProofCorner, ProofEffect, ProofFinding, ProofLabel, ProofLevel,
        ProofRequirement, ProofRun, RecordedTest, TestName, TestOutcome, TestProof,
    },
    thresholds::{ThresholdError, Thresholds},
    verdict::{PlainVerdict, Verdict, VerdictSummary},
    verification::{Strictness, VerifyOutcome},
};

crate::display_arguments!(
    CheckKind,
    EventKind,
    LandMethod,
    ScoringMode,
    State,
    TaskType,
    VerdictDecision
);
