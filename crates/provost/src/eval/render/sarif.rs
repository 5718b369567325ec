//! SARIF 2.1.0, for code scanning: one result for each failed check, at its case file.

use std::collections::BTreeSet;

use provost_kernel::{
    Lang, Severity,
    eval::{CaseResult, CheckResult, Excuse, Report},
};
use serde_json::{Value, json};

use super::{FileOf, message};

/// The report as SARIF. The cases are those that are not simply good.
pub(super) fn sarif(
    report: &Report,
    noted: &[CaseResult],
    file_of: FileOf<'_>,
    lang: Lang,
) -> String {
    let failed = |it: &&CheckResult| it.is_counted() || it.excuse.is_some();
    let rows =
        || noted.iter().flat_map(|it| it.checks.iter().filter(failed).map(move |row| (it, row)));
    let rules: BTreeSet<&str> = rows().map(|(_, it)| it.name.as_str()).collect();
    let results: Vec<Value> = rows()
        .map(|(case, check)| {
            let text = message(check, lang);
            let uri = file_of(&case.id).unwrap_or_else(|| format!("{}.json", case.id));
            let mut result = json!({
                "ruleId": check.name,
                "level": level(check.level),
                "message": {"text": format!("{}: {text}", case.id)},
                "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}}],
                "partialFingerprints": {"provostEval/v1": format!("{}/{}", case.id, check.name)},
            });
            if let Some(excuse) = &check.excuse {
                let why = match excuse {
                    Excuse::Expected => "expected by the case",
                    Excuse::Waived { reason, .. } => reason,
                };
                result["suppressions"] = json!([{"kind": "external", "justification": why}]);
            }
            result
        })
        .collect();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({"id": id})).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "provost eval", "version": report.run.runner_version, "rules": rules}},
            "invocations": [{"executionSuccessful": report.gate.exit_code != 2, "exitCode": report.gate.exit_code}],
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn level(level: Severity) -> &'static str {
    match level {
        Severity::P0 | Severity::P1 => "error",
        Severity::P2 => "warning",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    #[test]
    fn each_failure_is_a_result_at_its_file() {
        let (report, cases) = sample();
        let file_of = |id: &str| (id == "c").then(|| "docs/evals/cases/c.json".to_owned());
        let document: Value =
            serde_json::from_str(&sarif(&report, &cases, &file_of, Lang::En)).unwrap();
        let results = document["runs"][0]["results"].as_array().unwrap();
        assert_eq!(document["version"], "2.1.0");
        assert_eq!(results.len(), 3);
        assert_eq!(results[2]["level"], "warning");
        let uri = &results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "docs/evals/cases/c.json");
        assert_eq!(document["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 3);
    }
}
