//! Lists of words and phrases as data, in English and in Chinese.
//!
//! A crate keeps its lists in one TOML file, `words.toml`, and reads them into a struct with one
//! [`WordList`] for each. [`problems`] is the test that every such file has.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use serde::{Deserialize, de::DeserializeOwned};

/// Words with a common meaning. In the file they are sorted; here longer ones come first, so that a
/// phrase is found before its parts. A list that is `ordered` keeps the order of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Entry")]
pub struct WordList {
    pub en: Vec<String>,
    pub zh: Vec<String>,
}

/// A list as it stands in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// What the words have in common.
    meaning: String,
    #[serde(default)]
    en: Vec<String>,
    #[serde(default)]
    zh: Vec<String>,
    /// Why the other language has none.
    one_language: Option<String>,
    /// Why the order of the file is kept.
    ordered: Option<String>,
}

impl From<Entry> for WordList {
    fn from(entry: Entry) -> Self {
        let longest_first = |mut words: Vec<String>| {
            if entry.ordered.is_none() {
                words.sort_by_key(|it| Reverse(it.chars().count()));
            }
            words
        };
        Self { en: longest_first(entry.en), zh: longest_first(entry.zh) }
    }
}

impl WordList {
    /// The words of both languages.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.en.iter().chain(&self.zh).map(String::as_str)
    }

    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|it| it == word)
    }

    pub fn has_char(&self, character: char) -> bool {
        self.has(character.encode_utf8(&mut [0; 4]))
    }
}

/// Reads the lists of a crate.
#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
pub fn embedded<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("words.toml")
}

/// What is wrong with the lists of a file.
pub fn problems(text: &str) -> Vec<String> {
    let lists: BTreeMap<String, Entry> = match toml::from_str(text) {
        Ok(lists) => lists,
        Err(error) => return vec![error.to_string()],
    };
    let mut problems = Vec::new();
    for (name, list) in &lists {
        let mut note = |problem: &str| problems.push(format!("{name}: {problem}"));
        if list.meaning.trim().is_empty() {
            note("no meaning");
        }
        match (list.en.is_empty() || list.zh.is_empty(), &list.one_language) {
            (true, None) => {
                note("one language is missing: add it, or `one_language` with a reason");
            }
            (false, Some(_)) => note("`one_language`, but both languages have words"),
            (true, Some(_)) | (false, None) => {}
        }
        for words in [&list.en, &list.zh] {
            let is_unique = words.iter().collect::<BTreeSet<_>>().len() == words.len();
            let is_sorted = list.ordered.is_some() || words.is_sorted();
            if !is_sorted || !is_unique {
                note("not sorted, or a word stands twice");
            }
            if words.iter().any(|it| it.trim().is_empty() || it.to_lowercase() != *it) {
                note("a word is empty or not in lower case");
            }
        }
        if list.en.iter().any(|it| has_ideograph(it)) || !list.zh.iter().all(|it| has_ideograph(it))
        {
            note("a word is in the list of the other language");
        }
    }
    problems
}

fn has_ideograph(word: &str) -> bool {
    word.chars().any(|it| matches!(it, '\u{3400}'..='\u{9fff}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(list: &str, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|it| format!("a: {it}")).collect();
        assert_eq!(problems(&format!("[a]\nmeaning = \"x\"\n{list}")), expected, "{list}");
    }

    #[test]
    fn a_list_that_is_not_well_formed_is_reported() {
        check("en = ['a', 'b c']\nzh = ['甲', '甲乙']", &[]);
        check("en = ['a']\none_language = 'why'", &[]);
        let missing = "one language is missing: add it, or `one_language` with a reason";
        check("en = ['a']", &[missing]);
        check(
            "en = ['a']\nzh = ['甲']\none_language = 'why'",
            &["`one_language`, but both languages have words"],
        );
        check("en = ['b', 'a']\nzh = ['甲']", &["not sorted, or a word stands twice"]);
        check("en = ['b', 'a']\nzh = ['甲']\nordered = 'why'", &[]);
        check("en = ['a', 'a']\nzh = ['甲']", &["not sorted, or a word stands twice"]);
        check("en = ['A']\nzh = ['甲']", &["a word is empty or not in lower case"]);
        check("en = ['甲']\nzh = ['乙']", &["a word is in the list of the other language"]);
        assert_eq!(problems("[a]\nmeaning = 'x'\nfr = ['a']").len(), 1);
    }

    #[test]
    fn a_phrase_comes_before_its_parts() {
        let text = "meaning = 'x'\nen = ['a', 'a b']\nzh = ['判', '判断']";
        let list: WordList = toml::from_str(text).unwrap();
        assert_eq!(list.iter().collect::<Vec<_>>(), ["a b", "a", "判断", "判"]);
        assert!(list.has("判断") && list.has_char('判') && !list.has("b"));
    }
}
