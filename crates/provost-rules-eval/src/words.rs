//! Lists of words, letters and phrases that are looked up far more often than they are there.
//!
//! Each has a sieve: one bit for what begins or is spelled alike. Most of what is looked up falls
//! through it, and only the rest is compared.

use std::collections::BTreeSet;

/// One bit for each of many spots.
#[derive(Clone, Debug)]
struct Sieve(Box<[u64; 64]>);

/// A set of words.
#[derive(Clone, Debug)]
pub(super) struct Words {
    words: BTreeSet<String>,
    sieve: Sieve,
}

/// A set of characters.
#[derive(Clone, Debug)]
pub(super) struct Letters {
    letters: BTreeSet<char>,
    sieve: Sieve,
}

/// A list of phrases, in an order that matters.
#[derive(Clone, Debug)]
pub(super) struct Phrases {
    list: Vec<String>,
    sieve: Sieve,
    /// The phrases by how they begin, in the order of the list.
    starts: Vec<(Start, usize)>,
    /// Those that are too short to have a beginning.
    short: Vec<usize>,
}

/// The first bytes of a phrase: one Chinese character, or three letters.
type Start = [u8; 3];

impl Sieve {
    fn empty() -> Self {
        Self(Box::new([0; 64]))
    }

    fn set(&mut self, spot: usize) {
        if let Some(bits) = self.0.get_mut(spot / 64 % 64) {
            *bits |= 1 << (spot % 64);
        }
    }

    fn has(&self, spot: usize) -> bool {
        self.0.get(spot / 64 % 64).is_some_and(|bits| bits & (1 << (spot % 64)) != 0)
    }
}

/// How a word begins, as a number: words are in the order of these numbers, but for words that begin
/// alike.
pub(super) fn beginning(word: &str) -> u64 {
    let mut start = [0; 8];
    let length = word.len().min(start.len());
    if let (Some(to), Some(from)) = (start.get_mut(..length), word.as_bytes().get(..length)) {
        to.copy_from_slice(from);
    }
    u64::from_be_bytes(start)
}

/// Where a word is in a sieve.
fn spot(word: &str) -> usize {
    let length = u64::try_from(word.len()).unwrap_or_default();
    let mixed = (beginning(word) ^ length).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52;
    usize::try_from(mixed).unwrap_or_default()
}

fn start_spot([first, second, third]: Start) -> usize {
    let [first, second, third] = [first, second, third].map(usize::from);
    first.wrapping_mul(33) ^ second.wrapping_mul(9) ^ third.wrapping_mul(64)
}

impl Words {
    pub(super) fn new(words: Vec<String>) -> Self {
        let (words, mut sieve): (BTreeSet<String>, _) =
            (words.into_iter().collect(), Sieve::empty());
        for word in &words {
            sieve.set(spot(word));
        }
        Self { words, sieve }
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.sieve.has(spot(word)) && self.words.contains(word)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }
}

impl Letters {
    pub(super) fn new(letters: Vec<char>) -> Self {
        let (letters, mut sieve): (BTreeSet<_>, _) =
            (letters.into_iter().collect(), Sieve::empty());
        for letter in &letters {
            sieve.set(letter_spot(*letter));
        }
        Self { letters, sieve }
    }

    pub(super) fn contains(&self, letter: char) -> bool {
        self.sieve.has(letter_spot(letter)) && self.letters.contains(&letter)
    }
}

fn letter_spot(letter: char) -> usize {
    usize::try_from(u32::from(letter)).unwrap_or_default()
}

impl Phrases {
    /// The phrases in this order.
    pub(super) fn new(list: Vec<String>) -> Self {
        let (mut sieve, mut starts, mut short) = (Sieve::empty(), Vec::new(), Vec::new());
        for (at, phrase) in list.iter().enumerate() {
            match phrase.as_bytes().first_chunk::<3>() {
                Some(start) => {
                    sieve.set(start_spot(*start));
                    starts.push((*start, at));
                }
                None => short.push(at),
            }
        }
        starts.sort_unstable();
        Self { list, sieve, starts, short }
    }

    /// Longest first: a longer phrase holds a shorter one, so it is tried before it.
    pub(super) fn longest_first(mut list: Vec<String>) -> Self {
        list.sort_by_key(|it| std::cmp::Reverse(it.chars().count()));
        Self::new(list)
    }

    /// All of them, in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(String::as_str)
    }

    /// The first in their order that a text starts with.
    pub(super) fn start_of(&self, text: &str) -> Option<&str> {
        self.starts_of(text).min().and_then(|at| self.get(at))
    }

    /// Those that a text starts with, in no order.
    pub(super) fn all_starts_of(&self, text: &str) -> impl Iterator<Item = &str> {
        self.starts_of(text).filter_map(|at| self.get(at))
    }

    /// Whether one of them is in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let mut is_in = false;
        self.each_in(text, |_| is_in = true);
        is_in
    }

    /// The first in their order that is in a text.
    pub(super) fn first_in(&self, text: &str) -> Option<&str> {
        let mut first = None;
        self.each_in(text, |at| first = Some(first.map_or(at, |it: usize| it.min(at))));
        first.and_then(|at| self.get(at))
    }

    /// Those that are in a text, in their order.
    pub(super) fn all_in(&self, text: &str) -> impl Iterator<Item = &str> {
        let mut found = BTreeSet::new();
        self.each_in(text, |at| {
            found.insert(at);
        });
        found.into_iter().filter_map(|at| self.get(at))
    }

    fn get(&self, at: usize) -> Option<&str> {
        self.list.get(at).map(String::as_str)
    }

    fn starts_of(&self, text: &str) -> impl Iterator<Item = usize> {
        let start = text.as_bytes().first_chunk::<3>().copied();
        let start = start.filter(|it| self.sieve.has(start_spot(*it)));
        let same = start.into_iter().flat_map(|it| self.same_start(it));
        same.chain(self.short.iter().copied())
            .filter(move |at| self.get(*at).is_some_and(|it| text.starts_with(it)))
    }

    fn same_start(&self, start: Start) -> impl Iterator<Item = usize> {
        let first = self.starts.partition_point(|it| it.0 < start);
        let same = self.starts.iter().skip(first).take_while(move |it| it.0 == start);
        same.map(|it| it.1)
    }

    fn each_in(&self, text: &str, mut found: impl FnMut(usize)) {
        for (at, window) in text.as_bytes().array_windows::<3>().enumerate() {
            if !self.sieve.has(start_spot(*window)) {
                continue;
            }
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            let is_here =
                |it: &usize| self.get(*it).is_some_and(|it| rest.starts_with(it.as_bytes()));
            self.same_start(*window).filter(is_here).for_each(&mut found);
        }
        let short = self.short.iter().copied();
        short.filter(|at| self.get(*at).is_some_and(|it| text.contains(it))).for_each(found);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: [&str; 9] = ["abcd", "abc", "ab", "b c", "数据库", "数据", "据库", "a", "cab"];

    fn phrases() -> Phrases {
        Phrases::new(LIST.map(str::to_owned).to_vec())
    }

    proptest! {
        /// What a plain search finds is found, in the same order.
        #[test]
        fn phrases_are_found_as_by_a_plain_search(text in "[abcd 数据库]{0,12}") {
            let phrases = phrases();
            let plain: Vec<&str> = LIST.into_iter().filter(|it| text.contains(it)).collect();
            prop_assert_eq!(phrases.all_in(&text).collect::<Vec<_>>(), plain.clone());
            prop_assert_eq!(phrases.first_in(&text), plain.first().copied());
            prop_assert_eq!(phrases.is_in(&text), !plain.is_empty());
            let starts = LIST.into_iter().find(|it| text.starts_with(it));
            prop_assert_eq!(phrases.start_of(&text), starts);
        }

        #[test]
        fn words_and_letters_are_those_of_a_set(word in "[ab数据]{0,3}", letter in "[a-d数据库]") {
            let words = Words::new(LIST.map(str::to_owned).to_vec());
            prop_assert_eq!(words.contains(&word), LIST.contains(&word.as_str()));
            let letters = Letters::new("ac据".chars().collect());
            let letter = letter.chars().next().unwrap();
            prop_assert_eq!(letters.contains(letter), "ac据".contains(letter));
        }
    }
}
