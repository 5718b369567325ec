//! Requests that start a process: once, also after a restart.

use provost_desk::{
    DeskError,
    request::{Claim, Claimed},
};
use provost_kernel::{Actor, Message as _, RequestId, Source};
use provost_vault::{RealDisk, audit::verify};
use serde_json::{Value, json};

use crate::stage::Stage;

fn claim<'a>(subject: &'a str, id: &'a RequestId, payload: &'a Value) -> Claim<'a> {
    let actor = Actor { source: Source::Web, id: "ann".to_owned() };
    Claim { actor, action: "task.land", subject, request_id: id, payload, seen: None }
}

/// LOOP-U5, LOOP-A9: a request has one effect, is on record before it, and another body is refused.
#[test]
fn a_request_is_claimed_once() {
    let (stage, id) = (Stage::new(), "task:t1");
    let request: RequestId = "r1".parse().unwrap();
    let (one, other) = (json!({ "branch": "main" }), json!({ "branch": "other" }));
    let first = claim(id, &request, &one);
    assert_eq!(stage.desk.recall_request(&first).unwrap(), Claimed::First);
    assert!(!stage.desk.is_claimed(&request).unwrap());
    assert_eq!(stage.desk.claim_request(&first).unwrap(), Claimed::First);
    assert!(stage.desk.is_claimed(&request).unwrap());
    let layout = stage.desk.layout();
    let told = std::fs::read_to_string(layout.gui_actions().path()).unwrap();
    assert_eq!(told.lines().count(), 1);
    assert!(told.contains("\"task.land.requested\"") && told.contains("\"web\""), "{told}");
    let again = stage.desk.claim_request(&first).unwrap();
    assert_eq!(again, Claimed::Repeated { receipt: None }, "it is being carried out");
    let receipt = json!({ "started": true });
    stage.desk.settle_request(&first, receipt.clone()).unwrap();
    let again = stage.desk.claim_request(&first).unwrap();
    assert_eq!(again, Claimed::Repeated { receipt: Some(receipt) });
    assert_eq!(stage.desk.recall_request(&first).unwrap(), again);
    assert!(stage.desk.recall_request(&claim(id, &request, &other)).is_err());
    let error = stage.desk.claim_request(&claim(id, &request, &other)).unwrap_err();
    assert!(matches!(error, DeskError::Request(_)), "{error:?}");
    assert_eq!(error.exit().code(), 5);
    let told = std::fs::read_to_string(layout.gui_actions().path()).unwrap();
    assert_eq!(told.lines().count(), 1, "what is repeated is not recorded again");
    assert!(verify(&RealDisk, layout).unwrap().is_intact());
}

#[test]
fn of_many_at_once_one_is_the_first() {
    let (stage, id) = (Stage::new(), "task:t1");
    let request: RequestId = "r1".parse().unwrap();
    let payload = json!({});
    let firsts: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| stage.desk.claim_request(&claim(id, &request, &payload))))
            .collect();
        let claimed = threads.into_iter().map(|it| it.join().unwrap().unwrap());
        claimed.filter(|it| *it == Claimed::First).count()
    });
    assert_eq!(firsts, 1);
}

/// What is kept for good holds no secret.
#[test]
fn a_secret_in_a_request_is_not_kept() {
    let (stage, id) = (Stage::new(), "task:t1");
    let request: RequestId = "r1".parse().unwrap();
    let token = ["ghp_", "x7Kq2LmZ9vTb4RnW8cYd1FsH6gPj3QaE5uXo"].concat();
    let payload = json!({ "spec": { "goal": token } });
    stage.desk.claim_request(&claim(id, &request, &payload)).unwrap();
    let layout = stage.desk.layout();
    for at in [layout.gui_actions(), layout.audit(), layout.requests()] {
        let text = std::fs::read_to_string(at.path()).unwrap();
        assert!(!text.contains(&token), "{}", at.path());
    }
}
