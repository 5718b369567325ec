//! A home in a temporary folder, with tasks as runs left them.

#![expect(clippy::unwrap_used, reason = "a test without its home cannot go on")]

use std::sync::Arc;

use camino::Utf8Path;
use provost_desk::{
    Desk, DeskError,
    task::{OpenTask, Receipt, Take},
};
use provost_kernel::{
    Actor, AttemptNumber, RecordFile, Source, TaskId,
    task::{
        DecisionRecord, ErrorClass, EventKind, Note, Order, Role, Status, TaskSpec, VerdictDecision,
    },
};
use provost_rules_task::{
    decision::decide,
    facts::{self, Judgement},
    spec, status,
};
use provost_vault::{
    AttemptFile, Layout, RealDisk, SystemClock, audit::Event, prepare_home, write_json,
};
use serde_json::Value;

/// A desk and the folder that it works in.
#[derive(Debug)]
pub struct Stage {
    /// Removed with the stage.
    _folder: tempfile::TempDir,
    pub desk: Desk,
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

impl Stage {
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("provost-desk-").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let root = Utf8Path::from_path(&root).unwrap();
        let layout = Layout::new(&root.join(".provost"), None, &root.join("state"));
        prepare_home(&RealDisk, &layout).unwrap();
        let desk = Desk::new(layout, Arc::new(SystemClock));
        Self { _folder: folder, desk }
    }

    /// A new task that this process holds.
    pub fn create<'a>(&'a self, id: &'a TaskId) -> OpenTask<'a> {
        let spec = TaskSpec::new(id.clone());
        let status = Status::new(id.clone(), self.desk.clock().now(), spec.max_attempts);
        self.desk.create(id, RecordFile::new(spec), status, &entry(id)).unwrap().unwrap()
    }

    /// A new task, whose first attempt was left in the middle.
    pub fn running(&self, id: &TaskId) {
        start(&mut self.create(id), 1);
    }

    /// A new task, after one attempt with this verdict.
    pub fn judged(&self, id: &TaskId, decision: VerdictDecision) {
        let mut open = self.create(id);
        start(&mut open, 1);
        end(&mut open, Some(decision), ErrorClass::None);
    }

    /// A new task that was given a goal and waits for an answer to a question.
    pub fn asked(&self, id: &TaskId, goal: &str, question: &str) {
        let spec = TaskSpec { goal: goal.to_owned(), ..TaskSpec::new(id.clone()) };
        let status = Status::new(id.clone(), self.desk.clock().now(), spec.max_attempts);
        let created = self.desk.create(id, RecordFile::new(spec), status, &entry(id));
        let mut open = created.unwrap().unwrap();
        start(&mut open, 1);
        let before = open.status.value.clone();
        let judged = Judgement {
            decision: VerdictDecision::NeedUserInput,
            gated: false,
            thresholds_pass: true,
            questions_for_user: vec![question.to_owned()],
        };
        let facts = facts::of_verdict(&before, judged);
        let (now, decided) = (self.desk.clock().now(), decide(&facts));
        let after = status::after(&before, &decided, &facts, now);
        open.commit(after, vec![Note::new(EventKind::StateChanged, "")]).unwrap();
    }

    /// A new task whose status knows its spec, after one attempt; and that spec.
    pub fn with_digest(&self, id: &TaskId) -> RecordFile<TaskSpec> {
        let mut open = self.create(id);
        let spec = open.spec.clone();
        let mut status = open.status.value.clone();
        status.spec_digest = spec::digest(&spec).ok();
        status.state_version += 1;
        open.commit(status, Vec::new()).unwrap();
        start(&mut open, 1);
        end(&mut open, Some(VerdictDecision::Pass), ErrorClass::None);
        spec
    }

    /// Gives an order as a person at a terminal.
    pub fn order(
        &self,
        task: &TaskId,
        order: Order,
        request_id: Option<&str>,
    ) -> Result<Receipt, DeskError> {
        let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
        let request_id = request_id.map(|it| it.parse().unwrap());
        self.desk.order(Take { task, order, request_id, actor, seen: None })
    }

    /// How many events of a kind a task has.
    pub fn count(&self, id: &TaskId, kind: EventKind) -> usize {
        let events = self.desk.files(id).events().unwrap().records;
        events.iter().filter(|it| it.value.kind == kind).count()
    }
}

pub fn task(id: &str) -> TaskId {
    id.parse().unwrap()
}

pub fn entry(id: &TaskId) -> Event {
    Event {
        actor: Actor { source: Source::Provost, id: "provost".to_owned() },
        action: "task.test".to_owned(),
        subject: format!("task:{id}"),
        request_id: None,
        detail: Value::Null,
    }
}

pub fn start(open: &mut OpenTask<'_>, attempt: u16) {
    let before = &open.status.value;
    let (now, most) = (open.desk().clock().now(), before.effective_max_attempts);
    let number = AttemptNumber::try_from(attempt).unwrap();
    let status = status::started(before, number, most, now);
    open.commit(status, vec![Note::new(EventKind::AttemptStarted, "")]).unwrap();
}

/// Ends the attempt with a verdict, or by a fault of the coordinator.
pub fn end(open: &mut OpenTask<'_>, decision: Option<VerdictDecision>, class: ErrorClass) {
    let before = open.status.value.clone();
    let judged = |decision| Judgement {
        decision,
        gated: false,
        thresholds_pass: true,
        questions_for_user: Vec::new(),
    };
    let facts = match decision {
        Some(decision) => facts::of_verdict(&before, judged(decision)),
        None => facts::of_step(&before, Role::Coordinator, 0, class),
    };
    let (now, decided) = (open.desk().clock().now(), decide(&facts));
    let after = status::after(&before, &decided, &facts, now);
    if decision.is_some() {
        let record = DecisionRecord {
            task_id: open.task().clone(),
            attempt: before.current_attempt,
            decided_at: now,
            facts,
            decision: decided,
            judge_decision: decision,
            against: Vec::new(),
            reasons: Vec::new(),
            next_instructions: String::new(),
            findings: Vec::new(),
            checks: Vec::new(),
        };
        let number = before.current_attempt.try_into().unwrap();
        let at = open.desk().layout().attempt_file(open.task(), number, AttemptFile::Decision);
        write_json(&RealDisk, &at, &RecordFile::new(record)).unwrap();
    }
    open.commit(after, vec![Note::new(EventKind::StateChanged, "")]).unwrap();
}
