//! Words of the page of one task.

use provost_kernel::Message;

/// Attempts, proof, judge, change, log, and what stands beside them.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum TaskWord {
    #[message(en = "The last command in the background failed:", zh = "上一个后台命令失败：")]
    BackgroundFailed,
    #[message(en = "Attempts", zh = "尝试")]
    Attempts,
    #[message(en = "attempt", zh = "尝试")]
    Attempt,
    #[message(
        en = "{used} of {limit} used; each bar: coder, checks, test, claims, judge",
        zh = "已用 {used}/{limit} 次；每条依次为编码、检查、测试、声明、评审"
    )]
    AttemptsUsed { used: i64, limit: i64 },
    #[message(en = "runs", zh = "运行中")]
    Runs,
    #[message(en = "rejected:", zh = "已拒绝：")]
    RejectedBecause,
    #[message(en = "Proof", zh = "证明")]
    ProofTitle,
    #[message(
        en = "attempt {attempt}, run by provost after the agent was gone",
        zh = "第 {attempt} 次尝试，由 provost 在智能体退出后运行"
    )]
    ProofOf { attempt: i64 },
    #[message(
        en = "attempt {attempt}, commit {tree}, run by provost after the agent was gone",
        zh = "第 {attempt} 次尝试，提交 {tree}，由 provost 在智能体退出后运行"
    )]
    ProofOfTree { attempt: i64, tree: String },
    #[message(en = "the agent", zh = "智能体")]
    TheAgent,
    #[message(en = "the judge", zh = "评审")]
    TheJudge,
    #[message(en = "REPRODUCED", zh = "已复现")]
    LabelReproduced,
    #[message(en = "CONTRADICTED", zh = "不成立")]
    LabelContradicted,
    #[message(en = "STALE", zh = "已过期")]
    LabelStale,
    #[message(en = "WAIVED", zh = "已豁免")]
    LabelWaived,
    #[message(en = "NOT_RUN", zh = "未运行")]
    LabelNotRun,
    #[message(en = "accepted by {actor}:", zh = "由 {actor} 接受：")]
    AcceptedBy { actor: String },
    #[message(en = "Judge", zh = "评审")]
    Judge,
    #[message(en = "Scores with weight and product", zh = "得分、权重与乘积")]
    Scores,
    #[message(en = "of 100", zh = "满分 100")]
    OfHundred,
    #[message(en = "raw", zh = "原始分")]
    Raw,
    #[message(en = "penalty", zh = "扣分")]
    Penalty,
    #[message(en = ", lowered to {decision}", zh = "，降为 {decision}")]
    LoweredTo { decision: String },
    #[message(
        en = "Length is the score, height the weight, so the area is the sum. A lock marks a hard gate: a bar that ends in the hatched part stops the task. The ochre line is a threshold of the task.",
        zh = "长度是得分，高度是权重，面积即总和。锁表示硬性门槛：止于斜线区域的条会使任务停下。赭色线是任务的阈值。"
    )]
    RubricLegend,
    #[message(en = "Change", zh = "改动")]
    Change,
    #[message(
        en = "{files} {files:file|files}, {added} added, {removed} removed; what needs your eye comes first",
        zh = "{files} 个文件，新增 {added} 行，删除 {removed} 行；需要留意的排在前面"
    )]
    ChangeNote { files: i64, added: i64, removed: i64 },
    #[message(en = "binary", zh = "二进制")]
    Binary,
    #[message(en = "This file is binary.", zh = "这是二进制文件。")]
    BinaryFile,
    #[message(en = "seen", zh = "已看")]
    Seen,
    #[message(en = "file", zh = "文件")]
    KeyFile,
    #[message(en = "The rest is not shown here.", zh = "其余部分未在此显示。")]
    DiffCut,
    #[message(en = "{n} of {all} files seen", zh = "已看 {n}/{all} 个文件")]
    FilesSeen { n: i64, all: i64 },
    #[message(
        en = "You have not looked at {n} of {all} {all:file|files}: {files:names}.",
        zh = "{all} 个文件中有 {n} 个尚未查看：{files:names}。"
    )]
    Unseen { n: i64, all: i64, files: Vec<String> },
    #[message(
        en = "The judge's score was on the page, so this label does not count as blind.",
        zh = "页面上显示了评审得分，因此该标注不算盲评。"
    )]
    ScoreShown,
    #[message(en = "The judge's score was hidden from you.", zh = "评审得分对你隐藏。")]
    ScoreHidden,
    #[message(en = "hidden until you decide", zh = "在你决定之前隐藏")]
    Hidden,
    #[message(en = "Hide the score", zh = "隐藏得分")]
    HideScore,
    #[message(en = "Show the score", zh = "显示得分")]
    ShowScore,
    #[message(en = "Log", zh = "日志")]
    Log,
    #[message(en = "Coordinator", zh = "协调")]
    LogCoordinator,
    #[message(en = "Coder", zh = "编码")]
    LogCoder,
    #[message(en = "Test", zh = "测试")]
    LogTest,
    #[message(en = "Judge", zh = "评审")]
    LogJudge,
    #[message(en = "Prepare", zh = "准备")]
    LogPrepare,
    #[message(en = "Errors", zh = "错误输出")]
    LogStderr,
    #[message(en = "Nothing was written here.", zh = "此处没有内容。")]
    LogEmpty,
    #[message(en = "To the end", zh = "跳到末尾")]
    LogJump,
    #[message(en = "Decision", zh = "决定")]
    Decision,
    #[message(
        en = "row {n} of {all}; the first that matches decides",
        zh = "第 {n} 行，共 {all} 行；第一条匹配的规则决定"
    )]
    DecisionRow { n: i64, all: i64 },
    #[message(
        en = "Not decided yet. The table is asked after the judge.",
        zh = "尚未决定。评审之后才查表。"
    )]
    DecisionNone,
    #[message(en = "Budget", zh = "预算")]
    Budget,
    #[message(en = "spent", zh = "已花费")]
    Spent,
    #[message(en = "time", zh = "用时")]
    Time,
    #[message(en = "tokens", zh = "令牌数")]
    Tokens,
    #[message(en = "{value} of {limit}", zh = "{value}/{limit}")]
    OfLimit { value: String, limit: String },
    #[message(en = "not reported", zh = "未报告")]
    Unknown,
    #[message(en = "Land", zh = "合入")]
    Land,
    #[message(en = "onto", zh = "合入到")]
    LandBranch,
    #[message(
        en = "{n} {n:commit|commits} behind; if it moves, all of it is proven again",
        zh = "落后 {n} 个提交；若分支移动，将全部重新证明"
    )]
    LandBehind { n: i64 },
    #[message(en = "landed as", zh = "合入为")]
    LandCommit,
    #[message(en = "taken back", zh = "已撤回")]
    LandUndone,
    #[message(en = "Overrides", zh = "覆盖设置")]
    Overrides,
    #[message(en = "holds now", zh = "当前生效")]
    OverrideNow,
    #[message(en = "none: the task says it", zh = "无：以任务为准")]
    OverrideNone,
    #[message(en = "back to version {version}", zh = "回到第 {version} 版")]
    OverrideBack { version: i64 },
    #[message(en = "Task", zh = "任务")]
    Task,
    #[message(en = "base", zh = "基线")]
    SpecBase,
    #[message(en = "test", zh = "测试")]
    SpecTest,
    #[message(en = "coder", zh = "编码")]
    SpecCoder,
    #[message(en = "judge", zh = "评审")]
    SpecJudge,
    #[message(en = "may change", zh = "可改动")]
    SpecAllowed,
    #[message(en = "plan", zh = "计划")]
    SpecStory,
    #[message(en = "done when", zh = "完成标准")]
    SpecAcceptance,
    #[message(en = "none", zh = "无")]
    SpecNone,
    #[message(en = "Orders", zh = "指令")]
    Orders,
    #[message(en = "not yet in effect", zh = "尚未生效")]
    OrderPending,
    #[message(en = "refused", zh = "已拒绝")]
    OrderRefused,
    #[message(en = "since", zh = "自")]
    Since,
    #[message(en = "What was run", zh = "运行结果")]
    WhatWasRun,
    #[message(
        en = "Somebody changed the state of this task outside provost.",
        zh = "此任务的状态被 provost 以外的程序改动。"
    )]
    AlteredState,
    #[message(en = "yes", zh = "是")]
    Yes,
    #[message(en = "no", zh = "否")]
    No,
    #[message(en = "test", zh = "测试")]
    CornerTest,
    #[message(en = "as delivered", zh = "按交付运行")]
    CornerPlain,
    #[message(en = "as delivered, each test recorded", zh = "按交付运行，逐项记录")]
    CornerResult,
    #[message(en = "the base", zh = "基线")]
    CornerBase,
    #[message(en = "with the tests of the base", zh = "配合基线的测试")]
    CornerOldTests,
    #[message(en = "the base with the new tests", zh = "基线配合新的测试")]
    CornerOldProduct,
    #[message(en = "with tests that must fail", zh = "加入必须失败的测试")]
    CornerPlanted,
    #[message(en = "with the same tests in other words", zh = "换一种写法的同样测试")]
    CornerReworded,
    #[message(en = "with one file of the base, must fail", zh = "换回一个基线文件，必须失败")]
    CornerReverted,
    #[message(
        en = "with one error in a changed line, must fail",
        zh = "在改动行中加入一处错误，必须失败"
    )]
    CornerMutated,
}
