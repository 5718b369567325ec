//! Whether a reason says something, in English or in Chinese.

use std::collections::BTreeSet;

use provost_kernel::Message;

use crate::words::WORDS;

/// The least length of a reason, and of one that is mostly Chinese.
const LEAST_CHARACTERS: usize = 15;
const LEAST_CHARACTERS_CJK: usize = 8;

/// The least number of different words, and of different Chinese characters.
const LEAST_WORDS: usize = 3;
const LEAST_IDEOGRAPHS: usize = 6;

/// Why a reason says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "story.reason")]
pub enum Shortcoming {
    #[message(en = "missing reason", zh = "缺少理由")]
    Empty,
    #[message(en = "the reason only repeats the path", zh = "理由只是重复了路径")]
    OnlyThePath,
    #[message(en = "the reason is too short", zh = "理由过短")]
    TooShort,
    #[message(en = "the reason repeats a word or two", zh = "理由只是重复一两个词")]
    TooFewWords,
    #[message(en = "the reason would fit any file", zh = "此理由放在任何文件上都成立")]
    Stock,
}

/// What is wrong with a reason; none when it says something.
pub fn shortcoming(reason: &str, path: &str) -> Option<Shortcoming> {
    let text = visible(reason);
    if !text.chars().any(char::is_alphanumeric) {
        return Some(Shortcoming::Empty);
    }
    let path = visible(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    if bare(&text) == bare(&path) || bare(&text) == bare(name) {
        return Some(Shortcoming::OnlyThePath);
    }
    let ideographs: Vec<char> = text.chars().filter(|&it| is_ideograph(it)).collect();
    let n_characters = text.chars().count();
    let is_cjk = ideographs.len() * 2 > text.chars().filter(|it| !it.is_whitespace()).count();
    let least = if is_cjk { LEAST_CHARACTERS_CJK } else { LEAST_CHARACTERS };
    if n_characters < least {
        return Some(Shortcoming::TooShort);
    }
    let words: BTreeSet<String> = words(&text).collect();
    let distinct: BTreeSet<char> = ideographs.into_iter().collect();
    if words.len() < LEAST_WORDS && distinct.len() < LEAST_IDEOGRAPHS {
        return Some(Shortcoming::TooFewWords);
    }
    is_stock(&text, &path).then_some(Shortcoming::Stock)
}

/// The form in which two reasons are the same one.
pub(super) fn same(reason: &str) -> String {
    let words: Vec<String> = tokens(&visible(reason)).collect();
    words.join(" ")
}

/// Whether nothing is left but words that fit every change, and the path.
fn is_stock(text: &str, path: &str) -> bool {
    let text = text.replace(path, " ");
    if words(&text).any(|it| !WORDS.empty_reason.has(&it)) {
        return false;
    }
    let mut rest: String = text.chars().filter(|&it| is_ideograph(it)).collect();
    for phrase in &WORDS.empty_reason.zh {
        rest = rest.replace(phrase, "");
    }
    rest.chars().collect::<BTreeSet<char>>().len() < 2
}

/// The text without what is not seen, in lower case, with single blanks.
fn visible(text: &str) -> String {
    let is_seen = |it: &char| !it.is_control() && !is_invisible(*it) || it.is_whitespace();
    let text: String = text.chars().filter(is_seen).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn is_invisible(found: char) -> bool {
    matches!(found,
        '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The letters and digits alone.
fn bare(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).collect()
}

/// Words of letters and digits that are not ideographs. A number alone does not count.
fn words(text: &str) -> impl Iterator<Item = String> {
    tokens(text).filter(|it| it.chars().any(char::is_alphabetic) && !it.chars().any(is_ideograph))
}

/// Runs of letters and digits; a run ends where ideographs begin or end.
fn tokens(text: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(text.len());
    let mut was_ideograph = false;
    for found in text.chars() {
        if is_ideograph(found) != was_ideograph {
            spaced.push(' ');
            was_ideograph = !was_ideograph;
        }
        spaced.push(if found.is_alphanumeric() { found } else { ' ' });
    }
    let parts: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    parts.into_iter()
}

/// Whether a character belongs to the scripts that are written without blanks.
fn is_ideograph(found: char) -> bool {
    matches!(found,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    #[track_caller]
    fn check(reason: &str, expected: Option<Shortcoming>) {
        assert_eq!(shortcoming(reason, "src/auth/login.ts"), expected, "{reason:?}");
    }

    /// STORY-3.6: a reason that says something stands, in either language.
    #[test]
    fn a_reason_that_says_something_stands() {
        for reason in [
            "Implementing login logic as per US-001",
            "checks the password before a session starts",
            "new route for AC-2, the form posts to it",
            "Adds rate limiting to sign-in attempts",
            "Tests for the parser of front matter",
            "moves the token cache out of the handler",
            "US-003 needs the numstat parser here",
            "Déplace le cache des jetons hors du gestionnaire",
            "the lock file follows the new dependency on zod",
            "登录表单提交后校验密码",
            "为 US-001 增加登录接口的限流",
            "拆分会话缓存,供 AC-2 使用",
            "新增数据库迁移,保存每条标准的状态",
            "重构路由以便复用鉴权中间件",
            "Renames the cookie; 前端读取新名字",
        ] {
            check(reason, None);
        }
    }

    #[test]
    fn a_reason_that_says_nothing_falls() {
        use Shortcoming::{Empty, OnlyThePath, Stock, TooFewWords, TooShort};
        for (reason, expected) in [
            ("", Empty),
            ("   \t\n ", Empty),
            ("...............", Empty),
            ("。。。。。。。。。。。。", Empty),
            (
                "\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}",
                Empty,
            ),
            ("src/auth/login.ts", OnlyThePath),
            ("  SRC/auth/login.ts. ", OnlyThePath),
            ("login.ts", OnlyThePath),
            ("needed", TooShort),
            ("required", TooShort),
            ("fix", TooShort),
            ("refactor", TooShort),
            ("misc", TooShort),
            ("n/a", TooShort),
            ("fix login", TooShort),
            ("需要", TooShort),
            ("必要", TooShort),
            ("必要的改动", TooShort),
            ("修改登录接口", TooShort),
            (
                "a\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}",
                TooShort,
            ),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", TooFewWords),
            ("login login login login", TooFewWords),
            ("Login, LOGIN: login! login", TooFewWords),
            ("1 2 3 4 5 6 7 8 9 10 11 12", TooFewWords),
            ("登录登录登录登录登录", TooFewWords),
            ("需要需要需要需要需要", TooFewWords),
            ("this change is needed", Stock),
            ("This file is required for the task.", Stock),
            ("needed to make it work", Stock),
            ("refactoring and cleanup of the code", Stock),
            ("misc fixes and improvements", Stock),
            ("src/auth/login.ts was changed here", Stock),
            ("这个文件的改动是必要的", Stock),
            ("为了完成任务需要修改此文件", Stock),
            ("根据需求进行了相关代码的修改和优化", Stock),
            ("实现用户故事的功能需要", Stock),
        ] {
            check(reason, Some(expected));
        }
    }

    #[test]
    fn two_reasons_are_the_same_whatever_their_dress() {
        let one = same("Adds the form, as AC-1 says.");
        assert_eq!(same("  adds THE form —\tas ac 1 says"), one);
        assert_ne!(same("adds the form as AC-2 says"), one);
        assert_eq!(same("登录。表单"), same("登录 表单"));
    }

    #[test]
    fn every_shortcoming_speaks_both_languages() {
        use Shortcoming::{Empty, OnlyThePath, Stock, TooFewWords, TooShort};
        for it in [Empty, OnlyThePath, Stock, TooFewWords, TooShort] {
            assert_ne!(Lang::Zh.render(&it.text()), it.text().to_string());
        }
    }
}
