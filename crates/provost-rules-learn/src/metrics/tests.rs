use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tally(true_pass: u64, true_fail: u64, false_pass: u64, false_fail: u64) -> Tally {
    Tally { true_pass, true_fail, false_pass, false_fail, abstained: 0 }
}

#[test]
fn a_ticket_without_a_verdict_is_never_right() {
    use Label::{Fail, Pass};
    for (label, verdict, expected) in [
        (Pass, Some(Pass), tally(1, 0, 0, 0)),
        (Fail, Some(Fail), tally(0, 1, 0, 0)),
        (Fail, Some(Pass), tally(0, 0, 1, 0)),
        (Pass, Some(Fail), tally(0, 0, 0, 1)),
        (Fail, None, Tally { abstained: 1, ..tally(0, 0, 1, 0) }),
        (Pass, None, Tally { abstained: 1, ..tally(0, 0, 0, 1) }),
    ] {
        let mut found = Tally::default();
        found.add(label, verdict);
        assert_eq!(found, expected);
        assert_eq!(found.plus(expected).n(), 2);
    }
}

#[test]
fn the_figures_are_those_of_the_textbooks() {
    let figures = tally(20, 15, 10, 5).figures();
    assert_eq!(figures.n, 50);
    let rate = |it: Option<Rate>| it.map(|it| (it.of, it.value, it.low, it.high));
    assert_eq!(rate(figures.accuracy), Some((50, 0.7, 0.5625, 0.809)));
    assert_eq!(rate(figures.true_pass_rate), Some((25, 0.8, 0.6087, 0.9114)));
    assert_eq!(rate(figures.true_fail_rate), Some((25, 0.6, 0.4074, 0.766)));
    assert_eq!(figures.false_release_rate.map(|it| it.value), Some(0.333_333));
    assert_eq!(figures.false_block_rate.map(|it| it.value), Some(0.2));
    assert_eq!((figures.false_pass_share, figures.false_fail_share), (0.2, 0.1));
    assert_eq!(figures.false_pass_over_true_pass, Some(0.5));
    assert_eq!(figures.false_fail_over_true_pass, Some(0.25));
    assert_eq!(figures.kappa, Some(0.4));
    assert_eq!(figures.mcc, Some(0.408_248));
}

/// The intervals that say how many labels are enough.
#[test]
fn intervals_are_those_of_wilson() {
    for (found, of, low, high) in [
        (24, 30, 0.6269, 0.9050),
        (40, 50, 0.6696, 0.8876),
        (85, 100, 0.7672, 0.9069),
        (170, 200, 0.7939, 0.8929),
    ] {
        let rate = Rate::new(found, of).unwrap();
        assert!((rate.low - low).abs() < 2e-4 && (rate.high - high).abs() < 2e-4, "{rate:?}");
    }
}

#[test]
fn what_cannot_be_computed_is_absent() {
    let nothing = Tally::default().figures();
    assert_eq!(nothing.accuracy, None);
    assert_eq!((nothing.kappa, nothing.mcc, nothing.abstention_rate), (None, None, 0.0));
    assert_eq!(nothing.false_pass_over_true_pass, Some(0.0));
    assert_eq!(Tally::default().view(), View { acc: 0.0, false_fail: 0, false_pass: 0, n: 0 });
    // Without bound, and no number for it.
    assert_eq!(tally(0, 0, 3, 0).figures().false_pass_over_true_pass, None);
    // Everything passes and should: chance would say the same.
    let all = tally(9, 0, 0, 0).figures();
    assert_eq!((all.kappa, all.mcc, all.true_fail_rate), (None, None, None));
    assert_eq!(tally(5, 5, 0, 0).figures().kappa, Some(1.0));
    assert_eq!(tally(0, 0, 5, 5).figures().kappa, Some(-1.0));
    assert_eq!(tally(5, 5, 5, 5).figures().mcc, Some(0.0));
}

#[test]
fn the_two_views_differ_by_what_was_given_up() {
    use Label::{Fail, Pass};
    let mut views = Views::default();
    views.add(Pass, Some(Pass), Standing::Both);
    views.add(Fail, Some(Fail), Standing::Both);
    views.add(Fail, Some(Pass), Standing::IncludeOnly);
    views.add(Pass, None, Standing::IncludeOnly);
    let line = Line {
        event: Moment::EpochEndPartial,
        epoch: 1,
        epoch_step_start: 0,
        epoch_step_end: 4,
        global_step: 4,
        logging_steps: 64,
        exclude_manual_review: views.exclude.view(),
        include_manual_review: views.include.view(),
    };
    let expected = json!({
        "event": "epoch_end_partial",
        "epoch": 1,
        "epoch_step_start": 0,
        "epoch_step_end": 4,
        "global_step": 4,
        "logging_steps": 64,
        "exclude_manual_review": {"acc": 1.0, "fn": 0, "fp": 0, "n": 2},
        "include_manual_review": {"acc": 0.5, "fn": 1, "fp": 1, "n": 4},
    });
    assert_eq!(serde_json::to_value(line).unwrap(), expected);
}

#[test]
fn a_proposal_that_cites_everything_is_seen() {
    for (cited, learnable, expected) in
        [(&[][..], 4, 0.0), (&[4, 4], 4, 1.0), (&[1, 2], 4, 0.375), (&[1], 0, 0.0)]
    {
        assert!((stuffing(cited, learnable) - expected).abs() < 1e-9, "{cited:?}");
    }
}

proptest! {
    /// Whatever is counted, every figure is a finite number, and rates lie in their intervals.
    #[test]
    fn no_figure_is_not_a_number(counts in prop::array::uniform4(prop_oneof![0_u64..4, 0_u64..2_000_000, Just(u64::MAX)])) {
        let [a, b, c, d] = counts;
        let figures = tally(a, b, c, d).figures();
        let line = serde_json::to_value(figures).unwrap();
        // A number that is none would be written as null and not be read as the same.
        prop_assert_eq!(serde_json::from_value::<Figures>(line).unwrap(), figures);
        for rate in [figures.accuracy, figures.true_pass_rate, figures.true_fail_rate].into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&rate.low) && (0.0..=1.0).contains(&rate.high));
            prop_assert!(rate.low <= rate.value + 1e-4 && rate.value <= rate.high + 1e-4);
        }
        for coefficient in [figures.kappa, figures.mcc].into_iter().flatten() {
            prop_assert!((-1.000_001..=1.000_001).contains(&coefficient));
        }
    }
}
