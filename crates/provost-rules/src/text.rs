//! Text as evals and learning see it: runs of one script, and words without their plural.
//!
//! There is no word segmentation: Chinese is a run of characters.

use std::borrow::Cow;

/// A maximal part of a text in one kind of script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRun<'a> {
    /// Chinese characters.
    Cjk(&'a str),
    /// Letters and digits of every other script.
    Latin(&'a str),
}

/// Whether the character is Chinese, as the rubric counts it.
pub fn is_cjk(letter: char) -> bool {
    matches!(letter,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// The runs of a text; whatever is neither letter nor digit separates.
pub fn runs(text: &str) -> impl Iterator<Item = TextRun<'_>> {
    let kind = |letter: char| match letter {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => 1_u8,
        _ if letter.is_ascii() => 0,
        _ if is_cjk(letter) => 2,
        _ => u8::from(letter.is_alphanumeric()),
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|it| kind(it) == 0);
        let first = kind(rest.chars().next()?);
        let end = rest.find(|it| kind(it) != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some(if first == 2 { TextRun::Cjk(run) } else { TextRun::Latin(run) })
    })
}

/// A word without its plural (Harman's S-stemmer); only ASCII words of more than three letters.
pub fn stem(word: &str) -> Cow<'_, str> {
    if word.len() <= 3 || !word.is_ascii() {
        return Cow::Borrowed(word);
    }
    if let Some(start) = word.strip_suffix("ies")
        && !start.ends_with(['e', 'a'])
    {
        return Cow::Owned(format!("{start}y"));
    }
    let Some(singular) = word.strip_suffix('s') else { return Cow::Borrowed(word) };
    let stays = match singular.strip_suffix('e') {
        Some(start) => start.ends_with(['a', 'e', 'o']),
        None => singular.ends_with(['u', 's']),
    };
    Cow::Borrowed(if stays { word } else { singular })
}

/// A count as a number. Texts are far shorter than 2^32.
pub fn count(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_plural() {
        for (word, expected) in [
            ("queries", "query"),
            ("eies", "eie"),
            ("steps", "step"),
            ("classes", "classe"),
            ("goes", "goes"),
            ("trees", "trees"),
            ("bus", "bus"),
            ("focus", "focus"),
            ("class", "class"),
            ("data", "data"),
            ("its", "its"),
            ("naïves", "naïves"),
            ("boxes", "boxe"),
            ("cases", "case"),
        ] {
            assert_eq!(stem(word), expected, "{word:?}");
        }
    }
}
