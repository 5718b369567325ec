//! How much a text names: the object of an action, the subject of a headline.

use std::borrow::Cow;

use super::{
    lexicon::Lexicon,
    text::{TextRun, norm, runs, stem},
    verb_lead::verb_led,
    words::Phrases,
};

/// Whether numbers count as information.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    Count,
    Ignored,
}

/// The most that one clause of the action names after its verb; nothing if no clause starts with
/// a verb.
pub(super) fn action_information(lexicon: &Lexicon, action: &str) -> Option<f64> {
    let amounts = action.lines().flat_map(|line| {
        let normal = norm(line);
        clauses(&normal)
            .into_iter()
            .filter_map(|it| object_information(lexicon, it))
            .collect::<Vec<_>>()
    });
    amounts.reduce(f64::max)
}

/// What a headline names besides generic words.
pub(super) fn headline_information(lexicon: &Lexicon, headline: &str) -> f64 {
    let normal = norm(headline);
    let generic = |word: &str| lexicon.generic_heads.contains(word);
    information(lexicon, &normal, generic, &lexicon.generic_heads_zh, Numbers::Ignored)
}

/// Whether a headline has a digit or a technical word, such as `SQLite` or `p99`.
pub(super) fn has_technical_token(headline: &str) -> bool {
    headline.chars().any(char::is_numeric)
        || runs(headline).any(|run| match run {
            TextRun::Latin(word) => is_technical(word),
            TextRun::Cjk(_) => false,
        })
}

/// Two capitals, or a capital after a small letter.
fn is_technical(word: &str) -> bool {
    word.chars().filter(|it| it.is_uppercase()).count() >= 2
        || word.chars().skip(1).any(char::is_uppercase)
}

fn object_information(lexicon: &Lexicon, clause: &str) -> Option<f64> {
    let lead = verb_led(lexicon, clause)?;
    let vague = |word: &str| lexicon.vague_objects.contains(word);
    let of = |text| information(lexicon, text, vague, &lexicon.vague_objects_zh, Numbers::Count);
    Some(of(lead.before) + of(lead.after))
}

/// One for a word that says something, a half for a Chinese character that does.
fn information(
    lexicon: &Lexicon,
    text: &str,
    is_empty: impl Fn(&str) -> bool,
    empty_parts: &Phrases,
    numbers: Numbers,
) -> f64 {
    let mut total = 0.0;
    for run in runs(text) {
        match run {
            TextRun::Latin(word) => {
                let is_number = word.chars().all(char::is_numeric);
                let says = if is_number {
                    numbers == Numbers::Count
                } else {
                    let (stem, is_letter) = (stem(word), word.chars().nth(1).is_none());
                    let stops = |it: &str| lexicon.stop.contains(it) || is_empty(it);
                    !is_letter && !stops(word) && !stops(&stem)
                };
                total += f64::from(u8::from(says));
            }
            TextRun::Cjk(run) => {
                for part in without_parts(run, empty_parts).split(' ') {
                    let says = part.chars().filter(|it| !lexicon.stop_characters.contains(*it));
                    total += says.map(|_| 0.5).sum::<f64>();
                }
            }
        }
    }
    total
}

/// Deletes parts, longest first. A run has no spaces, so that where one is deleted no other begins.
fn without_parts<'a>(run: &'a str, parts: &Phrases) -> Cow<'a, str> {
    let mut rest = Cow::Borrowed(run);
    for part in parts.all_in(run) {
        if rest.contains(part) {
            rest = Cow::Owned(rest.replace(part, " "));
        }
    }
    rest
}

/// The clauses of a text in normal form.
fn clauses(normal: &str) -> Vec<&str> {
    let mut clauses = vec![normal];
    for word in [" and ", " then ", " so ", "并且", "然后", "同时"] {
        clauses = clauses.into_iter().flat_map(|it| it.split(word)).collect();
    }
    clauses.into_iter().flat_map(sentences).filter(|it| !it.trim().is_empty()).collect()
}

/// Splits at punctuation, at a full stop before a space or the end, and at 并 where it is a word.
fn sentences(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, letter) in text.char_indices() {
        let (before, after) = (text.get(..at), text.get(at + letter.len_utf8()..));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let splits = match letter {
            ',' | ';' | ':' | '!' | '?' | '。' | '、' => true,
            '.' => after.is_empty() || after.starts_with(' '),
            '并' => !before.ends_with('合') && !after.starts_with(['发', '行', '列', '购', '入']),
            _ => false,
        };
        if splits {
            parts.push(text.get(from..at).unwrap_or_default());
            from = at + letter.len_utf8();
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

#[cfg(test)]
mod tests {
    use super::{super::lexicon::shared, *};

    /// EVAL-5.2: an explicit action with an object or a limit, in both languages.
    #[test]
    fn actions_and_what_they_name() {
        for (action, expected) in [
            ("Write a one-page migration plan", Some(3.0)),
            ("Apply it to your own work", Some(0.0)),
            ("Put this into practice.", Some(0.0)),
            ("Read it carefully and take action", Some(0.0)),
            ("Think about it", None),
            ("Start small, then draft 3 questions", Some(2.0)),
            ("Publish.", Some(0.0)),
            ("Great insights for everyone", None),
            ("写一页迁移方案", Some(2.5)),
            ("把所学应用到工作中", Some(0.0)),
            ("实践一下", Some(0.0)),
            ("行动起来", None),
            ("合并两个分支", Some(1.5)),
            ("把清单发给团队并约一次评审", Some(2.0)),
            ("深入思考,提升自己", None),
            ("", None),
        ] {
            assert_eq!(action_information(shared(), action), expected, "{action:?}");
        }
    }

    /// EVAL-5.3: headlines and what they name.
    #[test]
    fn headlines_and_what_they_name() {
        for (headline, expected) in [
            ("Thoughts on productivity", 0.0),
            ("10 tips for a better life", 0.0),
            ("Zero-downtime Postgres migrations", 4.0),
            ("The ultimate guide to SQLite", 1.0),
            ("关于成长的一些思考", 0.0),
            ("数据库迁移的回滚清单", 4.5),
            ("2024 2025", 0.0),
        ] {
            assert!(
                (headline_information(shared(), headline) - expected).abs() < 1e-9,
                "{headline:?}: {}",
                headline_information(shared(), headline)
            );
        }
    }

    #[test]
    fn technical_words_are_seen() {
        for (text, expected) in [
            ("SQLite", true),
            ("p99", true),
            ("API", true),
            ("Postgres", false),
            ("7 days", true),
            ("数据", false),
        ] {
            assert_eq!(has_technical_token(text), expected, "{text:?}");
        }
    }
}
