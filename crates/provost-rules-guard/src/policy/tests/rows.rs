//! What is dangerous beside what only looks like it, row by row.

use provost_kernel::guard::policy::{Effect, Policy, ToolCall};

use super::{super::rule, call, shell};

const ROWS: &str = include_str!("rows.txt");

/// The call of a row, by a guard whose program lies in the home.
fn called(row: &str) -> ToolCall {
    let row = row.replace('⏎', "\n");
    let tool = row.strip_prefix("TOOL ").and_then(|it| it.split_once(' '));
    let call = match tool {
        Some((tool, input)) => call(tool, serde_json::from_str(input).unwrap()),
        None => shell(&row),
    };
    ToolCall { program: Some("/home/user/.local/bin/provost".to_owned()), ..call }
}

#[test]
fn every_row_is_ruled_as_written() {
    let rows = ROWS.lines().filter(|it| !it.is_empty() && !it.starts_with("# "));
    let (mut n_rows, mut wrong) = (0, Vec::new());
    for row in rows {
        n_rows += 1;
        let (expected, row) = row.split_once(' ').unwrap();
        let ruling = rule(&Policy::default(), &called(row));
        let is_stopped = matches!(ruling.effect, Effect::Ask | Effect::Deny);
        let is_right = match expected {
            "stop" => is_stopped,
            "pass" => !is_stopped,
            by => ruling.rule == by,
        };
        if !is_right {
            wrong.push(format!("{expected}: {:?} {} {row}", ruling.effect, ruling.rule));
        }
    }
    assert!(wrong.is_empty(), "{} of {n_rows} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_rows > 300, "{n_rows}");
}
