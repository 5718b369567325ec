//! Words of the form for a new task.

use provost_kernel::Message;

/// Fields, what can be proven, who can do it.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum NewWord {
    #[message(en = "A new task.", zh = "新建任务。")]
    NewTitle,
    #[message(en = "What is not asked for cannot be proven.", zh = "没有要求的，就无法证明。")]
    NewSubtitle,
    #[message(en = "Name", zh = "名称")]
    NewName,
    #[message(en = "Without one, it is made of the goal.", zh = "留空则由目标生成。")]
    NewNameNote,
    #[message(en = "Goal", zh = "目标")]
    NewGoal,
    #[message(en = "Done when", zh = "完成标准")]
    NewAcceptance,
    #[message(
        en = "What must be true at the end. The agent and the judge read it.",
        zh = "结束时必须成立的内容，智能体和评审都会读到。"
    )]
    NewAcceptanceNote,
    #[message(en = "Base", zh = "基线")]
    NewBase,
    #[message(en = "Test command", zh = "测试命令")]
    NewTest,
    #[message(
        en = "Without one, the configured one; without that, tests are not verified.",
        zh = "留空则用配置的命令；都没有，测试就不会验证。"
    )]
    NewTestNote,
    #[message(en = "Plan and story", zh = "计划与故事")]
    NewStory,
    #[message(
        en = "Its criteria are frozen when the task starts.",
        zh = "其标准在任务开始时固定。"
    )]
    NewStoryNote,
    #[message(en = "Who does it", zh = "由谁完成")]
    NewCoder,
    #[message(en = "Who judges it", zh = "由谁评审")]
    NewJudge,
    #[message(
        en = "{n} {n:agent|agents} that cannot be used here",
        zh = "{n} 个此处不可用的智能体"
    )]
    NewOff { n: i64 },
    #[message(en = "the configured one", zh = "使用配置的默认值")]
    NewDefault,
    #[message(en = "May change", zh = "可改动")]
    NewAllowed,
    #[message(
        en = "Files or folders, separated by spaces; without one, all.",
        zh = "文件或目录，以空格分隔；留空则不限。"
    )]
    NewAllowedNote,
    #[message(en = "Attempts", zh = "尝试次数")]
    NewAttempts,
    #[message(en = "At most, in dollars", zh = "费用上限（美元）")]
    NewMoney,
    #[message(en = "At most, in minutes", zh = "时间上限（分钟）")]
    NewMinutes,
    #[message(en = "Start", zh = "开始")]
    NewStart,
    #[message(en = "Save only", zh = "仅保存")]
    NewSave,
    #[message(en = "What this task can prove", zh = "此任务能证明什么")]
    NewProves,
    #[message(en = "Before it can start", zh = "开始之前需要解决")]
    NewProblems,
    #[message(en = "The same, in a terminal", zh = "在终端中完成同样的操作")]
    NewTerminal,
    #[message(en = "audited as `web:{person}`", zh = "以 `web:{person}` 记入审计")]
    NewAudited { person: String },
    #[message(
        en = "This server takes no orders, so it makes no tasks.",
        zh = "此服务器只读，不能新建任务。"
    )]
    NewReadOnly,
    #[message(en = "Write a goal first.", zh = "请先填写目标。")]
    NewWaits,
    #[message(en = "SUPPORTED", zh = "支持")]
    SupportSupported,
    #[message(en = "PARTIAL", zh = "部分支持")]
    SupportPartial,
    #[message(en = "NOT AVAILABLE", zh = "不可用")]
    SupportMissing,
    #[message(en = "part of provost", zh = "provost 自带")]
    AdapterBuiltIn,
    #[message(en = "from your configuration", zh = "来自你的配置")]
    AdapterConfigured,
    #[message(en = "a known program", zh = "已知程序")]
    AdapterPreset,
}
