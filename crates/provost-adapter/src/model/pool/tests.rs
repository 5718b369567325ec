use std::{
    collections::BTreeMap,
    fmt,
    ops::ControlFlow,
    sync::{
        Barrier, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::*;
use crate::{call_result::CallError, pool::WINDOW};

/// A model that does what it is told, and counts how often each question was asked.
struct Fake<F> {
    answer: F,
    asked: Mutex<BTreeMap<usize, usize>>,
    busy: AtomicUsize,
    most: AtomicUsize,
}

type Said = Result<String, ModelFailure>;

impl<F: Fn(usize, &Cancel) -> Said + Send + Sync> Fake<F> {
    fn new(answer: F) -> Arc<Self> {
        let (asked, busy, most) = (Mutex::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { answer, asked, busy, most })
    }

    fn calls(&self) -> usize {
        self.asked.lock().unwrap().values().sum()
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

impl<F> fmt::Debug for Fake<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

impl<F: Fn(usize, &Cancel) -> Said + Send + Sync> Model for Fake<F> {
    fn ask(&self, request: &ModelRequest, cancel: &Cancel) -> ModelResult {
        let number = number(request);
        *self.asked.lock().unwrap().entry(number).or_default() += 1;
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(busy, Ordering::SeqCst);
        let said = (self.answer)(number, cancel);
        self.busy.fetch_sub(1, Ordering::SeqCst);
        said.map(|text| ModelReply { text, ..ModelReply::default() })
    }
}

fn question(text: &str) -> ModelRequest {
    ModelRequest::instruct(text, "")
}

fn number(request: &ModelRequest) -> usize {
    request.messages[0].content.parse().unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "it says what a model says")]
fn good(number: usize, _: &Cancel) -> Said {
    Ok(format!("answer {number}"))
}

fn lost(_: usize, _: &Cancel) -> Said {
    Err(ModelFailure::unreachable("not there"))
}

/// Asks `count` questions; what came back, in the order in which it came.
fn run(pool: &ModelPool, count: usize) -> Vec<(usize, Said)> {
    let mut heard = Vec::new();
    let mut questions = (0..count).map(|it| question(&it.to_string()));
    let ended = pool.run(&mut questions, &Cancel::new(), &mut |index, question, result| {
        assert_eq!(number(question), index);
        heard.push((index, result.map(|it| it.text)));
        ControlFlow::Continue(())
    });
    assert_eq!(ended, Ended::Done);
    heard
}

#[track_caller]
fn check_all_good(heard: Vec<(usize, Said)>, count: usize) {
    let expected: Vec<_> = (0..count).map(|it| (it, Ok(format!("answer {it}")))).collect();
    assert_eq!(heard, expected);
}

/// Answers that come in the opposite order are handed over in the right one.
#[test]
fn answers_are_handed_over_in_the_order_of_the_questions() {
    let (done, changed) = (Mutex::new([false; 40]), Condvar::new());
    let model = {
        let shared = Arc::new((done, changed));
        Fake::new(move |number, cancel| {
            // Of four that are asked together the last is the first to be answered.
            let (done, changed) = &*shared;
            let mut state = done.lock().unwrap();
            while number % 4 != 3 && !state[number + 1] {
                state = changed.wait(state).unwrap();
            }
            state[number] = true;
            changed.notify_all();
            good(number, cancel)
        })
    };
    check_all_good(run(&ModelPool::new(vec![(model, 4)], 4), 40), 40);
}

#[test]
fn the_result_does_not_depend_on_how_many_are_asked_at_once() {
    for (concurrency, total) in [(1, 1), (4, 4), (16, 16), (16, 3), (1, 9)] {
        let models: Vec<(Arc<dyn Model>, usize)> =
            vec![(Fake::new(good), concurrency), (Fake::new(good), concurrency)];
        check_all_good(run(&ModelPool::new(models, total), 300), 300);
    }
    check_all_good(run(&ModelPool::new(vec![(Fake::new(good), 64)], 64), 0), 0);
    check_all_good(run(&ModelPool::new(vec![(Fake::new(good), 64)], 64), 1), 1);
}

/// As many as are allowed are asked at once, of each model and of all, and not one more.
#[test]
fn as_many_questions_are_under_way_as_are_allowed() {
    let barrier = Arc::new(Barrier::new(4));
    let model = Fake::new(move |number, cancel| {
        // With fewer at once this would never end.
        barrier.wait();
        good(number, cancel)
    });
    check_all_good(run(&ModelPool::new(vec![(Arc::clone(&model) as _, 4)], 100), 40), 40);
    assert_eq!(model.most(), 4);

    // One model with two names.
    let model = Fake::new(good);
    let pool = ModelPool::new(vec![(Arc::clone(&model) as _, 3), (Arc::clone(&model) as _, 3)], 2);
    assert_eq!(pool.concurrency(), 2);
    check_all_good(run(&pool, 100), 100);
    assert!(model.most() <= 2, "{}", model.most());
}

#[test]
fn questions_are_taken_as_there_is_room() {
    let pulled = AtomicUsize::new(0);
    let mut questions = (0..10_000).map(|it| {
        pulled.fetch_add(1, Ordering::SeqCst);
        question(&it.to_string())
    });
    let pool = ModelPool::new(vec![(Fake::new(good), 4)], 4);
    let mut handed = 0;
    pool.run(&mut questions, &Cancel::new(), &mut |_, _, _| {
        handed += 1;
        assert!(pulled.load(Ordering::SeqCst) <= handed + 4 * WINDOW);
        ControlFlow::Continue(())
    });
    assert_eq!(handed, 10_000);
}

#[test]
fn a_caller_who_wants_no_more_gets_no_more() {
    let model = Fake::new(good);
    let pool = ModelPool::new(vec![(Arc::clone(&model) as _, 2)], 2);
    let mut questions = (0..).map(|it| question(&it.to_string()));
    let mut heard = 0;
    let ended = pool.run(&mut questions, &Cancel::new(), &mut |index, _, _| {
        heard += 1;
        if index == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((ended, heard), (Ended::Broken, 3));
    assert!(model.calls() <= 3 + 2 * WINDOW, "{}", model.calls());
}

/// What had come before the end was asked for is handed over; what was broken off is not.
#[test]
fn a_cancelled_run_hands_over_what_it_has_and_ends() {
    let cancel = Cancel::new();
    let model = Fake::new(|number, cancel: &Cancel| match number {
        1 => {
            cancel.sleep(Duration::from_hours(1));
            Err(ModelFailure::unreachable("broken off"))
        }
        _ => good(number, cancel),
    });
    let pool = ModelPool::new(vec![(model, 3)], 3);
    let mut questions = (0..).map(|it| question(&it.to_string()));
    let mut heard = Vec::new();
    let ended = pool.run(&mut questions, &cancel, &mut |index, _, result| {
        heard.push((index, result.is_ok()));
        cancel.cancel();
        ControlFlow::Continue(())
    });
    assert_eq!((ended, heard), (Ended::Cancelled, vec![(0, true)]));

    let again = pool.run(&mut questions, &cancel, &mut |_, _, _| panic!("no model is asked"));
    assert_eq!(again, Ended::Cancelled);
}

#[test]
fn a_question_that_one_model_did_not_get_is_asked_of_another_once() {
    let (bad, other) = (Fake::new(lost), Fake::new(good));
    let pool = ModelPool::new(vec![(Arc::clone(&bad) as _, 4), (Arc::clone(&other) as _, 4)], 8);
    check_all_good(run(&pool, 2_000), 2_000);
    assert!(bad.calls() < 1_000, "it rests: {}", bad.calls());
    assert!(other.asked.lock().unwrap().values().all(|it| *it == 1));

    let (one, two) = (Fake::new(lost), Fake::new(lost));
    let pool = ModelPool::new(vec![(Arc::clone(&one) as _, 2), (Arc::clone(&two) as _, 2)], 4);
    let heard = run(&pool, 50);
    assert!(heard.iter().all(|(_, it)| it.is_err()) && heard.len() == 50);
    for model in [&one, &two] {
        let asked = model.asked.lock().unwrap();
        assert!(asked.len() == 50 && asked.values().all(|it| *it == 1), "{asked:?}");
    }

    let alone = Fake::new(lost);
    assert!(
        run(&ModelPool::new(vec![(Arc::clone(&alone) as _, 2)], 2), 9)
            .iter()
            .all(|it| it.1.is_err())
    );
    assert_eq!(alone.calls(), 9, "there is nobody else");
}

/// The first model fails twice, and the second waits until the first was asked again.
#[test]
fn a_model_that_recovers_is_asked_again() {
    let calls = Arc::new((Mutex::new(0), Condvar::new()));
    let shared = Arc::clone(&calls);
    let model = Fake::new(move |number, cancel| {
        let (count, changed) = &*shared;
        let mut count = count.lock().unwrap();
        *count += 1;
        changed.notify_all();
        if *count <= 2 { lost(number, cancel) } else { good(number, cancel) }
    });
    let other = Fake::new(move |number, cancel| {
        let (count, changed) = &*calls;
        drop(changed.wait_while(count.lock().unwrap(), |it| *it < 4).unwrap());
        good(number, cancel)
    });
    let pool = ModelPool::new(vec![(model, 1), (other, 1)], 2);
    check_all_good(run(&pool, 500), 500);
}

/// That a recording has no answer is an answer: another model would say something else.
#[test]
fn what_is_not_recorded_is_asked_of_nobody_else() {
    let missing = |_: usize, _: &Cancel| {
        Err(ModelFailure { error: CallError::NotRecorded, detail: "no".into() })
    };
    let (one, two) = (Fake::new(missing), Fake::new(missing));
    let pool = ModelPool::new(vec![(Arc::clone(&one) as _, 1), (Arc::clone(&two) as _, 1)], 2);
    assert!(run(&pool, 20).iter().all(|it| it.1.is_err()));
    assert_eq!(one.calls() + two.calls(), 20);
}

#[test]
fn a_model_that_panics_has_not_answered() {
    let bad = Fake::new(|number, cancel: &Cancel| match number % 3 {
        0 => panic!("a defect of the model"),
        _ => good(number, cancel),
    });
    let heard = run(&ModelPool::new(vec![(bad, 2)], 2), 9);
    let failed: Vec<usize> = heard.iter().filter(|it| it.1.is_err()).map(|it| it.0).collect();
    assert_eq!(failed, [0, 3, 6]);
}

#[test]
fn a_caller_that_panics_is_not_kept_waiting() {
    let pool = ModelPool::new(vec![(Fake::new(good), 4)], 4);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut questions = (0..).map(|it| question(&it.to_string()));
        pool.run(&mut questions, &Cancel::new(), &mut |_, _, _| panic!("a defect of the caller"))
    }));
    assert!(ended.is_err());
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let mut questions =
            (0..).map(|it| if it < 9 { question(&it.to_string()) } else { panic!() });
        pool.run(&mut questions, &Cancel::new(), &mut |_, _, _| ControlFlow::Continue(()))
    }));
    assert!(ended.is_err());
}

#[test]
fn a_pool_of_nobody_answers_that_there_is_nobody() {
    let heard = run(&ModelPool::new(Vec::new(), 4), 3);
    assert_eq!(heard.len(), 3);
    assert!(heard.iter().all(|it| it.1.is_err()));
}
