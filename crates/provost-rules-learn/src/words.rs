//! The word lists of this crate: `words.toml`. ASCII phrases match by whole words, Chinese ones
//! anywhere, both in normal form.

use std::sync::LazyLock;

use provost_rules::word_list::{self, WordList};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    pub(crate) third_state: WordList,
    pub(crate) ambiguous_negation: WordList,
    pub(crate) instruction: WordList,
    pub(crate) markup: WordList,
    pub(crate) overruling: WordList,
    pub(crate) brand: WordList,
    pub(crate) brand_in_rules: WordList,
    pub(crate) scaffold: WordList,
    pub(crate) fillers: WordList,
    pub(crate) stop: WordList,
    pub(crate) particles: WordList,
    pub(crate) negation: WordList,
    pub(crate) otherwise: WordList,
    pub(crate) then: WordList,
    pub(crate) condition: WordList,
    pub(crate) placeholders: WordList,
}

pub(crate) static WORDS: LazyLock<Words> =
    LazyLock::new(|| word_list::embedded(include_str!("words.toml")));

#[test]
fn the_word_lists_are_well_formed() {
    assert_eq!(word_list::problems(include_str!("words.toml")), Vec::<String>::new());
}
