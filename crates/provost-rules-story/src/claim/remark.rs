//! What a verdict says about a claim: messages, each with its rule and severity.

use provost_kernel::{
    Finding, Message, Severity, Text,
    story::{CriterionId, ScopeOutcome},
    task::ProofCode,
};

use super::code;

/// One remark of a verdict.
#[derive(Clone, Copy, Debug, Message)]
#[message(code = "story.verdict")]
pub(super) enum Remark<'a> {
    #[message(
        en = "the worktree changed while it was checked",
        zh = "检查期间工作区发生了变化",
        hint(en = "wait for the answer, then send the update again", zh = "请等待结果后重新提交")
    )]
    Moved,
    #[message(en = "the change is not explained", zh = "改动缺少解释")]
    Unexplained,
    #[message(
        en = "the change differs too much from the declaration",
        zh = "改动与声明相差过大，需要重新评估"
    )]
    Reassess,
    #[message(en = "the change is too large and must be split", zh = "改动过大，必须拆分")]
    Split,
    #[message(en = "the change could not be measured", zh = "无法度量改动")]
    Unverifiable,
    #[message(en = "the evidence for {0} ran no tests", zh = "{0} 的证据没有运行任何测试")]
    NoTests(CriterionId),
    #[message(
        en = "the evidence for {0} printed something other than the claimed output",
        zh = "{0} 的证据输出与声称的不同"
    )]
    OutputDiffers(CriterionId),
    #[message(
        en = "the evidence for {id} exited with {exit}",
        zh = "{id} 的证据以退出码 {exit} 结束"
    )]
    Exited { id: CriterionId, exit: i32 },
    #[message(en = "the evidence for {0} contradicts it", zh = "{0} 的证据不能证明它")]
    Contradicted(CriterionId),
    #[message(
        en = "the evidence for {0} ran on another tree",
        zh = "{0} 的证据是在另一个版本上运行的"
    )]
    Stale(CriterionId),
    #[message(en = "the evidence for {0} was not run", zh = "{0} 的证据没有运行")]
    NotRun(CriterionId),
    #[message(
        en = "the evidence for {id} is {has}, and {need} is needed: {why}",
        zh = "{id} 的证据为 {has}，需要 {need}：{why}",
        hint(
            en = "give a command or a test that fails without the change and passes with it",
            zh = "请提供一个命令或测试：没有此改动时失败，有此改动时通过",
        )
    )]
    Weak { id: CriterionId, has: &'static str, need: &'static str, why: &'a Text },
    #[message(
        en = "the evidence for {0} serves another criterion already",
        zh = "{0} 的证据已用于另一条标准",
        hint(
            en = "name the tests that show it, or give it a command of its own",
            zh = "请指明能够说明它的测试，或为它提供单独的命令",
        )
    )]
    Shared(CriterionId),
    #[message(
        en = "product code changed, and no criterion shows what the change does",
        zh = "产品代码有改动，但没有任何标准说明改动的作用",
        hint(
            en = "give one criterion a test that fails without the change",
            zh = "请为其中一条标准提供没有此改动就会失败的测试",
        )
    )]
    NothingShown,
    #[message(en = "the evidence for {id}: {finding}", zh = "{id} 的证据：{finding}")]
    Proof { id: CriterionId, code: ProofCode, finding: &'a Text },
    #[message(
        en = "no command is configured for `{0}`",
        zh = "没有配置如何运行 `{0}`",
        hint(
            en = "add a table `[[story.gates]]` with `kind = \"{0}\"`, an `id` and a `command` to \
                  `provost.toml`, commit it, and start the plan again",
            zh = "请在 `provost.toml` 中添加含有 `kind = \"{0}\"`、`id` 和 `command` 的 \
                  `[[story.gates]]` 表，提交后重新开始计划",
        )
    )]
    GateNotConfigured(&'a str),
    #[message(en = "`{0}` was not run", zh = "`{0}` 没有运行")]
    GateNotRun(&'a str),
    #[message(
        en = "`{0}` ran on another tree than the one that is judged",
        zh = "`{0}` 运行的不是被裁决的版本"
    )]
    GateOnOtherTree(&'a str),
    #[message(en = "`{name}` failed with exit code {exit}", zh = "`{name}` 失败，退出码 {exit}")]
    GateExited { name: &'a str, exit: i32 },
    #[message(en = "`{0}` failed", zh = "`{0}` 失败")]
    GateFailed(&'a str),
}

impl<'a> Remark<'a> {
    /// The outcome of the scope guard; none where the change is accepted.
    pub(super) fn scope(outcome: ScopeOutcome) -> Option<Self> {
        match outcome {
            ScopeOutcome::Accepted => None,
            ScopeOutcome::Unexplained => Some(Self::Unexplained),
            ScopeOutcome::Reassess => Some(Self::Reassess),
            ScopeOutcome::Split => Some(Self::Split),
            ScopeOutcome::Unverifiable => Some(Self::Unverifiable),
        }
    }

    /// A failed gate, with its exit code where there is one.
    pub(super) fn gate_failed(name: &'a str, exit: Option<i32>) -> Self {
        exit.map_or(Self::GateFailed(name), |exit| Self::GateExited { name, exit })
    }

    /// The finding about this subject.
    pub(super) fn finding(self, subject: &str) -> Finding {
        Finding::new(self.rule(), self.severity(), subject, &self)
    }

    /// The finding about a criterion, with a note in place of a hint.
    pub(super) fn noted(self, id: CriterionId, note: Option<Text>) -> Finding {
        Finding { hint: note, ..self.finding(&id.to_string()) }
    }

    fn rule(self) -> &'static str {
        match self {
            Self::Moved | Self::GateOnOtherTree(_) => code::TREE_CHANGED_DURING_CHECK,
            Self::Unexplained => code::SCOPE_WARN_UNEXPLAINED,
            Self::Reassess => code::REEVALUATION_REQUIRED,
            Self::Split => code::SCOPE_HARD,
            Self::Unverifiable => code::SCOPE_UNVERIFIABLE,
            Self::NoTests(_) | Self::NotRun(_) => code::EVIDENCE_UNVERIFIED,
            Self::OutputDiffers(_) | Self::Exited { .. } | Self::Contradicted(_) => {
                code::EVIDENCE_MISMATCH
            }
            Self::Stale(_) => code::EVIDENCE_STALE,
            Self::Weak { .. } => code::EVIDENCE_WEAK,
            Self::Shared(_) => code::EVIDENCE_SHARED,
            Self::NothingShown => code::NOTHING_SHOWN,
            Self::Proof { code, .. } => code.as_str(),
            Self::GateNotConfigured(_) => code::GATE_NOT_CONFIGURED,
            Self::GateNotRun(_) => code::GATE_NOT_RUN,
            Self::GateExited { .. } | Self::GateFailed(_) => code::GATE_FAILED,
        }
    }

    fn severity(self) -> Severity {
        match self {
            Self::Unexplained | Self::Reassess | Self::Split | Self::Unverifiable => Severity::P0,
            Self::OutputDiffers(_) => Severity::P2,
            Self::Moved
            | Self::NoTests(_)
            | Self::Exited { .. }
            | Self::Contradicted(_)
            | Self::Stale(_)
            | Self::NotRun(_)
            | Self::Weak { .. }
            | Self::Shared(_)
            | Self::NothingShown
            | Self::Proof { .. }
            | Self::GateNotConfigured(_)
            | Self::GateNotRun(_)
            | Self::GateOnOtherTree(_)
            | Self::GateExited { .. }
            | Self::GateFailed(_) => Severity::P1,
        }
    }
}
