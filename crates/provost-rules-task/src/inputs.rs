//! What people said: which attempt is told, and when it has been told.
//!
//! A text is told to an attempt whose coder gets to its end, and then to no other. An attempt
//! that broke off before that did not act on it, so the next one hears it again.

use provost_kernel::{
    Timestamp,
    task::{Review, ReviewOutcome, Role, Row, Status, UserInput},
};

/// What people said that no attempt has acted on yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingInput {
    pub texts: Vec<String>,
    /// The newest of them: its number, and when it was received.
    pub newest: Option<(u64, Timestamp)>,
    /// What a person wants done next.
    pub instruction: Option<String>,
    /// What a person refused.
    pub rejection: Option<Review>,
}

/// What no attempt has acted on yet, in order.
pub fn pending(status: &Status, inputs: &[UserInput]) -> PendingInput {
    let consumed = status.last_user_input_seq_consumed.unwrap_or(0);
    let mut pending: Vec<&UserInput> = inputs.iter().filter(|it| it.seq > consumed).collect();
    pending.sort_by_key(|it| it.seq);
    PendingInput {
        texts: pending.iter().map(|it| it.text.clone()).collect(),
        newest: pending.last().map(|it| (it.seq, it.ts)),
        instruction: status.next_instruction.clone(),
        rejection: status.review.clone().filter(|it| it.outcome == ReviewOutcome::Rejected),
    }
}

/// The status of a task whose attempt has acted on what it was told; what came in since stays.
#[must_use]
pub fn consumed(status: Status, pending: &PendingInput) -> Status {
    let review = status.review.filter(|it| pending.rejection.as_ref() != Some(it));
    let next_instruction =
        status.next_instruction.filter(|it| pending.instruction.as_ref() != Some(it));
    let (seq, ts) = match pending.newest {
        Some((seq, ts)) => (Some(seq), Some(ts)),
        None => (status.last_user_input_seq_consumed, status.last_user_input_ts_consumed),
    };
    Status {
        last_user_input_seq_consumed: seq,
        last_user_input_ts_consumed: ts,
        next_instruction,
        review,
        ..status
    }
}

/// Whether the coder of an attempt that ended this way has acted on the pending input.
pub fn were_heard(row: Row, role: Role) -> bool {
    match row {
        Row::Crash
        | Row::User
        | Row::CoderAuth
        | Row::CoderTimeout
        | Row::CoordinatorTimeout
        | Row::CoderFailed
        | Row::NotGitRepo
        | Row::TaskIdConflict
        | Row::AdapterMissing
        | Row::Budget => false,
        // A coder's own quota or second timeout; a judge's comes after the coder is done.
        Row::Quota | Row::TimeoutTwice => role != Role::Coder,
        Row::JudgeAuth
        | Row::TestTimeout
        | Row::JudgeTimeout
        | Row::VerdictInvalid
        | Row::VerdictInconsistent
        | Row::ModeInvalid
        | Row::CoderNoOutput
        | Row::AllowedPaths
        | Row::ForbiddenGlobs
        | Row::Secrets
        | Row::JudgeInvalid
        | Row::Gated
        | Row::NeedUserInput
        | Row::BelowThreshold
        | Row::Ready
        | Row::FailNextAttempt
        | Row::FailExhausted
        | Row::UnknownDecision => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(seq: u64, text: &str) -> UserInput {
        let ts = Timestamp::EPOCH;
        UserInput { seq, ts, text: text.to_owned(), request_id: None, actor: None }
    }

    #[test]
    fn what_was_acted_on_is_not_told_again() {
        let inputs = [input(2, "second"), input(1, "first")];
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        status.next_instruction = Some("do this".to_owned());

        let input = pending(&status, &inputs);
        assert_eq!(input.texts, ["first", "second"]);
        let after = consumed(status.clone(), &input);
        assert_eq!(after.last_user_input_seq_consumed, Some(2));
        assert_eq!(after.next_instruction, None);
        assert_eq!(pending(&after, &inputs), PendingInput::default());

        // Nothing new: what was consumed stays consumed.
        let still = consumed(after.clone(), &PendingInput::default());
        assert_eq!(still, after);
        // What came in while the attempt ran was not told to it.
        let mut later = status.clone();
        later.next_instruction = Some("do that".to_owned());
        assert_eq!(consumed(later, &input).next_instruction.as_deref(), Some("do that"));
        assert_eq!(consumed(status.clone(), &PendingInput::default()), status);
        // An attempt that broke off consumed nothing.
        assert_eq!(pending(&status, &inputs).texts.len(), 2);
    }

    #[test]
    fn a_coder_that_did_not_end_has_heard_nothing() {
        for (row, role, expected) in [
            (Row::Crash, Role::Coordinator, false),
            (Row::CoderTimeout, Role::Coder, false),
            (Row::TimeoutTwice, Role::Coder, false),
            (Row::TimeoutTwice, Role::Judge, true),
            (Row::Quota, Role::Coder, false),
            (Row::Quota, Role::Judge, true),
            (Row::NeedUserInput, Role::Judge, true),
            (Row::FailNextAttempt, Role::Judge, true),
            (Row::User, Role::Coordinator, false),
        ] {
            assert_eq!(were_heard(row, role), expected, "{row} {role}");
        }
    }
}
