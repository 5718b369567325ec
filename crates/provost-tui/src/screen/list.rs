//! The list of tasks, by groups.
//!
//! Wide: everything on one line. At 80 columns the why goes below the name. Narrower still, the
//! strip loses its cord.

use provost_kernel::{
    Message as _, Timestamp,
    task::{Running, SealFact, TaskGroup},
};
use ratatui::text::{Line, Span};

use crate::{
    app::{App, Only, Pane},
    look::Tone,
    model::Item,
    strip::{self, PITCH, short_strip},
    width::{cut, fit, fit_right},
    words::{self, Word, short_fact},
};

/// From here on the why stands beside the strip.
const WIDE: usize = 96;
/// Below this the strip has no cord.
const NARROW: usize = 56;
const TRIES: usize = 5;
const AGE: usize = 4;

/// The columns of a list.
#[derive(Clone, Copy, Debug)]
struct Columns {
    name: usize,
    /// Nothing where it goes below the name.
    why: usize,
    has_cord: bool,
    has_tries: bool,
}

impl Columns {
    fn of(width: usize) -> Self {
        if width >= WIDE {
            let free = width - 1 - strip::WIDTH - TRIES - AGE - 6;
            let name = (free * 5 / 9).clamp(20, 44);
            return Self { name, why: free - name, has_cord: true, has_tries: true };
        }
        if width >= NARROW {
            let name = width - 1 - strip::WIDTH - TRIES - AGE - 4;
            return Self { name, why: 0, has_cord: true, has_tries: true };
        }
        let name = width.saturating_sub(1 + strip::SHORT + AGE + 3);
        Self { name, why: 0, has_cord: false, has_tries: false }
    }
}

/// The names of the facts above their seals.
pub(super) fn legend(app: &App, width: usize) -> Option<Line<'static>> {
    let columns = Columns::of(width);
    if !columns.has_cord {
        return None;
    }
    let names = SealFact::ALL.iter().map(|it| fit(short_fact(*it, app.lang), PITCH, ""));
    let names: String = names.collect();
    let text = format!("{:space$}{names}", "", space = columns.name + 2);
    Some(Line::styled(text.trim_end().to_owned(), app.look.style(Tone::Dim)))
}

/// As much of the list as fits, around the selected task.
pub(super) fn rows(app: &App, width: usize, height: usize) -> Vec<Line<'static>> {
    let columns = Columns::of(width);
    let items = app.listed();
    if items.is_empty() {
        return empty(app, width);
    }
    let (mut lines, mut selected, mut group) = (Vec::new(), 0..0, None);
    for item in items {
        if group != Some(item.group) {
            group = Some(item.group);
            lines.push(heading(app, item.group, width));
        }
        let start = lines.len();
        let is_selected = app.selected.as_ref() == Some(&item.id);
        lines.extend(row(app, item, is_selected, width, columns));
        if is_selected {
            // The heading of a group is seen with its first task.
            selected = start.saturating_sub(1)..lines.len();
        }
    }
    let top = top(selected, lines.len(), height);
    lines.into_iter().skip(top).take(height).collect()
}

/// The first line that is shown, so that the selected task is.
fn top(selected: std::ops::Range<usize>, lines: usize, height: usize) -> usize {
    let middle = selected.start.midpoint(selected.end);
    let top = middle.saturating_sub(height / 2).min(lines.saturating_sub(height));
    // Both of its lines, where there is room for them.
    top.max(selected.end.saturating_sub(height))
}

fn heading(app: &App, group: TaskGroup, width: usize) -> Line<'static> {
    let text = format!(" {}  {}", words::group(group, app.lang), app.count(group));
    let tone = if group == TaskGroup::Waits { Tone::Bold } else { Tone::Dim };
    Line::styled(cut(&text, width, app.look.ellipsis()), app.look.style(tone))
}

fn row(
    app: &App,
    item: &Item,
    is_selected: bool,
    width: usize,
    columns: Columns,
) -> Vec<Line<'static>> {
    let look = app.look;
    let dots = look.ellipsis();
    let tone = match (is_selected, app.pane) {
        (true, Pane::List) => Tone::Selected,
        (true, Pane::Detail) => Tone::Bold,
        (false, _) => Tone::Plain,
    };
    let cursor = if is_selected { look.cursor() } else { " " };
    let mut spans = vec![
        Span::styled(cursor, look.style(Tone::Bold)),
        Span::styled(fit(&item.id, columns.name, dots), look.style(tone)),
        Span::raw(" "),
    ];
    if columns.has_cord {
        spans.extend(strip::strip(item.strip, look));
    } else {
        spans.extend(short_strip(item.strip, look));
    }
    spans.push(Span::raw(" "));
    let why = why(app, item);
    if columns.why > 0 {
        spans.push(Span::raw(" "));
        spans.push(Span::styled(fit(&why, columns.why, dots), look.style(why_tone(item.group))));
        spans.push(Span::raw(" "));
    }
    if columns.has_tries {
        spans.push(Span::raw(fit_right(&item.tries, TRIES, "")));
        spans.push(Span::raw(" "));
    }
    let age = fit_right(&age(app.now, item.updated_at), AGE, "");
    spans.push(Span::styled(age, look.style(Tone::Dim)));
    let mut lines = vec![Line::from(spans)];
    if columns.why == 0 {
        let text = cut(&format!("   {why}"), width, dots);
        lines.push(Line::styled(text, look.style(why_tone(item.group))));
    }
    lines
}

fn why_tone(group: TaskGroup) -> Tone {
    match group {
        TaskGroup::Waits => Tone::Wait,
        TaskGroup::Runs => Tone::Run,
        TaskGroup::Proven | TaskGroup::Unproven | TaskGroup::Closed => Tone::Dim,
    }
}

/// Why a task stands where it stands; one that runs says for how long.
fn why(app: &App, item: &Item) -> String {
    let Some(Running { step, since, limit_seconds }) = item.running else {
        return item.why.clone();
    };
    let step = words::step(step, app.lang).to_owned();
    let time = duration(app.now.seconds() - since.seconds());
    app.word(match limit_seconds {
        Some(limit) => Word::StepOf { step, time, limit: duration(limit.into()) },
        None => Word::Step { step, time },
    })
}

fn empty(app: &App, width: usize) -> Vec<Line<'static>> {
    let words = if app.board.is_none() {
        vec![Word::Reading]
    } else if !app.filter.text().is_empty() {
        vec![Word::NoMatch { filter: app.filter.text().to_owned() }]
    } else if app.only == Only::Inbox {
        vec![Word::NothingWaits]
    } else {
        vec![Word::NoTasks, Word::StartOne]
    };
    let line = |it: Word| {
        let text = cut(&format!(" {}", app.say(&it.text())), width, app.look.ellipsis());
        Line::styled(text, app.look.style(Tone::Dim))
    };
    words.into_iter().map(line).collect()
}

/// How long ago something was, in the largest unit that fits.
pub(super) fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = (now.seconds() - then.seconds()).max(0);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// A length of time in minutes and seconds, or in hours.
fn duration(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_task_is_always_seen() {
        for (selected, lines, height, expected) in [
            (0..2, 40, 10, 0),
            (20..22, 40, 10, 16),
            (38..40, 40, 10, 30),
            (0..2, 3, 10, 0),
            (5..8, 40, 1, 7),
            (0..0, 0, 0, 0),
        ] {
            let top = top(selected.clone(), lines, height);
            assert_eq!(top, expected, "{selected:?} {lines} {height}");
        }
    }

    #[test]
    fn times_are_short() {
        assert_eq!(duration(102), "1:42");
        assert_eq!(duration(-5), "0:00");
        assert_eq!(duration(3723), "1:02:03");
    }
}
