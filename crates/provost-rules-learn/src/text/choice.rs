//! Whether a rule leaves it open which of the two answers follows.

use provost_kernel::learn::VerdictTerms;

use super::{
    conclusion::{Verdict, first, verdicts},
    normal,
};
use crate::words::WORDS;

/// Whether a conclusion gives both answers for one condition: `then pass or fail`.
///
/// A condition may well speak of both: `If it is not said whether the tests pass or fail`.
pub fn offers_both(text: &str, terms: &VerdictTerms) -> bool {
    let text = normal(text);
    let Some((start, end)) = first(&text, WORDS.otherwise.iter()) else {
        return is_open(&text, terms);
    };
    let main = text.get(..start).unwrap_or_default();
    let rest = text.get(end..).unwrap_or_default();
    is_open(main, terms) || is_open_within(rest, terms)
}

/// Whether the conclusion of a rule without its `otherwise` is open.
fn is_open(main: &str, terms: &VerdictTerms) -> bool {
    is_open_within(answer(main, terms), terms)
}

/// The part of a rule that has its answer in it.
fn answer<'a>(main: &'a str, terms: &VerdictTerms) -> &'a str {
    for markers in [["then", "则"], ["就", "应判"]] {
        let after = first(main, markers).and_then(|(_, end)| main.get(end..));
        if let Some(after) = after.filter(|it| !verdicts(it, terms).is_empty()) {
            return after;
        }
    }
    let found = verdicts(main, terms);
    let opening = found
        .first()
        .and_then(|it| first(main.get(it.end..)?, WORDS.condition.iter()).map(|at| it.end + at.0));
    // "Fail when …": the answer stands first.
    if let Some(end) = opening {
        return main.get(..end).unwrap_or_default();
    }
    let start = found.last().and_then(|it| main.get(..it.start)?.rfind([',', ';', ':', '。']));
    main.get(start.unwrap_or_default()..).unwrap_or_default()
}

fn is_open_within(answer: &str, terms: &VerdictTerms) -> bool {
    let found = verdicts(answer, terms);
    let is_doubted = |it: &Verdict| {
        let after = answer.get(it.end..).unwrap_or_default().trim_start();
        ["or not", "与否", "或否"].iter().any(|it| after.starts_with(it))
    };
    let is_pair = |pair: &[Verdict]| match pair {
        [one, other] => one.label != other.label && is_one_answer(answer, *one, *other),
        _ => false,
    };
    found.iter().any(is_doubted) || found.windows(2).any(is_pair)
}

/// Whether two verdicts have nothing between them that would tell one case from another, and the
/// second has no condition of its own.
fn is_one_answer(answer: &str, one: Verdict, other: Verdict) -> bool {
    let between = answer.get(one.end..other.start).unwrap_or_default();
    let is_choice = between.contains(['/', '或', '|'])
        || between.contains("还是")
        || first(between, ["or", "nor"]).is_some();
    let mut bare = between.to_owned();
    for it in &WORDS.fillers.zh {
        bare = bare.replace(it, " ");
    }
    let mut words = bare.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let after = answer.get(other.end..).unwrap_or_default().trim_start();
    let has_condition = first(after, WORDS.condition.iter()).is_some_and(|(at, _)| at == 0);
    words.all(|it| WORDS.fillers.has(it)) && (is_choice || !has_condition)
}

#[cfg(test)]
mod tests {
    use super::{super::lexicon::terms, *};

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(offers_both(text, &terms()), expected, "{text:?}");
    }

    /// LEARN-2.3: a rule with both answers decides nothing.
    #[test]
    fn a_rule_that_offers_both_answers_is_found() {
        for text in [
            "If a, then pass or fail.",
            "If a, then pass/fail.",
            "If a, then either PASS or FAIL",
            "If a, then fail or p\u{430}ss.",
            "If a, then it may pass or it may fail.",
            "If a, then pass and fail.",
            "If a, then pass, then fail.",
            "If a, then neither pass nor fail.",
            "If a, then pass or not.",
            "If a, then pass or do not pass.",
            "If a, then pass; otherwise pass or fail.",
            "If a, then pass or fail; otherwise fail.",
            "Pass or fail when a holds.",
            "If a: pass / fail",
            "pass or fail",
            "若甲,则通过或不通过。",
            "若甲,则通过/不通过",
            "若甲,則通過或者不通過",
            "若甲,则通过、不通过均可",
            "若甲,就判通过还是不通过",
            "若甲,则通过与否",
            "若甲,则不通过;否则通过或不通过",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn a_rule_with_one_answer_for_each_case_is_not() {
        for text in [
            "If a, then pass; otherwise fail.",
            "If a, then pass, or else fail.",
            "If a, then pass; if b, then fail.",
            "If a, then pass; fail when b.",
            "If it is not said whether the tests pass or fail, then fail.",
            "If the log has no pass/fail line, then fail.",
            "If a, then fail, not pass.",
            "If a, then pass rather than fail.",
            "Fail when no test is known to pass or fail.",
            "If a, then pass.",
            "若甲,则通过;否则不通过。",
            "若甲,则通过;若乙,则不通过。",
            "若记录未写明通过或不通过,则不通过。",
            "若甲,则不通过,而非通过。",
            "若测试通过但未覆盖新分支,则不通过。",
            "",
        ] {
            check(text, false);
        }
    }
}
