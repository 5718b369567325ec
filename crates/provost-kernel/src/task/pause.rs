//! Why a task waits for a person.

use crate::words::words;

words! {
    /// The reason of a pause. Codes that provost folds into one are read and never written.
    pub enum PauseCode {
        /// The agent or judge that the task names is not installed or not known.
        AdapterMissing = "PAUSED_ADAPTER_MISSING"
            | "PAUSED_CODEX_MISSING"
            | "PAUSED_CURSOR_MISSING"
            | "PAUSED_CODER_CCB_UNAVAILABLE"
            | "PAUSED_UNSUPPORTED_PROVIDER",
        /// The coordinator ended in the middle of an attempt.
        Crash = "PAUSED_CRASH",
        /// The task's repository is not a git repository.
        NotGitRepo = "PAUSED_NOT_GIT_REPO",
        /// Another task has this id already.
        TaskIdConflict = "PAUSED_TASK_ID_CONFLICT",
        /// The coder ended with an error.
        CoderFailed = "PAUSED_CODER_FAILED" | "PAUSED_ROLE_FAILED",
        /// The coder changed nothing and replied nothing.
        CoderNoOutput = "PAUSED_CODER_NO_OUTPUT" | "PAUSED_CODER_NO_PROGRESS",
        /// The coder is not authorised.
        CoderAuth = "PAUSED_CODER_AUTH_195",
        /// The judge is not authorised.
        JudgeAuth = "PAUSED_JUDGE_AUTH_195",
        /// A provider's quota is spent.
        Quota = "PAUSED_QUOTA",
        /// The dependencies of the base cannot be installed.
        PrepareFailed = "PAUSED_PREPARE_FAILED",
        /// The test command cannot be run on the base.
        TestNotRun = "PAUSED_TEST_NOT_RUN",
        /// The judge cannot be started.
        JudgeInvalid = "PAUSED_JUDGE_INVALID",
        /// The judge ran into its time limit.
        JudgeTimeout = "PAUSED_JUDGE_TIMEOUT",
        /// What the judge replied breaks the contract of a verdict.
        VerdictInvalid = "PAUSED_JUDGE_VERDICT_INVALID",
        /// What the judge replied contradicts itself.
        VerdictInconsistent = "PAUSED_JUDGE_VERDICT_INCONSISTENT",
        /// The task or the verdict uses a scoring mode that cannot approve.
        ModeInvalid = "PAUSED_JUDGE_MODE_INVALID",
        /// The coder ran into its time limit.
        CoderTimeout = "PAUSED_CODER_TIMEOUT",
        /// The test ran into its time limit.
        TestTimeout = "PAUSED_TEST_TIMEOUT",
        /// A file outside the allowed paths was changed.
        AllowedPaths = "PAUSED_ALLOWED_PATHS",
        /// A file that may never change was changed.
        ForbiddenGlobs = "PAUSED_FORBIDDEN_GLOBS",
        /// The change carries a secret.
        Secrets = "PAUSED_SECRETS",
        /// An agent reached the end of the task's budget, or the next attempt would exceed it.
        Budget = "PAUSED_BUDGET",
        /// A person paused the task.
        User = "PAUSED_USER",
        /// The judge asks a person.
        WaitingUserInput = "PAUSED_WAITING_USER_INPUT",
        /// A hard gate or a forcing penalty stopped the verdict.
        ScoreGated = "PAUSED_SCORE_GATED",
        /// A threshold of the task is not met.
        ScoreBelowThreshold = "PAUSED_SCORE_BELOW_THRESHOLD",
    }
}

words! {
    /// What kind of thing went wrong, for people who look at many tasks.
    pub enum PauseCategory {
        Infra = "PAUSED_INFRA",
        Judge = "PAUSED_JUDGE",
        Timeout = "PAUSED_TIMEOUT",
        Policy = "PAUSED_POLICY",
        Manual = "PAUSED_MANUAL",
        Score = "PAUSED_SCORE",
    }
}

impl PauseCode {
    /// The category of the code.
    pub fn category(self) -> PauseCategory {
        match self {
            Self::AdapterMissing
            | Self::Crash
            | Self::NotGitRepo
            | Self::TaskIdConflict
            | Self::CoderFailed
            | Self::CoderNoOutput
            | Self::CoderAuth
            | Self::JudgeAuth
            | Self::Quota
            | Self::PrepareFailed
            | Self::TestNotRun => PauseCategory::Infra,
            Self::JudgeInvalid
            | Self::JudgeTimeout
            | Self::VerdictInvalid
            | Self::VerdictInconsistent
            | Self::ModeInvalid => PauseCategory::Judge,
            Self::CoderTimeout | Self::TestTimeout => PauseCategory::Timeout,
            Self::AllowedPaths | Self::ForbiddenGlobs | Self::Secrets | Self::Budget => {
                PauseCategory::Policy
            }
            Self::User | Self::WaitingUserInput => PauseCategory::Manual,
            Self::ScoreGated | Self::ScoreBelowThreshold => PauseCategory::Score,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_category() {
        let of = |category: PauseCategory| -> Vec<&str> {
            let codes = PauseCode::ALL.iter().filter(|it| it.category() == category);
            codes.map(|it| it.as_str().strip_prefix("PAUSED_").unwrap()).collect()
        };
        assert_eq!(
            of(PauseCategory::Infra),
            [
                "ADAPTER_MISSING",
                "CRASH",
                "NOT_GIT_REPO",
                "TASK_ID_CONFLICT",
                "CODER_FAILED",
                "CODER_NO_OUTPUT",
                "CODER_AUTH_195",
                "JUDGE_AUTH_195",
                "QUOTA",
                "PREPARE_FAILED",
                "TEST_NOT_RUN",
            ],
        );
        assert_eq!(
            of(PauseCategory::Judge),
            [
                "JUDGE_INVALID",
                "JUDGE_TIMEOUT",
                "JUDGE_VERDICT_INVALID",
                "JUDGE_VERDICT_INCONSISTENT",
                "JUDGE_MODE_INVALID",
            ],
        );
        assert_eq!(of(PauseCategory::Timeout), ["CODER_TIMEOUT", "TEST_TIMEOUT"]);
        assert_eq!(
            of(PauseCategory::Policy),
            ["ALLOWED_PATHS", "FORBIDDEN_GLOBS", "SECRETS", "BUDGET"],
        );
        assert_eq!(of(PauseCategory::Manual), ["USER", "WAITING_USER_INPUT"]);
        assert_eq!(of(PauseCategory::Score), ["SCORE_GATED", "SCORE_BELOW_THRESHOLD"]);
    }

    #[test]
    fn codes_of_other_versions_are_read_as_ours() {
        for (text, expected) in [
            ("PAUSED_CODEX_MISSING", Some(PauseCode::AdapterMissing)),
            ("PAUSED_CURSOR_MISSING", Some(PauseCode::AdapterMissing)),
            ("PAUSED_CODER_NO_PROGRESS", Some(PauseCode::CoderNoOutput)),
            ("PAUSED_ROLE_FAILED", Some(PauseCode::CoderFailed)),
            ("PAUSED_TOMORROW", None),
            ("", None),
        ] {
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
        assert_eq!(PauseCode::AdapterMissing.to_string(), "PAUSED_ADAPTER_MISSING");
    }
}
