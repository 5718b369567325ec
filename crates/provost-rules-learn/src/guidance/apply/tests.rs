use proptest::prelude::*;
use provost_kernel::{
    Lang,
    learn::{Scaffold, ScaffoldKey},
};

use super::*;

const CONTEXT: Apply<'_> = Apply { reflection_id: "r1", max_rules: 6 };

fn keys(words: &str) -> Vec<TicketKey> {
    words.split_whitespace().map(|it| format!("{it}::fail").parse().unwrap()).collect()
}

fn rule_key(text: &str) -> RuleKey {
    text.parse().unwrap()
}

fn add(text: &str, evidence: &str) -> Change {
    let text = text.to_owned();
    Change::Operation(Operation::Add { text, rationale: None, evidence: keys(evidence) })
}

fn update(key: &str, text: &str, evidence: &str) -> Change {
    let (key, text) = (rule_key(key), text.to_owned());
    Change::Operation(Operation::Update { key, text, rationale: None, evidence: keys(evidence) })
}

fn delete(key: &str, evidence: &str) -> Change {
    let key = rule_key(key);
    Change::Operation(Operation::Delete { key, rationale: None, evidence: keys(evidence) })
}

fn merge(key: &str, from: &str, text: &str, evidence: &str) -> Change {
    Change::Operation(Operation::Merge {
        key: rule_key(key),
        merged_from: from.split_whitespace().map(rule_key).collect(),
        text: text.to_owned(),
        rationale: Some("both".to_owned()),
        evidence: keys(evidence),
    })
}

fn promotion(text: &str, evidence: &str) -> Change {
    Change::Promotion { text: text.to_owned(), evidence: keys(evidence) }
}

/// `G0` look, `G1` Rule A., `G2` Rule B. with a ticket and counts each; the next key is 4.
fn guidance() -> Guidance {
    let rule = |text: &str, source: &str, hits, misses| Rule {
        sources: keys(source),
        rationale: Some("old".to_owned()),
        reflection_id: Some("r0".to_owned()),
        hits,
        misses,
        ..Rule::seed(text.to_owned())
    };
    let rules = [
        (RuleKey::CHECKLIST, Rule::seed("look".to_owned())),
        (RuleKey::new(1), rule("Rule A.", "a", 5, 1)),
        (RuleKey::new(2), rule("规则 B。", "b", 2, 2)),
    ];
    Guidance { step: 7, next_key: 4, rules: rules.into() }
}

/// Each rule as `G1=text[sources]hits/misses`.
fn shown(guidance: &Guidance) -> String {
    let rule = |(key, rule): (&RuleKey, &Rule)| {
        let sources: Vec<_> = rule.sources.iter().map(|it| it.group().as_str()).collect();
        format!("{key}={}[{}]{}/{}", rule.text, sources.join(" "), rule.hits, rule.misses)
    };
    guidance.rules.iter().map(rule).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(changes: &[Change], expected: Result<&str, ApplyError>) {
    let before = guidance();
    let applied = apply(&before, changes, &CONTEXT);
    if let Ok(applied) = &applied {
        assert_eq!(applied.guidance.step, 8, "one step for all changes");
        assert!(applied.guidance.next_key >= before.next_key);
        let is_there = |key: &RuleKey| applied.guidance.rules.contains_key(key);
        assert!(applied.written.iter().all(is_there) && !applied.removed.iter().any(is_there));
        for key in &applied.written {
            let id = applied.guidance.rules[key].reflection_id.as_deref();
            assert_eq!(id, Some("r1"), "{key}");
        }
    }
    let actual = applied.as_ref().map(|it| shown(&it.guidance)).map_err(Clone::clone);
    assert_eq!(actual.as_deref(), expected.as_ref().map(|it| *it));
}

#[test]
fn each_operation_does_what_it_says() {
    check(
        &[add(" Rule C. ", "c d c")],
        Ok("G0=look[]0/0 G1=Rule A.[a]5/1 G2=规则 B。[b]2/2 G4=Rule C.[c d]0/0"),
    );
    check(&[update("G1", "Rule Z", "c a")], Ok("G0=look[]0/0 G1=Rule Z[c a]5/1 G2=规则 B。[b]2/2"));
    check(&[delete("G1", "c")], Ok("G0=look[]0/0 G2=规则 B。[b]2/2"));
    check(&[merge("G1", "G2", "Rule AB", "c")], Ok("G0=look[]0/0 G1=Rule AB[c a b]7/3"));
    check(
        &[promotion("若缺失则不通过", "c d")],
        Ok("G0=look[]0/0 G1=Rule A.[a]5/1 G2=规则 B。[b]2/2 G4=若缺失则不通过[c d]0/0"),
    );
    // The checklist may be written anew, and other rules may be merged into it.
    check(
        &[update("G0", "look twice", "c")],
        Ok("G0=look twice[c]0/0 G1=Rule A.[a]5/1 G2=规则 B。[b]2/2"),
    );
    check(&[merge("G0", "G1 G2", "look", "c")], Ok("G0=look[c a b]7/3"));
    // Sources that are gone, and the rule itself, are passed over in a merge.
    check(
        &[merge("G1", "G1 G9", "Rule Z", "c")],
        Ok("G0=look[]0/0 G1=Rule Z[c a]5/1 G2=规则 B。[b]2/2"),
    );
    // A removal twice, or of what is not there, is no more than one.
    check(
        &[delete("G1", "c"), delete("G1", "d"), delete("G9", "c")],
        Ok("G0=look[]0/0 G2=规则 B。[b]2/2"),
    );
}

#[test]
fn the_reason_of_a_rule_is_the_newest_that_was_given() {
    let reason = |change: Change| {
        let applied = apply(&guidance(), &[change], &CONTEXT).unwrap();
        applied.guidance.rules[&applied.written[0]].rationale.clone()
    };
    assert_eq!(reason(update("G1", "x", "c")).as_deref(), Some("old"));
    assert_eq!(reason(merge("G1", "G2", "x", "c")).as_deref(), Some("both"));
    assert_eq!(reason(promotion("x", "c")).as_deref(), Some(PROMOTION));
    assert_eq!(reason(add("x", "c")), None);
}

/// LEARN-3.5: nothing takes the checklist away.
#[test]
fn the_checklist_is_never_removed() {
    check(&[delete("G0", "c")], Err(ApplyError::Checklist));
    check(&[add("new", "c"), delete("G0", "c")], Err(ApplyError::Checklist));
    check(&[merge("G1", "G0", "x", "c")], Err(ApplyError::Checklist));
    check(&[merge("G1", "G2 G0", "x", "c")], Err(ApplyError::Checklist));
    check(&[update("G0", " ", "c")], Err(ApplyError::Blank));
    let every = [RuleKey::CHECKLIST, RuleKey::new(1), RuleKey::new(2)];
    assert_eq!(shown(&remove(&guidance(), &every)), "G0=look[]0/0");
}

#[test]
fn what_cannot_be_done_changes_nothing() {
    check(&[], Err(ApplyError::Unchanged));
    check(&[delete("G9", "c")], Err(ApplyError::Unchanged));
    // The same text with evidence that is known already.
    check(&[add("Rule A", "a")], Err(ApplyError::Unchanged));
    check(&[add("…", "c"), add(" 。", "c")], Err(ApplyError::Blank));
    check(&[merge("G9", "G1", "x", "c")], Err(ApplyError::UnknownKey(RuleKey::new(9))));
    check(
        &[delete("G1", "c"), update("G1", "x", "c")],
        Err(ApplyError::UnknownKey(RuleKey::new(1))),
    );
    let four: Vec<_> = (0..4).map(|it| add(&format!("rule {it}"), "c")).collect();
    check(&four, Err(ApplyError::Full { max_rules: 6 }));
    check(
        &[&four[..], &[delete("G2", "c")]].concat(),
        Ok(
            "G0=look[]0/0 G1=Rule A.[a]5/1 G4=rule 0[c]0/0 G5=rule 1[c]0/0 G6=rule 2[c]0/0 G7=rule 3[c]0/0",
        ),
    );
    let full = Guidance { next_key: LAST_KEY, ..guidance() };
    let last = apply(&full, &[add("x", "c")], &CONTEXT).unwrap();
    assert_eq!(last.written, [RuleKey::new(LAST_KEY)]);
    let none = apply(&last.guidance, &[add("y", "c")], &CONTEXT);
    assert_eq!(none, Err(ApplyError::NoKeyLeft));
}

/// Guidance that began with too many rules can be made smaller and not larger.
#[test]
fn too_many_rules_from_the_start_can_be_reduced() {
    let small = Apply { max_rules: 1, ..CONTEXT };
    assert!(apply(&guidance(), &[update("G1", "x", "c")], &small).is_ok());
    assert!(apply(&guidance(), &[delete("G1", "c")], &small).is_ok());
    assert!(apply(&guidance(), &[delete("G1", "c"), add("x", "c")], &small).is_ok());
    let more = apply(&guidance(), &[add("x", "c")], &small);
    assert_eq!(more, Err(ApplyError::Full { max_rules: 1 }));
}

/// The first of six defects of the original: an addition that says what a scaffold rule says wrote
/// to the scaffold. LEARN-1.3: here a change has no way to name one.
#[test]
fn an_addition_like_a_scaffold_rule_does_not_touch_the_scaffold() {
    let rules = [("S1".parse::<ScaffoldKey>().unwrap(), "Scaffold rule.".to_owned())];
    let scaffold = Scaffold::new(rules.into()).unwrap();
    let before = scaffold.clone();
    let applied = apply(&guidance(), &[add("Scaffold rule", "c")], &CONTEXT).unwrap();
    assert_eq!(applied.written, [RuleKey::new(4)]);
    assert_eq!(scaffold, before);
}

/// The second: a merge with `G0` among its sources removed it.
#[test]
fn a_merge_cannot_swallow_the_checklist() {
    check(&[merge("G2", "G0 G1", "x", "c")], Err(ApplyError::Checklist));
    // `G0` as source and target at once is an update of `G0`.
    check(
        &[merge("G0", "G0", "look twice", "c")],
        Ok("G0=look twice[c]0/0 G1=Rule A.[a]5/1 G2=规则 B。[b]2/2"),
    );
}

/// The third: an update of an unknown key made the rule.
#[test]
fn an_update_makes_no_rule() {
    check(&[update("G3", "x", "c")], Err(ApplyError::UnknownKey(RuleKey::new(3))));
    check(&[update("G4", "x", "c")], Err(ApplyError::UnknownKey(RuleKey::new(4))));
}

/// The fourth: an update whose text another rule has changed that other rule.
#[test]
fn an_update_changes_the_rule_that_it_names() {
    check(&[update("G2", "Rule A", "c")], Ok("G0=look[]0/0 G1=Rule A.[a]5/1 G2=Rule A[c b]2/2"));
}

/// The fifth: every change got the evidence of all others. LEARN-4.2.
#[test]
fn a_change_has_its_own_evidence_alone() {
    check(
        &[add("one", "c"), add("two", "d"), update("G1", "Rule Z", "e"), promotion("three", "f")],
        Ok(
            "G0=look[]0/0 G1=Rule Z[e a]5/1 G2=规则 B。[b]2/2 G4=one[c]0/0 G5=two[d]0/0 G6=three[f]0/0",
        ),
    );
}

/// The sixth: the text of a removed rule was still found, so that an addition went nowhere.
#[test]
fn a_removed_rule_is_not_found_again() {
    check(
        &[delete("G1", "c"), add("rule a", "d")],
        Ok("G0=look[]0/0 G2=规则 B。[b]2/2 G4=rule a[d]0/0"),
    );
}

#[test]
fn an_addition_that_says_the_same_brings_evidence() {
    for text in ["Rule A", "rule  a.", "ＲＵＬＥ Ａ．", " Rule A。"] {
        check(&[add(text, "c a")], Ok("G0=look[]0/0 G1=Rule A.[c a]5/1 G2=规则 B。[b]2/2"));
    }
    check(&[promotion("规则 B", "c")], Ok("G0=look[]0/0 G1=Rule A.[a]5/1 G2=规则 B。[c b]2/2"));
    check(
        &[add("new", "c"), add("New.", "d")],
        Ok("G0=look[]0/0 G1=Rule A.[a]5/1 G2=规则 B。[b]2/2 G4=new[d c]0/0"),
    );
}

#[test]
fn every_refusal_speaks_both_languages() {
    for error in [
        ApplyError::Checklist,
        ApplyError::UnknownKey(RuleKey::new(9)),
        ApplyError::Blank,
        ApplyError::Full { max_rules: 24 },
        ApplyError::NoKeyLeft,
        ApplyError::Unchanged,
    ] {
        assert_ne!(error.text().to_string(), Lang::Zh.render(&error.text()));
    }
}

fn any_change() -> impl Strategy<Value = Change> {
    let key = (0_u32..8).prop_map(RuleKey::new);
    let from = prop::collection::vec((0_u32..8).prop_map(RuleKey::new), 0..4);
    let text = prop_oneof!["[a-d]{0,2}\\.?", Just("look".to_owned()), Just("Rule A".to_owned())];
    let evidence = prop::collection::vec("[a-f]".prop_map(|it| keys(&it).remove(0)), 1..3);
    (0_u8..5, key, from, text, evidence).prop_map(|(kind, key, merged_from, text, evidence)| {
        let rationale = None;
        match kind {
            0 => Change::Operation(Operation::Add { text, rationale, evidence }),
            1 => Change::Operation(Operation::Update { key, text, rationale, evidence }),
            2 => Change::Operation(Operation::Delete { key, rationale, evidence }),
            3 => {
                Change::Operation(Operation::Merge { key, merged_from, text, rationale, evidence })
            }
            _ => Change::Promotion { text, evidence },
        }
    })
}

proptest! {
    /// LEARN-3.5: whatever is proposed in whatever order, the checklist stays, the limit holds, no
    /// key is given twice and no rule has evidence that was not cited for it.
    #[test]
    fn no_sequence_of_changes_breaks_the_guidance(batches in prop::collection::vec(prop::collection::vec(any_change(), 1..6), 1..8)) {
        let mut guidance = guidance();
        let mut given: BTreeSet<RuleKey> = guidance.rules.keys().copied().collect();
        for changes in batches {
            let Ok(applied) = apply(&guidance, &changes, &CONTEXT) else { continue };
            let cited: BTreeSet<&TicketKey> = changes.iter().flat_map(|it| match it {
                Change::Operation(operation) => operation.evidence(),
                Change::Promotion { evidence, .. } => evidence.as_slice(),
            }).chain(guidance.rules.values().flat_map(|it| &it.sources)).collect();
            let after = applied.guidance;
            prop_assert_eq!(after.step, guidance.step + 1);
            prop_assert!(!after.checklist().is_empty());
            prop_assert!(after.rules.len() <= 6);
            for (key, rule) in &after.rules {
                prop_assert!(!rule.text.trim().is_empty());
                prop_assert!(key.number() < after.next_key);
                prop_assert!(rule.sources.iter().all(|it| cited.contains(it)));
                if !guidance.rules.contains_key(key) {
                    prop_assert!(given.insert(*key), "{} was given before", key);
                }
            }
            guidance = after;
        }
    }
}
