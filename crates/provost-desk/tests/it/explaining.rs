//! Why a task is where it is.

use provost_desk::task::{Explained, Explanation};
use provost_kernel::{
    AttemptNumber,
    task::{ErrorClass, Order, Row, VerdictDecision},
};

use crate::stage::{Stage, end, start, task};

#[track_caller]
fn check(stage: &Stage, expected: (Explained, Option<u16>, Option<Row>, Option<u16>)) {
    let it = Explanation::of(&stage.desk.view(&task("t1")).unwrap());
    assert_eq!((it.source, it.attempt, it.row, it.undecided), expected);
    assert_eq!(it.record.is_some(), it.source == Explained::Attempt);
    assert_eq!(it.deciding_facts.is_empty(), it.source != Explained::Attempt);
    assert_eq!(it.transition.is_some(), it.source == Explained::Transition);
}

/// Each source in turn: nothing, an attempt, one that runs, a budget, a reset.
#[test]
fn an_explanation_comes_from_what_brought_the_task_there() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    check(&stage, (Explained::Nothing, None, None, None));
    start(&mut open, 1);
    check(&stage, (Explained::Nothing, None, None, Some(1)));
    end(&mut open, Some(VerdictDecision::Fail), ErrorClass::None);
    start(&mut open, 2);
    // The attempt before is explained while the next one runs.
    check(&stage, (Explained::Attempt, Some(1), Some(Row::FailNextAttempt), Some(2)));
    end(&mut open, Some(VerdictDecision::NeedUserInput), ErrorClass::None);
    drop(open);
    check(&stage, (Explained::Attempt, Some(2), Some(Row::NeedUserInput), None));

    // A budget stopped the task before another attempt: the attempt did not bring it there.
    let mut open = stage.desk.hold(&id).unwrap();
    end(&mut open, None, ErrorClass::Budget);
    drop(open);
    check(&stage, (Explained::Transition, Some(2), Some(Row::Budget), None));
    stage.order(&id, Order::Reset, None).unwrap();
    check(&stage, (Explained::Transition, Some(2), Some(Row::User), None));

    let view = stage.desk.view(&id).unwrap();
    let attempt = |number: u16| AttemptNumber::try_from(number).unwrap();
    let first = Explanation::of_attempt(&view, attempt(1)).unwrap();
    assert_eq!((first.row, first.transition), (Some(Row::FailNextAttempt), None));
    assert_eq!(Explanation::of_attempt(&view, attempt(3)).unwrap_err().decided, [1, 2]);
}
