//! Gives recorded answers new keys after the prompt, the rubric or a document changed.
//!
//! An answer is found by the digest of its request, so that every change of the request loses it.
//! The answers that are still right are kept: each goes to the case whose document its old request
//! showed.

use provost_adapter::{AdapterError, recording::RecordedReply};
use provost_kernel::{Message, task::TaskType};
use provost_rules_task::rubric::Rubric;
use serde_json::Value;

use super::{Case, Suite, judge_request};

/// Why a recording gets no new keys.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.rekey")]
pub enum RekeyError {
    #[message(en = "line {line} is not a recorded answer", zh = "第 {line} 行不是录制的回答")]
    Line { line: usize, source: serde_json::Error },
    #[message(
        en = "the request on line {line} does not match the document of any case",
        zh = "第 {line} 行的请求不涉及任何用例的文档"
    )]
    NoCase { line: usize },
    #[message(transparent)]
    Adapter(#[source] AdapterError),
}

/// Writes a recording anew, with the same answers for the requests of today.
pub fn rekey(suite: &Suite, rubric: &Rubric, recording: &str) -> Result<String, RekeyError> {
    let mut written = String::new();
    for (number, line) in (1..).zip(recording.lines()).filter(|(_, it)| !it.trim().is_empty()) {
        let bad = |source| RekeyError::Line { line: number, source };
        let old: RecordedReply = serde_json::from_str(line).map_err(bad)?;
        let no_case = || RekeyError::NoCase { line: number };
        let (shown, reply) = old.request.zip(old.reply).ok_or_else(no_case)?;
        let case = shown_case(suite, &shown).ok_or_else(no_case)?;
        let request = judge_request(case, rubric, shown["model"].as_str());
        let new = RecordedReply::new(&request, reply).map_err(RekeyError::Adapter)?;
        written += &serde_json::to_string(&new).map_err(bad)?;
        written.push('\n');
    }
    Ok(written)
}

/// The case of the same type most of whose document stands in the old request.
fn shown_case<'a>(suite: &'a Suite, old: &Value) -> Option<&'a Case> {
    let task_type: TaskType = old["rubric"]["task_type"].as_str()?.parse().ok()?;
    let evidence = old["evidence"].as_str()?;
    let per_mille = |case: &Case| {
        let lines: Vec<&str> = case.document.lines().filter(|it| !it.trim().is_empty()).collect();
        let shown = lines.iter().filter(|it| evidence.contains(**it)).count();
        shown * 1000 / lines.len().max(1)
    };
    let scored = suite.of(task_type).map(|it| (per_mille(it), it));
    let (share, case) = scored.max_by_key(|(share, _)| *share)?;
    (share > 500).then_some(case)
}

#[cfg(test)]
mod tests {
    use provost_adapter::{AgentRole, Reply};
    use provost_kernel::Digest;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_follows_its_document_to_the_request_of_today() {
        let suite = Suite::embedded().unwrap();
        let rubric = Rubric::embedded().unwrap();
        for case in &suite.cases {
            // The prompt was another one, and so was the first line of the document.
            let shown: Vec<&str> = case.document.lines().skip(1).collect();
            let request = json!({
                "role": "judge", "prompt": "old", "evidence": shown.join("\n"), "model": "m",
                "rubric": {"task_type": case.case.task_type},
            });
            let old = json!({
                "schema": "provost.recording/1", "digest": Digest::of_json(&request).unwrap(),
                "request": request, "reply": Reply::new(AgentRole::Judge, "kept".to_owned()),
            });
            let text = format!("\n{old}\n");
            let written = rekey(&suite, &rubric, &text).unwrap();
            let new: RecordedReply = serde_json::from_str(&written).unwrap();
            let expected = judge_request(case, &rubric, Some("m"));
            assert_eq!(new.digest, expected.digest().unwrap(), "{}", case.case.case_id);
            assert_eq!(new.reply.unwrap().text, "kept");
        }
    }

    #[test]
    fn an_answer_to_something_else_is_refused() {
        let suite = Suite::embedded().unwrap();
        let rubric = Rubric::embedded().unwrap();
        let request = json!({
            "role": "judge", "evidence": "a poem", "rubric": {"task_type": "storyboard"},
        });
        let old = json!({
            "schema": "provost.recording/1", "digest": Digest::of_json(&request).unwrap(),
            "request": request, "reply": Reply::new(AgentRole::Judge, String::new()),
        });
        let check = |text: &str, expected: &str| {
            let error = rekey(&suite, &rubric, text).unwrap_err();
            assert_eq!(error.to_string(), expected);
        };
        check(&format!("\n{old}"), "the request on line 2 does not match the document of any case");
        check("{}", "line 1 is not a recorded answer");
    }
}
