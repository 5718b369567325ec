//! What makes two wordings one hypothesis.

use super::text::normal;

/// Grows with any change of [`signature`], because a pool is keyed by it.
pub const SIGNATURE_VERSION: u32 = 1;

/// Characters that separate and say nothing.
const SEPARATORS: &[char] = &[
    ',', '.', '。', '!', '?', ';', ':', '(', ')', '[', ']', '{', '}', '<', '>', '《', '》', '"',
    '\'', '“', '”', '‘', '’', '·', '~', '_', '-', '—',
];

/// Chinese words that open a condition or a conclusion, and the one they are counted as.
const FOLDED_ZH: &[(&str, &str)] = &[("如果", "若"), ("当", "若"), ("就", "则")];

/// English phrases, and what they are counted as; the longer ones come first.
const FOLDED: &[(&[&str], Option<&str>)] = &[
    (&["provided", "that"], Some("if")),
    (&["in", "case"], Some("if")),
    (&["the", "verdict", "is"], None),
    (&["verdict", "is"], None),
    (&["judge", "as"], None),
    (&["judged", "as"], None),
    (&["when"], Some("if")),
    (&["whenever"], Some("if")),
    (&["passes"], Some("pass")),
    (&["passed"], Some("pass")),
    (&["fails"], Some("fail")),
    (&["failed"], Some("fail")),
    (&["judge"], None),
    (&["judged"], None),
    (&["should"], None),
    (&["must"], None),
    (&["then"], None),
    (&["the"], None),
    (&["a"], None),
    (&["an"], None),
];

/// The signature of a rule; empty for a text without a word.
pub fn signature(text: &str) -> String {
    let mut text = normal(text);
    for (from, to) in FOLDED_ZH {
        text = text.replace(from, to);
    }
    let spaced = text.replace(SEPARATORS, " ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let mut kept = Vec::with_capacity(words.len());
    while let Some((word, others)) = rest.split_first() {
        let folded = FOLDED.iter().find(|(phrase, _)| rest.starts_with(phrase));
        let (length, word) = match folded {
            Some((phrase, to)) => (phrase.len(), *to),
            None => (rest.len() - others.len(), Some(*word)),
        };
        kept.extend(word);
        rest = rest.get(length..).unwrap_or_default();
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn wordings_of_one_hypothesis_have_one_signature() {
        for (text, expected) in [
            ("If no test ran, then fail.", "if no test ran fail"),
            ("When no test ran, then fail", "if no test ran fail"),
            ("Whenever no test-ran: FAIL!", "if no test ran fail"),
            ("In case no test ran, the verdict is fail", "if no test ran fail"),
            ("Provided that no test ran, it must fail.", "if no test ran it fail"),
            ("If no test ran, judge as fail", "if no test ran fail"),
            ("If the diff passes, then pass", "if diff pass pass"),
            ("如果缺少测试，就不通过。", "若缺少测试 则不通过"),
            ("当缺少测试,则不通过", "若缺少测试 则不通过"),
            ("若缺少测试；则不通过！", "若缺少测试 则不通过"),
            ("當缺少测试,則不通過", "若缺少测试 则不通过"),
            ("... ! 。", ""),
            ("the", ""),
            ("", ""),
        ] {
            assert_eq!(signature(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_differs_in_meaning_differs() {
        for (one, other) in [
            ("If no test ran, then fail.", "If no test ran, then pass."),
            ("If no test ran, then fail.", "If a test ran, then fail."),
            ("若缺少测试,则不通过", "若缺少测试,则通过"),
            ("a/b then fail", "a b then fail"),
        ] {
            assert_ne!(signature(one), signature(other), "{one:?} {other:?}");
        }
    }

    proptest! {
        #[test]
        fn case_and_punctuation_do_not_matter(text in "[a-z 若则通过不]{0,40}") {
            let loud = format!(" {}!。", text.to_uppercase());
            prop_assert_eq!(signature(&loud), signature(&text));
        }
    }
}
