//! A goal in one sentence: how it is told from the id of a task, and which id its task gets
//! (ruling 85).

use provost_kernel::{Digest, TaskId};

/// The longest id that is made from a goal.
const MAX_ID: usize = 32;

/// Words that tell nothing about a task.
const STOP_WORDS: [&str; 37] = [
    "a", "all", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does",
    "for", "from", "has", "have", "if", "in", "into", "is", "it", "its", "of", "on", "or", "our",
    "please", "so", "that", "the", "this", "to", "when", "with", "we",
];

/// Whether a text is a goal: it has white space in it, or letters that no id has.
pub fn is_goal(text: &str) -> bool {
    let is_foreign = |it: char| it.is_alphabetic() && !it.is_ascii();
    text.trim().contains(|it: char| it.is_whitespace() || is_foreign(it))
}

/// The goals of a list, one per line. Bullets, numbers and blank lines are taken as in Markdown: a
/// heading says nothing to do, and a box that is ticked is done.
pub fn in_list(text: &str) -> Vec<String> {
    text.lines().filter_map(in_line).map(str::to_owned).collect()
}

fn in_line(line: &str) -> Option<&str> {
    let line = line.trim();
    if line.trim_start_matches('#').starts_with(' ') && line.starts_with('#') {
        return None;
    }
    let numbered = line.trim_start_matches(|it: char| it.is_ascii_digit());
    let numbered = numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < line.len());
    let bullet = line.strip_prefix(['-', '*', '+']).or(numbered);
    // A bullet stands apart from the text.
    let text = bullet.filter(|it| it.is_empty() || it.starts_with([' ', '\t'])).unwrap_or(line);
    let text = text.trim_start();
    if ["[x]", "[X]"].iter().any(|it| text.starts_with(it)) {
        return None;
    }
    let text = text.strip_prefix("[ ]").unwrap_or(text).trim();
    Some(text).filter(|it| !it.is_empty())
}

/// The ids for the task of a goal, in the order in which they are tried: `fix-login`,
/// `fix-login-2`, …
pub fn ids(goal: &str) -> impl Iterator<Item = TaskId> {
    let base = name(goal);
    (1_u32..).map_while(move |count| match count {
        1 => base.parse().ok(),
        count => format!("{base}-{count}").parse().ok(),
    })
}

/// The words of a goal that say the most, or its digest where it has no Latin letters.
fn name(goal: &str) -> String {
    let lower = goal.to_ascii_lowercase();
    // An apostrophe does not end a word: `doesn't`.
    let plain: String = lower.chars().filter(|it| !matches!(it, '\'' | '’')).collect();
    let words: Vec<&str> =
        plain.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let telling: Vec<&str> = words.iter().copied().filter(|it| !STOP_WORDS.contains(it)).collect();
    let chosen = if telling.is_empty() { &words } else { &telling };
    let mut name = String::new();
    for word in chosen {
        let room = MAX_ID.saturating_sub(name.len());
        if name.is_empty() {
            name.extend(word.chars().take(room));
        } else if word.len() < room {
            name = format!("{name}-{word}");
        } else {
            break;
        }
    }
    let is_latin = name.contains(|it: char| it.is_ascii_alphabetic());
    if is_latin && !has_more_foreign_words(goal, &name) {
        return name;
    }
    let digest = Digest::of_bytes(goal.trim().as_bytes()).to_string();
    let hex: String = digest.chars().filter(char::is_ascii_hexdigit).take(8).collect();
    if is_latin { format!("{name}-{hex}") } else { format!("task-{hex}") }
}

/// Whether most of a goal is in another script: then its few Latin words do not tell it from others.
fn has_more_foreign_words(goal: &str, name: &str) -> bool {
    let foreign = goal.chars().filter(|it| it.is_alphabetic() && !it.is_ascii()).count();
    foreign > name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_told_from_an_id_and_a_path() {
        for (text, expected) in [
            ("fix the login", true),
            ("修复登录", true),
            ("résumé", true),
            ("fix-login", false),
            ("fix_login", false),
            ("tasks/fix-login.json", false),
            ("t1", false),
            (" t1 ", false),
            ("", false),
            ("typo!", false),
        ] {
            assert_eq!(is_goal(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_id_says_what_the_goal_says() {
        let first = |goal: &str| ids(goal).next().unwrap().to_string();
        for (goal, expected) in [
            ("total() ignores the discount", "total-ignores-discount"),
            ("fix the login for addresses with a plus sign", "fix-login-addresses-plus-sign"),
            ("Fix #482: crash on an empty cart", "fix-482-crash-empty-cart"),
            ("It doesn't work", "doesnt-work"),
            ("to be or not to be", "not"),
            ("do it", "do-it"),
            ("x", "x"),
            ("Antidisestablishmentarianism is long enough", "antidisestablishmentarianism"),
            (&"y".repeat(80), &"y".repeat(32)),
        ] {
            assert_eq!(first(goal), expected);
        }
    }

    #[test]
    fn a_goal_in_another_script_has_an_id_of_its_own() {
        let first = |goal: &str| ids(goal).next().unwrap().to_string();
        let (one, other) = (first("修复登录"), first("修复注册"));
        assert!(one.starts_with("task-") && one.len() == 13, "{one}");
        assert_ne!(one, other);
        assert_eq!(one, first(" 修复登录 "));
        // A few Latin words among others tell only half of it.
        let mixed = first("让 login 页面支持带加号的邮箱地址");
        assert!(mixed.starts_with("login-") && mixed.len() == 14, "{mixed}");
        assert!(first("2024 12").starts_with("task-"));
    }

    #[test]
    fn a_list_has_a_goal_per_line() {
        let list = "# Today\n\n- fix the login\n* add a test\n  + indented\n1. first\n12) last\n\
                    - [ ] open box\n- [x] done\n-\n--force is ignored\n#482 crashes\n3 columns\n修复登录\n";
        let expected = [
            "fix the login",
            "add a test",
            "indented",
            "first",
            "last",
            "open box",
            "--force is ignored",
            "#482 crashes",
            "3 columns",
            "修复登录",
        ];
        assert_eq!(in_list(list), expected);
        assert_eq!(in_list("\n \n"), [""; 0]);
    }

    #[test]
    fn an_id_that_is_taken_is_counted_on() {
        let some: Vec<String> = ids("fix it").take(3).map(|it| it.to_string()).collect();
        assert_eq!(some, ["fix", "fix-2", "fix-3"]);
    }
}
