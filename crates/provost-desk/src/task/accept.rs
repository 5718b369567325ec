//! Findings that a person accepts: which there are, and the newest attempt decided again.

use std::collections::BTreeMap;

use provost_kernel::{
    AttemptNumber, Digest, RecordFile, TaskId,
    task::{Checked, DecisionRecord, EventKind, Note, Standing, Status, TestProof},
};
use provost_rules_task::{accept, decision::decide, proven::TESTS, status as statuses};
use provost_vault::{AttemptFile, read_record, write_json};

use super::OpenTask;
use crate::{DISK, Desk, DeskError};

/// What can be accepted of the newest attempt of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acceptable {
    pub attempt: u16,
    /// The files that the findings are about.
    pub digest: Option<Digest>,
    /// What each finding says, by its code.
    pub findings: BTreeMap<String, Vec<String>>,
}

/// How an attempt was decided, and what its test proves.
struct Decided {
    record: RecordFile<DecisionRecord>,
    proof: Option<TestProof>,
}

impl Desk {
    /// What can be accepted of the newest attempt.
    pub fn acceptable(&self, task: &TaskId) -> Result<Acceptable, DeskError> {
        self.acceptable_of(&self.look(task)?.trusted()?.status.value)
    }

    /// What can be accepted of the attempt that a status names.
    pub(super) fn acceptable_of(&self, status: &Status) -> Result<Acceptable, DeskError> {
        let Some(Decided { record, proof }) = self.decided(status)? else {
            return Ok(Acceptable::default());
        };
        let findings = accept::acceptable(&record.value, proof.as_ref());
        let digest = proof.and_then(|it| it.digest);
        Ok(Acceptable { attempt: status.current_attempt, digest, findings })
    }

    /// What of the newest result only a person can decide on, and no person has accepted, by its code.
    pub fn open_concerns(&self, status: &Status) -> Result<Vec<String>, DeskError> {
        let Some(Decided { record, proof }) = self.decided(status)? else { return Ok(Vec::new()) };
        Ok(accept::open_concerns(&record.value, proof.as_ref(), &status.accepted))
    }

    /// Whether the newest attempt was decided with a test that failed.
    pub(super) fn is_test_red(&self, status: &Status) -> Result<bool, DeskError> {
        let Some(Decided { record, proof }) = self.decided(status)? else { return Ok(false) };
        // A green one is put to the proof.
        let is_red = |it: &Checked| it.name == TESTS && it.standing == Standing::Failed;
        Ok(proof.is_none() && record.value.checks.iter().any(is_red))
    }

    /// How the newest attempt was decided, and what its test proves.
    fn decided(&self, status: &Status) -> Result<Option<Decided>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let task = &status.task_id;
        let Some(record) = self.files(task).decision(attempt)?.present() else { return Ok(None) };
        let at = self.layout.attempt_file(task, attempt, AttemptFile::TestProof);
        let proof = read_record::<_, TestProof>(&DISK, &at)?.present().map(|it| it.value);
        Ok(Some(Decided { record, proof }))
    }
}

impl OpenTask<'_> {
    /// Decides the newest attempt again, now that a person has accepted something that spoke against
    /// it. The record of the decision is written first, as for any decision.
    pub(super) fn reconsider(
        &self,
        status: &mut Status,
        notes: &mut Vec<Note>,
    ) -> Result<(), DeskError> {
        let Some(Decided { mut record, proof }) = self.desk().decided(status)? else {
            return Ok(());
        };
        let facts = accept::reconsider(&record.value, proof.as_ref(), &status.accepted);
        let Some(facts) = facts else { return Ok(()) };
        let decision = decide(&facts);
        // The attempt was counted when it ended. One write, one version.
        let version = status.state_version;
        *status = statuses::after(status, &decision, &facts, status.updated_at);
        status.state_version = version;
        notes.push(Note::new(EventKind::StateChanged, decision.next_state.as_str()));
        let is_counted = record.value.decision.consume_attempt;
        (record.value.facts, record.value.decision) = (facts, decision);
        record.value.decision.consume_attempt = is_counted;
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(()) };
        let layout = self.desk().layout();
        let at = layout.attempt_file(self.task(), attempt, AttemptFile::Decision);
        write_json(&DISK, &at, &record)?;
        Ok(())
    }
}
