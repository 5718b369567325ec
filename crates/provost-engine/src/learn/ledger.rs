//! The files of a run, with what every line has: its number and what it was made under.

use provost_kernel::{Digest, learn::Guidance};
use provost_rules_learn::{
    guidance::{Cause, Logged},
    hypothesis::Event,
};
use provost_vault::learn::{ArtifactFile, DocumentFile, RunFolder, Verified};
use serde::Serialize;

use super::{
    LearnError,
    line::{Begun, Line, Timing},
};

/// Everything that a run writes besides its calls.
#[derive(Debug)]
pub(super) struct Ledger {
    folder: RunFolder,
    scaffold: Digest,
    trajectories: Verified,
    selections: Verified,
    reflections: Verified,
    events: Verified,
    stopped: Verified,
    malformed: Verified,
    metrics: Verified,
    gate_runs: Verified,
    rejects: Verified,
    groups: Verified,
    census: Verified,
    distillation: Verified,
    guidance_log: Verified,
    timing: Verified,
}

/// A file of lines that all have the same head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Book {
    Trajectories,
    Selections,
    Reflections,
    Stopped,
    Malformed,
    Metrics,
    GateRuns,
    Rejects,
    Groups,
    Census,
    Distillation,
}

const VERSION: u8 = 1;

impl Ledger {
    pub(super) fn open(folder: RunFolder, scaffold: Digest) -> Result<Self, LearnError> {
        let open = |file| folder.artifact(file);
        Ok(Self {
            scaffold,
            trajectories: open(ArtifactFile::Trajectories)?,
            selections: open(ArtifactFile::Selections)?,
            reflections: open(ArtifactFile::Reflection)?,
            events: open(ArtifactFile::HypothesisEvents)?,
            stopped: open(ArtifactFile::StopGradientQueue)?,
            malformed: open(ArtifactFile::FailureMalformed)?,
            metrics: open(ArtifactFile::Metrics)?,
            gate_runs: open(ArtifactFile::GateRuns)?,
            rejects: open(ArtifactFile::IngestRejects)?,
            groups: open(ArtifactFile::GroupReport)?,
            census: open(ArtifactFile::Census)?,
            distillation: open(ArtifactFile::Distillation)?,
            guidance_log: open(ArtifactFile::GuidanceLog)?,
            timing: open(ArtifactFile::Timing)?,
            folder,
        })
    }

    pub(super) fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Writes one line, and says its number.
    pub(super) fn write(
        &mut self,
        book: Book,
        guidance: Digest,
        body: &impl Serialize,
    ) -> Result<u64, LearnError> {
        let scaffold_sha256 = self.scaffold;
        let log = self.book(book);
        let seq = log.lines();
        let line = Line { v: VERSION, seq, guidance_sha256: guidance, scaffold_sha256, body };
        log.append_json(&line)?;
        Ok(seq)
    }

    /// Writes what led from one state of the guidance to the next, and the state itself.
    ///
    /// The documents wait until the log is past what an earlier start left: a reader never sees the
    /// guidance go back.
    pub(super) fn change(
        &mut self,
        cause: Cause,
        reflection_id: Option<&str>,
        before: Option<&Guidance>,
        after: &Guidance,
        document: &impl Serialize,
    ) -> Result<(), LearnError> {
        let is_new = self.guidance_log.pending()?.is_none();
        let seq = self.guidance_log.lines();
        let logged = Logged::between(seq, cause, reflection_id, before, after)?;
        self.guidance_log.append_json(&logged)?;
        self.guidance_log.sync()?;
        if is_new {
            self.folder.write(DocumentFile::Guidance, document)?;
        }
        Ok(())
    }

    /// Where the ledger of the mission was when the run began: as it was written then, or as it is
    /// now. It is on the disk before anything that follows from it.
    pub(super) fn begin_gate(
        &mut self,
        guidance: Digest,
        now: &Begun,
    ) -> Result<Begun, LearnError> {
        let differs = |_| LearnError::RunDiffers { file: "gate_runs.jsonl", seq: 0 };
        let begun = match self.gate_runs.pending()? {
            Some(line) => serde_json::from_slice(&line).map_err(differs)?,
            None => now.clone(),
        };
        self.write(Book::GateRuns, guidance, &begun)?;
        self.gate_runs.sync()?;
        Ok(begun)
    }

    /// Writes an event of a hypothesis. It has its own number.
    pub(super) fn event(&mut self, event: &Event) -> Result<(), LearnError> {
        Ok(self.events.append_json(event)?)
    }

    pub(super) fn next_event(&self) -> u64 {
        self.events.lines()
    }

    /// Notes when something happened.
    pub(super) fn time(&mut self, timing: &Timing) -> Result<(), LearnError> {
        self.timing.append_json(timing)?;
        Ok(self.timing.flush()?)
    }

    /// Brings every line to its file.
    pub(super) fn flush(&mut self) -> Result<(), LearnError> {
        for log in self.logs() {
            log.flush()?;
        }
        Ok(())
    }

    /// Ends every file: nothing may be left in it that this run did not come to.
    pub(super) fn finish(&mut self) -> Result<(), LearnError> {
        for log in self.logs() {
            log.finish()?;
        }
        Ok(self.timing.sync()?)
    }

    fn logs(&mut self) -> [&mut Verified; 13] {
        [
            &mut self.trajectories,
            &mut self.selections,
            &mut self.reflections,
            &mut self.events,
            &mut self.stopped,
            &mut self.malformed,
            &mut self.metrics,
            &mut self.gate_runs,
            &mut self.rejects,
            &mut self.groups,
            &mut self.census,
            &mut self.distillation,
            &mut self.guidance_log,
        ]
    }

    fn book(&mut self, book: Book) -> &mut Verified {
        match book {
            Book::Trajectories => &mut self.trajectories,
            Book::Selections => &mut self.selections,
            Book::Reflections => &mut self.reflections,
            Book::Stopped => &mut self.stopped,
            Book::Malformed => &mut self.malformed,
            Book::Metrics => &mut self.metrics,
            Book::GateRuns => &mut self.gate_runs,
            Book::Rejects => &mut self.rejects,
            Book::Groups => &mut self.groups,
            Book::Census => &mut self.census,
            Book::Distillation => &mut self.distillation,
        }
    }
}
