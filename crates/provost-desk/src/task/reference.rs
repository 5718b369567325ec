//! What results are held against: the rubrics and the rows of the decision table.

use provost_kernel::{
    Text,
    task::{Row, TaskType},
};
use provost_rules_task::rubric::{Dimension, PenaltyRule, Rubric, RubricError};
use schemars::JsonSchema;
use serde::Serialize;

/// The rubric of one type of task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RubricView {
    pub task_type: TaskType,
    pub version: String,
    pub label: Text,
    pub dimensions: Vec<DimensionView>,
    pub gate_threshold: String,
    pub penalty_rules: Vec<PenaltyView>,
}

/// One thing that is scored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DimensionView {
    pub name: String,
    pub weight: String,
    pub gate: bool,
    pub description: Option<Text>,
}

/// Something that costs points.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PenaltyView {
    pub trigger: String,
    pub points: String,
    pub points_max: String,
    pub force_gated: bool,
    pub description: Option<Text>,
}

/// The rubric of a type.
pub fn rubric_of(task_type: TaskType) -> Result<RubricView, RubricError> {
    let rubric = Rubric::embedded()?;
    let of = rubric.of(task_type);
    Ok(RubricView {
        task_type,
        version: rubric.version.clone(),
        label: of.label.clone(),
        dimensions: of.dimensions.iter().map(DimensionView::of).collect(),
        gate_threshold: of.gate_threshold.to_string(),
        penalty_rules: of.penalty_rules.iter().map(PenaltyView::of).collect(),
    })
}

/// The names of the rows of the decision table, in order.
pub fn decision_rows() -> &'static [&'static str] {
    Row::WORDS
}

impl DimensionView {
    fn of(dimension: &Dimension) -> Self {
        Self {
            name: dimension.key.clone(),
            weight: dimension.weight.to_string(),
            gate: dimension.is_hard_gate,
            description: dimension.description.clone(),
        }
    }
}

impl PenaltyView {
    fn of(rule: &PenaltyRule) -> Self {
        Self {
            trigger: rule.trigger.clone(),
            points: rule.points.to_string(),
            points_max: rule.points_max.to_string(),
            force_gated: rule.force_gated,
            description: rule.description.clone(),
        }
    }
}
