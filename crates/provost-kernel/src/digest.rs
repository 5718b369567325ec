//! Digests: sha256, over bytes or over canonical JSON.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// A sha256 digest, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9a-f]{64}$"))]
pub struct Digest([u8; 32]);

/// Why there is no [`Digest`].
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    #[error("a digest is 64 lower-case hexadecimal digits")]
    NotHex,
    #[error("the value has no canonical JSON form")]
    NotCanonical(#[source] serde_json::Error),
}

impl Digest {
    /// What the first link of a chain points to.
    pub const ZERO: Self = Self([0; 32]);

    /// The digest of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of a value as RFC 8785 canonical JSON, so that neither the order of the keys
    /// nor white space changes it.
    pub fn of_json(value: &impl Serialize) -> Result<Self, DigestError> {
        Ok(Self::of_bytes(&canonical_json(value)?))
    }
}

/// Takes the digest of bytes that come in parts.
#[derive(Clone, Debug, Default)]
pub struct Digester(Sha256);

impl Digester {
    /// Takes the next part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// The digest of all parts, one after the other.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// A value as RFC 8785 canonical JSON: equal values have equal bytes.
pub fn canonical_json(value: &impl Serialize) -> Result<Vec<u8>, DigestError> {
    serde_json_canonicalizer::to_vec(value).map_err(DigestError::NotCanonical)
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(DigestError::NotHex);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                return Err(DigestError::NotHex);
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|it| [it >> 4, it & 15]);
        let text: String = digits.map(|it| char::from(DIGITS[usize::from(it)])).collect();
        f.pad(&text)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn known_answers() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Digest::of_bytes(b"").to_string(), empty);
        assert_eq!(
            Digest::of_json(&json!({"b": 1, "a": "\u{4e2d}"})).unwrap(),
            Digest::of_bytes("{\"a\":\"\u{4e2d}\",\"b\":1}".as_bytes()),
        );
    }

    #[test]
    fn parts_have_the_digest_of_the_whole() {
        let mut digester = Digester::default();
        for part in ["a", "", "bc"] {
            digester.add(part.as_bytes());
        }
        assert_eq!(digester.finish(), Digest::of_bytes(b"abc"));
    }

    #[test]
    fn only_64_lower_case_digits_are_a_digest() {
        let text = Digest::of_bytes(b"x").to_string();
        assert_eq!(text.parse::<Digest>().unwrap(), Digest::of_bytes(b"x"));
        for bad in ["", &text[1..], &text.to_uppercase(), &format!("{text}0"), &"é".repeat(32)] {
            assert!(bad.parse::<Digest>().is_err(), "{bad:?}");
        }
    }

    fn json_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(Into::into),
            any::<i32>().prop_map(Into::into),
            any::<f64>().prop_filter_map("finite", |it| serde_json::Number::from_f64(it)
                .map(serde_json::Value::Number)),
            ".*".prop_map(Into::into),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
                prop::collection::btree_map(".*", inner, 0..6)
                    .prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        /// Two independent implementations of RFC 8785 agree on every value.
        #[test]
        fn canonical_json_is_what_another_implementation_says(value in json_value()) {
            let other = serde_jcs::to_vec(&value).unwrap();
            prop_assert_eq!(Digest::of_json(&value).unwrap(), Digest::of_bytes(&other));
        }
    }
}
