//! What people said: which attempt is told, and when it has been told.
//!
//! A text is told to an attempt whose coder gets to its end, and then to no other. An attempt
//! that broke off before that did not act on it, so the next one hears it again.

use std::collections::BTreeSet;

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

/// Everything that people said up to an attempt that was told `pending`: what its judge is told.
pub fn told(status: &Status, inputs: &[UserInput], pending: &PendingInput) -> Vec<String> {
    let consumed = status.last_user_input_seq_consumed.unwrap_or(0);
    let newest = pending.newest.map_or(consumed, |(seq, _)| seq.max(consumed));
    let mut told: Vec<&UserInput> = inputs.iter().filter(|it| it.seq <= newest).collect();
    told.sort_by_key(|it| it.seq);
    told.into_iter().map(|it| it.text.clone()).collect()
}

/// The words with which a person accepts a file by name, one to a line.
const ACCEPT: [&str; 2] = ["accept ", "接受 "];

/// The files that people accepted by name: `accept PATH`.
pub fn accepted(texts: &[String]) -> BTreeSet<String> {
    let lines = texts.iter().flat_map(|it| it.lines());
    let named = lines.filter_map(|line| ACCEPT.iter().find_map(|it| line.trim().strip_prefix(it)));
    let path = |it: &str| it.trim().trim_matches(['`', '"', '\'']).to_owned();
    named.map(path).filter(|it| !it.is_empty()).collect()
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
        | Row::TestNotRun
        | Row::Budget => false,
        // A coder's own quota or second timeout; a judge's comes after the coder is done.
        Row::Quota | Row::TimeoutTwice => role != Role::Coder,
        // The base is prepared before the coder works, and looked at again after a failed test.
        Row::PrepareFailed => role == Role::Test,
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

    /// Ruling 77: a judge is told what was said before, and not what the coder has not heard.
    #[test]
    fn a_judge_is_told_what_was_said_up_to_its_attempt() {
        let inputs = [input(2, "second"), input(1, "first"), input(3, "third")];
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        assert_eq!(told(&status, &inputs, &PendingInput::default()), Vec::<String>::new());
        let pending = pending(&status, &inputs[..2]);
        assert_eq!(told(&status, &inputs, &pending), ["first", "second"]);
        status.last_user_input_seq_consumed = Some(2);
        assert_eq!(told(&status, &inputs, &PendingInput::default()), ["first", "second"]);
    }

    #[test]
    fn a_file_is_accepted_by_its_name() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = accepted(&[text.to_owned()]).into_iter().collect();
            assert_eq!(found, expected, "{text}");
        };
        check("accept AGENTS.md", &["AGENTS.md"]);
        check(
            "accept `a b.md`\naccept .claude/settings.json\n",
            &[".claude/settings.json", "a b.md"],
        );
        check("接受 AGENTS.md", &["AGENTS.md"]);
        check("do not accept AGENTS.md", &[]);
        check("I accept", &[]);
        check("accept ", &[]);
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
