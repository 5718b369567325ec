//! Keys of the original that have one value here, or none.
//!
//! They are read so that a mission of the original is understood; another value would promise
//! what is not done.

use serde_json::Value;

use super::{Document, MissionProblem};

/// Refuses what cannot be had.
pub(super) fn check(table: &mut Document<'_>) {
    for (key, value, problem) in [
        ("selection.policy", Value::from("top_label"), MissionProblem::FixedVote),
        ("selection.tie_break", Value::from("temperature"), MissionProblem::FixedTieBreak),
        ("reflection.allow_uncertain", Value::from(false), MissionProblem::FixedBinary),
        (
            "reflection.eligibility_policy",
            Value::from("selected_mismatch_or_all_wrong"),
            MissionProblem::FixedEligibility,
        ),
        ("reflection.all_wrong_strategy", Value::from("learn"), MissionProblem::FixedAllWrong),
        ("strict_json", Value::from(true), MissionProblem::FixedStrictJson),
    ] {
        if let Some(field) = table.field(key).filter(|it| *it.value != value) {
            field.report(problem);
        }
    }
    for (key, problem) in [
        ("stage_b_distillation.log_chatml_path", MissionProblem::ExportPath),
        ("exclude_ticket_keys_path", MissionProblem::ExcludedPath),
    ] {
        if let Some(field) = table.field(key) {
            field.report(problem);
        }
    }
    if table.skip("model") {
        table.report("model", MissionProblem::Weights);
    }
}
