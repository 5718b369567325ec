//! A text in both languages, for what is stored before anybody knows who will read it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lang;

/// One text in both languages of provost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bilingual {
    pub en: String,
    pub zh: String,
}

impl Bilingual {
    /// A text with its translation.
    pub fn new(en: impl Into<String>, zh: impl Into<String>) -> Self {
        Self { en: en.into(), zh: zh.into() }
    }

    /// A text that somebody else wrote: it is the same in both languages.
    pub fn verbatim(text: &str) -> Self {
        Self::new(text, text)
    }

    /// The text in this language.
    pub fn pick(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.zh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_their_language() {
        let text = Bilingual::new("yes", "是");
        assert_eq!((text.pick(Lang::En), text.pick(Lang::Zh)), ("yes", "是"));
        assert_eq!(Bilingual::verbatim("x"), Bilingual::new("x", "x"));
    }
}
