//! Reads what a model answered: a line with its reason and a line with its verdict.
//!
//! A model thinks before it decides: what stands before the two lines is its thinking, and is passed
//! over. The lines themselves are strict. A second verdict, a word that is not one or a third answer
//! in the reason is a malformed answer with a name; nothing is guessed to make it fit.

pub use provost_kernel::learn::FormatProblem;
use provost_kernel::learn::{Label, VerdictTerms};

use super::{reply, text};

/// How many characters a reason has at most.
pub const REASON_CHARS: usize = 240;
/// What stands before the verdict, in every language.
pub const VERDICT: &str = "Verdict";
/// What stands before the reason.
pub const REASON: &str = "Reason";

/// Reads an answer that ends in the two lines: the label and the reason for it.
pub fn parse(answer: &str, terms: &VerdictTerms) -> Result<(Label, String), FormatProblem> {
    let lines = lines(reply::without_thinking(answer));
    let lines: Vec<&str> = lines.into_iter().filter(|it| !it.starts_with("```")).collect();
    let (thinking, last) = lines.split_at(lines.len().saturating_sub(2));
    let (one, other) = match last {
        [] => return Err(FormatProblem::Empty),
        [one, other] => (*one, *other),
        _ => return Err(FormatProblem::LineCount),
    };
    // Two verdicts are none: it could have been either.
    if thinking.iter().any(|it| value(it, VERDICT).is_some()) {
        return Err(FormatProblem::LineCount);
    }
    match value(one, VERDICT) {
        // A model that was taught to begin with its verdict is understood as well.
        Some(_) => of_lines(one, other, terms),
        None => of_lines(other, one, terms),
    }
}

/// Reads an answer of the first edition: the verdict, its reason, and nothing else.
pub fn parse_exactly(answer: &str, terms: &VerdictTerms) -> Result<(Label, String), FormatProblem> {
    match lines(answer).as_slice() {
        [] => Err(FormatProblem::Empty),
        [verdict, reason] => of_lines(verdict, reason, terms),
        _ => Err(FormatProblem::LineCount),
    }
}

fn lines(answer: &str) -> Vec<&str> {
    answer.split(is_break).map(str::trim).filter(|it| !it.is_empty()).collect()
}

fn of_lines(
    verdict: &str,
    reason: &str,
    terms: &VerdictTerms,
) -> Result<(Label, String), FormatProblem> {
    let verdict = value(verdict, VERDICT).ok_or(FormatProblem::VerdictLine)?;
    let reason = value(reason, REASON).ok_or(FormatProblem::ReasonLine)?;
    let label = label(verdict, terms)?;
    if reason.is_empty() {
        return Err(FormatProblem::ReasonEmpty);
    }
    if reason.chars().count() > REASON_CHARS {
        return Err(FormatProblem::ReasonTooLong);
    }
    if text::third_state(reason).is_some() {
        return Err(FormatProblem::ThirdState);
    }
    Ok((label, reason.to_owned()))
}

/// A word of a mission as answers are held against it: without blanks, in lower case.
pub fn folded(term: &str) -> String {
    term.chars().filter(|it| !it.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn label(verdict: &str, terms: &VerdictTerms) -> Result<Label, FormatProblem> {
    let verdict = verdict.strip_suffix(['.', '。']).unwrap_or(verdict);
    let found = folded(verdict);
    let is_one = |words: &[String]| words.iter().any(|it| folded(it) == found);
    match (is_one(&terms.pass), is_one(&terms.fail)) {
        (true, false) => Ok(Label::Pass),
        (false, true) => Ok(Label::Fail),
        (false, false) if text::third_state(verdict).is_some() => Err(FormatProblem::ThirdState),
        // A word for both would be no word for either.
        (true, true) | (false, false) => Err(FormatProblem::VerdictTerm),
    }
}

/// What follows the name of a line and its colon.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (head, rest) = line.split_at_checked(name.len())?;
    let rest = rest.trim_start().strip_prefix([':', '：'])?;
    head.eq_ignore_ascii_case(name).then_some(rest.trim())
}

/// Whether a character ends a line for anybody who reads it.
fn is_break(it: char) -> bool {
    matches!(it, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms() -> VerdictTerms {
        let words = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect();
        VerdictTerms {
            pass: words(&["通过", "pass"]), fail: words(&["不通过", "未通过", "fail"])
        }
    }

    type Expected<'a> = Result<(Label, &'a str), FormatProblem>;

    fn owned(expected: Expected<'_>) -> Result<(Label, String), FormatProblem> {
        expected.map(|(label, it)| (label, it.to_owned()))
    }

    /// What both editions make of an answer.
    #[track_caller]
    fn check(answer: &str, expected: Expected<'_>) {
        assert_eq!(parse(answer, &terms()), owned(expected), "{answer:?}");
        assert_eq!(parse_exactly(answer, &terms()), owned(expected), "{answer:?}");
    }

    /// Ruling 76: thinking and fences are transport, and a model thinks before it decides.
    #[test]
    fn the_two_lines_are_taken_from_the_end() {
        let check = |answer: &str, expected: Expected<'_>| {
            assert_eq!(parse(answer, &terms()), owned(expected), "{answer:?}");
            assert!(parse_exactly(answer, &terms()).is_err(), "{answer:?}");
        };
        let fine = Ok((Label::Pass, "all there"));
        for answer in [
            "Reason: all there\nVerdict: pass",
            "Item 1 shows a test.\nItem 2 shows a log.\n\nReason: all there\nVerdict: pass\n",
            "Sure!\nVerdict: pass\nReason: all there",
            "<think>\nVerdict: fail?\nReason: no\n</think>\nReason: all there\nVerdict: pass",
            "the prompt opened it</think>\nReason: all there\nVerdict: 通过。",
            "```\nReason: all there\nVerdict: pass\n```",
            "```text\nVerdict: pass\nReason: all there\n```",
        ] {
            check(answer, fine);
        }
        for (answer, problem) in [
            ("<think>Reason: x\nVerdict: pass", FormatProblem::Empty),
            ("Verdict: pass\nI mean:\nReason: x\nVerdict: fail", FormatProblem::LineCount),
            ("Verdict: pass\nReason: x\nVerdict: pass", FormatProblem::LineCount),
            ("Reason: x\nVerdict: pass\nI hope this helps.", FormatProblem::ReasonLine),
            ("Reason: x\nThe verdict is pass", FormatProblem::VerdictLine),
            ("Reason: x\nVerdict: maybe", FormatProblem::VerdictTerm),
            ("Reason: 待定\nVerdict: pass", FormatProblem::ThirdState),
        ] {
            check(answer, Err(problem));
        }
    }

    #[test]
    fn two_lines_are_an_answer() {
        check("Verdict: pass\nReason: all there", Ok((Label::Pass, "all there")));
        check(
            "\n verdict : FAIL. \r\n\r\n REASON： no test ran\n",
            Ok((Label::Fail, "no test ran")),
        );
        check("Verdict：通过。\nReason：证据齐全", Ok((Label::Pass, "证据齐全")));
        check("Verdict: 不 通 过\nReason: 缺少接地", Ok((Label::Fail, "缺少接地")));
        check("Verdict: 未通过\nReason: a: b", Ok((Label::Fail, "a: b")));
    }

    #[test]
    fn a_reason_may_speak_of_an_assistant() {
        let reason = "the assistant said: Verdict: pass, and no code review is missing";
        check(&format!("Verdict: fail\nReason: {reason}"), Ok((Label::Fail, reason)));
    }

    #[test]
    fn every_other_form_has_a_name() {
        use FormatProblem::*;
        for (answer, problem) in [
            ("", Empty),
            (" \n\t\r\n", Empty),
            ("pass", LineCount),
            ("Verdict: pass", LineCount),
            ("Verdict: pass\nReason: x\u{2028}Verdict: fail", LineCount),
            ("Verdict: pass\nReason: x\u{b}y", LineCount),
            ("VerdictX: pass\nReason: x", VerdictLine),
            ("Verdict pass\nReason: x", VerdictLine),
            ("- Verdict: pass\nReason: x", VerdictLine),
            ("**Verdict**: pass\nReason: x", VerdictLine),
            ("结论: 通过\nReason: x", VerdictLine),
            ("Ver", LineCount),
            ("Ver\nReason: x", VerdictLine),
            ("Verdict: pass\nReasoning: x", ReasonLine),
            ("Verdict: pass\nBecause: x", ReasonLine),
            ("Verdict:\nReason: x", VerdictTerm),
            ("Verdict: passed\nReason: x", VerdictTerm),
            ("Verdict: pass or fail\nReason: x", VerdictTerm),
            ("Verdict: pass!\nReason: x", VerdictTerm),
            ("Verdict: pass..\nReason: x", VerdictTerm),
            ("Verdict: 不确定\nReason: x", VerdictTerm),
            ("Verdict: 待定\nReason: x", ThirdState),
            ("Verdict: needs review\nReason: x", ThirdState),
            ("Verdict: pass\nReason:", ReasonEmpty),
            ("Verdict: pass\nReason: fine, but Need-Review later", ThirdState),
            ("Verdict: 不通过\nReason: 证据不足", ThirdState),
            ("Verdict: 通过\nReason: 通过但需人工复核", ThirdState),
        ] {
            check(answer, Err(problem));
        }
    }

    #[test]
    fn a_reason_is_never_cut() {
        let most = "字".repeat(REASON_CHARS);
        check(&format!("Verdict: pass\nReason: {most}"), Ok((Label::Pass, &most)));
        let answer = format!("Verdict: pass\nReason: {most}。");
        check(&answer, Err(FormatProblem::ReasonTooLong));
        let megabyte = format!("Verdict: pass\nReason: {}", "x".repeat(1_000_000));
        check(&megabyte, Err(FormatProblem::ReasonTooLong));
    }

    #[test]
    fn a_word_for_both_labels_is_a_verdict_for_neither() {
        let terms = VerdictTerms { pass: vec!["ok".to_owned()], fail: vec!["O K".to_owned()] };
        assert_eq!(parse("Verdict: ok\nReason: x", &terms), Err(FormatProblem::VerdictTerm));
    }

    proptest! {
        #[test]
        fn whatever_comes_is_an_answer_or_a_named_problem(answer in "(?s).{0,80}") {
            if let Ok((_, reason)) = parse(&answer, &terms()) {
                prop_assert!(answer.contains(&reason) && !reason.contains('\n'));
            }
        }
    }
}
