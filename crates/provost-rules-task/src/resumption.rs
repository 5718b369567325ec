//! How a task goes on: with its coder or behind it, and whether the merge with a newer base is done.

use provost_kernel::task::{Event, EventKind, Order, OrderRecord, PauseCode};

/// Whether an attempt was paused by a person after its coder had done its work, and nothing was asked
/// of the task since. Its result is then tested and judged; the coder is not paid twice for it.
pub fn is_behind_coder(events: &[&Event], orders: &[OrderRecord], attempt: u16) -> bool {
    let mine = || events.iter().filter(|it| it.attempt == attempt);
    let started = mine().find(|it| it.kind == EventKind::AttemptStarted).map(|it| it.ts);
    let is_done = mine().any(|it| it.kind == EventKind::CoderFinished && it.summary == "rc=0");
    let changes = || events.iter().filter(|it| it.kind == EventKind::StateChanged);
    let paused = changes().rfind(|it| it.summary != RESUMED);
    let is_paused =
        paused.is_some_and(|it| it.attempt == attempt && it.summary == PauseCode::User.as_str());
    let is_asked = orders.iter().any(|it| Some(it.created_at) >= started && asks(&it.order));
    is_done && is_paused && !is_asked
}

/// Whether a text has a conflict marker that a merge of provost left: it names a side by its commit,
/// while markers of git, and texts about them, name branches.
pub fn has_marks(text: &str) -> bool {
    let is_commit =
        |it: &str| matches!(it.len(), 40 | 64) && it.bytes().all(|it| it.is_ascii_hexdigit());
    let side = |line: &str| {
        let mark = ["<<<<<<< ", ">>>>>>> "].into_iter().find_map(|it| line.strip_prefix(it));
        mark.is_some_and(|it| is_commit(it.trim_end()))
    };
    text.lines().any(side)
}

/// What the event says when a person lets a task go on.
pub const RESUMED: &str = "RESUMED";

/// Whether an order asks for more than to stop and to go on.
fn asks(order: &Order) -> bool {
    !matches!(order, Order::Pause | Order::PauseNow | Order::Resume)
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Actor, Source, Timestamp};

    use super::*;

    fn at(second: i64) -> Timestamp {
        format!("2026-01-01T00:00:{second:02}Z").parse().unwrap()
    }

    /// Events as `KIND@ATTEMPT summary`, one a second.
    fn events(text: &str) -> Vec<Event> {
        let event = |(second, line): (i64, &str)| {
            let (kind, rest) = line.trim().split_once('@').unwrap();
            let (attempt, summary) = rest.split_once(' ').unwrap_or((rest, ""));
            Event {
                seq: 0,
                ts: at(second),
                task_id: "t1".parse().unwrap(),
                attempt: attempt.parse().unwrap(),
                kind: kind.parse().unwrap(),
                summary: summary.to_owned(),
                paths: std::collections::BTreeMap::default(),
            }
        };
        (0..).zip(text.split(';')).map(event).collect()
    }

    #[track_caller]
    fn check(text: &str, orders: &[(i64, Order)], expected: bool) {
        let events = events(text);
        let order = |(second, order): &(i64, Order)| OrderRecord {
            seq: 1,
            created_at: at(*second),
            task_id: "t1".parse().unwrap(),
            order: order.clone(),
            request_id: None,
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            seen: None,
            blind: false,
            resolved: None,
        };
        let orders: Vec<OrderRecord> = orders.iter().map(order).collect();
        let events: Vec<&Event> = events.iter().collect();
        assert_eq!(is_behind_coder(&events, &orders, 1), expected, "{text}");
    }

    #[test]
    fn marks_of_a_merge_name_commits() {
        let side = "0123456789abcdef0123456789abcdef01234567";
        assert!(has_marks(&format!("a\n<<<<<<< {side}\nb\n")));
        assert!(has_marks(&format!("a\r\n>>>>>>> {side}\r\n")));
        for text in ["", "<<<<<<< HEAD\n", "=======\n", ">>>>>>> main\n"] {
            assert!(!has_marks(text), "{text}");
        }
        assert!(!has_marks(&format!("see `<<<<<<< {side}`\n")));
    }

    #[test]
    fn a_coder_that_was_done_is_not_called_again() {
        let done = "ATTEMPT_STARTED@1; CODER_FINISHED@1 rc=0; STATE_CHANGED@1 PAUSED_USER";
        let resumed = format!("{done}; STATE_CHANGED@1 RESUMED");
        let answer = || Order::Answer { text: "x".to_owned() };
        check(done, &[], true);
        check(&resumed, &[(1, Order::Pause), (4, Order::Resume)], true);
        // Told while it worked, or afterwards: the coder is to hear it.
        check(&resumed, &[(0, answer())], false);
        check(&resumed, &[(4, Order::Reset)], false);
        check("ATTEMPT_STARTED@1; STATE_CHANGED@1 PAUSED_USER", &[], false);
        check(&done.replace("rc=0", "rc=1"), &[], false);
        check(&done.replace("PAUSED_USER", "PAUSED_CRASH"), &[], false);
        check(&done.replace("@1", "@2"), &[], false);
        let earlier = "STATE_CHANGED@0 X; ATTEMPT_STARTED@1; CODER_FINISHED@1 rc=0; \
                       STATE_CHANGED@1 PAUSED_USER";
        check(earlier, &[(0, answer())], true);
    }
}
