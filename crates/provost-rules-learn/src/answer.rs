//! Reads what a model answered: a verdict line and a reason line, and nothing else.
//!
//! The answer is taken as it came. A line too many, a word that is not a verdict or a third answer
//! in the reason is a malformed answer with a name; nothing is cut off or guessed to make it fit.

pub use provost_kernel::learn::FormatProblem;
use provost_kernel::learn::{Label, VerdictTerms};

use super::text;

/// How many characters a reason has at most.
pub const REASON_CHARS: usize = 240;
/// What stands before the verdict, in every language.
pub const VERDICT: &str = "Verdict";
/// What stands before the reason.
pub const REASON: &str = "Reason";

/// Reads an answer: the label and the reason for it.
pub fn parse(answer: &str, terms: &VerdictTerms) -> Result<(Label, String), FormatProblem> {
    let lines: Vec<&str> =
        answer.split(is_break).map(str::trim).filter(|it| !it.is_empty()).collect();
    let (verdict, reason) = match lines.as_slice() {
        [] => return Err(FormatProblem::Empty),
        [verdict, reason] => (verdict, reason),
        _ => return Err(FormatProblem::LineCount),
    };
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

    #[track_caller]
    fn check(answer: &str, expected: Result<(Label, &str), FormatProblem>) {
        let actual = parse(answer, &terms());
        assert_eq!(actual, expected.map(|(label, it)| (label, it.to_owned())), "{answer:?}");
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
            ("Verdict: pass\nReason: x\nDone.", LineCount),
            ("Sure!\nVerdict: pass\nReason: x", LineCount),
            ("```\nVerdict: pass\nReason: x\n```", LineCount),
            ("Verdict: pass\nReason: x\u{2028}Verdict: fail", LineCount),
            ("Verdict: pass\nReason: x\u{b}y", LineCount),
            ("Reason: x\nVerdict: pass", VerdictLine),
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
