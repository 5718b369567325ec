//! The name of a branch, as a plan gives it.
//!
//! A plan is written by people and read by agents, and its branch ends up on command lines. So
//! the rules are git's own for a branch, and beyond them nothing that a shell would act on.

use std::str::FromStr;

use crate::{Message, shorten, text_id::text_id};

text_id! {
    /// A name that git takes for a branch and that no shell and no option parser acts on.
    #[schemars(with = "String", extend("minLength" = 1, "maxLength" = 200))]
    pub struct BranchName(String): BranchNameError;
}

/// A string that is not a [`BranchName`], with the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.branch",
    en = "invalid branch name {shown:?}: {why}",
    zh = "分支名 {shown:?} 无效：{why}",
    hint(
        en = "use letters, digits, `-`, `_` and `/`, such as `ralph/login`",
        zh = "请使用字母、数字、`-`、`_` 和 `/`，例如 `ralph/login`",
    )
)]
pub struct BranchNameError {
    shown: String,
    why: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.branch_rule")]
enum Rule {
    #[message(en = "it is empty", zh = "不能为空")]
    Empty,
    #[message(en = "it is longer than 200 bytes", zh = "超过 200 字节")]
    TooLong,
    #[message(en = "it contains {0:?}", zh = "包含 {0:?}")]
    BadCharacter(char),
    #[message(en = "it contains `{0}`", zh = "包含 `{0}`")]
    BadSequence(&'static str),
    #[message(en = "it starts with `{0}`", zh = "以 `{0}` 开头")]
    BadStart(&'static str),
    #[message(en = "a component ends with `{0}`", zh = "有一段以 `{0}` 结尾")]
    BadEnd(&'static str),
    #[message(en = "git reserves it", zh = "此名为 git 保留")]
    Reserved,
}

impl BranchName {
    pub const MAX_LEN: usize = 200;

    /// Makes a name from any text: what may not stand in one becomes `-`.
    ///
    /// Nothing is left of a text that has no character of a name.
    pub fn from_words(text: &str) -> Option<Self> {
        const ROOM: usize = 100;
        let mut name = String::new();
        for found in text.chars() {
            let is_plain = is_allowed(found) && !matches!(found, '.' | '@' | '/');
            let found = if is_plain { found } else { '-' };
            if name.len() + found.len_utf8() > ROOM {
                break;
            }
            if found != '-' || !name.ends_with('-') {
                name.push(found);
            }
        }
        name.trim_matches('-').parse().ok()
    }
}

fn is_allowed(found: char) -> bool {
    // Git refuses these in a reference.
    let is_git_syntax = matches!(found, '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    // Git allows these, and a shell acts on them.
    let is_shell_syntax =
        matches!(found, '$' | '`' | ';' | '&' | '|' | '<' | '>' | '(' | ')' | '"' | '\'' | '!');
    // What is not seen, or turns the text around, can make one name look like another.
    let is_invisible = matches!(found,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}');
    let is_blank = found.is_control() || found.is_whitespace();
    !is_git_syntax && !is_shell_syntax && !is_invisible && !is_blank
}

fn check(text: &str) -> Result<(), Rule> {
    if text.is_empty() {
        return Err(Rule::Empty);
    }
    if text.len() > BranchName::MAX_LEN {
        return Err(Rule::TooLong);
    }
    if let Some(bad) = text.chars().find(|&it| !is_allowed(it)) {
        return Err(Rule::BadCharacter(bad));
    }
    if let Some(bad) = ["..", "@{", "//", "/."].into_iter().find(|it| text.contains(it)) {
        return Err(Rule::BadSequence(bad));
    }
    if let Some(bad) = ["-", "/", ".", "refs/"].into_iter().find(|it| text.starts_with(it)) {
        return Err(Rule::BadStart(bad));
    }
    if let Some(bad) = ["/", "."].into_iter().find(|it| text.ends_with(it)) {
        return Err(Rule::BadEnd(bad));
    }
    // On a file system that ignores case, `.LOCK` is git's own lock file, too.
    let is_lock = |it: &str| it.len() >= 5 && it.to_ascii_lowercase().ends_with(".lock");
    if text.split('/').any(is_lock) {
        return Err(Rule::BadEnd(".lock"));
    }
    if text == "@" || text.eq_ignore_ascii_case("HEAD") {
        return Err(Rule::Reserved);
    }
    Ok(())
}

impl FromStr for BranchName {
    type Err = BranchNameError;

    fn from_str(text: &str) -> Result<Self, BranchNameError> {
        let fail = |why| BranchNameError { shown: shorten(text), why };
        check(text).map_err(fail).map(|()| Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lang;

    #[track_caller]
    fn check_name(text: &str, expected: Option<Rule>) {
        assert_eq!(text.parse::<BranchName>().err().map(|it| it.why), expected, "{text:?}");
    }

    #[test]
    fn a_branch_follows_the_rules_of_git() {
        for good in
            ["main", "ralph/login", "feature/#12+a=b,c%d", "v1.2", "任务/登录", "a/-b", "a@b"]
        {
            check_name(good, None);
        }
        check_name("", Some(Rule::Empty));
        check_name(&"a".repeat(200), None);
        check_name(&"a".repeat(201), Some(Rule::TooLong));
        for bad in ['~', '^', ':', '?', '*', '[', '\\', ' ', '\0', '\n', '\u{7f}', '\t'] {
            check_name(&format!("a{bad}b"), Some(Rule::BadCharacter(bad)));
        }
        for bad in ["..", "@{", "//", "/."] {
            check_name(&format!("a{bad}b"), Some(Rule::BadSequence(bad)));
        }
        for bad in ["-", "/", ".", "refs/"] {
            check_name(&format!("{bad}a"), Some(Rule::BadStart(bad)));
        }
        check_name("a/", Some(Rule::BadEnd("/")));
        check_name("a.", Some(Rule::BadEnd(".")));
        check_name("a.lock", Some(Rule::BadEnd(".lock")));
        check_name("a.Lock/b", Some(Rule::BadEnd(".lock")));
        check_name("@", Some(Rule::Reserved));
        check_name("head", Some(Rule::Reserved));
    }

    #[test]
    fn a_branch_says_nothing_to_a_shell_and_hides_nothing_from_a_reader() {
        check_name("a$(touch x)", Some(Rule::BadCharacter('$')));
        for bad in "$`;&|<>()\"'!".chars() {
            check_name(&format!("a{bad}b"), Some(Rule::BadCharacter(bad)));
        }
        check_name("--upload-pack=x", Some(Rule::BadStart("-")));
        for bad in ['\u{202e}', '\u{200b}', '\u{feff}', '\u{3000}', '\u{2066}', '\u{1b}'] {
            check_name(&format!("a{bad}b"), Some(Rule::BadCharacter(bad)));
        }
    }

    #[test]
    fn words_become_a_name() {
        for (words, expected) in [
            ("prd-login", Some("prd-login")),
            ("My plan (v1.2)", Some("My-plan-v1-2")),
            ("登录 计划", Some("登录-计划")),
            ("a/../b", Some("a-b")),
            ("$(x)", Some("x")),
            ("--x", Some("x")),
            ("...", None),
            ("", None),
            ("HEAD", None),
        ] {
            let name = BranchName::from_words(words);
            assert_eq!(name.as_ref().map(BranchName::as_str), expected, "{words:?}");
        }
        assert!(BranchName::from_words(&"长".repeat(500)).is_some_and(|it| it.0.len() <= 100));
    }

    #[test]
    fn an_error_names_the_rule_in_both_languages() {
        let error = "x$(y)".parse::<BranchName>().unwrap_err();
        assert_eq!(error.to_string(), "invalid branch name \"x$(y)\": it contains \"$\"");
        assert_eq!(Lang::Zh.render(&error.text()), "分支名 \"x$(y)\" 无效：包含 \"$\"");
        assert!(serde_json::from_str::<BranchName>("\"-x\"").is_err());
    }
}
