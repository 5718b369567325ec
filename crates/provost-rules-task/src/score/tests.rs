use std::sync::LazyLock;

use proptest::prelude::*;
use provost_kernel::task::{TaskType, VerdictDecision};

use super::*;
use crate::rubric::Rubric;

/// Read once: the property asks for it many times.
static RUBRIC: LazyLock<Rubric> = LazyLock::new(|| Rubric::embedded().unwrap());

fn points(halves: u8) -> HalfPoints {
    HalfPoints::new(halves).unwrap()
}

/// A reply that scores every dimension of a rubric alike.
fn reply(rubric: &TypeRubric, halves: u8) -> RubricReply {
    RubricReply {
        decision: VerdictDecision::Pass,
        scores: rubric.dimensions.iter().map(|it| (it.key.clone(), points(halves))).collect(),
        penalty: HalfPoints::ZERO,
        gated: false,
        gating_reasons: Vec::new(),
        top_issues: Vec::new(),
        fix_suggestions: Vec::new(),
        deliverability_index_0_100: None,
        improvement_potential_0_100: None,
        reasons: Vec::new(),
        next_instructions: String::new(),
        questions_for_user: Vec::new(),
    }
}

/// `expected` is `raw penalty rest of_100`, then the gating reasons.
#[track_caller]
fn check(recomputed: &Recomputed, expected: &str, reasons: &[&str]) {
    let Recomputed { raw_score_0_5, penalty, final_score_0_5, final_score_0_100, .. } = recomputed;
    let actual = format!("{raw_score_0_5} {penalty} {final_score_0_5} {final_score_0_100}");
    assert_eq!(actual, expected);
    assert_eq!(recomputed.gating_reasons, reasons);
    assert_eq!(recomputed.gated, !reasons.is_empty());
}

fn claiming(reply: &RubricReply, reasons: &[&str]) -> RubricReply {
    let gating_reasons = reasons.iter().map(|it| (*it).to_owned()).collect();
    RubricReply { gating_reasons, ..reply.clone() }
}

/// LOOP-B5: a hard gate closes under its threshold, and not at it.
#[test]
fn a_hard_gate_closes_under_its_threshold() {
    let rubric = Rubric::embedded().unwrap();
    for &task_type in TaskType::ALL {
        let rubric = rubric.of(task_type);
        for dimension in &rubric.dimensions {
            for (halves, closes) in [(4, false), (3, true), (0, true)] {
                let mut reply = reply(rubric, 8);
                reply.scores.insert(dimension.key.clone(), points(halves));
                let recomputed = recompute(&reply, rubric, &MachineFacts::default());
                let score = points(halves);
                let reason = format!("dim:{}:{score}<2", dimension.key);
                let expected = if closes && dimension.is_hard_gate { vec![reason] } else { vec![] };
                assert_eq!(recomputed.gating_reasons, expected, "{task_type}");
            }
        }
    }
}

#[test]
fn a_dimension_that_was_not_scored_is_worth_nothing() {
    let rubric = Rubric::embedded().unwrap();
    let rubric = rubric.of(TaskType::EngineeringImpl);
    let mut reply = reply(rubric, 10);
    reply.scores.remove("performance");
    check(&recompute(&reply, rubric, &MachineFacts::default()), "4.5 0 4.5 90", &[]);
    reply.scores.remove("security");
    let recomputed = recompute(&reply, rubric, &MachineFacts::default());
    check(&recomputed, "3.8 0 3.8 76", &["dim:security:0<2"]);
}

/// LOOP-B6 and LOOP-U10: secrets and forbidden files cost 2 and gate, for every type, and the
/// reason names the penalty that did it.
#[test]
fn secrets_and_forbidden_files_gate_every_type() {
    let rubric = Rubric::embedded().unwrap();
    let none = MachineFacts::default();
    let both = ["penalty:secrets_forbidden_globs"];
    for &task_type in TaskType::ALL {
        let rubric = rubric.of(task_type);
        let reply = reply(rubric, 9);
        check(&recompute(&reply, rubric, &none), "4.5 0 4.5 90", &[]);
        for facts in [
            MachineFacts { secrets: true, ..none.clone() },
            MachineFacts { forbidden_globs: true, ..none.clone() },
            MachineFacts { secrets: true, forbidden_globs: true, ..none.clone() },
        ] {
            check(&recompute(&reply, rubric, &facts), "4.5 2 2.5 50", &both);
        }
        let claimed = claiming(&reply, &["penalty:plagiarism_copyright"]);
        let reasons = ["penalty:plagiarism_copyright"];
        check(&recompute(&claimed, rubric, &none), "4.5 2 2.5 50", &reasons);
    }
}

/// LOOP-B6: a missing section costs from 1 to 2.
#[test]
fn missing_sections_cost_more_and_more() {
    let rubric = Rubric::embedded().unwrap();
    let rubric = rubric.of(TaskType::Storyboard);
    let reply = reply(rubric, 8);
    let cost = |missing_sections, reply: &RubricReply| {
        let facts = MachineFacts { missing_sections, ..MachineFacts::default() };
        let recomputed = recompute(reply, rubric, &facts);
        assert!(!recomputed.gated);
        recomputed.penalty.to_string()
    };
    assert_eq!(cost(0, &reply), "0");
    assert_eq!(cost(1, &reply), "1");
    assert_eq!(cost(2, &reply), "1.5");
    assert_eq!(cost(3, &reply), "2");
    assert_eq!(cost(4, &reply), "2");
    assert_eq!(cost(u32::MAX, &reply), "2");
    let claimed = claiming(&reply, &[" penalty: missing_required_section "]);
    assert_eq!(cost(0, &claimed), "1");
    assert_eq!(cost(2, &claimed), "1.5");
    // The judge says how much, as long as it is not less.
    let dear = RubricReply { penalty: points(3), ..claimed };
    assert_eq!(cost(0, &dear), "1.5");
    assert_eq!(cost(1, &dear), "1.5");
    assert_eq!(cost(3, &dear), "2");
}

#[test]
fn a_failed_test_costs_where_the_rubric_says_so() {
    let rubric = Rubric::embedded().unwrap();
    let engineering = rubric.of(TaskType::EngineeringImpl);
    let cost = |rubric: &TypeRubric, test_rc| {
        let facts = MachineFacts { test_rc, ..MachineFacts::default() };
        let recomputed = recompute(&reply(rubric, 8), rubric, &facts);
        assert!(!recomputed.gated);
        recomputed.penalty.to_string()
    };
    assert_eq!(cost(engineering, None), "0");
    assert_eq!(cost(engineering, Some(0)), "0");
    assert_eq!(cost(engineering, Some(1)), "1.5");
    assert_eq!(cost(engineering, Some(-1)), "1.5");
    assert_eq!(cost(rubric.of(TaskType::Storyboard), Some(1)), "0");
}

/// LOOP-U10: a forcing penalty gates, another does not; an unknown claim is the judge's own word.
#[test]
fn a_claimed_penalty_counts_by_its_rule() {
    let rubric = Rubric::embedded().unwrap();
    let drama = rubric.of(TaskType::PaidMiniDrama);
    let none = MachineFacts::default();
    let check_claims = |reasons: &[&str], gated: bool, expected: &str, gates: &[&str]| {
        let reply = RubricReply { gated, ..claiming(&reply(drama, 8), reasons) };
        check(&recompute(&reply, drama, &none), expected, gates);
    };
    check_claims(
        &["penalty:no_paywall_trigger"],
        false,
        "4 1.5 2.5 50",
        &["penalty:no_paywall_trigger"],
    );
    check_claims(&["penalty:test_cmd_fails"], false, "4 0 4 80", &[]);
    check_claims(&["penalty:unheard_of"], false, "4 0 4 80", &[]);
    check_claims(&["penalty:unheard_of"], true, "4 0 4 80", &["judge:gated"]);
    check_claims(&["no_paywall_trigger"], false, "4 0 4 80", &[]);
    check_claims(&["boring"], false, "4 0 4 80", &[]);
    check_claims(&[" boring ", "long"], true, "4 0 4 80", &["judge:boring", "judge:long"]);
    check_claims(&[], true, "4 0 4 80", &["judge:gated"]);
    check_claims(
        &["penalty:no_paywall_trigger", "penalty:plagiarism_copyright", "dull"],
        true,
        "4 2 2 40",
        &["penalty:plagiarism_copyright", "penalty:no_paywall_trigger", "judge:dull"],
    );
}

#[test]
fn a_judge_s_higher_penalty_stands_and_a_lower_one_does_not() {
    let rubric = Rubric::embedded().unwrap();
    let engineering = rubric.of(TaskType::EngineeringImpl);
    let facts = MachineFacts { test_rc: Some(1), ..MachineFacts::default() };
    let cost = |halves| {
        let reply = RubricReply { penalty: points(halves), ..reply(engineering, 8) };
        recompute(&reply, engineering, &facts).penalty.halves()
    };
    assert_eq!([0, 2, 3, 4].map(cost), [3, 3, 3, 4]);
    // More than 2 is never taken, even if somebody hands it in.
    assert_eq!(cost(6), 4);
}

#[test]
fn penalties_combine_as_the_rubric_says() {
    let rubric = Rubric::embedded().unwrap();
    let mut story = rubric.of(TaskType::Storyboard).clone();
    let claimed = claiming(
        &reply(&story, 8),
        &["penalty:missing_scene_descriptions", "penalty:missing_required_section"],
    );
    let none = MachineFacts::default();
    check(&recompute(&claimed, &story, &none), "4 1 3 60", &[]);
    story.penalty_combine = PenaltyCombine::Sum;
    check(&recompute(&claimed, &story, &none), "4 2 2 40", &[]);
    let more = MachineFacts { missing_sections: 9, ..none };
    check(&recompute(&claimed, &story, &more), "4 2 2 40", &[]);
}

#[track_caller]
fn check_plain(
    score: Option<i64>,
    gated: bool,
    limits: (Option<i64>, Option<i64>),
    expected: (&[&str], bool),
) {
    let reply = PlainReply {
        decision: VerdictDecision::Pass,
        reasons: Vec::new(),
        next_instructions: String::new(),
        questions_for_user: Vec::new(),
        score: score.map(|it| Decimal::ratio(it, 1)),
        gated,
    };
    let limits = PlainLimits { score_gate: limits.0, score_threshold: limits.1 };
    let actual = plain(&reply, limits, &MachineFacts::default());
    assert_eq!(actual.gating_reasons, expected.0);
    assert_eq!((actual.gated, actual.thresholds_pass), (!expected.0.is_empty(), expected.1));
}

#[test]
fn a_plain_verdict_has_the_older_gates() {
    check_plain(None, false, (None, None), (&[], true));
    check_plain(Some(59), false, (Some(60), None), (&["score:59<60"], true));
    check_plain(Some(60), false, (Some(60), None), (&[], true));
    check_plain(Some(59), false, (None, Some(60)), (&[], false));
    check_plain(Some(60), false, (None, Some(60)), (&[], true));
    check_plain(None, false, (Some(60), Some(70)), (&["score:none<60"], false));
    check_plain(Some(90), true, (Some(60), Some(70)), (&["judge:gated"], true));
}

/// LOOP-A4: a secret gates a task without a type, too.
#[test]
fn a_secret_gates_a_plain_verdict() {
    let reply = PlainReply {
        decision: VerdictDecision::Pass,
        reasons: Vec::new(),
        next_instructions: String::new(),
        questions_for_user: Vec::new(),
        score: None,
        gated: false,
    };
    for facts in [
        MachineFacts { secrets: true, ..MachineFacts::default() },
        MachineFacts { forbidden_globs: true, ..MachineFacts::default() },
    ] {
        let score = plain(&reply, PlainLimits::default(), &facts);
        assert_eq!(score.gating_reasons, ["penalty:secrets_forbidden_globs"]);
    }
}

proptest! {
    /// LOOP-B6 and LOOP-B7: the arithmetic agrees with slow fractions, whatever the scores are.
    #[test]
    fn recomputing_agrees_with_fractions(
        halves in prop::collection::vec(0_u8..=10, 7),
        judge_penalty in 0_u8..=4,
        secrets in any::<bool>(),
        test_rc in prop::option::of(-1_i32..=1),
        kind in 0_usize..5,
    ) {
        let task_type = TaskType::ALL[kind];
        let rubric = RUBRIC.of(task_type);
        let mut reply = reply(rubric, 0);
        for (dimension, &halves) in rubric.dimensions.iter().zip(&halves) {
            reply.scores.insert(dimension.key.clone(), points(halves));
        }
        reply.penalty = points(judge_penalty);
        let facts = MachineFacts { test_rc, secrets, ..MachineFacts::default() };
        let actual = recompute(&reply, rubric, &facts);

        let hundredths = rubric.dimensions.iter().map(|it| i64::from(it.weight.hundredths()));
        let sum: i64 = hundredths.zip(&halves).map(|(weight, &score)| weight * i64::from(score)).sum();
        let fails = task_type == TaskType::EngineeringImpl && test_rc.is_some_and(|it| it != 0);
        let by_facts = if secrets { 4 } else if fails { 3 } else { 0 };
        let penalty = i64::from(judge_penalty).max(by_facts);
        let rest = (sum - penalty * 100).max(0);
        prop_assert_eq!(Decimal::from(actual.raw_score_0_5), Decimal::ratio(sum, 200));
        prop_assert_eq!(Decimal::from(actual.penalty), Decimal::ratio(penalty, 2));
        prop_assert_eq!(Decimal::from(actual.final_score_0_5), Decimal::ratio(rest, 200));
        prop_assert_eq!(Decimal::from(actual.final_score_0_100), Decimal::ratio(rest, 10));
        let closed = rubric.dimensions.iter().zip(&halves).any(|(it, &score)| it.is_hard_gate && score < 4);
        prop_assert_eq!(actual.gated, closed || secrets);
    }
}
