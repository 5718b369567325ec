//! Whether a rule names a case: by its key, its group, its number in the prompt, or by something
//! that only one case has.

use std::collections::BTreeSet;

use provost_kernel::learn::{GroupId, Label};
use provost_rules::text::{TextRun, is_cjk, runs};

use super::{fold, normal};

/// From this many hexadecimal digits on, a word looks like a commit.
const COMMIT: usize = 7;
/// Digests, which are one even without a letter.
const DIGESTS: [usize; 2] = [40, 64];
/// Fewer digits than this may be a count as well as a name.
const NUMBER: usize = 4;

/// The groups of a run, to be found in a text.
///
/// A group that is one plain word, or a short number, is not looked for: a rule may well use it.
/// Its ticket key is found all the same.
#[derive(Clone, Debug, Default)]
pub struct TicketNames {
    names: BTreeSet<String>,
    /// How many words names have.
    lengths: BTreeSet<usize>,
}

impl TicketNames {
    pub fn new<'a>(groups: impl IntoIterator<Item = &'a GroupId>) -> Self {
        let mut names = Self::default();
        for group in groups.into_iter().map(GroupId::as_str).filter(|it| is_telling(it)) {
            let row = row(group);
            names.lengths.insert(row.len());
            names.names.insert(row.join(" "));
        }
        names
    }

    /// Whether the text names one of the groups.
    pub fn are_in(&self, text: &str) -> bool {
        let row = row(text);
        self.lengths
            .iter()
            .any(|&length| row.windows(length).any(|window| self.names.contains(&window.join(" "))))
    }
}

/// Finds what would tie a rule to one case, and says what it is.
pub fn leak(text: &str, names_ticket: &dyn Fn(&str) -> bool) -> Option<&'static str> {
    let folded = fold(text);
    if Label::WORDS.iter().any(|label| folded.contains(&format!("::{label}"))) {
        return Some("ticket_key");
    }
    if names_ticket(text) {
        return Some("ticket_name");
    }
    if has_handle(&normal(text)) {
        return Some("case_number");
    }
    if folded.contains("://") || folded.contains("www.") {
        return Some("address");
    }
    if has_date(folded.as_bytes()) {
        return Some("timestamp");
    }
    if has_absolute_path(&folded) {
        return Some("absolute_path");
    }
    folded.split(|it: char| !it.is_ascii_alphanumeric()).any(is_commit).then_some("commit")
}

/// A name as words and Chinese characters: what stands between them does not matter.
fn row(text: &str) -> Vec<String> {
    let mut row = Vec::new();
    for run in runs(&normal(text)) {
        match run {
            TextRun::Latin(word) => row.push(word.to_owned()),
            TextRun::Cjk(run) => row.extend(run.chars().map(String::from)),
        }
    }
    row
}

/// Whether a name cannot be mistaken for an ordinary word or a count.
fn is_telling(name: &str) -> bool {
    let normal = normal(name);
    let n_letters = normal.chars().filter(|it| it.is_alphanumeric()).count();
    let n_digits = normal.chars().filter(char::is_ascii_digit).count();
    match runs(&normal).count() {
        0 => false,
        1 => n_digits >= NUMBER || (n_digits > 0 && n_digits < n_letters),
        _ => true,
    }
}

/// Whether the text speaks of a case by its number, as the prompt does.
fn has_handle(normal: &str) -> bool {
    let words: Vec<&str> =
        normal.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
    let is_number = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let by_word = words.windows(2).enumerate().any(|(at, pair)| {
        // "In case 2 tests fail" opens a condition; "as in case 2" does not.
        let opens = matches!(words.get(..at), Some(["in"] | [.., "pass" | "fail" | "then", "in"]));
        matches!(pair, ["case" | "ticket", number] if is_number(number)) && !opens
    });
    let compact: String = normal.chars().filter(|it| *it != ' ').collect();
    let by_character = compact.match_indices('第').any(|(at, it)| {
        let rest = compact.get(at + it.len()..).unwrap_or_default();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest.get(digits..).is_some_and(|it| it.starts_with('组'))
    });
    by_word || by_character
}

/// Whether there is a day such as `2025-01-31`, with or without a time.
fn has_date(bytes: &[u8]) -> bool {
    let is_day = |it: &[u8]| {
        it.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    };
    let is_alone = |at: usize| {
        let is_digit = |it: Option<&u8>| it.is_some_and(u8::is_ascii_digit);
        !is_digit(at.checked_sub(1).and_then(|it| bytes.get(it))) && !is_digit(bytes.get(at + 10))
    };
    bytes.windows(10).enumerate().any(|(at, it)| is_day(it) && is_alone(at))
}

/// Whether there is a path from a root: `/usr`, `~/notes`, `c:\temp`. `and/or` is none.
fn has_absolute_path(folded: &str) -> bool {
    folded.match_indices(['/', '\\']).any(|(at, slash)| {
        let before = folded.get(..at).unwrap_or_default();
        let rest = folded.get(at + 1..).unwrap_or_default();
        let name = rest.chars().take_while(|it| it.is_ascii_alphanumeric() || "._-".contains(*it));
        let n_name = name.count();
        if slash == "\\" {
            let mut drive = before.chars().rev();
            let is_drive = drive.next() == Some(':')
                && drive.next().is_some_and(|it| it.is_ascii_alphabetic())
                && drive.next().is_none_or(|it| !it.is_ascii_alphanumeric());
            return is_drive || (before.ends_with('\\') && n_name > 0);
        }
        let is_deep = rest.get(n_name..).is_some_and(|it| it.starts_with('/'));
        match before.chars().next_back() {
            None => n_name > 0,
            Some('~') => true,
            // After a Chinese character, one slash is a list of two things.
            Some(it) if is_cjk(it) => n_name > 0 && is_deep,
            Some(it) => n_name > 0 && !it.is_alphanumeric() && !"./\\_-)]".contains(it),
        }
    })
}

/// Whether a word is a commit or a digest: letters and digits of a hexadecimal number. Words such
/// as `defaced` and counts such as `10000000` are none.
fn is_commit(word: &str) -> bool {
    let is_hex = word.bytes().all(|it| it.is_ascii_hexdigit());
    let has_digit = word.bytes().any(|it| it.is_ascii_digit());
    let has_letter = word.bytes().any(|it| it.is_ascii_alphabetic());
    is_hex && (DIGESTS.contains(&word.len()) || (word.len() >= COMMIT && has_digit && has_letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(groups: &[&str]) -> TicketNames {
        let groups: Vec<GroupId> = groups.iter().map(|it| it.parse().unwrap()).collect();
        TicketNames::new(&groups)
    }

    /// LEARN-2.3: no sample identifiers.
    #[test]
    fn what_ties_a_rule_to_a_case_is_found() {
        let names = names(&["QC-001", "task 0191", "站点甲-2024", "login", "12", "7f"]);
        for (text, expected) in [
            ("as in x::fail", "ticket_key"),
            ("as in x：：Pass", "ticket_key"),
            ("as in qc 001, then fail", "ticket_name"),
            ("as in ＱＣ－００１, then fail", "ticket_name"),
            ("see QC_001.", "ticket_name"),
            ("the task-0191 shows it", "ticket_name"),
            ("如站点甲 2024 所示,则不通过", "ticket_name"),
            ("like 7f", "ticket_name"),
            ("as in case 3, then fail", "case_number"),
            ("Case #3 shows it", "case_number"),
            ("如第 3 组所示", "case_number"),
            ("如第12组,则不通过", "case_number"),
            ("see https://example.org/x", "address"),
            ("see www.example.org", "address"),
            ("since 2025-01-31", "timestamp"),
            ("at 2025-01-31T10:00:00Z", "timestamp"),
            ("若/opt/a/b 被修改", "absolute_path"),
            ("if /etc/passwd changed", "absolute_path"),
            ("if (/etc) changed", "absolute_path"),
            ("if ~/notes changed", "absolute_path"),
            ("if C:\\temp changed", "absolute_path"),
            ("after commit 9d0460a it fails", "commit"),
            (&"1".repeat(40), "commit"),
        ] {
            assert_eq!(leak(text, &|it| names.are_in(it)), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn what_many_cases_have_is_no_leak() {
        let names = names(&["QC-001", "login", "12", "test"]);
        for text in [
            "If the login test has 12 steps, then pass.",
            "If QC-0012 or QC is named, then fail.",
            "If a file in src/main is changed and/or removed, then fail.",
            "若缺失/松动/损坏,则不通过",
            "In case 2 tests fail, then fail.",
            "Fail in case 2 tests are skipped.",
            "If a page is defaced or 10000000 rows are lost, then fail.",
            "If the exit code is 0 in 3 of 4 runs, then pass.",
            "第3步缺失则不通过",
            "版本 1.2.3 之后通过",
            "a / b",
            "",
        ] {
            assert_eq!(leak(text, &|it| names.are_in(it)), None, "{text:?}");
        }
    }

    #[test]
    fn a_run_without_telling_names_finds_none() {
        assert!(!names(&[]).are_in("anything 1"));
        assert!(!names(&["a", "7"]).are_in("a 7"));
        assert!(names(&["12345"]).are_in("see 12345"));
    }
}
