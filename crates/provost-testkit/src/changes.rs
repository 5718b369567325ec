//! Tasks whose states a test sets, as a coordinator would write them.

use provost_desk::{Desk, task::OpenTask};
use provost_kernel::{
    Actor, RecordFile, Source, TaskId, Text,
    task::{EventKind, Note, PauseCode, State, Status, TaskSpec},
};
use provost_vault::audit::Event;
use serde_json::Value;

/// Makes a task that runs.
#[expect(clippy::expect_used, reason = "a test without its task cannot go on")]
pub fn create<'a>(desk: &'a Desk, id: &'a TaskId) -> OpenTask<'a> {
    let mut spec = TaskSpec::new(id.clone());
    spec.goal = format!("the goal of {id}");
    let status = Status::new(id.clone(), desk.clock().now(), spec.max_attempts);
    let entry = Event {
        actor: Actor { source: Source::Provost, id: "provost".to_owned() },
        action: "task.test".to_owned(),
        subject: format!("task:{id}"),
        request_id: None,
        detail: Value::Null,
    };
    let made = desk.create(id, RecordFile::new(spec), status, &entry);
    made.expect("a home that can be written").expect("a new task")
}

/// Moves a task to a state, with its event.
#[expect(clippy::expect_used, reason = "a test without its state cannot go on")]
pub fn change(open: &mut OpenTask<'_>, state: State, code: Option<PauseCode>, message: &Text) {
    let mut status = open.status.value.clone();
    status.state = state;
    status.pause_reason_code = code;
    status.pause_category = code.map(PauseCode::category);
    status.state_version += 1;
    status.current_attempt = status.current_attempt.max(1);
    status.updated_at = open.desk().clock().now();
    status.set_message(message);
    let word = code.map_or(state.as_str(), |it| it.as_str());
    let note = Note::new(EventKind::StateChanged, word);
    open.commit(status, vec![note]).expect("a home that can be written");
}
