//! Orders: which there are, and the one that is being given.

use provost_desk::task::FieldKind;
use provost_kernel::Message as _;
use ratatui::text::Line;

use super::Block;
use crate::{
    app::{App, Draft, Stage},
    look::Tone,
    width::{cells, cut, wrap},
    words::Word,
};

/// How many lines of a long text are shown around the cursor.
const LINES: usize = 6;

/// The orders that the selected task takes.
pub(super) fn orders(app: &App, at: usize, width: usize) -> Block<'static> {
    let look = app.look;
    let line =
        |text: String, tone| Line::styled(cut(&text, width, look.ellipsis()), look.style(tone));
    let Some(detail) = app.shown_detail() else {
        let text = format!(" {}", app.word(Word::ReadingTask));
        return Block { lines: vec![line(text, Tone::Dim)], cursor: None };
    };
    let title = if detail.offers.is_empty() { Word::NoOrders } else { Word::Orders };
    let title = labelled(app, &detail.id, &app.word(title));
    let mut lines = vec![line(format!(" {title}"), Tone::Bold)];
    for (number, offer) in detail.offers.iter().enumerate() {
        let is_selected = number == at;
        let cursor = if is_selected { look.cursor() } else { " " };
        let tone = if is_selected { Tone::Selected } else { Tone::Plain };
        lines.push(line(format!("{cursor} {}   {}", offer.label, offer.command), tone));
    }
    Block { lines, cursor: None }
}

/// The order that is being given: what it is about, its fields, the question.
pub(super) fn draft(app: &App, draft: &Draft, width: usize) -> Block<'static> {
    let look = app.look;
    let line =
        |text: String, tone| Line::styled(cut(&text, width, look.ellipsis()), look.style(tone));
    let about = app.say(&draft.about().text());
    let mut lines = vec![
        line(format!(" {}", labelled(app, &draft.offer.label, &draft.task)), Tone::Bold),
        line(format!(" {about}"), Tone::Ruling),
    ];
    let mut cursor = None;
    for (at, (field, input)) in draft.offer.fields.iter().zip(&draft.inputs).enumerate() {
        let is_typed = draft.stage == Stage::Typing(at);
        let mut label = format!(" {}", field.label);
        if !field.choices.is_empty() {
            let choices = app.word(Word::Choices { choices: field.choices.clone() });
            label = format!("{label} ({choices})");
        }
        lines.push(line(label, Tone::Dim));
        let (typed, place) = text(input.halves(), width.saturating_sub(4));
        // The part around the cursor.
        let top = place.1.saturating_sub(LINES - 1);
        if is_typed {
            cursor = Some((place.0 + 3, lines.len() + place.1 - top));
        }
        for it in typed.into_iter().skip(top).take(LINES) {
            let mark = if is_typed { look.cursor() } else { " " };
            lines.push(line(format!(" {mark} {it}"), Tone::Plain));
        }
    }
    if let Some(refusal) = &draft.refusal {
        lines.extend(
            wrap(refusal, width - 2).into_iter().map(|it| line(format!(" {it}"), Tone::Bad)),
        );
    }
    let (word, tone) = match draft.stage {
        Stage::Typing(at) if draft.offer.fields[at].kind == FieldKind::Text => {
            (Word::Typing, Tone::Dim)
        }
        Stage::Typing(_) => (Word::TypingLine, Tone::Dim),
        Stage::Confirming => (Word::Confirm, Tone::Bold),
        Stage::Sending => (Word::Sending, Tone::Run),
    };
    lines.push(line(format!(" {}", app.word(word)), tone));
    Block { lines, cursor }
}

fn labelled(app: &App, label: &str, value: &str) -> String {
    app.lang.pick(format!("{label}: {value}"), format!("{label}：{value}"))
}

/// The lines of what is typed, and the column and line of the cursor.
fn text((before, behind): (&str, &str), width: usize) -> (Vec<String>, (usize, usize)) {
    let all = format!("{before}{behind}");
    let (mut lines, mut place, mut seen) = (Vec::new(), (0, 0), 0);
    for part in all.split('\n') {
        for it in broken(part, width) {
            let end = seen + it.len();
            if (seen..=end).contains(&before.len()) {
                place = (cells(&it[..before.len() - seen]), lines.len());
            }
            seen = end;
            lines.push(it.to_owned());
        }
        seen += 1;
    }
    (lines, place)
}

/// A line in parts that fit, letter by letter: no space is lost while a person types.
fn broken(text: &str, width: usize) -> Vec<&str> {
    let width = width.max(2);
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, letter) in text.char_indices() {
        if cells(&text[start..at + letter.len_utf8()]) > width {
            parts.push(&text[start..at]);
            start = at;
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stands_where_the_next_letter_goes() {
        for (before, behind, width, lines, place) in [
            ("", "", 10, &[""][..], (0, 0)),
            ("ab", "c", 10, &["abc"], (2, 0)),
            ("用端", "口", 10, &["用端口"], (4, 0)),
            ("用端口", "", 4, &["用端", "口"], (2, 1)),
            ("a\nb", "c\n", 10, &["a", "bc", ""], (1, 1)),
            ("a\n", "", 10, &["a", ""], (0, 1)),
        ] {
            let (actual, at) = text((before, behind), width);
            assert_eq!((actual, at), (lines.iter().map(ToString::to_string).collect(), place));
        }
    }
}
