//! How far an adapter is known to work, and what follows from it (LOOP-A15).

use provost_kernel::Lang;
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
    /// Why it is not `Supported`; empty when it is. English and Chinese.
    reason: (&'static str, &'static str),
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
    pub const SUPPORTED: Self = Self { level: Level::Supported, reason: ("", "") };

    pub(crate) const fn partial(en: &'static str, zh: &'static str) -> Self {
        Self { level: Level::Partial, reason: (en, zh) }
    }

    pub(crate) const fn unsupported(en: &'static str, zh: &'static str) -> Self {
        Self { level: Level::Unsupported, reason: (en, zh) }
    }

    /// Why it is not supported, for a person.
    pub fn reason(&self, lang: Lang) -> &'static str {
        lang.pick(self.reason.0, self.reason.1)
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
        check(Support::partial("x", "y"), false, true);
        check(Support::unsupported("x", "y"), false, false);
    }
}
