//! A change, a log, the help: one text on the whole screen.

use provost_kernel::Message as _;
use ratatui::text::{Line, Span};

use crate::{
    app::App,
    keys::BINDINGS,
    look::Tone,
    model::{Paper, PaperKind},
    width::{cut, fit},
    words::Word,
};

pub(super) fn paper(
    app: &App,
    paper: &Paper,
    top: usize,
    width: usize,
    height: usize,
) -> Vec<Line<'static>> {
    let look = app.look;
    let line =
        |text: String, tone| Line::styled(cut(&text, width, look.ellipsis()), look.style(tone));
    let mut lines = vec![line(format!(" {}", paper.title), Tone::Bold)];
    if paper.lines.is_empty() {
        lines.push(line(format!(" {}", app.word(Word::NoOutput)), Tone::Dim));
    }
    let shown = paper.lines.iter().skip(top).take(height.saturating_sub(1));
    lines.extend(shown.map(|it| {
        let tone = match it.kind {
            PaperKind::Plain => Tone::Plain,
            PaperKind::Heading => Tone::Bold,
            PaperKind::Added => Tone::Ok,
            PaperKind::Removed => Tone::Bad,
            PaperKind::Dim => Tone::Dim,
        };
        line(format!(" {}", it.text), tone)
    }));
    lines
}

/// Every key, in as many columns as fit.
pub(super) fn help(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    const COLUMN: usize = 38;
    let look = app.look;
    let title = format!(" {}", app.word(Word::Keys));
    let mut lines = vec![Line::styled(title, look.style(Tone::Bold))];
    let room = height.saturating_sub(1).max(1);
    let columns = (width / COLUMN).clamp(1, BINDINGS.len().div_ceil(room).max(1));
    let rows = BINDINGS.len().div_ceil(columns);
    for row in 0..rows {
        let mut spans = Vec::new();
        for it in BINDINGS.iter().skip(row).step_by(rows) {
            let keys = fit(it.shown(look), 10, look.ellipsis());
            let word = fit(&app.say(&it.word.text()), COLUMN - 14, look.ellipsis());
            spans.push(Span::styled(format!("  {keys}"), look.style(Tone::Bold)));
            spans.push(Span::raw(format!("  {word}")));
        }
        lines.push(Line::from(spans));
    }
    lines
}
