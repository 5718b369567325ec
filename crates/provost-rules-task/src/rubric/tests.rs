use serde_json::{Value, json};

use super::*;

const FILE: &str = include_str!("../../../../schemas/judge_rubric.json");

/// Reads the embedded rubric after a change, with its hash set right again.
fn changed(change: impl Fn(&mut Value)) -> Result<Rubric, RubricError> {
    let mut value: Value = serde_json::from_str(FILE).unwrap();
    change(&mut value);
    Rubric::read(&rehashed(value))
}

fn rehashed(mut value: Value) -> Vec<u8> {
    let object = value.as_object_mut().unwrap();
    let mut hashed = object.clone();
    hashed.retain(|key, _| key != "rubric_hash" && !key.starts_with('_'));
    let hash = Digest::of_json(&hashed).unwrap().to_string();
    object.insert("rubric_hash".to_owned(), hash.into());
    serde_json::to_vec(&value).unwrap()
}

/// LOOP-B25 and LOOP-B26: five types, each with dimensions, weights, hard gates and penalties.
#[test]
fn the_embedded_rubric_is_the_published_one() {
    let rubric = Rubric::embedded().unwrap();
    assert_eq!(rubric.version, "1.0.0");
    let describe = |task_type: TaskType| {
        let rubric = rubric.of(task_type);
        let dimension = |it: &Dimension| {
            let gate = if it.is_hard_gate { "*" } else { "" };
            format!("{} {}{gate}", it.key, it.weight.hundredths())
        };
        let rule = |it: &PenaltyRule| {
            let gate = if it.force_gated { "*" } else { "" };
            format!("{} {}-{}{gate}", it.trigger, it.points, it.points_max)
        };
        let dimensions: Vec<_> = rubric.dimensions.iter().map(dimension).collect();
        let rules: Vec<_> = rubric.penalty_rules.iter().skip(3).map(rule).collect();
        format!("{} | {}", dimensions.join(", "), rules.join(", "))
    };
    for (task_type, expected) in [
        (
            TaskType::RequirementsDoc,
            "clarity 18*, completeness 18*, acceptance_testability 18*, risk_and_exception 12, constraints_and_compliance 14*, feasibility 10, structure_and_readability 10 | missing_acceptance_criteria 1.5-1.5*",
        ),
        (
            TaskType::EngineeringImpl,
            "correctness 20*, runnability 18*, test_and_validation 16*, security 14*, architecture_and_modularity 12, readability_and_maintainability 10, performance 10 | test_cmd_fails 1.5-1.5",
        ),
        (
            TaskType::DouyinScript,
            "hook_and_opening 18, content_accuracy 18*, narrative_flow 16, audience_engagement 14, platform_compliance 12*, visual_cue_alignment 12, call_to_action 10 | banned_content 2-2*",
        ),
        (
            TaskType::Storyboard,
            "visual_clarity 18, narrative_coherence 18*, scene_completeness 16*, dialogue_quality 14, pacing_and_rhythm 12, production_feasibility 12, emotional_arc 10 | missing_scene_descriptions 1-1",
        ),
        (
            TaskType::PaidMiniDrama,
            "monetization_hook 18*, plot_tension 18*, character_depth 16, episode_structure 14, dialogue_naturalness 12, cliffhanger_quality 12, production_notes 10 | no_paywall_trigger 1.5-1.5*",
        ),
    ] {
        assert_eq!(describe(task_type), expected, "{task_type}");
    }
}

/// LOOP-B6: every type has the penalties that no task may do without.
#[test]
fn every_type_has_the_universal_penalties_and_texts() {
    let rubric = Rubric::embedded().unwrap();
    for &task_type in TaskType::ALL {
        let rubric = rubric.of(task_type);
        let rule = |trigger: &str| {
            let it = rubric.penalty(trigger).unwrap();
            (it.points.to_string(), it.points_max.to_string(), it.force_gated)
        };
        let two = ("2".to_owned(), "2".to_owned(), true);
        assert_eq!(rule(trigger::SECRETS_FORBIDDEN_GLOBS), two);
        assert_eq!(rule(trigger::PLAGIARISM_COPYRIGHT), two);
        assert_eq!(
            rule(trigger::MISSING_REQUIRED_SECTION),
            ("1".to_owned(), "2".to_owned(), false)
        );
        assert_eq!(rubric.penalty("nothing_of_the_kind"), None);
        assert_eq!(rubric.gate_threshold, Decimal::ratio(2, 1));
        for it in &rubric.dimensions {
            let scores: Vec<u8> = it.anchors.keys().map(|it| it.halves() / 2).collect();
            assert_eq!(scores, [0, 2, 3, 5], "{}", it.key);
            let texts = it.anchors.values().chain(&it.description);
            assert!(
                texts.clone().count() == 5
                    && texts
                        .clone()
                        .all(|it| it.to_string() != provost_kernel::Lang::Zh.render(it)),
                "{}",
                it.key
            );
        }
    }
}

/// LOOP-B26: a hash that is not that of the content stops judging.
#[test]
fn a_changed_rubric_is_refused() {
    let check = |from: &str, to: &str, expected: bool| {
        assert!(FILE.contains(from));
        let result = Rubric::read(FILE.replacen(from, to, 1).as_bytes());
        match result {
            Ok(_) => assert!(expected, "{to}"),
            Err(RubricError::HashMismatch { .. }) => assert!(!expected, "{to}"),
            Err(other) => panic!("{other}"),
        }
    };
    check("0.18", "0.180", true);
    check("  \"_comment\": \"Kept", "  \"_comment\": \"Not kept", true);
    check("One reading", "Any reading", false);
    check("\"hard_gate_threshold\": 2.0", "\"hard_gate_threshold\": 1.0", false);
    check("\"rubric_version\": \"1.0.0\"", "\"rubric_version\": \"1.0.1\"", false);
    check("\"rubric_hash\": \"", "\"rubric_hash\": \"0", false);
    let error = Rubric::read(FILE.replacen("1.0.0", "1.0.1", 1).as_bytes()).unwrap_err();
    assert_eq!(error.exit(), provost_kernel::Exit::Integrity);
    assert!(error.hints()[0].to_string().starts_with("restore the rubric"));
}

#[test]
fn the_older_shape_is_read() {
    let rubric = changed(|value| {
        let drama = &mut value["task_types"]["paid_mini_drama"];
        *drama = json!({
            "dimensions": ["a", "b"],
            "weights": {"a": 0.6, "b": 0.4},
            "hard_gates": ["b"],
            "gate_threshold": 2.5,
            "penalty_rules": [{"trigger": "x", "penalty": 0.5, "description": "old text"}],
        });
    })
    .unwrap();
    let drama = rubric.of(TaskType::PaidMiniDrama);
    assert_eq!(drama.dimension_keys(), ["a", "b"]);
    assert_eq!(drama.dimensions[0].weight.hundredths(), 60);
    assert_eq!((drama.dimensions[0].is_hard_gate, drama.dimensions[1].is_hard_gate), (false, true));
    assert_eq!(drama.gate_threshold, Decimal::ratio(5, 2));
    assert_eq!(drama.penalty("x").unwrap().points.to_string(), "0.5");
    assert!(!drama.penalty("x").unwrap().force_gated);
    // What no rubric may do without is there all the same.
    assert!(drama.penalty(trigger::SECRETS_FORBIDDEN_GLOBS).unwrap().force_gated);
    assert_eq!(drama.penalty_rules.len(), 4);
}

#[test]
fn the_threshold_and_the_combination_have_defaults() {
    let rubric = changed(|value| {
        let story = value["task_types"]["storyboard"].as_object_mut().unwrap();
        for key in
            ["hard_gate_threshold", "gate_threshold", "penalty_combine", "penalty_rules", "label"]
        {
            story.remove(key).unwrap();
        }
        value["task_types"]["douyin_script"]["penalty_combine"] = json!("sum");
    })
    .unwrap();
    let story = rubric.of(TaskType::Storyboard);
    assert_eq!(story.gate_threshold, Decimal::ratio(2, 1));
    assert_eq!(story.penalty_combine, PenaltyCombine::Max);
    assert_eq!(story.penalty_rules.len(), 3);
    assert_eq!(rubric.of(TaskType::DouyinScript).penalty_combine, PenaltyCombine::Sum);
}

#[track_caller]
fn check(change: impl Fn(&mut Value), expected: &str) {
    assert_eq!(changed(change).unwrap_err().to_string(), expected);
}

#[test]
fn a_rubric_that_does_not_hold_together_is_refused() {
    check(
        |it| it["task_types"]["storyboard"] = Value::Null,
        "the rubric has no value at `/task_types/storyboard/dimensions`",
    );
    check(
        |it| drop(it["task_types"].as_object_mut().unwrap().remove("storyboard")),
        "the rubric lacks the task type `storyboard`",
    );
    let first = |it: &mut Value| it["task_types"]["storyboard"]["dimensions"][0].take();
    check(
        |it| {
            it["task_types"]["storyboard"].as_object_mut().unwrap().remove("weights");
            it["task_types"]["storyboard"]["dimensions"][0]["weight"] = json!(0.19);
        },
        "the weights of `storyboard` add up to 101/100",
    );
    check(
        |it| it["task_types"]["storyboard"]["weights"]["visual_clarity"] = json!(0.2),
        "`dimensions` and `weights` of `storyboard` disagree",
    );
    check(
        |it| {
            let copy = first(it);
            it["task_types"]["storyboard"]["dimensions"][0] = copy.clone();
            it["task_types"]["storyboard"]["dimensions"].as_array_mut().unwrap().push(copy);
        },
        "`dimensions` and `weights` of `storyboard` disagree",
    );
    check(
        |it| it["task_types"]["storyboard"]["hard_gates"] = json!([]),
        "`dimensions` and `hard_gates` of `storyboard` disagree",
    );
    check(
        |it| it["task_types"]["storyboard"]["dimensions"][2]["weight"] = json!(0.155),
        "the rubric has no weight in hundredths at `/task_types/storyboard/dimensions/2/weight`",
    );
    check(
        |it| it["task_types"]["storyboard"]["dimensions"][2] = json!("unknown"),
        "the rubric has no weight in hundredths at `/task_types/storyboard/dimensions/2`",
    );
    check(
        |it| it["task_types"]["storyboard"]["penalty_combine"] = json!("mean"),
        "the rubric has no `max` or `sum` at `/task_types/storyboard/penalty_combine`",
    );
    check(
        |it| it["task_types"]["storyboard"]["penalty_rules"][3]["penalty_points"] = json!(2.5),
        "the rubric has no penalty from 0 to 2 in half points at `/task_types/storyboard/penalty_rules/3/penalty_points`",
    );
    check(
        |it| {
            it["task_types"]["storyboard"]["dimensions"][0]["anchors"]["high"] =
                json!({"en": "a", "zh": "b"});
        },
        "the rubric has no object with scores as keys at `/task_types/storyboard/dimensions/0/anchors`",
    );
    check(|it| it["rubric_version"] = json!(1), "the rubric has no string at `/rubric_version`");
    assert_eq!(
        Rubric::read(b"[]").unwrap_err().to_string(),
        "the rubric has no value at `/rubric_version`",
    );
    let padded = |bytes: usize| format!("{FILE}{}", " ".repeat(bytes - FILE.len()));
    assert!(Rubric::read(padded(1_048_576).as_bytes()).is_ok());
    assert_eq!(
        Rubric::read(padded(1_048_577).as_bytes()).unwrap_err().to_string(),
        "invalid rubric: larger than 1048576 bytes",
    );
    assert_eq!(
        Rubric::read(b"{\"a\": 1, \"a\": 1}").unwrap_err().to_string(),
        "invalid rubric: line 1: `a`: duplicate key",
    );
}

/// LOOP-A4 and LOOP-U10: what always gates cannot be switched off.
#[test]
fn a_universal_penalty_cannot_be_weakened() {
    let rule = |key: &'static str, index: usize, value: Value| {
        move |it: &mut Value| {
            it["task_types"]["storyboard"]["penalty_rules"][index][key] = value.clone();
        }
    };
    let weaker =
        |trigger: &str| format!("the penalty `{trigger}` of `storyboard` is weaker than required");
    check(rule("force_gated", 0, json!(false)), &weaker(trigger::SECRETS_FORBIDDEN_GLOBS));
    check(rule("penalty_points", 1, json!(1.5)), &weaker(trigger::PLAGIARISM_COPYRIGHT));
    check(rule("penalty_points", 2, json!(0.5)), &weaker(trigger::MISSING_REQUIRED_SECTION));
    assert!(changed(rule("force_gated", 2, json!(true))).is_ok());
    assert!(changed(rule("penalty_points", 2, json!(1.5))).is_ok());
}
