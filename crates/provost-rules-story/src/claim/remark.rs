//! What a verdict says about a claim: messages, each with its rule and severity.

use provost_kernel::{
    Finding, Message, Severity, Text,
    story::{CriterionId, ScopeOutcome},
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
        en = "the command for {0} also exits with 0 without the change",
        zh = "没有此改动时，{0} 的命令同样以 0 退出",
        hint(
            en = "it shows that nothing broke, not that something new works",
            zh = "这只说明没有损坏，不说明新功能有效",
        )
    )]
    PassesOnBase(CriterionId),
    #[message(
        en = "the only evidence for {0} is a changed file; nothing was run",
        zh = "{0} 仅有一个被改动的文件作为证据，没有运行任何东西",
        hint(en = "read the file, or ask for a command", zh = "请阅读该文件，或要求提供命令")
    )]
    FilesAlone(CriterionId),
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
            Self::PassesOnBase(_) => code::PASSES_ON_BASE,
            Self::FilesAlone(_) => code::FILES_ALONE,
            Self::GateNotConfigured(_) => code::GATE_NOT_CONFIGURED,
            Self::GateNotRun(_) => code::GATE_NOT_RUN,
            Self::GateExited { .. } | Self::GateFailed(_) => code::GATE_FAILED,
        }
    }

    fn severity(self) -> Severity {
        match self {
            Self::Unexplained | Self::Reassess | Self::Split | Self::Unverifiable => Severity::P0,
            Self::OutputDiffers(_) | Self::PassesOnBase(_) | Self::FilesAlone(_) => Severity::P2,
            Self::Moved
            | Self::NoTests(_)
            | Self::Exited { .. }
            | Self::Contradicted(_)
            | Self::Stale(_)
            | Self::NotRun(_)
            | Self::GateNotConfigured(_)
            | Self::GateNotRun(_)
            | Self::GateOnOtherTree(_)
            | Self::GateExited { .. }
            | Self::GateFailed(_) => Severity::P1,
        }
    }
}
