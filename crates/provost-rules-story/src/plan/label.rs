//! Recognises the labels and headings of a plan, in both languages.

use crate::words::WORDS;

/// What a label says about the text that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Criteria,
    Description,
    Priority,
    Dependencies,
    /// Tests that the work may change.
    Leave,
    /// A command for a whole story.
    Command,
    /// A note to the reader.
    Note,
    /// Another part of a story, without criteria.
    Other,
}

/// A line that starts with a label, as the label and what stands behind its colon.
///
/// A line without a colon is a label when it is nothing else.
pub(super) fn of_line(line: &str) -> Option<(Label, &str)> {
    let (word, value) = match line.find([':', '：']) {
        Some(at) => {
            let colon = line[at..].chars().next().map_or(0, char::len_utf8);
            (&line[..at], line[at + colon..].trim())
        }
        None => (line, ""),
    };
    of_heading(word).map(|it| (it, value))
}

/// What a heading that consists of a label says.
pub(super) fn of_heading(text: &str) -> Option<Label> {
    let words = words(text);
    [
        (Label::Criteria, &WORDS.criteria),
        (Label::Description, &WORDS.description),
        (Label::Priority, &WORDS.priority),
        (Label::Dependencies, &WORDS.dependencies),
        (Label::Leave, &WORDS.leave),
        (Label::Command, &WORDS.command),
        (Label::Note, &WORDS.note),
        (Label::Other, &WORDS.other),
    ]
    .into_iter()
    .find(|(_, known)| words.iter().any(|it| known.has(it)))
    .map(|(label, _)| label)
}

/// Whether a heading opens the section of stories.
pub(super) fn is_stories(text: &str) -> bool {
    words(text).iter().any(|it| WORDS.stories.has(it))
}

/// The names in a heading: `2. Acceptance Criteria / 验收标准` has two.
fn words(text: &str) -> Vec<String> {
    const LONGEST: usize = 80;
    if text.len() > LONGEST {
        return Vec::new();
    }
    let text = without_number(text.trim());
    let end = text.find(['(', '（']).unwrap_or(text.len());
    text[..end]
        .split(['/', '／', '|'])
        .map(|part| {
            let part = part.trim_matches(|it: char| !it.is_alphanumeric());
            part.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
        })
        .filter(|it| !it.is_empty())
        .collect()
}

/// A heading without the number of its section: `2.`, `2)`, `2.1`, `二、`.
fn without_number(text: &str) -> &str {
    let is_digit = |it: char| it.is_ascii_digit() || "一二三四五六七八九十".contains(it);
    let rest = text.trim_start_matches(|it| is_digit(it) || it == '.');
    let is_numbered = rest.len() < text.len()
        && (rest.starts_with([' ', ')', '、']) || text[..text.len() - rest.len()].ends_with('.'));
    if is_numbered { rest.trim_start_matches([' ', ')', '、']) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Label, &str)>) {
        assert_eq!(of_line(line), expected, "{line:?}");
    }

    #[test]
    fn a_label_is_known_in_both_languages() {
        check("Acceptance Criteria:", Some((Label::Criteria, "")));
        check("acceptance  criteria", Some((Label::Criteria, "")));
        check("Acceptance Criteria：", Some((Label::Criteria, "")));
        check("验收标准：", Some((Label::Criteria, "")));
        check("✅ 验收标准", Some((Label::Criteria, "")));
        check("Acceptance Criteria / 验收标准:", Some((Label::Criteria, "")));
        check("Acceptance Criteria (AC)", Some((Label::Criteria, "")));
        check("2. 验收标准", Some((Label::Criteria, "")));
        check("描述：每个 AC 都有", Some((Label::Description, "每个 AC 都有")));
        check("Priority: 1", Some((Label::Priority, "1")));
        check("优先级：2", Some((Label::Priority, "2")));
        check("验证命令: `pnpm test`", Some((Label::Command, "`pnpm test`")));
        check("Tests may change: tests/a.py", Some((Label::Leave, "tests/a.py")));
        check("**可以修改的测试**：`tests/`", Some((Label::Leave, "`tests/`")));
        check("备注：x: y", Some((Label::Note, "x: y")));
    }

    #[test]
    fn a_sentence_is_no_label() {
        check("The acceptance criteria are met", None);
        check("AC is shown", None);
        check("https://example.org", None);
        check("Access: granted", None);
        check("", None);
        check(":", None);
        check(&"验".repeat(200), None);
    }

    #[test]
    fn the_section_of_stories_has_its_names() {
        for (heading, expected) in [
            ("User Stories", true),
            ("3. User Stories", true),
            ("三、用户故事", true),
            ("用户故事 / User Stories", true),
            ("User Story", false),
            ("Stories we rejected", false),
        ] {
            assert_eq!(is_stories(heading), expected, "{heading:?}");
        }
    }
}
