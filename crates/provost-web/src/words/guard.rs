//! Words of the view Guard.

use provost_kernel::Message;

#[derive(Debug, Message)]
#[message(code = "page")]
#[expect(dead_code, reason = "the page names them, not this program")]
enum Word {
    #[message(
        en = "The guard refused {n} of {all} tool {all:call|calls}",
        zh = "守卫在 {all} 次工具调用中拒绝了 {n} 次"
    )]
    GuardRefused { n: String, all: i64 },
    #[message(
        en = " in seven days, and asked you {n} {n:time|times}.",
        zh = "（七天内），并向你询问 {n} 次。"
    )]
    GuardAsked { n: i64 },
    #[message(en = "The guard has ruled on nothing yet.", zh = "守卫尚未裁定任何调用。")]
    GuardNone,
    #[message(
        en = "Proven alive at {time}: what must be refused was refused. Program, configuration and policy are unchanged since.",
        zh = "{time} 验证有效：该拒绝的都被拒绝。此后程序、配置与策略均未改变。"
    )]
    GuardProven { time: String },
    #[message(
        en = "Not proven: no client has a test that still counts.",
        zh = "未经验证：没有任何客户端的测试仍然有效。"
    )]
    GuardUnproven,
    #[message(en = "Not allowed", zh = "未放行")]
    GuardPickStopped,
    #[message(en = "Passed", zh = "已放行")]
    GuardPickPassed,
    #[message(en = "Waits to be permitted", zh = "等待允许")]
    GuardWaits,
    #[message(en = "only in a terminal of your own", zh = "只能在你自己的终端中允许")]
    GuardTerminal,
    #[message(en = "taken back in a terminal of your own", zh = "在你自己的终端中收回")]
    GuardTakenBack,
    #[message(
        en = "A permission is for this call and for one time; with `--session` until its session ends, with `--rule` for good.",
        zh = "许可仅针对该调用，且只生效一次；加 `--session` 则在其会话内有效，加 `--rule` 则长期有效。"
    )]
    GuardLonger,
    #[message(en = "until", zh = "有效至")]
    GuardUntil,
    #[message(en = "outside every project home", zh = "不属于任何项目主目录")]
    GuardNoProject,
    #[message(en = "Permitted", zh = "已允许")]
    GuardPermitted,
    #[message(en = "once", zh = "一次")]
    GuardScopeOnce,
    #[message(en = "for its session", zh = "在其会话内")]
    GuardScopeSession,
    #[message(en = "no questions", zh = "暂停询问")]
    GuardSnoozed,
    #[message(en = "trusted path", zh = "信任的路径")]
    GuardTrusted,
    #[message(en = "permitted {scope}: `{code}`", zh = "已允许（{scope}）：`{code}`")]
    GuardByCode { scope: String, code: String },
    #[message(en = "passed while questions were snoozed", zh = "在暂停询问期间放行")]
    GuardBySnooze,
    #[message(en = "waits to be permitted: `{code}`", zh = "等待允许：`{code}`")]
    GuardOpenCode { code: String },
    #[message(en = "Policy", zh = "策略")]
    GuardPolicy,
    #[message(en = "level", zh = "级别")]
    GuardLevel,
    #[message(en = "on", zh = "开启")]
    GuardOn,
    #[message(en = "off, recorded only", zh = "关闭，仅记录")]
    GuardOff,
    #[message(en = "rules of your own", zh = "你的规则")]
    GuardOwnRules,
    #[message(en = "rules of the repository", zh = "仓库的规则")]
    GuardTheirRules,
    #[message(
        en = "Nothing waits to be permitted, and nothing is.",
        zh = "没有等待允许的调用，也没有生效的许可。"
    )]
    GuardNothingOpen,
    #[message(en = "Rulings", zh = "裁定")]
    GuardRulings,
    #[message(en = "when", zh = "时间")]
    GuardWhen,
    #[message(en = "effect", zh = "结果")]
    GuardEffect,
    #[message(en = "the part that decided", zh = "起决定作用的部分")]
    GuardPart,
    #[message(en = "rule", zh = "规则")]
    GuardRule,
    #[message(en = "client, tool", zh = "客户端、工具")]
    GuardClient,
    #[message(en = "denied", zh = "拒绝")]
    EffectRefused,
    #[message(en = "asked", zh = "询问")]
    EffectAsked,
    #[message(en = "could not be blocked", zh = "无法拦下")]
    EffectUnblockable,
    #[message(en = "passed", zh = "放行")]
    EffectPassed,
    #[message(en = "denied", zh = "拒绝")]
    EffectDeny,
    #[message(en = "a person decides", zh = "由人决定")]
    EffectAsk,
    #[message(en = "allowed and recorded", zh = "放行并记录")]
    EffectRecord,
    #[message(en = "allowed", zh = "放行")]
    EffectAllow,
    #[message(en = "the payload was refused", zh = "输入被拒绝")]
    GuardPayload,
    #[message(en = "No ruling of this kind.", zh = "没有此类裁定。")]
    GuardNoneOfKind,
    #[message(en = "Older", zh = "更早")]
    Older,
    #[message(en = "Ask the guard", zh = "询问守卫")]
    GuardAskIt,
    #[message(en = "nothing is run", zh = "不会运行任何内容")]
    GuardNothingRun,
    #[message(en = "Command", zh = "命令")]
    GuardCommand,
    #[message(en = "Explain", zh = "说明")]
    GuardExplain,
    #[message(en = "by", zh = "依据")]
    GuardBy,
    #[message(en = "Instead:", zh = "建议：")]
    GuardInstead,
    #[message(en = "Installed", zh = "已安装")]
    GuardInstalled,
    #[message(en = "not installed", zh = "未安装")]
    GuardNotInstalled,
    #[message(en = "tested {time}", zh = "{time} 测试")]
    GuardTested { time: String },
    #[message(en = "tested {time}, with the client itself", zh = "{time} 用客户端本身测试")]
    GuardTestedLive { time: String },
    #[message(en = "something changed since its test", zh = "测试之后有改动")]
    GuardStale,
    #[message(en = "{n} {n:check|checks} did not pass", zh = "有 {n} 项检查未通过")]
    GuardFailed { n: i64 },
    #[message(en = "never tested", zh = "从未测试")]
    GuardNever,
    #[message(en = "{client} leaves open:", zh = "{client} 未能保证：")]
    GuardOpen { client: String },
    #[message(en = "By rule, seven days", zh = "按规则，七天内")]
    GuardByRule,
    #[message(en = "Nothing was refused or asked.", zh = "没有拒绝，也没有询问。")]
    GuardNoRules,
    #[message(
        en = "Counted from {time} on: the chain is long.",
        zh = "自 {time} 起计数：审计链较长。"
    )]
    GuardCounted { time: String },
    #[message(en = "Sessions", zh = "会话")]
    GuardSessions,
    #[message(en = "in seven days", zh = "七天内")]
    GuardWeek,
    #[message(
        en = "The guard sits in the hooks of a client and rules on every tool call. Each ruling is an entry of the audit chain.",
        zh = "守卫安装在客户端的钩子中，对每次工具调用作出裁定。每次裁定都是审计链中的一条。"
    )]
    GuardEmptyDetail,
}
