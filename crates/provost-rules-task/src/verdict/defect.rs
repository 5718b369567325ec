//! What can be wrong with a reply, each with a stable rule id.

use provost_form::{Problem, ProblemClass, ProblemKind};
use provost_kernel::{
    Decimal, Finding, Message, Severity, shorten,
    task::{HalfPoints, ScoringMode, TaskType, Weight},
};

/// One thing that is wrong with a reply.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.verdict")]
pub enum Defect {
    #[message(transparent)]
    Form(ProblemKind),
    #[message(en = "missing dimension of the rubric", zh = "缺少评分标准的此维度")]
    MissingDimension,
    #[message(en = "the rubric has no such dimension", zh = "评分标准没有此维度")]
    UnknownDimension,
    #[message(
        en = "the weight is {found}, the rubric has {expected}",
        zh = "权重为 {found}，评分标准为 {expected}"
    )]
    WrongWeight { found: Decimal, expected: Weight },
    /// A number that does not follow from the others.
    #[message(
        en = "{found} does not follow from the other numbers, expected {expected}",
        zh = "{found} 与其他数值不符，应为 {expected}"
    )]
    WrongSum { found: Decimal, expected: Decimal },
    #[message(
        en = "the verdict is on `{found}`, the task is `{expected}`",
        zh = "裁决针对 `{found}`，任务为 `{expected}`"
    )]
    WrongTaskType { found: String, expected: TaskType },
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
    /// More than a person would read; the rest is counted.
    #[message(
        en = "{left_out} more {left_out:problem is|problems are} not listed",
        zh = "另有 {left_out} 个问题未列出"
    )]
    More { left_out: usize },
    #[message(
        en = "the issue `{shown}` says `{keyword}`: {score} is too high, at most {cap} is allowed",
        zh = "问题 `{shown}` 提到 `{keyword}`：{score} 分过高，最多 {cap} 分",
        arg(shown = shorten(issue))
    )]
    Contradiction { issue: String, keyword: String, score: HalfPoints, cap: HalfPoints },
}

/// How a defect weighs in the decision table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefectClass {
    Structure,
    Mode,
    TaskMode,
    Contradiction,
}

impl From<ProblemKind> for Defect {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
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
            Self::Form(_)
            | Self::More { .. }
            | Self::MissingDimension
            | Self::UnknownDimension
            | Self::WrongWeight { .. }
            | Self::WrongSum { .. }
            | Self::WrongTaskType { .. }
            | Self::UnknownMode { .. } => DefectClass::Structure,
        }
    }
}

/// The defect as a finding, with the path of the field.
pub(super) fn finding(defect: &Problem<Defect>) -> Finding {
    let is_syntax = |it: &ProblemKind| it.class() == ProblemClass::Syntax;
    if defect.path.is_root() || matches!(&defect.kind, Defect::Form(it) if is_syntax(it)) {
        return Finding::new("verdict.json", Severity::P0, "verdict", defect);
    }
    let subject = defect.path.to_string();
    let rule = match &defect.kind {
        Defect::Form(kind) => form_rule(kind, &subject),
        Defect::More { .. } => "verdict.json",
        Defect::MissingDimension | Defect::UnknownDimension => "verdict.dimensions",
        Defect::WrongWeight { .. } => "verdict.weights",
        Defect::WrongSum { .. } => "verdict.sum",
        Defect::WrongTaskType { .. } => "verdict.task_type",
        Defect::UnknownMode { .. } | Defect::WrongMode { .. } | Defect::TaskMode { .. } => {
            "verdict.mode"
        }
        Defect::Flat { .. } => "verdict.flat",
        Defect::NoIssues => "verdict.issues",
        Defect::Contradiction { .. } => "verdict.keyword",
    };
    defect.finding(rule, Severity::P0, subject)
}

fn form_rule(kind: &ProblemKind, field: &str) -> &'static str {
    match kind.class() {
        ProblemClass::Syntax => "verdict.json",
        ProblemClass::Missing => "verdict.missing",
        ProblemClass::Range => "verdict.range",
        ProblemClass::Choice if field == "decision" => "verdict.decision",
        ProblemClass::Choice => "verdict.schema_version",
        ProblemClass::Blank => "verdict.blank",
        ProblemClass::Length => "verdict.length",
        ProblemClass::Count => "verdict.count",
        ProblemClass::Type | ProblemClass::UnknownKey | ProblemClass::ControlCharacter => {
            "verdict.type"
        }
    }
}
