//! What a walk came to, and whether that will do.

use std::time::Duration;

use crate::failure::Failure;

/// What came of one walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) client: &'static str,
    pub(super) version: &'static str,
    pub(super) project: &'static str,
    /// The commands of the person, and how long they took together.
    pub(super) typed: usize,
    pub(super) wall: Duration,
    /// How often the model was asked for something.
    pub(super) requests: usize,
    /// How often the agent got something to do.
    pub(super) starts: usize,
    /// The attempts that provost counts.
    pub(super) attempts: u64,
    /// What provost says of the result.
    pub(super) label: String,
    /// Whether the branch of the person ends with the result.
    pub(super) has_landed: bool,
    /// What was not as it must be.
    pub(super) wrong: Vec<String>,
}

impl Row {
    /// Notes what was not as it must be.
    pub(super) fn expect(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.wrong.push(otherwise.to_owned());
        }
    }

    fn has_passed(&self) -> bool {
        self.has_landed && self.wrong.is_empty()
    }

    fn cells(&self) -> [String; 10] {
        [
            self.client.to_owned(),
            self.version.to_owned(),
            self.project.to_owned(),
            self.typed.to_string(),
            format!("{:.1}", self.wall.as_secs_f64()),
            self.requests.to_string(),
            self.starts.to_string(),
            self.attempts.to_string(),
            self.label.clone(),
            if self.has_landed { "yes" } else { "NO" }.to_owned(),
        ]
    }
}

/// Refuses when a walk went wrong.
pub(super) fn judge(rows: &[Row]) -> Result<(), Failure> {
    let failed: Vec<String> = rows
        .iter()
        .filter(|it| !it.has_passed())
        .map(|it| format!("`{}`, {}: {}", it.client, it.project, it.wrong.join("; ")))
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Refused(failed.join("\n"))) }
}

/// The rows, as a table that can stand in a document.
pub(super) fn table(rows: &[Row], has_head: bool) -> String {
    let head = [
        "agent", "version", "project", "typed", "seconds", "requests", "starts", "attempts",
        "label", "landed",
    ];
    let mut lines: Vec<[String; 10]> = Vec::new();
    if has_head {
        lines.extend([head.map(str::to_owned), head.map(|_| "---".to_owned())]);
    }
    lines.extend(rows.iter().map(Row::cells));
    let line = |it: &[String; 10]| ["| ", &it.join(" | "), " |\n"].concat();
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        Row {
            client: "claude",
            version: "1.0",
            project: "go",
            typed: 5,
            wall: Duration::from_millis(12_340),
            requests: 7,
            starts: 2,
            attempts: 2,
            label: "VERIFIED".to_owned(),
            has_landed: true,
            wrong: Vec::new(),
        }
    }

    #[test]
    fn the_table_says_what_was_counted() {
        let expected = "\
| agent | version | project | typed | seconds | requests | starts | attempts | label | landed |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| claude | 1.0 | go | 5 | 12.3 | 7 | 2 | 2 | VERIFIED | yes |
";
        assert_eq!(table(&[row()], true), expected);
    }

    #[test]
    fn a_walk_that_lands_with_something_wrong_is_refused_too() {
        assert_eq!(judge(&[row()]), Ok(()));
        let mut wasteful = row();
        wasteful.expect(true, "not said");
        wasteful.expect(false, "3 starts for 2 attempts");
        let text = "`claude`, go: 3 starts for 2 attempts".to_owned();
        assert_eq!(judge(&[row(), wasteful]), Err(Failure::Refused(text)));
        let astray = Row { has_landed: false, ..row() };
        assert!(judge(&[astray]).is_err());
    }
}
