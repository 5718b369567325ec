//! Headings that open a story.

use provost_kernel::story::{StoryId, StoryIdError};

/// What stands between the number of a story and its title.
const SEPARATORS: [char; 16] =
    [':', '：', '-', '–', '—', '－', '.', '。', '、', '|', ')', '）', ']', '】', ' ', '\u{3000}'];

/// Reads `US-001: title`, `US-001 - title`, `US-001：标题` or `User Story 1 - title`.
///
/// Nothing, when the heading opens no story; an error, when it means to and its number is none.
pub(super) fn story(text: &str) -> Option<Result<(StoryId, String), StoryIdError>> {
    let text = text.trim_start_matches(|it: char| !it.is_alphanumeric());
    let (id, rest) = written_id(text).or_else(|| numbered(text))?;
    // `US-001a` and `US-1.2` are names of something else.
    if rest.starts_with(|it: char| it.is_alphanumeric() || it == '_') {
        return None;
    }
    let is_fraction =
        rest.strip_prefix('.').is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    if is_fraction {
        return None;
    }
    Some(id.parse::<StoryId>().map(|id| {
        let title = rest.trim_start_matches(SEPARATORS).trim();
        let title = if title.is_empty() { id.as_str() } else { title };
        let title = title.to_owned();
        (id, title)
    }))
}

/// `US-001`, and the rest.
fn written_id(text: &str) -> Option<(String, &str)> {
    let rest = strip_word(text, "us")?;
    let rest = rest.strip_prefix(['-', '‐', '‑', '–', '－', '_']).unwrap_or(rest);
    digits(rest).map(|(digits, rest)| (format!("US-{digits}"), rest))
}

/// `User Story 1`, `Story 1` or `用户故事 1` as an id with three digits, and the rest.
fn numbered(text: &str) -> Option<(String, &str)> {
    let rest =
        ["user story", "用户故事", "story", "故事"].iter().find_map(|it| strip_word(text, it))?;
    let (digits, rest) = digits(rest.trim_start().trim_start_matches('#'))?;
    Some((format!("US-{digits:0>3}"), rest))
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest)
}

fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// The story of a phase in a task list: `Phase 3: User Story 1 - Title (Priority: P1)`.
pub(super) fn phase_story(heading: &str) -> Option<(StoryId, String)> {
    const LONGEST: usize = 400;
    if heading.len() > LONGEST {
        return None;
    }
    let is_start = |at: usize| !heading[..at].ends_with(char::is_alphanumeric);
    let mut starts = heading.char_indices().map(|(at, _)| at).filter(|&at| is_start(at));
    let (id, title) = starts.find_map(|at| story(&heading[at..])?.ok())?;
    let end = title.find(['(', '（']).unwrap_or(title.len());
    let title = title[..end].trim();
    let title = if title.is_empty() { id.as_str() } else { title };
    let title = title.to_owned();
    Some((id, title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(heading: &str, expected: Option<&str>) {
        let actual = story(heading).map(|it| match it {
            Ok((id, title)) => format!("{id}|{title}"),
            Err(_) => "error".to_owned(),
        });
        assert_eq!(actual.as_deref(), expected, "{heading:?}");
    }

    #[test]
    fn a_story_is_opened_by_its_number() {
        check("US-001: Login", Some("US-001|Login"));
        check("US-001 - Login", Some("US-001|Login"));
        check("US-001 – Login - now", Some("US-001|Login - now"));
        check("US-001：标题", Some("US-001|标题"));
        check("us-1. Login", Some("US-1|Login"));
        check("US-001 Login", Some("US-001|Login"));
        check("[US-001] Login", Some("US-001|Login"));
        check("✅ US-001: Login", Some("US-001|Login"));
        check("US001: Login", Some("US-001|Login"));
        check("US－001：标题", Some("US-001|标题"));
        check("US-001", Some("US-001|US-001"));
        check("User Story 1 - Login (Priority: P1)", Some("US-001|Login (Priority: P1)"));
        check("用户故事 2：登录", Some("US-002|登录"));
        check("Story #3: x", Some("US-003|x"));
    }

    #[test]
    fn other_headings_open_none() {
        for other in [
            "",
            "Usage",
            "US",
            "US-",
            "US market",
            "USA-1",
            "US-001a",
            "US-1.2 x",
            "User Stories",
            "Notes on US-001",
            "Storyline 1",
            "用户故事",
            "AUS-1",
        ] {
            check(other, None);
        }
        check("US-1234567: x", Some("error"));
    }

    #[test]
    fn a_phase_names_its_story() {
        for (heading, expected) in [
            ("Phase 3: User Story 1 - Log in (Priority: P1) 🎯 MVP", Some("US-001|Log in")),
            ("阶段 3：用户故事 1 - 登录（优先级：P1）", Some("US-001|登录")),
            ("Phase 4: US2 (P1)", Some("US-2|US-2")),
            ("Phase 1: Setup", None),
            ("Phase 2: Focus-1", None),
        ] {
            let actual = phase_story(heading).map(|(id, title)| format!("{id}|{title}"));
            assert_eq!(actual.as_deref(), expected, "{heading:?}");
        }
    }
}
