//! A report as people and other programs read it. Each form is a pure function of the report and
//! its cases. A form that shows all of them comes in parts, because they may be many.

mod annotations;
pub mod html;
pub mod junit;
mod sarif;
mod text;

pub use self::{annotations::annotations, sarif::sarif, text::text};

/// The file of a case, by its id, relative to the repository.
pub type FileOf<'a> = &'a dyn Fn(&str) -> Option<String>;

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Severity,
        eval::{CaseResult, CaseStatus, CheckResult, ErrorCode, Report, StepError},
    };

    use crate::{gate::tests::result, report::tests::report};

    /// A report with a failure of every kind, and hostile texts; and its cases.
    pub(super) fn sample() -> (Report, Vec<CaseResult>) {
        let fail = |level, name: &str, text: &str| CheckResult::fail(level, name, text.to_owned());
        let band = "IF_TIME but score 81 (allowed 39.5 ≤ s < 60.5)";
        let error = StepError {
            failed_step: None,
            error_code: ErrorCode::Timeout,
            message: "after 5 s".to_owned(),
            retryable: true,
        };
        let skipped = CheckResult::skipped(Severity::P0, "schema.card", "engine.output");
        let cases = vec![
            result(
                "a<b",
                vec![
                    fail(Severity::P0, "score.priority_band", band),
                    fail(Severity::P1, "todos.verb_led", "one\ntwo"),
                ],
            ),
            result(
                "c",
                vec![
                    CheckResult::pass(Severity::P0, "schema.card"),
                    fail(Severity::P2, "card.headline_specific", "`x` & \"y\""),
                ],
            ),
            CaseResult {
                status: CaseStatus::Error,
                error: Some(error),
                ..result("d", vec![skipped])
            },
        ];
        (report(cases.clone()), cases)
    }
}
