//! Whether two rules are one rule in two wordings.

use super::normal;

/// Texts of which one contains the other are one rule from this share of the length on.
const CONTAINED: f64 = 0.85;
/// Other texts are one rule from this likeness on.
const ALIKE: f64 = 0.9;

/// Whether two rules say the same, up to punctuation at the end and a few characters.
pub fn is_similar(one: &str, other: &str) -> bool {
    let (one, other) = (bare(one), bare(other));
    if one.is_empty() || other.is_empty() {
        return false;
    }
    if one == other {
        return true;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    let is_inside = share(short.len(), long.len()) >= CONTAINED
        && long.windows(short.len()).any(|it| it == short.as_slice());
    // No two texts are more alike than their lengths allow, which spares the rest the search.
    let most = share(2 * short.len(), one.len() + other.len());
    is_inside || (most >= ALIKE && ratio(&one, &other) >= ALIKE)
}

/// How alike two rules are, from 0 to 1: twice what their longest common passages have together,
/// of what they have (the measure of Ratcliff and Obershelp).
pub fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (bare(one), bare(other));
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    ratio(&one, &other)
}

fn ratio(one: &[char], other: &[char]) -> f64 {
    let whole = one.len() + other.len();
    if whole == 0 { 1.0 } else { share(2 * common(one, other), whole) }
}

/// How many characters the longest common passage has, and those to its left and right.
fn common(one: &[char], other: &[char]) -> usize {
    let mut parts = vec![(one, other)];
    let mut total = 0;
    while let Some((one, other)) = parts.pop() {
        let (at, beside, length) = longest(one, other);
        if length == 0 {
            continue;
        }
        total += length;
        let ends = (at + length, beside + length);
        parts.extend(one.get(..at).zip(other.get(..beside)));
        parts.extend(one.get(ends.0..).zip(other.get(ends.1..)));
    }
    total
}

/// The first longest common passage: where it starts in both, and its length.
fn longest(one: &[char], other: &[char]) -> (usize, usize, usize) {
    let mut best = (0, 0, 0);
    // How long the passage is that ends at each place of the other text.
    let mut ending = vec![0_usize; other.len() + 1];
    for (at, letter) in one.iter().enumerate() {
        let mut next = vec![0_usize; other.len() + 1];
        for (beside, it) in other.iter().enumerate() {
            if letter != it {
                continue;
            }
            let length = ending.get(beside).copied().unwrap_or_default() + 1;
            if let Some(place) = next.get_mut(beside + 1) {
                *place = length;
            }
            if length > best.2 {
                best = (at + 1 - length, beside + 1 - length, length);
            }
        }
        ending = next;
    }
    best
}

/// The normal form without punctuation at its ends.
pub(super) fn bare(text: &str) -> String {
    let is_edge = |it: char| !it.is_alphanumeric();
    normal(text).trim_matches(is_edge).to_owned()
}

/// A part of a whole. Rules are far shorter than 2^32.
fn share(part: usize, whole: usize) -> f64 {
    let number = |it: usize| f64::from(u32::try_from(it).unwrap_or(u32::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_rule_in_two_wordings_is_one() {
        for (one, other, expected) in [
            ("Rule A.", "rule a", true),
            ("若缺少测试,则不通过。", "若缺少测试,则不通过", true),
            ("若缺少測試則不通過", "若缺少测试则不通过", false),
            ("If no test ran, then fail.", "If  NO test-ran, then fail!", true),
            ("If no test ran, then fail.", "\u{406}f no t\u{435}st r\u{430}n, then fail.", true),
            ("If no test was run, then fail.", "If no test was ran, then fail.", true),
            ("If no test ran at all, then fail", "If no test ran at all, then fail now", true),
            ("If no test ran, then fail.", "If the goal is not met, then fail.", false),
            ("a", "b", false),
            ("...", "。", false),
            ("", "", false),
        ] {
            assert_eq!(is_similar(one, other), expected, "{one:?} {other:?}");
            assert_eq!(is_similar(other, one), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn likeness_is_that_of_ratcliff_and_obershelp() {
        for (one, other, expected) in [
            ("abcd", "bcde", 0.75),
            ("abcd", "abcd", 1.0),
            ("abcd", "efgh", 0.0),
            ("gestalt pattern", "gestalt practice", 24.0 / 31.0),
            ("", "", 1.0),
        ] {
            let found = likeness(one, other);
            assert!((found - expected).abs() < 1e-9, "{one:?} {other:?}: {found}");
        }
    }

    proptest! {
        #[test]
        fn likeness_is_a_share(one in "[abc ]{0,20}", other in "[abc ]{0,20}") {
            let found = likeness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&found));
            prop_assert!((likeness(&one, &one) - 1.0).abs() < 1e-9);
        }
    }
}
