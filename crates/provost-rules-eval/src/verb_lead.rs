//! How a text opens: whether it starts with a verb, in Chinese and in English.
//!
//! List marks, labels, times and polite words before the verb are skipped. A vague opening, such
//! as "look into" or 了解一下, is not an action whatever follows it.

use super::{
    lexicon::Lexicon,
    text::{is_cjk, words},
};
use crate::word_lists::WORDS;

/// What may stand before a verb, at most this often.
const MAX_SKIPPED: usize = 8;
/// A label in brackets is no longer than this.
const MAX_LABEL: usize = 14;
/// How far after 把 its verb may stand, and after 在 the end of the place.
const MAX_REACH: usize = 40;
const OPEN: [(char, char); 5] = [('[', ']'), ('(', ')'), ('【', '】'), ('〔', '〕'), ('「', '」')];

/// What a text that starts with a verb says besides it: before the verb (把 …) and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VerbLead<'a> {
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

/// How a text in normal form opens; nothing if it does not start with a verb.
pub(super) fn verb_led<'a>(lexicon: &Lexicon, normal: &'a str) -> Option<VerbLead<'a>> {
    let mut rest = without_marks(normal);
    let mut skipped = "";
    for _ in 0..=MAX_SKIPPED {
        if is_vague(lexicon, rest) {
            return None;
        }
        match without_softener(lexicon, rest) {
            Some(shorter) => {
                skipped = rest.strip_suffix(shorter).unwrap_or_default();
                rest = without_marks(shorter);
            }
            None => break,
        }
    }
    // "The benchmark" is a noun, though "benchmark" is a verb, too.
    if WORDS.determiners.has(skipped) {
        return None;
    }
    match rest.chars().next()? {
        first if is_cjk(first) => chinese(lexicon, rest),
        _ => english(lexicon, rest),
    }
}

/// Removes list marks, numbers, boxes, short labels, pictures and punctuation from the front.
fn without_marks(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return rest };
        // A title of a work is what the text is about, not a label.
        if first == '《' {
            return rest;
        }
        rest = match without_label(rest, first).or_else(|| without_number(rest)) {
            Some(shorter) => shorter,
            None if first.is_alphanumeric() => return rest,
            None => rest.get(first.len_utf8()..).unwrap_or_default(),
        };
    }
}

fn without_label(text: &str, first: char) -> Option<&str> {
    let (_, close) = OPEN.iter().find(|(open, _)| *open == first)?;
    let (at, _) = text.char_indices().take(MAX_LABEL).find(|(_, it)| it == close)?;
    text.get(at + close.len_utf8()..)
}

/// Removes `1.`, `2)`, `step 3:` and 第一步.
fn without_number(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('第') {
        let at = rest
            .find('步')
            .filter(|&at| rest.get(..at).is_some_and(|it| it.chars().count() <= 2))?;
        return rest.get(at + '步'.len_utf8()..);
    }
    let rest = text.strip_prefix("step ").unwrap_or(text);
    let digits = rest.find(|it: char| !it.is_ascii_digit())?;
    if !(1..=3).contains(&digits) {
        return None;
    }
    let rest = rest.get(digits..)?.strip_prefix(['.', ')', '、', ':', '\u{fe0f}', '\u{20e3}'])?;
    (!rest.starts_with(|it: char| it.is_ascii_digit())).then_some(rest)
}

fn is_vague(lexicon: &Lexicon, text: &str) -> bool {
    lexicon.vague_openings.all_starts_of(text).any(|it| {
        let next = text.as_bytes().get(it.len());
        !it.is_ascii() || !next.is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// Removes one word or phrase that may stand before the verb.
fn without_softener<'a>(lexicon: &Lexicon, text: &'a str) -> Option<&'a str> {
    if let Some(word) = latin_word(text) {
        return lexicon.softeners.contains(word).then(|| text.get(word.len()..)).flatten();
    }
    if let Some(it) = lexicon.softeners_zh.start_of(text) {
        // 去掉 is a verb, though 去 alone is none.
        let verb = verb_prefix(lexicon, text).map_or(0, str::len);
        return (verb <= it.len()).then(|| text.get(it.len()..)).flatten();
    }
    without_time(text).or_else(|| without_place(text))
}

/// Removes 用 30 分钟 and its like.
fn without_time(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['用', '花'])?.trim_start();
    let number = |it: char| it.is_ascii_digit() || "一二两三四五六七八九十半几".contains(it);
    let after = rest.trim_start_matches(number);
    if after.len() == rest.len() {
        return None;
    }
    let after = after.trim_start();
    let unit = WORDS.time_units.iter().find(|it| after.starts_with(it))?;
    let after = after.get(unit.len()..)?;
    Some(after.strip_prefix("时间").unwrap_or(after).trim_start_matches(['内', '来', '去']))
}

/// Removes 在周报中 and its like.
fn without_place(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('在')?;
    let mut inner = rest.char_indices().take(MAX_REACH);
    let (at, end) = inner.find(|(at, it)| *at > 0 && "中里上前内".contains(*it))?;
    rest.get(at + end.len_utf8()..)
}

/// The longest listed verb at the front.
fn verb_prefix<'a>(lexicon: &Lexicon, text: &'a str) -> Option<&'a str> {
    let ends = text.char_indices().map(|(at, it)| at + it.len_utf8()).take(4);
    let prefixes = ends.filter_map(|end| text.get(..end));
    prefixes.filter(|it| lexicon.verbs_zh.contains(it)).last()
}

/// A verb at the front: a listed one, or one character that is not part of another word.
fn verb_at<'a>(lexicon: &Lexicon, text: &'a str) -> Option<&'a str> {
    verb_prefix(lexicon, text).or_else(|| {
        let first = text.chars().next()?;
        let is_verb = lexicon.short_verbs.contains(first) && !is_other_word(lexicon, text);
        is_verb.then(|| text.get(..first.len_utf8())).flatten()
    })
}

fn is_other_word(lexicon: &Lexicon, text: &str) -> bool {
    let end = text.char_indices().nth(2).map_or(text.len(), |(at, _)| at);
    text.get(..end).is_some_and(|it| lexicon.not_verbs.contains(it))
}

fn chinese<'a>(lexicon: &Lexicon, text: &'a str) -> Option<VerbLead<'a>> {
    if let Some(verb) = verb_at(lexicon, text) {
        return Some(VerbLead { before: "", after: text.get(verb.len()..)? });
    }
    let rest = text.strip_prefix(['把', '将', '给', '用', '与', '跟'])?;
    if is_other_word(lexicon, text) {
        return None;
    }
    let mut places = rest.char_indices().skip(1).take(MAX_REACH);
    places.find_map(|(at, _)| {
        let (before, from) = rest.split_at(at);
        let verb = verb_at(lexicon, from)?;
        Some(VerbLead { before, after: from.get(verb.len()..)? })
    })
}

fn english<'a>(lexicon: &Lexicon, text: &'a str) -> Option<VerbLead<'a>> {
    let mut word = latin_word(text)?;
    let mut rest = text.get(word.len()..)?;
    if let Some(second) = rest.strip_prefix('-').and_then(latin_word) {
        // "Re-run" is a verb; "read-only" is none.
        if !WORDS.prefixes.has(word) {
            return None;
        }
        word = second;
        rest = rest.get(1 + second.len()..)?;
    }
    let next =
        words(rest.split(|it: char| ",.;:!?()".contains(it)).next().unwrap_or_default()).next();
    if !is_verb(lexicon, word) || next.is_some_and(|it| lexicon.noun_signals.contains(it)) {
        return None;
    }
    Some(VerbLead { before: "", after: rest })
}

/// Whether the word is a listed verb, one with `re` before it, or the -ing form of one.
fn is_verb(lexicon: &Lexicon, word: &str) -> bool {
    let listed = |it: &str| lexicon.verbs.contains(it);
    if listed(word) || word.strip_prefix("re").is_some_and(listed) {
        return true;
    }
    let Some(base) = word.strip_suffix("ing") else { return false };
    let mut letters = base.chars().rev();
    let is_doubled = letters.next().is_some_and(|last| letters.next() == Some(last));
    let single = base.get(..base.len().saturating_sub(1)).unwrap_or_default();
    listed(base) || listed(&format!("{base}e")) || (is_doubled && listed(single))
}

/// The word of Latin letters and digits at the front.
fn latin_word(text: &str) -> Option<&str> {
    let end = text.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.get(..end).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{lexicon::shared, text::norm},
        *,
    };

    #[track_caller]
    fn check(title: &str, expected: bool) {
        let normal = norm(title);
        assert_eq!(verb_led(shared(), &normal).is_some(), expected, "{title:?}");
    }

    /// EVAL-5.2: verb openings in English.
    #[test]
    fn english_titles() {
        for title in [
            "Write a summary",
            "Draft写一页行动计划",
            "1. Review the diff",
            "2) Ship it",
            "- [ ] Fix the bug",
            "[x] Test the API",
            "[Docs] Update the readme",
            "✅ Deploy to staging",
            "Please review the design",
            "Today, list three risks",
            "Step 1: Draft the outline",
            "This week, schedule a call",
            "30 minutes: sketch the schema",
            "Re-run the benchmark",
            "Rebuild the index",
            "Redraft the plan",
            "Writing tests for the parser",
            "Running the migration on a copy",
            "Making a checklist",
            "You should try to compare both options",
            "Let's map the flow",
            "Double-check the numbers",
        ] {
            check(title, true);
        }
        for title in [
            "Review of the design",
            "Test results from May",
            "Plan vs reality",
            "Learn more about Rust",
            "Look into caching",
            "Understand the model",
            "Explore options",
            "Check out the repo",
            "Read more articles",
            "Read-only mode for the API",
            "The benchmark",
            "Specialist interview",
            "Nice article",
            "",
            "《Design》review",
            "Monday",
            "Draft is ready",
            "Testing is important",
        ] {
            check(title, false);
        }
        check("Check outputs of the job", true);
    }

    /// EVAL-5.2: verb openings in Chinese.
    #[test]
    fn chinese_titles() {
        for title in [
            "写一页行动计划",
            "整理三条要点",
            "请先列出风险清单",
            "本周内完成迁移演练",
            "用30分钟画出流程图",
            "花一小时复现实验",
            "在周报中写一段总结",
            "把结论发给团队",
            "将清单改成模板",
            "去掉重复的步骤",
            "请教一位同事",
            "1、梳理接口",
            "【写作】起草提纲",
            "第一步,搭建环境",
            "今天内约一次评审",
            "尝试用 Rust 重写解析器",
            "给团队分享结论",
            "建议你对比两种方案",
            "在下周前提交方案",
        ] {
            check(title, true);
        }
        for title in [
            "了解一下背景",
            "看看这篇文章",
            "关注后续进展",
            "思考如何改进",
            "问题清单",
            "用户画像",
            "列表页面",
            "写作方法",
            "改变习惯",
            "数据库迁移步骤",
            "把握机会",
            "将来的计划",
            "研究一下方案",
            "这篇文章",
            "的",
            "给团队的建议",
            "多读相关内容",
        ] {
            check(title, false);
        }
    }

    #[test]
    fn what_is_said_besides_the_verb() {
        let lead = |text| verb_led(shared(), text).map(|it| (it.before, it.after));
        assert_eq!(lead("write a test"), Some(("", " a test")));
        assert_eq!(lead("把结论发给团队"), Some(("结论", "团队")));
        assert_eq!(lead("整理"), Some(("", "")));
    }

    #[test]
    fn more_than_eight_words_before_the_verb_are_too_many() {
        check(&format!("{}write a test", "please ".repeat(8)), true);
        check(&format!("{}write a test", "please ".repeat(10)), false);
    }

    proptest! {
        #[test]
        fn no_title_makes_it_panic(title in ".{0,60}") {
            let _ = verb_led(shared(), &norm(&title));
        }

        /// A mark before the verb changes nothing.
        #[test]
        fn marks_change_nothing(mark in "(- |\\* |1\\. |\\[ \\] |• |> )", verb in "(write|列出|review|整理)") {
            let (plain, marked) = (format!("{verb} x"), format!("{mark}{verb} x"));
            prop_assert_eq!(verb_led(shared(), &plain), verb_led(shared(), &marked));
        }
    }
}
