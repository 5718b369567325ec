//! Many tasks: killed at random moments, and twenty at once.

use std::{collections::BTreeMap, time::Duration};

use provost_kernel::{
    AttemptNumber,
    task::{EventKind, PauseCode, State},
};
use provost_testkit::{
    coordinator::{Errand, desk},
    kills,
};
use provost_vault::{RealDisk, audit::verify};
use rustix::process::Signal;

use super::signals::{Coordinator, Ground};

/// Moments that look random and are the same in every run: after so many lines of the
/// coordinator, and a little later.
fn moment(kill: u32) -> (usize, Duration) {
    let mixed = kill.wrapping_mul(2_654_435_761) >> 8;
    let lines = usize::try_from(mixed % 11).unwrap();
    (lines, Duration::from_micros(u64::from(mixed >> 4) % 40_000))
}

/// What was acknowledged of one task: its decided attempts, each with its row.
type Acknowledged = BTreeMap<u16, String>;

/// LOOP-U7: nothing that was acknowledged is lost, and none of it is run again.
#[test]
fn random_kills_lose_nothing_and_repeat_nothing() {
    let ground = Ground::new();
    let mut n_tasks = 0;
    let mut n_decided = 0;
    let mut errand: Option<Errand> = None;
    let mut acknowledged = Acknowledged::new();
    for kill in 0..kills() {
        let current = errand.get_or_insert_with(|| {
            n_tasks += 1;
            acknowledged.clear();
            let mut spec = ground.spec(&format!("k{n_tasks}"));
            // Two attempts that fail, so that there is something to repeat.
            spec.coder = Some("script:fail".to_owned());
            spec.max_attempts = 2;
            Errand::new(&ground.home(), &spec)
        });
        let is_known = desk(&ground.home()).spec(&current.task).is_ok();
        let run = if is_known { current.resumed() } else { current.clone() };
        let mut coordinator = Coordinator::start(&run);
        let (n_lines, later) = moment(kill);
        let mut lines: Vec<String> =
            coordinator.lines.by_ref().map_while(Result::ok).take(n_lines).collect();
        std::thread::sleep(later);
        coordinator.kill(Signal::KILL);
        lines.extend(coordinator.lines.by_ref().map_while(Result::ok));
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["decided", attempt, row] = *words {
                let again = acknowledged.insert(attempt.parse().unwrap(), row.to_owned());
                assert_eq!(again, None, "kill {kill}: attempt {attempt} was decided again");
                n_decided += 1;
            }
        }
        coordinator.end();
        let task = current.task.clone();
        let desk = desk(&ground.home());
        if desk.spec(&task).is_err() {
            // It was killed before the task was written: nothing was acknowledged.
            assert!(acknowledged.is_empty(), "kill {kill}: {acknowledged:?}");
            continue;
        }
        let status = ground.look(&task);
        assert_ne!(status.state, State::Running, "kill {kill}");
        ground.assert_settled(&task);
        for (&attempt, row) in &acknowledged {
            let number = AttemptNumber::try_from(attempt).unwrap();
            let decided = desk.files(&task).decision(number).unwrap().present().unwrap().value;
            assert_eq!(decided.decision.row.as_str(), row, "kill {kill}: attempt {attempt}");
        }
        check_events(&ground, &task, kill);
        if status.state == State::Failed {
            assert_eq!(status.attempts_consumed, 2, "kill {kill}");
            errand = None;
        }
    }
    let report = verify(&RealDisk, &provost_testkit::layout(&ground.home())).unwrap();
    assert!(report.is_intact(), "{:?}", report.problems);
    println!("{} kills, {n_tasks} tasks, {n_decided} decisions acknowledged", kills());
    assert!(n_decided * 10 > kills(), "too few decisions to say anything: {n_decided}");
}

/// Each attempt starts once, is decided at most once and crashes at most once.
fn check_events(ground: &Ground, task: &provost_kernel::TaskId, kill: u32) {
    let events = desk(&ground.home()).files(task).events().unwrap().records;
    let mut seen: BTreeMap<(u16, EventKind), u32> = BTreeMap::new();
    for event in &events {
        *seen.entry((event.value.attempt, event.value.kind)).or_default() += 1;
    }
    for ((attempt, kind), count) in seen {
        let once = matches!(
            kind,
            EventKind::AttemptStarted | EventKind::AttemptDecided | EventKind::CoderStarted
        );
        assert!(!once || count == 1, "kill {kill}: {kind} of attempt {attempt}: {count} times");
    }
    let numbers: Vec<u64> = events.iter().map(|it| it.value.seq).collect();
    assert!(numbers.is_sorted_by(|one, two| one < two), "kill {kill}: {numbers:?}");
}

/// Twenty tasks at once in one home and one repository, each with its own end.
#[test]
fn twenty_tasks_at_once_each_come_to_their_own_end() {
    let ground = Ground::new();
    let kinds: [(&str, &str, State, Option<PauseCode>, u16); 5] = [
        ("script:pass", "mock", State::ReadyForReview, None, 1),
        ("script:fail_then_fix", "mock", State::ReadyForReview, None, 2),
        ("script:fail", "mock", State::Failed, None, 3),
        ("script:pass", "need_input", State::Paused, Some(PauseCode::WaitingUserInput), 1),
        ("script:touches_forbidden", "mock", State::Paused, Some(PauseCode::ForbiddenGlobs), 1),
    ];
    let mut running = Vec::new();
    for number in 0..20 {
        let (coder, judge, ..) = kinds[number % kinds.len()];
        let mut spec = ground.spec(&format!("crowd-{number}"));
        spec.coder = Some(coder.to_owned());
        let judge = if judge == "mock" { judge.to_owned() } else { format!("script:{judge}") };
        spec.judge = Some(judge);
        let errand = Errand::new(&ground.home(), &spec);
        running.push((number, Coordinator::start(&errand), errand));
    }
    for (number, coordinator, errand) in running {
        coordinator.end();
        let (coder, _, state, code, attempts) = kinds[number % kinds.len()];
        let status = ground.look(&errand.task);
        assert_eq!(
            (status.state, status.pause_reason_code),
            (state, code),
            "{number} {coder}: {}",
            status.message
        );
        assert_eq!(status.current_attempt, attempts, "{number} {coder}");
        ground.assert_settled(&errand.task);
    }
    let report = verify(&RealDisk, &provost_testkit::layout(&ground.home())).unwrap();
    assert!(report.is_intact(), "{:?}", report.problems);
}
