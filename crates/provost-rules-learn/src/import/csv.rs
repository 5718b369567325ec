//! Reads CSV (RFC 4180): quotes, line breaks in cells, and the separator that the header uses.

use provost_kernel::Message;

/// Why a text is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.csv")]
pub enum CsvError {
    #[message(
        en = "line {line}: a quote is not closed",
        zh = "第 {line} 行：引号没有闭合",
        hint(en = "write a quote in a cell twice: `\"\"`", zh = "单元格中的引号请写两次：`\"\"`")
    )]
    Unclosed { line: usize },
    #[message(
        en = "line {line}: {found} cells, the header has {expected}",
        zh = "第 {line} 行：有 {found} 个单元格，而表头有 {expected} 个"
    )]
    Ragged { line: usize, expected: usize, found: usize },
}

/// One row, with the number of its first line.
type Record = (usize, Vec<String>);

/// The rows of a table; the first one is the header. Blank rows are passed over.
pub(super) fn records(text: &str) -> Result<Vec<Record>, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let mut records: Vec<Record> = Vec::new();
    let (mut cells, mut cell, mut first, mut line) = (Vec::new(), String::new(), 1, 1);
    let mut quoted_from = None;
    let mut rest = text.chars().peekable();
    while let Some(it) = rest.next() {
        line += usize::from(it == '\n');
        match (quoted_from, it) {
            (Some(_), '"') if rest.next_if_eq(&'"').is_some() => cell.push('"'),
            (Some(_), '"') => quoted_from = None,
            (None, '"') if cell.trim().is_empty() => {
                cell.clear();
                quoted_from = Some(line);
            }
            (None, _) if it == separator => cells.push(std::mem::take(&mut cell)),
            (None, '\r') if rest.peek() == Some(&'\n') => {}
            (None, '\n') => {
                cells.push(std::mem::take(&mut cell));
                keep(&mut records, (first, std::mem::take(&mut cells)))?;
                first = line;
            }
            (Some(_) | None, _) => cell.push(it),
        }
    }
    if let Some(line) = quoted_from {
        return Err(CsvError::Unclosed { line });
    }
    cells.push(cell);
    keep(&mut records, (first, cells))?;
    Ok(records)
}

fn keep(records: &mut Vec<Record>, (line, cells): Record) -> Result<(), CsvError> {
    if cells.iter().all(|it| it.trim().is_empty()) {
        return Ok(());
    }
    let (expected, found) = (records.first().map_or(cells.len(), |it| it.1.len()), cells.len());
    if found != expected {
        return Err(CsvError::Ragged { line, expected, found });
    }
    records.push((line, cells));
    Ok(())
}

/// What separates cells: the candidate that the header has most of.
fn separator(text: &str) -> char {
    let header = text.lines().next().unwrap_or_default();
    let count = |it: &char| header.matches(*it).count();
    // Of equal ones the last is taken, which is the comma.
    ['\t', ';', ','].into_iter().max_by_key(count).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_cells_are_told_apart() {
        for (text, expected) in [
            ("a,b\r\n1,2\r\n", vec![(1, vec!["a", "b"]), (2, vec!["1", "2"])]),
            (
                "\u{feff}a;b\n\n\"x;\n\"\"y\";2",
                vec![(1, vec!["a", "b"]), (3, vec!["x;\n\"y", "2"])],
            ),
            ("a\tb\n1\t\n", vec![(1, vec!["a", "b"]), (2, vec!["1", ""])]),
            ("a\n\"\"\nit is \"so\"\n", vec![(1, vec!["a"]), (3, vec!["it is \"so\""])]),
            ("", vec![]),
        ] {
            let expected: Vec<Record> = expected
                .into_iter()
                .map(|(line, cells)| (line, cells.into_iter().map(str::to_owned).collect()))
                .collect();
            assert_eq!(records(text), Ok(expected), "{text:?}");
        }
        assert_eq!(records("a\n\"b\nc"), Err(CsvError::Unclosed { line: 2 }));
        let ragged = CsvError::Ragged { line: 2, expected: 2, found: 3 };
        assert_eq!(records("a,b\n1,2,3\n"), Err(ragged));
    }
}
