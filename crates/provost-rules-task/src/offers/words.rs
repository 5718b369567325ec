//! What offers are called, and what they are for.

use provost_kernel::Message;

/// What an order is called on a button.
#[derive(Debug, Message)]
#[message(code = "task.offer")]
pub(super) enum Label {
    #[message(en = "Approve", zh = "批准")]
    Approve,
    #[message(en = "Reject", zh = "拒绝")]
    Reject,
    #[message(en = "Answer", zh = "答复")]
    Answer,
    #[message(en = "Tell the agent", zh = "告诉智能体")]
    Tell,
    #[message(en = "Pause", zh = "暂停")]
    Pause,
    #[message(en = "Stop now", zh = "立即停止")]
    PauseNow,
    #[message(en = "Go on", zh = "继续")]
    Resume,
    #[message(en = "Start over", zh = "重新开始")]
    Reset,
    #[message(en = "Run an attempt again", zh = "重跑一次尝试")]
    Rerun,
    #[message(en = "Judge again", zh = "重新评审")]
    Rejudge,
    #[message(en = "Instruct", zh = "下达指示")]
    Edit,
    #[message(en = "Change the limit of attempts", zh = "更改尝试次数上限")]
    Override,
    #[message(en = "Allow one more attempt", zh = "再允许一次尝试")]
    MoreAttempts,
    #[message(en = "Allow a file", zh = "允许文件")]
    AllowPath,
    #[message(en = "Permit files", zh = "解除禁止")]
    PermitPath,
    #[message(en = "Use another agent", zh = "换用智能体")]
    OtherAgent,
    #[message(en = "Allow more time", zh = "允许更多时间")]
    MoreTime,
    #[message(en = "Correct the test command", zh = "更正测试命令")]
    CorrectTest,
    #[message(en = "Change the way of scoring", zh = "更改评分模式")]
    ScoringMode,
    #[message(en = "Raise the budget", zh = "提高预算")]
    RaiseBudget,
    #[message(en = "Change the task", zh = "更改任务")]
    Set,
    #[message(en = "Take the last change back", zh = "撤销上次更改")]
    Rollback,
    #[message(en = "Accept `{finding}`", zh = "接受 `{finding}`")]
    Accept { finding: String },
    #[message(en = "Begin", zh = "开始")]
    Run,
    #[message(en = "Land", zh = "合入")]
    Land,
    #[message(en = "Undo the landing", zh = "撤销合入")]
    UndoLand,
}

/// What a field is called.
#[derive(Debug, Message)]
#[message(code = "task.offer_field")]
pub(super) enum FieldLabel {
    #[message(en = "Why", zh = "理由")]
    Because,
    #[message(en = "Your answer", zh = "你的答复")]
    Answer,
    #[message(en = "What the agent should know", zh = "要告诉智能体的内容")]
    Tell,
    #[message(en = "What the next attempt should do", zh = "下一次尝试应做什么")]
    Instruction,
    #[message(en = "Attempt", zh = "尝试")]
    Attempt,
    #[message(en = "Attempts allowed", zh = "允许的尝试次数")]
    MaxAttempts,
    #[message(en = "Version to go back to", zh = "回到哪个版本")]
    Version,
    #[message(en = "Branch", zh = "分支")]
    Branch,
    #[message(en = "File or folder", zh = "文件或文件夹")]
    Path,
    #[message(en = "Glob", zh = "通配模式")]
    Glob,
    #[message(en = "Agent", zh = "智能体")]
    Agent,
    #[message(en = "Seconds", zh = "秒")]
    Seconds,
    #[message(en = "Command", zh = "命令")]
    Command,
    #[message(en = "Dollars", zh = "美元")]
    Dollars,
    #[message(en = "Tokens", zh = "词元")]
    Tokens,
    #[message(en = "Field", zh = "字段")]
    Key,
    #[message(en = "Value", zh = "值")]
    Value,
}

/// What a command is for.
#[derive(Debug, Message)]
#[message(code = "task.next")]
pub(super) enum Why {
    #[message(en = "continue", zh = "继续")]
    Continue,
    #[message(en = "begin now", zh = "立即开始")]
    Begin,
    #[message(en = "let everything go on that waits", zh = "运行所有等待中的任务")]
    BeginAll,
    #[message(en = "see why", zh = "查看原因")]
    Explain,
    #[message(en = "watch it", zh = "跟踪事件")]
    Watch,
    #[message(en = "stop at the next checkpoint", zh = "在下一检查点暂停")]
    Pause,
    #[message(en = "accept the result", zh = "批准结果")]
    Approve,
    #[message(en = "put it onto its branch", zh = "合入其分支")]
    Land,
    #[message(en = "put it onto its branch again", zh = "重新合入其分支")]
    LandAgain,
    #[message(en = "see what became of it", zh = "确认合入结果")]
    FinishLanding,
    #[message(en = "take it back, by a new commit", zh = "以新提交撤销")]
    UndoLand,
    #[message(en = "try again, with your reason", zh = "按你的理由再试一次")]
    TryAgain,
    #[message(en = "answer the question", zh = "回答问题")]
    Answer,
    #[message(en = "instruct the next attempt", zh = "说明下一次尝试应做什么")]
    Edit,
    #[message(en = "allow one more attempt", zh = "再允许一次尝试")]
    MoreAttempts,
    #[message(en = "count the attempts from 1 again", zh = "重新计算尝试次数")]
    Reset,
    #[message(en = "allow this file", zh = "允许该文件")]
    AllowPath,
    #[message(en = "no longer forbid these files", zh = "不再禁止这些文件")]
    PermitPath,
    #[message(en = "use another agent", zh = "换用另一个智能体")]
    OtherAgent,
    #[message(en = "allow more time", zh = "允许更多时间")]
    MoreTime,
    #[message(en = "correct the test command", zh = "更正测试命令")]
    CorrectTest,
    #[message(en = "use this way of scoring", zh = "改用此评分模式")]
    ScoringMode,
    #[message(en = "raise the budget", zh = "提高预算")]
    RaiseBudget,
    #[message(en = "see what the agent printed", zh = "查看智能体的输出")]
    AgentOutput,
    #[message(en = "see what the installation printed", zh = "查看安装的输出")]
    PrepareOutput,
    #[message(en = "see what the test printed", zh = "查看测试的输出")]
    TestOutput,
    #[message(en = "try again, with your instruction", zh = "按你的指示再试一次")]
    FollowInstruction,
    #[message(en = "put it onto a branch of its own", zh = "合入一个新分支")]
    LandOnBranch,
    #[message(en = "judge the same result again", zh = "重新评审同一结果")]
    Rejudge,
    #[message(en = "take the edit back", zh = "撤销修改")]
    Rollback,
    #[message(en = "run it as edited", zh = "按修改后的任务重新运行")]
    RunEdited,
    #[message(en = "accept what was found, with a reason", zh = "接受该发现并说明理由")]
    Accept,
    #[message(en = "reject the result, with a reason", zh = "拒绝结果并说明理由")]
    Reject,
    #[message(en = "tell the next attempt something", zh = "向下一次尝试补充说明")]
    Tell,
    #[message(en = "end the step that runs", zh = "结束正在运行的步骤")]
    PauseNow,
    #[message(
        en = "run the prompt of an earlier attempt again",
        zh = "用较早一次尝试的提示再运行一次"
    )]
    Rerun,
    #[message(en = "change how many attempts it may have", zh = "更改允许的尝试次数")]
    Override,
    #[message(en = "change what the task says", zh = "更改任务的内容")]
    Set,
}
