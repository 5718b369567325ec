//! What a rule concludes from what, as far as its wording says so, and whether that goes against
//! the scaffold.

use std::collections::BTreeSet;

use provost_kernel::learn::{Label, Scaffold, ScaffoldKey, VerdictTerms};
use provost_rules::text::{TextRun, runs, stem};

use super::{normal, words_at};
use crate::words::WORDS;

/// A rule, taken apart: if the condition holds, then this answer; otherwise, perhaps, that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion {
    /// In normal form.
    pub condition: String,
    pub then: Label,
    pub otherwise: Option<Label>,
}

/// A verdict in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: Label,
}

const SENTENCE_ENDS: [char; 8] = ['.', ';', '!', '?', '。', '；', '！', '？'];

/// Takes a rule apart; nothing where its wording does not say which answer follows.
pub fn conclusion(text: &str, terms: &VerdictTerms) -> Option<Conclusion> {
    let text = normal(text);
    let (main, rest) = match first(&text, WORDS.otherwise.iter()) {
        Some((start, end)) => text.split_at_checked(start).map(|(it, _)| (it, text.get(end..)))?,
        None => (text.as_str(), None),
    };
    let (condition, then) = parts(main, terms)?;
    let otherwise = rest.and_then(|it| verdicts(it, terms).first().map(|it| it.label));
    Some(Conclusion { condition: condition.trim().to_owned(), then, otherwise })
}

/// Finds a scaffold rule that concludes the opposite from the same, also where a sentence before it
/// says that the rule does not hold.
pub fn conflicts(text: &str, scaffold: &Scaffold, terms: &VerdictTerms) -> Option<ScaffoldKey> {
    let mut sentences = std::iter::once(text).chain(text.split(SENTENCE_ENDS));
    sentences.find_map(|it| opposed(it, scaffold, terms))
}

/// Finds a scaffold rule that concludes the opposite from the same.
///
/// It is a cheap look at words: at least half of the content of the shorter condition is shared,
/// both are denied or neither is, and the answers differ. What escapes it still ranks below the
/// scaffold in every prompt, and is measured before it is promoted.
fn opposed(text: &str, scaffold: &Scaffold, terms: &VerdictTerms) -> Option<ScaffoldKey> {
    let proposed = conclusion(text, terms)?;
    let words = content(&proposed.condition, terms);
    let goes_against = |rule: &str| {
        let Some(fixed) = conclusion(rule, terms) else { return false };
        let fixed_words = content(&fixed.condition, terms);
        let shared = words.intersection(&fixed_words).count();
        let shorter = words.len().min(fixed_words.len());
        let is_about_same = shared > 0 && shared * 2 >= shorter && (shared > 1 || shorter == 1);
        is_about_same
            && is_denied(&proposed.condition) == is_denied(&fixed.condition)
            && proposed.then != fixed.then
    };
    scaffold.rules().iter().find(|(_, rule)| goes_against(rule)).map(|(&key, _)| key)
}

/// The verdicts of a text in normal form, in order. The longest term wins, so that `不通过` is no
/// `通过`; a denied pass is a fail, and the reverse.
pub(super) fn verdicts(normal_text: &str, terms: &VerdictTerms) -> Vec<Verdict> {
    let labelled = [(Label::Pass, &terms.pass), (Label::Fail, &terms.fail)];
    let mut found = Vec::new();
    for (label, words) in labelled {
        for word in words.iter().map(|it| normal(it)).filter(|it| !it.is_empty()) {
            let at: Vec<usize> = if word.is_ascii() {
                words_at(normal_text, &word).collect()
            } else {
                normal_text.match_indices(&word).map(|(at, _)| at).collect()
            };
            found.extend(at.into_iter().map(|start| Verdict {
                start,
                end: start + word.len(),
                label: if is_denied_at(normal_text, start) { label.opposite() } else { label },
            }));
        }
    }
    found.sort_unstable_by_key(|it| (it.start, std::cmp::Reverse(it.end)));
    let mut reach = 0;
    found.retain(|it| {
        let is_outer = it.end > reach;
        reach = reach.max(it.end);
        is_outer
    });
    found
}

/// What turns the verdict after it into the opposite one: `禁止通过` is a fail.
const DENIALS: [&str; 13] = [
    "不予",
    "不能",
    "不得",
    "不可",
    "不许",
    "不准",
    "不允许",
    "无法",
    "未能",
    "禁止",
    "严禁",
    "拒绝",
    "切勿",
];

/// Whether what starts here is denied right before it.
fn is_denied_at(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end();
    let last_word = before.rsplit(' ').next().unwrap_or_default();
    matches!(last_word, "not" | "never" | "cannot") || DENIALS.iter().any(|it| before.ends_with(it))
}

/// Condition and answer of a rule without its `otherwise`.
fn parts<'a>(main: &'a str, terms: &VerdictTerms) -> Option<(&'a str, Label)> {
    let found = verdicts(main, terms);
    if let Some((start, end)) = first(main, WORDS.then.iter())
        && let Some(verdict) = found.iter().find(|it| it.start >= end)
    {
        return Some((main.get(..start)?, verdict.label));
    }
    let last = found.last()?;
    // "Fail when …": the answer stands first.
    let verdict = found.first()?;
    let after = main.get(verdict.end..)?.trim_start();
    if let Some((0, end)) = first(after, WORDS.condition.iter()) {
        return Some((after.get(end..)?, verdict.label));
    }
    if let Some((before, after)) = main.rsplit_once([',', ';', ':', '。'])
        && last.start >= before.len()
        && !verdicts(after, terms).is_empty()
    {
        return Some((before, last.label));
    }
    let is_one = found.iter().all(|it| it.label == last.label);
    is_one.then_some((main, last.label))
}

/// Where the first of the markers stands, and where it ends.
pub(super) fn first<'a>(
    text: &str,
    markers: impl IntoIterator<Item = &'a str>,
) -> Option<(usize, usize)> {
    let place = |marker: &str| {
        let at = if marker.is_ascii() { words_at(text, marker).next() } else { text.find(marker) };
        at.map(|at| (at, at + marker.len()))
    };
    markers.into_iter().filter_map(place).min()
}

/// The words of a condition that say what it is about: stems, and pairs of Chinese characters.
fn content(condition: &str, terms: &VerdictTerms) -> BTreeSet<String> {
    let is_term = |word: &str| terms.pass.iter().chain(&terms.fail).any(|it| it == word);
    let mut words = BTreeSet::new();
    for run in runs(condition) {
        match run {
            TextRun::Latin(word) => {
                if !WORDS.stop.has(word) && !WORDS.negation.has(word) && !is_term(word) {
                    words.insert(stem(word).into_owned());
                }
            }
            TextRun::Cjk(run) => {
                for part in run.split(|it| WORDS.particles.has_char(it)) {
                    let letters: Vec<char> = part.chars().collect();
                    words.extend(letters.windows(2).map(|it| it.iter().collect::<String>()));
                }
            }
        }
    }
    words.retain(|it| !is_term(it));
    words
}

/// Whether a condition is turned round, by words that do so an odd number of times.
fn is_denied(condition: &str) -> bool {
    let words = runs(condition).filter(|run| match run {
        TextRun::Latin(word) => WORDS.negation.has(word),
        TextRun::Cjk(_) => false,
    });
    let letters = condition.chars().filter(|it| WORDS.negation.has_char(*it));
    (words.count() + letters.count()) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::{super::lexicon::terms, *};

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Label, Option<Label>)>) {
        let expected = expected.map(|(condition, then, otherwise)| Conclusion {
            condition: condition.to_owned(),
            then,
            otherwise,
        });
        assert_eq!(conclusion(text, &terms()), expected, "{text:?}");
    }

    #[test]
    fn a_rule_says_what_follows_from_what() {
        use Label::{Fail, Pass};
        check("If x holds, then fail.", Some(("if x holds,", Fail, None)));
        check("If x, then pass; otherwise fail.", Some(("if x,", Pass, Some(Fail))));
        check("Fail when no test ran.", Some(("no test ran.", Fail, None)));
        check("若缺少测试,则不通过;否则通过。", Some(("若缺少测试,", Fail, Some(Pass))));
        check("若测试通过且覆盖新分支,则通过", Some(("若测试通过且覆盖新分支,", Pass, None)));
        check("If tests fail, then it does not pass", Some(("if tests fail,", Fail, None)));
        check("图片缺失,不予通过", Some(("图片缺失", Fail, None)));
        check("若图片缺失,则禁止通过", Some(("若图片缺失,", Fail, None)));
        check("图片缺失,不允许通过", Some(("图片缺失", Fail, None)));
        check("All pass", Some(("all pass", Pass, None)));
        check("pass or fail", None);
        check("Look at the diff.", None);
        check("", None);
    }

    #[test]
    fn the_longest_term_is_the_verdict() {
        let labels = |text: &str| -> Vec<Label> {
            verdicts(&normal(text), &terms()).iter().map(|it| it.label).collect()
        };
        assert_eq!(labels("不通过"), [Label::Fail]);
        assert_eq!(labels("通过,不通过,未通过"), [Label::Pass, Label::Fail, Label::Fail]);
        assert_eq!(labels("pass / FAIL / passage"), [Label::Pass, Label::Fail]);
    }

    #[test]
    fn a_rule_against_the_scaffold_is_found() {
        let rules = [
            ("S1", "A claim counts only if an item shows it."),
            ("S2", "If any recorded policy violation exists, then fail."),
            ("S3", "若关键点缺少近景图片,则不通过。"),
        ];
        let rules = rules.map(|(key, text)| (key.parse().unwrap(), text.to_owned()));
        let scaffold = Scaffold::new(rules.into()).unwrap();
        for (text, expected) in [
            ("If a recorded policy violation exists and the tests pass, then pass.", Some("S2")),
            ("Pass when the policy violation was recorded late.", Some("S2")),
            ("If a policy violation is recorded, then pass; otherwise fail.", Some("S2")),
            ("若关键点缺少近景图片但全景清晰,则通过。", Some("S3")),
            ("若關鍵点缺少近景图片,則通過", Some("S3")),
            // A sentence before it.
            ("That does not hold. If a policy violation is recorded, then pass.", Some("S2")),
            ("该规则不适用。若关键点缺少近景图片,则通过。", Some("S3")),
            // The same answer, the denied condition, another matter, no answer.
            ("If a recorded policy violation exists, then fail.", None),
            ("If no recorded policy violation exists, then pass.", None),
            ("If the goal is met and a test ran, then pass.", None),
            ("若关键点图片清晰完整,则通过。", None),
            ("Look at recorded policy violations.", None),
        ] {
            let found = conflicts(text, &scaffold, &terms()).map(|it| it.to_string());
            assert_eq!(found.as_deref(), expected, "{text:?}");
        }
    }
}
