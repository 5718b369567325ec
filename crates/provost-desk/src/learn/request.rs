//! Requests: finished tasks that a person is asked to review without sight of the verdict.
//!
//! A task is drawn before anybody reviews it, so the draw comes first: when requests are listed, and
//! again when a blind review arrives. A draw that is kept twice, because two programs looked at once,
//! is the first one.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Actor, AttemptNumber, Message, RequestId, Source, TaskId, Timestamp,
    learn::{Label, MissionName},
    task::{
        Evidence, Order, Proofs, Review, ReviewOutcome, Seen, State, Status, TaskSpec, TaskType,
    },
};
use provost_rules_learn::{
    draw::{Draw, Outcome, Recent, draw},
    review,
};
use provost_rules_task::phase::review_of;
use provost_vault::{
    AttemptFile, FileError, Stored, audit::Provenance, draw_key, learn::MissionLog,
    task::names_of_tasks,
};
use serde::Serialize;

use super::kept;
use crate::{
    DISK, Desk, DeskError,
    task::{Receipt, Take},
};

/// A result that a person is asked to review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReviewRequest {
    pub task_id: TaskId,
    pub attempt: u16,
    pub task_type: TaskType,
    pub kind: RequestKind,
}

/// Why a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// It was drawn by lot.
    Drawn,
    /// A rule that bets changes the verdict.
    Asked,
}

/// What a result is, without what the judge said of it.
#[derive(Clone, Debug, Serialize)]
pub struct BlindView {
    pub task_id: TaskId,
    pub attempt: u16,
    pub task_type: TaskType,
    /// Why a person is asked; null where nobody asked for this one.
    pub request: Option<RequestKind>,
    /// The evidence, in the order in which the judge saw it.
    pub items: Vec<BlindItem>,
    #[serde(skip)]
    seen: Seen,
}

/// One part of the evidence.
#[derive(Clone, Debug, Serialize)]
pub struct BlindItem {
    pub name: &'static str,
    pub text: String,
}

/// A result that nobody reviewed, of a task that nobody reviewed and nobody is asked about.
#[derive(Clone, Debug)]
pub struct Unreviewed {
    pub task_id: TaskId,
    pub attempt: u16,
    pub judged: Label,
    /// The line of a ticket; its label stands for none.
    pub ticket: Vec<u8>,
}

/// Why a result cannot be reviewed blind.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.blind")]
pub enum BlindError {
    #[message(
        en = "task `{task}` has no type, so no judge learns from its review",
        zh = "任务 `{task}` 没有类型，没有评审会从对它的评审中学习",
        hint(
            en = "run `provost approve {task}` or `provost reject {task} --because TEXT`",
            zh = "运行 `provost approve {task}` 或 `provost reject {task} --because TEXT`"
        )
    )]
    NoType { task: TaskId },
    #[message(
        en = "task `{task}` is {state}: there is no result to review",
        zh = "任务 `{task}` 处于 {state}：没有可评审的结果",
        hint(en = "run `provost show {task}`", zh = "运行 `provost show {task}`")
    )]
    NotFinished { task: TaskId, state: State },
    #[message(
        en = "the evidence of task `{task}` cannot be read",
        zh = "无法读取任务 `{task}` 的证据",
        hint(en = "run `provost selfcheck {task}`", zh = "运行 `provost selfcheck {task}`")
    )]
    NoEvidence { task: TaskId },
}

/// A finished attempt that was judged and not reviewed.
struct Candidate {
    task_type: TaskType,
    attempt: u16,
    judged: Label,
    ended_at: Timestamp,
}

impl Desk {
    /// Draws what finished since the last time, and lists what a person is asked to review, in the order
    /// in which it was asked.
    pub fn review_requests(&self) -> Result<Vec<ReviewRequest>, DeskError> {
        let mut draws: BTreeMap<TaskType, Vec<Draw>> = BTreeMap::new();
        let mut open: BTreeMap<(TaskId, u16), TaskType> = BTreeMap::new();
        for task in names_of_tasks(&DISK, &self.layout)? {
            // What cannot be read is nothing to review, and `ls` says so.
            let Ok(Some(candidate)) = self.candidate(&task) else { continue };
            let Candidate { task_type, attempt, judged, .. } = candidate;
            let known = match draws.entry(task_type) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => {
                    new.insert(self.draws(task_type)?)
                }
            };
            self.draw(known, &task, task_type, attempt, judged)?;
            open.insert((task, attempt), task_type);
        }
        let mut requests: Vec<ReviewRequest> = Vec::new();
        for Draw { task_id, attempt, outcome, .. } in draws.into_values().flatten() {
            let kind = match outcome {
                Outcome::Drawn { .. } => RequestKind::Drawn,
                Outcome::Asked { .. } => RequestKind::Asked,
                Outcome::Left => continue,
            };
            if let Some(task_type) = open.remove(&(task_id.clone(), attempt)) {
                requests.push(ReviewRequest { task_id, attempt, task_type, kind });
            }
        }
        Ok(requests)
    }

    /// The results of a type that nobody reviewed, the newest first.
    pub fn unreviewed(&self, task_type: TaskType) -> Result<Vec<Unreviewed>, DeskError> {
        let asked: BTreeSet<TaskId> =
            self.review_requests()?.into_iter().map(|it| it.task_id).collect();
        let labels = self.labels_seen(task_type)?;
        let known: BTreeSet<&TaskId> = labels.log.tickets().map(|it| &it.meta.task_id).collect();
        let mut found = Vec::new();
        for task in names_of_tasks(&DISK, &self.layout)? {
            if asked.contains(&task) || known.contains(&task) {
                continue;
            }
            let Ok(Some(candidate)) = self.candidate(&task) else { continue };
            if candidate.task_type != task_type {
                continue;
            }
            let Candidate { attempt, judged, ended_at, .. } = candidate;
            let nobody = Review {
                outcome: ReviewOutcome::Approved,
                actor: Actor { source: Source::Provost, id: "nobody".to_owned() },
                reviewed_at: ended_at,
                because: None,
                attempt: Some(attempt),
                request_id: None,
                blind: true,
            };
            let spec = self.kept_spec(&task)?.value;
            // What left nothing to judge is nothing to review.
            let Ok(Some(ticket)) = self.ticket(&spec, &nobody, 0) else { continue };
            let ticket = super::line(&ticket);
            found.push((ended_at, Unreviewed { task_id: task, attempt, judged, ticket }));
        }
        found.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.task_id.cmp(&y.task_id)));
        Ok(found.into_iter().map(|(_, it)| it).collect())
    }

    /// Asks for the review of a task whose verdict a rule changes.
    pub fn ask_for_review(
        &self,
        task: &TaskId,
        attempt: u16,
        judged: Label,
        rule: &str,
    ) -> Result<(), DeskError> {
        let Some(task_type) = self.kept_spec(task)?.value.task_type else {
            return Err(BlindError::NoType { task: task.clone() }.into());
        };
        let outcome = Outcome::Asked { rule: rule.to_owned() };
        Ok(self.keep_draw(task, task_type, attempt, judged, outcome).map(drop)?)
    }

    /// The newest result of a task, without what the judge said of it.
    pub fn blind_view(&self, task: &TaskId) -> Result<BlindView, DeskError> {
        let looked = self.look(task)?.trusted()?;
        let (spec, status) = (self.kept_spec(task)?.value, looked.status.value);
        let named = || task.clone();
        let task_type = spec.task_type.ok_or_else(|| BlindError::NoType { task: named() })?;
        if !matches!(status.state, State::ReadyForReview | State::Failed) {
            return Err(BlindError::NotFinished { task: named(), state: status.state }.into());
        }
        let attempt = status.current_attempt;
        let items = self.evidence(&spec, attempt)?;
        let items = items.ok_or_else(|| BlindError::NoEvidence { task: named() })?;
        let kind = self.outcome(task, task_type, attempt)?.and_then(|it| match it {
            Outcome::Drawn { .. } => Some(RequestKind::Drawn),
            Outcome::Asked { .. } => Some(RequestKind::Asked),
            Outcome::Left => None,
        });
        Ok(BlindView {
            task_id: named(),
            attempt,
            task_type,
            request: kind.filter(|_| review_of(&status).is_none()),
            items,
            seen: Seen { attempt, state_version: status.state_version },
        })
    }

    /// Takes the review of a person from whom the verdict was hidden.
    pub fn review_blind(
        &self,
        view: &BlindView,
        order: Order,
        actor: Actor,
        request_id: Option<RequestId>,
    ) -> Result<Receipt, DeskError> {
        let (task, task_type) = (&view.task_id, view.task_type);
        if let Some(Candidate { attempt, judged, .. }) = self.candidate(task)? {
            self.draw(&mut self.draws(task_type)?, task, task_type, attempt, judged)?;
        }
        self.order_blind(Take { task, order, request_id, actor, seen: Some(view.seen) })
    }

    /// What became of the draw of an attempt, if there was one: it counts for what it was asked for first.
    pub(super) fn outcome(
        &self,
        task: &TaskId,
        task_type: TaskType,
        attempt: u16,
    ) -> Result<Option<Outcome>, FileError> {
        let mut of_attempt = self.draws(task_type)?.into_iter();
        let is_asked =
            |it: &Draw| it.task_id == *task && it.attempt == attempt && it.outcome != Outcome::Left;
        Ok(of_attempt.find(is_asked).map(|it| it.outcome))
    }

    /// The draws of a type. A line that is none asks for nothing.
    fn draws(&self, task_type: TaskType) -> Result<Vec<Draw>, FileError> {
        let folder = self.mission(&MissionName::of_judge(task_type));
        let lines = folder.lines(MissionLog::Draws)?.collect::<Result<Vec<_>, _>>()?;
        Ok(lines.iter().filter_map(|it| serde_json::from_slice(it).ok()).collect())
    }

    /// Draws an attempt, once.
    fn draw(
        &self,
        known: &mut Vec<Draw>,
        task: &TaskId,
        task_type: TaskType,
        attempt: u16,
        judged: Label,
    ) -> Result<(), FileError> {
        if known.iter().any(|it| it.task_id == *task && it.attempt == attempt) {
            return Ok(());
        }
        let recent = Recent::before(&*known, self.clock.now());
        let outcome = draw(&draw_key(&DISK, &self.layout)?, task, judged, recent);
        known.push(self.keep_draw(task, task_type, attempt, judged, outcome)?);
        Ok(())
    }

    fn keep_draw(
        &self,
        task: &TaskId,
        task_type: TaskType,
        attempt: u16,
        judged: Label,
        outcome: Outcome,
    ) -> Result<Draw, FileError> {
        let (task_id, drawn_at) = (task.clone(), self.clock.now());
        let line = Draw { task_id, attempt, judged, drawn_at, outcome };
        self.mission(&MissionName::of_judge(task_type)).append(MissionLog::Draws, &line)?;
        Ok(line)
    }

    /// The newest attempt of a task, if it is finished, was judged and is not reviewed.
    fn candidate(&self, task: &TaskId) -> Result<Option<Candidate>, FileError> {
        let files = self.files(task);
        let Stored::Present(spec) = files.spec()? else { return Ok(None) };
        let Some(task_type) = spec.value.task_type else { return Ok(None) };
        let Stored::Present(found) = files.found_status()? else { return Ok(None) };
        let status: Status = found.status.value;
        let is_finished = matches!(status.state, State::ReadyForReview | State::Failed);
        if found.provenance == Provenance::Altered || !is_finished || review_of(&status).is_some() {
            return Ok(None);
        }
        let attempt = status.current_attempt;
        let Ok(number) = AttemptNumber::try_from(attempt) else { return Ok(None) };
        let verdict = self.verdict(task, number)?;
        let judged = verdict.and_then(|it| review::answer(it.judge_decision));
        let ended_at = status.updated_at;
        Ok(judged.map(|judged| Candidate { task_type, attempt, judged, ended_at }))
    }

    fn evidence(&self, spec: &TaskSpec, attempt: u16) -> Result<Option<Vec<BlindItem>>, FileError> {
        let Ok(number) = AttemptNumber::try_from(attempt) else { return Ok(None) };
        let at = |file| self.layout.attempt_file(&spec.task_id, number, file);
        let Some(evidence) = kept::<Evidence>(&at(AttemptFile::Evidence))? else {
            return Ok(None);
        };
        let proofs = kept::<Proofs>(&at(AttemptFile::Proofs))?;
        let items = review::items(spec, &evidence, proofs.as_ref()).into_iter();
        Ok(Some(items.map(|(name, text)| BlindItem { name, text }).collect()))
    }
}
