//! Where a report goes: the file itself, and what other tools read.

use std::{fs::File, io::BufReader};

use camino::{Utf8Path, Utf8PathBuf};
use provost_kernel::{Lang, eval::REPORT_SCHEMA};
use provost_rules_eval::{
    baseline::Earlier,
    render::{self, FileOf, html, junit},
    report::Layout,
};
use provost_vault::eval::publish;

use super::{error::EvalError, run::Ran};

/// The files that a run writes.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    pub report: Utf8PathBuf,
    pub junit: Option<Utf8PathBuf>,
    pub sarif: Option<Utf8PathBuf>,
    pub html: Option<Utf8PathBuf>,
}

/// Writes a report in every form that was asked for, each whole or not at all.
pub fn write(
    ran: &Ran,
    outputs: &Outputs,
    file_of: FileOf<'_>,
    lang: Lang,
) -> Result<(), EvalError> {
    let Ran { report, noted, results, .. } = ran;
    publish(&outputs.report, |out| results.write(report, Layout::Pretty, out))?;
    if let Some(path) = &outputs.junit {
        publish(path, |out| {
            out.write_all(junit::start(report).as_bytes())?;
            results.all(|it| out.write_all(junit::case(it).as_bytes()))?;
            out.write_all(junit::end().as_bytes())
        })?;
    }
    if let Some(path) = &outputs.sarif {
        publish(path, |out| out.write_all(render::sarif(report, noted, file_of).as_bytes()))?;
    }
    if let Some(path) = &outputs.html {
        publish(path, |out| {
            out.write_all(html::start(report, lang).as_bytes())?;
            for status in html::ORDER {
                results.each(status, |it| out.write_all(html::case(it, lang).as_bytes()))?;
            }
            out.write_all(html::end(report, lang).as_bytes())
        })?;
    }
    Ok(())
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
