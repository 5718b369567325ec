//! Which orders are offered, and in which order.

use provost_kernel::{
    Actor, Source, Timestamp,
    task::{
        BranchMove, ErrorClass, LandMethod, Landing, Order, Overrides, Review, ReviewOutcome, Role,
        Row, Terms,
    },
};
use serde_json::json;

use super::*;
use crate::{budget::Part, decision::budget_questions, facts, orders};

static NONE: BTreeSet<String> = BTreeSet::new();

fn nothing() -> Circumstances<'static> {
    Circumstances {
        is_branchless: false,
        allowed: Some(&[]),
        forbidden: Some(&[]),
        is_test_red: false,
        is_answered: false,
        edited: &NONE,
        n_overrides: 0,
        acceptable: &[],
        digest: None,
    }
}

/// The commands that are said without being asked for.
fn told(status: &Status, known: &Circumstances<'_>) -> Vec<String> {
    let told = proposals(status, known).into_iter().filter(|it| it.is_told);
    told.map(|it| it.command).collect()
}

#[track_caller]
fn check(change: impl FnOnce(&mut Status), expected: &[&str]) {
    let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
    change(&mut status);
    assert_eq!(told(&status, &nothing()), expected);
}

fn review(outcome: ReviewOutcome) -> Review {
    Review {
        outcome,
        actor: Actor { source: Source::Cli, id: "ann".to_owned() },
        reviewed_at: Timestamp::EPOCH,
        because: None,
        attempt: Some(0),
        request_id: None,
        blind: false,
    }
}

fn paused_by(code: PauseCode) -> impl Fn(&mut Status) {
    move |it| (it.state, it.pause_reason_code) = (State::Paused, Some(code))
}

#[test]
fn every_state_has_its_commands() {
    check(|_| {}, &["provost logs t1 -f", "provost pause t1"]);
    check(|it| it.queued = true, &["provost run t1", "provost run --jobs 2"]);
    check(paused_by(PauseCode::Crash), &["provost resume t1"]);
    check(
        paused_by(PauseCode::AllowedPaths),
        &["provost edit t1 --instruction TEXT", "provost resume t1"],
    );
    check(paused_by(PauseCode::VerdictInvalid), &["provost rejudge t1", "provost resume t1"]);
    check(
        paused_by(PauseCode::Budget),
        &["provost edit t1 --set budget.usd=N", "provost resume t1"],
    );
    let ran_out = |parts: &'static [Part]| {
        move |it: &mut Status| {
            paused_by(PauseCode::Budget)(it);
            let facts = facts::of_step(it, Role::Coordinator, 0, ErrorClass::Budget);
            it.set_questions(&budget_questions(Row::Budget, &facts, parts).unwrap());
        }
    };
    check(
        ran_out(&[Part::Tokens]),
        &["provost edit t1 --set budget.tokens=N", "provost resume t1"],
    );
    check(
        ran_out(&[Part::Usd, Part::Wall]),
        &[
            "provost edit t1 --set budget.usd=N",
            "provost edit t1 --set budget.wall=SECONDS",
            "provost resume t1",
        ],
    );
    check(paused_by(PauseCode::WaitingUserInput), &["provost answer t1 TEXT"]);
    check(
        paused_by(PauseCode::ScoreGated),
        &["provost explain t1", "provost edit t1 --instruction TEXT", "provost resume t1"],
    );
    check(
        |it| it.state = State::ReadyForReview,
        &["provost approve t1", "provost reject t1 --because TEXT", "provost land t1"],
    );
    let reviewed = |outcome| {
        move |it: &mut Status| {
            (it.state, it.review) = (State::ReadyForReview, Some(review(outcome)));
        }
    };
    check(reviewed(ReviewOutcome::Approved), &["provost land t1"]);
    check(reviewed(ReviewOutcome::Rejected), &["provost resume t1"]);
}

#[test]
fn what_was_done_since_the_pause_is_not_offered_again() {
    let offered = |code, known: &Circumstances<'_>| {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        (status.state, status.pause_reason_code) = (State::Paused, Some(code));
        told(&status, known)
    };
    let fields = |field: &str| -> BTreeSet<String> { [field.to_owned()].into() };
    let (coder, test, budget) = (fields("coder"), fields("test_cmd"), fields("budget"));
    let edited = |edited| Circumstances { edited, ..nothing() };
    let fix = ["provost edit t1 --set test_cmd=CMD", "provost resume t1"];
    assert_eq!(offered(PauseCode::TestNotRun, &edited(&coder)), fix);
    assert_eq!(offered(PauseCode::TestNotRun, &edited(&test)), fix[1..]);
    assert_eq!(offered(PauseCode::Budget, &edited(&budget)), fix[1..]);
    let answered = Circumstances { is_answered: true, ..nothing() };
    assert_eq!(offered(PauseCode::WaitingUserInput, &answered), fix[1..]);
    let failed = offered(PauseCode::CoderFailed, &nothing());
    assert_eq!(failed, ["provost logs t1 --agent", "provost resume t1"]);
}

/// A command that cannot work is not offered.
#[test]
fn what_is_known_of_a_task_decides_what_is_offered() {
    let offered = |change: &dyn Fn(&mut Status), known: Circumstances<'_>| {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        change(&mut status);
        told(&status, &known)
    };
    let branchless = Circumstances { is_branchless: true, ..nothing() };
    let ready = |it: &mut Status| it.state = State::ReadyForReview;
    assert_eq!(offered(&ready, branchless)[2], "provost land t1 --branch NAME");
    assert_eq!(offered(&ready, nothing())[2], "provost land t1");
    let instructed = |it: &mut Status| {
        it.state = State::ReadyForReview;
        it.next_instruction = Some("shorter".to_owned());
    };
    assert_eq!(offered(&instructed, nothing())[0], "provost resume t1");
    let forbidden = |it: &mut Status| {
        (it.state, it.pause_reason_code) = (State::Paused, Some(PauseCode::ForbiddenGlobs));
    };
    let edit = "provost edit t1 --instruction TEXT";
    let permit = "provost edit t1 --set forbidden_globs-=GLOB";
    let last = "provost resume t1";
    assert_eq!(offered(&forbidden, nothing()), [edit, last]);
    let globs = ["*.lock".to_owned()];
    let named = Circumstances { allowed: Some(&globs), forbidden: Some(&globs), ..nothing() };
    assert_eq!(offered(&forbidden, named), [edit, permit, last]);
    let outside = paused_by(PauseCode::AllowedPaths);
    let allow = "provost edit t1 --set allowed_paths+=PATH";
    assert_eq!(offered(&outside, named), [allow, edit, last]);
    let red = Circumstances { is_test_red: true, ..nothing() };
    let failed = |it: &mut Status| it.state = State::Failed;
    assert_eq!(offered(&failed, red)[0], "provost logs t1 --test");
    assert_eq!(offered(&failed, nothing())[0], "provost explain t1");
}

/// An approval of one result says nothing of the next.
#[test]
fn a_review_of_an_earlier_attempt_does_not_count() {
    let approved = |of| {
        move |it: &mut Status| {
            (it.state, it.current_attempt) = (State::ReadyForReview, 2);
            it.review = Some(Review { attempt: of, ..review(ReviewOutcome::Approved) });
        }
    };
    let open = ["provost approve t1", "provost reject t1 --because TEXT", "provost land t1"];
    check(approved(Some(2)), &["provost land t1"]);
    check(approved(Some(1)), &open);
    check(approved(None), &open);
}

/// LOOP-B11: the button that stands out on a page is a review until somebody has reviewed.
#[test]
fn a_result_is_reviewed_before_it_lands() {
    let likeliest = |review: Option<Review>| {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        (status.state, status.review) = (State::ReadyForReview, review);
        let offers = offers(proposals(&status, &nothing()));
        offers.into_iter().find(|it| it.is_likeliest).map(|it| it.action)
    };
    assert_eq!(likeliest(None), Some(Action::Approve));
    assert_eq!(likeliest(Some(review(ReviewOutcome::Approved))), Some(Action::Land));
    assert_eq!(likeliest(Some(review(ReviewOutcome::Rejected))), Some(Action::Resume));
}

/// LOOP-U6: when all attempts are used up, going on needs one more.
#[test]
fn used_up_attempts_come_first() {
    let failed = |consumed, review| {
        move |it: &mut Status| {
            it.state = State::Failed;
            it.attempts_consumed = consumed;
            it.effective_max_attempts = consumed;
            it.review = review;
        }
    };
    check(
        failed(3, None),
        &[
            "provost explain t1",
            "provost edit t1 --set max_attempts=4",
            "provost reject t1 --because TEXT",
        ],
    );
    check(
        failed(50, Some(review(ReviewOutcome::Rejected))),
        &["provost explain t1", "provost reset t1"],
    );
}

/// Tasks in every state, reviewed and landed in every way.
fn statuses() -> Vec<Status> {
    use ReviewOutcome::{Approved, Rejected};
    let step = || BranchMove {
        commit: "c0ffee".to_owned(),
        before: None,
        actor: Actor { source: Source::Cli, id: "ann".to_owned() },
        ordered_at: Timestamp::EPOCH,
        at: Some(Timestamp::EPOCH),
    };
    let landing = |is_done: bool, undone: Option<BranchMove>| {
        let put = BranchMove { at: is_done.then_some(Timestamp::EPOCH), ..step() };
        let (branch, method) = ("main".to_owned(), LandMethod::Squash);
        Landing { attempt: 1, branch, method, put, undone }
    };
    let mut all = Vec::new();
    for &state in State::ALL {
        for reviewed in [None, Some(Approved), Some(Rejected)] {
            for landed in [
                None,
                Some(landing(true, None)),
                Some(landing(false, None)),
                Some(landing(true, Some(step()))),
            ] {
                for (attempt, is_stale, queued) in
                    [(0, false, true), (0, false, false), (1, false, false), (1, true, false)]
                {
                    // Only a result that was taken has landed.
                    let is_taken = (state, reviewed) == (State::ReadyForReview, Some(Approved));
                    if landed.is_some() && !(is_taken && attempt == 1) {
                        continue;
                    }
                    let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
                    (status.state, status.current_attempt, status.queued) =
                        (state, attempt, queued);
                    status.review = reviewed.map(|it| Review { attempt: Some(1), ..review(it) });
                    status.landed = landed.clone();
                    let digest = Digest::of_bytes;
                    let terms = Terms { now: digest(b"a"), of_attempt: digest(b"b") };
                    status.terms = is_stale.then_some(terms);
                    all.push(status);
                }
            }
        }
    }
    all
}

/// Every order of the queue with something in it.
fn orders() -> Vec<(Action, Order)> {
    let text = || "x".to_owned();
    let attempt = provost_kernel::AttemptNumber::FIRST;
    let accept = Order::Accept { finding: text(), because: text(), attempt: 1, digest: None };
    vec![
        (Action::Approve, Order::Approve),
        (Action::Reject, Order::Reject { because: text() }),
        (Action::Answer, Order::Answer { text: text() }),
        (Action::Pause, Order::Pause),
        (Action::PauseNow, Order::PauseNow),
        (Action::Resume, Order::Resume),
        (Action::Reset, Order::Reset),
        (Action::Rerun, Order::Rerun { attempt }),
        (Action::Rejudge, Order::Rejudge),
        (Action::Edit, Order::Edit { instruction: text() }),
        (Action::Override, Order::Override { overrides: Overrides::default() }),
        (Action::Set, Order::Set { changes: Vec::new() }),
        (Action::Rollback, Order::Rollback { to_version: None }),
        (Action::Accept, accept),
    ]
}

/// LOOP-B11: a page shows this list and knows no rule of its own, so that it is neither longer nor
/// shorter than what the task takes.
#[test]
fn exactly_the_orders_that_a_task_takes_are_offered() {
    let findings = ["TESTS_GONE".to_owned()];
    let known = Circumstances { n_overrides: 1, acceptable: &findings, ..nothing() };
    for status in statuses() {
        let offered = offers(proposals(&status, &known));
        for (action, order) in orders() {
            let is_offered = offered.iter().any(|it| it.action == action);
            let has_attempt = status.current_attempt > 0;
            let needs_attempt = [Action::Rerun, Action::Rejudge].contains(&action);
            let is_approved =
                review_of(&status).is_some_and(|it| it.outcome == ReviewOutcome::Approved);
            let can_work = (has_attempt || !needs_attempt)
                && (status.is_driven() || action != Action::PauseNow)
                // What is approved is not approved again.
                && !(is_approved && action == Action::Approve);
            let is_taken = orders::check(&order, &status).is_ok() && can_work;
            assert_eq!(is_offered, is_taken, "{action:?} {status:?}");
        }
        let is_likeliest = offered.iter().filter(|it| it.is_likeliest).count();
        assert!(is_likeliest <= 1, "{status:?}");
    }
}

/// What an offer presets and asks for makes an order that can be read.
#[test]
fn a_filled_in_offer_is_an_order() {
    let findings = ["TESTS_GONE".to_owned()];
    let globs = ["*.lock".to_owned()];
    let known = Circumstances {
        n_overrides: 1,
        acceptable: &findings,
        allowed: Some(&globs),
        forbidden: Some(&globs),
        ..nothing()
    };
    let codes = PauseCode::ALL.iter().map(|&code| {
        let mut status = Status::new("t1".parse().unwrap(), Timestamp::EPOCH, 3);
        paused_by(code)(&mut status);
        status.current_attempt = 1;
        status
    });
    let started = [Action::Run, Action::Land, Action::UndoLand];
    for status in statuses().into_iter().chain(codes) {
        for offer in offers(proposals(&status, &known)) {
            let mut payload = Value::Object(offer.payload.clone());
            for field in &offer.fields {
                let value = match (&field.value, &field.choices, field.kind) {
                    (Some(value), ..) => value.clone(),
                    (None, Some(choices), _) => json!(choices[0]),
                    (None, None, FieldKind::Number) => json!(field.min.unwrap_or(1)),
                    (None, None, _) => json!("x"),
                };
                let pointer = format!("/{}", field.name.replace('.', "/"));
                let (parent, key) = pointer.rsplit_once('/').unwrap();
                payload.pointer_mut(parent).unwrap()[key] = value;
            }
            if started.contains(&offer.action) {
                continue;
            }
            let mut request = json!({ "action": offer.action });
            if payload.as_object().is_some_and(|it| !it.is_empty()) {
                request["payload"] = payload;
            }
            let read = serde_json::from_value::<Order>(request.clone());
            assert!(read.is_ok(), "{request} {read:?}");
            let name = serde_json::to_value(offer.action).unwrap();
            assert_eq!(name, offer.action.as_str());
        }
    }
}
