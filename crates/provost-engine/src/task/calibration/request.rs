//! What a judge is asked about a document: the request that the loop makes, with the document as
//! the whole change.
//!
//! Nothing in it says what is expected: neither the name of the case nor its description. It is
//! in English whatever the person reads, so that one recording serves everybody. For the same
//! reason the judge has the rules that every judge begins with, whatever it has learned here.

use std::time::Duration;

use provost_adapter::{AgentRole, Request};
use provost_kernel::{AttemptNumber, Lang, TaskId, learn::Rulebook, task::Thresholds};
use provost_rules_learn::judge::seed;
use provost_rules_task::{
    prompt::{JudgePrompt, ShownChange, judge},
    rubric::Rubric,
};

use super::Case;
use crate::task::attempt::rubric_of;

/// The name under which a judge sees the document.
pub(super) const DOCUMENT: &str = "document.md";

/// How long a judge has.
const DEADLINE: Duration = Duration::from_mins(5);

/// The request that asks a judge for its verdict on a case.
pub fn judge_request(case: &Case, rubric: &Rubric, model: Option<&str>) -> Request {
    let task_type = case.case.task_type;
    let of_type = rubric.of(task_type);
    let goal = format!(
        "Deliver `{DOCUMENT}`. It is of the type `{task_type}`: {}. The file is the whole \
         delivery: judge what it holds.",
        of_type.label,
    );
    let (scaffold, guidance) = seed();
    let rulebook = Rulebook { scaffold, guidance };
    let text = judge(&JudgePrompt {
        proofs: None,
        goal: &goal,
        acceptance: "The delivery can be used as it is, without a question to its author.",
        rubric: Some((task_type, of_type)),
        rulebook: Some(&rulebook),
        thresholds: &Thresholds::default(),
        test: None,
        changed_paths: &[DOCUMENT.to_owned()],
        change: ShownChange::Plain(&as_new_file(&case.document)),
        said: &[],
        coder_output: "",
        findings: &[],
        refused_reply: &[],
        language: Lang::En,
    });
    let (task, first) = (task_id(), AttemptNumber::FIRST);
    let mut request =
        Request::new(AgentRole::Judge, task, first, "calibration", text.system, DEADLINE);
    request.evidence = text.user;
    request.model = model.map(str::to_owned);
    request.rubric = Some(rubric_of(rubric, task_type));
    request
}

/// The same for every case: a judge must not learn from a name what is expected of it.
#[expect(clippy::expect_used, reason = "a constant that a test parses")]
fn task_id() -> TaskId {
    "calibration".parse().expect("the grammar of a task id")
}

/// The change that adds a document, as git writes it.
fn as_new_file(document: &str) -> String {
    let lines = document.lines().count();
    let body: String = document.lines().flat_map(|it| ["+", it, "\n"]).collect();
    format!(
        "diff --git a/{DOCUMENT} b/{DOCUMENT}\nnew file mode 100644\n--- /dev/null\n\
         +++ b/{DOCUMENT}\n@@ -0,0 +1,{lines} @@\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::{super::Suite, *};

    #[test]
    fn a_judge_is_asked_as_in_the_loop_and_not_told_what_is_expected() {
        let suite = Suite::embedded().unwrap();
        let rubric = Rubric::embedded().unwrap();
        for case in &suite.cases {
            let request = judge_request(case, &rubric, Some("m"));
            assert_eq!((request.role, request.model.as_deref()), (AgentRole::Judge, Some("m")));
            assert_eq!(request.temperature, Some(provost_adapter::Temperature::ZERO));
            assert_eq!(request.rubric.as_ref().unwrap().hash, rubric.hash);
            assert!(request.prompt.contains("rubric_analytic"));
            for line in case.document.lines() {
                assert!(request.evidence.contains(&format!("\n+{line}\n")), "{line}");
                assert!(line.trim().is_empty() || !request.prompt.contains(line), "{line}");
            }
            let told = format!("{}{}", request.prompt, request.evidence);
            for secret in [&case.case.input_doc_path, &case.expected.notes] {
                assert!(secret.is_empty() || !told.contains(secret), "{secret}");
            }
            assert_eq!(request.task_id.as_str(), "calibration");
        }
    }

    #[test]
    fn a_document_is_shown_as_a_new_file() {
        assert_eq!(
            as_new_file("a\n\nb"),
            "diff --git a/document.md b/document.md\nnew file mode 100644\n--- /dev/null\n\
             +++ b/document.md\n@@ -0,0 +1,3 @@\n+a\n+\n+b\n",
        );
    }
}
