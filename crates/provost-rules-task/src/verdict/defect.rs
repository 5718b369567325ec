//! What can be wrong with a reply, each with a stable rule id.

use provost_kernel::{
    Finding, Lang, Message, Severity,
    task::{Decimal, HalfPoints, ScoringMode, TaskType, Weight},
};

use crate::strict::{StrictError, shorten};

/// One thing that is wrong with a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Defect {
    Json(StrictError),
    NotAnObject,
    Missing {
        field: &'static str,
    },
    /// The field may be a place in one, such as `scores.clarity`.
    WrongType {
        field: String,
        expected: &'static str,
    },
    UnknownDecision {
        found: String,
    },
    /// A number outside its range, or between its steps.
    OutOfRange {
        field: String,
        found: String,
        expected: &'static str,
    },
    TooLong {
        field: String,
        limit: usize,
    },
    TooMany {
        field: &'static str,
        found: usize,
        limit: usize,
    },
    TooFewIssues {
        found: usize,
    },
    /// Empty, or white space, where there has to be a text or a list.
    Blank {
        field: String,
    },
    MissingDimension {
        field: &'static str,
        dimension: String,
    },
    UnknownDimension {
        field: &'static str,
        dimension: String,
    },
    WrongWeight {
        dimension: String,
        found: Decimal,
        expected: Weight,
    },
    /// A number that does not follow from the others.
    WrongSum {
        field: &'static str,
        found: Decimal,
        expected: Decimal,
    },
    WrongTaskType {
        found: String,
        expected: TaskType,
    },
    WrongSchemaVersion {
        found: String,
    },
    UnknownMode {
        found: String,
    },
    WrongMode {
        mode: ScoringMode,
    },
    /// The task itself asks for a mode that cannot approve.
    TaskMode {
        mode: ScoringMode,
    },
    Flat {
        dimensions: usize,
        score: HalfPoints,
    },
    NoIssues,
    Contradiction {
        issue: String,
        keyword: String,
        dimension: String,
        score: HalfPoints,
        cap: HalfPoints,
    },
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
    pub fn finding(&self, lang: Lang) -> Finding {
        Finding {
            rule: self.rule().into(),
            severity: Severity::P0,
            subject: self.subject(),
            message: self.message(lang).into(),
            hint: None,
        }
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

    fn message(&self, lang: Lang) -> String {
        match self {
            Self::Json(error) => error.text().render(lang),
            Self::NotAnObject => {
                lang.pick("a verdict is a JSON object", "裁决应为 JSON 对象").to_owned()
            }
            Self::Missing { .. } => lang.pick("the field is missing", "缺少此字段").to_owned(),
            Self::WrongType { expected, .. } => {
                lang.pick(format!("expected {expected}"), format!("应为 {expected}"))
            }
            Self::UnknownDecision { found } => lang.pick(
                format!("`{found}` is none of PASS, FAIL, NEED_USER_INPUT"),
                format!("`{found}` 不是 PASS、FAIL 或 NEED_USER_INPUT"),
            ),
            Self::OutOfRange { found, expected, .. } => {
                lang.pick(format!("{found} is not {expected}"), format!("{found} 不是 {expected}"))
            }
            Self::TooLong { limit, .. } => lang.pick(
                format!("the text has more than {limit} characters"),
                format!("文本超过 {limit} 个字符"),
            ),
            Self::TooMany { found, limit, .. } => lang.pick(
                format!("there are {found} entries, and {limit} are the most"),
                format!("有 {found} 项,最多 {limit} 项"),
            ),
            Self::TooFewIssues { found } => lang.pick(
                format!("there are {found} issues, and 2 are the least"),
                format!("有 {found} 个问题,至少 2 个"),
            ),
            Self::Blank { .. } => {
                lang.pick("there has to be something in it", "内容不能为空").to_owned()
            }
            Self::MissingDimension { .. } => {
                lang.pick("the rubric has this dimension", "评分标准有此维度").to_owned()
            }
            Self::UnknownDimension { .. } => {
                lang.pick("the rubric has no such dimension", "评分标准没有此维度").to_owned()
            }
            Self::WrongWeight { found, expected, .. } => lang.pick(
                format!("the weight is {found}, and the rubric says {expected}"),
                format!("权重为 {found},评分标准为 {expected}"),
            ),
            Self::WrongSum { found, expected, .. } => lang.pick(
                format!("{found} does not follow from the other numbers: it would be {expected}"),
                format!("{found} 与其他数值不符:应为 {expected}"),
            ),
            Self::WrongTaskType { found, expected } => lang.pick(
                format!("the verdict is on `{found}`, and the task is `{expected}`"),
                format!("裁决针对 `{found}`,任务为 `{expected}`"),
            ),
            Self::WrongSchemaVersion { found } => lang
                .pick(format!("`{found}` is none of v1, v2"), format!("`{found}` 不是 v1 或 v2")),
            Self::UnknownMode { found } => lang
                .pick(format!("`{found}` is no scoring mode"), format!("`{found}` 不是评分模式")),
            Self::WrongMode { mode } => lang.pick(
                format!("the judge scored by `{mode}`, and only `rubric_analytic` can approve"),
                format!("评审采用 `{mode}`,而只有 `rubric_analytic` 能通过"),
            ),
            Self::TaskMode { mode } => lang.pick(
                format!("the task asks for `{mode}`, and only `rubric_analytic` can approve"),
                format!("任务要求 `{mode}`,而只有 `rubric_analytic` 能通过"),
            ),
            Self::Flat { dimensions, score } => lang.pick(
                format!("all {dimensions} dimensions score {score}"),
                format!("全部 {dimensions} 个维度都是 {score} 分"),
            ),
            Self::NoIssues => {
                lang.pick("the verdict names no issue at all", "裁决没有列出任何问题").to_owned()
            }
            Self::Contradiction { issue, keyword, score, cap, .. } => lang.pick(
                format!(
                    "the issue `{}` says `{keyword}`, so {score} is too much: at most {cap}",
                    shorten(issue)
                ),
                format!("问题 `{}` 提到 `{keyword}`,{score} 分过高:最多 {cap} 分", shorten(issue)),
            ),
        }
    }
}
