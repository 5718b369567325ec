//! What a criterion needs: fixed before anybody works on it.

use provost_kernel::story::{Criterion, ProofNeed, VerifyOnBase};

use super::text_only::is_text_only;
use crate::words::WORDS;

/// How strong the proof of a criterion has to be. `verify` is how the plan's own command ends on the
/// base, where that is known.
pub fn need(criterion: &Criterion, verify: Option<VerifyOnBase>) -> ProofNeed {
    if let Some(need) = criterion.need {
        return need;
    }
    match (&criterion.verify, verify) {
        (Some(command), _) if is_text_only(command) => ProofNeed::Present,
        (Some(_), Some(VerifyOnBase::Red)) => ProofNeed::Proven,
        (Some(_), Some(VerifyOnBase::Green)) => ProofNeed::Holds,
        (None, _) if says_unchanged(&criterion.text) => ProofNeed::Holds,
        (None, _) if is_about_document(&criterion.text) => ProofNeed::Present,
        // Where the base cannot run a command, what makes it run comes with the work.
        (None, _) | (Some(_), Some(VerifyOnBase::Missing) | None) => ProofNeed::Shown,
    }
}

/// Whether a criterion asks that something stays as it is.
fn says_unchanged(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_word = |word: &&String| {
        lower.match_indices(word.as_str()).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + word.len()..].chars().next();
            let is_letter = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
            !is_letter(before) && !is_letter(after)
        })
    };
    WORDS.unchanged.en.iter().any(|it| is_word(&it))
        || WORDS.unchanged.zh.iter().any(|it| lower.contains(it.as_str()))
}

/// Whether a criterion is about documents: it names one, and no file of another kind.
fn is_about_document(text: &str) -> bool {
    let separators =
        |it: char| it.is_whitespace() || "`'\"“”‘’「」，。；：、()（）,;:".contains(it);
    let mut words = text.split(separators).map(|it| it.trim_end_matches('.')).peekable();
    let is_path = |it: &str| {
        it.rsplit_once('.').is_some_and(|(name, ending)| {
            !name.is_empty()
                && (1..=5).contains(&ending.len())
                && ending.chars().all(char::is_alphabetic)
        })
    };
    let all: Vec<&str> = words.by_ref().filter(|it| !it.is_empty()).collect();
    let has_document = all.iter().any(|it| is_document(it));
    has_document && !all.iter().any(|it| is_path(it) && !is_document(it))
}

/// Whether a path or a name is that of a document for people.
pub fn is_document(path: &str) -> bool {
    const ENDINGS: [&str; 6] = [".md", ".txt", ".rst", ".adoc", ".markdown", ".mdx"];
    const NAMES: [&str; 5] = ["readme", "changelog", "license", "contributing", "authors"];
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    ENDINGS.iter().any(|it| name.ends_with(it)) || NAMES.contains(&name.as_str())
}

/// What a criterion quotes.
pub(super) fn quotes(text: &str) -> Vec<String> {
    const MARKS: [(char, char); 5] = [('`', '`'), ('"', '"'), ('“', '”'), ('「', '」'), ('‘', '’')];
    let mut found = Vec::new();
    for (open, close) in MARKS {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((quoted, more)) = behind.split_once(close) else { break };
            if !quoted.trim().is_empty() {
                found.push(quoted.trim().to_owned());
            }
            rest = more;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use provost_kernel::Digest;

    use super::*;

    fn criterion(text: &str, verify: Option<&str>) -> Criterion {
        Criterion {
            id: "AC-1".parse().unwrap(),
            text: text.to_owned(),
            digest: Digest::of_bytes(text.as_bytes()),
            verify: verify.map(str::to_owned),
            need: None,
        }
    }

    /// PROOF-5: what a criterion needs is read from the plan and from the base alone.
    #[test]
    fn a_criterion_needs_what_its_plan_and_the_base_say() {
        use ProofNeed::{Holds, Present, Proven, Shown};
        for (text, expected) in [
            ("it says hello", Shown),
            ("the check passes", Shown),
            ("all tests pass", Holds),
            ("All tests still pass.", Holds),
            ("the exit code is unchanged", Holds),
            ("it keeps the order", Holds),
            ("a distillery is added", Shown),
            ("全部测试通过", Holds),
            ("旧接口仍然可用", Holds),
            ("登录成功", Shown),
            ("README.md says how to install it", Present),
            ("the CHANGELOG names the change", Present),
            ("`docs/api.md` 说明新选项", Present),
            ("README.md and src/main.rs agree", Shown),
            ("版本 1.2 写在 README", Present),
        ] {
            assert_eq!(need(&criterion(text, None), None), expected, "{text}");
        }
        let with = |command, ended| need(&criterion("it works", Some(command)), ended);
        assert_eq!(with("make check", Some(VerifyOnBase::Red)), Proven);
        assert_eq!(with("make check", Some(VerifyOnBase::Green)), Holds);
        assert_eq!(with("sh new.sh", Some(VerifyOnBase::Missing)), Shown);
        assert_eq!(with("make check", None), Shown);
        assert_eq!(with("grep -q x README.md", Some(VerifyOnBase::Red)), Present);
        let said = Criterion { need: Some(Holds), ..criterion("it says hello", None) };
        assert_eq!(need(&said, None), Holds);
    }

    #[test]
    fn quotes_are_found_in_both_languages() {
        assert_eq!(quotes("it prints `a b` and \"c\""), ["a b", "c"]);
        assert_eq!(quotes("显示“你好”和「再见」"), ["你好", "再见"]);
        assert_eq!(quotes("an open `mark"), Vec::<String>::new());
    }
}
