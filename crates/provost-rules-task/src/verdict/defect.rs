//! What can be wrong with a reply, each with a stable rule id.

use provost_kernel::{
    Finding, Message, Severity,
    task::{Decimal, HalfPoints, ScoringMode, TaskType, Weight},
};

use crate::strict::{StrictError, shorten};

/// One thing that is wrong with a reply.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.verdict")]
pub enum Defect {
    #[message(transparent)]
    Json(StrictError),
    #[message(en = "not a JSON object", zh = "不是 JSON 对象")]
    NotAnObject,
    #[message(en = "missing", zh = "缺少此字段")]
    Missing { field: &'static str },
    /// The field may be a place in one, such as `scores.clarity`.
    #[message(en = "expected {expected}", zh = "应为{expected}")]
    WrongType { field: String, expected: Shape },
    #[message(
        en = "`{found}` is not PASS, FAIL or NEED_USER_INPUT",
        zh = "`{found}` 不是 PASS、FAIL 或 NEED_USER_INPUT"
    )]
    UnknownDecision { found: String },
    /// A number outside its range, or between its steps.
    #[message(en = "{found} is not {expected}", zh = "{found} 不是{expected}")]
    OutOfRange { field: String, found: String, expected: Shape },
    #[message(en = "more than {limit} characters", zh = "超过 {limit} 个字符")]
    TooLong { field: String, limit: usize },
    #[message(
        en = "{found} entries, at most {limit} are allowed",
        zh = "有 {found} 项，最多 {limit} 项"
    )]
    TooMany { field: &'static str, found: usize, limit: usize },
    #[message(
        en = "{found} {found:issue|issues}, at least 2 are required",
        zh = "有 {found} 个问题，至少 2 个"
    )]
    TooFewIssues { found: usize },
    /// Empty, or white space, where there has to be a text or a list.
    #[message(en = "may not be empty", zh = "内容不能为空")]
    Blank { field: String },
    #[message(en = "missing dimension of the rubric", zh = "缺少评分标准的此维度")]
    MissingDimension { field: &'static str, dimension: String },
    #[message(en = "the rubric has no such dimension", zh = "评分标准没有此维度")]
    UnknownDimension { field: &'static str, dimension: String },
    #[message(
        en = "the weight is {found}, the rubric has {expected}",
        zh = "权重为 {found}，评分标准为 {expected}"
    )]
    WrongWeight { dimension: String, found: Decimal, expected: Weight },
    /// A number that does not follow from the others.
    #[message(
        en = "{found} does not follow from the other numbers, expected {expected}",
        zh = "{found} 与其他数值不符，应为 {expected}"
    )]
    WrongSum { field: &'static str, found: Decimal, expected: Decimal },
    #[message(
        en = "the verdict is on `{found}`, the task is `{expected}`",
        zh = "裁决针对 `{found}`，任务为 `{expected}`"
    )]
    WrongTaskType { found: String, expected: TaskType },
    #[message(en = "`{found}` is not v1 or v2", zh = "`{found}` 不是 `v1` 或 `v2`")]
    WrongSchemaVersion { found: String },
    #[message(en = "unknown scoring mode `{found}`", zh = "未知的评分模式 `{found}`")]
    UnknownMode { found: String },
    #[message(
        en = "the judge scored by `{mode}`, only `rubric_analytic` can approve",
        zh = "评审采用 `{mode}`，而只有 `rubric_analytic` 能通过"
    )]
    WrongMode { mode: ScoringMode },
    /// The task itself asks for a mode that cannot approve.
    #[message(
        en = "the task asks for `{mode}`, only `rubric_analytic` can approve",
        zh = "任务要求 `{mode}`，而只有 `rubric_analytic` 能通过"
    )]
    TaskMode { mode: ScoringMode },
    #[message(
        en = "all {dimensions} dimensions score {score}",
        zh = "全部 {dimensions} 个维度都是 {score} 分"
    )]
    Flat { dimensions: usize, score: HalfPoints },
    #[message(en = "the verdict lists no issues", zh = "裁决没有列出任何问题")]
    NoIssues,
    #[message(
        en = "the issue `{shown}` says `{keyword}`: {score} is too high, at most {cap} is allowed",
        zh = "问题 `{shown}` 提到 `{keyword}`：{score} 分过高，最多 {cap} 分",
        arg(shown = shorten(issue))
    )]
    Contradiction {
        issue: String,
        keyword: String,
        dimension: String,
        score: HalfPoints,
        cap: HalfPoints,
    },
}

/// What a field has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.verdict.shape")]
pub enum Shape {
    #[message(en = "a string", zh = "字符串")]
    Text,
    #[message(en = "a list of strings", zh = "字符串列表")]
    Texts,
    #[message(en = "true or false", zh = "`true` 或 `false`")]
    Truth,
    #[message(en = "an object", zh = "对象")]
    Object,
    #[message(en = "a number", zh = "数")]
    Number,
    #[message(en = "a number of at most 15 digits", zh = "不超过 15 位的数")]
    SmallNumber,
    #[message(en = "from 0 to {max}", zh = " 0 到 {max} 之间的数")]
    UpTo { max: u8 },
    #[message(en = "from 0 to {max} by 0.5", zh = " 0 到 {max} 之间步长 0.5 的数")]
    HalfPoints { max: HalfPoints },
}

/// How a defect weighs in the decision table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefectClass {
    Structure,
    Mode,
    TaskMode,
    Contradiction,
}

impl Defect {
    /// How the defect weighs.
    pub fn class(&self) -> DefectClass {
        match self {
            Self::TaskMode { .. } => DefectClass::TaskMode,
            Self::WrongMode { .. } => DefectClass::Mode,
            Self::Flat { .. } | Self::NoIssues | Self::Contradiction { .. } => {
                DefectClass::Contradiction
            }
            Self::Json(_)
            | Self::NotAnObject
            | Self::Missing { .. }
            | Self::WrongType { .. }
            | Self::UnknownDecision { .. }
            | Self::OutOfRange { .. }
            | Self::TooLong { .. }
            | Self::TooMany { .. }
            | Self::TooFewIssues { .. }
            | Self::Blank { .. }
            | Self::MissingDimension { .. }
            | Self::UnknownDimension { .. }
            | Self::WrongWeight { .. }
            | Self::WrongSum { .. }
            | Self::WrongTaskType { .. }
            | Self::WrongSchemaVersion { .. }
            | Self::UnknownMode { .. } => DefectClass::Structure,
        }
    }

    /// The stable name of the rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Json(_) | Self::NotAnObject => "verdict.json",
            Self::Missing { .. } => "verdict.missing",
            Self::WrongType { .. } => "verdict.type",
            Self::UnknownDecision { .. } => "verdict.decision",
            Self::OutOfRange { .. } => "verdict.range",
            Self::TooLong { .. } => "verdict.length",
            Self::TooMany { .. } | Self::TooFewIssues { .. } => "verdict.count",
            Self::Blank { .. } => "verdict.blank",
            Self::MissingDimension { .. } | Self::UnknownDimension { .. } => "verdict.dimensions",
            Self::WrongWeight { .. } => "verdict.weights",
            Self::WrongSum { .. } => "verdict.sum",
            Self::WrongTaskType { .. } => "verdict.task_type",
            Self::WrongSchemaVersion { .. } => "verdict.schema_version",
            Self::UnknownMode { .. } | Self::WrongMode { .. } | Self::TaskMode { .. } => {
                "verdict.mode"
            }
            Self::Flat { .. } => "verdict.flat",
            Self::NoIssues => "verdict.issues",
            Self::Contradiction { .. } => "verdict.keyword",
        }
    }

    /// The defect as a finding.
    pub fn finding(&self) -> Finding {
        Finding::new(self.rule(), Severity::P0, self.subject(), self)
    }

    fn subject(&self) -> String {
        match self {
            Self::Json(_) | Self::NotAnObject => "verdict".to_owned(),
            Self::Missing { field }
            | Self::TooMany { field, .. }
            | Self::WrongSum { field, .. } => (*field).to_owned(),
            Self::WrongType { field, .. }
            | Self::OutOfRange { field, .. }
            | Self::TooLong { field, .. }
            | Self::Blank { field } => shorten(field),
            Self::MissingDimension { field, dimension }
            | Self::UnknownDimension { field, dimension } => {
                format!("{field}.{}", shorten(dimension))
            }
            Self::WrongWeight { dimension, .. } => format!("weights.{dimension}"),
            Self::UnknownDecision { .. } => "decision".to_owned(),
            Self::WrongTaskType { .. } => "task_type".to_owned(),
            Self::WrongSchemaVersion { .. } => "schema_version".to_owned(),
            Self::UnknownMode { .. } | Self::WrongMode { .. } => "scoring_mode_used".to_owned(),
            Self::TaskMode { .. } => "scoring_mode".to_owned(),
            Self::Flat { .. } => "scores".to_owned(),
            Self::NoIssues | Self::TooFewIssues { .. } => "top_issues".to_owned(),
            Self::Contradiction { dimension, .. } => format!("scores.{dimension}"),
        }
    }
}
