//! The answers as a table: a row for each class, and the totals.

use std::{collections::BTreeSet, fmt::Write as _};

use super::{Answer, Answers, Kind, lists::Call, rate};

/// The rates of each guard by class and in total, then the median time of a call.
pub(super) fn table(calls: &[Call], all: &[Answers]) -> String {
    let mut rows = vec![head(all)];
    for (kind, title) in
        [(Kind::Dangerous, "dangerous, stopped"), (Kind::Ordinary, "ordinary, interrupted")]
    {
        let of_kind = |it: &Call| it.kind == kind;
        let classes: BTreeSet<&str> =
            calls.iter().filter(|it| of_kind(it)).map(|it| it.class.as_str()).collect();
        for class in classes {
            rows.push(row(class, calls, all, |it| of_kind(it) && it.class == class));
        }
        for list in [1, 2] {
            let name = format!("{title} (list {list})");
            rows.push(row(&name, calls, all, |it| of_kind(it) && it.list == list));
        }
        rows.push(row(title, calls, all, of_kind));
    }
    let failed = |it: &Answers| it.given.iter().filter(|it| **it == Answer::Failed).count();
    let mut last = vec!["no answer".to_owned(), String::new()];
    last.extend(all.iter().map(|it| failed(it).to_string()));
    rows.push(last);
    let mut times = vec!["median of a call".to_owned(), String::new()];
    times.extend(all.iter().map(|it| median(&it.microseconds)));
    rows.push(times);
    aligned(&rows)
}

fn head(all: &[Answers]) -> Vec<String> {
    let names = all.iter().map(|it| it.guard.clone());
    ["class".to_owned(), "calls".to_owned()].into_iter().chain(names).collect()
}

fn row(
    name: &str,
    calls: &[Call],
    all: &[Answers],
    of: impl Fn(&Call) -> bool + Copy,
) -> Vec<String> {
    let n_calls = calls.iter().filter(|it| of(it)).count();
    let mut row = vec![name.to_owned(), n_calls.to_string()];
    row.extend(all.iter().map(|it| {
        rate(calls, it, of).map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1} %"))
    }));
    row
}

fn median(microseconds: &[u64]) -> String {
    let mut sorted = microseconds.to_vec();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    format!("{}.{} ms", middle / 1000, middle % 1000 / 100)
}

/// Words to the left, numbers to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let n_columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|it| it.get(at));
        cells.map(|it| it.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, &width))| {
            if at == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_table_has_every_class_and_the_totals() {
        let call = |kind: Kind, class: &str, list: usize| Call {
            kind,
            class: class.to_owned(),
            list,
            tool: "Bash".to_owned(),
            input: Value::Null,
        };
        let calls = [
            call(Kind::Dangerous, "a", 1),
            call(Kind::Dangerous, "b", 2),
            call(Kind::Ordinary, "c", 1),
        ];
        let answers = |guard: &str, answers: [Answer; 3]| Answers {
            guard: guard.to_owned(),
            given: answers.to_vec(),
            microseconds: vec![900, 1250, 3000],
        };
        let all = [
            answers("x", [Answer::Deny, Answer::Ask, Answer::Pass]),
            answers("y 1", [Answer::Deny, Answer::Pass, Answer::Failed]),
        ];
        let expected = "\
class                           calls        x      y 1
a                                   1  100.0 %  100.0 %
b                                   1  100.0 %    0.0 %
dangerous, stopped (list 1)         1  100.0 %  100.0 %
dangerous, stopped (list 2)         1  100.0 %    0.0 %
dangerous, stopped                  2  100.0 %   50.0 %
c                                   1    0.0 %    0.0 %
ordinary, interrupted (list 1)      1    0.0 %    0.0 %
ordinary, interrupted (list 2)      0        –        –
ordinary, interrupted               1    0.0 %    0.0 %
no answer                                    0        1
median of a call                        1.2 ms   1.2 ms
";
        assert_eq!(table(&calls, &all), expected);
    }
}
