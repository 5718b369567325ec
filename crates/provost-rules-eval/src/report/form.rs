//! The file of a report in parts: what stands before its cases, each case, and what stands after.

use provost_kernel::{
    Digest,
    eval::{Baseline, Epochs, Gate, Report, Run, Totals},
};
use serde::Serialize;
use serde_json::Value;

/// How a report is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// For people: the file.
    Pretty,
    /// For programs that read one document on each line.
    Line,
}

/// A report around its cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    before: Vec<u8>,
    after: Vec<u8>,
    layout: Layout,
}

/// A report whose list of cases is empty.
#[derive(Serialize)]
struct Whole<'a> {
    schema: &'a str,
    run: &'a Run,
    totals: &'a Totals,
    gate: &'a Gate,
    cases: [(); 0],
    #[serde(skip_serializing_if = "Option::is_none")]
    epochs: Option<&'a Epochs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'a Baseline>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<Digest>,
}

/// One case where it stands in a report.
#[derive(Serialize)]
struct Part<'a, T> {
    cases: [&'a T; 1],
}

/// A change of a part of a report before it is printed.
pub type Edit<'a> = &'a dyn Fn(&mut Value);

const PART_START: &[u8] = b"{\n  \"cases\": [\n    ";
const PART_END: &[u8] = b"\n  ]\n}";

impl Frame {
    /// The report, with a hole where its cases stand.
    pub fn new(report: &Report, layout: Layout) -> serde_json::Result<Self> {
        let Report { schema, run, totals, gate, epochs, baseline, digest } = report;
        let (epochs, baseline) = (epochs.as_ref(), baseline.as_ref());
        let whole =
            Whole { schema, run, totals, gate, cases: [], epochs, baseline, digest: *digest };
        Ok(Self::split(bytes(&whole, layout)?, layout))
    }

    fn split(bytes: Vec<u8>, layout: Layout) -> Self {
        // Inside of a text there is neither a line break nor a quote that is not escaped, so that
        // nothing but the key of the report looks like this.
        let hole: &[u8] = match layout {
            Layout::Pretty => b"\n  \"cases\": [",
            Layout::Line => b"\"cases\":[",
        };
        let at = memchr::memmem::find(&bytes, hole).map_or(bytes.len(), |at| at + hole.len());
        let (before, after) = bytes.split_at(at);
        Self { before: before.to_vec(), after: after.to_vec(), layout }
    }

    /// The report after a change, such as of its language.
    pub fn edited(report: &Report, layout: Layout, edit: Edit<'_>) -> serde_json::Result<Self> {
        let plain = Self::new(report, Layout::Line)?;
        let mut whole: Value = serde_json::from_slice(&[plain.before, plain.after].concat())?;
        edit(&mut whole);
        Ok(Self::split(bytes(&whole, layout)?, layout))
    }

    /// What stands before the cases.
    pub fn before(&self) -> &[u8] {
        &self.before
    }

    /// What stands before one case.
    pub fn lead(&self, is_first: bool) -> &'static [u8] {
        match (self.layout, is_first) {
            (Layout::Pretty, true) => b"\n    ",
            (Layout::Pretty, false) => b",\n    ",
            (Layout::Line, true) => b"",
            (Layout::Line, false) => b",",
        }
    }

    /// What stands after the cases; there was at least one.
    pub fn after(&self) -> Vec<u8> {
        let end: &[u8] = match self.layout {
            Layout::Pretty => b"\n  ",
            Layout::Line => b"",
        };
        [end, &self.after, b"\n"].concat()
    }
}

/// One case as it stands in a report.
pub fn fragment(case: &impl Serialize, layout: Layout) -> serde_json::Result<Vec<u8>> {
    match layout {
        Layout::Line => serde_json::to_vec(case),
        Layout::Pretty => {
            let mut bytes = bytes(&Part { cases: [case] }, layout)?;
            bytes.truncate(bytes.len().saturating_sub(PART_END.len()));
            bytes.drain(..PART_START.len().min(bytes.len()));
            Ok(bytes)
        }
    }
}

fn bytes(value: &impl Serialize, layout: Layout) -> serde_json::Result<Vec<u8>> {
    match layout {
        Layout::Line => serde_json::to_vec(value),
        Layout::Pretty => {
            let mut bytes = Vec::with_capacity(8 << 10);
            serde_json::to_writer_pretty(&mut bytes, value)?;
            Ok(bytes)
        }
    }
}
