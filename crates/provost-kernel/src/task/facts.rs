//! What the decision table is asked, and what it answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PauseCode, Role, State, VerdictDecision};
use crate::{Text, words::words};

/// What happened in an attempt, gathered before the table is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Whose step the facts are about.
    pub role: Role,
    /// The exit code of that step; 124 is a timeout and 195 a lack of authorisation.
    pub rc: i32,
    /// What went wrong, where the exit code does not say it.
    pub error_class: ErrorClass,
    /// What the judge decided, after machine facts lowered it; none is unknown.
    pub verdict_decision: Option<VerdictDecision>,
    /// Whether a gate stopped the verdict, as provost computed it.
    pub verdict_gated: bool,
    /// Whether every threshold of the task is met.
    pub thresholds_pass: bool,
    /// Attempts consumed so far, and this one.
    pub current_attempt: u32,
    /// How many attempts may be consumed.
    pub effective_max_attempts: u32,
    /// How many timeouts of one kind came in a row, with this one.
    pub consecutive_timeout_count: u32,
    /// Of which kind they were; none is the kind of this step.
    pub consecutive_timeout_key: Option<TimeoutKey>,
    /// What the judge asks a person.
    pub questions_for_user: Vec<String>,
}

/// What becomes of the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// The row of the table that decided.
    pub row: Row,
    pub next_state: State,
    /// There is one exactly when the task is paused.
    pub pause_reason_code: Option<PauseCode>,
    /// Whether the attempt counts against the task's attempts.
    pub consume_attempt: bool,
    pub last_decision: VerdictDecision,
    /// What a person is asked; never empty when the task is paused.
    pub questions_for_user: Vec<Text>,
    /// What happened, in one sentence.
    pub message: Text,
}

words! {
    /// What went wrong in a step. The empty word is: nothing that the exit code does not say.
    pub enum ErrorClass {
        None = "",
        Timeout = "TIMEOUT",
        Auth = "AUTH",
        Crash = "CRASH",
        VerdictInvalid = "VERDICT_INVALID",
        VerdictInconsistent = "VERDICT_INCONSISTENT",
        ModeInvalid = "MODE_INVALID",
        CoderFailed = "CODER_FAILED",
        CoderNoOutput = "CODER_NO_OUTPUT",
        AllowedPaths = "ALLOWED_PATHS",
        ForbiddenGlobs = "FORBIDDEN_GLOBS",
        Secrets = "SECRETS",
        NotGitRepo = "NOT_GIT_REPO",
        TaskIdConflict = "TASK_ID_CONFLICT",
        User = "USER",
        JudgeInvalid = "JUDGE_INVALID",
        AdapterMissing = "ADAPTER_MISSING",
        Budget = "BUDGET",
        Quota = "QUOTA",
        PrepareFailed = "PREPARE_FAILED",
        TestNotRun = "TEST_NOT_RUN",
    }
}

words! {
    /// A kind of timeout: two of one kind in adjacent attempts end the task (LOOP-B13).
    pub enum TimeoutKey {
        Coder = "coder_timeout" | "PAUSED_CODER_TIMEOUT",
        Test = "test_timeout" | "PAUSED_TEST_TIMEOUT",
        Judge = "judge_timeout" | "PAUSED_JUDGE_TIMEOUT",
        Coordinator = "coordinator_timeout",
    }
}

words! {
    /// A row of the decision table, by its stable name.
    pub enum Row {
        Crash = "crash",
        JudgeAuth = "judge-auth",
        CoderAuth = "coder-auth",
        TimeoutTwice = "timeout-twice",
        CoderTimeout = "coder-timeout",
        TestTimeout = "test-timeout",
        JudgeTimeout = "judge-timeout",
        CoordinatorTimeout = "coordinator-timeout",
        VerdictInvalid = "verdict-invalid",
        VerdictInconsistent = "verdict-inconsistent",
        ModeInvalid = "mode-invalid",
        CoderFailed = "coder-failed",
        CoderNoOutput = "coder-no-output",
        AllowedPaths = "allowed-paths",
        ForbiddenGlobs = "forbidden-globs",
        Secrets = "secrets",
        NotGitRepo = "not-git-repo",
        TaskIdConflict = "task-id-conflict",
        User = "user",
        JudgeInvalid = "judge-invalid",
        AdapterMissing = "adapter-missing",
        Budget = "budget",
        Quota = "quota",
        PrepareFailed = "prepare-failed",
        TestNotRun = "test-not-run",
        Gated = "gated",
        NeedUserInput = "need-user-input",
        BelowThreshold = "below-threshold",
        Ready = "ready",
        FailNextAttempt = "fail-next-attempt",
        FailExhausted = "fail-exhausted",
        UnknownDecision = "unknown-decision",
    }
}

impl TimeoutKey {
    /// The kind of timeout that a step can have.
    pub fn of(role: Role) -> Self {
        match role {
            Role::Coder => Self::Coder,
            Role::Test => Self::Test,
            Role::Judge => Self::Judge,
            Role::Coordinator => Self::Coordinator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_in_both_forms_and_written_in_one() {
        for (text, expected) in [
            ("coder_timeout", Some(TimeoutKey::Coder)),
            ("PAUSED_CODER_TIMEOUT", Some(TimeoutKey::Coder)),
            ("PAUSED_TEST_TIMEOUT", Some(TimeoutKey::Test)),
            ("PAUSED_JUDGE_TIMEOUT", Some(TimeoutKey::Judge)),
            ("PAUSED_CRASH", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
        let keys: Vec<_> = Role::ALL.iter().map(|&it| TimeoutKey::of(it).as_str()).collect();
        assert_eq!(keys, ["coder_timeout", "test_timeout", "judge_timeout", "coordinator_timeout"]);
    }
}
