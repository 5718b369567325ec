//! Words around orders: confirmations, outcomes, evidence.

use provost_kernel::Message;

/// What asks before something is done, and what is said about it.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum OrderWord {
    #[message(
        en = "{order}: attempt {attempt} of {task}?",
        zh = "{order}：{task} 的第 {attempt} 次尝试？"
    )]
    ConfirmAttempt { order: String, attempt: i64, task: String },
    #[message(en = "{order}: {task}?", zh = "{order}：{task}？")]
    ConfirmTask { order: String, task: String },
    #[message(en = "It is about commit", zh = "对应提交")]
    AboutCommit,
    #[message(en = "Not yet", zh = "暂不")]
    NotYet,
    #[message(en = "{n} of {max}", zh = "{n}/{max}")]
    OfChars { n: String, max: String },
    #[message(en = "optional", zh = "可选")]
    Optional,
    #[message(en = "{task}: {order} was taken", zh = "{task}：{order} 已接收")]
    OrderTaken { order: String, task: String },
    #[message(en = "{task}: {order} is done", zh = "{task}：{order} 已完成")]
    OrderDone { order: String, task: String },
    #[message(
        en = "The answer is on record. The task does not go on:",
        zh = "回答已记录，但任务没有继续："
    )]
    AnswerHeld,
    #[message(en = "Not taken.", zh = "未接受。")]
    NotTaken,
    #[message(en = "Your text is still in its box.", zh = "你的文字仍在输入框中。")]
    TextKept,
    #[message(en = "The result changed while you looked.", zh = "你查看期间，结果已更新。")]
    Moved,
    #[message(
        en = "You saw attempt {attempt} as it was before. Nothing was done.",
        zh = "你看到的是之前的第 {attempt} 次尝试。未执行任何操作。"
    )]
    MovedSeen { attempt: i64 },
    #[message(en = "Show the newer result", zh = "显示最新结果")]
    ShowNewer,
    #[message(en = "In a terminal:", zh = "在终端中输入：")]
    InATerminal,
    #[message(en = "Your answer, in your own words", zh = "用你自己的话回答")]
    YourAnswer,
    #[message(en = "exit {code}", zh = "退出码 {code}")]
    Exit { code: i64 },
    #[message(en = "on the base: exit {code}", zh = "基线上退出码 {code}")]
    ExitOnBase { code: i64 },
    #[message(en = "clean checkout of {tree}", zh = "{tree} 的干净检出")]
    CleanCheckout { tree: String },
    #[message(en = "network on", zh = "网络开启")]
    NetworkOn,
    #[message(en = "network off", zh = "网络关闭")]
    NetworkOff,
    #[message(en = "whole output", zh = "完整输出")]
    WholeOutput,
    #[message(en = "Output of {command}", zh = "{command} 的输出")]
    OutputOf { command: String },
}
