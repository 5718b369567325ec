//! From what is known to what is seen: a pure function of the state and the size of the screen.

mod detail;
mod dialog;
mod list;
mod page;
#[cfg(test)]
mod tests;

use provost_kernel::{Message as _, task::TaskGroup};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    text::{Line, Span},
};

use crate::{
    app::{App, Mode, Only, Pane},
    keys::Shortcut,
    look::{Marks, Tone},
    width::{cells, cut, fit},
    words::{KeyWord, Word, sentence},
};

/// The smallest screen on which something can be told.
const NARROWEST: u16 = 20;
const LOWEST: u16 = 5;

/// Lines to draw, with the place of the cursor in them.
#[derive(Debug, Default)]
pub(crate) struct Block<'a> {
    pub(crate) lines: Vec<Line<'a>>,
    pub(crate) cursor: Option<(usize, usize)>,
}

/// Draws everything, and says where the cursor stands.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if area.width < NARROWEST || area.height < LOWEST {
        buffer.set_stringn(
            area.x,
            area.y,
            app.word(Word::TooSmall),
            area.width.into(),
            app.look.style(Tone::Plain),
        );
        return None;
    }
    let width = usize::from(area.width);
    let height = usize::from(area.height);
    let mut lines = vec![header(app, width)];
    let (body, cursor) = match &app.mode {
        Mode::Paper { paper, top, .. } => (page::paper(app, paper, *top, width, height - 2), None),
        Mode::Help => (page::help(app, width, height - 2), None),
        Mode::Task => (detail::whole(app, width, height - 2), None),
        Mode::Browse | Mode::Filter => (browse(app, width, height - 2), None),
        Mode::Orders { at } => over(app, width, height - 2, dialog::orders(app, *at, width)),
        Mode::Order(draft) => over(app, width, height - 2, dialog::draft(app, draft, width)),
    };
    lines.extend(body);
    lines.truncate(height - 1);
    lines.resize(height - 1, Line::default());
    let (last, cursor) = if app.mode == Mode::Filter {
        filter_line(app, width, height - 1)
    } else {
        (last_line(app, width), cursor.map(|(x, y)| (x, y + 1)))
    };
    lines.push(last);
    for (row, line) in (area.y..).zip(&lines) {
        buffer.set_line(area.x, row, line, area.width);
    }
    if app.look.marks == Marks::Ascii {
        buffer.content.iter_mut().for_each(|cell| {
            let plain = match cell.symbol() {
                "“" | "”" => "\"",
                "‘" | "’" => "'",
                "–" | "—" => "-",
                "…" => ".",
                _ => return,
            };
            cell.set_symbol(plain);
        });
    }
    let (x, y) = cursor?;
    let x = u16::try_from(x).unwrap_or(0).min(area.width - 1);
    let y = u16::try_from(y).unwrap_or(0).min(area.height - 1);
    Some(Position { x: area.x + x, y: area.y + y })
}

/// The program, the project, whether this is live, the chain, and the time.
fn header(app: &App, width: usize) -> Line<'static> {
    let look = app.look;
    let left = format!(" provost  {}", app.project);
    let live = match (&app.stale, &app.board) {
        (Some((_, since)), _) => {
            (Tone::Bad, app.word(Word::Stale { age: list::age(app.now, *since) }))
        }
        (None, Some(_)) => (Tone::Ok, app.word(Word::Live)),
        (None, None) => (Tone::Dim, app.word(Word::Reading)),
    };
    let chain = match app.chain {
        Some(true) => (Tone::Dim, app.word(Word::ChainIntact)),
        Some(false) => (Tone::Bad, app.word(Word::ChainBroken)),
        None => (Tone::Dim, String::new()),
    };
    let time = (Tone::Dim, clock(app.now.seconds()));
    let mut right: Vec<(Tone, String)> = vec![live, chain, time];
    right.retain(|it| !it.1.is_empty());
    let taken = |it: &[(Tone, String)]| it.iter().map(|(_, text)| cells(text) + 3).sum::<usize>();
    // The time goes first, what is broken last.
    while right.len() > 1 && taken(&right) + 12 > width {
        let at = right.iter().rposition(|it| it.0 != Tone::Bad).unwrap_or(0);
        right.remove(at);
    }
    let room = width.saturating_sub(taken(&right));
    let mut spans = vec![Span::styled(fit(&left, room, look.ellipsis()), look.style(Tone::Bold))];
    for (tone, text) in right {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(text, look.style(tone)));
        spans.push(Span::raw(" "));
    }
    Line::from(spans)
}

fn clock(seconds: i64) -> String {
    let minutes = seconds.div_euclid(60);
    format!("{:02}:{:02} UTC", minutes.div_euclid(60).rem_euclid(24), minutes.rem_euclid(60))
}

/// The sentence, the list, and the detail of the selected task.
fn browse(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let look = app.look;
    let mut lines = vec![top_line(app, width)];
    lines.extend(list::legend(app, width).filter(|_| height >= 7));
    let pane = match height {
        ..8 => 0,
        8..14 => 3,
        _ => (height * 2 / 5).max(4),
    };
    lines.extend(list::rows(app, width, height.saturating_sub(lines.len() + pane)));
    let left = height.saturating_sub(lines.len());
    if pane > 0 && app.selected.is_some() {
        let tone = if app.pane == Pane::Detail { Tone::Bold } else { Tone::Dim };
        lines.push(Line::styled(look.rule().repeat(width), look.style(tone)));
        lines.extend(detail::short(app, width, left.saturating_sub(1)));
    }
    lines
}

/// The sentence, or what is wrong.
fn top_line(app: &App, width: usize) -> Line<'static> {
    let look = app.look;
    let trouble = app.board.as_ref().and_then(|it| it.trouble.first());
    let (tone, text) = match (&app.stale, trouble, &app.board) {
        (Some((why, _)), _, _) => (Tone::Bad, why.clone()),
        (None, Some(trouble), _) => (Tone::Bad, trouble.clone()),
        (None, None, None) => (Tone::Dim, String::new()),
        (None, None, Some(_)) => {
            let count = |group| app.count(group);
            let queued = app.queued();
            let runs = count(TaskGroup::Runs) - queued;
            let counts = (count(TaskGroup::Waits), runs, queued, count(TaskGroup::Proven));
            (Tone::Ruling, sentence(counts, app.lang))
        }
    };
    let mut text = format!(" {text}");
    let filter = app.filter.text();
    if app.only == Only::Inbox {
        text = format!("{text}  [{}]", app.word(Word::Inbox));
    }
    if !filter.is_empty() && app.mode != Mode::Filter {
        text = format!("{text}  [/{filter}]");
    }
    Line::styled(cut(&text, width, look.ellipsis()), look.style(tone))
}

/// A dialog below what can still be seen of the list.
fn over(
    app: &App,
    width: usize,
    height: usize,
    dialog: Block<'static>,
) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
    let look = app.look;
    let taken = (dialog.lines.len() + 1).min(height);
    let mut lines = vec![top_line(app, width)];
    lines.extend(list::rows(app, width, (height - taken).saturating_sub(1)));
    lines.resize(height - taken, Line::default());
    lines.push(Line::styled(look.rule().repeat(width), look.style(Tone::Bold)));
    let cursor = dialog.cursor.map(|(x, y)| (x, y + lines.len()));
    lines.extend(dialog.lines);
    (lines, cursor)
}

fn filter_line(app: &App, width: usize, row: usize) -> (Line<'static>, Option<(usize, usize)>) {
    let label = format!(" {} /", app.word(Word::Filter));
    let (before, behind) = app.filter.halves();
    let text = cut(&format!("{label}{before}{behind}"), width, app.look.ellipsis());
    let x = cells(&label) + cells(before);
    (Line::styled(text, app.look.style(Tone::Bold)), Some((x, row)))
}

/// What was just said, else the keys that mean something now.
fn last_line(app: &App, width: usize) -> Line<'static> {
    let look = app.look;
    if let Some(notice) = &app.notice {
        let text = cut(&format!(" {}", notice.text), width, look.ellipsis());
        return Line::styled(text, look.style(notice.tone));
    }
    let say = |word: KeyWord| app.say(&word.text());
    let enter = look.pick("↵", "Enter");
    let mut keys: Vec<(&str, String)> = match &app.mode {
        Mode::Order(_) => return Line::default(),
        Mode::Orders { .. } => vec![("j k", say(KeyWord::Move)), (enter, say(KeyWord::Open))],
        Mode::Paper { .. } | Mode::Help => {
            vec![("j k", say(KeyWord::Move)), ("[ ]", say(KeyWord::Part))]
        }
        Mode::Browse | Mode::Filter | Mode::Task => {
            let mut keys = vec![("j k", say(KeyWord::Move))];
            if app.mode != Mode::Task {
                keys.push((enter, say(KeyWord::Open)));
            }
            keys.extend(order_keys(app));
            if app.selected.is_some() {
                keys.push(("d", say(KeyWord::Diff)));
                keys.push(("L", say(KeyWord::Log)));
            }
            if app.mode != Mode::Task {
                keys.push(("/", say(KeyWord::Filter)));
            }
            keys
        }
    };
    let behind = match app.mode {
        Mode::Browse | Mode::Filter => [("?", say(KeyWord::Help)), ("q", say(KeyWord::Quit))],
        Mode::Task | Mode::Orders { .. } | Mode::Order(_) | Mode::Paper { .. } | Mode::Help => {
            [("u", say(KeyWord::Back)), ("?", say(KeyWord::Help))]
        }
    };
    let taken =
        |it: &[(&str, String)]| it.iter().map(|it| cells(it.0) + cells(&it.1) + 3).sum::<usize>();
    // What the help says as well goes first.
    while keys.len() > 1 && taken(&keys) + taken(&behind) > width {
        keys.pop();
    }
    let mut spans = Vec::new();
    for (key, word) in keys.into_iter().chain(behind) {
        spans.push(Span::styled(format!(" {key}"), look.style(Tone::Bold)));
        spans.push(Span::styled(format!(" {word} "), look.style(Tone::Dim)));
    }
    Line::from(spans)
}

/// The orders of the selected task that have a key.
fn order_keys(app: &App) -> Vec<(&'static str, String)> {
    let Some(detail) = app.shown_detail() else { return Vec::new() };
    let offered = |shortcut: Shortcut| {
        let mut actions = shortcut.actions().iter();
        let action = actions.find(|name| detail.offers.iter().any(|it| it.action == **name))?;
        let (key, word) = shortcut.key(*action);
        Some((key, app.say(&word.text())))
    };
    Shortcut::ALL.into_iter().filter_map(offered).collect()
}
