//! The commands of a call that failed: how each ended, the end of what it printed, and where all of
//! it can be read.

use provost_engine::{
    Desk,
    story::{self, OutputName, StoryError},
};
use provost_kernel::story::{ExecutionId, StoryId};
use serde::Serialize;

use crate::{address::Address, watch::FailedCommand};

/// So many failed commands are shown, and so much of the end of what each printed.
const MOST: usize = 8;
const LINES: usize = 20;
const BYTES: u64 = 2000;

/// A command that failed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    command: String,
    /// None where it did not run to its end.
    exit_code: Option<i32>,
    /// What it printed, for each stream on which it printed something.
    printed: Vec<Printed>,
}

/// The end of a stream.
#[derive(Debug, Serialize)]
struct Printed {
    tail: String,
    /// Where all of it can be read.
    resource: String,
}

/// The commands that failed in the newest look at a story.
pub(crate) fn of(
    desk: &Desk,
    execution: &ExecutionId,
    story: &StoryId,
    outputs: &[OutputName],
    failed: &[FailedCommand],
) -> Result<Vec<Failure>, StoryError> {
    let printed = |output: &OutputName| -> Result<Option<Printed>, StoryError> {
        let text = story::output_tail(desk, execution, story, *output, BYTES)?;
        let (execution, story) = (execution.clone(), story.clone());
        let resource = Address::Evidence { execution, story, output: *output }.to_string();
        Ok((!text.trim().is_empty()).then(|| Printed { tail: tail(&text), resource }))
    };
    let failure = |it: &FailedCommand| {
        let own = outputs.iter().filter(|output| output.command == it.number);
        let printed = own.map(printed).filter_map(Result::transpose).collect::<Result<_, _>>()?;
        Ok(Failure { command: it.line.clone(), exit_code: it.rc, printed })
    };
    failed.iter().take(MOST).map(failure).collect()
}

/// The last lines of a text.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let first = lines.len().saturating_sub(LINES);
    lines.get(first..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_has_the_last_lines() {
        let lines: Vec<String> = (1..=50).map(|it| format!("line {it}")).collect();
        let text = lines.join("\n") + "\n";
        let shown = tail(&text);
        assert!(shown.starts_with("line 31\n") && shown.ends_with("line 50"), "{shown}");
        assert_eq!(tail("one\n\n"), "one");
    }
}
