//! The word lists that the heuristics stand on, built in and replaceable.

use provost_kernel::{Digest, Message};
use regex::Regex;
use serde::Deserialize;

use super::{
    text::stem,
    words::{Letters, Phrases, Words},
};

/// The lists that ship with provost.
const EMBEDDED: &str = include_str!("lexicon.json");

/// A figure with a unit of time, length or effort. A year such as 2024年 is none.
const FIGURE: &str = r"(?x)
    [0-9][0-9.,]*\s*\+?\s*(?:%|分钟|小时|秒|天|周|个月|页|字|步|章|节|行)
  | (?-u:\b)[0-9]{1,2}\s*年
  | [0-9][0-9.,]*\+?[\ -]*(?:percent|seconds?|secs?|minutes?|mins?|m|hours?|hrs?|h|days?|weeks?|months?|years?
      |pages?|words?|lines?|steps?|chapters?|sections?)(?-u:\b)
  | [一二两三四五六七八九十半几百]+\s*个?(?:半)?(?:分钟|小时|天|周|月|页)
  | (?-u:\b)(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|half|few|several)
      [\ -]+(?:an?[\ -]+)?(?:second|minute|hour|day|week|month|page)s?(?-u:\b)";

/// The word lists, prepared for matching.
#[derive(Clone, Debug)]
pub struct Lexicon {
    pub(super) stop: Words,
    pub(super) weak: Words,
    pub(super) stop_pairs: Words,
    pub(super) particles: Letters,
    pub(super) stop_characters: Letters,
    /// Longest first.
    pub(super) generic_reasons: Phrases,
    pub(super) structure_words: Words,
    pub(super) structure_parts: Phrases,
    pub(super) cost_words: Words,
    /// Cost cues that are more than one word, or Chinese.
    pub(super) cost_parts: Phrases,
    pub(super) verbs: Words,
    pub(super) noun_signals: Words,
    pub(super) softeners: Words,
    pub(super) verbs_zh: Words,
    pub(super) short_verbs: Letters,
    pub(super) not_verbs: Words,
    /// Longest first.
    pub(super) softeners_zh: Phrases,
    /// Longest first.
    pub(super) vague_openings: Phrases,
    pub(super) vague_objects: Words,
    /// Longest first.
    pub(super) vague_objects_zh: Phrases,
    pub(super) generic_heads: Words,
    /// Longest first.
    pub(super) generic_heads_zh: Phrases,
    pub(super) figure: Regex,
    /// Of the file, byte for byte.
    pub digest: Digest,
}

/// A text that is not a lexicon.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "eval.lexicon",
    en = "cannot read the lexicon: {0}",
    zh = "无法读取词表：{0}",
    hint(
        en = "a lexicon has the 23 lists of the built-in one, each a list of texts",
        zh = "词表须含内置词表的 23 个列表，每个列表由文本组成"
    )
)]
pub struct LexiconError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    stop_en: Vec<String>,
    weak_en: Vec<String>,
    stop_zh_bigrams: Vec<String>,
    weak_zh_bigrams: Vec<String>,
    split_zh_chars: Vec<char>,
    stop_zh_chars: Vec<char>,
    generic_reason_phrases: Vec<String>,
    structure_en: Vec<String>,
    structure_zh: Vec<String>,
    cost_en: Vec<String>,
    cost_zh: Vec<String>,
    verbs_en: Vec<String>,
    noun_next_en: Vec<String>,
    softeners_en: Vec<String>,
    verbs_zh: Vec<String>,
    verbs_zh_single: Vec<char>,
    verbs_zh_single_exceptions: Vec<String>,
    softeners_zh: Vec<String>,
    vague_todo_prefixes: Vec<String>,
    vague_objects_en: Vec<String>,
    vague_objects_zh: Vec<String>,
    generic_head_en: Vec<String>,
    generic_head_zh: Vec<String>,
}

impl Lexicon {
    /// The lists that ship with provost.
    pub fn embedded() -> Result<Self, LexiconError> {
        Self::read(EMBEDDED.as_bytes())
    }

    /// Reads lists in the form of `lexicon.json`: every list must be there, and no other.
    pub fn read(bytes: &[u8]) -> Result<Self, LexiconError> {
        let it: Lists =
            serde_json::from_slice(bytes).map_err(|error| LexiconError(error.to_string()))?;
        let (cost_parts, cost_words): (Vec<_>, Vec<_>) =
            it.cost_en.into_iter().partition(|it| it.contains(['-', ' ']));
        let (words, letters) = (Words::new, Letters::new);
        let stems = |list| Words::new(stems(list).collect());
        let weak = self::stems(it.weak_en).chain(it.weak_zh_bigrams);
        Ok(Self {
            stop: words(it.stop_en),
            weak: words(weak.collect()),
            stop_pairs: words(it.stop_zh_bigrams),
            particles: letters(it.split_zh_chars),
            stop_characters: letters(it.stop_zh_chars),
            generic_reasons: Phrases::longest_first(it.generic_reason_phrases),
            structure_words: stems(it.structure_en),
            structure_parts: Phrases::new(it.structure_zh),
            cost_words: stems(cost_words),
            cost_parts: Phrases::new(it.cost_zh.into_iter().chain(cost_parts).collect()),
            verbs: words(it.verbs_en),
            noun_signals: words(it.noun_next_en),
            softeners: words(it.softeners_en),
            verbs_zh: words(it.verbs_zh),
            short_verbs: letters(it.verbs_zh_single),
            not_verbs: words(it.verbs_zh_single_exceptions),
            softeners_zh: Phrases::longest_first(it.softeners_zh),
            vague_openings: Phrases::longest_first(it.vague_todo_prefixes),
            vague_objects: stems(it.vague_objects_en),
            vague_objects_zh: Phrases::longest_first(it.vague_objects_zh),
            generic_heads: stems(it.generic_head_en),
            generic_heads_zh: Phrases::longest_first(it.generic_head_zh),
            figure: Regex::new(FIGURE).map_err(|error| LexiconError(error.to_string()))?,
            digest: Digest::of_bytes(bytes),
        })
    }
}

/// The words and their stems, because what is looked up is stemmed.
fn stems(words: Vec<String>) -> impl Iterator<Item = String> {
    words.into_iter().flat_map(|it| [stem(&it).into_owned(), it])
}

/// The built-in lists, read once for all tests.
#[cfg(test)]
pub(super) fn shared() -> &'static Lexicon {
    static SHARED: std::sync::LazyLock<Lexicon> =
        std::sync::LazyLock::new(|| Lexicon::embedded().unwrap());
    &SHARED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_lists_are_complete() {
        let lexicon = Lexicon::embedded().unwrap();
        assert_eq!(lexicon.stop.len(), 171);
        assert_eq!(lexicon.verbs.len(), 264);
        assert_eq!(lexicon.verbs_zh.len(), 249);
        assert_eq!(lexicon.generic_reasons.iter().count(), 81);
        let lengths = lexicon.generic_reasons.iter().map(|it| it.chars().count());
        assert!(lengths.is_sorted_by(|one, next| one >= next));
    }

    /// EVAL-1.3: a lexicon that is not complete is an error of the runner, not a quiet default.
    #[test]
    fn a_list_that_is_missing_or_unknown_is_refused() {
        let mut lists: serde_json::Map<_, _> = serde_json::from_str(EMBEDDED).unwrap();
        let read = |lists: &serde_json::Map<_, _>| {
            Lexicon::read(&serde_json::to_vec(lists).unwrap()).is_ok()
        };
        assert!(read(&lists));
        lists.insert("more".to_owned(), serde_json::json!([]));
        assert!(!read(&lists));
        lists.remove("more");
        lists.remove("verbs_en");
        assert!(!read(&lists));
    }

    #[test]
    fn a_figure_of_time_length_or_effort_is_found() {
        let figure = Lexicon::embedded().unwrap().figure;
        for found in [
            "只需 20 分钟",
            "30%的提升",
            "共12页",
            "3 步上手",
            "a 5-minute read",
            "15 min",
            "2 hours",
            "half an hour",
            "two weeks",
            "两小时",
            "半小时",
            "三天",
            "40+ pages",
            "3 年",
            "10m",
        ] {
            assert!(figure.is_match(found), "{found:?}");
        }
        for absent in [
            "2024年的文章",
            "进一步",
            "version 3",
            "3 ideas",
            "minutes",
            "用三个例子",
            "3 mistakes",
        ] {
            assert!(!figure.is_match(absent), "{absent:?}");
        }
    }
}
