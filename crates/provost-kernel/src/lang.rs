//! The language a person reads.

use std::{fmt, str::FromStr};

use crate::shorten;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A language in which provost speaks. Both are complete: neither is a translation that may lag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    #[default]
    En,
    Zh,
}

/// A text that names no language of provost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a language of provost: use `en` or `zh`")]
pub struct LangError(String);

impl Lang {
    /// Picks the text of this language.
    pub fn pick<T>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// Reads a POSIX locale such as `zh_CN.UTF-8`; a locale of any other language is English.
    pub fn from_locale(locale: &str) -> Self {
        let language = locale.split(['_', '.', '-', '@']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("zh") { Self::Zh } else { Self::En }
    }
}

impl FromStr for Lang {
    type Err = LangError;

    fn from_str(text: &str) -> Result<Self, LangError> {
        match text {
            "en" => Ok(Self::En),
            "zh" => Ok(Self::Zh),
            other => Err(LangError(shorten(other))),
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.pick("en", "zh"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_language() {
        for (locale, expected) in [
            ("zh_CN.UTF-8", Lang::Zh),
            ("zh-Hant-TW", Lang::Zh),
            ("ZH", Lang::Zh),
            ("en_US.UTF-8", Lang::En),
            ("C", Lang::En),
            ("", Lang::En),
            ("zhuang", Lang::En),
        ] {
            assert_eq!(Lang::from_locale(locale), expected, "{locale:?}");
        }
    }

    #[test]
    fn only_two_names_are_languages() {
        assert_eq!("zh".parse(), Ok(Lang::Zh));
        assert_eq!("en".parse(), Ok(Lang::En));
        assert!("ZH".parse::<Lang>().is_err());
        assert!("".parse::<Lang>().is_err());
    }
}
