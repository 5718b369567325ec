//! Where a report goes: the file itself, and what other tools read.

use std::{collections::BTreeMap, fs};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{
    Lang,
    eval::{REPORT_SCHEMA, Report},
};
use provost_rules::eval::render;
use provost_vault::eval::publish;

use super::error::EvalError;

/// The files that a run writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    pub report: Utf8PathBuf,
    pub junit: Option<Utf8PathBuf>,
    pub sarif: Option<Utf8PathBuf>,
    pub html: Option<Utf8PathBuf>,
}

/// Writes a report in every form that was asked for, each whole or not at all. The files are those
/// of the cases, by id, relative to the root.
pub fn write(
    report: &Report,
    outputs: &Outputs,
    files: &BTreeMap<String, String>,
    lang: Lang,
) -> Result<(), EvalError> {
    publish(&outputs.report, |out| {
        serde_json::to_writer_pretty(&mut *out, report)?;
        out.write_all(b"\n")
    })?;
    let text = |path: &Option<Utf8PathBuf>, render: &dyn Fn() -> String| -> Result<(), EvalError> {
        match path {
            Some(path) => Ok(publish(path, |out| out.write_all(render().as_bytes()))?),
            None => Ok(()),
        }
    };
    text(&outputs.junit, &|| render::junit(report))?;
    text(&outputs.sarif, &|| render::sarif(report, files))?;
    text(&outputs.html, &|| render::html(report, lang))
}

/// Reads an earlier report.
pub fn read_report(path: &Utf8Path) -> Result<Report, EvalError> {
    let unreadable = |source| EvalError::Unreadable { path: path.to_owned(), source };
    let bytes = fs::read(path).map_err(unreadable)?;
    let bad = |cause: String| EvalError::BadReport { path: path.to_owned(), cause };
    let report: Report = serde_json::from_slice(&bytes).map_err(|it| bad(it.to_string()))?;
    if report.schema == REPORT_SCHEMA { Ok(report) } else { Err(bad(report.schema)) }
}
