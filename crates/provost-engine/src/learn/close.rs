//! The end of an epoch, and that of a run: what both leave behind.

use provost_kernel::learn::{CallKind, Label, Split};
use provost_rules_learn::{
    census::Class,
    metrics::{Moment, Standing, Tally, Views},
};
use provost_vault::learn::DocumentFile;
use serde_json::json;

use super::{
    LearnError,
    ledger::Book,
    progress::Progress,
    report::{EpochReport, Report, Stop},
    run::{Run, Standings},
};

impl Run<'_> {
    pub(super) fn close_epoch(
        &mut self,
        order: &[usize],
        before: Standings,
    ) -> Result<EpochReport, LearnError> {
        let ticket_index = self.setup.ticket_index;
        self.write_window(true)?;
        let counts = self.census.close(order.iter().map(|at| &ticket_index.entry(*at).key))?;
        let mut views = Views::default();
        for (at, verdict) in &self.judged {
            let key = &ticket_index.entry(*at).key;
            let standing = match self.census.class(key) {
                Some(Class::Failed | Class::StopGradient) | None => Standing::IncludeOnly,
                Some(Class::Stable | Class::Contributor | Class::Deferred) => Standing::Both,
            };
            views.add(key.label(), *verdict, standing);
        }
        let n = self.judged_so_far();
        self.write_metrics(Moment::EpochEnd, 1, n, &views)?;
        let guidance = self.guidance.digest();
        self.ledger.write(
            Book::Census,
            guidance,
            &json!({"epoch": self.epoch, "classes": counts}),
        )?;
        self.write_groups()?;
        self.ledger.flush()?;
        self.ledger.folder().write(DocumentFile::Hypotheses, &self.pool.file())?;
        self.time("epoch")?;
        let correct = views.include.correct();
        self.setup.watch.tell(&Progress::Epoch { epoch: self.epoch, correct, of: n });
        let after = self.standing();
        Ok(EpochReport {
            epoch: self.epoch,
            classes: counts,
            figures: views.include.figures(),
            without_given_up: views.exclude.figures(),
            reflection_calls: self.tally.reflection_calls,
            changes: self.tally.changes,
            promotions: self.tally.promotions,
            removed: self.tally.removed,
            guidance_step: self.guidance.step,
            rules: self.guidance.rules.len(),
            has_changed: before != after || self.tally.changes > 0 || self.tally.removed > 0,
        })
    }

    /// Measures start and end of the run on the audit pool, once, and writes the report.
    pub(super) fn end(
        mut self,
        epochs: Vec<EpochReport>,
        stop: Stop,
    ) -> Result<Report, LearnError> {
        let ticket_index = self.setup.ticket_index;
        let places = ticket_index.human_pool(Split::Audit);
        self.setup.watch.tell(&Progress::Measuring { of: places.len() });
        let start = self.setup.seed.guidance.clone();
        let last = self.guidance.clone();
        let refused = self.calls.refused();
        let before = self.verdicts(CallKind::Audit, &start, &places)?;
        let after = if start.digest() == last.digest() {
            before.clone()
        } else {
            self.verdicts(CallKind::Audit, &last, &places)?
        };
        self.check_answers(1)?;
        let tally = |verdicts: &[Option<Label>]| {
            let mut tally = Tally::default();
            for (at, verdict) in places.iter().zip(verdicts) {
                tally.add(ticket_index.entry(*at).key.label(), *verdict);
            }
            tally
        };
        // What the budget did not allow to be asked says nothing about the guidance.
        let is_measured = !places.is_empty() && self.calls.refused() == refused;
        let audit = is_measured.then(|| (tally(&before), tally(&after)));
        if self.setup.mission.distillation && stop == Stop::Converged {
            self.write_distillation()?;
        }
        let report = self.report(epochs, stop, audit, !places.is_empty());
        self.calls.finish()?;
        self.ledger.finish()?;
        self.ledger.folder().write(DocumentFile::Hypotheses, &self.pool.file())?;
        self.ledger.folder().write(DocumentFile::Guidance, &self.document())?;
        self.ledger.folder().write(DocumentFile::Report, &report)?;
        self.time("finished")?;
        Ok(report)
    }
}
