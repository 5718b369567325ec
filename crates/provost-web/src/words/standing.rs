//! What the seals, groups and steps are called.

use provost_kernel::Message;

/// Facts, their standings, groups of tasks, steps of an attempt.
#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
pub(crate) enum StandingWord {
    #[message(en = "proof", zh = "证明")]
    Proof,
    #[message(en = "{fact} {standing}", zh = "{fact}：{standing}")]
    SealName { fact: String, standing: String },
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
    #[message(en = "review", zh = "审阅")]
    FactReview,
    #[message(en = "verified", zh = "已验证")]
    StandingVerified,
    #[message(en = "contradicted", zh = "不成立")]
    StandingContradicted,
    #[message(en = "not verified", zh = "未验证")]
    StandingNotVerified,
    #[message(en = "running", zh = "运行中")]
    StandingRunning,
    #[message(en = "not asked", zh = "未要求")]
    StandingNotAsked,
    #[message(en = "stale", zh = "已过期")]
    StandingStale,
    #[message(en = "waived", zh = "已豁免")]
    StandingWaived,
    #[message(en = "Waits for you", zh = "等你处理")]
    GroupWaits,
    #[message(en = "Runs", zh = "正在运行")]
    GroupRuns,
    #[message(en = "Proven", zh = "已证明")]
    GroupProven,
    #[message(en = "Approved, not all of it proven", zh = "已批准，但未全部证明")]
    GroupUnproven,
    #[message(en = "Closed", zh = "已关闭")]
    GroupClosed,
    #[message(en = "All", zh = "全部")]
    PickAll,
    #[message(en = "Waits", zh = "等待")]
    PickWaits,
    #[message(en = "Runs", zh = "运行")]
    PickRuns,
    #[message(en = "Proven", zh = "已证明")]
    PickProven,
    #[message(en = "Not all proven", zh = "未全部证明")]
    PickUnproven,
    #[message(en = "Closed", zh = "已关闭")]
    PickClosed,
    #[message(en = "Preparing", zh = "正在准备")]
    RunsPrepare,
    #[message(en = "Base is tested", zh = "正在测试基线")]
    RunsBase,
    #[message(en = "Coder works", zh = "编码进行中")]
    RunsCoder,
    #[message(en = "Change is checked", zh = "正在检查改动")]
    RunsPolicy,
    #[message(en = "Test runs", zh = "测试进行中")]
    RunsTest,
    #[message(en = "Proof runs", zh = "证明进行中")]
    RunsProof,
    #[message(en = "Claims are run", zh = "正在验证声明")]
    RunsClaims,
    #[message(en = "Judge reads", zh = "评审进行中")]
    RunsJudge,
    #[message(en = "Landing", zh = "正在合入")]
    RunsLanding,
    #[message(en = "prepare", zh = "准备")]
    StepPrepare,
    #[message(en = "base", zh = "基线")]
    StepBase,
    #[message(en = "coder", zh = "编码")]
    StepCoder,
    #[message(en = "policy", zh = "检查")]
    StepPolicy,
    #[message(en = "test", zh = "测试")]
    StepTest,
    #[message(en = "proof", zh = "证明")]
    StepProof,
    #[message(en = "claims", zh = "声明")]
    StepClaims,
    #[message(en = "judge", zh = "评审")]
    StepJudge,
    #[message(en = "landing", zh = "合入")]
    StepLanding,
    #[message(en = "{n}s", zh = "{n} 秒")]
    AgeSeconds { n: i64 },
    #[message(en = "{n}m", zh = "{n} 分钟")]
    AgeMinutes { n: i64 },
    #[message(en = "{n}h", zh = "{n} 小时")]
    AgeHours { n: i64 },
    #[message(en = "{n}d", zh = "{n} 天")]
    AgeDays { n: i64 },
    #[message(en = "{n} s", zh = "{n} 秒")]
    Seconds { n: String },
    #[message(en = "{time} of {limit}", zh = "{time}/{limit}")]
    TimeOf { time: String, limit: String },
    #[message(en = ", ", zh = "，")]
    Comma,
    #[message(en = ".", zh = "。")]
    Stop,
}
