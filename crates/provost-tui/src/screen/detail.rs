//! What is known of one task: below the list, or on the whole screen.

use ratatui::text::{Line, Span};

use crate::{
    app::{App, Pane},
    keys::Shortcut,
    look::{Look, Tone},
    model::{Detail, DetailLine, Offer, Voice},
    strip,
    width::{cells, cut, wrap},
    words::Word,
};

/// The detail below the list.
pub(super) fn short(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(detail) = app.shown_detail() else {
        return match &app.selected {
            Some(_) => vec![line(app, Tone::Dim, &app.word(Word::ReadingTask), width)],
            None => Vec::new(),
        };
    };
    let mut lines = vec![headline(app, detail, width)];
    let body = body(app, detail, width);
    let scroll = if app.pane == Pane::Detail { app.scroll } else { 0 };
    lines.extend(body.into_iter().skip(scroll));
    lines.truncate(height);
    lines
}

/// The task on the whole screen.
pub(super) fn whole(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let look = app.look;
    let Some(detail) = app.shown_detail() else {
        return vec![line(app, Tone::Dim, &app.word(Word::ReadingTask), width)];
    };
    let mut lines = vec![headline(app, detail, width)];
    if let Some(item) = app.selected_item() {
        let goal = wrap(&item.goal, width.saturating_sub(2));
        lines.extend(goal.into_iter().map(|it| Line::raw(format!(" {it}"))));
        let mut spans = vec![Span::raw(" ")];
        spans.extend(strip::strip(item.strip, look));
        lines.push(Line::from(spans));
    }
    let room = height.saturating_sub(lines.len());
    let body = body(app, detail, width);
    let scroll = app.scroll.min(body.len().saturating_sub(room));
    lines.extend(body.into_iter().skip(scroll));
    lines.truncate(height);
    lines
}

fn headline(app: &App, detail: &Detail, width: usize) -> Line<'static> {
    let text = format!(" {}   {}", detail.id, detail.headline.join("   "));
    Line::styled(cut(&text, width, app.look.ellipsis()), app.look.style(Tone::Bold))
}

fn body(app: &App, detail: &Detail, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> =
        detail.lines.iter().flat_map(|it| spoken(app.look, it, width)).collect();
    lines.push(Line::default());
    let title = if detail.offers.is_empty() { Word::NoOrders } else { Word::Orders };
    lines.push(line(app, Tone::Dim, &app.word(title), width));
    lines.extend(detail.offers.iter().map(|it| offer(app.look, it, width)));
    lines
}

/// A line in the voice of its speaker.
fn spoken(look: Look, line: &DetailLine, width: usize) -> Vec<Line<'static>> {
    let (lead, mark, tone) = match line.voice {
        Voice::Ruling => (" ", None, Tone::Ruling),
        Voice::Fact(standing) => ("   ", Some(look.seal(standing)), Tone::Plain),
        Voice::Evidence => ("     ", None, Tone::Dim),
        Voice::Claim => (look.pick("   ┆ ", "   : "), None, Tone::Plain),
        Voice::Heading => (" ", None, Tone::Dim),
        Voice::Plain => ("   ", None, Tone::Plain),
    };
    let parts = wrap(&line.text, width.saturating_sub(cells(lead) + 1));
    let part = |(at, it): (usize, String)| match mark {
        Some((mark, tone)) if at == 0 => {
            Line::from(vec![Span::styled(format!(" {mark} "), look.style(tone)), Span::raw(it)])
        }
        Some(_) | None => Line::styled(format!("{lead}{it}"), look.style(tone)),
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// An order, with its key if it has one, and the command that gives it.
fn offer(look: Look, offer: &Offer, width: usize) -> Line<'static> {
    let shortcut = Shortcut::ALL.iter().find(|it| it.actions().contains(&offer.action));
    let key = shortcut.map_or(" ", |it| it.key(offer.action).0);
    let text = format!("   {key}  {}   {}", offer.label, offer.command);
    Line::styled(cut(&text, width, look.ellipsis()), look.style(Tone::Plain))
}

fn line(app: &App, tone: Tone, text: &str, width: usize) -> Line<'static> {
    Line::styled(cut(&format!(" {text}"), width, app.look.ellipsis()), app.look.style(tone))
}
