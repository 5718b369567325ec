//! What `provost guard test` found, and under which circumstances.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use serde_json::{Map, Value};

use super::Harness;
use crate::{Digest, Record, Text, Timestamp};

/// The last test of each client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proofs {
    pub tests: BTreeMap<Harness, Proof>,
}

/// One test of one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    pub at: Timestamp,
    pub passed: bool,
    /// Whether the client itself was driven and its canary did not appear.
    pub live: bool,
    pub circumstances: Circumstances,
    pub checks: Vec<ProofCheck>,
}

/// What a proof stands on: when any of it changes, the proof proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circumstances {
    /// The programs that the client starts, and what they are; nothing for one that is gone.
    pub programs: BTreeMap<String, Option<Digest>>,
    /// The files of the client's configuration; nothing for one that is not there.
    pub files: BTreeMap<String, Option<Digest>>,
    /// The compiled policy, if there is one.
    pub policy: Option<Digest>,
}

/// One check of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "CheckRecord", into = "CheckRecord")]
pub struct ProofCheck {
    pub name: String,
    pub passed: bool,
    /// What was observed, for people.
    pub what: Text,
}

/// A check in JSON: its text in English, with code and arguments beside it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckRecord {
    name: String,
    passed: bool,
    what: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    what_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    what_args: Map<String, Value>,
}

impl From<CheckRecord> for ProofCheck {
    fn from(record: CheckRecord) -> Self {
        let CheckRecord { name, passed, what, what_code, what_args } = record;
        Self { name, passed, what: Text::from_parts(&what, what_code.as_deref(), &what_args) }
    }
}

impl From<ProofCheck> for CheckRecord {
    fn from(ProofCheck { name, passed, what }: ProofCheck) -> Self {
        let (what, what_code, what_args) = what.to_parts();
        Self { name, passed, what, what_code, what_args }
    }
}

impl Record for Proofs {
    const SCHEMA: &'static str = "provost.guard-test/1";
    const KEYS: &'static [&'static str] = &["tests"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_schema() {
        let schema = schemars::schema_for!(Proofs).to_value();
        let keys = schema["properties"].as_object().unwrap().keys();
        assert_eq!(keys.collect::<Vec<_>>(), Proofs::KEYS);
    }
}
