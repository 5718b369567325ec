//! The names of stories and of their criteria, checked once, where they enter the process.

use std::{fmt, num::NonZeroU16, str::FromStr};

use crate::{Message, shorten, text_id::text_id};

text_id! {
    /// The name of a story within its plan: `US-` and one to six digits, as they are written.
    ///
    /// `us-001` is read as `US-001`. `US-1` and `US-001` are different texts for one story:
    /// [`StoryId::number`] tells.
    #[schemars(with = "String", extend("pattern" = "^[Uu][Ss]-[0-9]{1,6}$"))]
    pub struct StoryId(String): StoryIdError;
}

text_id! {
    /// The number of a criterion within its story, from 1, written `AC-1`.
    ///
    /// `ac-01`, `AC1` and `1` are read as `AC-1`.
    #[schemars(with = "String", extend("pattern" = "^([Aa][Cc]-?)?0*[1-9][0-9]{0,3}$"))]
    pub struct CriterionId(NonZeroU16): CriterionIdError;
}

/// A string that is not a story id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.id",
    en = "invalid story id {0:?}",
    zh = "故事 id 无效：{0:?}",
    hint(
        en = "a story id is `US-` and one to six digits, such as `US-001`",
        zh = "故事 id 为 `US-` 加一到六位数字，例如 `US-001`",
    )
)]
pub struct StoryIdError(String);

/// A string that is not a criterion id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.criterion_id",
    en = "invalid criterion id {0:?}",
    zh = "验收标准 id 无效：{0:?}",
    hint(
        en = "a criterion id is its position in the story, such as `AC-1`",
        zh = "验收标准 id 是其在故事中的序号，例如 `AC-1`",
    )
)]
pub struct CriterionIdError(String);

impl StoryId {
    const PREFIX: &str = "US-";
    const MAX_DIGITS: usize = 6;

    /// The story with this number, written with at least three digits; the number wraps at a
    /// million, which is more than any plan has.
    pub fn from_number(number: u32) -> Self {
        Self(format!("{}{:03}", Self::PREFIX, number % 1_000_000))
    }

    /// The number, by which two ways to write a story are one story.
    pub fn number(&self) -> u32 {
        self.0[Self::PREFIX.len()..].bytes().fold(0, |sum, it| sum * 10 + u32::from(it - b'0'))
    }
}

impl FromStr for StoryId {
    type Err = StoryIdError;

    fn from_str(text: &str) -> Result<Self, StoryIdError> {
        let fail = || StoryIdError(shorten(text));
        let (prefix, digits) = text.split_at_checked(Self::PREFIX.len()).ok_or_else(fail)?;
        let is_number = (1..=Self::MAX_DIGITS).contains(&digits.len())
            && digits.bytes().all(|it| it.is_ascii_digit());
        if !prefix.eq_ignore_ascii_case(Self::PREFIX) || !is_number {
            return Err(fail());
        }
        Ok(Self(format!("{}{digits}", Self::PREFIX)))
    }
}

impl CriterionId {
    pub const MAX: u16 = 9999;

    /// The number of the criterion, from 1.
    pub fn get(self) -> u16 {
        self.0.get()
    }
}

impl TryFrom<u16> for CriterionId {
    type Error = CriterionIdError;

    fn try_from(number: u16) -> Result<Self, CriterionIdError> {
        match NonZeroU16::new(number) {
            Some(it) if number <= Self::MAX => Ok(Self(it)),
            _ => Err(CriterionIdError(number.to_string())),
        }
    }
}

impl FromStr for CriterionId {
    type Err = CriterionIdError;

    fn from_str(text: &str) -> Result<Self, CriterionIdError> {
        const MAX_LEN: usize = 12;
        let fail = || CriterionIdError(shorten(text));
        let digits = match text.split_at_checked(2) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case("AC") => {
                rest.strip_prefix('-').unwrap_or(rest)
            }
            _ => text,
        };
        // `u16::from_str` would take a sign.
        if text.len() > MAX_LEN || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err(fail());
        }
        let number: u16 = digits.parse().map_err(|_| fail())?;
        Self::try_from(number).map_err(|_| fail())
    }
}

impl fmt::Display for CriterionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AC-{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lang;

    #[track_caller]
    fn check_story(text: &str, expected: Option<(&str, u32)>) {
        let actual = text.parse::<StoryId>().ok();
        let actual = actual.as_ref().map(|it| (it.as_str(), it.number()));
        assert_eq!(actual, expected, "{text:?}");
    }

    #[test]
    fn a_story_is_named_by_a_prefix_and_digits() {
        check_story("US-001", Some(("US-001", 1)));
        check_story("us-1", Some(("US-1", 1)));
        check_story("Us-000000", Some(("US-000000", 0)));
        check_story("US-999999", Some(("US-999999", 999_999)));
        for bad in [
            "",
            "US",
            "US-",
            "US-1234567",
            "US-1a",
            "US-+1",
            "US--1",
            "US 1",
            "US_1",
            "XS-1",
            "1",
            " US-1",
            "US-1 ",
            "US-1\n",
            "US-１",
            "故事",
            "故事-1",
            "US-../x",
            "日-1",
        ] {
            check_story(bad, None);
        }
    }

    #[test]
    fn a_number_becomes_an_id_of_three_digits() {
        for (number, expected) in [(1, "US-001"), (12, "US-012"), (1234, "US-1234")] {
            let id = StoryId::from_number(number);
            assert_eq!(id.as_str(), expected);
            assert_eq!(id.number(), number);
            assert_eq!(id.as_str().parse(), Ok(id));
        }
        assert!(StoryId::from_number(u32::MAX).as_str().parse::<StoryId>().is_ok());
    }

    #[track_caller]
    fn check_criterion(text: &str, expected: Option<&str>) {
        let actual = text.parse::<CriterionId>().ok().map(|it| it.to_string());
        assert_eq!(actual.as_deref(), expected, "{text:?}");
    }

    /// STORY-1.4: evidence is keyed by `AC-n`, however somebody writes it.
    #[test]
    fn a_criterion_has_one_canonical_name() {
        for text in ["AC-1", "ac-1", "Ac-01", "AC1", "ac001", "1", "01"] {
            check_criterion(text, Some("AC-1"));
        }
        check_criterion("AC-9999", Some("AC-9999"));
        for bad in [
            "",
            "AC",
            "AC-",
            "AC-0",
            "0",
            "AC--1",
            "AC-1x",
            "AC+1",
            "-1",
            "+1",
            "AC-10000",
            "AC 1",
            " 1",
            "1 ",
            "１",
            "AC-99999999999999999999",
            "标准-1",
            "AC-000000000001",
        ] {
            check_criterion(bad, None);
        }
    }

    #[test]
    fn ids_keep_their_proof_through_json() {
        let id: StoryId = serde_json::from_str("\"us-007\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"US-007\"");
        assert!(serde_json::from_str::<StoryId>("\"US-../x\"").is_err());
        let map: std::collections::BTreeMap<CriterionId, u8> =
            serde_json::from_str(r#"{"AC-10": 1, "ac2": 2}"#).unwrap();
        assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"AC-2":2,"AC-10":1}"#);
        assert!(serde_json::from_str::<CriterionId>("1").is_err());
    }

    #[test]
    fn an_error_is_short_and_speaks_both_languages() {
        let error = "x\u{1b}[31m".parse::<StoryId>().unwrap_err();
        assert_eq!(error.to_string(), "invalid story id \"x\\u{1b}[31m\"");
        assert_eq!(Lang::Zh.render(&error.text()), "故事 id 无效：\"x\\u{1b}[31m\"");
        let error = "y".repeat(1000).parse::<CriterionId>().unwrap_err();
        assert!(error.to_string().len() < 120, "{error}");
        assert_eq!(error.hints().len(), 1);
    }
}
