//! A request id has one effect, however often it is sent, whatever came between (LOOP-U5).

use std::{fs, sync::Arc};

use camino::Utf8PathBuf;
use provost_desk::{
    Desk,
    request::{Claim, Claimed},
};
use provost_kernel::{Actor, Source};
use provost_vault::{Layout, SystemClock};
use serde_json::{Value, json};

use crate::{
    loop_live::until,
    loop_world::{Loop, plain},
    serve_world::{Got, Served, until_state},
};

fn spec(id: Option<&str>) -> Value {
    let mut spec = json!({"goal": "write 42", "test_cmd": "sh check.sh", "coder": "c"});
    if let Some(id) = id {
        spec["task_id"] = id.into();
    }
    spec
}

/// A world in which a result can land: its commit is a person's.
fn landing() -> Loop {
    let it = Loop::new();
    it.git("config user.name Mara");
    it.git("config user.email mara@localhost");
    it
}

fn create(served: &Served<'_>, request: &str, spec: &Value, run: bool) -> Got {
    served.post("/api/tasks", &json!({"request_id": request, "spec": spec, "run": run}))
}

/// Leaves what a server leaves that ends between the record of a request and its effect.
fn claim(it: &Loop, request: &str, action: &str, subject: &str, payload: &Value) {
    let home = Utf8PathBuf::from_path_buf(it.world.path("repo/.provost")).unwrap();
    let state = Utf8PathBuf::from_path_buf(it.world.path("home/.local/state")).unwrap();
    let desk = Desk::new(Layout::new(&home, None, &state), Arc::new(SystemClock));
    let actor = Actor { source: Source::Web, id: "ann".to_owned() };
    let request = request.parse().unwrap();
    let seen = subject.strip_prefix("task:").map(|task| it.seen(task));
    let seen = seen.map(|seen| serde_json::from_value(seen).unwrap());
    let claim = Claim { actor, action, subject, request_id: &request, payload, seen };
    assert_eq!(desk.claim_request(&claim).unwrap(), Claimed::First);
}

/// Forgets the newest receipt, as if the server had ended before it was written.
fn forget_receipt(it: &Loop) {
    let path = it.path("_audit/requests.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    assert!(lines.pop().unwrap().contains("\"receipt\""), "{text}");
    it.world.write(path, lines.join("\n") + "\n");
}

#[track_caller]
fn is_repeated(again: &Got, first: &Got) {
    let mut expected = first.json();
    expected["deduplicated"] = true.into();
    assert_eq!((again.status, again.json()), (first.status, expected), "{again:?}");
}

#[track_caller]
fn is_reused(got: &Got) {
    let code = json!("request_id_reused");
    assert_eq!((got.status, got.json()["code"].clone()), (409, code), "{got:?}");
}

/// LOOP-U5.
#[test]
fn what_starts_a_process_starts_one_also_after_a_restart() {
    let it = landing();
    let mut served = Served::start(&it, &[]);
    let made = create(&served, "r-new", &spec(Some("q")), false);
    assert_eq!((made.status, made.json()["deduplicated"].clone()), (201, json!(false)), "{made:?}");
    served.restart();
    is_repeated(&create(&served, "r-new", &spec(Some("q")), false), &made);
    is_reused(&create(&served, "r-new", &spec(Some("q2")), false));
    is_reused(&create(&served, "r-new", &spec(Some("q")), true));
    let taken = create(&served, "r-other", &spec(Some("q")), false);
    assert_eq!((taken.status, taken.json()["code"].clone()), (409, json!("id_taken")), "{taken:?}");

    let run = served.order("q", "r-run", "RUN", json!({}));
    assert_eq!((run.status, run.json()["started"].clone()), (202, json!(true)), "{run:?}");
    until_state(&it, "q", "READY_FOR_REVIEW");
    served.restart();
    let before = it.status("q");
    is_repeated(&served.order("q", "r-run", "RUN", json!({})), &run);
    is_reused(&served.order("q", "r-run", "LAND", json!({})));
    is_reused(&served.order("q", "r-run", "PAUSE", json!({})));
    is_reused(&served.order("q", "r-new", "RUN", json!({})));
    assert_eq!(it.status("q"), before);

    let land = served.order("q", "r-land", "LAND", json!({}));
    assert_eq!(land.status, 202, "{land:?}");
    until(|| it.status("q")["landed"]["put"]["at"].is_string());
    let tip = it.git("rev-parse main");
    served.restart();
    is_repeated(&served.order("q", "r-land", "LAND", json!({})), &land);
    is_reused(&served.order("q", "r-land", "LAND", json!({"branch": "other"})));
    is_reused(&served.order("q", "r-land", "UNDO_LAND", json!({})));
    let undo = served.order("q", "r-undo", "UNDO_LAND", json!({}));
    assert_eq!(undo.status, 202, "{undo:?}");
    until(|| it.git("rev-parse main") != tip);
    let audit = it.text("_audit/audit.jsonl");
    for action in ["task.create", "task.run", "task.land", "task.undo_land"] {
        let count = audit.matches(&format!("\"{action}.requested\"")).count();
        // The other request for a task with the same id is on record, too.
        let expected = if action == "task.create" { 2 } else { 1 };
        assert_eq!(count, expected, "{action}: {audit}");
    }
    assert_eq!(it.provost(&["audit", "verify"]).run().exit(), Some(0));
}

/// LOOP-U5.
#[test]
fn what_a_crash_cut_off_is_carried_out_when_it_comes_again() {
    let it = landing();
    let mut served = Served::start(&it, &[]);
    // Claimed, and nothing made.
    claim(&it, "r-1", "task.create", "tasks", &json!({"spec": spec(Some("q")), "run": false}));
    let made = create(&served, "r-1", &spec(Some("q")), false);
    assert_eq!((made.status, made.json()["deduplicated"].clone()), (201, json!(false)), "{made:?}");
    is_repeated(&create(&served, "r-1", &spec(Some("q")), false), &made);
    // Claimed, and nothing started.
    claim(&it, "r-2", "task.run", "task:q", &json!({}));
    let run = served.order("q", "r-2", "RUN", json!({}));
    assert_eq!((run.status, run.json()["deduplicated"].clone()), (202, json!(false)), "{run:?}");
    until_state(&it, "q", "READY_FOR_REVIEW");
    is_repeated(&served.order("q", "r-2", "RUN", json!({})), &run);
    claim(&it, "r-3", "task.land", "task:q", &json!({}));
    let land = served.order("q", "r-3", "LAND", json!({}));
    assert_eq!(land.status, 202, "{land:?}");
    until(|| it.status("q")["landed"]["put"]["at"].is_string());
    // Started, and the receipt never written: it is not started again.
    forget_receipt(&it);
    served.restart();
    let (tip, before) = (it.git("rev-parse main"), it.status("q"));
    assert_eq!(served.order("q", "r-3", "LAND", json!({})).status, 202);
    assert_eq!((it.git("rev-parse main"), it.status("q")), (tip, before));
    // Made under an id of its goal, and the receipt never written: it is not made again.
    let first = create(&served, "r-4", &spec(None), false);
    forget_receipt(&it);
    served.restart();
    let again = create(&served, "r-4", &spec(None), false);
    assert_eq!(again.json()["task_id"], first.json()["task_id"], "{again:?}");
    let other = create(&served, "r-5", &spec(None), false);
    assert_ne!(other.json()["task_id"], first.json()["task_id"], "{other:?}");
    assert_eq!(served.get("/api/tasks").json()["tasks"].as_array().unwrap().len(), 3);
}

/// What the guard forbids makes nothing, starts nothing, and is not taken for done.
#[test]
fn what_was_refused_is_not_taken_for_done() {
    let it = Loop::new();
    let mut served = Served::guarded(&it);
    let refused = create(&served, "r-1", &spec(Some("q")), true);
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(refused.json()["code"].as_str().unwrap().starts_with("task.unproven"), "{refused:?}");
    assert_eq!(served.get("/api/tasks/q").status, 404);
    assert!(!it.exists("q"), "nothing is made");
    let waits = create(&served, "r-2", &spec(Some("w")), false);
    assert_eq!(waits.status, 201, "{waits:?}");
    let refused = served.order("w", "r-3", "RUN", json!({}));
    assert_eq!(refused.status, 422, "{refused:?}");
    // The same requests where they may run.
    served.restart();
    let made = create(&served, "r-1", &spec(Some("q")), true);
    assert_eq!((made.status, made.json()["started"].clone()), (201, json!(true)), "{made:?}");
    let run = served.order("w", "r-3", "RUN", json!({}));
    assert_eq!((run.status, run.json()["deduplicated"].clone()), (202, json!(false)), "{run:?}");
    until_state(&it, "q", "READY_FOR_REVIEW");
    until_state(&it, "w", "READY_FOR_REVIEW");
}

/// As with `provost answer`: a task that waited for the answer goes on, and one that may not run
/// unattended keeps the answer.
#[test]
fn a_task_that_waited_for_an_answer_goes_on() {
    let it = Loop::new();
    it.judge(&plain("NEED_USER_INPUT"));
    for id in ["one", "two"] {
        it.check(id, json!({}), 3, "PAUSED_WAITING_USER_INPUT");
    }
    it.judge(&plain("PASS"));
    let mut served = Served::guarded(&it);
    let text = json!({"text": "the left one"});
    let held = served.order("two", "r-0", "ANSWER", text.clone());
    assert_eq!((held.status, held.json()["started"].clone()), (200, json!(false)), "{held:?}");
    let code = held.json()["held"]["code"].clone();
    assert!(code.as_str().unwrap().starts_with("task.unproven"), "{held:?}");
    assert_eq!(it.text("two/user_input.jsonl").lines().count(), 1);
    served.restart();
    let told = served.order("one", "r-1", "ANSWER", text.clone());
    assert_eq!((told.status, told.json()["started"].clone()), (200, json!(true)), "{told:?}");
    assert_eq!(told.json()["held"], Value::Null);
    until_state(&it, "one", "READY_FOR_REVIEW");
    assert!(it.prompt("one", 2).contains("the left one"));
    let again = served.order("one", "r-1", "ANSWER", text.clone());
    assert_eq!((again.status, again.json()["deduplicated"].clone()), (200, json!(true)));
    assert_eq!(
        (again.json()["started"].clone(), it.status("one")["current_attempt"].clone()),
        (json!(false), json!(2))
    );
    // What could not go on then goes on when it is sent again where it may.
    let again = served.order("two", "r-0", "ANSWER", text);
    assert_eq!((again.status, again.json()["started"].clone()), (200, json!(true)), "{again:?}");
    until_state(&it, "two", "READY_FOR_REVIEW");
    assert_eq!(it.text("two/user_input.jsonl").lines().count(), 1);
}
