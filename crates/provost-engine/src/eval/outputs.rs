//! The file of a report: written, and read again as a baseline.

use std::{fs::File, io::BufReader};

use camino::Utf8Path;
use provost_kernel::eval::REPORT_SCHEMA;
use provost_rules_eval::{baseline::Earlier, report::Layout};
use provost_vault::eval::publish;

use super::{error::EvalError, run::Ran};

/// Writes the file of a report, whole or not at all.
pub fn write_report(ran: &Ran, path: &Utf8Path) -> Result<(), EvalError> {
    Ok(publish(path, |out| ran.results.write(&ran.report, Layout::Pretty, out))?)
}

/// Reads an earlier report, as far as it is compared with.
pub fn read_report(path: &Utf8Path) -> Result<Earlier, EvalError> {
    let unreadable = |source| EvalError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let bad = |cause: String| EvalError::BadReport { path: path.to_owned(), cause };
    let report: Earlier =
        serde_json::from_reader(BufReader::new(file)).map_err(|it| bad(it.to_string()))?;
    if report.schema == REPORT_SCHEMA { Ok(report) } else { Err(bad(report.schema)) }
}
