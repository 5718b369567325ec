//! What the measured gate must show: the table of acceptance, over a hundred simulated missions to
//! each case. `cargo xtask rates` runs 500.

use provost_testkit::learn::simulation::{
    HARMFUL, MIXED, Outcome, PLANTED, Simulation, Special, Start, Truth,
};

/// So many missions to each case.
const MISSIONS: u64 = 100;

/// In how many of a hundred missions something holds.
fn count(
    labels: u64,
    world: impl Fn(Simulation) -> Simulation,
    holds: fn(&Outcome) -> bool,
) -> u64 {
    count_of(MISSIONS, labels, world, holds)
}

fn count_of(
    missions: u64,
    labels: u64,
    world: impl Fn(Simulation) -> Simulation,
    holds: fn(&Outcome) -> bool,
) -> u64 {
    let run = |seed| world(Simulation::new(seed, labels)).run().unwrap();
    (0..missions).map(|seed| u64::from(holds(&run(seed)))).sum()
}

fn has_promoted(outcome: &Outcome) -> bool {
    !outcome.promoted.is_empty()
}

/// A mark on so many of a thousand tasks that only its rule mends.
fn planted(false_pass: u32, noise: u32, asks: bool) -> impl Fn(Simulation) -> Simulation {
    move |it| {
        let special = Special { false_pass, ..Special::default() };
        Simulation { special, noise, asks, ..it }
    }
}

/// Chance is no rule, and a good judge needs none.
#[test]
fn nothing_is_promoted_where_there_is_nothing_to_learn() {
    let shuffled = |it| Simulation { truth: Truth::Shuffled, ..it };
    // At most one of a hundred, over two hundred seeds: the gate promises one in fifty.
    let fooled = count_of(200, 200, shuffled, has_promoted);
    assert!(fooled <= 2, "200 labels: {fooled}");
    let fooled = count_of(200, 500, shuffled, has_promoted);
    assert!(fooled <= 4, "500 labels: {fooled}");
    for labels in [100, 200] {
        assert_eq!(count(labels, |it| it, has_promoted), 0, "{labels}");
        let offers = count(labels, |it| it, |it| !it.offered.is_empty());
        assert!(offers <= 1, "{labels}: {offers}");
    }
}

/// A rule that is true is found with the labels that people have.
#[test]
fn a_planted_rule_is_in_force_with_few_labels() {
    for (false_pass, labels, noise, least) in [
        (100, 100, 0, 90),
        (100, 100, 50, 80),
        (100, 50, 0, 55),
        (100, 50, 50, 35),
        (200, 50, 0, 90),
        (200, 50, 50, 80),
        (50, 200, 0, 92),
        (50, 200, 50, 80),
    ] {
        let found = count(labels, planted(false_pass, noise, true), |it| it.is_in_force(PLANTED));
        assert!(found >= least, "{false_pass}, {labels} labels, noise {noise}: {found}");
    }
    for (noise, least) in [(0, 65), (50, 45)] {
        let found = count(100, planted(100, noise, false), |it| it.is_offered(PLANTED));
        assert!(found >= least, "as they come, noise {noise}: {found}");
    }
}

/// A rule that harms is taken back, and one that only moves errors is never in force.
#[test]
fn harm_is_found_and_moved_errors_are_no_gain() {
    let harmful = |harmful, start| {
        move |it| Simulation {
            start,
            special: Special { harmful, ..Special::default() },
            reflects: false,
            ..it
        }
    };
    let is_out = |it: &Outcome| !it.is_in_force(HARMFUL);
    let out = count(20, harmful(160, Start::AdoptedHarmful), is_out);
    assert!(out >= 90, "adopted: {out}");
    let adopted = harmful(160, Start::AdoptedHarmful);
    let as_they_come = |it| Simulation { asks: false, ..adopted(it) };
    let out = count(55, as_they_come, is_out);
    assert!(out >= 90, "adopted, as they come: {out}");
    let out = count(60, harmful(150, Start::MeasuredHarmful), is_out);
    assert!(out >= 90, "measured: {out}");
    let mixed = |it| Simulation { special: Special { mixed: 135, ..Special::default() }, ..it };
    let moved = count(200, mixed, |it| it.is_in_force(MIXED));
    assert!(moved <= 2, "{moved}");
}

/// A rule that holds stays in force, although every twentieth call says the opposite.
#[test]
fn a_good_rule_is_seldom_taken_back() {
    let is_taken_back = |it: &Outcome| it.returned.iter().any(|(rule, _)| rule == PLANTED);
    let taken_back = count(500, planted(100, 50, true), is_taken_back);
    assert!(taken_back <= 3, "{taken_back}");
}

/// A case that is labelled three times is one case: the accounts are the same to the byte.
#[test]
fn a_case_that_is_seen_again_changes_no_account() {
    for seed in 0..5 {
        let world = planted(100, 0, true);
        let of = |repeats| {
            let it = Simulation { repeats, ..world(Simulation::new(seed, 60)) };
            let outcome = it.run().unwrap();
            (format!("{:?}", outcome.book), outcome.promoted, outcome.calls)
        };
        let once = of(1);
        assert!(once.0.contains("Bet"), "somebody bet: {}", once.0);
        assert_eq!(once, of(3), "{seed}");
    }
}

/// A rule goes only where it is not needed.
#[test]
fn a_useless_rule_is_removed_and_a_useful_one_stays() {
    let removal = |start, false_pass| {
        move |it| Simulation {
            start,
            special: Special { false_pass, ..Special::default() },
            reflects: false,
            ..it
        }
    };
    let is_removed = |it: &Outcome| it.promoted.iter().any(|(rule, _)| rule.starts_with("delete:"));
    let useful = count(100, removal(Start::RemovalOfPlanted, 100), is_removed);
    assert!(useful <= 1, "useful: {useful}");
    let useless = count(100, removal(Start::RemovalOfUseless, 0), is_removed);
    assert!(useless >= 95, "useless: {useless}");
}
