//! What an installation of the guard changed, so that it can be undone.
//!
//! The record is written before the first file of the client is touched: whatever happens after
//! that, it says how everything was.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Harness, Scope};
use crate::{Digest, Record, Timestamp};

/// The installations of the guard in one client that this home knows of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Installations {
    pub client: Harness,
    /// At most one for each scope.
    pub installations: Vec<Installation>,
}

/// One installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    pub scope: Scope,
    pub at: Timestamp,
    /// The program that the client starts, as an absolute path.
    pub program: String,
    pub files: Vec<ChangedFile>,
    /// The folders that were made for them, from the outermost inward.
    pub folders: Vec<String>,
}

/// A file that belongs to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangedFile {
    pub path: String,
    /// What stood in it without the guard; nothing if there was no such file.
    pub before: Option<String>,
    /// The digest of what the installation wrote.
    pub after: Digest,
}

impl Record for Installations {
    const SCHEMA: &'static str = "provost.install/1";
    const KEYS: &'static [&'static str] = &["client", "installations"];
}

impl Installations {
    /// The installation of a scope.
    pub fn of(&self, scope: Scope) -> Option<&Installation> {
        self.installations.iter().find(|it| it.scope == scope)
    }

    /// The same record with this installation in place of the one of its scope.
    #[must_use]
    pub fn with(mut self, installation: Installation) -> Self {
        self = self.without(installation.scope);
        self.installations.push(installation);
        self.installations.sort_by_key(|it| it.scope);
        self
    }

    /// The same record without the installation of a scope.
    #[must_use]
    pub fn without(mut self, scope: Scope) -> Self {
        self.installations.retain(|it| it.scope != scope);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_are_those_of_the_schema() {
        let schema = schemars::schema_for!(Installations).to_value();
        let keys = schema["properties"].as_object().unwrap().keys();
        assert_eq!(keys.collect::<Vec<_>>(), Installations::KEYS);
    }

    #[test]
    fn a_scope_has_one_installation() {
        let of = |scope, program: &str| Installation {
            scope,
            at: Timestamp::EPOCH,
            program: program.to_owned(),
            files: Vec::new(),
            folders: Vec::new(),
        };
        let none = Installations { client: Harness::Claude, installations: Vec::new() };
        let both = none.clone().with(of(Scope::User, "/a")).with(of(Scope::Project, "/b"));
        let again = both.clone().with(of(Scope::User, "/c"));
        assert_eq!(again.installations, [of(Scope::Project, "/b"), of(Scope::User, "/c")]);
        assert_eq!(both.of(Scope::User), Some(&of(Scope::User, "/a")));
        assert_eq!(both.without(Scope::User).without(Scope::Project), none);
    }
}
