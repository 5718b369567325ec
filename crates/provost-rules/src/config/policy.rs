//! Which keys guard something, and what a later layer may still do to them.

use provost_kernel::{
    Message,
    guard::policy::GuardLevel,
    task::{ProofLevel, ProofRequirement},
};
use serde_json::Value;

use super::{Origin, Setting};

/// What a later layer may do to the value of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "config.policy")]
pub enum Policy {
    /// Anything.
    #[message(en = "may be replaced", zh = "可以替换")]
    Replace,
    /// Repeat it.
    #[message(en = "may not change", zh = "不能更改")]
    Keep,
    /// Leave out some elements of a list that was set before; what is built in was not set.
    #[message(en = "may only lose elements", zh = "只能减少元素")]
    Narrow,
    /// Choose a smaller number.
    #[message(en = "may only shrink", zh = "只能减小")]
    Shrink,
    /// Switch it on.
    #[message(en = "may not be switched off", zh = "不能关闭")]
    Require,
    /// Keep this choice once somebody has made it; what is built in was not made.
    #[message(en = "may not be loosened", zh = "不能放宽")]
    Hold(&'static str),
    /// Choose a word that stands later in this list, once somebody has chosen one.
    #[message(en = "may only be raised", zh = "只能提高")]
    Raise(&'static [&'static str]),
    /// Keep it on once somebody has switched it on; what is built in was not switched.
    #[message(en = "may not be switched off again", zh = "不能再关闭")]
    Insist,
    /// Add elements to a list, behind those of the earlier layers.
    #[message(en = "may only gain elements", zh = "只能增加元素")]
    Append,
}

impl Policy {
    /// The keys that a later layer can only tighten (ruling on layers, LOOP-A1, HOOK-2.6, STORY-3.3).
    pub const TIGHTENING: [(&str, Self); 22] = [
        ("guard.level", Self::Raise(GuardLevel::WORDS)),
        ("guard.packs.cloud", Self::Insist),
        ("guard.packs.containers", Self::Insist),
        ("guard.packs.database", Self::Insist),
        ("guard.packs.git", Self::Insist),
        ("guard.packs.kubernetes", Self::Insist),
        ("guard.packs.network", Self::Insist),
        ("guard.rules", Self::Append),
        ("guard.unknown_fields", Self::Hold("drop")),
        ("identity.host", Self::Keep),
        ("identity.user", Self::Keep),
        ("proof.level", Self::Raise(ProofLevel::WORDS)),
        ("proof.product", Self::Narrow),
        ("proof.require", Self::Raise(ProofRequirement::WORDS)),
        ("proof.tests", Self::Append),
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
            Self::Raise(words) => {
                let rank = |value: &Value| words.iter().position(|it| *value == **it);
                earlier.origin == Origin::BuiltIn || rank(later) >= rank(&earlier.value)
            }
            Self::Keep => earlier.value == *later,
            Self::Narrow => {
                let elements = |value: &Value| value.as_array().cloned().unwrap_or_default();
                let allowed = elements(&earlier.value);
                earlier.origin == Origin::BuiltIn
                    || elements(later).iter().all(|it| allowed.contains(it))
            }
            Self::Shrink => later.as_u64() <= earlier.value.as_u64(),
            Self::Insist => {
                earlier.origin == Origin::BuiltIn || earlier.value != true || *later == true
            }
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
}
