//! `JUnit` XML: one suite, one test case for each check of each case.

use std::fmt::Write as _;

use provost_kernel::{
    Lang,
    eval::{CaseResult, CaseStatus, CheckStatus, Report},
};

use super::message;
use crate::xml::escape;

/// What stands before the cases.
pub(super) fn start(report: &Report) -> String {
    let t = &report.totals;
    let failures = t.p0_fail + t.p1_fail + t.p2_fail;
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"{}\">\n",
        escape(&report.run.suite),
        t.checks + t.cases_error,
        t.cases_error
    )
}

/// One case.
pub(super) fn case(case: &CaseResult, lang: Lang) -> String {
    let mut rows = String::new();
    let (mut failures, mut skipped) = (0, 0);
    let name = escape(&case.id);
    for check in &case.checks {
        let inner = match (check.status, &check.excuse) {
            (CheckStatus::Pass, _) => String::new(),
            (CheckStatus::Fail, Some(_)) => {
                skipped += 1;
                "<skipped message=\"excused\"/>".to_owned()
            }
            (CheckStatus::Fail, None) => {
                failures += 1;
                let message = escape(&message(check, lang));
                format!("<failure type=\"{:?}\" message=\"{message}\"/>", check.level)
            }
            (CheckStatus::Skipped, _) => {
                skipped += 1;
                format!("<skipped message=\"{}\"/>", escape(&message(check, lang)))
            }
        };
        let check = escape(&check.name);
        let _ = writeln!(
            rows,
            "    <testcase classname=\"{name}\" name=\"{check}\">{inner}</testcase>"
        );
    }
    let mut errors = 0;
    if case.status == CaseStatus::Error {
        errors = 1;
        let error = case.error.as_ref();
        let code = error.map(|it| it.error_code.as_str()).unwrap_or_default();
        let message = escape(&error.map(|it| lang.render(&it.text())).unwrap_or_default());
        let _ = writeln!(
            rows,
            "    <testcase classname=\"{name}\" name=\"engine\"><error type=\"{code}\" message=\"{message}\"/></testcase>"
        );
    }
    let tests = case.checks.len() + errors;
    format!(
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\">\n{rows}  </testsuite>\n"
    )
}

/// What stands after the cases.
pub(super) fn end() -> &'static str {
    "</testsuites>\n"
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn what_an_engine_wrote_is_escaped() {
        let (report, cases) = sample();
        let rows: String = cases.iter().map(|it| case(it, Lang::En)).collect();
        let xml = format!("{}{rows}{}", start(&report), end());
        assert!(
            xml.contains(
                "<testsuite name=\"a&lt;b\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">"
            ),
            "{xml}"
        );
        assert!(xml.contains("message=\"`x` &amp; &quot;y&quot;\""), "{xml}");
        assert!(xml.contains("<error type=\"AI_TIMEOUT\" message=\"after 5 s\"/>"), "{xml}");
        assert!(xml.contains("<skipped message=\"not checked: engine.output failed\"/>"), "{xml}");
        assert!(!xml.contains("a<b"));
    }
}
