use Label::{Fail, Pass};

use super::*;

fn opinions(n: usize, label: Label, judge: Option<Label>, blind: Option<bool>) -> Vec<Opinion> {
    vec![Opinion { label, source: LabelSource::Human, judge, blind }; n]
}

/// 40 accepted and 40 rejected; the judge is right in 36 and in 32 of them.
fn labelled() -> Vec<Opinion> {
    [
        opinions(18, Pass, Some(Pass), Some(true)),
        opinions(18, Pass, Some(Pass), Some(false)),
        opinions(4, Pass, Some(Fail), Some(true)),
        opinions(32, Fail, Some(Fail), Some(true)),
        opinions(8, Fail, Some(Pass), None),
    ]
    .concat()
}

const JUDGED: Judged = Judged { passed: 600, total: 1000 };

#[test]
fn a_judge_is_held_against_people() {
    let found = agreement(&labelled(), JUDGED);
    let rate = |it: Option<crate::metrics::Rate>| it.map(|it| (it.of, it.value));
    assert_eq!(rate(found.all.true_pass_rate), Some((40, 0.9)));
    assert_eq!(rate(found.all.true_fail_rate), Some((40, 0.8)));
    assert_eq!(found.all.kappa, Some(0.7));
    assert_eq!((found.blind.n, found.not_blind.n, found.unknown.n), (54, 18, 8));
    assert_eq!((found.left_out, found.caveats), (0, vec![]));
    // (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1)
    let acceptance = found.acceptance.unwrap();
    assert_eq!((acceptance.observed, acceptance.corrected), (0.6, 0.571_429));
    assert!(acceptance.low < 0.55 && acceptance.high > 0.59, "{acceptance:?}");
}

/// Whatever a judge labelled, and however much of it, no figure moves.
#[test]
fn the_label_of_a_judge_never_counts_as_a_persons() {
    let people = agreement(&labelled(), JUDGED);
    for source in ["judge:opus", "Human", "merge", ""] {
        let mut mixed = labelled();
        mixed.extend(
            opinions(500, Fail, Some(Pass), Some(true))
                .into_iter()
                .map(|it| Opinion { source: LabelSource::from(source.to_owned()), ..it }),
        );
        let found = agreement(&mixed, JUDGED);
        assert_eq!(found, Agreement { left_out: 500, ..people.clone() }, "{source:?}");
    }
}

#[track_caller]
fn check(opinions: &[Opinion], expected: &[Caveat]) {
    let found = agreement(opinions, JUDGED);
    assert_eq!(found.caveats, expected);
    let is_known = found.all.true_fail_rate.is_some();
    let is_one_sided =
        [Caveat::OnlyPassesReviewed, Caveat::OnlyFailsReviewed, Caveat::NoHumanLabels]
            .iter()
            .any(|it| found.caveats.contains(it));
    assert!(!(is_one_sided && (is_known || found.acceptance.is_some())));
    // What is written can be read: no figure is a number that is none.
    let value = serde_json::to_value(&found).unwrap();
    assert_eq!(serde_json::from_value::<Agreement>(value).unwrap(), found);
}

#[test]
fn what_nobody_reviewed_is_not_guessed() {
    use Caveat::{
        FewLabels, NoHumanLabels, NoneBlind, NotBetterThanChance, OnlyFailsReviewed,
        OnlyPassesReviewed,
    };
    let blind = Some(true);
    check(&[], &[NoHumanLabels]);
    check(&labelled(), &[]);
    let passes = [opinions(40, Pass, Some(Pass), blind), opinions(40, Fail, Some(Pass), blind)];
    check(&passes.concat(), &[OnlyPassesReviewed]);
    let fails = [opinions(40, Pass, Some(Fail), blind), opinions(40, Fail, Some(Fail), blind)];
    check(&fails.concat(), &[OnlyFailsReviewed]);
    let few = [opinions(40, Pass, Some(Pass), blind), opinions(29, Fail, Some(Fail), blind)];
    check(&few.concat(), &[FewLabels]);
    let seen = [opinions(40, Pass, Some(Pass), None), opinions(40, Fail, Some(Fail), Some(false))];
    check(&seen.concat(), &[NoneBlind]);
    let coin = [
        opinions(20, Pass, Some(Pass), blind),
        opinions(20, Pass, Some(Fail), blind),
        opinions(20, Fail, Some(Pass), blind),
        opinions(20, Fail, Some(Fail), blind),
    ];
    check(&coin.concat(), &[NotBetterThanChance]);
    // A judge that says nothing is reviewed on neither side.
    check(&opinions(3, Pass, None, blind), &[FewLabels]);
}

#[test]
fn the_corrected_share_stays_a_share() {
    let perfect = [opinions(50, Pass, Some(Pass), None), opinions(50, Fail, Some(Fail), None)];
    for (passed, total, expected) in [
        (0, 10, Some(0.0)),
        (10, 10, Some(1.0)),
        (3, 4, Some(0.75)),
        (9, 4, Some(1.0)),
        (0, 0, None),
    ] {
        let found = agreement(&perfect.concat(), Judged { passed, total }).acceptance;
        assert_eq!(found.map(|it| it.corrected), expected, "{passed}/{total}");
        if let Some(Acceptance { corrected, low, high, .. }) = found {
            assert!(0.0 <= low && low <= high && high <= 1.0);
            assert!(low - 0.05 <= corrected && corrected <= high + 0.05, "{passed}/{total}");
        }
    }
    // Fewer passes than the judge lets through by mistake: nothing is accepted.
    let found = agreement(&labelled(), Judged { passed: 1, total: 1000 }).acceptance.unwrap();
    assert_eq!(Some(found.corrected), Some(0.0));
}

/// More labels make the interval narrower, and so do more tasks.
#[test]
fn the_interval_covers_both_samples() {
    let width = |times: usize, judged: Judged| {
        let many = vec![labelled(); times].concat();
        let Acceptance { low, high, .. } = agreement(&many, judged).acceptance.unwrap();
        high - low
    };
    let few_tasks = Judged { passed: 60, total: 100 };
    assert!(width(1, JUDGED) > width(4, JUDGED));
    assert!(width(4, few_tasks) > width(4, JUDGED));
    assert!(width(400, JUDGED) < 0.1);
}
