//! Whether a reason names something: what the reader wants, how the content is built, what it
//! takes. Praise alone names nothing.

use std::borrow::Cow;

use super::{
    lexicon::Lexicon,
    text::{Tokens, stem, tokens, words},
    words::Phrases,
};

/// A keyword of an intent in Latin letters has at least this many.
const LEAST_LETTERS: usize = 3;

/// What was found in one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Specifics {
    /// A word that the intent has, too.
    pub(super) intent: Option<String>,
    /// How the content is built.
    pub(super) structure: Option<String>,
    /// A figure, or what it costs and brings.
    pub(super) cost: Option<String>,
    /// Praise that was left out of the search.
    pub(super) generic: Option<String>,
}

/// The words of an intent that say something.
pub(super) fn keywords<'a>(lexicon: &Lexicon, intent: &'a str) -> Tokens<'a> {
    tokens(lexicon, intent).filter(|it| {
        let is_long = !it.is_ascii() || it.len() >= LEAST_LETTERS;
        is_long && !lexicon.weak.contains(it)
    })
}

/// Finds what is specific in a reason in normal form.
pub(super) fn specifics(lexicon: &Lexicon, keywords: &Tokens<'_>, normal: &str) -> Specifics {
    let (rest, generic) = without_praise(lexicon, normal);
    let own = tokens(lexicon, &rest);
    let intent = own.iter().find(|it| keywords.contains(it)).map(str::to_owned);
    let (mut structure, mut cost) = (None, None);
    for word in words(&rest) {
        let stem = stem(word);
        if structure.is_none() && lexicon.structure_words.contains(&stem) {
            structure = Some(word.to_owned());
        }
        if cost.is_none()
            && (lexicon.cost_words.contains(word) || lexicon.cost_words.contains(&stem))
        {
            cost = Some(word.to_owned());
        }
    }
    let part = |parts: &Phrases| parts.first_in(&rest).map(str::to_owned);
    let structure = structure.or_else(|| part(&lexicon.structure_parts));
    let cost = cost
        .or_else(|| part(&lexicon.cost_parts))
        .or_else(|| lexicon.figure.find(&rest).map(|it| it.as_str().to_owned()));
    Specifics { intent, structure, cost, generic }
}

/// Whether a reason in normal form, which has these tokens, is specific: what [`specifics`] would
/// find, without naming it.
pub(super) fn is_specific(
    lexicon: &Lexicon,
    keywords: &Tokens<'_>,
    normal: &str,
    own: &Tokens<'_>,
) -> bool {
    let (rest, praise) = without_praise(lexicon, normal);
    let meets = |own: &Tokens<'_>| own.common(keywords) > 0;
    let is_meant = if praise.is_none() { meets(own) } else { meets(&tokens(lexicon, &rest)) };
    let is_cue = |word: &str| {
        let stem = stem(word);
        lexicon.structure_words.contains(&stem)
            || lexicon.cost_words.contains(word)
            || lexicon.cost_words.contains(&stem)
    };
    is_meant
        || words(&rest).any(is_cue)
        || lexicon.structure_parts.is_in(&rest)
        || lexicon.cost_parts.is_in(&rest)
        || lexicon.figure.is_match(&rest)
}

#[cfg(test)]
impl Specifics {
    /// Whether something was named.
    pub(super) fn is_specific(&self) -> bool {
        self.intent.is_some() || self.structure.is_some() || self.cost.is_some()
    }
}

/// Deletes generic praise, longest first, and says which was found first.
fn without_praise<'a>(lexicon: &Lexicon, normal: &'a str) -> (Cow<'a, str>, Option<String>) {
    // Most reasons have none of it.
    if !lexicon.generic_reasons.is_in(normal) {
        return (Cow::Borrowed(normal), None);
    }
    let (mut rest, mut found) = (normal.to_owned(), None);
    for phrase in lexicon.generic_reasons.iter() {
        let mut from = 0;
        while let Some(at) = rest.get(from..).and_then(|it| it.find(phrase)) {
            let (start, end) = (from + at, from + at + phrase.len());
            if is_whole(&rest, start, end) {
                rest.replace_range(start..end, " ");
                found.get_or_insert_with(|| phrase.to_owned());
                from = start + 1;
            } else {
                from = end;
            }
        }
    }
    (Cow::Owned(rest), found)
}

/// Whether a Latin phrase is not a part of a longer word.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |it: Option<&u8>| it.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    let (first, last) = (bytes.get(start), bytes.get(end.wrapping_sub(1)));
    let joined_before = is_letter(first) && start > 0 && is_letter(bytes.get(start - 1));
    let joined_after = is_letter(last) && is_letter(bytes.get(end));
    !joined_before && !joined_after
}

#[cfg(test)]
mod tests {
    use super::{
        super::{lexicon::shared, text::norm},
        *,
    };

    #[track_caller]
    fn check(intent: &str, reason: &str, expected: &str) {
        let (intent, normal) = (norm(intent), norm(reason));
        let keywords = keywords(shared(), &intent);
        let found = specifics(shared(), &keywords, &normal);
        assert_eq!(
            is_specific(shared(), &keywords, &normal, &tokens(shared(), &normal)),
            found.is_specific(),
            "{reason:?}"
        );
        let mark =
            |it: &Option<String>, letter: &'static str| if it.is_some() { letter } else { "" };
        let actual =
            [mark(&found.intent, "i"), mark(&found.structure, "s"), mark(&found.cost, "c")];
        assert_eq!(actual.concat(), expected, "{reason:?}: {found:?}");
    }

    /// EVAL-5.2: what makes a reason concrete, in both languages.
    #[test]
    fn reasons_and_their_clues() {
        let intent = "I want a practical database migration checklist";
        check(intent, "Very useful and worth reading", "");
        check(intent, "Great content, insightful article", "");
        check(intent, "It covers database rollback in production", "i");
        check(intent, "Has a step by step framework", "s");
        check(intent, "Takes about 20 minutes to apply", "c");
        check(intent, "Good trade-off discussion", "c");
        check(intent, "Comes with migrations and a template", "is");
        check(intent, "Practical and clear", "");
        check(intent, "A specialist leadership explanation", "");
        check(intent, "The author is a great writer", "");
        let intent = "我想学习数据库迁移的实用方法";
        check(intent, "内容很好,值得一读", "");
        check(intent, "干货满满,很有启发", "");
        check(intent, "讲清了零停机迁移", "i");
        check(intent, "给出了完整的步骤和模板", "s");
        check(intent, "只需20分钟就能读完", "c");
        check(intent, "上手成本低", "c");
        check(intent, "实用而且清晰", "");
        check(intent, "与目标相关", "");
    }

    #[test]
    fn praise_inside_a_word_is_no_praise() {
        let (rest, found) = without_praise(shared(), "usefulness of it");
        assert_eq!((&*rest, found), ("usefulness of it", None));
        let (rest, found) = without_praise(shared(), "useful, very useful");
        assert_eq!((&*rest, found.as_deref()), (" ,  ", Some("very useful")));
    }
}
