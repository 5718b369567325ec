//! Evidence that serves several criteria.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::story::{Criterion, CriterionId, KeptEvidence, ProofNeed, Story};

use super::need::need;

/// How many criteria one test can serve.
const PER_TEST: u32 = 3;

/// The criteria whose evidence serves other criteria already: a command of which single tests are
/// not known serves one, and a test serves three. What the plan named, and what only has to hold,
/// may be shared.
pub fn shared(story: &Story, kept: &BTreeMap<CriterionId, KeptEvidence>) -> BTreeSet<CriterionId> {
    let mut served: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut tests: BTreeMap<String, u32> = BTreeMap::new();
    let mut shared = BTreeSet::new();
    for criterion in &story.criteria {
        let Some(known) = kept.get(&criterion.id) else { continue };
        if !is_own(criterion, known) {
            continue;
        }
        let claim = &known.claim;
        let proof = known.result.as_ref().and_then(|it| it.proof.as_ref());
        if let Some(command) = claim.command.as_ref().filter(|it| !it.trim().is_empty()) {
            let key = (command.clone(), claim.cwd.clone().unwrap_or_default());
            let n = served.entry(key).or_default();
            *n += 1;
            let new = proof.and_then(|it| it.new_tests).unwrap_or(0);
            if *n > new.saturating_mul(PER_TEST).max(1) {
                shared.insert(criterion.id);
            }
        }
        for test in &claim.tests {
            let n = tests.entry(test.clone()).or_default();
            *n += 1;
            if *n > PER_TEST {
                shared.insert(criterion.id);
            }
        }
    }
    shared
}

/// Whether a criterion needs evidence of its own.
fn is_own(criterion: &Criterion, known: &KeptEvidence) -> bool {
    let proof = known.result.as_ref().and_then(|it| it.proof.as_ref());
    let need = need(criterion, proof.and_then(|it| it.verify_on_base));
    matches!(need, ProofNeed::Proven | ProofNeed::Shown) && criterion.verify.is_none()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::claim::read_story;

    fn known(claim: &Value, new_tests: Option<u32>) -> KeptEvidence {
        let proof = json!({"label": "SHOWN", "newTests": new_tests});
        let result = json!({"label": "REPRODUCED", "tree": "t", "proof": proof});
        serde_json::from_value(json!({"claim": claim, "result": result})).unwrap()
    }

    #[track_caller]
    fn check(texts: &[&str], claims: &[(Value, Option<u32>)], expected: &[&str]) {
        let story = json!({"id": "US-001", "acceptanceCriteria": texts});
        let story = read_story(story.to_string().as_bytes()).unwrap();
        let ids = story.criteria.iter().map(|it| it.id);
        let kept = ids.zip(claims.iter().map(|(claim, new)| known(claim, *new))).collect();
        let found: Vec<String> = shared(&story, &kept).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{claims:?}");
    }

    /// STORY-1.3: every criterion has evidence of its own.
    #[test]
    fn a_command_without_known_tests_serves_one_criterion() {
        let make = || (json!({"command": "make check"}), None);
        check(&["a", "b"], &[make(), make()], &["AC-2"]);
        check(&["a", "all tests pass"], &[make(), make()], &[]);
        let other = (json!({"command": "make check", "cwd": "web"}), None);
        check(&["a", "b"], &[make(), other], &[]);
    }

    #[test]
    fn a_test_serves_three_criteria() {
        let one = || (json!({"command": "npm test"}), Some(1));
        let four = ["a", "b", "c", "d"];
        check(&four, &[one(), one(), one(), one()], &["AC-4"]);
        let two = || (json!({"command": "npm test"}), Some(2));
        check(&four, &[two(), two(), two(), two()], &[]);
        let named = || (json!({"tests": ["adds"]}), Some(9));
        check(&four, &[named(), named(), named(), named()], &["AC-4"]);
    }
}
