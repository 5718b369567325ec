//! One walk over every message of the workspace (USE-12).

use std::collections::BTreeSet;

use provost_kernel::message::templates;

/// Words that stand in Chinese texts as they are: names, formats, commands.
fn is_plain(text: &str) -> bool {
    // What is quoted in backticks or braces is a name or an argument.
    let mut inside = false;
    let outside: String = text
        .chars()
        .filter(|it| {
            if matches!(it, '`' | '{' | '}') {
                inside = !inside;
            }
            !inside
        })
        .collect();
    outside.chars().any(|it| it.is_ascii_alphabetic())
}

/// Texts without a Chinese letter are arguments and punctuation alone.
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
    let english: Vec<_> = templates()
        .filter(|it| !is_chinese(it.zh) && is_plain(it.zh))
        .map(|it| (it.code, it.zh))
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
