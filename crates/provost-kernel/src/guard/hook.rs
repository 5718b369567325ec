//! The fifteen hook types, which of them are sensitive, and what a failure of ours means on each.

use crate::words::words;

words! {
    /// What a hook is asked about (HOOK-1.1).
    pub enum HookType {
        KeywordDetector = "keyword-detector",
        Ralph = "ralph",
        PersistentMode = "persistent-mode",
        StopContinuation = "stop-continuation",
        SessionStart = "session-start",
        SessionEnd = "session-end",
        PreToolUse = "pre-tool-use",
        PostToolUse = "post-tool-use",
        Autopilot = "autopilot",
        SubagentStart = "subagent-start",
        SubagentStop = "subagent-stop",
        PreCompact = "pre-compact",
        SetupInit = "setup-init",
        SetupMaintenance = "setup-maintenance",
        PermissionRequest = "permission-request",
    }
}

words! {
    /// How much a failure of the guard itself weighs, from the gravest down.
    pub enum FailureSeverity {
        /// The answer is a refusal, whatever went wrong.
        Critical = "critical",
        /// The failure is recorded; no client lets such an event be refused.
        High = "high",
        /// The client goes on.
        Low = "low",
    }
}

impl HookType {
    /// Whether the type is one of the four that are strict always (HOOK-1.3).
    pub fn is_sensitive(self) -> bool {
        match self {
            Self::PermissionRequest
            | Self::SetupInit
            | Self::SetupMaintenance
            | Self::SessionEnd => true,
            Self::KeywordDetector
            | Self::Ralph
            | Self::PersistentMode
            | Self::StopContinuation
            | Self::SessionStart
            | Self::PreToolUse
            | Self::PostToolUse
            | Self::Autopilot
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::PreCompact => false,
        }
    }

    /// What it means when the guard fails on this type.
    pub fn failure_severity(self) -> FailureSeverity {
        match self {
            Self::PermissionRequest | Self::PreToolUse => FailureSeverity::Critical,
            Self::SessionEnd
            | Self::SubagentStart
            | Self::SubagentStop
            | Self::SetupInit
            | Self::SetupMaintenance => FailureSeverity::High,
            Self::KeywordDetector
            | Self::Ralph
            | Self::PersistentMode
            | Self::StopContinuation
            | Self::SessionStart
            | Self::PostToolUse
            | Self::Autopilot
            | Self::PreCompact => FailureSeverity::Low,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn those(is: impl Fn(HookType) -> bool) -> Vec<&'static str> {
        HookType::ALL.iter().copied().filter(|it| is(*it)).map(HookType::as_str).collect()
    }

    /// HOOK-1.1: fifteen types, each under its one word.
    #[test]
    fn there_are_fifteen_types() {
        assert_eq!(HookType::ALL.len(), 15);
        for &hook in HookType::ALL {
            assert_eq!(hook.as_str().parse(), Ok(hook));
        }
        for other in ["", "PreToolUse", "pre_tool_use", "Pre-Tool-Use", "setup", "file-save"] {
            assert!(other.parse::<HookType>().is_err(), "{other:?}");
        }
    }

    /// HOOK-1.3: the sensitive types are these four.
    #[test]
    fn four_types_are_sensitive() {
        assert_eq!(
            those(HookType::is_sensitive),
            ["session-end", "setup-init", "setup-maintenance", "permission-request"],
        );
    }

    #[test]
    fn a_failure_on_a_tool_or_a_permission_is_critical() {
        let of = |severity| those(|it| it.failure_severity() == severity);
        assert_eq!(of(FailureSeverity::Critical), ["pre-tool-use", "permission-request"]);
        assert_eq!(
            of(FailureSeverity::High),
            ["session-end", "subagent-start", "subagent-stop", "setup-init", "setup-maintenance"],
        );
        assert!(FailureSeverity::Critical < FailureSeverity::High);
        assert!(FailureSeverity::High < FailureSeverity::Low);
    }
}
