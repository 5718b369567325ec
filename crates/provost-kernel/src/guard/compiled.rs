//! The guard's part of the configuration, compiled: what a hook reads instead of TOML.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{UnknownFields, policy::PolicyRule};
use crate::{Digest, Lang, Millis, Record};

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
    const KEYS: &'static [&'static str] =
        &["compiled_at", "sources", "unknown_fields", "rules", "lang", "replay_days"];
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
