use proptest::prelude::*;

use provost_kernel::Lang;

use super::*;

fn key(name: &str) -> TicketKey {
    format!("{name}::fail").parse().unwrap()
}

fn keys(names: &str) -> BTreeSet<TicketKey> {
    names.split_whitespace().map(key).collect()
}

fn names(keys: &[TicketKey]) -> String {
    keys.iter().map(|it| it.group().as_str()).collect::<Vec<_>>().join(" ")
}

/// A queue with tickets `a b c …` pushed in this order.
fn queue(batch_size: u32, retries: u32, tickets: &str) -> Queue {
    let mut queue = Queue::new(batch_size, retries);
    tickets.split_whitespace().for_each(|it| queue.push(key(it)));
    queue
}

#[track_caller]
fn check_next(queue: &mut Queue, flush: bool, expected: Option<(u32, &str, Option<u64>)>) {
    let batch = queue.next_batch(flush);
    let actual = batch.as_ref().map(|it| (it.attempt, names(&it.keys), it.root));
    assert_eq!(actual, expected.map(|(attempt, keys, root)| (attempt, keys.to_owned(), root)));
}

#[test]
fn full_batches_come_at_once_and_the_rest_at_the_end() {
    let mut queue = queue(3, 2, "d c b a");
    check_next(&mut queue, false, Some((0, "d c b", None)));
    check_next(&mut queue, false, None);
    check_next(&mut queue, true, Some((0, "a", None)));
    check_next(&mut queue, true, None);
    assert!(queue.is_empty());
}

#[test]
fn a_ticket_is_taken_once_in_an_epoch() {
    let mut queue = queue(8, 2, "a b a");
    check_next(&mut queue, true, Some((0, "a b", None)));
    queue.push(key("a"));
    assert!(queue.is_empty());
}

/// LEARN-5.1: what is uncovered comes again. LEARN-5.2: at most so often as is allowed, in batches
/// of half the size, and then it is named.
#[test]
fn the_uncovered_come_again_in_smaller_batches() {
    let mut queue = queue(4, 2, "d c b a");
    check_next(&mut queue, false, Some((0, "d c b a", None)));
    assert_eq!(queue.settle(0, &keys("d c b")), []);
    // Half the size, in the order of the keys; two of three make a full batch.
    check_next(&mut queue, false, Some((1, "b c", Some(0))));
    check_next(&mut queue, false, None);
    assert_eq!(queue.settle(0, &keys("b c")), []);
    // New tickets come before retries, and earlier attempts before later ones.
    "h g f e".split(' ').for_each(|it| queue.push(key(it)));
    check_next(&mut queue, false, Some((0, "h g f e", None)));
    check_next(&mut queue, false, Some((2, "b", Some(0))));
    check_next(&mut queue, true, Some((1, "d", Some(0))));
    check_next(&mut queue, true, Some((2, "c", Some(0))));
    assert_eq!(names(&queue.settle(0, &keys("b c"))), "b c");
    assert!(queue.is_empty());
}

#[test]
fn without_retries_the_uncovered_are_named_at_once() {
    let mut queue = queue(4, 0, "a b");
    check_next(&mut queue, true, Some((0, "a b", None)));
    assert_eq!(names(&queue.settle(0, &keys("a b"))), "a b");
    assert!(queue.is_empty());
}

/// A retry belongs to the cycle that it repeats, whatever it was called with, and has tickets of
/// no other: what is proposed in both would otherwise count as two cycles.
#[test]
fn a_retry_belongs_to_the_cycle_that_it_repeats() {
    let mut queue = queue(2, 3, "a b c d");
    check_next(&mut queue, false, Some((0, "a b", None)));
    queue.settle(4, &keys("b"));
    check_next(&mut queue, false, Some((0, "c d", None)));
    queue.settle(7, &keys("c"));
    check_next(&mut queue, true, Some((1, "b", Some(4))));
    check_next(&mut queue, true, Some((1, "c", Some(7))));
    queue.settle(7, &keys("c"));
    check_next(&mut queue, true, Some((2, "c", Some(7))));
}

/// Two halves of a batch, of two cycles: neither is filled up with the other, and the earlier
/// cycle comes first, whatever its keys are.
#[test]
fn a_retry_has_tickets_of_one_cycle() {
    let mut queue = queue(4, 2, "e f g h a b c d");
    check_next(&mut queue, false, Some((0, "e f g h", None)));
    queue.settle(0, &keys("g h f"));
    check_next(&mut queue, false, Some((0, "a b c d", None)));
    queue.settle(1, &keys("d"));
    check_next(&mut queue, false, Some((1, "f g", Some(0))));
    // `h` of cycle 0 and `d` of cycle 1 would be a full batch together.
    check_next(&mut queue, false, None);
    let first = queue.next_batch(true).unwrap();
    assert_eq!((first.attempt, names(&first.keys), first.root), (1, "h".to_owned(), Some(0)));
    queue.settle(0, &keys("f h"));
    let second = queue.next_batch(true).unwrap();
    assert_eq!((second.attempt, names(&second.keys), second.root), (1, "d".to_owned(), Some(1)));
    queue.settle(1, &keys("d"));
    check_next(&mut queue, true, Some((2, "f", Some(0))));
    check_next(&mut queue, true, Some((2, "h", Some(0))));
    check_next(&mut queue, true, Some((2, "d", Some(1))));
    assert!(queue.is_empty());
}

/// What did not fit is not charged, and comes first; what never fits does not come for ever.
#[test]
fn what_was_not_shown_comes_back_without_a_charge() {
    let mut queue = queue(3, 1, "a b c d");
    let batch = queue.next_batch(false).unwrap();
    assert_eq!(queue.put_back(&batch, &[key("b"), key("c")]), []);
    check_next(&mut queue, false, Some((0, "b c d", None)));
    assert_eq!(queue.settle(1, &keys("b c d")), []);
    let retry = queue.next_batch(true).unwrap();
    assert_eq!((retry.attempt, names(&retry.keys)), (1, "b".to_owned()));
    assert_eq!(names(&queue.put_back(&retry, &[key("b")])), "b");
    check_next(&mut queue, true, Some((1, "c", Some(1))));

    let mut retries = self::queue(4, 1, "a b");
    let first = retries.next_batch(true).unwrap();
    retries.settle(0, &first.keys.iter().cloned().collect());
    let again = retries.next_batch(true).unwrap();
    assert_eq!(retries.put_back(&again, &[key("b")]), []);
    check_next(&mut retries, true, Some((1, "b", Some(0))));
    assert_eq!(names(&retries.settle(0, &keys("b"))), "b");
}

/// LEARN-5.2: the bound is printed before a run.
#[test]
fn the_worst_case_is_known_before() {
    for (candidates, batch_size, retries, expected) in [
        (40, 16, 2, 36),
        (0, 16, 2, 0),
        (1, 16, 0, 2),
        (1, 16, 2, 6),
        (17, 16, 0, 4),
        (5, 1, 1, 20),
        // Two full batches of 7: 2 + 2 * 3 + 2 * 7, where 14 tickets at once would be 2 + 5 + 14.
        (14, 7, 2, 44),
        (15, 7, 2, 50),
        (5, 0, 0, 10),
        (3, 1, 99, 600),
        (u64::MAX, 1, u32::MAX, u64::MAX),
    ] {
        assert_eq!(worst_calls(candidates, batch_size, retries), expected, "{candidates}");
    }
}

#[test]
fn the_sets_of_a_cycle_do_not_contradict() {
    let check = |stopped: &str, learnable: &str, cited: &str, expected: Option<&str>| {
        let error = check_sets(&keys(stopped), &keys(learnable), &keys(cited)).err();
        assert_eq!(error.as_ref().map(ToString::to_string).as_deref(), expected);
        assert!(error.is_none_or(|it| Lang::Zh.render(&it.text()) != it.text().to_string()));
    };
    check("", "", "", None);
    check("a", "b c", "b", None);
    let stopped = "ticket `a::fail` was given up and is cited as evidence";
    check("a", "b", "a b", Some(stopped));
    let outside = "ticket `c::fail` is cited as evidence and is not learnable";
    check("a", "b", "b c", Some(outside));
}

proptest! {
    /// Whatever each cycle covers and shows, every ticket leaves the queue exactly once, none is
    /// shown more often than allowed, a retry has tickets of one cycle, and the calls stay within
    /// the bound while all are shown.
    #[test]
    fn no_ticket_is_lost(
        n in 0_u32..40,
        batch_size in 1_u32..9,
        retries in 0_u32..4,
        luck in prop::collection::vec(any::<u64>(), 1..20),
        hides in any::<bool>(),
    ) {
        let mut queue = Queue::new(batch_size, retries);
        let (mut covered, mut given_up, mut calls) = (Vec::new(), Vec::new(), 0);
        let mut shown: BTreeMap<TicketKey, u32> = BTreeMap::new();
        let mut luck = luck.into_iter().cycle();
        // The cycle that showed a ticket first, by what the test saw and not by what the queue says.
        let (mut cycle, mut roots) = (0_u64, BTreeMap::<TicketKey, u64>::new());
        let mut reflect = |queue: &mut Queue, flush| {
            while let Some(batch) = queue.next_batch(flush) {
                calls += 2;
                let bits = luck.next().unwrap();
                let is_hidden = |at: usize| hides && bits >> (at + 32) & 1 == 1;
                let is_covered = |at: usize| bits >> at & 1 == 1;
                let keys = batch.keys.iter().enumerate();
                let (hidden, seen): (Vec<_>, Vec<_>) = keys.partition(|(at, _)| is_hidden(*at));
                let hidden: Vec<_> = hidden.into_iter().map(|(_, key)| key.clone()).collect();
                given_up.extend(queue.put_back(&batch, &hidden));
                cycle += 1;
                for (_, key) in &seen {
                    let root = *roots.entry((*key).clone()).or_insert(cycle);
                    assert_eq!(root, batch.root.unwrap_or(cycle));
                    *shown.entry((*key).clone()).or_default() += 1;
                }
                let (good, bad): (Vec<_>, Vec<_>) = seen.into_iter().partition(|(at, _)| is_covered(*at));
                covered.extend(good.into_iter().map(|(_, key)| key.clone()));
                let uncovered = bad.into_iter().map(|(_, key)| key.clone()).collect();
                given_up.extend(queue.settle(batch.root.unwrap_or(cycle), &uncovered));
            }
        };
        for number in 0..n {
            queue.push(key(&number.to_string()));
            reflect(&mut queue, false);
        }
        reflect(&mut queue, true);
        prop_assert!(queue.is_empty());
        let all: BTreeSet<_> = covered.iter().chain(&given_up).collect();
        prop_assert_eq!(all.len(), covered.len() + given_up.len());
        prop_assert_eq!(all.len(), usize::try_from(n).unwrap());
        prop_assert!(shown.values().all(|it| *it <= retries + 1));
        prop_assert!(hides || calls <= worst_calls(n.into(), batch_size, retries));
    }
}
