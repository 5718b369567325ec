//! Rows of a page: a label, what there is, what came of it, and how long it took.

use provost_engine::task::{TrialPhase, TrialStep};

use crate::{
    output::plain,
    paint::{Screen, Tone},
    view::Page,
    wrap::wrap,
};

/// How wide the column of labels is, that of what is said, and a line of which nothing came.
const LABEL: usize = 9;
pub(crate) const TEXT: usize = 50;
const LINE: usize = 66;
/// What stands to the right of a text, with the gaps on both sides of it, and the narrowest text.
const RIGHT: usize = 16;
const NARROWEST: usize = 20;

/// What came of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Good,
    Doubtful,
    Bad,
    None,
}

/// One command of the preparation.
pub(crate) fn step(page: &mut Page<'_>, step: &TrialStep) {
    let label = match step.phase {
        TrialPhase::Fetch => page.lang.pick("fetch", "安装"),
        TrialPhase::Build => page.lang.pick("build", "构建"),
        TrialPhase::Reused => page.lang.pick("reused", "复用"),
    };
    let mark = match (step.rc, step.must_succeed) {
        (0, _) => Mark::Good,
        (_, true) => Mark::Bad,
        (_, false) => Mark::Doubtful,
    };
    row(page, label, &step.command, mark, Some(step.wall_ms));
}

/// What runs now, on a line that is written over.
pub(crate) fn running(command: &str) -> String {
    format!("  … {}", shortened(&plain(command), LINE))
}

/// One line: a label, what there is, what came of it, and how long it took.
pub(crate) fn row(page: &mut Page<'_>, label: &str, text: &str, mark: Mark, wall_ms: Option<u64>) {
    let mark = match mark {
        Mark::Good => "✓",
        Mark::Doubtful => "!",
        Mark::Bad => "✗",
        Mark::None => "",
    };
    let gap = " ".repeat(LABEL.saturating_sub(columns(label)));
    let text = &shortened(text, if mark.is_empty() && wall_ms.is_none() { LINE } else { TEXT });
    // What came of it stands behind the first line of a text that does not fit.
    let room = page.screen().width.map_or(TEXT, |it| it.saturating_sub(LABEL + RIGHT).min(TEXT));
    let room = if mark.is_empty() && wall_ms.is_none() { LINE } else { room.max(NARROWEST) };
    let mut lines = wrap(&[Tone::Plain.of(text.as_str())], room, 0).into_iter();
    let mut next = || lines.next().map(|it| Screen::default().line(&it));
    let text = &next().unwrap_or_default();
    let mut line = format!("  {label}{gap}  {text}");
    if !mark.is_empty() || wall_ms.is_some() {
        line += &" ".repeat(room.saturating_sub(columns(text)));
        line += "  ";
        line += if mark.is_empty() { " " } else { mark };
    }
    let time = wall_ms.map(|it| format!("  {:>4}.{}s", it / 1000, it % 1000 / 100));
    line += &time.unwrap_or_default();
    page.indented(&[Tone::Plain.of(line.trim_end())], LABEL + 4);
    while let Some(text) = next() {
        page.line(&format!("{}{text}", " ".repeat(LABEL + 4)));
    }
}

/// A text that takes at most so many columns.
fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut shown = String::new();
    for it in text.chars() {
        if columns(&shown) + columns(it.encode_utf8(&mut [0; 4])) >= most {
            break;
        }
        shown.push(it);
    }
    shown + "…"
}

/// How many columns of a terminal a text takes: a Chinese character takes two.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|it| if matches!(it, '\u{2e80}'..='\u{ffef}') { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_its_columns() {
        for (text, most, expected) in [
            ("npm test", 8, "npm test"),
            ("npm test -- all", 8, "npm tes…"),
            ("运行所有测试", 12, "运行所有测试"),
            ("运行所有测试", 8, "运行所…"),
            ("", 4, ""),
        ] {
            assert_eq!(shortened(text, most), expected);
        }
    }
}
