//! The board: what it shows of tasks, page by page, and how it follows them.

use std::{collections::BTreeSet, sync::Arc};

use provost_desk::{
    Desk,
    board::{Board, Counts, Cursor, PageError, Query, WaitKind},
    task::{Action, Phase},
};
use provost_kernel::{
    RecordFile, TaskId,
    task::{
        EventKind, Note, Order, SealStanding, State, Status, TaskGroup, TaskSpec, VerdictDecision,
    },
};
use provost_vault::{RealDisk, SystemClock, write_atomic};

use crate::stage::{Stage, entry, start, task};

fn board(stage: &Stage) -> Board {
    Board::fill(Desk::new(stage.desk.layout().clone(), Arc::new(SystemClock))).unwrap()
}

fn ids(board: &Board, query: &Query) -> Vec<String> {
    let page = board.page(query).unwrap();
    page.tasks.iter().map(|it| it.row().task_id.to_string()).collect()
}

#[test]
fn a_board_has_every_task_in_its_group() {
    let stage = Stage::new();
    stage.judged(&task("ready"), VerdictDecision::Pass);
    stage.judged(&task("asks"), VerdictDecision::NeedUserInput);
    stage.judged(&task("taken"), VerdictDecision::Pass);
    stage.judged(&task("refused"), VerdictDecision::Pass);
    stage.order(&task("taken"), Order::Approve, None).unwrap();
    stage.order(&task("refused"), Order::Reject { because: "no".to_owned() }, None).unwrap();
    // Its coordinator is gone, and the next reader finds that out.
    stage.running(&task("gone"));
    let board = board(&stage);
    let all = Counts { all: 5, waits: 3, runs: 0, queued: 0, proven: 0, unproven: 1, closed: 1 };
    assert_eq!(board.counts(), all);
    // Nothing of it was run: approved, and not all of it proven.
    let row = board.row(&task("taken")).unwrap();
    assert_eq!((row.phase, row.group), (Phase::Approved, TaskGroup::Unproven));
    assert_eq!(row.seals.len(), 6);
    assert_eq!(row.seals[5].standing, SealStanding::Verified);
    assert_eq!(row.offer.unwrap().action, Action::Land);
    assert_eq!(board.row(&task("gone")).unwrap().phase, Phase::Paused);
    let waits = Query { group: Some(TaskGroup::Waits), ..Query::default() };
    assert_eq!(ids(&board, &waits).len(), 3);
    let inbox = board.inbox();
    let kinds: Vec<_> =
        inbox.waiting.iter().map(|it| (it.row.task_id.to_string(), it.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("asks".to_owned(), WaitKind::Question),
            ("ready".to_owned(), WaitKind::Review),
            ("gone".to_owned(), WaitKind::Stop),
        ],
    );
    assert!(inbox.waiting.iter().all(|it| !it.orders.is_empty()));
    let found =
        |text: &str| ids(&board, &Query { text: Some(text.to_owned()), ..Query::default() });
    assert_eq!(found("TAKE"), ["taken"]);
    assert_eq!(found("nothing like it"), [""; 0]);
    let paused = Query { state: Some(State::Paused), ..Query::default() };
    assert_eq!(board.page(&paused).unwrap().counts.all, 2);
}

/// The pages of a list have every task once, also while others change.
#[test]
fn pages_leave_nothing_out_and_repeat_nothing() {
    let stage = Stage::new();
    for n in 0..23 {
        stage.judged(&task(&format!("t{n:02}")), VerdictDecision::Pass);
    }
    let board = board(&stage);
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let query = Query { limit: Some(5), cursor, ..Query::default() };
        let page = board.page(&query).unwrap();
        seen.extend(page.tasks.iter().map(|it| it.row().task_id.clone()));
        pages += 1;
        // One that was shown already changes, and one that is new comes.
        if pages == 2 {
            stage.order(&seen[0].clone(), Order::Approve, None).unwrap();
            board.refresh(&seen[0].clone()).unwrap().unwrap();
            stage.judged(&task("new"), VerdictDecision::NeedUserInput);
            assert_eq!(board.sweep().unwrap().len(), 1);
        }
        let Some(next) = page.next_cursor else { break };
        cursor = Some(Cursor::decode(&next).unwrap());
    }
    let distinct: BTreeSet<&TaskId> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len(), pages), (23, 23, 5));
    for limit in [0, 101] {
        let error = board.page(&Query { limit: Some(limit), ..Query::default() }).unwrap_err();
        assert_eq!(error, PageError::Limit { limit });
    }
}

/// LOOP-A11: a board takes states from `status.json` alone, whatever the index says.
#[test]
fn a_board_follows_the_states_and_not_the_index() {
    let stage = Stage::new();
    stage.judged(&task("a"), VerdictDecision::Pass);
    stage.judged(&task("b"), VerdictDecision::Pass);
    let layout = stage.desk.layout();
    for id in ["a", "b", "ghost"] {
        write_atomic(&RealDisk, &layout.index_entry(&task(id)), b"{}").unwrap();
    }
    let board = board(&stage);
    assert_eq!(board.counts().waits, 2);
    assert!(board.row(&task("ghost")).is_none());
    assert_eq!(board.sweep().unwrap(), []);
    let version = board.version();
    stage.order(&task("a"), Order::Approve, None).unwrap();
    let changes = board.sweep().unwrap();
    assert_eq!((changes.len(), &changes[0].task_id), (1, &task("a")));
    assert!(changes[0].state_version.is_some() && board.version() > version);
    assert_eq!(board.refresh(&task("a")).unwrap(), None, "nothing is shown otherwise");
    // A state that was edited by hand is shown, and nothing is built on it.
    let at = layout.status(&task("b"));
    let text = std::fs::read_to_string(at.path()).unwrap();
    let edited = text.replace("READY_FOR_REVIEW", "FAILED");
    write_atomic(&RealDisk, &at, edited.as_bytes()).unwrap();
    board.refresh(&task("b")).unwrap().unwrap();
    let row = board.row(&task("b")).unwrap();
    assert_eq!((row.phase, row.offer), (Phase::Untrusted, None));
    assert!(row.seals.iter().all(|it| it.standing == SealStanding::NotVerified));
    let page = board.page(&Query::default()).unwrap();
    assert_eq!(page.altered.len(), 1);
    // One that cannot be read is named, and hides no other.
    let newer = text.replace("provost.status/1", "provost.status/2");
    write_atomic(&RealDisk, &at, newer.as_bytes()).unwrap();
    board.sweep().unwrap();
    let page = board.page(&Query::default()).unwrap();
    assert_eq!((page.tasks.len(), page.unreadable), (1, vec![at.path().to_string()]));
}

/// A task that runs shows which step, since when, and what was found out so far.
#[test]
fn a_task_that_runs_says_which_step() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut spec = TaskSpec::new(id.clone());
    (spec.goal, spec.test_cmd) = ("Mend it.".to_owned(), Some("make test".to_owned()));
    let status = Status::new(id.clone(), stage.desk.clock().now(), 3);
    let made = stage.desk.create(&id, RecordFile::new(spec), status, &entry(&id)).unwrap();
    let mut open = made.unwrap();
    start(&mut open, 1);
    let board = board(&stage);
    let checks = serde_json::json!({ "checks": [
        { "name": "paths", "standing": "verified", "detail": { "en": "1 file", "zh": "1 file" } },
    ] });
    let note = Note::new(EventKind::TestStarted, "make test").with(&checks);
    open.files().append_note(note, 1).unwrap();
    board.refresh(&id).unwrap().unwrap();
    let row = board.row(&id).unwrap();
    let running = row.running.unwrap();
    assert_eq!((running.step.as_str(), running.limit_seconds), ("test", Some(300)));
    let standings: Vec<&str> = row.seals.iter().map(|it| it.standing.as_str()).collect();
    let expected = ["verified", "verified", "running", "not_asked", "not_asked", "not_verified"];
    assert_eq!(standings, expected);
    assert_eq!((row.goal.as_str(), row.group), ("Mend it.", TaskGroup::Runs));
    assert_eq!((row.tries.current, row.tries.used, row.tries.limit), (1, 0, 3));
}
