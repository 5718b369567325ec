//! Taking orders: once, in order, and only where they make sense.

use std::sync::Arc;

use provost_desk::{Desk, DeskError, task::Take};
use provost_kernel::{
    Actor, AttemptNumber, Clock, Message, Millis, Source, TaskId, Timestamp,
    task::{
        ErrorClass, EventKind, Order, OrderRecord, Overrides, PauseCode, State, Status,
        VerdictDecision,
    },
};
use provost_vault::{
    FileError, RealDisk,
    audit::{Audit, verify},
    task::{Placed, Standing, read_tail},
    write_atomic,
};

use crate::stage::{Stage, end, entry, start, task};

fn answer(text: &str) -> Order {
    Order::Answer { text: text.to_owned() }
}

/// LOOP-U5: a request id is remembered for good, beyond any number of later orders.
#[test]
fn a_request_is_remembered_beyond_many_others() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    let first = stage.order(&id, answer("first"), Some("r0")).unwrap();
    assert!(!first.deduplicated);
    // The original looked at the last 100 lines only. These are in the queue, and taken as applied.
    let files = stage.desk.files(&id);
    let known = files.orders().unwrap().remove(0);
    for n in 1..=120 {
        let order = answer(&format!("answer {n}"));
        let request_id = format!("r{n}").parse().ok();
        let record = OrderRecord { order, request_id, ..known.clone() };
        let new =
            |_: &[OrderRecord]| Ok::<_, FileError>(Placed { record, standing: Standing::New });
        files.place_order(new).unwrap();
    }
    let mut status = stage.desk.look(&id).unwrap().status.value;
    status.last_order_seq_applied = 121;
    status.state_version += 1;
    stage.desk.hold(&id).unwrap().commit(status, Vec::new()).unwrap();

    let again = stage.order(&id, answer("first"), Some("r0")).unwrap();
    assert_eq!((again.deduplicated, again.seq), (true, first.seq));
    assert_eq!(stage.desk.files(&id).user_input().unwrap().len(), 121);
    let error = stage.order(&id, answer("other"), Some("r0")).unwrap_err();
    assert!(matches!(error, DeskError::Request(_)));
    assert_eq!(error.exit().code(), 5);
}

/// Without a request id, two equal orders are two orders.
#[test]
fn the_same_words_twice_are_two_answers() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    for seq in 1..=2 {
        let receipt = stage.order(&id, answer("yes"), None).unwrap();
        assert_eq!((receipt.seq, receipt.deduplicated), (seq, false));
    }
    assert_eq!(stage.desk.files(&id).user_input().unwrap().len(), 2);
}

/// A running task is not touched: orders wait in the queue, and its coordinator takes them.
#[test]
fn orders_wait_for_the_coordinator() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    start(&mut open, 1);
    let more = Order::Override { overrides: Overrides::of_attempts(9) };
    assert!(!stage.order(&id, answer("yes"), None).unwrap().applied);
    assert!(!stage.order(&id, more, None).unwrap().applied);
    assert!(!stage.order(&id, Order::Pause, None).unwrap().applied);
    assert!(!stage.order(&id, answer("later"), None).unwrap().applied);
    assert_eq!(stage.desk.look(&id).unwrap().status, open.status);

    // The coordinator carries out what it can, up to what only it can do.
    let stopped_at = open.apply_orders().unwrap().left.unwrap();
    assert_eq!((stopped_at.seq, stopped_at.order), (3, Order::Pause));
    assert_eq!(open.status.value.last_order_seq_applied, 2);
    assert_eq!(open.status.value.effective_max_attempts, 9);
    assert_eq!(stage.count(&id, EventKind::OrderApplied), 2);
}

/// A pause that nobody carried out is refused when the task is found without its coordinator, and
/// what came after it takes effect.
#[test]
fn an_order_whose_time_is_over_does_not_block_the_queue() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    start(&mut open, 1);
    stage.order(&id, Order::Pause, None).unwrap();
    drop(open);
    let receipt = stage.order(&id, answer("yes"), None).unwrap();
    assert_eq!((receipt.seq, receipt.applied, receipt.state), (2, true, State::Paused));
    assert_eq!(stage.count(&id, EventKind::OrderRefused), 1);
    assert_eq!(stage.count(&id, EventKind::OrderApplied), 1);
    assert_eq!(stage.count(&id, EventKind::CoordinatorCrashed), 1);
}

/// An order that was placed by a process that then died takes effect with the next look at the
/// queue, once.
#[test]
fn an_order_that_was_cut_off_is_completed() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    let first = stage.order(&id, answer("yes"), Some("r1")).unwrap();
    // As if the process had died right after it placed the order.
    let at = stage.desk.layout().user_input(&id);
    write_atomic(&RealDisk, &at, b"").unwrap();
    let mut behind = stage.desk.look(&id).unwrap().status.value;
    behind.last_order_seq_applied = 0;
    behind.state_version += 1;
    stage.desk.hold(&id).unwrap().commit(behind, Vec::new()).unwrap();

    let again = stage.order(&id, answer("yes"), Some("r1")).unwrap();
    assert_eq!((again.seq, again.deduplicated, again.applied), (first.seq, true, true));
    assert_eq!(stage.desk.files(&id).user_input().unwrap().len(), 1);
}

/// A person's write has its entry before its effect: what cannot be audited does not happen.
#[test]
fn an_order_that_cannot_be_audited_has_no_effect() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let before = stage.desk.look(&id).unwrap().status;
    // A folder where the chain should be: nothing can be added to it.
    let at = stage.desk.layout().audit();
    #[expect(clippy::disallowed_methods, reason = "a test breaks the audit log")]
    std::fs::remove_file(at.path()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test breaks the audit log")]
    std::fs::create_dir(at.path()).unwrap();
    stage.order(&id, Order::Approve, Some("r1")).unwrap_err();
    let files = stage.desk.files(&id);
    assert_eq!(files.status().unwrap().present(), Some(before));
    assert_eq!(files.orders().unwrap(), []);
}

/// What a person orders is vouched for by a stored head of the chain.
#[test]
fn an_order_stores_the_head_of_the_chain() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    stage.order(&id, Order::Approve, None).unwrap();
    let report = verify(&RealDisk, stage.desk.layout()).unwrap();
    assert!(report.is_intact(), "{report:?}");
    // The entry of the state that follows from it is named by that state.
    assert_eq!(report.entries_after_last_head, 1);
    // Another entry after it does not break anything.
    let mut chain = Audit::open(&RealDisk, stage.desk.layout()).unwrap();
    let durable = provost_vault::Durable::Now;
    chain.append(&entry(&id), stage.desk.clock(), durable).unwrap();
    assert!(verify(&RealDisk, stage.desk.layout()).unwrap().is_intact());
}

/// Ruling 26: a reset counts anew, and the version does not go back.
#[test]
fn a_reset_counts_anew_and_keeps_the_record() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    for attempt in 1..=3 {
        start(&mut open, attempt);
        end(&mut open, Some(VerdictDecision::Fail), ErrorClass::None);
    }
    let version = open.status.value.state_version;
    assert_eq!(open.status.value.state, State::Failed);
    drop(open);
    stage.order(&id, Order::Reset, None).unwrap();
    let view = stage.desk.view(&id).unwrap();
    let status = view.status();
    assert_eq!((status.state, status.pause_reason_code), (State::Paused, Some(PauseCode::User)));
    assert_eq!((status.current_attempt, status.attempts_consumed), (0, 0));
    assert_eq!(status.state_version, version + 1);
    assert_eq!(view.attempts.len(), 3, "attempts stay on record");
    assert!(view.current().is_none());
}

/// What was said stays said: an answer takes the question out of what is to be done.
#[test]
fn an_answered_question_is_not_asked_again() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    let commands = || {
        let next = stage.desk.view(&id).unwrap().next;
        next.into_iter().map(|it| it.command).collect::<Vec<_>>()
    };
    assert_eq!(commands(), ["provost answer t1 TEXT"]);
    stage.order(&id, answer("yes"), None).unwrap();
    assert_eq!(commands(), ["provost resume t1"]);
}

/// Orders from many at once all take effect: whoever finds the task held by another's order waits
/// for its turn, because nobody would come back for it.
#[test]
fn orders_from_many_at_once_all_take_effect() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    std::thread::scope(|scope| {
        for n in 0..8 {
            let (stage, id) = (&stage, &id);
            scope.spawn(move || {
                let receipt = stage.order(id, answer(&format!("answer {n}")), None).unwrap();
                assert!(receipt.applied, "{receipt:?}");
            });
        }
    });
    let status = stage.desk.look(&id).unwrap().status.value;
    assert_eq!(status.last_order_seq_applied, 8);
    assert_eq!(stage.count(&id, EventKind::OrderApplied), 8);
    assert_eq!(stage.desk.files(&id).user_input().unwrap().len(), 8);
}

/// Places an order as somebody who then never carried it out, a while ago.
fn leave(stage: &Stage, id: &TaskId, order: Order) {
    let record = OrderRecord {
        seq: 0,
        created_at: Timestamp::EPOCH,
        task_id: id.clone(),
        order,
        request_id: None,
        actor: Actor { source: Source::Cli, id: "ann".to_owned() },
        seen: None,
        blind: false,
        resolved: None,
    };
    let placed = Placed { record, standing: Standing::New };
    stage.desk.files(id).place_order(|_| Ok::<_, FileError>(placed)).unwrap();
}

/// An order to go on that nobody carried out does not keep later ones from taking effect.
#[test]
fn a_coordinator_that_never_came_blocks_no_order() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    leave(&stage, &id, Order::Resume);
    leave(&stage, &id, answer("waited behind it"));
    leave(&stage, &id, Order::Rerun { attempt: AttemptNumber::FIRST });
    let receipt = stage.order(&id, answer("yes"), None).unwrap();
    assert_eq!((receipt.seq, receipt.applied, receipt.state), (4, true, State::Paused));
    assert_eq!(stage.count(&id, EventKind::OrderRefused), 2);
    assert_eq!(stage.count(&id, EventKind::OrderApplied), 2);
    let events = stage.desk.files(&id).events().unwrap().records;
    let refused = events.iter().find(|it| it.value.kind == EventKind::OrderRefused).unwrap();
    assert_eq!(refused.rest["reason"], "nobody carried it out");
    assert!(stage.desk.hold(&id).unwrap().pending_orders().unwrap().is_empty());
}

/// Whoever orders a task to go on drives it: the newest such order is left to them, and it alone.
#[test]
fn the_newest_order_to_go_on_is_left_to_the_engine() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    leave(&stage, &id, Order::Resume);
    leave(&stage, &id, answer("waited behind it"));
    let receipt = stage.order(&id, Order::Resume, Some("r1")).unwrap();
    assert_eq!((receipt.seq, receipt.applied), (3, false));
    assert_eq!(stage.count(&id, EventKind::OrderRefused), 1);
    let again = stage.order(&id, Order::Resume, Some("r1")).unwrap();
    assert_eq!((again.seq, again.deduplicated, again.applied), (3, true, false));
    let left = stage.desk.hold(&id).unwrap().apply_orders().unwrap().left.unwrap();
    assert_eq!((left.seq, left.order), (3, Order::Resume));
}

/// A clock on which every order is a moment old.
struct Stopped;

impl Clock for Stopped {
    fn millis(&self) -> Millis {
        Millis(1_800_000_000_000)
    }
}

/// An order to go on that was given a moment ago belongs to whoever is about to carry it out.
#[test]
fn a_fresh_order_to_go_on_is_waited_for() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    let desk = Desk::new(stage.desk.layout().clone(), Arc::new(Stopped));
    let order = |order| {
        let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
        desk.order(Take { task: &id, order, request_id: None, actor, seen: None }).unwrap()
    };
    order(Order::Resume);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| order(answer("yes")));
        while desk.files(&id).orders().unwrap().len() < 2 {
            std::thread::yield_now();
        }
        let mut open = desk.hold(&id).unwrap();
        let left = open.apply_orders().unwrap().left.unwrap();
        assert_eq!((left.seq, left.order), (1, Order::Resume));
        start(&mut open, 2);
        assert!(!other.join().unwrap().applied, "the coordinator has it now");
    });
}

/// An order that cannot be read is not left out: the queue is refused, and the line is named.
#[test]
fn a_damaged_queue_is_refused_by_every_reader() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    for text in ["one", "two", "three"] {
        stage.order(&id, answer(text), None).unwrap();
    }
    let at = stage.desk.layout().orders(&id);
    let whole = read_tail(&RealDisk, &at, u64::MAX).unwrap();
    let damaged = whole.replacen("\"two\"", "two", 1);
    assert_ne!(whole, damaged);
    write_atomic(&RealDisk, &at, damaged.as_bytes()).unwrap();
    let status = stage.desk.look(&id).unwrap().status;
    let files = stage.desk.files(&id);
    for error in [
        files.orders().unwrap_err().into(),
        files.overrides().unwrap_err().into(),
        files.follow_orders().unwrap_err().into(),
        stage.order(&id, answer("four"), None).unwrap_err(),
        stage.desk.hold(&id).unwrap_err(),
    ] {
        let error: DeskError = error;
        assert_eq!(error.exit().code(), 6, "{error:?}");
        assert!(error.to_string().contains(at.path().as_str()), "{error}");
        assert!(error.hints()[0].to_string().contains("line 2"), "{error:?}");
    }
    assert_eq!(read_tail(&RealDisk, &at, u64::MAX).unwrap(), damaged, "nothing was written");
    assert_eq!(stage.desk.look(&id).unwrap().status, status);
    // Half a line at the end is what a crash leaves: nobody was told that it is there.
    write_atomic(&RealDisk, &at, format!("{whole}{{\"half").as_bytes()).unwrap();
    assert_eq!(stage.order(&id, answer("four"), None).unwrap().seq, 4);
}

/// A queue that somebody cut short takes new orders under new numbers, and none of them is lost.
#[test]
fn a_number_that_took_effect_is_never_used_again() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::NeedUserInput);
    for text in ["one", "two"] {
        stage.order(&id, answer(text), None).unwrap();
    }
    let mut open = stage.desk.hold(&id).unwrap();
    let mut status = open.status.value.clone();
    status.last_user_input_seq_consumed = Some(2);
    status.state_version += 1;
    open.commit(status, Vec::new()).unwrap();
    drop(open);
    for at in [stage.desk.layout().orders(&id), stage.desk.layout().user_input(&id)] {
        write_atomic(&RealDisk, &at, b"").unwrap();
    }
    let receipt = stage.order(&id, answer("three"), None).unwrap();
    assert_eq!((receipt.seq, receipt.applied), (3, true));
    let said = stage.desk.files(&id).user_input().unwrap();
    let said: Vec<_> = said.iter().map(|it| (it.seq, it.text.as_str())).collect();
    assert_eq!(said, [(3, "three")]);
    // One file alone cut short: the other one still counts.
    write_atomic(&RealDisk, &stage.desk.layout().orders(&id), b"").unwrap();
    assert_eq!(stage.order(&id, answer("four"), None).unwrap().seq, 4);
    let said = stage.desk.files(&id).user_input().unwrap();
    assert_eq!(said.iter().map(|it| it.seq).collect::<Vec<_>>(), [3, 4]);
}

/// A chain that is behind what the task itself knows takes no entry, and nothing happens.
#[test]
fn an_order_on_top_of_a_cut_chain_has_no_effect() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let layout = stage.desk.layout();
    for at in [layout.audit(), layout.audit_heads()] {
        write_atomic(&RealDisk, &at, b"").unwrap();
    }
    let before = stage.desk.look(&id).unwrap().status;
    assert!(before.value.audit_head.is_some());
    let error = stage.order(&id, Order::Approve, None).unwrap_err();
    assert_eq!(error.exit().code(), 6, "{error:?}");
    let mut open = stage.desk.hold(&id).unwrap();
    let next = Status { state_version: 9, ..before.value.clone() };
    let error = open.commit_audited(&entry(&id), next, Vec::new()).unwrap_err();
    assert_eq!(error.exit().code(), 6, "{error:?}");
    drop(open);
    assert_eq!(stage.desk.look(&id).unwrap().status, before);
    assert_eq!(stage.desk.files(&id).orders().unwrap(), []);
    assert_eq!(read_tail(&RealDisk, &layout.audit(), u64::MAX).unwrap(), "");
    assert!(!verify(&RealDisk, layout).unwrap().is_intact());
}
