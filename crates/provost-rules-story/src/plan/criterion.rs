//! One criterion: its text on one line, its label checked, its command taken out, its digest.

use provost_kernel::{
    Digest,
    story::{Criterion, CriterionId, ProofNeed},
};

use super::{PlanProblem, draft::DraftCriterion, remark::Remark};
use crate::words::WORDS;

const LONGEST_COMMAND: usize = 4096;

/// How many times a line may say `verify:` before the rest of it is prose.
const MARKERS: usize = 16;

/// A text as it is frozen: on one line, single blanks, nothing that cannot be seen.
pub fn normalise(text: &str) -> String {
    let seen: String = text.chars().filter(|&it| !is_invisible(it)).collect();
    seen.split(is_blank).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What shows nothing, or turns around what is shown.
fn is_invisible(found: char) -> bool {
    matches!(found, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn is_blank(found: char) -> bool {
    found.is_whitespace() || found.is_control()
}

/// Makes the criterion of a draft, with what is to be said about it.
///
/// Nothing comes of a draft without words.
pub(super) fn finish(
    id: CriterionId,
    draft: &DraftCriterion,
) -> Result<Option<(Criterion, Option<Remark>)>, PlanProblem> {
    let mut verify = draft.verify.as_deref().map(usable).transpose()?;
    let mut parts = Vec::new();
    for (at, part) in draft.parts.iter().enumerate() {
        let mut words = Vec::new();
        let mut lines = part.iter().peekable();
        while let Some(line) = lines.next() {
            let is_first = at == 0 && words.is_empty();
            let Some((before, rest)) = split(line, is_first) else {
                words.push(line.as_str());
                continue;
            };
            // A command in a block of code stands on the next line.
            let is_below = rest.trim().is_empty();
            let rest = if is_below { lines.next().map_or("", String::as_str) } else { rest };
            let command = command(rest)?;
            if verify.replace(command.clone()).is_some_and(|it| it != command) {
                return Err(PlanProblem::VerifyTwice);
            }
            words.push(before);
        }
        parts.push(normalise(&words.join(" ")));
    }
    let text = join(&parts);
    let (need, text) = without_need(&text);
    let (label, text) = without_label(text);
    if text.is_empty() || text == "[ ]" || text == "[x]" {
        return Ok(None);
    }
    let remark = label
        .filter(|&written| written != id)
        .map(|written| Remark::LabelDiffers { written, counted: id });
    let digest = Digest::of_bytes(text.as_bytes());
    Ok(Some((Criterion { id, text: text.to_owned(), digest, verify, need }, remark)))
}

/// Joins what a criterion says with the points below it.
fn join(parts: &[String]) -> String {
    let mut text = String::new();
    for part in parts.iter().filter(|it| !it.is_empty()) {
        if !text.is_empty() {
            text.push_str(if text.ends_with([':', '：']) { " " } else { "; " });
        }
        text.push_str(part);
    }
    text
}

/// Splits a line at `verify:` into what stands before it and what comes after.
///
/// In running text a command stands in backticks or in parentheses at the end, so that a sentence
/// with the word stays a sentence. The first line of a criterion keeps the whole of its text.
fn split(line: &str, is_first: bool) -> Option<(&str, &str)> {
    let line = line.trim();
    let lower = line.to_ascii_lowercase();
    // The first that fits is the outermost: a command may contain the word itself.
    let colons = lower.char_indices().filter(|(_, it)| matches!(it, ':' | '：'));
    let markers = colons
        .filter_map(|(at, colon)| Some((marker_before(&lower[..at])?, at + colon.len_utf8())));
    markers.take(MARKERS).find_map(|(start, end)| split_at(line, start, end, is_first))
}

/// Where the word `verify` starts that ends a text, if one does.
fn marker_before(text: &str) -> Option<usize> {
    let text = text.trim_end();
    WORDS.verify.iter().find_map(|word| {
        let rest = text.strip_suffix(word)?;
        let is_apart = !rest.ends_with(|it: char| it.is_ascii_alphanumeric() || it == '_');
        is_apart.then_some(rest.len())
    })
}

fn split_at(line: &str, start: usize, end: usize, is_first: bool) -> Option<(&str, &str)> {
    let (before, rest) = (line[..start].trim_end(), line[end..].trim_start());
    let is_code = rest.starts_with('`');
    if before.is_empty() {
        return match (is_first, is_code) {
            (false, _) => Some(("", rest)),
            (true, true) => Some((line, rest)),
            (true, false) => None,
        };
    }
    let brackets = [('(', ')'), ('（', '）')];
    let rest = match brackets.into_iter().find(|(open, _)| before.ends_with(*open)) {
        Some((_, close)) => rest.trim_end_matches(['.', '。', ' ']).strip_suffix(close)?,
        None if is_code => rest,
        None => return None,
    };
    let is_joint = |it: char| it.is_whitespace() || "(（-–—,，;；|→".contains(it);
    Some((before.trim_end_matches(is_joint), rest))
}

/// The one command that a text consists of, in backticks or bare.
fn command(text: &str) -> Result<String, PlanProblem> {
    let text = text.trim();
    let ticks = text.len() - text.trim_start_matches('`').len();
    if ticks == 0 {
        return usable(text);
    }
    let fence = &text[..ticks];
    let inner = &text[ticks..];
    let end = inner.find(fence).ok_or(PlanProblem::VerifyUnclear)?;
    let rest = inner[end + ticks..].trim_matches(|it: char| " .。;；)）".contains(it));
    if !rest.is_empty() {
        return Err(PlanProblem::VerifyUnclear);
    }
    usable(&inner[..end])
}

fn usable(command: &str) -> Result<String, PlanProblem> {
    let command = command.trim();
    let is_seen = |it: char| it == ' ' || !(is_blank(it) || is_invisible(it));
    if command.is_empty() || command.len() > LONGEST_COMMAND || !command.chars().all(is_seen) {
        return Err(PlanProblem::VerifyUnclear);
    }
    Ok(command.to_owned())
}

/// A text without a mark such as `(proof: holds)` at its end, and what the mark says.
fn without_need(text: &str) -> (Option<ProofNeed>, &str) {
    let mark = || {
        let body = text.trim_end_matches(['.', '。', ' ']).strip_suffix([')', '）'])?;
        let (before, inner) = body.rsplit_once(['(', '（'])?;
        let (word, need) = inner.split_once([':', '：'])?;
        let is_mark = WORDS.proof.has(word.trim().to_lowercase().as_str());
        let need = need.trim().to_lowercase().parse().ok().filter(|_| is_mark)?;
        Some((need, before.trim_end()))
    };
    match mark() {
        Some((need, before)) => (Some(need), before),
        None => (None, text),
    }
}

/// A text without a label such as `AC-1:`, and the label.
fn without_label(text: &str) -> (Option<CriterionId>, &str) {
    let inner = text.trim_start_matches(['[', '(', '【', '（']);
    let is_open = inner.len() < text.len();
    let label = || {
        let (prefix, rest) = inner.split_at_checked(2)?;
        prefix.eq_ignore_ascii_case("AC").then_some(())?;
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let end = digits.find(|it: char| !it.is_ascii_digit())?;
        let id: CriterionId = digits[..end].parse().ok()?;
        let rest = digits[end..].trim_start();
        let closed = rest.trim_start_matches([']', ')', '】', '）']);
        if is_open && closed.len() == rest.len() {
            return None;
        }
        let text = closed.trim_start().trim_start_matches([':', '：', '-', '–', '—', '.', '、']);
        let is_apart = is_open || text.len() < closed.trim_start().len();
        is_apart.then_some((id, text.trim_start()))
    };
    match label() {
        Some((id, rest)) => (Some(id), rest),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plan::Place;

    /// `input` has a line for each line, and `+ ` before the first line of a point below.
    fn finished(input: &str) -> Result<Option<(Criterion, Option<Remark>)>, PlanProblem> {
        let mut parts = vec![Vec::new()];
        for line in input.lines() {
            match line.strip_prefix("+ ") {
                Some(point) => parts.push(vec![point.to_owned()]),
                None => parts.last_mut().unwrap().push(line.to_owned()),
            }
        }
        let draft = DraftCriterion { parts, verify: None, place: Place::Line(1) };
        finish(CriterionId::try_from(1).unwrap(), &draft)
    }

    #[track_caller]
    fn check(input: &str, text: &str, verify: Option<&str>) {
        let (criterion, _) = finished(input).unwrap().unwrap();
        assert_eq!(
            (criterion.text.as_str(), criterion.verify.as_deref()),
            (text, verify),
            "{input}"
        );
        assert_eq!(criterion.digest, Digest::of_bytes(text.as_bytes()));
    }

    #[track_caller]
    fn check_refused(input: &str, expected: &PlanProblem) {
        assert_eq!(finished(input).as_ref(), Err(expected), "{input}");
    }

    #[test]
    fn a_text_is_one_line_with_its_points() {
        check("a  b\n c", "a b c", None);
        check("a\n+ b\n+ c", "a; b; c", None);
        check("a：\n+ b\nmore\n+ c", "a： b more; c", None);
        check("a\u{200b}b\u{202e} c\u{1b}d", "ab c d", None);
        assert_eq!(finished("[ ]"), Ok(None));
        assert_eq!(finished("\u{200b} "), Ok(None));
    }

    #[test]
    fn a_command_is_taken_out_of_its_text() {
        for (input, text) in [
            ("a (verify: `x y`)", "a"),
            ("a（验证：`x y`）", "a"),
            ("a (Verify: x y)", "a"),
            ("a - verify: `x y`.", "a"),
            ("a, verify with: `` x y ``", "a"),
            ("a\nverify: `x y`", "a"),
            ("a\nverify: x y", "a"),
            ("a\n验证：x y", "a"),
            ("a\n+ 验证命令：`x y`", "a"),
            ("a\nverify:\n`x y`", "a"),
            ("a\n+ b\n+ verify: `x y`", "a; b"),
            ("verify: `x y`", "verify: `x y`"),
            ("a (verify: `x y`)\nb", "a b"),
        ] {
            check(input, text, Some("x y"));
        }
        check("a (verify: `grep 'verify: x' y`)", "a", Some("grep 'verify: x' y"));
        check("a (verify: f(1))", "a", Some("f(1)"));
        check("you must verify: a (verify: `x`)", "you must verify: a", Some("x"));
    }

    #[test]
    fn a_sentence_with_the_word_stays_a_sentence() {
        for input in [
            "the user must verify: the mail",
            "verify: the user can log in",
            "verifying: `x`",
            "reverify: `x`",
            "we verify `x`",
            "a: `verify`",
        ] {
            check(input, input, None);
        }
    }

    /// PROOF-5: the plan says how strong a proof has to be, and no agent does.
    #[test]
    fn a_plan_says_what_a_criterion_needs() {
        let check = |input: &str, text: &str, need: Option<ProofNeed>| {
            let (criterion, _) = finished(input).unwrap().unwrap();
            assert_eq!((criterion.text.as_str(), criterion.need), (text, need), "{input}");
        };
        check("a (proof: holds)", "a", Some(ProofNeed::Holds));
        check("AC-1: a (Proof: Proven).", "a", Some(ProofNeed::Proven));
        check("a（证明：shown）", "a", Some(ProofNeed::Shown));
        check("a (proof: present) (verify: `x`)", "a", Some(ProofNeed::Present));
        check("a (proof: strong)", "a (proof: strong)", None);
        check("a (see: holds)", "a (see: holds)", None);
        check("a (b)", "a (b)", None);
    }

    #[test]
    fn what_is_not_one_command_is_refused() {
        check_refused("a (verify: `x`)\nverify: `y`", &PlanProblem::VerifyTwice);
        check("a (verify: `x`)\nverify: `x`", "a", Some("x"));
        for unclear in [
            "a\nverify: `x` and `y`",
            "a\nverify: `x",
            "a\nverify:",
            "a (verify: ``)",
            "a\nverify: ` `",
            "a (verify: `x\u{202e}y`)",
            "a\nverify: x\ty",
            "a\nverify: x\u{1b}[2K",
        ] {
            check_refused(unclear, &PlanProblem::VerifyUnclear);
        }
        check_refused(&format!("a\nverify: {}", "x".repeat(4097)), &PlanProblem::VerifyUnclear);
    }

    #[test]
    fn a_label_is_taken_off_and_held_against_the_place() {
        for input in ["AC-1: a", "ac1：a", "AC-01 - a", "[AC-1] a", "(AC-1): a", "AC-1. a"] {
            assert_eq!(finished(input).unwrap().unwrap().1, None, "{input}");
            check(input, "a", None);
        }
        let (_, remark) = finished("AC-3: a").unwrap().unwrap();
        let [written, counted] = ["AC-3", "AC-1"].map(|it| it.parse().unwrap());
        assert_eq!(remark, Some(Remark::LabelDiffers { written, counted }));
        for input in ["AC-1 a", "AC: a", "AC-0: a", "ACME-1: a", "[AC-1: a", "AC-1"] {
            check(input, input, None);
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(input in r"(verify|验证|AC-|[ :：`()（）\n+\[\]1-]|\PC){0,40}") {
            let _ = finished(&input);
        }

        /// A digest stands for exactly one text.
        #[test]
        fn digests_differ_exactly_when_texts_do(a in "[ab \u{200b}\t]{0,6}", b in "[ab \u{200b}\t]{0,6}") {
            if let (Ok(Some((a, _))), Ok(Some((b, _)))) = (finished(&a), finished(&b)) {
                prop_assert_eq!(a.digest == b.digest, a.text == b.text);
            }
        }

        #[test]
        fn what_is_normal_stays_as_it_is(text in r"\PC{0,40}") {
            let normal = normalise(&text);
            prop_assert_eq!(normalise(&normal), normal);
        }
    }
}
