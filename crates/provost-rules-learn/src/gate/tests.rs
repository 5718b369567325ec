use proptest::prelude::*;

use super::*;

const SETTINGS: GateSettings = GateSettings {
    mode: GateMode::Auto,
    alpha: 50,
    max_looks: 2,
    min_tickets: 30,
    min_tickets_per_label: 10,
};

/// Pairs in words such as `7*f:pf`: seven tickets labelled `fail`, `pass` before and `fail` after;
/// `-` is not a verdict.
fn pairs(words: &str) -> Vec<Pair> {
    let verdict = |letter| match letter {
        'p' => Some(Label::Pass),
        'f' => Some(Label::Fail),
        _ => None,
    };
    let group = |word: &str| {
        let (n, pair) = word.split_once('*').unwrap();
        let letters: Vec<char> = pair.chars().collect();
        let label = verdict(letters[0]).unwrap();
        let pair = Pair { label, base: verdict(letters[2]), new: verdict(letters[3]) };
        vec![pair; n.parse().unwrap()]
    };
    words.split_whitespace().flat_map(group).collect()
}

#[track_caller]
fn check(words: &str, aim: Aim, decision: u32, refusals: &[Refusal]) {
    let measured = decide(&pairs(words), aim, decision, &SETTINGS);
    assert_eq!(measured.refusals, refusals, "{words} {measured:?}");
    assert_eq!(measured.accepted, refusals.is_empty());
}

#[test]
fn a_change_must_win_against_chance() {
    use Aim::Improvement;
    use Refusal::{MoreFalsePasses, TooFewWins, WeakEvidence};
    check("", Improvement, 1, &[TooFewWins, WeakEvidence]);
    check("99*f:ff 99*p:pp", Improvement, 1, &[TooFewWins, WeakEvidence]);
    check("6*f:pf", Improvement, 1, &[WeakEvidence]);
    check("7*f:pf", Improvement, 1, &[]);
    // What both get right or wrong says nothing.
    check("7*f:pf 50*p:pp 50*f:pp 50*p:ff", Improvement, 1, &[]);
    // A loss costs more than one win.
    check("8*f:pf 1*p:pf", Improvement, 1, &[WeakEvidence]);
    check("11*f:pf 1*p:pf", Improvement, 1, &[]);
    check("10*f:pf 10*p:pf", Improvement, 1, &[TooFewWins, WeakEvidence]);
    check("9*p:pf", Improvement, 1, &[TooFewWins, WeakEvidence]);
    // More decisions, more wins.
    check("7*f:pf", Improvement, 2, &[WeakEvidence]);
    check("9*f:pf", Improvement, 2, &[]);
    check("12*f:pf", Improvement, 5, &[]);
    check("12*f:pf", Improvement, 6, &[WeakEvidence]);
    // Wins on tickets that should pass do not pay for one false pass more.
    check("40*p:fp", Improvement, 1, &[]);
    check("40*p:fp 1*f:fp", Improvement, 1, &[MoreFalsePasses]);
    check("40*p:fp 1*f:fp 1*f:pf", Improvement, 1, &[]);
}

#[test]
fn a_removal_must_only_not_be_worse() {
    use Aim::Removal;
    use Refusal::{MoreFalsePasses, Worse};
    check("", Removal, 9, &[]);
    check("2*f:pf 2*p:pf", Removal, 9, &[]);
    check("2*f:pf 3*p:pf", Removal, 9, &[Worse]);
    check("2*p:fp 1*f:fp", Removal, 9, &[MoreFalsePasses]);
    check("1*f:fp", Removal, 9, &[Worse, MoreFalsePasses]);
}

/// An answer that is missing speaks against the change on both sides of it.
#[test]
fn a_missing_verdict_never_helps_a_change() {
    use Aim::Improvement;
    use Refusal::{MoreFalsePasses, TooFewWins, WeakEvidence};
    check("20*p:-p 20*f:-f", Improvement, 1, &[TooFewWins, WeakEvidence]);
    check("20*p:f-", Improvement, 1, &[TooFewWins, WeakEvidence]);
    check("20*p:fp 1*f:p-", Improvement, 1, &[]);
    check("20*p:fp 1*f:f-", Improvement, 1, &[MoreFalsePasses]);
    check("20*p:fp 1*f:--", Improvement, 1, &[MoreFalsePasses]);
    check("7*p:fp 3*p:p-", Improvement, 1, &[WeakEvidence]);
}

#[test]
fn the_numbers_are_the_published_ones() {
    for (wins, losses, expected) in [
        (0, 0, 1.0),
        (1, 0, 1.609_375),
        (0, 1, 0.390_625),
        (1, 1, 0.561_523_437_5),
        (7, 0, 43.66),
        (12, 0, 942.5),
    ] {
        let found = e_value(wins, losses);
        assert!((found / expected - 1.0).abs() < 1e-3, "{wins}-{losses}: {found}");
    }
    // The largest pools make numbers, too.
    assert!(e_value(1_000_000, 0).is_finite() && e_value(u64::MAX, u64::MAX) >= 0.0);
    assert!(e_value(0, 1_000_000) >= 0.0);
    // What all decisions may err together is what the mission says.
    let sum: f64 = (1..=100_000).map(|k| spent(50, k)).sum();
    assert!(sum < 0.05 && sum > 0.0499, "{sum}");
    assert!((spent(50, 1) - 0.030_396).abs() < 1e-6);
    assert!((spent(50, 0) - spent(50, 1)).abs() < f64::EPSILON);
}

/// The chance that so much evidence ever turns up if wins and losses are equally likely, looked at
/// after every ticket: computed exactly, over every order of 60 discordant tickets.
#[test]
fn chance_alone_is_accepted_no_more_often_than_allowed() {
    for decision in 1..=4 {
        let alpha = spent(SETTINGS.alpha, decision);
        // The chance of each number of wins, of those that were not accepted yet.
        let mut waiting = BTreeMap::from([(0_u64, 1.0)]);
        let mut accepted = 0.0;
        for n in 1..=60_u64 {
            let mut next: BTreeMap<u64, f64> = BTreeMap::new();
            for (wins, chance) in waiting {
                *next.entry(wins).or_default() += chance / 2.0;
                *next.entry(wins + 1).or_default() += chance / 2.0;
            }
            let is_accepted = |wins: u64| e_value(wins, n - wins) * alpha >= 1.0;
            accepted += next.iter().filter(|it| is_accepted(*it.0)).map(|it| it.1).sum::<f64>();
            next.retain(|wins, _| !is_accepted(*wins));
            waiting = next;
        }
        assert!(accepted <= alpha && accepted > alpha / 10.0, "{decision}: {accepted} {alpha}");
    }
}

/// Everything is written down: the same pairs give the same line, and the line is read again.
#[test]
fn a_decision_can_be_recomputed() {
    let pairs = pairs("11*f:pf 1*p:pf 3*f:pp 2*p:-p");
    let first = decide(&pairs, Aim::Improvement, 1, &SETTINGS);
    let line = serde_json::to_string(&first).unwrap();
    let read: Measurement = serde_json::from_str(&line).unwrap();
    assert_eq!(read, decide(&pairs, read.aim, read.decision, &SETTINGS));
    assert_eq!((read.tickets, read.wins, read.losses), (17, 11, 1));
    assert_eq!((read.false_passes_before, read.false_passes_after), (14, 3));
}

#[test]
fn a_pool_is_large_enough_or_the_gate_is_off() {
    for (pass, fail, is_large) in
        [(0, 0, false), (15, 15, true), (20, 10, true), (21, 9, false), (10, 19, false)]
    {
        let counts = LabelCounts { pass, fail };
        assert_eq!(is_large_enough(counts, &SETTINGS), is_large, "{counts:?}");
        let auto = if is_large { GateMode::Enforce } else { GateMode::Off };
        assert_eq!(mode(counts, &SETTINGS), auto);
        for said in [GateMode::Off, GateMode::Shadow, GateMode::Enforce] {
            assert_eq!(mode(counts, &GateSettings { mode: said, ..SETTINGS }), said);
        }
    }
    let mut counts = LabelCounts::default();
    counts.add(Label::Pass);
    counts.add(Label::Fail);
    counts.add(Label::Fail);
    assert_eq!(counts, LabelCounts { pass: 1, fail: 2 });
}

#[test]
fn a_ticket_is_looked_at_so_often_and_no_more() {
    let (a, b): (TicketKey, TicketKey) = ("a::pass".parse().unwrap(), "b::fail".parse().unwrap());
    let mut looks = Looks::default();
    looks.count([&a, &b]);
    assert!(looks.allow(&a, &SETTINGS));
    looks.count([&a]);
    assert!(!looks.allow(&a, &SETTINGS) && looks.allow(&b, &SETTINGS));
}

proptest! {
    /// A fair bet is fair: the mean over one more win and one more loss is what was owned.
    #[test]
    fn nobody_gets_richer_on_average(wins in 0_u64..200, losses in 0_u64..200) {
        let mean = f64::midpoint(e_value(wins + 1, losses), e_value(wins, losses + 1));
        prop_assert!((mean / e_value(wins, losses) - 1.0).abs() < 1e-9);
    }
}
