//! What `provost guard test` found, and under which circumstances.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Harness;
use crate::{Digest, Timestamp, task::Record};

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

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProofCheck {
    pub name: String,
    pub passed: bool,
    /// What was seen, for people.
    pub what: String,
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
