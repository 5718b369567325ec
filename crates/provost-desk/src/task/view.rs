//! Everything that is known of one task.

use std::{thread::sleep, time::Duration};

use provost_kernel::{
    AttemptNumber, RecordFile, TaskId, Text,
    task::{
        Acceptance, BaseTest, Checked, DecisionRecord, Metrics, ScoreOf100, Status, TaskSpec,
        TestOutcome, TestProof,
    },
};
use provost_rules_task::{accept, edit::edited};
use provost_vault::{AttemptFile, Location, Stored, read_json, read_record};
use serde::{Deserialize, Serialize};

use super::{Looked, Next, Proof, checks::Evidence};
use crate::{DISK, Desk, DeskError};

/// A task, with its attempts.
#[derive(Clone, Debug)]
pub struct View {
    pub looked: Looked,
    /// None when it cannot be read.
    pub spec: Option<RecordFile<TaskSpec>>,
    /// Every attempt that has a folder, in order; a reset removes none.
    pub attempts: Vec<AttemptView>,
    /// What the test of the newest attempt proves; none unless it was green.
    pub proof: Option<TestProof>,
    /// How the test comes out on the base; none before it ran there.
    pub base: Option<BaseView>,
    /// What a person can do now.
    pub next: Vec<Next>,
    /// Files that are there and cannot be understood, as paths.
    pub unreadable: Vec<String>,
}

/// How the test comes out on the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BaseView {
    pub command: String,
    pub commit: String,
    pub rc: i32,
    /// How many tests were recorded; none where the runner is not known.
    pub passed: Option<usize>,
    pub failed: Option<usize>,
    pub skipped: Option<usize>,
    /// What is said about a red base.
    pub message: Option<Text>,
}

/// What an attempt left on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AttemptView {
    pub attempt: u16,
    /// None while it runs, and for one that a crash cut off.
    pub decision: Option<DecisionRecord>,
    pub metrics: Option<Metrics>,
    /// None without a verdict on a rubric.
    pub final_score_0_100: Option<ScoreOf100>,
}

/// What a list of attempts needs of a verdict, of whatever kind it is.
#[derive(Deserialize)]
struct Scored {
    #[serde(default)]
    final_score_0_100: Option<ScoreOf100>,
}

impl Desk {
    /// Looks at a task and reads everything that is known of it.
    pub fn view(&self, task: &TaskId) -> Result<View, DeskError> {
        let looked = self.look_patiently(task)?;
        let mut unreadable = Vec::new();
        let files = self.files(task);
        let spec = kept(files.spec()?, &self.layout.task_spec(task), &mut unreadable);
        let changes = &looked.status.value.edited;
        let spec = spec.map(|it| edited(&it, changes)).transpose()?;
        let mut attempts = Vec::new();
        for attempt in files.attempts()? {
            attempts.push(self.attempt(task, attempt, &mut unreadable)?);
        }
        let at = self.layout.base_test(task);
        let base = kept(read_record::<_, BaseTest>(&DISK, &at)?, &at, &mut unreadable);
        let base = base.map(|it| BaseView::of(&it.value));
        let proof = self.proof(&looked.status.value, &mut unreadable)?;
        let mut next = Vec::new();
        // Where the state cannot be trusted every order would be refused.
        if looked.altered.is_none() {
            next = self.next(&looked.status.value)?;
            let findings = self.acceptable(task)?.findings.into_keys();
            next.extend(findings.map(|it| super::next::accept(task, &it)));
        }
        Ok(View { looked, spec, attempts, proof, base, next, unreadable })
    }

    fn proof(
        &self,
        status: &Status,
        unreadable: &mut Vec<String>,
    ) -> Result<Option<TestProof>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout.attempt_file(&status.task_id, attempt, AttemptFile::TestProof);
        let proof = kept(read_record::<_, TestProof>(&DISK, &at)?, &at, unreadable);
        Ok(proof.map(|it| it.value))
    }

    /// Looks at a task; one that somebody has only just taken hold of is looked at again, because
    /// that may be another reader who is about to write that its coordinator is gone.
    fn look_patiently(&self, task: &TaskId) -> Result<Looked, DeskError> {
        const PAUSE: Duration = Duration::from_millis(50);
        const TRIES: u32 = 10;
        let mut looked = self.look(task)?;
        for _ in 0..TRIES {
            let since = looked.holder.as_ref().map(|it| it.since.seconds());
            let is_new = since.is_some_and(|it| self.clock.now().seconds() - it < 2);
            let is_unnamed = looked.status.value.is_driven() && since.is_none();
            if !is_new && !is_unnamed {
                break;
            }
            sleep(PAUSE);
            looked = self.look(task)?;
        }
        Ok(looked)
    }

    pub(super) fn attempt(
        &self,
        task: &TaskId,
        attempt: AttemptNumber,
        unreadable: &mut Vec<String>,
    ) -> Result<AttemptView, DeskError> {
        use provost_vault::AttemptFile::{Decision, Metrics};
        let files = self.files(task);
        let at = |file| self.layout.attempt_file(task, attempt, file);
        let verdict = self.layout.verdict(task, attempt);
        let decision = kept(files.decision(attempt)?, &at(Decision), unreadable);
        let metrics = kept(files.metrics(attempt)?, &at(Metrics), unreadable);
        let scored = kept(read_json::<_, Scored>(&DISK, &verdict)?, &verdict, unreadable);
        Ok(AttemptView {
            attempt: attempt.get(),
            decision: decision.map(|it| it.value),
            metrics: metrics.map(|it| it.value),
            final_score_0_100: scored.and_then(|it| it.final_score_0_100),
        })
    }
}

impl BaseView {
    fn of(base: &BaseTest) -> Self {
        let count = |outcome| base.tests.as_ref().map(|_| base.count(outcome));
        Self {
            command: base.command.clone(),
            commit: base.commit.clone(),
            rc: base.rc,
            passed: count(TestOutcome::Passed),
            failed: count(TestOutcome::Failed),
            skipped: count(TestOutcome::Skipped),
            message: base.text(),
        }
    }
}

impl View {
    pub fn status(&self) -> &Status {
        &self.looked.status.value
    }

    /// The newest attempt since the task was last reset.
    pub fn current(&self) -> Option<&AttemptView> {
        self.attempts.iter().find(|it| it.attempt == self.status().current_attempt)
    }

    /// What people accepted of the newest attempt.
    pub fn accepted(&self) -> Vec<Acceptance> {
        let status = self.status();
        accept::of_attempt(&status.accepted, status.current_attempt).cloned().collect()
    }

    /// What was checked in the newest attempt, and what was not.
    pub fn checks(&self) -> Vec<Checked> {
        self.evidence(&self.accepted()).checks()
    }

    /// How far the result of the newest attempt is proven; none where no test says anything.
    pub fn proof_word(&self) -> Option<Proof> {
        self.evidence(&self.accepted()).proof()
    }

    /// Whether the tests judge this task: what was verified decides, and no model is asked.
    pub fn is_judged_by_tests(&self) -> bool {
        let Some(spec) = self.spec.as_ref().map(|it| &it.value) else { return false };
        let is_asked =
            |it: &AttemptView| it.metrics.as_ref().is_some_and(|it| it.judge_rc.is_some());
        spec.judge.as_deref().is_none_or(|it| it == TaskSpec::TESTS)
            && self.status().verdict_summary.is_some()
            && spec.task_type.is_none()
            && !self.attempts.iter().any(is_asked)
    }

    fn evidence<'a>(&'a self, accepted: &'a [Acceptance]) -> Evidence<'a> {
        Evidence {
            decision: self.current().and_then(|it| it.decision.as_ref()),
            has_test: self.spec.as_ref().is_some_and(|it| it.value.test_cmd.is_some()),
            proof: self.proof.as_ref(),
            accepted,
        }
    }
}

/// What a file holds; one that cannot be understood is named.
fn kept<T>(stored: Stored<T>, at: &Location, unreadable: &mut Vec<String>) -> Option<T> {
    match stored {
        Stored::Present(value) => Some(value),
        Stored::Absent => None,
        Stored::Corrupt(_) => {
            unreadable.push(at.path().to_string());
            None
        }
    }
}
