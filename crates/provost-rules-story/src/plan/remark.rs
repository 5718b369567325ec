//! What a reader noticed in a plan and did not refuse.

use provost_kernel::{
    Finding, Lang, Severity,
    story::{CriterionId, StoryId},
};
use provost_rules::json::shorten;

use super::Place;

/// One thing that the author of a plan should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// The plan's priority is none of P0, P1 and P2.
    PlanPriority(String),
    /// A story's priority is no number.
    StoryPriority(String),
    /// A dependency in prose that names no branch.
    Dependency(String),
    /// A story outside the section of stories.
    OutsideSection(StoryId),
    /// A list below a heading that nobody knows.
    ListSkipped,
    /// A paragraph or a table among the criteria.
    TextSkipped,
    /// An item among the criteria that is a note or a priority.
    NotACriterion(String),
    /// A written label that is not the criterion's place.
    LabelDiffers { written: CriterionId, counted: CriterionId },
    /// The same criterion twice in one story.
    Repeated(CriterionId),
    /// A command for a whole story, which no criterion is proven by.
    UnboundCommand,
    /// A mark of success in the plan itself, which proves nothing.
    MarkIgnored,
    /// A key of JSON that nobody reads, and the one that it looks like.
    UnknownKey { key: String, meant: &'static str },
    /// A task that belongs to no story.
    TaskWithoutStory(StoryId),
    /// The same task id twice.
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

    fn message(&self, lang: Lang) -> String {
        match self {
            Self::PlanPriority(it) => {
                let it = shorten(it);
                lang.pick(
                    format!("{it:?} is none of P0, P1 and P2, so the plan has P1"),
                    format!("{it:?} 不是 P0、P1 或 P2,计划按 P1 处理"),
                )
            }
            Self::StoryPriority(it) => {
                let it = shorten(it);
                lang.pick(
                    format!("the priority {it:?} is no number, so the story keeps its place"),
                    format!("优先级 {it:?} 不是数字,故事按其位置排序"),
                )
            }
            Self::Dependency(it) => {
                let it = shorten(it);
                lang.pick(
                    format!("{it:?} names no branch and is not read as a dependency"),
                    format!("{it:?} 不是分支名,未作为依赖读取"),
                )
            }
            Self::OutsideSection(id) => lang.pick(
                format!("story `{id}` stands outside the section of stories and is not read"),
                format!("故事 `{id}` 在用户故事一节之外,未被读取"),
            ),
            Self::ListSkipped => lang
                .pick(
                    "this list stands below a heading of its own and is not read as criteria",
                    "此列表在另一个标题之下,未作为验收标准读取",
                )
                .to_owned(),
            Self::TextSkipped => lang
                .pick(
                    "this stands among the criteria, and is none: only the items of a list are",
                    "此处文字位于验收标准之中,但未被读取:只读取列表项",
                )
                .to_owned(),
            Self::NotACriterion(it) => {
                let it = shorten(it);
                lang.pick(
                    format!("{it:?} is a note and not a criterion"),
                    format!("{it:?} 是备注,不是验收标准"),
                )
            }
            Self::LabelDiffers { written, counted } => lang.pick(
                format!("the criterion is written as {written} and counted as {counted}"),
                format!("该标准写作 {written},按位置为 {counted}"),
            ),
            Self::Repeated(first) => lang.pick(
                format!("this criterion says the same as {first}"),
                format!("此标准与 {first} 相同"),
            ),
            Self::UnboundCommand => lang
                .pick(
                    "this command belongs to no single criterion and proves none",
                    "此命令不属于任何一条验收标准,不能证明任何一条",
                )
                .to_owned(),
            Self::MarkIgnored => lang
                .pick(
                    "the plan marks this as done, which proves nothing",
                    "计划将此标为完成,但这不是证明",
                )
                .to_owned(),
            Self::UnknownKey { key, .. } => {
                let key = shorten(key);
                lang.pick(
                    format!("nobody reads the key {key:?}"),
                    format!("没有规则读取键 {key:?}"),
                )
            }
            Self::TaskWithoutStory(id) => lang.pick(
                format!("tasks without a story are kept as `{id}`"),
                format!("不属于任何故事的任务归入 `{id}`"),
            ),
            Self::TaskRepeated(it) => lang.pick(
                format!("task `{it}` stands twice in the plan"),
                format!("任务 `{it}` 在计划中出现两次"),
            ),
        }
    }

    fn hint(&self, lang: Lang) -> Option<String> {
        match self {
            Self::UnknownKey { meant, .. } => {
                Some(lang.pick(format!("did you mean `{meant}`?"), format!("是否想写 `{meant}`?")))
            }
            Self::UnboundCommand => Some(
                lang.pick(
                    "write it behind its criterion: (verify: `command`)",
                    "请写在对应标准之后:(验证:`命令`)",
                )
                .to_owned(),
            ),
            Self::TextSkipped => Some(
                lang.pick("write each criterion as `- text`", "请将每条标准写成 `- 文字`")
                    .to_owned(),
            ),
            Self::PlanPriority(_)
            | Self::StoryPriority(_)
            | Self::Dependency(_)
            | Self::OutsideSection(_)
            | Self::ListSkipped
            | Self::NotACriterion(_)
            | Self::LabelDiffers { .. }
            | Self::Repeated(_)
            | Self::MarkIgnored
            | Self::TaskWithoutStory(_)
            | Self::TaskRepeated(_) => None,
        }
    }

    pub(super) fn finding(&self, file: &str, place: &Place, lang: Lang) -> Finding {
        Finding {
            rule: self.rule().into(),
            severity: self.severity(),
            subject: place.in_file(file),
            message: self.message(lang).into(),
            hint: self.hint(lang).map(Into::into),
        }
    }
}
