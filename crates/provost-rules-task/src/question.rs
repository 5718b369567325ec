//! What an agent asks instead of working: a question to the person, and no failed attempt.

use provost_kernel::shorten_to;

/// The longest question that is passed on.
const LONGEST: usize = 600;

/// The question at the end of a reply: its last paragraph, if something is asked there.
pub fn at_end(reply: &str) -> Option<String> {
    let lines: Vec<&str> = reply.lines().map(str::trim).collect();
    let paragraph = lines.rsplit(|it| it.is_empty()).find(|it| !it.is_empty())?;
    let text = paragraph.join(" ");
    asks(&text).then(|| shorten_to(&text, LONGEST))
}

/// Whether a sentence ends with a question mark; one inside an address or a word ends none.
fn asks(text: &str) -> bool {
    let ends = |rest: &str| rest.chars().next().is_none_or(|it| !it.is_alphanumeric() && it != '=');
    let english = text.match_indices('?').any(|(at, mark)| ends(&text[at + mark.len()..]));
    english || text.contains('？')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reply: &str, expected: Option<&str>) {
        assert_eq!(at_end(reply).as_deref(), expected, "{reply}");
    }

    #[test]
    fn a_reply_that_ends_with_a_question_asks() {
        check("Which port?", Some("Which port?"));
        check(
            "I looked.\n\nShould I clip it\nor refuse it?\n",
            Some("Should I clip it or refuse it?"),
        );
        check(
            "Refuse it, or **clip it?** Please say.",
            Some("Refuse it, or **clip it?** Please say."),
        );
        check("折扣超过 100% 时应拒绝吗？", Some("折扣超过 100% 时应拒绝吗？"));
        check("Why did it fail? I found out.\n\nAll is done.", None);
        check("See http://localhost/?page=1 for it.", None);
        check("done", None);
        check("", None);
    }
}
