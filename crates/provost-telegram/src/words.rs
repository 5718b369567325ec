//! The words of the bot, in both languages. What is said of a task comes from the desk.

use provost_kernel::{
    Lang, Message,
    task::{SealFact, SealStanding, State},
};

/// A word or a sentence of the bot itself.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "telegram.word")]
pub(crate) enum Word {
    #[message(en = "Tasks {from}–{to} of {total}", zh = "任务 {from}–{to}，共 {total} 个")]
    Tasks { from: usize, to: usize, total: usize },
    #[message(
        en = "No tasks yet. Start one on your machine: `provost do \"what should change\"`",
        zh = "还没有任务。请在你的机器上新建：`provost do \"要改什么\"`"
    )]
    NoTasks,
    #[message(en = "Previous", zh = "上一页")]
    Previous,
    #[message(en = "Next", zh = "下一页")]
    Next,
    #[message(en = "All tasks", zh = "所有任务")]
    AllTasks,
    #[message(en = "Inbox", zh = "收件箱")]
    Inbox,
    #[message(en = "Waiting for you: {count}", zh = "等你处理：{count}")]
    Waiting { count: usize },
    #[message(
        en = "Waiting for you: {from}–{to} of {count}",
        zh = "等你处理：{from}–{to}，共 {count}"
    )]
    WaitingPart { from: usize, to: usize, count: usize },
    #[message(en = "Nothing waits for you.", zh = "没有等你处理的事项。")]
    NothingWaits,
    #[message(en = "and {count} more", zh = "还有 {count} 个")]
    More { count: usize },
    #[message(en = "question", zh = "问题")]
    Question,
    #[message(en = "review", zh = "审阅")]
    Review,
    #[message(en = "stopped", zh = "已停止")]
    Stop,
    #[message(en = "Goal", zh = "目标")]
    Goal,
    #[message(en = "Score", zh = "得分")]
    Score,
    #[message(en = "Last decision", zh = "最近的裁决")]
    Decision,
    #[message(en = "Proven", zh = "证明情况")]
    Proven,
    #[message(en = "Pause code", zh = "暂停代码")]
    PauseCode,
    #[message(en = "Updated", zh = "更新于")]
    Updated,
    #[message(en = "Refresh", zh = "刷新")]
    Refresh,
    #[message(en = "Attempts", zh = "尝试")]
    Attempts,
    #[message(en = "Criteria", zh = "验收标准")]
    Criteria,
    #[message(en = "Events", zh = "事件")]
    Events,
    #[message(en = "Questions", zh = "问题")]
    Questions,
    #[message(en = "Back", zh = "返回")]
    Back,
    #[message(en = "No attempts yet.", zh = "还没有尝试。")]
    NoAttempts,
    #[message(en = "Attempt {number}", zh = "第 {number} 次尝试")]
    AttemptNumber { number: u16 },
    #[message(en = "runs", zh = "运行中")]
    Runs,
    #[message(en = "cut off", zh = "中断")]
    CutOff,
    #[message(en = "did not pass", zh = "未通过")]
    DidNotPass,
    #[message(en = "score {score}", zh = "得分 {score}")]
    Scored { score: String },
    #[message(en = "rejected", zh = "已拒绝")]
    Rejected,
    #[message(en = "The task has no plan with criteria.", zh = "该任务没有带验收标准的计划。")]
    NoCriteria,
    #[message(en = "No events yet.", zh = "还没有事件。")]
    NoEvents,
    #[message(en = "No open questions.", zh = "没有待回答的问题。")]
    NoQuestions,
    #[message(en = "Answered:", zh = "已回答：")]
    Answered,
    #[message(en = "Answer", zh = "回答")]
    Answer,
    #[message(en = "Answer {task}", zh = "回答 {task}")]
    AnswerTask { task: String },
    #[message(en = "Pause", zh = "暂停")]
    Pause,
    #[message(en = "Resume", zh = "继续")]
    Resume,
    #[message(en = "Approve", zh = "批准")]
    Approve,
    #[message(en = "Reject", zh = "拒绝")]
    Reject,
    #[message(en = "Override", zh = "修改")]
    Override,
    #[message(en = "Cancel", zh = "取消")]
    Cancel,
    #[message(
        en = "{what}: {task}, attempt {attempt}?",
        zh = "{what}：{task}，第 {attempt} 次尝试？"
    )]
    Confirm { what: String, task: String, attempt: u16 },
    #[message(
        en = "Reply to this message with your answer to {task}.",
        zh = "请回复此消息，写下对 {task} 的回答。"
    )]
    AskAnswer { task: String },
    #[message(
        en = "Reply to this message with the reason why {task} is rejected.",
        zh = "请回复此消息，说明拒绝 {task} 的原因。"
    )]
    AskReason { task: String },
    #[message(
        en = "Reply to this message with a field and its value for {task}, such as `max_attempts 5`.",
        zh = "请回复此消息，写下 {task} 的字段和值，例如 `max_attempts 5`。"
    )]
    AskOverride { task: String },
    #[message(en = "your answer", zh = "你的回答")]
    YourAnswer,
    #[message(en = "the reason", zh = "原因")]
    TheReason,
    #[message(en = "field value", zh = "字段 值")]
    FieldValue,
    #[message(en = "Done: {what}, {task}", zh = "已完成：{what}，{task}")]
    Done { what: String, task: String },
    #[message(
        en = "Another attempt of {task}? Its result and what was said of it count no more.",
        zh = "让 {task} 再尝试一次？现有结果及其审阅结论将不再有效。"
    )]
    ConfirmResume { task: String },
    #[message(
        en = "{task} was given this order before: {what}",
        zh = "{task} 此前已收到此指令：{what}"
    )]
    Repeated { what: String, task: String },
    #[message(en = "{said} ({project})", zh = "{said}（{project}）")]
    InProject { said: String, project: String },
    #[message(
        en = "This is about another project. This bot reads for {project}, and nothing was ordered: answer it with provost in that project.",
        zh = "这属于另一个项目。该机器人只为 {project} 读取消息，未下达任何指令：请在那个项目中用 provost 处理。"
    )]
    OtherProject { project: String },
    #[message(en = "Open", zh = "打开")]
    Open,
    #[message(en = "Answered, and no attempt was told yet", zh = "已回答，尚未转达")]
    AnswerWaits,
    #[message(en = "{what}: {task} goes on", zh = "{what}：{task} 继续运行")]
    Started { what: String, task: String },
    #[message(
        en = "Recorded: {what}, {task}; it takes effect at the next step",
        zh = "已记录：{what}，{task}；将在下一步生效"
    )]
    Recorded { what: String, task: String },
    #[message(
        en = "The answer is on record. {task} does not go on by itself: {why}",
        zh = "回答已记录。{task} 不会自动继续：{why}"
    )]
    Held { task: String, why: String },
    #[message(
        en = "The answer is on record. {task} stays paused until it is resumed:",
        zh = "回答已记录。{task} 在恢复运行之前保持暂停："
    )]
    StaysPaused { task: String },
    #[message(
        en = "In a terminal, `{resume}` goes on; a bot that was started with `{bot}` lets the chat do it.",
        zh = "在终端中运行 `{resume}` 即可继续；用 `{bot}` 启动的机器人可在聊天中继续。",
        arg(bot = "provost bot --unguarded")
    )]
    GoesOnElsewhere { resume: String },
    #[message(
        en = "This button has expired. Send {command} for a new list.",
        zh = "此按钮已过期。请发送 {command} 获取新的列表。",
        arg(command = "/tasks")
    )]
    Expired,
    #[message(
        en = "Unknown command. Send {command}.",
        zh = "未知命令。请发送 {command}。",
        arg(command = "/help")
    )]
    UnknownCommand,
    #[message(en = "Usage: {usage}", zh = "用法：{usage}")]
    Usage { usage: String },
    #[message(
        en = "Usage: {usage}, such as `{command} max_attempts 5` or `{command} budget.usd 10`",
        zh = "用法：{usage}，例如 `{command} max_attempts 5` 或 `{command} budget.usd 10`"
    )]
    UsageOfOverride { usage: String, command: String },
    #[message(
        en = "provost could not do this; the command line says what is wrong",
        zh = "provost 无法完成此操作；命令行会说明原因"
    )]
    Unable,
    #[message(
        en = "provost watches your coding agents. This chat has the id {chat}.",
        zh = "provost 照看你的编程智能体。此聊天的 id 为 {chat}。"
    )]
    Welcome { chat: i64 },
    #[message(en = "list all tasks", zh = "列出所有任务")]
    HelpTasks,
    #[message(en = "the same as {command}", zh = "同 {command}", arg(command = "/tasks"))]
    HelpRdloop,
    #[message(en = "what waits for you", zh = "等你处理的事项")]
    HelpInbox,
    #[message(en = "one task", zh = "查看一个任务")]
    HelpTask,
    #[message(en = "this text", zh = "显示此帮助")]
    HelpHelp,
    #[message(en = "answer a question", zh = "回答问题")]
    HelpAnswer,
    #[message(en = "stop at the next step", zh = "在下一步暂停")]
    HelpPause,
    #[message(en = "go on", zh = "继续运行")]
    HelpResume,
    #[message(en = "take the result", zh = "批准结果")]
    HelpApprove,
    #[message(en = "refuse the result", zh = "拒绝结果")]
    HelpReject,
    #[message(en = "change a field of the task", zh = "修改任务的字段")]
    HelpOverride,
    #[message(
        en = "Orders are switched off. They need {setting} where the bot is started.",
        zh = "指令已关闭。启动机器人时需设置 {setting}。",
        arg(setting = "RDLOOP_ENABLE_WRITES=true")
    )]
    ReadOnly,
    #[message(en = "paths", zh = "路径")]
    FactPaths,
    #[message(en = "secrets", zh = "密钥")]
    FactSecrets,
    #[message(en = "tests", zh = "测试")]
    FactTests,
    #[message(en = "claims", zh = "声明")]
    FactClaims,
    #[message(en = "judge", zh = "评审")]
    FactJudge,
    #[message(en = "person", zh = "人工审阅")]
    FactReview,
    #[message(en = "verified", zh = "已验证")]
    Verified,
    #[message(en = "contradicted", zh = "被推翻")]
    Contradicted,
    #[message(en = "not verified", zh = "未验证")]
    NotVerified,
    #[message(en = "running", zh = "正在验证")]
    Verifying,
    #[message(en = "not asked for", zh = "未要求")]
    NotAsked,
    #[message(en = "stale", zh = "已过时")]
    Stale,
    #[message(en = "waived", zh = "已豁免")]
    Waived,
    #[message(en = "RUNNING", zh = "运行中")]
    StateRunning,
    #[message(en = "PAUSED", zh = "已暂停")]
    StatePaused,
    #[message(en = "READY FOR REVIEW", zh = "待审阅")]
    StateReady,
    #[message(en = "FAILED", zh = "失败")]
    StateFailed,
    #[message(en = "UNKNOWN", zh = "未知")]
    StateUnknown,
}

impl Word {
    pub(crate) fn say(&self, lang: Lang) -> String {
        lang.render(&self.text())
    }
}

/// The symbol and the word of a state; none for one that cannot be trusted.
pub(crate) fn state(state: Option<State>) -> (&'static str, Word) {
    match state {
        Some(State::Running) => ("🟢", Word::StateRunning),
        Some(State::Paused) => ("🟡", Word::StatePaused),
        Some(State::ReadyForReview) => ("✅", Word::StateReady),
        Some(State::Failed) => ("🔴", Word::StateFailed),
        None => ("❓", Word::StateUnknown),
    }
}

pub(crate) fn fact(fact: SealFact) -> Word {
    match fact {
        SealFact::Paths => Word::FactPaths,
        SealFact::Secrets => Word::FactSecrets,
        SealFact::Tests => Word::FactTests,
        SealFact::Claims => Word::FactClaims,
        SealFact::Judge => Word::FactJudge,
        SealFact::Review => Word::FactReview,
    }
}

pub(crate) fn standing(standing: SealStanding) -> (&'static str, Word) {
    match standing {
        SealStanding::Verified => ("✔", Word::Verified),
        SealStanding::Contradicted => ("✘", Word::Contradicted),
        SealStanding::NotVerified => ("○", Word::NotVerified),
        SealStanding::Running => ("…", Word::Verifying),
        SealStanding::NotAsked => ("–", Word::NotAsked),
        SealStanding::Stale => ("↻", Word::Stale),
        SealStanding::Waived => ("~", Word::Waived),
    }
}
