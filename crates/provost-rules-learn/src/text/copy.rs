//! Whether a rule repeats a case instead of saying something about cases.

use std::{collections::BTreeMap, ops::Range};

use provost_kernel::learn::Item;
use provost_rules::text::{TextRun, runs};

use super::{fold, normal};

/// A run of this weight is a copy: eight words, or twenty Chinese characters.
const COPY: u32 = 40;
const WORD: u32 = 5;
const CHARACTER: u32 = 2;

/// A text as a row of words and Chinese characters, to look for runs of another text in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passages {
    normal: String,
    /// Where the words are.
    places: Vec<Range<usize>>,
}

impl Passages {
    /// Prepares the evidence of a ticket, each item by itself.
    pub fn of_items(items: &[Item]) -> Vec<Self> {
        items.iter().map(|it| Self::new(&it.text)).collect()
    }

    /// Prepares one text.
    pub fn new(text: &str) -> Self {
        let normal = normal(text);
        let mut places = Vec::new();
        let mut from = 0;
        for run in runs(&normal) {
            let (TextRun::Latin(text) | TextRun::Cjk(text)) = run;
            let start =
                normal.get(from..).and_then(|it| it.find(text)).map_or(from, |it| from + it);
            from = start + text.len();
            match run {
                TextRun::Latin(_) => places.push(start..from),
                TextRun::Cjk(run) => places.extend(
                    run.char_indices().map(|(at, it)| start + at..start + at + it.len_utf8()),
                ),
            }
        }
        Self { normal, places }
    }

    /// Whether another text has a run of this one that is long enough to be a copy.
    pub fn is_copied_by(&self, text: &Self) -> bool {
        let words: Vec<&str> = text.words().collect();
        let mut starts: BTreeMap<&str, Vec<&[&str]>> = BTreeMap::new();
        for at in 0..words.len() {
            let Some(window) = words.get(at..).and_then(shortest_copy) else { break };
            if let Some(first) = window.first() {
                starts.entry(first).or_default().push(window);
            }
        }
        if starts.is_empty() {
            return false;
        }
        let stands_at = |at: usize, window: &[&str]| {
            window.iter().enumerate().all(|(offset, it)| self.word(at + offset) == Some(it))
        };
        self.words().enumerate().any(|(at, word)| {
            starts.get(word).is_some_and(|it| it.iter().any(|window| stands_at(at, window)))
        })
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter_map(|it| self.normal.get(it.clone()))
    }

    fn word(&self, at: usize) -> Option<&str> {
        self.normal.get(self.places.get(at)?.clone())
    }
}

/// Whether the text repeats a passage of an item: eight words, or twenty Chinese characters.
pub fn copies(text: &str, items: &[Item]) -> bool {
    let text = Passages::new(text);
    items.iter().any(|it| Passages::new(&it.text).is_copied_by(&text))
}

/// Whether the text has a chain of objects as a describer of pictures writes them, such as
/// `螺丝/松动×2`, or names one picture.
pub fn is_object_chain(text: &str) -> bool {
    let folded = fold(text);
    let has_count = folded
        .split(|it: char| it.is_whitespace() || ",;。".contains(it))
        .any(|it| it.contains('×') && it.contains('/'));
    let names_picture = folded.match_indices("image_").any(|(at, it)| {
        folded.get(at + it.len()..).is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
    });
    has_count || names_picture || folded.contains("标签/")
}

/// The shortest start of a row that is long enough to be a copy.
fn shortest_copy<'a, 'b>(row: &'a [&'b str]) -> Option<&'a [&'b str]> {
    let mut weight = 0;
    for (at, token) in row.iter().enumerate() {
        let is_character = matches!(runs(token).next(), Some(TextRun::Cjk(_)));
        weight += if is_character { CHARACTER } else { WORD };
        if weight >= COPY {
            return row.get(..=at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, evidence: &str, expected: bool) {
        let items = [
            Item { name: "other".to_owned(), text: "nothing of this".to_owned() },
            Item { name: "notes".to_owned(), text: evidence.to_owned() },
        ];
        assert_eq!(copies(text, &items), expected, "{text:?} in {evidence:?}");
    }

    #[test]
    fn eight_words_in_a_row_are_a_copy() {
        let evidence = "yes: one two three four five six seven eight nine";
        check("If one two three four five six seven eight then fail", evidence, true);
        check("If ONE-two, three_four: five six (seven) EIGHT, then fail", evidence, true);
        check("If one two three four five six seven then fail", evidence, false);
        check("If one two three four, five six eight seven then fail", evidence, false);
        check("", evidence, false);
        check("one two three four five six seven eight", "", false);
    }

    #[test]
    fn twenty_chinese_characters_in_a_row_are_a_copy() {
        let evidence = "机柜门锁处有两颗螺丝松动并且接地线未按要求固定在铜排上";
        check("若机柜门锁处有两颗螺丝松动并且接地线未按要求,则不通过", evidence, true);
        check("若機柜门锁处有两颗螺丝松动并且接地线未按,则不通过", evidence, false);
        check("若机柜门锁处有两颗螺丝松动,则不通过", evidence, false);
        check("若机柜门锁处有两颗螺丝松动,并且接地线未按要求固定,则不通过", evidence, true);
    }

    #[test]
    fn mixed_scripts_are_weighed_together() {
        let evidence = "函数 parse_line 在 main 分支里没有处理空行 so it panics at once";
        check("若函数 parse_line 在 main 分支里没有处理空行 so it panics,则不通过", evidence, true);
        check("若函数在分支里没有处理空行,则不通过", evidence, false);
    }

    #[test]
    fn a_chain_of_objects_is_none_of_a_rule() {
        for (text, expected) in [
            ("BBU设备/螺丝/松动×2", true),
            ("image_3 不清晰则不通过", true),
            ("IMAGE_3", true),
            ("标签/可以识别", true),
            ("若缺失/松动/损坏,则不通过", false),
            ("If pass/fail counts differ, then fail.", false),
            ("If image_size is 0, then fail.", false),
            ("If it is 2× slower and/or larger, then fail.", false),
        ] {
            assert_eq!(is_object_chain(text), expected, "{text:?}");
        }
    }
}
