//! What can be wrong with an update, each with a stable code.

use provost_form::{Invalid, Problem, ProblemClass, ProblemKind};
use provost_kernel::{Finding, Message, Severity, shorten, story::CriterionId};

/// One thing that is wrong with an update.
#[derive(Clone, Debug, PartialEq, Message)]
#[message(code = "story.update")]
pub enum UpdateProblem {
    #[message(transparent)]
    Form(ProblemKind),
    #[message(
        en = "expected a list of {{file, reason, lines}}, one of them, or an object by path",
        zh = "应为 {{file, reason, lines}} 的列表、单个对象或以路径为键的对象"
    )]
    NotExplanations,
    #[message(
        en = "not a path below the root of the repository",
        zh = "不是仓库根目录之下的路径",
        hint(
            en = "write it relative to the root of the repository, without `..`",
            zh = "请写相对仓库根目录的路径，不含 `..`",
        )
    )]
    OutsidePath,
    #[message(
        en = "`{found}` is not a story id",
        zh = "`{found}` 不是故事 id",
        hint(en = "write it as `US-001`", zh = "请写作 `US-001`")
    )]
    StoryId { found: String },
    #[message(
        en = "not a criterion id",
        zh = "不是验收标准 id",
        hint(en = "write it as `AC-1`, `AC-2` and so on", zh = "请写作 `AC-1`、`AC-2` 等")
    )]
    UnknownCriterion,
    #[message(en = "another key names {id} too", zh = "另一个键也指 {id}")]
    CriterionTwice { id: CriterionId },
    /// Two spellings of one key with different values.
    #[message(
        en = "the same key as `{other}`, with another value",
        zh = "与 `{other}` 含义相同而内容不同",
        hint(en = "send one of the two", zh = "请只发送其中之一")
    )]
    AliasConflict { other: &'static str },
    #[message(en = "`{file}` is explained a second time", zh = "`{file}` 被再次解释")]
    FileTwice { file: String },
    /// A flag by which an agent would skip a check.
    #[message(
        en = "asks to skip a check; only a person can waive one",
        zh = "要求跳过检查，而只有人可以豁免检查",
        hint(en = "remove the key", zh = "请删去此键")
    )]
    Waiver,
    /// The rest of a long list.
    #[message(en = "{left_out} more {left_out:error|errors}", zh = "另有 {left_out} 处错误")]
    More { left_out: usize },
}

/// Why bytes are not an update: everything that is wrong with them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.update_refused",
    en = "invalid update, {count} {count:error|errors}: {0}",
    zh = "更新无效，{count} 处错误：{0}",
    arg(count = field0.problems.len() + field0.left_out),
    inherit = field0,
    exit = Refused
)]
pub struct UpdateError(pub Invalid<UpdateProblem>);

impl From<ProblemKind> for UpdateProblem {
    fn from(kind: ProblemKind) -> Self {
        Self::Form(kind)
    }
}

impl UpdateError {
    /// One finding for each problem.
    pub fn findings(&self) -> Vec<Finding> {
        findings(&self.0)
    }
}

/// One finding for each problem, with the JSON pointer of its value.
pub(crate) fn findings(invalid: &Invalid<UpdateProblem>) -> Vec<Finding> {
    let finding = |it: &Problem<UpdateProblem>| {
        let found = |it: &Problem<UpdateProblem>| {
            it.finding(it.kind.code(), Severity::P0, shorten(&it.path.pointer()))
        };
        // Agents read the hint of a finding as their next step.
        let UpdateProblem::Form(kind) = &it.kind else { return found(it) };
        let (kind, hint) = kind.with_advice();
        Finding { hint, ..found(&it.clone().map(|_| UpdateProblem::Form(kind))) }
    };
    let mut findings: Vec<Finding> = invalid.problems.iter().map(finding).collect();
    if invalid.left_out > 0 {
        let more = UpdateProblem::More { left_out: invalid.left_out };
        findings.push(Finding::new(more.code(), Severity::P0, "", &more));
    }
    findings
}

impl UpdateProblem {
    /// The stable name of the rule.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Form(kind) => match kind.class() {
                ProblemClass::Syntax => "UPDATE_NOT_JSON",
                ProblemClass::Missing => "UPDATE_MISSING_KEY",
                ProblemClass::UnknownKey => "UPDATE_UNKNOWN_KEY",
                ProblemClass::Type | ProblemClass::Range | ProblemClass::Choice => {
                    "UPDATE_WRONG_TYPE"
                }
                ProblemClass::Blank => "UPDATE_BLANK",
                ProblemClass::Length | ProblemClass::Count => "UPDATE_TOO_LARGE",
                ProblemClass::ControlCharacter => "UPDATE_CONTROL_CHARACTER",
            },
            Self::NotExplanations => "UPDATE_WRONG_TYPE",
            Self::OutsidePath => "UPDATE_OUTSIDE_PATH",
            Self::StoryId { .. } => "UPDATE_STORY_ID",
            Self::UnknownCriterion | Self::CriterionTwice { .. } => "UNKNOWN_AC",
            Self::AliasConflict { .. } => "UPDATE_ALIAS_CONFLICT",
            Self::FileTwice { .. } => "UPDATE_FILE_TWICE",
            Self::Waiver => "WAIVER_REFUSED",
            Self::More { .. } => "UPDATE_MORE",
        }
    }
}
