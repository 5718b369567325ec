//! The guard's part of the configuration, compiled: what a hook reads instead of TOML.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    UnknownFields,
    policy::{GuardLevel, GuardPacks, Policy, PolicyRule},
};
use crate::{Digest, Lang, Millis, Record, Timestamp};

/// The content of `guard/policy.json`: the policy, and the files that it was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CompiledPolicy {
    /// When the files were read.
    pub compiled_at: Millis,
    /// Every file that is a layer of the configuration, whether it was there or not.
    pub sources: Vec<PolicySource>,
    pub unknown_fields: UnknownFields,
    /// The rules of the person, those of the earlier layers first.
    pub rules: Vec<PolicyRule>,
    /// The rules that came with the repository, which can only tighten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repository: Vec<PolicyRule>,
    /// How strict the built-in rules are. A policy of an earlier version does not say, and did not
    /// tell the rules of the repository from those of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GuardLevel")]
    pub level: Option<GuardLevel>,
    #[serde(default)]
    pub packs: GuardPacks,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<Lang>,
    /// For how many days the replay of a session is kept.
    pub replay_days: u32,
}

/// A file that a policy was made from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicySource {
    pub path: String,
    /// What the file was; nothing if there was none.
    pub state: Option<SourceState>,
}

/// How a file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceState {
    pub stamp: SourceStamp,
    pub digest: Digest,
}

/// What can be said of a file without reading it.
///
/// The time of the last change of its attributes is part of it, because no program can set that
/// one back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceStamp {
    pub size: u64,
    pub inode: u64,
    /// When the content was changed last, in nanoseconds of Unix time.
    pub modified: i64,
    /// When anything about the file was changed last, in nanoseconds of Unix time.
    pub changed: i64,
}

impl Record for CompiledPolicy {
    const SCHEMA: &'static str = "provost.policy/1";
    const KEYS: &'static [&'static str] = &[
        "compiled_at",
        "sources",
        "unknown_fields",
        "rules",
        "repository",
        "level",
        "packs",
        "lang",
        "replay_days",
    ];
}

impl CompiledPolicy {
    /// What calls are held against at a time.
    pub fn policy(&self, now: Timestamp) -> Policy {
        Policy {
            rules: self.rules.clone(),
            repository: self.repository.clone(),
            level: self.level.unwrap_or(GuardLevel::Standard),
            packs: self.packs,
            now: Some(now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_knows_its_keys() {
        let schema = schemars::schema_for!(CompiledPolicy).to_value();
        let mut expected: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
        let mut actual = CompiledPolicy::KEYS.to_vec();
        expected.sort_unstable();
        actual.sort_unstable();
        assert_eq!(actual, expected);
    }
}
