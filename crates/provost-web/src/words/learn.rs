//! Words of the view Learning.

use provost_kernel::Message;

#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
enum Word {
    #[message(
        en = "The judge agrees with you in {n} of {all} {all:review|reviews}.",
        zh = "{all} 次审阅中，评审与你一致 {n} 次。"
    )]
    LearnAgrees { n: i64, all: i64 },
    #[message(
        en = "Its errors are mostly passes that you rejected.",
        zh = "其错误多为放行了你拒绝的结果。"
    )]
    LearnFalsePasses,
    #[message(
        en = "Its errors are mostly failures that you approved.",
        zh = "其错误多为拦下了你批准的结果。"
    )]
    LearnFalseFails,
    #[message(en = "{count} {n:rule is|rules are} in force.", zh = "{count}{n:|}条规则生效中。")]
    LearnRules { count: String, n: i64 },
    #[message(en = "Nothing learned is in force.", zh = "没有学到的规则生效。")]
    LearnNoRules,
    #[message(
        en = "Mission {mission}, step {step} in force. What is learned is text that you can read and take back.",
        zh = "目标 {mission}，第 {step} 步生效中。学到的内容都是可以查看和撤回的文字。"
    )]
    LearnSub { mission: String, step: i64 },
    #[message(
        en = "Mission {mission}. What is learned is text that you can read and take back.",
        zh = "目标 {mission}。学到的内容都是可以查看和撤回的文字。"
    )]
    LearnSubNone { mission: String },
    #[message(en = "Missions", zh = "学习目标")]
    LearnMissions,
    #[message(en = "Rules", zh = "规则")]
    LearnRulesTitle,
    #[message(en = "in force, each with its evidence", zh = "生效中，各附依据")]
    LearnRulesNote,
    #[message(en = "of the newest run, not in force", zh = "来自最近一次运行，尚未生效")]
    LearnRulesOfRun,
    #[message(en = "scaffold", zh = "固定")]
    LearnFixed,
    #[message(
        en = "part of provost: nothing that is learned can change it",
        zh = "属于系统本身，学习不能改变它"
    )]
    LearnFixedNote,
    #[message(en = "supported by", zh = "依据")]
    LearnSupport,
    #[message(en = "written by reflection {id}", zh = "由反思 {id} 写成")]
    LearnWritten { id: String },
    #[message(en = "epoch {epoch}, cycle {cycle}", zh = "第 {epoch} 轮，第 {cycle} 次反思")]
    LearnEpochCycle { epoch: i64, cycle: i64 },
    #[message(
        en = "{hits} {hits:hit|hits}, {misses} {misses:miss|misses}",
        zh = "命中 {hits} 次，失误 {misses} 次"
    )]
    LearnHits { hits: i64, misses: i64 },
    #[message(en = "confidence {value}", zh = "置信度 {value}")]
    LearnConfidence { value: String },
    #[message(en = "The gate", zh = "门禁")]
    LearnGate,
    #[message(
        en = "decision {n}, measured on {tickets} {tickets:case|cases} that were not learned from",
        zh = "第 {n} 次决定，用 {tickets} 个未参与学习的案例测量"
    )]
    LearnGateNote { n: i64, tickets: i64 },
    #[message(
        en = "{wins} {wins:win|wins}, {losses} {losses:loss|losses}; false passes {before} → {after}.",
        zh = "胜 {wins}，负 {losses}；误放行 {before} → {after}。"
    )]
    LearnGateSays { wins: i64, losses: i64, before: i64, after: i64 },
    #[message(en = "Accepted.", zh = "已接受。")]
    LearnAccepted,
    #[message(en = "Refused.", zh = "已拒绝。")]
    LearnRefused,
    #[message(
        en = "If the change were worth nothing, it would get this far with a chance of at most {alpha} %.",
        zh = "若此改动毫无价值，达到这一结果的概率不超过 {alpha}%。"
    )]
    LearnChance { alpha: String },
    #[message(en = "e-value {value}", zh = "证据值 {value}")]
    LearnEValue { value: String },
    #[message(en = "bound {value}", zh = "界限 {value}")]
    LearnBound { value: String },
    #[message(
        en = "The evidence is {value}; it has to reach {bound}.",
        zh = "证据为 {value}，须达到 {bound}。"
    )]
    LearnGateChart { value: String, bound: String },
    #[message(en = "too few wins", zh = "胜出不足")]
    RefusalTooFewWins,
    #[message(en = "chance explains it", zh = "偶然即可解释")]
    RefusalWeakEvidence,
    #[message(en = "it loses more than it wins", zh = "负多胜少")]
    RefusalWorse,
    #[message(en = "more false passes", zh = "误放行增多")]
    RefusalMoreFalsePasses,
    #[message(en = "No rule was measured yet.", zh = "还没有测量过规则。")]
    LearnNoGate,
    #[message(
        en = "{labels} {labels:label|labels}; {counted} {counted:counts|count} for the rules that are younger",
        zh = "{labels} 个标签，其中 {counted} 个对之后提出的规则计入"
    )]
    LearnLabels { labels: i64, counted: i64 },
    #[message(
        en = "{wins} {wins:win|wins}, {losses} {losses:loss|losses}.",
        zh = "胜 {wins}，负 {losses}。"
    )]
    LearnAccount { wins: i64, losses: i64 },
    #[message(
        en = "Proven by {n} more {n:win|wins} without a loss.",
        zh = "再胜 {n} 次而无负即得到证明。"
    )]
    LearnWinsToProof { n: i64 },
    #[message(en = "remove:", zh = "移除：")]
    LearnRemoval,
    #[message(en = "proposed", zh = "已提议")]
    StandingProposed,
    #[message(en = "shadow", zh = "影子")]
    StandingShadow,
    #[message(en = "offered", zh = "可采纳")]
    StandingOffered,
    #[message(en = "in force, measured", zh = "生效中，经测量")]
    StandingMeasured,
    #[message(en = "in force, adopted without measurement", zh = "生效中，未经测量而采纳")]
    StandingAdopted,
    #[message(en = "retired", zh = "已退役")]
    StandingRetired,
    #[message(en = "decision", zh = "决定")]
    LearnColDecision,
    #[message(en = "change", zh = "改动")]
    LearnColChange,
    #[message(en = "wins, losses", zh = "胜负")]
    LearnColWins,
    #[message(en = "e-value", zh = "证据值")]
    LearnColEvidence,
    #[message(en = "bound", zh = "界限")]
    LearnColBound,
    #[message(en = "outcome", zh = "结果")]
    LearnColOutcome,
    #[message(en = "Waits for you", zh = "等你处理")]
    LearnQueue,
    #[message(
        en = "what nothing could be learned from, and what lacks support",
        zh = "无从学习的案例，以及依据不足的假设"
    )]
    LearnQueueNote,
    #[message(en = "Nothing waits.", zh = "没有待处理项。")]
    LearnQueueEmpty,
    #[message(en = "Resolve…", zh = "处理…")]
    LearnResolve,
    #[message(en = "Resolve {key}", zh = "处理 {key}")]
    LearnResolveTitle { key: String },
    #[message(en = "The newest word on a ticket counts.", zh = "以最后一次说明为准。")]
    LearnResolveWhy,
    #[message(en = "the label is wrong", zh = "标签有误")]
    ResolutionLabelWrong,
    #[message(en = "the evidence is missing", zh = "缺少依据")]
    ResolutionEvidenceMissing,
    #[message(en = "the rules have a gap", zh = "规则有缺口")]
    ResolutionRuleGap,
    #[message(en = "out of scope", zh = "超出范围")]
    ResolutionOutOfScope,
    #[message(en = "left out of later runs", zh = "以后的运行不再使用")]
    LearnLeftOut,
    #[message(en = "later runs still use it", zh = "以后的运行仍会使用")]
    LearnStillUsed,
    #[message(en = "Resolve", zh = "处理")]
    LearnResolveDo,
    #[message(en = "resolved:", zh = "已处理：")]
    LearnResolved,
    #[message(
        en = "hypothesis: {cycles} {cycles:cycle|cycles}, {tickets} {tickets:case|cases}",
        zh = "假设：{cycles} 次反思，{tickets} 个案例"
    )]
    LearnHypothesis { cycles: i64, tickets: i64 },
    #[message(en = "candidate", zh = "候选")]
    HypothesisCandidate,
    #[message(en = "measured", zh = "测量中")]
    HypothesisShadow,
    #[message(en = "promoted", zh = "已晋升")]
    HypothesisPromoted,
    #[message(en = "rejected", zh = "已否决")]
    HypothesisRejected,
    #[message(en = "retired", zh = "已退役")]
    HypothesisRetired,
    #[message(en = "Judge and people", zh = "评审与人")]
    LearnQuad,
    #[message(en = "you approved", zh = "你批准")]
    LearnYouApproved,
    #[message(en = "you rejected", zh = "你拒绝")]
    LearnYouRejected,
    #[message(en = "judge passes", zh = "评审通过")]
    LearnJudgePass,
    #[message(en = "judge fails", zh = "评审不通过")]
    LearnJudgeFail,
    #[message(en = "agree", zh = "一致")]
    LearnAgree,
    #[message(en = "false pass", zh = "误放行")]
    LearnFalsePass,
    #[message(en = "false fail", zh = "误拦截")]
    LearnFalseFail,
    #[message(en = "true passes", zh = "应过而过")]
    LearnTruePasses,
    #[message(en = "true fails", zh = "应拦而拦")]
    LearnTrueFails,
    #[message(en = "agreement", zh = "一致率")]
    LearnAccuracy,
    #[message(en = "kappa", zh = "一致系数")]
    LearnKappa,
    #[message(en = "{low} to {high}", zh = "{low} 至 {high}")]
    LearnInterval { low: String, high: String },
    #[message(
        en = "{n} of {all} labelled before the verdict was seen.",
        zh = "{all} 个标签中有 {n} 个在看到裁决之前给出。"
    )]
    LearnBlind { n: i64, all: i64 },
    #[message(
        en = "Of what was judged, you would accept about {share} %.",
        zh = "在评审过的结果中，你大约会接受 {share}%。"
    )]
    LearnAcceptance { share: String },
    #[message(en = "no label comes from a person", zh = "没有人给出的标签")]
    CaveatNoHumanLabels,
    #[message(
        en = "only what the judge passed was reviewed: false fails are unknown",
        zh = "只审阅了评审通过的结果：误拦截情况未知"
    )]
    CaveatOnlyPassesReviewed,
    #[message(
        en = "only what the judge failed was reviewed: false passes are unknown",
        zh = "只审阅了评审不通过的结果：误放行情况未知"
    )]
    CaveatOnlyFailsReviewed,
    #[message(en = "fewer than 30 labels of one kind", zh = "某一类标签少于 30 个")]
    CaveatFewLabels,
    #[message(en = "no label was given blind", zh = "没有盲评的标签")]
    CaveatNoneBlind,
    #[message(en = "the judge is no better than chance", zh = "评审不优于随机")]
    CaveatNotBetterThanChance,
    #[message(en = "Steps", zh = "步骤")]
    LearnSteps,
    #[message(en = "Nothing was put in force yet.", zh = "尚未有内容生效。")]
    LearnNoSteps,
    #[message(en = "in force", zh = "生效")]
    StepAdopt,
    #[message(en = "taken back", zh = "撤回")]
    StepRollback,
    #[message(en = "resolved", zh = "处理")]
    StepResolve,
    #[message(en = "Take back…", zh = "撤回…")]
    LearnBack,
    #[message(
        en = "Go back to an earlier step of {mission}?",
        zh = "让 {mission} 回到先前的步骤？"
    )]
    LearnBackTitle { mission: String },
    #[message(
        en = "The rules of that step are in force again, as a step of their own. Nothing is lost.",
        zh = "该步的规则将作为新的一步重新生效，不会丢失任何内容。"
    )]
    LearnBackWhy,
    #[message(en = "Step", zh = "步骤")]
    LearnStep,
    #[message(en = "Take back", zh = "撤回")]
    LearnBackDo,
    #[message(en = "running", zh = "运行中")]
    RunRunning,
    #[message(en = "unfinished", zh = "未完成")]
    RunUnfinished,
    #[message(en = "finished", zh = "已完成")]
    RunFinished,
    #[message(en = "Runs", zh = "运行")]
    LearnRuns,
    #[message(en = "Nothing is learned here yet.", zh = "这里尚未学到任何内容。")]
    LearnEmpty,
    #[message(
        en = "Each approval and rejection is a label. A mission learns rules from them, and a gate measures each rule before it counts.",
        zh = "每次批准与拒绝都是标签。学习目标由此得出规则，每条规则生效前都由门禁测量。"
    )]
    LearnEmptyDetail,
    #[message(en = "Something cannot be read:", zh = "有内容无法读取：")]
    LearnProblem,
}
