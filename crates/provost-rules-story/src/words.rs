//! The word lists of this crate: `words.toml`.

use std::sync::LazyLock;

use provost_rules::word_list::{self, WordList};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    pub(crate) criteria: WordList,
    pub(crate) description: WordList,
    pub(crate) priority: WordList,
    pub(crate) dependencies: WordList,
    pub(crate) leave: WordList,
    pub(crate) command: WordList,
    pub(crate) note: WordList,
    pub(crate) other: WordList,
    pub(crate) stories: WordList,
    pub(crate) verify: WordList,
    pub(crate) unchanged: WordList,
    pub(crate) proof: WordList,
    pub(crate) empty_reason: WordList,
}

pub(crate) static WORDS: LazyLock<Words> =
    LazyLock::new(|| word_list::embedded(include_str!("words.toml")));

#[test]
fn the_word_lists_are_well_formed() {
    assert_eq!(word_list::problems(include_str!("words.toml")), Vec::<String>::new());
}
