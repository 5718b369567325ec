//! A table for a page: columns as wide as they need to be, and no wider than the screen.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::paint::{Span, Tone};

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A table; the first column of each row is its name, and the last may be cut.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) head: Vec<(String, Side)>,
    pub(crate) rows: Vec<Vec<Span>>,
    /// The column whose cells are shortened in the middle.
    pub(crate) names: usize,
    /// The columns that are left out on a narrow screen, in this order; then the others, from the
    /// right.
    pub(crate) dropped: Vec<usize>,
}

/// What lies between two columns.
const GAP: usize = 2;
/// How narrow the names and the last column may become before a column is dropped.
const STEPS: [(usize, usize); 4] = [(usize::MAX, usize::MAX), (26, usize::MAX), (24, 13), (16, 11)];

impl Table {
    /// The lines of the table, on a screen of so many columns.
    pub(crate) fn lines(&self, width: Option<usize>) -> Vec<Vec<Span>> {
        let mut columns: Vec<usize> = (0..self.head.len()).collect();
        let mut dropped = self.dropped.iter();
        loop {
            for (names, last) in STEPS {
                let cap = |at: usize| match at {
                    _ if at == self.names => names,
                    _ if at + 1 == self.head.len() => last,
                    _ => usize::MAX,
                };
                let widths: Vec<(usize, usize)> =
                    columns.iter().map(|&at| (at, self.natural(at).min(cap(at)))).collect();
                let gaps = GAP * columns.len().saturating_sub(1);
                let total = widths.iter().map(|it| it.1).sum::<usize>() + gaps;
                let is_last_resort = columns.len() <= self.names + 1 && (names, last) == STEPS[3];
                if width.is_none_or(|it| total <= it) || is_last_resort {
                    return self.fitted(&widths);
                }
            }
            match dropped.next() {
                Some(gone) => columns.retain(|it| it != gone),
                None => drop(columns.pop()),
            }
        }
    }

    /// How wide a column would like to be.
    fn natural(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|it| it.get(column)).map(|it| it.text.width());
        cells.chain(self.head.get(column).map(|it| it.0.width())).max().unwrap_or(0)
    }

    fn fitted(&self, widths: &[(usize, usize)]) -> Vec<Vec<Span>> {
        let head: Vec<Span> = self.head.iter().map(|it| Tone::Dim.of(it.0.clone())).collect();
        let line = |row: &Vec<Span>| {
            let mut line = Vec::new();
            for &(at, width) in widths {
                let Some(cell) = row.get(at) else { break };
                let text = if at == self.names {
                    middle(&cell.text, width)
                } else {
                    cut(&cell.text, width)
                };
                let room = " ".repeat(width.saturating_sub(text.width()));
                let is_last = widths.last().is_some_and(|it| it.0 == at);
                let gap = " ".repeat(if is_last { 0 } else { GAP });
                let cell = Span { tone: cell.tone, text };
                match self.head[at].1 {
                    Side::Left => line.extend([cell, Tone::Plain.of(room + &gap)]),
                    Side::Right => line.extend([Tone::Plain.of(room), cell, Tone::Plain.of(gap)]),
                }
            }
            trimmed(line)
        };
        std::iter::once(&head).chain(&self.rows).map(line).collect()
    }
}

/// A line without blanks at its end.
fn trimmed(mut line: Vec<Span>) -> Vec<Span> {
    while line.last().is_some_and(|it| it.text.trim_end().is_empty()) {
        line.pop();
    }
    line
}

/// A name that keeps its start and its end.
pub(crate) fn middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let start = taken(text.chars(), room.div_ceil(2));
    let end: String = taken(text.chars().rev(), room / 2).chars().rev().collect();
    format!("{start}…{end}")
}

/// The start of a text.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    format!("{}…", taken(text.chars(), width.saturating_sub(1)))
}

/// As many characters as fit.
fn taken(text: impl Iterator<Item = char>, width: usize) -> String {
    let mut left = width;
    text.take_while(|it| {
        let needed = it.width().unwrap_or(0);
        let fits = needed <= left;
        left = left.saturating_sub(needed);
        fits
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Screen;

    fn table() -> Table {
        let head = ["", "TASK", "COST", "WAITS FOR"];
        let row = |cells: [&str; 4]| cells.map(|it| Tone::Plain.of(it)).to_vec();
        Table {
            head: head
                .iter()
                .map(|it| ((*it).to_owned(), if *it == "COST" { Side::Right } else { Side::Left }))
                .collect(),
            rows: vec![
                row(["✓", "fix-482-crash-on-an-empty-cart", "$0.09", "main 51c90d7 of a branch"]),
                row(["!", "短名", "$12.00", "你的答复"]),
            ],
            names: 1,
            dropped: vec![2],
        }
    }

    #[track_caller]
    fn check(width: Option<usize>, expected: &[&str]) {
        let lines: Vec<_> =
            table().lines(width).iter().map(|it| Screen::default().line(it)).collect();
        assert_eq!(lines, expected);
        if let Some(width) = width {
            assert!(lines.iter().all(|it| it.width() <= width), "{lines:#?}");
        }
    }

    #[test]
    fn a_table_fits_its_screen() {
        check(
            None,
            &[
                "   TASK                              COST  WAITS FOR",
                "✓  fix-482-crash-on-an-empty-cart   $0.09  main 51c90d7 of a branch",
                "!  短名                            $12.00  你的答复",
            ],
        );
        check(
            Some(63),
            &[
                "   TASK                          COST  WAITS FOR",
                "✓  fix-482-crash…n-empty-cart   $0.09  main 51c90d7 of a branch",
                "!  短名                        $12.00  你的答复",
            ],
        );
        check(
            Some(50),
            &[
                "   TASK                        COST  WAITS FOR",
                "✓  fix-482-cras…-empty-cart   $0.09  main 51c90d7…",
                "!  短名                      $12.00  你的答复",
            ],
        );
        // What is dropped first is not the last.
        check(
            Some(34),
            &[
                "   TASK              WAITS FOR",
                "✓  fix-482-…ty-cart  main 51c90…",
                "!  短名              你的答复",
            ],
        );
        check(Some(30), &["   TASK", "✓  fix-482-crash…n-empty-cart", "!  短名"]);
        check(Some(20), &["   TASK", "✓  fix-482-…ty-cart", "!  短名"]);
    }

    #[test]
    fn wide_characters_are_never_halved() {
        assert_eq!(middle("一二三四五", 6), "一…五");
        assert_eq!(cut("一二三", 4), "一…");
        assert_eq!(cut("一二", 4), "一二");
    }
}
