//! What came of the cases of a run: counted as they come, and kept for the report.
//!
//! Cases may be many, so their results are on the disk and not in memory, as they will stand in the
//! report; what stays is where each of them is. At the end they are read in the order of their ids.

use std::{io, ops::Range};

use camino::Utf8Path;
use provost_kernel::{
    Digest,
    eval::{CaseResult, CaseStatus, Report},
};
use provost_rules_eval::report::{Edit, Frame, Layout, canonical, digest, fragment};
use provost_vault::eval::Spill;

use super::error::EvalError;

/// The results of a run, by the place of each case in its listing.
#[derive(Debug)]
pub struct Results {
    spill: Spill,
    places: Vec<Option<Place>>,
}

/// Where the result of a case is.
#[derive(Clone, Debug)]
struct Place {
    status: CaseStatus,
    /// As it stands in the report.
    shown: Range<u64>,
    /// What the digest covers of it.
    found: Range<u64>,
}

impl Results {
    /// Room for so many cases; beyond what fits into memory, beside the report.
    pub(super) fn new(report: &Utf8Path, n_cases: usize) -> Self {
        let folder = report.parent().unwrap_or(Utf8Path::new("."));
        Self { spill: Spill::new(folder), places: vec![None; n_cases] }
    }

    pub(super) fn has(&self, at: usize) -> bool {
        matches!(self.places.get(at), Some(Some(_)))
    }

    /// Keeps the result of the case at a place of the listing.
    pub(super) fn put(&mut self, at: usize, result: &CaseResult) -> Result<(), EvalError> {
        // Plain texts and numbers always have a JSON form.
        let shown = self.spill.append(&fragment(result, Layout::Pretty).unwrap_or_default())?;
        let found = self.spill.append(&canonical(result)?)?;
        if let Some(place) = self.places.get_mut(at) {
            *place = Some(Place { status: result.status, shown, found });
        }
        Ok(())
    }

    /// The digest of a report over these cases.
    pub(super) fn digest(&self, report: &Report) -> Result<Digest, EvalError> {
        let cases = self.places.iter().flatten();
        digest(report, cases.map(|it| self.spill.read(&it.found).map_err(EvalError::from)))
    }

    /// The status of each case, by its place in the listing.
    pub fn statuses(&self) -> impl Iterator<Item = (usize, CaseStatus)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(at, it)| Some((at, it.as_ref()?.status)))
    }

    /// Writes the report around its cases.
    pub fn write(
        &self,
        report: &Report,
        layout: Layout,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let frame = Frame::new(report, layout)?;
        out.write_all(frame.before())?;
        for (at, place) in self.places.iter().flatten().enumerate() {
            out.write_all(frame.lead(at == 0))?;
            match layout {
                Layout::Pretty => out.write_all(&self.spilled(&place.shown)?)?,
                Layout::Line => out.write_all(&fragment(&self.read(place)?, layout)?)?,
            }
        }
        out.write_all(&frame.after())
    }

    /// Writes the report with every part changed, such as into another language.
    pub fn write_edited(
        &self,
        report: &Report,
        layout: Layout,
        edit: Edit<'_>,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let frame = Frame::edited(report, layout, edit)?;
        out.write_all(frame.before())?;
        for (at, place) in self.places.iter().flatten().enumerate() {
            let mut case = serde_json::from_slice(&self.spilled(&place.shown)?)?;
            edit(&mut case);
            out.write_all(frame.lead(at == 0))?;
            out.write_all(&fragment(&case, layout)?)?;
        }
        out.write_all(&frame.after())
    }

    /// Calls `act` with every case of a status, in the order of their ids.
    pub fn each(
        &self,
        status: CaseStatus,
        mut act: impl FnMut(&CaseResult) -> io::Result<()>,
    ) -> io::Result<()> {
        self.places
            .iter()
            .flatten()
            .filter(|it| it.status == status)
            .try_for_each(|it| act(&self.read(it)?))
    }

    /// Calls `act` with every case, in the order of their ids.
    pub fn all(&self, mut act: impl FnMut(&CaseResult) -> io::Result<()>) -> io::Result<()> {
        self.places.iter().flatten().try_for_each(|it| act(&self.read(it)?))
    }

    fn read(&self, place: &Place) -> io::Result<CaseResult> {
        Ok(serde_json::from_slice(&self.spilled(&place.shown)?)?)
    }

    fn spilled(&self, place: &Range<u64>) -> io::Result<Vec<u8>> {
        self.spill.read(place).map_err(io::Error::other)
    }
}
