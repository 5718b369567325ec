//! The decision table: what becomes of a task after an attempt (LOOP-B11, LOOP-B12).
//!
//! This is the only place that turns facts into a state. It is total: every combination of facts
//! has one row, and the compiler holds that. A row has one outcome, in `outcome`.

mod check;
mod text;

use provost_kernel::task::{
    Decision, ErrorClass, Facts, PauseCode, Role, Row, State, TimeoutKey, VerdictDecision,
};

pub use self::{
    check::{CheckedDecision, check},
    text::{budget_parts, budget_questions, meaning},
};

/// The exit code of a step that ran into its time limit.
pub const RC_TIMEOUT: i32 = 124;
/// The exit code of a step that is not authorised.
pub const RC_AUTH: i32 = 195;
/// So many timeouts of one kind in a row end the task (LOOP-B13).
const TIMEOUTS_THAT_FAIL: u32 = 2;

/// Decides what becomes of the task.
pub fn decide(facts: &Facts) -> Decision {
    let row = row(facts);
    let (next_state, pause_reason_code, consume_attempt, last_decision) = outcome(row);
    Decision {
        row,
        next_state,
        pause_reason_code,
        consume_attempt,
        last_decision,
        questions_for_user: text::questions(row, facts),
        message: text::message(row, facts),
    }
}

/// Finds the row: faults first, in the order of the table, then what the judge said.
fn row(facts: &Facts) -> Row {
    use ErrorClass as Class;

    // An exit code that has a meaning is a class, whatever else was noticed; only a crash of
    // provost itself says more.
    let class = match (facts.error_class, facts.rc) {
        (Class::Crash, _) => Class::Crash,
        (Class::Auth, _) | (_, RC_AUTH) => Class::Auth,
        (_, RC_TIMEOUT) => Class::Timeout,
        (class, _) => class,
    };
    match class {
        Class::None => step_row(facts),
        Class::Crash => Row::Crash,
        Class::Auth => match facts.role {
            Role::Judge => Row::JudgeAuth,
            Role::Coder | Role::Test | Role::Coordinator => Row::CoderAuth,
        },
        Class::Timeout => timeout_row(facts),
        Class::VerdictInvalid => Row::VerdictInvalid,
        Class::VerdictInconsistent => Row::VerdictInconsistent,
        Class::ModeInvalid => Row::ModeInvalid,
        Class::CoderFailed => Row::CoderFailed,
        Class::CoderNoOutput => Row::CoderNoOutput,
        Class::AllowedPaths => Row::AllowedPaths,
        Class::ForbiddenGlobs => Row::ForbiddenGlobs,
        Class::Secrets => Row::Secrets,
        Class::NotGitRepo => Row::NotGitRepo,
        Class::TaskIdConflict => Row::TaskIdConflict,
        Class::User => Row::User,
        Class::JudgeInvalid => Row::JudgeInvalid,
        Class::AdapterMissing => Row::AdapterMissing,
        Class::Budget => Row::Budget,
        Class::Quota => Row::Quota,
        Class::PrepareFailed => Row::PrepareFailed,
        Class::TestNotRun => Row::TestNotRun,
    }
}

/// The row of a timeout. A count of another kind of timeout is not a count of this one.
fn timeout_row(facts: &Facts) -> Row {
    let this = TimeoutKey::of(facts.role);
    let is_same_kind = facts.consecutive_timeout_key.is_none_or(|it| it == this);
    if is_same_kind && facts.consecutive_timeout_count >= TIMEOUTS_THAT_FAIL {
        return Row::TimeoutTwice;
    }
    match facts.role {
        Role::Coder => Row::CoderTimeout,
        Role::Test => Row::TestTimeout,
        Role::Judge => Row::JudgeTimeout,
        Role::Coordinator => Row::CoordinatorTimeout,
    }
}

/// The row of a step without a class: a step that ended with an error approves nothing.
fn step_row(facts: &Facts) -> Row {
    match (facts.role, facts.rc) {
        (_, 0) => verdict_row(facts, facts.verdict_decision),
        (Role::Coder, _) => Row::CoderFailed,
        (Role::Judge, _) => Row::VerdictInvalid,
        (Role::Coordinator, _) => Row::Crash,
        (Role::Test, _) => verdict_row(facts, facts.verdict_decision.map(lowered)),
    }
}

fn verdict_row(facts: &Facts, decision: Option<VerdictDecision>) -> Row {
    use VerdictDecision as Verdict;

    match decision {
        None => Row::UnknownDecision,
        // Whatever the judge said.
        Some(_) if facts.verdict_gated => Row::Gated,
        Some(Verdict::NeedUserInput) => Row::NeedUserInput,
        Some(Verdict::Pass | Verdict::Fail) if !facts.thresholds_pass => Row::BelowThreshold,
        Some(Verdict::Pass) => Row::Ready,
        Some(Verdict::Fail) if facts.current_attempt < facts.effective_max_attempts => {
            Row::FailNextAttempt
        }
        Some(Verdict::Fail) => Row::FailExhausted,
    }
}

/// What is left of a decision when a fact speaks against it.
///
/// An approval becomes a refusal. A question stays one: it approves nothing, and a person is to
/// read it.
pub(super) fn lowered(decision: VerdictDecision) -> VerdictDecision {
    match decision {
        VerdictDecision::Pass | VerdictDecision::Fail => VerdictDecision::Fail,
        VerdictDecision::NeedUserInput => VerdictDecision::NeedUserInput,
    }
}

/// What a row means: the next state, the code of a pause, whether the attempt counts, and the
/// decision on record.
fn outcome(row: Row) -> (State, Option<PauseCode>, bool, VerdictDecision) {
    use PauseCode as Code;
    use VerdictDecision as Verdict;

    let asks = |code| (State::Paused, Some(code), false, Verdict::NeedUserInput);
    let asks_and_counts = |code| (State::Paused, Some(code), true, Verdict::NeedUserInput);
    let refuses = |code| (State::Paused, Some(code), true, Verdict::Fail);
    match row {
        Row::Crash => asks(Code::Crash),
        Row::JudgeAuth => asks(Code::JudgeAuth),
        Row::CoderAuth => asks(Code::CoderAuth),
        Row::CoderTimeout | Row::CoordinatorTimeout => asks(Code::CoderTimeout),
        Row::TestTimeout => asks_and_counts(Code::TestTimeout),
        Row::JudgeTimeout => asks(Code::JudgeTimeout),
        Row::VerdictInvalid | Row::UnknownDecision => asks(Code::VerdictInvalid),
        Row::VerdictInconsistent => asks(Code::VerdictInconsistent),
        Row::ModeInvalid => asks(Code::ModeInvalid),
        Row::CoderFailed => asks_and_counts(Code::CoderFailed),
        Row::CoderNoOutput => asks_and_counts(Code::CoderNoOutput),
        Row::AllowedPaths => asks(Code::AllowedPaths),
        Row::ForbiddenGlobs => asks(Code::ForbiddenGlobs),
        Row::Secrets => asks(Code::Secrets),
        Row::NotGitRepo => asks(Code::NotGitRepo),
        Row::TaskIdConflict => asks(Code::TaskIdConflict),
        Row::User => asks(Code::User),
        Row::JudgeInvalid => asks(Code::JudgeInvalid),
        Row::AdapterMissing => asks(Code::AdapterMissing),
        Row::Budget => asks(Code::Budget),
        Row::Quota => asks(Code::Quota),
        Row::PrepareFailed => asks(Code::PrepareFailed),
        Row::TestNotRun => asks(Code::TestNotRun),
        Row::Gated => refuses(Code::ScoreGated),
        Row::NeedUserInput => asks(Code::WaitingUserInput),
        Row::BelowThreshold => refuses(Code::ScoreBelowThreshold),
        Row::Ready => (State::ReadyForReview, None, false, Verdict::Pass),
        Row::FailNextAttempt => (State::Running, None, true, Verdict::Fail),
        Row::TimeoutTwice | Row::FailExhausted => (State::Failed, None, true, Verdict::Fail),
    }
}

#[cfg(test)]
mod tests;
