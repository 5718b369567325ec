//! The word lists of this crate: `words.toml`. Those that a suite can replace are in its lexicon.

use std::sync::LazyLock;

use provost_rules::word_list::{self, WordList};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordLists {
    pub(crate) determiners: WordList,
    pub(crate) prefixes: WordList,
    pub(crate) time_units: WordList,
    pub(crate) producing: WordList,
    pub(crate) common: WordList,
}

pub(crate) static WORDS: LazyLock<WordLists> =
    LazyLock::new(|| word_list::embedded(include_str!("words.toml")));

#[test]
fn the_word_lists_are_well_formed() {
    assert_eq!(word_list::problems(include_str!("words.toml")), Vec::<String>::new());
}
