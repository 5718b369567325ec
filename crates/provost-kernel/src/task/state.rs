//! Where a task stands, who acts in it, and where a person's pause takes effect.

use crate::words::words;

words! {
    /// The state of a task (LOOP-B19). `READY`, an older word, is read and never written.
    pub enum State {
        Running = "RUNNING",
        Paused = "PAUSED",
        ReadyForReview = "READY_FOR_REVIEW" | "READY",
        Failed = "FAILED",
    }
}

words! {
    /// A step of an attempt, or provost itself.
    pub enum Role {
        Coder = "coder",
        Test = "test",
        Judge = "judge",
        Coordinator = "coordinator",
    }
}

words! {
    /// A place in an attempt where a person's pause takes effect, in the order of the attempt.
    pub enum Checkpoint {
        BeforeCoder = "BEFORE_CODER",
        AfterCoder = "AFTER_CODER",
        BeforeTest = "BEFORE_TEST",
        AfterTest = "AFTER_TEST",
        BeforeJudge = "BEFORE_JUDGE",
        AfterJudge = "AFTER_JUDGE",
    }
}

words! {
    /// What a judge says of an attempt.
    pub enum VerdictDecision {
        Pass = "PASS",
        Fail = "FAIL",
        NeedUserInput = "NEED_USER_INPUT",
    }
}

impl State {
    /// Whether only a person's order moves the task on: neither the loop nor time does.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::ReadyForReview | Self::Failed => true,
            Self::Running | Self::Paused => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<State>) {
        assert_eq!(text.parse().ok(), expected, "{text}");
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(serde_json::from_str(&json).ok(), expected, "{text}");
    }

    /// LOOP-B19: four states, and `READY` is read as `READY_FOR_REVIEW` but never written.
    #[test]
    fn a_state_is_one_of_four() {
        check("RUNNING", Some(State::Running));
        check("PAUSED", Some(State::Paused));
        check("READY_FOR_REVIEW", Some(State::ReadyForReview));
        check("READY", Some(State::ReadyForReview));
        check("FAILED", Some(State::Failed));
        check("ready", None);
        check("", None);
        check("UNKNOWN", None);
        assert_eq!(
            serde_json::to_string(State::ALL).unwrap(),
            r#"["RUNNING","PAUSED","READY_FOR_REVIEW","FAILED"]"#,
        );
    }

    #[test]
    fn two_states_wait_for_a_person_alone() {
        let terminal: Vec<_> = State::ALL.iter().filter(|it| it.is_terminal()).collect();
        assert_eq!(terminal, [&State::ReadyForReview, &State::Failed]);
    }
}
