//! SARIF, for code scanning: one result for each failed check, at its case file.

use provost_kernel::{
    Lang,
    eval::{CaseResult, Excuse, Report},
};
use provost_rules_eval::judge::listed;

use super::{FileOf, message};
use crate::sarif::{Sarif, SarifFinding, SarifResult};

/// The report as SARIF. The cases are those that are not simply good.
pub(super) fn sarif(
    report: &Report,
    noted: &[CaseResult],
    file_of: FileOf<'_>,
    lang: Lang,
) -> serde_json::Result<String> {
    let rows = noted.iter().flat_map(|case| {
        let excused = case.checks.iter().filter(|it| it.excuse.is_some());
        listed(case).chain(excused).map(move |row| (case, row))
    });
    let results = rows.map(|(case, check)| {
        let uri = file_of(&case.id).unwrap_or_else(|| format!("{}.json", case.id));
        let result = SarifResult::new(SarifFinding {
            rule: &check.name,
            severity: check.level,
            text: format!("{}: {}", case.id, message(check, lang)),
            fingerprint: ("provostEval/v1", format!("{}/{}", case.id, check.name)),
        })
        .at(&uri, None);
        match &check.excuse {
            Some(Excuse::Expected) => result.suppressed("expected by the case".to_owned()),
            Some(Excuse::Waived { reason, .. }) => result.suppressed(reason.clone()),
            None => result,
        }
    });
    let (version, exit) = (&report.run.runner_version, report.gate.exit_code);
    Sarif::new("provost eval", version, exit, results.collect()).text()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::tests::sample;
    use super::*;

    #[test]
    fn each_failure_is_a_result_at_its_file() {
        let (report, cases) = sample();
        let file_of = |id: &str| (id == "c").then(|| "docs/evals/cases/c.json".to_owned());
        let document: Value =
            serde_json::from_str(&sarif(&report, &cases, &file_of, Lang::En).unwrap()).unwrap();
        let results = document["runs"][0]["results"].as_array().unwrap();
        assert_eq!(document["version"], "2.1.0");
        assert_eq!(results.len(), 3);
        assert_eq!(results[2]["level"], "warning");
        let uri = &results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "docs/evals/cases/c.json");
        assert_eq!(document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 3);
    }
}
