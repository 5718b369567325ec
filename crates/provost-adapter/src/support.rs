//! How far an adapter is known to work, and what follows from it (LOOP-A15).

use provost_kernel::Message;
use serde::Serialize;

/// How far an adapter is known to work in a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Level {
    /// It was run, and it does what provost needs.
    Supported,
    /// It may work; something was not tried, or something is lost. It is refused unless a person
    /// allows such runs.
    Partial,
    /// It cannot do what provost needs.
    Unsupported,
}

/// A level with its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    pub level: Level,
    /// Why it is not `Supported`.
    pub reason: Option<SupportGap>,
}

/// Why an adapter is not known to work in a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "adapter.gap")]
pub enum SupportGap {
    #[message(
        en = "its command line cannot set the temperature, so it does not judge at temperature 0",
        zh = "其命令行无法设置温度，因此不能以温度 0 评判"
    )]
    NoTemperature,
    #[message(
        en = "it exits with success when the provider rejects it, and does not report its cost",
        zh = "供应商拒绝时它仍以成功退出，且不报告费用"
    )]
    HidesFailures,
    #[message(
        en = "its output is plain text, from which a verdict cannot be told apart",
        zh = "它的输出是纯文本，无法从中可靠地取出裁决"
    )]
    NoReport,
    #[message(
        en = "it could not be installed and tested; its flags are taken from public pages",
        zh = "无法安装和测试；其参数取自公开页面"
    )]
    NotInstalled,
    #[message(
        en = "it could not be installed and tested, and its command line cannot set the temperature",
        zh = "无法安装和测试，且其命令行无法设置温度"
    )]
    NotInstalledNoTemperature,
    #[message(en = "it only answers, and cannot change files", zh = "它只回答，不能修改文件")]
    AnswersOnly,
    #[message(
        en = "this scripted agent does not support this role",
        zh = "该脚本智能体不担任此角色"
    )]
    OtherRole,
    #[message(en = "it was not tested against the real service", zh = "未在真实服务上测试")]
    NotTested,
}

/// Whether a person has allowed runs with partial adapters: `ALLOW_PARTIAL_RUN=true`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialRuns {
    #[default]
    Refused,
    Allowed,
}

impl Level {
    /// The word as people and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "SUPPORTED",
            Self::Partial => "PARTIAL",
            Self::Unsupported => "UNSUPPORTED",
        }
    }
}

impl Support {
    pub const SUPPORTED: Self = Self { level: Level::Supported, reason: None };

    pub(crate) const fn partial(reason: SupportGap) -> Self {
        Self { level: Level::Partial, reason: Some(reason) }
    }

    pub(crate) const fn unsupported(reason: SupportGap) -> Self {
        Self { level: Level::Unsupported, reason: Some(reason) }
    }

    /// Whether it may be used, in a run or as a default.
    pub fn permits(&self, partial: PartialRuns) -> bool {
        match self.level {
            Level::Supported => true,
            Level::Partial => partial == PartialRuns::Allowed,
            Level::Unsupported => false,
        }
    }
}

impl PartialRuns {
    /// Reads the value of `ALLOW_PARTIAL_RUN`: only `true` allows.
    pub fn of_variable(value: Option<&str>) -> Self {
        if value == Some("true") { Self::Allowed } else { Self::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-A15: nothing but the word `true` allows, and it never allows what is unsupported.
    #[test]
    fn only_the_word_true_allows_a_partial_adapter() {
        for (value, expected) in [
            (None, PartialRuns::Refused),
            (Some(""), PartialRuns::Refused),
            (Some("false"), PartialRuns::Refused),
            (Some("1"), PartialRuns::Refused),
            (Some("TRUE"), PartialRuns::Refused),
            (Some(" true"), PartialRuns::Refused),
            (Some("true"), PartialRuns::Allowed),
        ] {
            assert_eq!(PartialRuns::of_variable(value), expected, "{value:?}");
        }
        let check = |support: Support, refused: bool, allowed: bool| {
            assert_eq!(support.permits(PartialRuns::Refused), refused);
            assert_eq!(support.permits(PartialRuns::Allowed), allowed);
        };
        check(Support::SUPPORTED, true, true);
        check(Support::partial(SupportGap::NotTested), false, true);
        check(Support::unsupported(SupportGap::NotTested), false, false);
    }
}
