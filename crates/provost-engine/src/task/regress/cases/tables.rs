//! Tables that need no repository.

use std::collections::BTreeMap;

use provost_kernel::task::TaskType;
use provost_rules_task::verdict::VerdictResult;

use super::{Body, Case, Trigger};
use crate::task::{
    rehearsal::Host,
    selfcheck::{DECISIONS, decision_vectors, replay_with, verdict_vectors},
};

/// What a judge that has drifted says of the cases of one type.
const DRIFTED: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../calibration/storyboard/drifted.jsonl"
));

pub(super) const CASES: &[Case] = &[
    Case {
        name: "decision_vectors",
        rule: ("the table decides as the original does", "判定表与原版一致"),
        body: Body::Table(decisions),
    },
    Case {
        name: "verdict_vectors",
        rule: ("the validator tells verdicts from what is none", "校验器能区分裁决与非裁决"),
        body: Body::Table(verdicts),
    },
    Case {
        name: "calibration",
        rule: ("the shipped cases pass their replay", "随附用例的重放全部通过"),
        body: Body::Table(calibration),
    },
];

fn decisions(host: &Host, trigger: Trigger) -> Result<String, String> {
    // The twin expects of one row what it does not say.
    let twisted = DECISIONS.replacen("\"consume_attempt\": false", "\"consume_attempt\": true", 1);
    let vectors = trigger.or(DECISIONS, &twisted);
    decision_vectors(vectors, host.lang).map(|count| format!("{count} rows"))
}

fn verdicts(host: &Host, trigger: Trigger) -> Result<String, String> {
    let untouched = trigger.or(VerdictResult::Valid, VerdictResult::Invalid);
    verdict_vectors(untouched, host.lang).map(|count| format!("{count} rows"))
}

fn calibration(host: &Host, trigger: Trigger) -> Result<String, String> {
    let drifted = BTreeMap::from([(TaskType::Storyboard, DRIFTED)]);
    let replay = replay_with(host, &trigger.or(BTreeMap::new(), drifted))?;
    if replay.failed.is_empty() && replay.missing.is_empty() {
        return Ok(format!("{} cases", replay.passed));
    }
    Err(format!("failed {:?}, missing {:?}", replay.failed, replay.missing))
}
