//! Everything that is known of one task.

use std::{thread::sleep, time::Duration};

use provost_kernel::{
    AttemptNumber, RecordFile, TaskId, Text, shorten_to,
    task::{
        Acceptance, BaseTest, Checked, DecisionRecord, EventKind, Metrics, Order, PauseCode,
        ScoreOf100, Standing, Status, TaskSpec, TestOutcome, TestProof,
    },
};
use provost_rules_task::{
    accept,
    edit::edited,
    evidence::{Class, Section, by_risk_complete},
    proven::{Evidence, PATHS, proof_text},
    reasons,
};
use provost_vault::{
    AttemptFile, Location, Stored, is_present, read_json, read_record, task::read_tail,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AttemptCount, Looked, Next, Printed, Proof, Response, StreamName};
use crate::{DISK, Desk, DeskError, LookError};

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
    /// What a person did about a pause.
    pub response: Response,
    /// How large the change of the newest attempt is; none where it delivered nothing.
    pub change: Option<ChangeSize>,
    /// The last lines that the agent wrote to standard error, where it failed.
    pub agent_said: Vec<String>,
    /// How the test comes out on the base; none before it ran there.
    pub base: Option<BaseView>,
    /// What a person can do now.
    pub next: Vec<Next>,
    /// Files that are there and cannot be understood, as paths.
    pub unreadable: Vec<String>,
}

/// How large a change is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSize {
    pub added: usize,
    pub removed: usize,
    /// What could bend a verdict comes first.
    pub files: Vec<ChangedPath>,
}

/// A file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedPath {
    pub path: String,
    pub class: Class,
    pub added: usize,
    pub removed: usize,
}

/// How the test comes out on the base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
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
    /// Why a person rejected its result, also where the next word was another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_because: Option<String>,
}

/// What a list of attempts needs of a verdict, of whatever kind it is.
#[derive(Deserialize)]
struct Scored {
    #[serde(default)]
    final_score_0_100: Option<ScoreOf100>,
}

/// The most of a patch that is read for its size.
const PATCH: u64 = 16 << 20;
/// The most of a log that is read for its last lines, how many of them are shown, and the longest.
const TAIL: u64 = 64 << 10;
const SAID: usize = 3;
const LONGEST: usize = 200;

impl Desk {
    /// Looks at a task and reads everything that is known of it.
    pub fn view(&self, task: &TaskId) -> Result<View, DeskError> {
        self.view_of(task, self.look_patiently(task)?)
    }

    /// Reads everything that is known of a task that was looked at.
    pub(crate) fn view_of(&self, task: &TaskId, looked: Looked) -> Result<View, DeskError> {
        let mut unreadable = Vec::new();
        let files = self.files(task);
        let spec = kept(files.spec()?, &self.layout.task_spec(task), &mut unreadable);
        let changes = &looked.status.value.edited;
        let spec = spec.map(|it| edited(&it, changes)).transpose()?;
        let mut attempts = Vec::new();
        for attempt in files.attempts()? {
            attempts.push(self.attempt(task, attempt, &mut unreadable)?);
        }
        self.add_rejections(task, &mut attempts);
        let at = self.layout.base_test(task);
        let base = kept(read_record::<_, BaseTest>(&DISK, &at)?, &at, &mut unreadable);
        let base = base.map(|it| BaseView::of(&it.value));
        let status = &looked.status.value;
        let proof = self.proof(status, &mut unreadable)?;
        let mut next = Vec::new();
        // Where the state cannot be trusted every order would be refused.
        if looked.altered.is_none() {
            next = self.next(status)?;
        }
        let response = self.response(status)?;
        let change = self.change(status)?;
        let agent_said = self.agent_said(status)?;
        Ok(View {
            looked,
            spec,
            attempts,
            proof,
            response,
            change,
            agent_said,
            base,
            next,
            unreadable,
        })
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

    /// What the test of the newest attempt proves; what cannot be read proves nothing.
    pub(crate) fn test_proof(&self, status: &Status) -> Result<Option<TestProof>, DeskError> {
        self.proof(status, &mut Vec::new())
    }

    /// What the test of the newest attempt proves, in one line.
    pub fn proof_text(&self, status: &Status) -> Result<Option<Text>, DeskError> {
        Ok(self.test_proof(status)?.map(|it| proof_text(&it)))
    }

    /// How large the change of the newest attempt is.
    fn change(&self, status: &Status) -> Result<Option<ChangeSize>, DeskError> {
        let Ok(attempt) = AttemptNumber::try_from(status.current_attempt) else { return Ok(None) };
        let at = self.layout.attempt_file(&status.task_id, attempt, AttemptFile::DiffPatch);
        if !is_present(&at) {
            return Ok(None);
        }
        let stat = self.diff_stat(&status.task_id, attempt)?;
        let sections = by_risk_complete(&read_tail(&DISK, &at, PATCH)?, &stat);
        let of = |it: Section| {
            let Section { path, class, added, removed, .. } = it;
            ChangedPath { path, class, added, removed }
        };
        let files: Vec<ChangedPath> = sections.into_iter().map(of).collect();
        let added = files.iter().map(|it| it.added).sum();
        let removed = files.iter().map(|it| it.removed).sum();
        Ok(Some(ChangeSize { added, removed, files }))
    }

    /// The last lines that an agent wrote before it failed: to standard error, else as plain text to
    /// standard output. They are data.
    pub fn agent_said(&self, status: &Status) -> Result<Vec<String>, DeskError> {
        let code = status.pause_reason_code;
        if !matches!(code, Some(PauseCode::CoderFailed | PauseCode::CoderNoOutput)) {
            return Ok(Vec::new());
        }
        let attempt = AttemptNumber::try_from(status.current_attempt).ok();
        let printed = match self.step_output(&status.task_id, Printed::Agent, attempt, TAIL) {
            Ok(printed) => printed,
            Err(DeskError::Look(LookError::NoOutput { .. })) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let lines_of = |name| {
            let streams = printed.streams.iter().filter(move |it| it.name == name);
            let lines = streams.flat_map(|it| it.text.lines()).map(str::trim);
            lines.filter(|it| !it.is_empty()).collect::<Vec<&str>>()
        };
        let mut lines = lines_of(StreamName::Stderr);
        if lines.is_empty() {
            // Agents that report in JSON have said it to provost.
            lines = lines_of(StreamName::Stdout);
            lines.retain(|it| !it.starts_with('{'));
        }
        let last = lines.len().saturating_sub(SAID);
        Ok(lines[last..].iter().map(|it| shorten_to(it, LONGEST)).collect())
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
            rejected_because: None,
        })
    }

    /// Adds why people rejected results. The order goes with the attempt at which it took effect.
    fn add_rejections(&self, task: &TaskId, attempts: &mut [AttemptView]) {
        let files = self.files(task);
        // What cannot be read is missing.
        let (Ok(orders), Ok(events)) = (files.orders(), files.events()) else { return };
        let applied = events.records.iter().filter(|it| it.value.kind == EventKind::OrderApplied);
        for event in applied {
            let seq = event.rest.get("order").and_then(serde_json::Value::as_u64);
            let order = orders.iter().find(|it| Some(it.seq) == seq).map(|it| &it.order);
            let Some(Order::Reject { because }) = order else { continue };
            if let Some(it) = attempts.iter_mut().find(|it| it.attempt == event.value.attempt) {
                it.rejected_because = Some(because.clone());
            }
        }
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

    /// What the green test of the newest attempt proves, in one line.
    pub fn proof_text(&self) -> Option<Text> {
        self.proof.as_ref().map(proof_text)
    }

    /// Which attempt the newest one is among those that count.
    pub fn count(&self) -> AttemptCount {
        AttemptCount::of_status(self.status(), self.current().and_then(|it| it.decision.as_ref()))
    }

    /// What spoke against the newest attempt.
    pub fn reasons(&self) -> Vec<Text> {
        let record = self.current().and_then(|it| it.decision.as_ref());
        record.map(reasons::of).unwrap_or_default()
    }

    /// Whether the newest change was refused before it was tested, and so is not published.
    pub fn is_refused_by_policy(&self) -> bool {
        self.checks().iter().any(|it| it.name == PATHS && it.standing == Standing::Failed)
    }

    /// Whether the tests judge this task: what was verified decides, and no model is asked.
    pub fn is_judged_by_tests(&self) -> bool {
        let Some(spec) = self.spec.as_ref().map(|it| &it.value) else { return false };
        spec.judge.as_deref().is_none_or(|it| it == TaskSpec::TESTS)
            && self.status().verdict_summary.is_some()
            && spec.task_type.is_none()
            && !self.attempts.iter().any(AttemptView::is_judged)
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
