//! One task in full: what a page shows of it, and what an order about it has to have seen.

use provost_desk::{
    DeskError,
    detail::GivenOutcome,
    task::{Seen, Take},
};
use provost_kernel::{
    Actor, AttemptNumber, Message as _, Source,
    task::{Order, SealFact, SealStanding, State, VerdictDecision},
};
use provost_rules_task::evidence::LineKind;
use provost_vault::{AttemptFile, RealDisk, write_atomic};

use crate::stage::{Stage, end, start, task};

const PATCH: &str = "\
diff --git a/src/cart.py b/src/cart.py
index 1..2 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -1 +1 @@
-a
+b
diff --git a/conftest.py b/conftest.py
index 1..2 100644
--- a/conftest.py
+++ b/conftest.py
@@ -1 +1,2 @@
 a
+b
";

#[test]
fn a_detail_has_everything_that_is_known() {
    let (stage, id) = (Stage::new(), task("t1"));
    stage.judged(&id, VerdictDecision::Pass);
    let first = AttemptNumber::FIRST;
    let at = |file| stage.desk.layout().attempt_file(&id, first, file);
    write_atomic(&RealDisk, &at(AttemptFile::DiffPatch), PATCH.as_bytes()).unwrap();
    write_atomic(&RealDisk, &at(AttemptFile::HeadCommit), b"c0ffee\n").unwrap();
    stage.order(&id, Order::Reject { because: "too long".to_owned() }, None).unwrap();
    let detail = stage.desk.detail(&id).unwrap();
    let facts: Vec<SealFact> = detail.proof.iter().map(|it| it.fact).collect();
    assert_eq!(facts, SealFact::ALL);
    assert_eq!(detail.proof[5].standing, SealStanding::Contradicted);
    assert_eq!(detail.attempts[0].commit.as_deref(), Some("c0ffee"));
    assert_eq!(detail.attempts[0].state, Some(State::ReadyForReview));
    assert_eq!(detail.attempts[0].rejected_because.as_deref(), Some("too long"));
    let change = detail.change.unwrap();
    let risky: Vec<_> = change.files.iter().map(|it| (&*it.path, it.risk.is_some())).collect();
    assert_eq!(risky, [("conftest.py", true), ("src/cart.py", false)]);
    assert_eq!((change.added, change.removed), (2, 1));
    let given = &detail.given[0];
    assert_eq!((&*given.action, given.text.as_deref()), ("REJECT", Some("too long")));
    assert_eq!((&*given.actor, given.outcome), ("cli:ann", GivenOutcome::Applied));
    let row = detail.explanation.row_index.unwrap();
    assert_eq!(detail.explanation.rows[row], "ready");
    assert_eq!(detail.seen.attempt, 1);
    assert!(!detail.orders.is_empty() && detail.unreadable.is_empty());
    let json = serde_json::to_value(stage.desk.detail(&id).unwrap()).unwrap();
    assert_eq!(json["row"]["task_id"], "t1");
    let diff = stage.desk.file_diff(&id, first, "conftest.py").unwrap();
    let kinds: Vec<LineKind> = diff.hunks[0].lines.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [LineKind::Same, LineKind::Added]);
    assert!(stage.desk.file_diff(&id, first, "../x").is_err());
}

/// An order about a result that was seen is about no other one, and nothing is changed.
#[test]
fn a_result_that_moved_is_not_decided_on() {
    let (stage, id) = (Stage::new(), task("t1"));
    let mut open = stage.create(&id);
    for attempt in 1..=2 {
        start(&mut open, attempt);
        end(&mut open, Some(VerdictDecision::Pass), provost_kernel::task::ErrorClass::None);
    }
    drop(open);
    let before = stage.desk.look(&id).unwrap().status;
    let give = |order: Order, attempt: u16| {
        let actor = Actor { source: Source::Cli, id: "ann".to_owned() };
        let seen = Some(Seen { attempt, state_version: before.value.state_version });
        stage.desk.order(Take { task: &id, order, request_id: None, actor, seen })
    };
    for order in [Order::Approve, Order::Reject { because: "no".to_owned() }] {
        let error = give(order, 1).unwrap_err();
        assert!(matches!(error, DeskError::Moved(_)), "{error:?}");
        assert_eq!(error.exit().code(), 5);
    }
    assert_eq!(stage.desk.look(&id).unwrap().status, before);
    assert_eq!(stage.desk.files(&id).orders().unwrap(), []);
    // What is not about a result is taken, and moves none.
    give(Order::Answer { text: "shorter".to_owned() }, 1).unwrap();
    give(Order::Reject { because: "no".to_owned() }, 2).unwrap();
    let error = give(Order::Approve, 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`t1` was reviewed or has changed its state since it was looked at"
    );
}
