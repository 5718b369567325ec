//! Tables that need no repository.

use std::collections::BTreeMap;

use provost_kernel::{Message, Text, task::TaskType};
use provost_rules_task::verdict::VerdictResult;

use super::{Body, Case, Rows, Trigger, rule};
use crate::task::{
    rehearsal::Host,
    selfcheck::{DECISIONS, Replay, VectorError, decision_vectors, replay_with, verdict_vectors},
};

/// What a judge that has drifted says of the cases of one type.
const DRIFTED: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../calibration/storyboard/drifted.jsonl"
));

pub(super) const CASES: &[Case] = &[
    Case {
        name: "decision_vectors",
        rule: rule!(
            "decision_vectors",
            "the table decides as the original does",
            "判定表与原版一致"
        ),
        body: Body::Table(decisions),
    },
    Case {
        name: "verdict_vectors",
        rule: rule!(
            "verdict_vectors",
            "the validator tells verdicts from what is none",
            "校验器能区分裁决与非裁决"
        ),
        body: Body::Table(verdicts),
    },
    Case {
        name: "calibration",
        rule: rule!("calibration", "the shipped cases pass their replay", "随附用例的重放全部通过"),
        body: Body::Table(calibration),
    },
];

fn decisions(_: &Host, trigger: Trigger) -> Result<Text, Text> {
    // The twin expects of one row what it does not say.
    let twisted = DECISIONS.replacen("\"consume_attempt\": false", "\"consume_attempt\": true", 1);
    rows(decision_vectors(trigger.or(DECISIONS, &twisted)))
}

fn verdicts(_: &Host, trigger: Trigger) -> Result<Text, Text> {
    rows(verdict_vectors(trigger.or(VerdictResult::Valid, VerdictResult::Invalid)))
}

fn rows(found: Result<usize, VectorError>) -> Result<Text, Text> {
    found.map(|it| Rows::Count(it).text()).map_err(|it| it.text())
}

fn calibration(host: &Host, trigger: Trigger) -> Result<Text, Text> {
    let drifted = BTreeMap::from([(TaskType::Storyboard, DRIFTED)]);
    let Replay { passed, failed, missing } =
        replay_with(host, &trigger.or(BTreeMap::new(), drifted))?;
    if failed.is_empty() && missing.is_empty() {
        return Ok(Rows::Cases(passed).text());
    }
    Err(Rows::Calibration { failed, missing }.text())
}
