//! Which keys guard something, and what a later layer may still do to them.

use provost_kernel::Lang;
use serde_json::Value;

use super::{Origin, Setting};

/// What a later layer may do to the value of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Anything.
    Replace,
    /// Repeat it.
    Keep,
    /// Leave out some elements of a list that was set before; what is built in was not set.
    Narrow,
    /// Choose a smaller number.
    Shrink,
    /// Switch it on.
    Require,
    /// Keep this choice once somebody has made it; what is built in was not made.
    Hold(&'static str),
    /// Add elements to a list, behind those of the earlier layers.
    Append,
}

impl Policy {
    /// The keys that a later layer can only tighten (ruling on layers, LOOP-A1, HOOK-2.6, STORY-3.3).
    pub const TIGHTENING: [(&str, Self); 11] = [
        ("guard.rules", Self::Append),
        ("guard.unknown_fields", Self::Hold("drop")),
        ("identity.host", Self::Keep),
        ("identity.user", Self::Keep),
        ("remote.aliases", Self::Narrow),
        ("retention.replay_days", Self::Shrink),
        ("sandbox.required", Self::Require),
        ("story.scope.hard_files", Self::Shrink),
        ("story.scope.hard_lines", Self::Shrink),
        ("story.scope.warn_files", Self::Shrink),
        ("story.scope.warn_lines", Self::Shrink),
    ];

    /// The policy of a key.
    pub fn of(key: &str) -> Self {
        let guarded = Self::TIGHTENING.iter().find(|(name, _)| *name == key);
        guarded.map_or(Self::Replace, |&(_, policy)| policy)
    }

    pub(super) fn allows(self, earlier: &Setting, later: &Value) -> bool {
        match self {
            Self::Replace | Self::Append => true,
            Self::Hold(choice) => {
                earlier.origin == Origin::BuiltIn || earlier.value != *choice || *later == *choice
            }
            Self::Keep => earlier.value == *later,
            Self::Narrow => {
                let elements = |value: &Value| value.as_array().cloned().unwrap_or_default();
                let allowed = elements(&earlier.value);
                earlier.origin == Origin::BuiltIn
                    || elements(later).iter().all(|it| allowed.contains(it))
            }
            Self::Shrink => later.as_u64() <= earlier.value.as_u64(),
            Self::Require => earlier.value != true || *later == true,
        }
    }

    /// What holds when a later layer says this.
    pub(super) fn combine(self, earlier: &Value, later: Value) -> Value {
        match (self, earlier, later) {
            (Self::Append, Value::Array(earlier), Value::Array(later)) => {
                earlier.iter().cloned().chain(later).collect()
            }
            (_, _, later) => later,
        }
    }

    /// The rule, as the middle of a sentence.
    pub(super) fn describe(self, lang: Lang) -> &'static str {
        match self {
            Self::Replace => lang.pick("may be replaced", "可以替换"),
            Self::Keep => lang.pick("may not change", "不能更改"),
            Self::Narrow => lang.pick("may only lose elements", "只能减少元素"),
            Self::Shrink => lang.pick("may only shrink", "只能减小"),
            Self::Require => lang.pick("may not be switched off", "不能关闭"),
            Self::Hold(_) => lang.pick("may not be loosened", "不能放宽"),
            Self::Append => lang.pick("may only gain elements", "只能增加元素"),
        }
    }
}
