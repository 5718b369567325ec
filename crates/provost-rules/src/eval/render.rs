//! A report as people and other programs read it. Each form is a pure function of the report.

mod annotations;
mod html;
mod junit;
mod sarif;
mod text;

pub use self::{annotations::annotations, html::html, junit::junit, sarif::sarif, text::text};

#[cfg(test)]
mod tests {
    use provost_kernel::{
        Severity,
        eval::{CaseResult, CaseStatus, CheckResult, ErrorCode, Report, StepError},
    };

    use crate::eval::{gate::tests::result, report::tests::report};

    /// A report with a failure of every kind, and hostile texts.
    pub(super) fn sample() -> Report {
        let fail = |level, name: &str, text: &str| CheckResult::fail(level, name, text.to_owned());
        let band = "IF_TIME but score 81 (allowed 39.5 ≤ s < 60.5)";
        let error = StepError {
            failed_step: None,
            error_code: ErrorCode::Timeout,
            message: "after 5 s".to_owned(),
            retryable: true,
        };
        let skipped = CheckResult::skipped(Severity::P0, "schema.card", "engine.output");
        report(vec![
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
        ])
    }
}
