//! The rubric: by which dimensions, weights, gates and penalties a type of task is judged.
//!
//! It is data, kept by hand in `schemas/judge_rubric.json` and embedded. Its hash is verified
//! before anything is judged by it (LOOP-B26).

mod load;

use std::collections::BTreeMap;

use provost_form::Problem;
use provost_kernel::{
    Decimal, Digest, Message, Text,
    task::{HalfPoints, TaskType, Weight},
};

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.rubric")]
pub enum RubricError {
    #[message(en = "invalid rubric: {0}", zh = "评分标准无效：{0}")]
    Json(Problem),
    /// The place is a JSON pointer.
    #[message(
        en = "the rubric has no {expected} at `{at}`",
        zh = "评分标准在 `{at}` 处没有{expected}"
    )]
    Malformed { at: String, expected: Expected },
    #[message(en = "the rubric lacks the task type `{0}`", zh = "评分标准缺少任务类型 `{0}`")]
    MissingType(TaskType),
    #[message(
        en = "the weights of `{task_type}` add up to {hundredths}/100",
        zh = "`{task_type}` 的权重之和为 {hundredths}/100"
    )]
    WeightsDoNotAddUp { task_type: TaskType, hundredths: u16 },
    /// The list, the weights and the gates of a type name different dimensions or values.
    #[message(
        en = "`dimensions` and `{key}` of `{task_type}` disagree",
        zh = "`{task_type}` 的 `dimensions` 与 `{key}` 不一致"
    )]
    Disagreement { task_type: TaskType, key: &'static str },
    #[message(
        en = "the penalty `{trigger}` of `{task_type}` is weaker than required",
        zh = "`{task_type}` 的扣分项 `{trigger}` 弱于要求"
    )]
    Weakened { task_type: TaskType, trigger: String },
    #[message(
        en = "the rubric states the hash `{stated}`, its hash is `{actual}`",
        zh = "评分标准标明的哈希为 `{stated}`，实为 `{actual}`",
        hint(
            en = "restore the rubric, or raise its version and update its hash",
            zh = "请恢复评分标准，或更新其版本与哈希"
        ),
        exit = Integrity
    )]
    HashMismatch { stated: String, actual: Digest },
}

/// What a place of a rubric holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.rubric.expected")]
pub enum Expected {
    #[message(en = "value", zh = "值")]
    Value,
    #[message(en = "string", zh = "字符串")]
    Text,
    #[message(en = "text in two languages", zh = "双语文本")]
    Bilingual,
    #[message(en = "number", zh = "数")]
    Number,
    #[message(en = "truth value", zh = "布尔值")]
    Truth,
    #[message(en = "list", zh = "列表")]
    List,
    #[message(en = "object", zh = "对象")]
    Object,
    #[message(en = "list of names", zh = "名称列表")]
    Names,
    #[message(en = "weight in hundredths", zh = "以百分之一计的权重")]
    Weight,
    #[message(en = "object with scores as keys", zh = "以分数为键的对象")]
    Anchors,
    #[message(en = "penalty from 0 to 2 in half points", zh = "0 到 2、步长 0.5 的扣分")]
    Penalty,
    #[message(en = "`max` or `sum`", zh = " `max` 或 `sum`")]
    Combine,
    #[message(en = "canonical form", zh = "规范形式")]
    Canonical,
}

/// The triggers of penalties that provost's own facts pull.
pub mod trigger {
    /// A secret in the change, or a forbidden file touched.
    pub const SECRETS_FORBIDDEN_GLOBS: &str = "secrets_forbidden_globs";
    /// Copied work.
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

#[cfg(test)]
mod tests;
