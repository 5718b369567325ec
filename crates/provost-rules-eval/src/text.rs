//! Text as the checks see it: normal form and sets of tokens.
//!
//! There is no word segmentation: Chinese is compared by pairs of characters, English by words
//! without their plural, which is enough to say whether two texts are about the same.

use std::borrow::Cow;

pub(crate) use provost_rules::text::count;
pub use provost_rules::text::{TextRun, is_cjk, runs, stem};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use super::{lexicon::Lexicon, words::beginning};

/// A set of tokens, sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens<'a>(Vec<Token<'a>>);

/// One token. Its beginning comes first: it orders tokens as their texts do, and faster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Token<'a> {
    beginning: u64,
    text: Cow<'a, str>,
}

/// The normal form: compatible forms made one (NFKC), lower case, no apostrophes, single spaces.
pub fn norm(text: &str) -> String {
    if text.is_ascii() || text.chars().all(is_plain) {
        return norm_plain(text);
    }
    let composed: Cow<'_, str> = if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfkc().collect())
    };
    let mut normal = String::with_capacity(composed.len());
    let mut is_spaced = false;
    for letter in composed.chars() {
        if letter == '\'' || letter == '\u{2019}' {
            continue;
        }
        if letter.is_whitespace() {
            is_spaced = !normal.is_empty();
            continue;
        }
        if std::mem::take(&mut is_spaced) {
            normal.push(' ');
        }
        if letter.is_ascii() || is_cjk(letter) {
            normal.push(letter.to_ascii_lowercase());
        } else {
            normal.extend(letter.to_lowercase());
        }
    }
    normal
}

/// The normal form of plain characters: only single bytes change.
fn norm_plain(text: &str) -> String {
    let mut normal = Vec::with_capacity(text.len());
    let mut is_spaced = false;
    for byte in text.bytes() {
        match byte {
            b'\'' => {}
            b'\t'..=b'\r' | b' ' => is_spaced = !normal.is_empty(),
            _ => {
                if is_spaced {
                    normal.push(b' ');
                    is_spaced = false;
                }
                normal.push(byte.to_ascii_lowercase());
            }
        }
    }
    // Only whole characters were left out.
    String::from_utf8(normal).unwrap_or_default()
}

/// Whether a character is its own compatible form, and stays so beside others like it: most of what
/// is written in English and in Chinese. Beyond ASCII it is neither space nor capital.
fn is_plain(letter: char) -> bool {
    letter.is_ascii()
        || matches!(letter, '\u{4e00}'..='\u{9fff}' | '。' | '、' | '《' | '》' | '“' | '”')
}

/// The words of every script but Chinese.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    runs(text).filter_map(|run| match run {
        TextRun::Latin(word) => Some(word),
        TextRun::Cjk(_) => None,
    })
}

/// The tokens of a text in normal form.
pub fn tokens<'a>(lexicon: &Lexicon, normal: &'a str) -> Tokens<'a> {
    // As many as a text has at most, if it is like most texts: a pair for three bytes, or a word.
    let mut found = Vec::with_capacity(normal.len() / 4 + 4);
    for run in runs(normal) {
        match run {
            TextRun::Latin(word) => found.extend(word_token(lexicon, word).map(Token::new)),
            TextRun::Cjk(run) => {
                for part in run.split(|it| lexicon.particles.contains(it)) {
                    pairs(lexicon, part, &mut found);
                }
            }
        }
    }
    Tokens::from_list(found)
}

/// A word as a token; nothing for a stop word and for a single letter.
fn word_token<'a>(lexicon: &Lexicon, word: &'a str) -> Option<Cow<'a, str>> {
    if lexicon.stop.contains(word) {
        return None;
    }
    let token = stem(word);
    let mut letters = token.chars();
    let is_letter = letters.next().is_some_and(|it| !it.is_numeric()) && letters.next().is_none();
    (!is_letter && !lexicon.stop.contains(&token)).then_some(token)
}

/// The pairs of neighbours in a part of a Chinese run; a lone character is itself.
fn pairs<'a>(lexicon: &Lexicon, part: &'a str, found: &mut Vec<Token<'a>>) {
    let mut starts = part.char_indices().map(|(at, _)| at);
    let (Some(_), second) = (starts.next(), starts.next()) else { return };
    let Some(second) = second else {
        if !part.chars().any(|it| lexicon.stop_characters.contains(it)) {
            found.push(Token::new(Cow::Borrowed(part)));
        }
        return;
    };
    let (mut from, mut middle) = (0, second);
    for end in starts.chain([part.len()]) {
        let pair = part.get(from..end).unwrap_or_default();
        if !lexicon.stop_pairs.contains(pair) {
            found.push(Token::new(Cow::Borrowed(pair)));
        }
        (from, middle) = (middle, end);
    }
}

impl<'a> Token<'a> {
    fn new(text: Cow<'a, str>) -> Self {
        Self { beginning: beginning(&text), text }
    }
}

impl<'a> Tokens<'a> {
    fn from_list(mut list: Vec<Token<'a>>) -> Self {
        list.sort_unstable();
        list.dedup();
        Self(list)
    }

    /// The same tokens, for longer than their text.
    pub fn into_owned(self) -> Tokens<'static> {
        let owned = |Token { beginning, text }: Token<'_>| {
            let text = Cow::Owned(text.into_owned());
            Token { beginning, text }
        };
        Tokens(self.0.into_iter().map(owned).collect())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the token is one of them.
    pub fn contains(&self, token: &str) -> bool {
        let beginning = beginning(token);
        self.0
            .binary_search_by(|it| {
                it.beginning.cmp(&beginning).then_with(|| it.text.as_ref().cmp(token))
            })
            .is_ok()
    }

    /// The tokens, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|it| it.text.as_ref())
    }

    /// The tokens that the rule keeps.
    #[must_use]
    pub fn filter(self, keeps: impl Fn(&str) -> bool) -> Self {
        Self(self.0.into_iter().filter(|it| keeps(&it.text)).collect())
    }

    /// Those of either.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        Self::from_list(self.0)
    }

    /// How many are in both.
    pub fn common(&self, other: &Self) -> usize {
        let (mut others, mut common) = (other.0.iter().peekable(), 0);
        for token in &self.0 {
            while others.next_if(|it| *it < token).is_some() {}
            common += usize::from(others.next_if(|it| *it == token).is_some());
        }
        common
    }

    /// What both have, of what either has: from 0 to 1.
    pub fn jaccard(&self, other: &Self) -> f64 {
        let common = self.common(other);
        ratio(common, self.len() + other.len() - common)
    }

    /// What both have, of what the smaller one has: from 0 to 1.
    pub fn containment(&self, other: &Self) -> f64 {
        ratio(self.common(other), self.len().min(other.len()))
    }
}

/// A part of a whole; nothing of nothing is nothing.
pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { count(part) / count(whole) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::lexicon::shared, *};

    #[test]
    fn the_normal_form_is_one() {
        for (text, expected) in [
            ("  Don't   PANIC\n", "dont panic"),
            ("It\u{2019}s", "its"),
            ("ＡＢＣ　１２３", "abc 123"),
            ("写，一页", "写,一页"),
            ("ﬁne", "fine"),
            ("", ""),
            ("ÀÉ", "àé"),
            ("a\u{b}b\u{1c}C", "a b\u{1c}c"),
            ("写了《书》、“诗”。a", "写了《书》、“诗”。a"),
            ("几…", "几..."),
            ("几\u{3099}", "几\u{3099}"),
            ("豈", "豈"),
        ] {
            assert_eq!(norm(text), expected, "{text:?}");
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let normal = norm(text);
        let tokens = tokens(shared(), &normal);
        let mut expected: Vec<_> = expected.split_whitespace().collect();
        expected.sort_unstable();
        assert_eq!(tokens.iter().collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn tokens_are_words_and_pairs() {
        check("I want the SQLite benchmarks", "sqlite benchmark");
        check("p99 and x 5", "p99 5");
        check("数据库的迁移步骤", "数据 据库 迁移 移步 步骤");
        check("我想用Rust", "想用 rust");
        check("书和笔", "书 笔");
        check("了", "");
        check("需要", "");
    }

    #[test]
    fn likeness_is_of_sets() {
        let likeness = |one: &str, other: &str| {
            let (one, other) = (tokens(shared(), one), tokens(shared(), other));
            (one.jaccard(&other), one.containment(&other))
        };
        assert_eq!(likeness("alpha beta", "alpha beta"), (1.0, 1.0));
        assert_eq!(likeness("alpha beta gamma", "alpha beta"), (2.0 / 3.0, 1.0));
        assert_eq!(likeness("alpha", "beta"), (0.0, 0.0));
        assert_eq!(likeness("", ""), (0.0, 0.0));
    }

    proptest! {
        /// The short way is the long way.
        #[test]
        fn plain_texts_have_the_normal_form_of_all_texts(text in "[a-cA-C' \t\u{b}\u{1c}数据库。、《》“”]{0,30}") {
            let long: String = text.nfkc().filter(|it| *it != '\'').flat_map(char::to_lowercase).collect();
            let words: Vec<&str> = long.split_whitespace().collect();
            prop_assert_eq!(norm(&text), words.join(" "));
        }

        /// Tokens are in the order of their texts, whatever the texts are.
        #[test]
        fn tokens_are_in_the_order_of_their_texts(texts in prop::collection::vec("[a-c\u{0}数据]{0,12}", 0..8)) {
            let mut sorted = texts.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let list = texts.iter().map(|it| Token::new(Cow::Borrowed(it.as_str()))).collect();
            let tokens = Tokens::from_list(list);
            prop_assert!(texts.iter().all(|it| tokens.contains(it)));
            prop_assert!(!tokens.contains("d"));
            prop_assert_eq!(tokens.iter().collect::<Vec<_>>(), sorted);
        }

        #[test]
        fn the_normal_form_of_a_normal_form_is_itself(text in "[a-zA-Z '’ ，。（）０-９\u{4e00}-\u{4e40}\t]{0,40}") {
            let normal = norm(&text);
            prop_assert_eq!(norm(&normal), normal);
        }

        /// Whatever the text is, its runs are made of its own characters, and likeness is in range.
        #[test]
        fn any_text_has_tokens(one in ".{0,60}", other in ".{0,60}") {
            let (one, other) = (norm(&one), norm(&other));
            let (one, other) = (tokens(shared(), &one), tokens(shared(), &other));
            let (jaccard, containment) = (one.jaccard(&other), one.containment(&other));
            prop_assert!((0.0..=1.0).contains(&jaccard) && jaccard <= containment);
            prop_assert_eq!(jaccard.to_bits(), other.jaccard(&one).to_bits());
        }
    }
}
