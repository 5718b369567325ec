//! The lines of our own reporters: `begin`, one line for each test, `end`.

use serde::Deserialize;

use super::{TestName, TestOutcome, TestRecord};

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum Line {
    Begin,
    Test {
        #[serde(default)]
        file: String,
        path: Vec<String>,
        outcome: Outcome,
    },
    End,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// Reads the lines. What is not a line of ours was written by something else, and says nothing.
pub(super) fn read(text: &str, record: &mut TestRecord) {
    let mut open: u32 = 0;
    for line in text.lines().filter_map(|it| serde_json::from_str(it).ok()) {
        match line {
            Line::Begin => open += 1,
            Line::End => open = open.saturating_sub(1),
            Line::Test { file, path, outcome } => {
                let outcome = match outcome {
                    Outcome::Passed => TestOutcome::Passed,
                    Outcome::Failed => TestOutcome::Failed,
                    Outcome::Skipped => TestOutcome::Skipped,
                };
                record.add(TestName { place: file, path }, outcome);
            }
        }
    }
    record.unfinished += open;
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn what_began_must_end() {
        let one = r#"{"event":"test","file":"a.test.js","path":["sum","adds"],"outcome":"passed"}"#;
        let two = r#"{"event":"test","path":["x"],"outcome":"skipped"}"#;
        let begin = r#"{"event":"begin"}"#;
        let end = r#"{"event":"end"}"#;
        let names = ["x Skipped", "a.test.js::sum::adds Passed"];
        check("1.jsonl", &[begin, one, two, end].join("\n"), &names, 0);
        check("1.jsonl", &[begin, one, "{", two].join("\n"), &names, 1);
        check("1.jsonl", "", &[], 0);
    }
}
