//! What a reader noticed in a plan and did not refuse.

use provost_kernel::{
    Finding, Message, Severity, shorten,
    story::{CriterionId, StoryId},
};

use super::Place;

/// One thing that the author of a plan should know.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "story.plan_remark")]
pub(super) enum Remark {
    /// The plan's priority is none of P0, P1 and P2.
    #[message(
        en = "priority {it:?} is none of P0, P1 and P2; the plan gets P1",
        zh = "{it:?} 不是 P0、P1 或 P2，计划按 P1 处理",
        arg(it = shorten(field0))
    )]
    PlanPriority(String),
    /// A story's priority is not a number.
    #[message(
        en = "priority {it:?} is not a number; the story keeps its position",
        zh = "优先级 {it:?} 不是数字，故事按其位置排序",
        arg(it = shorten(field0))
    )]
    StoryPriority(String),
    /// A dependency in prose that is not a branch name.
    #[message(
        en = "{it:?} is not a branch name and is not read as a dependency",
        zh = "{it:?} 不是分支名，未作为依赖读取",
        arg(it = shorten(field0))
    )]
    Dependency(String),
    /// A story outside the section of stories.
    #[message(
        en = "story `{0}` is outside the section of stories and is not read",
        zh = "故事 `{0}` 在用户故事一节之外，未被读取"
    )]
    OutsideSection(StoryId),
    /// A list below an unknown heading.
    #[message(
        en = "this list is below a heading of its own and is not read as criteria",
        zh = "此列表在另一个标题之下，未作为验收标准读取"
    )]
    ListSkipped,
    /// A paragraph or a table among the criteria.
    #[message(
        en = "this text among the criteria is not read: only list items are criteria",
        zh = "此处文字位于验收标准之中，但未被读取：只读取列表项",
        hint(en = "write each criterion as `- text`", zh = "请将每条标准写成 `- 文字`")
    )]
    TextSkipped,
    /// An item among the criteria that is a note or a priority.
    #[message(
        en = "{it:?} is a note, not a criterion",
        zh = "{it:?} 是备注，不是验收标准",
        arg(it = shorten(field0))
    )]
    NotACriterion(String),
    /// A written label that is not the criterion's position.
    #[message(
        en = "the criterion is written as {written} and counted as {counted}",
        zh = "该标准写作 {written}，按位置为 {counted}"
    )]
    LabelDiffers { written: CriterionId, counted: CriterionId },
    /// The same criterion twice in one story.
    #[message(en = "this criterion is the same as {0}", zh = "此标准与 {0} 相同")]
    Repeated(CriterionId),
    /// A command for a whole story, which proves no criterion.
    #[message(
        en = "this command belongs to no single criterion and proves none",
        zh = "此命令不属于任何一条验收标准，不能证明任何一条",
        hint(
            en = "write it behind its criterion: (verify: `command`)",
            zh = "请写在对应标准之后：（验证：`命令`）",
        )
    )]
    UnboundCommand,
    /// A mark of success in the plan itself.
    #[message(
        en = "the plan marks this as done, which proves nothing",
        zh = "计划将此标为完成，但这不是证明"
    )]
    MarkIgnored,
    /// An unknown key of JSON, and the known one that it resembles.
    #[message(
        en = "unknown key {it:?}",
        zh = "未知的键 {it:?}",
        arg(it = shorten(key)),
        hint(en = "did you mean `{meant}`?", zh = "是否想写 `{meant}`？")
    )]
    UnknownKey { key: String, meant: &'static str },
    /// A task that belongs to no story.
    #[message(
        en = "tasks without a story are kept as `{0}`",
        zh = "不属于任何故事的任务归入 `{0}`"
    )]
    TaskWithoutStory(StoryId),
    /// The same task id twice.
    #[message(en = "task `{0}` is defined twice", zh = "任务 `{0}` 在计划中出现两次")]
    TaskRepeated(String),
}

impl Remark {
    fn rule(&self) -> &'static str {
        match self {
            Self::PlanPriority(_) => "story.plan.priority",
            Self::StoryPriority(_) => "story.plan.story_priority",
            Self::Dependency(_) => "story.plan.dependency",
            Self::OutsideSection(_) => "story.plan.outside_section",
            Self::ListSkipped => "story.plan.list_skipped",
            Self::TextSkipped => "story.plan.text_skipped",
            Self::NotACriterion(_) => "story.plan.not_a_criterion",
            Self::LabelDiffers { .. } => "story.plan.label_differs",
            Self::Repeated(_) => "story.plan.criterion_repeated",
            Self::UnboundCommand => "story.plan.unbound_command",
            Self::MarkIgnored => "story.plan.mark_ignored",
            Self::UnknownKey { .. } => "story.plan.unknown_key",
            Self::TaskWithoutStory(_) => "story.plan.task_without_story",
            Self::TaskRepeated(_) => "story.plan.task_repeated",
        }
    }

    /// What makes the gate weaker than its author may think is graver than what does not.
    fn severity(&self) -> Severity {
        match self {
            Self::OutsideSection(_)
            | Self::ListSkipped
            | Self::TextSkipped
            | Self::LabelDiffers { .. }
            | Self::UnboundCommand
            | Self::UnknownKey { .. } => Severity::P1,
            Self::PlanPriority(_)
            | Self::StoryPriority(_)
            | Self::Dependency(_)
            | Self::NotACriterion(_)
            | Self::Repeated(_)
            | Self::MarkIgnored
            | Self::TaskWithoutStory(_)
            | Self::TaskRepeated(_) => Severity::P2,
        }
    }

    pub(super) fn finding(&self, file: &str, place: &Place) -> Finding {
        Finding::new(self.rule(), self.severity(), place.in_file(file), self)
    }
}
