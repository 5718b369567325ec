//! The file of a report: written, and read again as a baseline.

use std::{fmt, fs::File, io::BufReader};

use camino::Utf8Path;
use provost_kernel::eval::{CaseResult, REPORT_SCHEMA, Report};
use provost_rules_eval::{
    baseline::{Earlier, Seal},
    report::{Layout, canonical, digest},
};
use provost_vault::eval::{Spill, publish};
use serde::{
    Deserializer as _,
    de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{error::EvalError, run::Ran};

/// Writes the file of a report, whole or not at all.
pub fn write_report(ran: &Ran, path: &Utf8Path) -> Result<(), EvalError> {
    Ok(publish(path, |out| ran.results.write(&ran.report, Layout::Pretty, out))?)
}

/// Reads an earlier report, as far as it is compared with, and checks its digest: one that was
/// changed after it was written says nothing.
pub fn read_report(path: &Utf8Path) -> Result<(Earlier, Report), EvalError> {
    let unreadable = |source| EvalError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let bad = |cause: String| EvalError::BadReport { path: path.to_owned(), cause };
    // The cases may be many: what the digest covers of them is on the disk.
    let mut spill = Spill::new(path.parent().unwrap_or(Utf8Path::new(".")));
    let (mut places, mut cases) = (Vec::new(), Vec::new());
    let mut failure = None;
    let mut take = |case: CaseResult| {
        let kept = canonical(&case).map_err(EvalError::from);
        match kept.and_then(|it| Ok(spill.append(&it)?)) {
            Ok(place) => places.push(place),
            Err(error) => failure = failure.take().or(Some(error)),
        }
        cases.push(Earlier::verdict(&case));
    };
    let mut document = serde_json::Deserializer::from_reader(BufReader::new(file));
    let parts = document.deserialize_map(Whole(&mut take)).map_err(|it| bad(it.to_string()))?;
    document.end().map_err(|it| bad(it.to_string()))?;
    if let Some(error) = failure {
        return Err(error);
    }
    let report = report(parts).map_err(|it| bad(it.to_string()))?;
    if report.schema != REPORT_SCHEMA {
        return Err(bad(report.schema));
    }
    let found = digest(&report, places.iter().map(|it| spill.read(it).map_err(EvalError::from)))?;
    // A report that does not name the file of its suite is of an earlier version.
    let seal = match report.run.suite_sha256 {
        _ if report.digest == Some(found) => Seal::Whole,
        None => Seal::Unknown,
        Some(_) => return Err(EvalError::Forged { path: path.to_owned() }),
    };
    Ok((Earlier::new(report.run.clone(), seal, cases), report))
}

/// The report around its cases.
fn report(mut parts: Map<String, Value>) -> serde_json::Result<Report> {
    fn part<T: DeserializeOwned>(
        parts: &mut Map<String, Value>,
        key: &str,
    ) -> serde_json::Result<T> {
        let value = parts.remove(key).unwrap_or_default();
        serde_json::from_value(value)
            .map_err(|error| serde_json::Error::custom(format!("{key}: {error}")))
    }
    let parts = &mut parts;
    Ok(Report {
        schema: part(parts, "schema")?,
        run: part(parts, "run")?,
        totals: part(parts, "totals")?,
        gate: part(parts, "gate")?,
        epochs: part(parts, "epochs")?,
        baseline: part(parts, "baseline")?,
        digest: part(parts, "digest")?,
    })
}

/// Reads a report, and hands out its cases one by one.
struct Whole<'a>(&'a mut dyn FnMut(CaseResult));

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a report")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == "cases" {
                map.next_value_seed(Cases(&mut *self.0))?;
            } else {
                parts.insert(key, map.next_value()?);
            }
        }
        Ok(parts)
    }
}

struct Cases<'a>(&'a mut dyn FnMut(CaseResult));

impl<'de> DeserializeSeed<'de> for Cases<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Cases<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cases")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut cases: A) -> Result<(), A::Error> {
        while let Some(case) = cases.next_element()? {
            (self.0)(case);
        }
        Ok(())
    }
}
