//! What a person did about a pause that no attempt was told of yet.

use std::collections::BTreeSet;

use provost_kernel::task::{OverrideVersion, PauseCode, State, Status, UserInput};

use crate::{Desk, DeskError};

/// What a person did about the newest pause of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// What was answered, in order.
    pub answers: Vec<String>,
    /// The fields of the spec that were changed.
    pub edited: BTreeSet<String>,
}

impl Desk {
    /// What a person did about the newest pause of a task; nothing for one that is not paused.
    pub fn response(&self, status: &Status) -> Result<Response, DeskError> {
        if status.state != State::Paused {
            return Ok(Response::default());
        }
        let files = self.files(&status.task_id);
        Ok(response(status, &files.user_input()?, &files.overrides()?))
    }

    /// What a person said to a task and no attempt was told yet.
    pub fn untold(&self, status: &Status) -> Result<Vec<String>, DeskError> {
        let consumed = status.last_user_input_seq_consumed.unwrap_or(0);
        let said = self.files(&status.task_id).user_input()?.into_iter();
        let said = said.filter(|it| it.seq > consumed).map(|it| it.text);
        Ok(said.chain(status.next_instruction.clone()).collect())
    }
}

impl Response {
    /// Whether the task goes on by itself once it is told: its question is answered, and an attempt is
    /// left for the answer.
    pub fn lets_go_on(&self, status: &Status) -> bool {
        status.pause_reason_code == Some(PauseCode::WaitingUserInput)
            && self.is_answered()
            && status.attempts_consumed < status.effective_max_attempts
    }

    /// Whether a question was answered.
    pub fn is_answered(&self) -> bool {
        !self.answers.is_empty()
    }
}

/// What was said and changed since the task came to its state.
fn response(status: &Status, said: &[UserInput], versions: &[OverrideVersion]) -> Response {
    let since = status.last_transition.as_ref().and_then(|it| it.triggered_at);
    let is_told = |it: &UserInput| it.seq <= status.last_user_input_seq_consumed.unwrap_or(0);
    let answers = said
        .iter()
        // What was said before the question is not an answer to it.
        .filter(|it| !is_told(it) && since.is_none_or(|since| it.ts >= since))
        .map(|it| it.text.clone())
        .collect();
    let is_earlier = |it: &&OverrideVersion| since.is_some_and(|since| it.updated_at < since);
    let before = versions.iter().rfind(is_earlier).map(|it| it.overrides.fields.clone());
    let before = before.unwrap_or_default();
    let now = &status.edited;
    let changed = now.keys().chain(before.keys()).filter(|it| now.get(*it) != before.get(*it));
    Response { answers, edited: changed.cloned().collect() }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Actor, Millis, Source, Timestamp,
        task::{ErrorClass, Overrides, Role},
    };
    use provost_rules_task::{decision::decide, facts, status as statuses};
    use serde_json::json;

    use super::*;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from(Millis(seconds * 1000))
    }

    fn said(seq: u64, seconds: u64) -> UserInput {
        let text = format!("answer {seq}");
        UserInput { seq, ts: at(seconds), text, request_id: None, actor: None }
    }

    fn version(seconds: u64, key: &str) -> OverrideVersion {
        let mut overrides = Overrides::default();
        overrides.fields.insert(key.to_owned(), json!(1));
        OverrideVersion {
            version: 1,
            task_id: "t1".parse().unwrap(),
            overrides,
            request_id: None,
            updated_at: at(seconds),
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            rolled_back_to: None,
        }
    }

    #[test]
    fn a_response_comes_after_the_pause_and_before_the_next_attempt() {
        let new = Status::new("t1".parse().unwrap(), at(0), 3);
        let facts = facts::of_step(&new, Role::Coordinator, 0, ErrorClass::TestNotRun);
        let mut paused = statuses::after(&new, &decide(&facts), &facts, at(100));
        let all = [said(1, 50), said(2, 60), said(3, 100), said(4, 200)];
        let answers = |status: &Status| response(status, &all, &[]).answers;
        assert_eq!(answers(&paused), ["answer 3", "answer 4"]);
        paused.last_user_input_seq_consumed = Some(3);
        assert_eq!(answers(&paused), ["answer 4"]);

        paused.edited = version(50, "test_cmd").overrides.fields;
        let edited = |versions: &[OverrideVersion]| {
            response(&paused, &[], versions).edited.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(edited(&[version(50, "test_cmd")]), [""; 0]);
        assert_eq!(edited(&[version(150, "test_cmd")]), ["test_cmd"]);
        let both = edited(&[version(50, "coder"), version(150, "test_cmd")]);
        assert_eq!(both, ["coder", "test_cmd"]);
    }
}
