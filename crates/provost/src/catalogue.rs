//! One walk over every message of the workspace (USE-12).

use std::collections::BTreeSet;

use provost_kernel::message::templates;

/// Lower-case names that stand in a Chinese text as they are. Acronyms and proper names are capital.
const NAMES: [&str; 8] = ["git", "id", "make", "opencode", "p", "provost", "schema", "shell"];

/// The words of a template outside of code spans and arguments.
fn words(template: &str) -> impl Iterator<Item = String> {
    let (mut is_code, mut depth) = (false, 0_usize);
    let prose: String = template
        .chars()
        .map(|it| {
            match it {
                '`' => is_code = !is_code,
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => return if is_code || depth > 0 { ' ' } else { it },
            }
            ' '
        })
        .collect();
    let words: Vec<String> = prose
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|it| it.chars().any(|it| it.is_ascii_alphabetic()))
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|it| matches!(it, '\u{3400}'..='\u{9fff}'))
}

#[test]
fn every_message_has_its_own_code() {
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = templates().map(|it| it.code).filter(|it| !seen.insert(*it)).collect();
    assert!(twice.is_empty(), "codes used twice: {twice:?}");
    assert!(seen.len() > 500, "only {} templates are linked", seen.len());
}

#[test]
fn every_message_speaks_both_languages() {
    let wrong: Vec<_> = templates()
        .filter(|it| it.en.is_empty() || it.zh.is_empty() || is_chinese(it.en))
        .map(|it| it.code)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let english: BTreeSet<_> = templates()
        .flat_map(|it| words(it.zh).map(|word| (word, it.code)))
        .filter(|(word, _)| word.starts_with(|it: char| it.is_ascii_lowercase()))
        .filter(|(word, _)| !NAMES.contains(&word.as_str()))
        .collect();
    assert!(english.is_empty(), "English left in Chinese: {english:#?}");
}

/// Full-width punctuation belongs to Chinese: a half-width mark directly behind a Chinese letter
/// is a slip.
#[test]
fn chinese_punctuation_is_full_width() {
    let slips: Vec<_> = templates()
        .filter(|it| {
            let letters: Vec<char> = it.zh.chars().collect();
            letters.windows(2).any(|pair| {
                matches!(pair[0], '\u{3400}'..='\u{9fff}')
                    && matches!(pair[1], ',' | ':' | ';' | '?' | '!')
            })
        })
        .map(|it| (it.code, it.zh))
        .collect();
    assert!(slips.is_empty(), "{slips:#?}");
}
