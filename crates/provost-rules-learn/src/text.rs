//! What the wording of a rule may be, in English and Chinese, by one lexicon and one matcher.
//!
//! Every comparison is made on a normal form: compatible and look-alike characters made one, marks
//! and hidden characters gone, lower case. The form is for comparing only and is never stored.

mod choice;
mod conclusion;
mod copy;
mod leak;
mod lexicon;
mod likeness;
mod manner;
mod scaffold;

use provost_kernel::learn::VerdictTerms;
use provost_rules::{text::is_cjk, word_list::WordList};
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

pub(super) use self::manner::looks_like_scaffold_key;
pub use self::{
    choice::offers_both,
    conclusion::{Conclusion, conclusion, conflicts},
    copy::{Passages, copies, is_object_chain},
    leak::{TicketNames, leak},
    likeness::{is_similar, likeness},
    manner::{forbidden_dimension, forbidden_word, identity_name, instruction},
    scaffold::{names_scaffold, repeats_scaffold},
};
use crate::words::WORDS;

/// Finds wording that leaves a third answer besides pass and fail (LEARN-2.3).
pub fn third_state(text: &str) -> Option<&'static str> {
    Haystack::new(text).find(&WORDS.third_state)
}

/// Finds wording that says what a case is not to be judged, and not what it is.
pub fn ambiguous_negation(text: &str) -> Option<&'static str> {
    Haystack::new(text).find(&WORDS.ambiguous_negation)
}

/// Whether the text has a verdict in it.
pub fn is_binary(text: &str, terms: &VerdictTerms) -> bool {
    !conclusion::verdicts(&normal(text), terms).is_empty()
}

/// The normal form: what is compared, with single spaces in place of `_`, `-` and their kin.
pub fn normal(text: &str) -> String {
    let folded = fold(text);
    let mut normal = String::with_capacity(folded.len());
    for word in folded.split(|it: char| it.is_whitespace() || is_dash(it)) {
        if !word.is_empty() && !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    if !normal.contains('\'') {
        return normal;
    }
    let spelt =
        normal.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not");
    spelt.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text on one line, without invisible characters: this is what is judged, stored and shown.
pub fn one_line(text: &str) -> String {
    let seen: String = text
        .chars()
        .filter(|&it| !is_hidden(it))
        .map(|it| if it.is_whitespace() || it.is_control() { ' ' } else { it })
        .collect();
    seen.split(' ').filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text in the forms in which phrases are looked for.
struct Haystack {
    /// With single spaces between words.
    normal: String,
    /// Without spaces between Chinese characters, where they mean nothing.
    tight: String,
}

impl Haystack {
    fn new(text: &str) -> Self {
        let normal = normal(text);
        Self { tight: tight(&normal), normal }
    }

    /// The first of the phrases that the text has: ASCII by whole words, Chinese anywhere.
    fn find<'a>(&self, phrases: &'a WordList) -> Option<&'a str> {
        phrases.iter().find(|it| self.contains(it))
    }

    fn contains(&self, phrase: &str) -> bool {
        if phrase.is_ascii() {
            words_at(&self.normal, phrase).next().is_some()
        } else {
            self.tight.contains(phrase)
        }
    }
}

/// One form for characters that differ only to a machine; dashes stay.
fn fold(text: &str) -> String {
    text.nfkd()
        .flat_map(char::to_lowercase)
        .nfkd()
        .filter(|&it| !is_combining_mark(it) && !is_hidden(it))
        .map(lexicon::twin)
        .nfkc()
        .collect()
}

/// Where a phrase stands as whole words; a Chinese neighbour ends a word as a space does.
fn words_at(text: &str, phrase: &str) -> impl Iterator<Item = usize> {
    let is_open = |it: Option<char>| it.is_none_or(|it| !it.is_alphanumeric() || is_cjk(it));
    text.match_indices(phrase).map(|(at, _)| at).filter(move |&at| {
        let after = text.get(at + phrase.len()..).and_then(|it| it.chars().next());
        is_open(text.get(..at).and_then(|it| it.chars().next_back())) && is_open(after)
    })
}

/// The words of a text with the places where they start; Chinese characters are between words.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    let pieces = text.split_inclusive(|it| !is_word(it)).map(move |piece| {
        let start = end;
        end += piece.len();
        (start, piece.trim_end_matches(|it| !is_word(it)))
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() && !is_cjk(it)
}

/// The text without the spaces between two Chinese characters.
fn tight(normal: &str) -> String {
    let mut tight = String::with_capacity(normal.len());
    let mut rest = normal.chars().peekable();
    while let Some(it) = rest.next() {
        let is_between = it == ' '
            && tight.chars().next_back().is_some_and(is_cjk)
            && rest.peek().is_some_and(|&it| is_cjk(it));
        if !is_between {
            tight.push(it);
        }
    }
    tight
}

fn is_dash(it: char) -> bool {
    matches!(it, '_' | '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}')
}

/// Whether a character is there and not seen: it joins, turns or marks what stands around it.
fn is_hidden(it: char) -> bool {
    matches!(it,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_normal_form_is_one() {
        for (text, expected) in [
            ("Need_Review", "need review"),
            ("  NEED--review\n", "need review"),
            ("ＮＥＥＤ　ｒｅｖｉｅｗ", "need review"),
            ("n\u{435}\u{435}d r\u{435}view", "need review"),
            ("ne\u{301}ed\u{200b} review", "need review"),
            ("𝐒𝟏", "s1"),
            ("證據不足", "证据不足"),
            ("shouldn’t can't won't", "should not cannot will not"),
            ("待\u{200d}定", "待定"),
            ("a—b", "a b"),
            ("", ""),
        ] {
            assert_eq!(normal(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_rule_is_one_line_of_what_is_seen() {
        for (text, expected) in [
            (" a\r\n\tb ", "a b"),
            ("a\u{202e}b\u{200b}c", "abc"),
            ("a\u{0}b", "a b"),
            ("Keep Case-And_Marks é。", "Keep Case-And_Marks é。"),
            ("\u{200b}\n", ""),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
    }

    /// LEARN-2.3: third-state wording and its variants, in both languages.
    #[test]
    fn a_third_state_is_found() {
        for (text, expected) in [
            ("若缺少测试,则需复核。", "复核"),
            ("則通過但需人工複核", "复核"),
            ("应转人工覆核", "覆核"),
            ("证据不足时不通过", "证据不足"),
            ("證據不足,則不通過", "证据不足"),
            ("证据 不足", "证据不足"),
            ("待-定", "待定"),
            ("先待\u{200b}定", "待定"),
            ("需要其他图片佐证", "佐证"),
            ("不应直接判通过", "不应直接"),
            ("不應該直接通過", "不应该直接"),
            ("不建议直接通过", "不建议直接"),
            ("不得直接通过", "不得直接"),
            ("若缺少日志,不能直接判为通过", "不能直接"),
            ("不可直接通过", "不可直接"),
            ("切勿直接判定通过", "切勿直接"),
            ("则结果待查", "待查"),
            ("若证据矛盾,则存疑", "存疑"),
            ("先判通过,下次再議", "再议"),
            ("The case cannot directly pass", "cannot directly pass"),
            ("it can't directly pass", "cannot directly pass"),
            ("it cannot be passed directly", "cannot be passed directly"),
            ("then it is to be verified", "to be verified"),
            ("需进一步查看", "需进一步"),
            ("须进一步确认", "进一步确认"),
            ("不写不通过", "不写不通过"),
            ("结论为第三态", "第三态"),
            ("则通过但应补充材料", "通过但应"),
            ("Then need-review.", "need review"),
            ("NEEDREVIEW", "needreview"),
            ("it needs_review", "needs review"),
            ("It needs manual review", "needs manual review"),
            ("Verdict: TBD", "tbd"),
            ("the result is inconclusive", "inconclusive"),
            ("there is insufficient evidence", "insufficient evidence"),
            ("it can't be determined", "cannot be determined"),
            ("then pass but flag it", "then pass but"),
            ("then pass with reservations", "pass with reservations"),
            ("a borderline case", "borderline"),
            ("Escalate to human", "escalate to human"),
            ("should not directly pass", "should not directly"),
            ("furth\u{435}r review", "further review"),
        ] {
            assert_eq!(third_state(text), Some(expected), "{text:?}");
        }
    }

    /// A condition may speak of a review, of doubt and of tests that pass.
    #[test]
    fn an_answer_is_no_third_state() {
        for text in [
            "If the code review is missing, then fail.",
            "If the tests pass but the build is broken, then fail.",
            "If a reviewer rejected the change, then fail.",
            "若测试通过但未覆盖新分支,则不通过。",
            "若改动没有人工审核记录,则不通过。",
            "If the undeterminedness of x holds, then pass.",
            "If the tbdx flag is set, then pass.",
            "若直接修改生产配置,则不通过。",
            "If a guest cannot directly reach the admin page, then pass.",
            "",
        ] {
            assert_eq!(third_state(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_ambiguous_negation_is_found() {
        for (text, expected) in [
            ("若无日志,不应判定为通过", "不应判定为"),
            ("不應判為通過", "不应判为"),
            ("不建议判断为不通过", "不建议判断为"),
            ("不要判定为通过", "不要判定为"),
            ("不得 判定为 通过", "不得判定为"),
            ("Such a case shouldn't be judged as pass", "should not be judged"),
            ("it must not be judged a fail", "must not be judged"),
            ("do not judge as pass", "do not judge as"),
            ("it should not automatically fail", "should not automatically fail"),
            ("then it need not fail", "need not fail"),
            ("should not be considered a pass", "should not be considered a pass"),
            ("若缺少测试,则禁止通过", "禁止通过"),
            ("若缺少测试,则 禁止 判为 通过", "禁止判"),
            ("则不允许通过", "不允许通过"),
            ("If no test ran, it is forbidden to pass", "forbidden to pass"),
        ] {
            assert_eq!(ambiguous_negation(text), Some(expected), "{text:?}");
        }
        for text in [
            "If the tests do not pass, then fail.",
            "若测试未通过,则不通过。",
            "If the change must not be merged, then fail.",
            "若改动触及禁止修改的文件,则不通过。",
        ] {
            assert_eq!(ambiguous_negation(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_verdict_is_a_whole_word() {
        let terms = lexicon::terms();
        for (text, expected) in [
            ("If it builds, then pass.", true),
            ("If it builds, then FAIL", true),
            ("若能构建,则通过", true),
            ("则不通过。", true),
            ("Be careful with passengers and failures", false),
            ("Look at the diff.", false),
            ("", false),
        ] {
            assert_eq!(is_binary(text, &terms), expected, "{text:?}");
        }
    }

    proptest! {
        /// Whatever the text is, its normal form is its own, and no look into it panics.
        #[test]
        fn any_text_can_be_looked_at(text in "\\PC{0,60}") {
            let normal = normal(&text);
            prop_assert_eq!(super::normal(&normal), normal);
            let line = one_line(&text);
            prop_assert_eq!(one_line(&line), line);
            let _ = (third_state(&text), ambiguous_negation(&text), instruction(&text));
            let _ = (leak(&text, &|_| false), is_object_chain(&text));
            let _ = conclusion(&text, &lexicon::terms());
        }
    }
}
