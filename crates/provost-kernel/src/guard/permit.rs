//! What a person permits of what the guard refused: once, for a session, or for a while.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::PolicyRule;
use crate::{Actor, Digest, Message, Millis, Record, text_id::text_id, words::words};

text_id! {
    /// The short name of one refusal, which a person types to permit the call: `K7MX3P`.
    ///
    /// Its alphabet has no letter that is taken for another one.
    pub struct RefusalCode(String): RefusalCodeError;
}

/// Why a text is not a [`RefusalCode`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "guard.code",
    en = "`{0}` is not a code of the guard: one has 6 letters and digits",
    zh = "`{0}` 不是守卫的代码：代码由 6 个字母和数字组成",
    hint(en = "list the codes: `provost guard allow`", zh = "列出代码：`provost guard allow`")
)]
pub struct RefusalCodeError(String);

impl RefusalCode {
    pub const LEN: usize = 6;

    const ALPHABET: &'static [u8; 30] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";

    /// The code that random bytes stand for.
    pub fn of_random(bytes: [u8; Self::LEN]) -> Self {
        let letter = |it: u8| Self::ALPHABET.get(usize::from(it) % Self::ALPHABET.len());
        Self(bytes.into_iter().filter_map(letter).map(|it| char::from(*it)).collect())
    }
}

impl FromStr for RefusalCode {
    type Err = RefusalCodeError;

    fn from_str(text: &str) -> Result<Self, RefusalCodeError> {
        let code = text.trim().to_ascii_uppercase();
        let is_code =
            code.len() == Self::LEN && code.bytes().all(|it| Self::ALPHABET.contains(&it));
        if is_code { Ok(Self(code)) } else { Err(RefusalCodeError(crate::shorten(text))) }
    }
}

words! {
    /// How often a permitted call may run.
    pub enum PermitScope {
        /// One time.
        Once = "once",
        /// As long as its session lasts.
        Session = "session",
    }
}

/// A call that was refused, for a person who may want to permit it.
///
/// It never holds what the tool was given: the digest says which call it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PendingRefusal {
    pub code: RefusalCode,
    /// The digest of the call: its tool, input, folder and session.
    pub call: Digest,
    /// The rule that refused it.
    pub rule: String,
    /// The part of the call that the rule stands on; secrets are taken out.
    pub subject: String,
    pub tool: String,
    pub directory: String,
    pub session: String,
    pub at: Millis,
    pub expires: Millis,
    /// The rule that would permit such calls for good, if one can be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PolicyRule")]
    pub permanent: Option<PolicyRule>,
}

/// The content of `ways-out/…/refusals.json`: what a person can permit at this time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingRefusals {
    pub refusals: Vec<PendingRefusal>,
}

/// A call that a person permitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    pub code: RefusalCode,
    pub call: Digest,
    pub scope: PermitScope,
    pub rule: String,
    pub subject: String,
    pub because: String,
    pub by: Actor,
    pub at: Millis,
    pub expires: Millis,
    /// Whether the tool was let run already, so that only the client's own question is left.
    #[serde(default)]
    pub is_spent: bool,
}

/// A folder or file outside the project that agents may write to and delete in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustedPath {
    pub path: String,
    pub because: String,
    pub by: Actor,
    pub at: Millis,
}

/// A time in which what would be asked about is let pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snooze {
    pub because: String,
    pub by: Actor,
    pub at: Millis,
    pub expires: Millis,
}

/// The content of `ways-out/…/permits.json`: what people permitted, as long as it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Permits {
    pub permits: Vec<Permit>,
    pub trusted: Vec<TrustedPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Snooze")]
    pub snooze: Option<Snooze>,
}

impl Record for PendingRefusals {
    const SCHEMA: &'static str = "provost.refusals/1";
    const KEYS: &'static [&'static str] = &["refusals"];
}

impl Record for Permits {
    const SCHEMA: &'static str = "provost.permits/1";
    const KEYS: &'static [&'static str] = &["permits", "trusted", "snooze"];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_type_it() {
        for (text, expected) in [
            ("K7MX3P", Some("K7MX3P")),
            (" k7mx3p ", Some("K7MX3P")),
            ("K7MX3", None),
            ("K7MX3PP", None),
            ("K7MX3O", None),
            ("K7MX30", None),
            ("K7M-3P", None),
            ("ＫMX3P2", None),
            ("", None),
        ] {
            let code: Option<RefusalCode> = text.parse().ok();
            assert_eq!(code.as_ref().map(RefusalCode::as_str), expected, "{text:?}");
        }
    }

    #[test]
    fn every_random_code_is_one() {
        for byte in 0..=u8::MAX {
            let code = RefusalCode::of_random([byte, 0, 255, 29, 30, 31]);
            assert_eq!(code.as_str().parse(), Ok(code.clone()));
        }
    }

    #[test]
    fn the_keys_are_those_of_the_schemas() {
        let keys = |schema: schemars::Schema| -> Vec<String> {
            let schema = schema.to_value();
            let mut keys: Vec<_> =
                schema["properties"].as_object().unwrap().keys().cloned().collect();
            keys.sort();
            keys
        };
        let mut known = Permits::KEYS.to_vec();
        known.sort_unstable();
        assert_eq!(keys(schemars::schema_for!(Permits)), known);
        assert_eq!(keys(schemars::schema_for!(PendingRefusals)), PendingRefusals::KEYS);
    }
}
