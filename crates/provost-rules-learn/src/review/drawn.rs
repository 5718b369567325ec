//! How well the judge agrees with people under each guidance, from the blind labels of drawn tasks
//! alone: those stand for the tasks that were not reviewed.

use std::collections::BTreeMap;

use provost_kernel::{
    Digest,
    learn::{Label, LabelSource},
    task::VerdictDecision,
};
use serde::Serialize;

use super::{Log, ReviewTicket, answer};
use crate::{
    agreement::Judged,
    measure::{
        fresh::Way,
        interval::{self, Sample, Share},
    },
};

/// What a judge decided, by the guidance that it followed; none for a verdict that names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts(BTreeMap<Option<Digest>, Judged>);

/// The agreement under one guidance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnAgreement {
    pub guidance: Option<Digest>,
    /// What the judge decided under it, drawn or not.
    pub judged: Judged,
    /// What people accepted, of the drawn tasks that the judge passed.
    pub passed: Share,
    /// The same of those that it failed.
    pub failed: Share,
    /// None where there are too few labels for an interval to say anything.
    pub rates: Option<interval::Agreement>,
}

impl Verdicts {
    /// Counts one more verdict, reviewed or not. A question is not an answer.
    pub fn count(&mut self, guidance: Option<Digest>, decision: VerdictDecision) {
        let Some(answer) = answer(decision) else { return };
        let judged = self.0.entry(guidance).or_default();
        judged.total += 1;
        judged.passed += u64::from(answer == Label::Pass);
    }

    /// All of them together.
    pub fn all(&self) -> Judged {
        self.0.values().fold(Judged::default(), |sum, it| Judged {
            passed: sum.passed + it.passed,
            total: sum.total + it.total,
        })
    }

    fn under(&self, guidance: Option<Digest>) -> Judged {
        self.0.get(&guidance).copied().unwrap_or_default()
    }
}

/// The agreement under each guidance that has such labels, the one that was reviewed last first.
pub fn by_guidance(log: &Log, verdicts: &Verdicts) -> Vec<DrawnAgreement> {
    let mut found: Vec<DrawnAgreement> = Vec::new();
    for ticket in log.tickets() {
        let Some(judged) = drawn(ticket) else { continue };
        let guidance = ticket.meta.guidance_used;
        let known = found.iter().position(|it| it.guidance == guidance);
        let mut under = known.map_or_else(
            || DrawnAgreement {
                guidance,
                judged: verdicts.under(guidance),
                passed: Share::default(),
                failed: Share::default(),
                rates: None,
            },
            |at| found.remove(at),
        );
        let share = match judged {
            Label::Pass => &mut under.passed,
            Label::Fail => &mut under.failed,
        };
        share.whole += 1;
        share.part += u32::from(ticket.label == Label::Pass);
        found.insert(0, under);
    }
    for under in &mut found {
        under.rates = interval::agreement(Sample {
            judged: Share::of(under.judged.passed, under.judged.total),
            passed: under.passed,
            failed: under.failed,
        });
    }
    found
}

/// What the judge answered, where a person labelled a drawn task without sight of that.
fn drawn(ticket: &ReviewTicket) -> Option<Label> {
    let counts = ticket.blind
        && ticket.label_source == LabelSource::Human
        && matches!(ticket.way, Some(Way::Drawn { .. }));
    ticket.judge().filter(|_| counts)
}
