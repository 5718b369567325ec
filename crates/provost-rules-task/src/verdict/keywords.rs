//! Words in an issue that cap a score: an issue about missing tests excludes a high score for them.
//!
//! The table is data with a version, in `schemas/keyword_caps.json`. An issue is looked at by
//! itself, so that words of two issues never make a keyword together.

use provost_form::{Limits, Problem, json};
use provost_kernel::{Message, task::HalfPoints};
use serde::Deserialize;

/// The table of keywords.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KeywordCaps {
    pub version: String,
    negations: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Row {
    keywords: Vec<String>,
    dimensions: Vec<String>,
    cap: HalfPoints,
}

/// A cap that an issue puts on a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap<'a> {
    pub keyword: &'a str,
    pub dimension: &'a str,
    pub cap: HalfPoints,
}

/// Why the table cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.keyword_caps")]
pub enum KeywordCapsError {
    #[message(transparent)]
    Json(Problem),
    #[message(en = "the table of keywords is malformed", zh = "关键词表的格式有误")]
    Malformed(#[source] serde_json::Error),
}

const LIMITS: Limits = Limits { bytes: 1024 * 1024, depth: 8 };

impl KeywordCaps {
    /// The table that provost ships.
    pub fn embedded() -> Result<Self, KeywordCapsError> {
        Self::read(include_bytes!("../../../../schemas/keyword_caps.json"))
    }

    /// Reads a table.
    pub fn read(bytes: &[u8]) -> Result<Self, KeywordCapsError> {
        let value = json::parse(bytes, LIMITS).map_err(KeywordCapsError::Json)?;
        serde_json::from_value(value).map_err(KeywordCapsError::Malformed)
    }

    /// The caps that an issue puts on dimensions, in the order of the table.
    pub fn found_in(&self, issue: &str) -> Vec<Cap<'_>> {
        // One blank between words, so that a line break does not hide a keyword of two.
        let words: Vec<&str> = issue.split_whitespace().collect();
        let text = words.join(" ").to_lowercase();
        let rows = self.rows.iter();
        rows.filter_map(|row| {
            let keyword = row.keywords.iter().find(|it| self.says(&text, it))?;
            Some(row.dimensions.iter().map(|dimension| Cap { keyword, dimension, cap: row.cap }))
        })
        .flatten()
        .collect()
    }

    /// Whether a text says a keyword and does not deny it.
    fn says(&self, text: &str, keyword: &str) -> bool {
        let has_own = self.negations.iter().any(|it| contains(keyword, it));
        text.match_indices(keyword).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + keyword.len()..]);
            let is_whole = is_boundary(before, keyword, after);
            is_whole && (has_own || !self.is_denied(before))
        })
    }

    /// Whether a text ends with a negation.
    fn is_denied(&self, before: &str) -> bool {
        let before = before.trim_end();
        self.negations.iter().any(|it| {
            let rest = before.strip_suffix(it.as_str());
            rest.is_some_and(|rest| is_boundary(rest, it, ""))
        })
    }
}

fn contains(text: &str, word: &str) -> bool {
    let mut found = text.match_indices(word);
    found.any(|(at, _)| is_boundary(&text[..at], word, &text[at + word.len()..]))
}

/// Whether a word that is made of ASCII letters stands by itself; other scripts have no blanks.
fn is_boundary(before: &str, word: &str, after: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
    !word.is_ascii() || !(before.ends_with(is_letter) || after.starts_with(is_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` is `keyword>dimension` pairs.
    #[track_caller]
    fn check(issue: &str, expected: &[&str]) {
        let caps = KeywordCaps::embedded().unwrap();
        let actual: Vec<String> = caps
            .found_in(issue)
            .iter()
            .map(|it| format!("{}>{}<={}", it.keyword, it.dimension, it.cap))
            .collect();
        assert_eq!(actual, expected, "{issue}");
    }

    /// LOOP-B9: the union of both tables, with a version.
    #[test]
    fn every_keyword_of_both_tables_caps_its_dimensions() {
        let caps = KeywordCaps::embedded().unwrap();
        assert_eq!((caps.version.as_str(), caps.rows.len()), ("1.1.0", 47));
        let mut seen = 0;
        for row in &caps.rows {
            for keyword in &row.keywords {
                let found = caps.found_in(&format!("( {keyword} )"));
                for dimension in &row.dimensions {
                    seen += 1;
                    let is_capped = |it: &Cap<'_>| it.dimension == dimension && it.cap == row.cap;
                    assert!(found.iter().any(is_capped), "{keyword} {dimension}");
                }
            }
        }
        assert_eq!(seen, 146);
        check("未覆盖验收", &["未覆盖验收>acceptance_testability<=4"]);
        check(
            "验收用例缺失",
            &[
                "缺失>acceptance_testability<=4",
                "缺失>completeness<=4",
                "缺失>scene_completeness<=4",
            ],
        );
        check("the route is NOT Covered", &["not covered>completeness<=4"]);
        check("not runnable", &["not runnable>runnability<=3"]);
        check("it cannot\n run", &["cannot run>runnability<=3"]);
        check(
            "合规问题",
            &[
                "合规>constraints_and_compliance<=4",
                "合规问题>constraints_and_compliance<=3",
                "合规问题>platform_compliance<=3",
            ],
        );
    }

    /// LOOP-B9: a judge may write in either language about any dimension.
    #[test]
    fn every_dimension_has_keywords_in_both_languages() {
        let caps = KeywordCaps::embedded().unwrap();
        let rubric = crate::rubric::Rubric::embedded().unwrap();
        let types = provost_kernel::task::TaskType::ALL.iter();
        for dimension in types.flat_map(|it| rubric.of(*it).dimension_keys()) {
            let rows = caps.rows.iter().filter(|it| it.dimensions.iter().any(|it| it == dimension));
            let keywords: Vec<&String> = rows.flat_map(|it| &it.keywords).collect();
            assert!(keywords.iter().any(|it| it.is_ascii()), "{dimension} in English");
            assert!(keywords.iter().any(|it| !it.is_ascii()), "{dimension} in Chinese");
        }
        check("the acceptance criteria are untestable", &["untestable>acceptance_testability<=4"]);
        check("tight coupling of both modules", &["tight coupling>architecture_and_modularity<=4"]);
        check("not ambiguous", &[]);
    }

    #[test]
    fn an_ascii_keyword_is_a_whole_word() {
        check("XSS in the search form", &["xss>constraints_and_compliance<=4"]);
        check("存在xss风险", &["xss>constraints_and_compliance<=4"]);
        check("the flushed buffer", &[]);
        check("uses auto_flush", &[]);
        check("flush2 is odd", &[]);
        check("flush: never called", &["flush>risk_and_exception<=4"]);
        check("the dismissing tone", &[]);
        check("flushed, then flush", &["flush>risk_and_exception<=4"]);
    }

    #[test]
    fn a_denied_keyword_says_nothing() {
        check("no missing sections", &[]);
        check("Without logic error", &[]);
        check("not incorrect", &[]);
        check("no  security issue found", &[]);
        check("无歧义", &[]);
        check("没有 歧义", &[]);
        check("未发现逻辑错误", &[]);
        check("没有未覆盖验收", &[]);
        check("no 缺口", &[]);
        check("无xss", &[]);
        // Only a negation that stands directly before it, as a word of its own.
        check("no, security issue", &["security issue>security<=3"]);
        check("not only incorrect", &["incorrect>correctness<=3"]);
        check("the piano incorrect", &["incorrect>correctness<=3"]);
        check("no incorrect input, but incorrect output", &["incorrect>correctness<=3"]);
        check("歧义仍在,没有解决", &["歧义>clarity<=4"]);
    }

    #[test]
    fn a_keyword_with_its_own_negation_is_not_denied_by_it() {
        check("no tests at all", &["no tests>test_and_validation<=3"]);
        check("there are without no tests", &["no tests>test_and_validation<=3"]);
        check("not not covered", &["not covered>completeness<=4"]);
        check("no cannot run", &[]);
    }

    #[test]
    fn a_malformed_table_has_a_named_error() {
        let error = KeywordCaps::read(b"{}").unwrap_err();
        assert_eq!(error.to_string(), "the table of keywords is malformed");
        let error = KeywordCaps::read(b"{} x").unwrap_err();
        assert!(error.to_string().contains("after the JSON value"));
    }
}
