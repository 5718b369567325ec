//! The rubric: by which dimensions, weights, gates and penalties a type of task is judged.
//!
//! It is data, kept by hand in `schemas/judge_rubric.json` and embedded. Its hash is verified
//! before anything is judged by it (LOOP-B26).

mod load;

use std::collections::BTreeMap;

use provost_kernel::{
    Digest, Exit, Message, Text,
    task::{Decimal, HalfPoints, TaskType, Weight},
};

use super::strict::StrictError;

/// A rubric whose hash is right and whose weights add up to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rubric {
    pub version: String,
    pub hash: Digest,
    /// One for each type, in the order of [`TaskType::ALL`].
    types: [TypeRubric; 5],
}

/// The rubric of one type of task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeRubric {
    pub label: Text,
    pub dimensions: Vec<Dimension>,
    /// A hard gate closes under this score.
    pub gate_threshold: Decimal,
    pub penalty_combine: PenaltyCombine,
    pub penalty_rules: Vec<PenaltyRule>,
}

/// One thing that is scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    pub key: String,
    pub weight: Weight,
    pub is_hard_gate: bool,
    /// What it means; the older shape has no text.
    pub description: Option<Text>,
    /// What some scores mean.
    pub anchors: BTreeMap<HalfPoints, Text>,
}

/// Something that costs points, however well the dimensions score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenaltyRule {
    /// The name that a gating reason carries: `penalty:TRIGGER`.
    pub trigger: String,
    pub description: Option<Text>,
    pub points: HalfPoints,
    /// The most that it costs when it happened more than once.
    pub points_max: HalfPoints,
    /// Whether it gates the verdict, whatever the scores are (LOOP-U10).
    pub force_gated: bool,
}

/// What several penalties cost together, at most 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PenaltyCombine {
    Max,
    Sum,
}

/// Why nothing can be judged by a rubric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
pub enum RubricError {
    Json(StrictError),
    /// The place is a JSON pointer.
    Malformed {
        at: String,
        expected: &'static str,
    },
    MissingType(TaskType),
    WeightsDoNotAddUp {
        task_type: TaskType,
        hundredths: u16,
    },
    /// The list, the weights and the gates of a type name different dimensions or values.
    Disagreement {
        task_type: TaskType,
        key: &'static str,
    },
    /// A penalty that every type has is weaker than it has to be.
    Weakened {
        task_type: TaskType,
        trigger: String,
    },
    HashMismatch {
        stated: String,
        actual: Digest,
    },
}

/// The triggers of penalties that provost's own facts pull.
pub mod trigger {
    /// A secret in the change, or a forbidden file touched.
    pub const SECRETS_FORBIDDEN_GLOBS: &str = "secrets_forbidden_globs";
    /// Somebody else's work.
    pub const PLAGIARISM_COPYRIGHT: &str = "plagiarism_copyright";
    /// A section that the task requires is absent.
    pub const MISSING_REQUIRED_SECTION: &str = "missing_required_section";
    /// The task's test command failed.
    pub const TEST_CMD_FAILS: &str = "test_cmd_fails";
}

impl Rubric {
    /// The rubric that provost ships.
    pub fn embedded() -> Result<Self, RubricError> {
        Self::read(include_bytes!("../../../schemas/judge_rubric.json"))
    }

    /// Reads a rubric, in the present or the older shape, and verifies its hash.
    pub fn read(bytes: &[u8]) -> Result<Self, RubricError> {
        load::load(bytes)
    }

    /// The rubric of a type.
    pub fn of(&self, task_type: TaskType) -> &TypeRubric {
        &self.types[task_type as usize]
    }
}

impl TypeRubric {
    /// The keys of the dimensions, in the order of the rubric.
    pub fn dimension_keys(&self) -> Vec<&str> {
        self.dimensions.iter().map(|it| it.key.as_str()).collect()
    }

    /// The penalty of a trigger.
    pub fn penalty(&self, trigger: &str) -> Option<&PenaltyRule> {
        self.penalty_rules.iter().find(|it| it.trigger == trigger)
    }
}

impl Message for RubricError {
    fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::Json(error) => error.text().render(lang),
            Self::Malformed { at, expected } => lang.pick(
                format!("the rubric has no {expected} at `{at}`"),
                format!("评分标准在 `{at}` 处没有 {expected}"),
            ),
            Self::MissingType(it) => lang.pick(
                format!("the rubric does not say how to judge `{it}`"),
                format!("评分标准没有说明如何评审 `{it}`"),
            ),
            Self::WeightsDoNotAddUp { task_type, hundredths } => lang.pick(
                format!("the weights of `{task_type}` add up to {hundredths}/100"),
                format!("`{task_type}` 的权重之和为 {hundredths}/100"),
            ),
            Self::Disagreement { task_type, key } => lang.pick(
                format!("`dimensions` and `{key}` of `{task_type}` say different things"),
                format!("`{task_type}` 的 `dimensions` 与 `{key}` 不一致"),
            ),
            Self::Weakened { task_type, trigger } => lang.pick(
                format!("the penalty `{trigger}` of `{task_type}` is weaker than it has to be"),
                format!("`{task_type}` 的扣分项 `{trigger}` 弱于要求"),
            ),
            Self::HashMismatch { stated, actual } => lang.pick(
                format!("the rubric says that its hash is `{stated}`, and it is `{actual}`"),
                format!("评分标准自称的哈希为 `{stated}`,实为 `{actual}`"),
            ),
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            match self {
            Self::HashMismatch { .. } => vec![
                lang.pick(
                    "nothing is judged by a rubric that somebody changed: restore it, or raise its version and its hash",
                    "被改动的评分标准不能用于评审:请恢复,或更新其版本与哈希",
                )
                .to_owned(),
            ],
            Self::Json(_)
            | Self::Malformed { .. }
            | Self::MissingType(_)
            | Self::WeightsDoNotAddUp { .. }
            | Self::Disagreement { .. }
            | Self::Weakened { .. } => Vec::new(),
        }
        })
    }

    fn exit(&self) -> Exit {
        match self {
            Self::HashMismatch { .. } => Exit::Integrity,
            Self::Json(_)
            | Self::Malformed { .. }
            | Self::MissingType(_)
            | Self::WeightsDoNotAddUp { .. }
            | Self::Disagreement { .. }
            | Self::Weakened { .. } => Exit::Unable,
        }
    }
}

#[cfg(test)]
mod tests;
