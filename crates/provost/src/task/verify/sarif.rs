//! The findings of a verification as SARIF.

use provost_engine::task::VerifyReport;
use provost_kernel::Lang;

use super::exit;
use crate::sarif::{Sarif, SarifFinding, SarifResult};

/// Every finding, at its file where one is known.
pub(super) fn sarif(report: &VerifyReport, lang: Lang) -> serde_json::Result<String> {
    let results = report.findings.iter().map(|it| {
        let finding = &it.finding;
        let message = lang.render(&finding.message);
        let text = match finding.subject.as_str() {
            "" => message,
            subject => {
                lang.pick(format!("{message} ({subject})"), format!("{message}（{subject}）"))
            }
        };
        let place = it.file.as_deref().unwrap_or_default();
        let print = format!("{}/{place}/{}", finding.rule, finding.subject);
        let result = SarifResult::new(SarifFinding {
            rule: &finding.rule,
            severity: finding.severity,
            text,
            fingerprint: ("provostVerify/v1", print),
        });
        match &it.file {
            Some(file) => result.at(file, it.line),
            None => result,
        }
    });
    let (version, exit) = (env!("CARGO_PKG_VERSION"), exit(report.outcome).code());
    Sarif::new("provost verify", version, exit, results.collect()).text()
}
