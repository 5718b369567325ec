//! Puts a report together: cases are counted one by one, then the gate decides.
//!
//! Cases come in whatever order they are finished in, and there may be many of them, so nothing of
//! a good one stays here. What failed does, without what passed beside it: people read it at the end.

mod digest;
mod form;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Timestamp,
    eval::{CaseResult, CaseStatus, CheckResult, Preview, REPORT_SCHEMA, Report, Run},
    model::Usage,
};

pub use self::{
    digest::{canonical, digest},
    form::{Edit, Frame, Layout, fragment},
};
use super::{
    baseline::Comparison,
    epochs::Certainty,
    gate::{GatePolicy, count, decide},
    judge::listed,
    waiver::{Waiver, Waivers},
};

/// How many names of models, engines and templates are told apart.
const MAX_NAMES: usize = 8;

/// What is counted over the cases of a run.
#[derive(Debug)]
pub struct Tally<'a> {
    waivers: Vec<&'a Waiver>,
    over: Vec<&'a Waiver>,
    totals: provost_kernel::eval::Totals,
    noted: Vec<CaseResult>,
    engines: Names,
    models: Names,
    templates: BTreeMap<String, Names>,
    certainty: Option<Certainty>,
    comparison: Option<Comparison<'a>>,
    usage: Usage,
    judge_usage: Usage,
}

/// Different names, no more than are worth reading.
#[derive(Debug, Default)]
struct Names(BTreeSet<String>);

impl<'a> Tally<'a> {
    /// Nothing is counted yet. Waivers excuse from now on.
    pub fn new(waivers: &'a Waivers, today: Timestamp) -> Self {
        let (over, waivers) = waivers.split(today);
        Self {
            waivers,
            over,
            totals: provost_kernel::eval::Totals::default(),
            noted: Vec::new(),
            engines: Names::default(),
            models: Names::default(),
            templates: BTreeMap::new(),
            certainty: None,
            comparison: None,
            usage: Usage::default(),
            judge_usage: Usage::default(),
        }
    }

    /// Every case runs so often.
    #[must_use]
    pub fn with_epochs(mut self, epochs: u32) -> Self {
        self.certainty = (epochs > 1).then(|| Certainty::new(epochs));
        self
    }

    /// Cases are compared with an earlier report.
    #[must_use]
    pub fn against(mut self, comparison: Option<Comparison<'a>>) -> Self {
        self.comparison = comparison;
        self
    }

    /// Counts a case, after what is waived in it was excused. The statuses are those of its runs.
    pub fn add(&mut self, case: &mut CaseResult, statuses: &[CaseStatus]) {
        for waiver in &self.waivers {
            waiver.excuse(case);
        }
        count(&mut self.totals, case);
        self.engines.add(case.meta.engine_version.as_deref());
        self.models.add(case.meta.model_id.as_deref());
        self.usage = self.usage.plus(case.meta.usage);
        self.judge_usage = self.judge_usage.plus(case.meta.judge_usage);
        let has_room = self.templates.len() < MAX_NAMES;
        for (step, version) in &case.meta.template_versions {
            // A name is made only for a step that is new.
            match self.templates.get_mut(step) {
                Some(names) => names.add(Some(version)),
                None if has_room => {
                    self.templates.entry(step.clone()).or_default().add(Some(version));
                }
                None => {}
            }
        }
        if let Some(certainty) = &mut self.certainty {
            certainty.add(case, statuses);
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.add(case);
        }
        self.noted.extend(note(case));
    }

    /// The versions that engines named, if any did.
    pub fn engine_version(&self) -> Option<String> {
        self.engines.joined()
    }

    /// Makes the report, still without its digest, and says which cases are not simply good, in the
    /// order of their ids: their failures and errors, and nothing else of them.
    pub fn report(self, mut run: Run, policy: &GatePolicy) -> (Report, Vec<CaseResult>) {
        let baseline = self.comparison.map(|it| it.finish(&run));
        let totals = self.totals;
        let gate = decide(&totals, policy, &self.over, baseline.as_ref());
        run.cases = totals.cases_passed + totals.cases_failed + totals.cases_error;
        run.usage = run.usage.plus(self.usage);
        run.judge_usage = run.judge_usage.plus(self.judge_usage);
        // Which templates and model answered, so that a drift can be attributed.
        run.model_id = self.models.joined().unwrap_or(run.model_id);
        for (step, names) in self.templates {
            run.template_versions.extend(names.joined().map(|it| (step, it)));
        }
        let mut noted = self.noted;
        noted.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        let epochs = self.certainty.map(Certainty::finish);
        let schema = REPORT_SCHEMA.to_owned();
        (Report { schema, run, totals, gate, epochs, baseline, digest: None }, noted)
    }
}

/// What people want to read about a case that is not simply good.
fn note(case: &CaseResult) -> Option<CaseResult> {
    let listed: Vec<_> = listed(case).map(|it| it.name.as_str()).collect();
    let shown = |it: &&CheckResult| it.excuse.is_some() || listed.contains(&it.name.as_str());
    let checks: Vec<_> = case.checks.iter().filter(shown).cloned().collect();
    let is_good = checks.is_empty() && case.status == CaseStatus::Pass;
    (!is_good).then(|| CaseResult {
        id: case.id.clone(),
        status: case.status,
        run_id: String::new(),
        meta: provost_kernel::eval::Meta::default(),
        checks,
        preview: Preview::default(),
        error: case.error.clone(),
        warnings: Vec::new(),
        warnings_codes: Vec::new(),
        latency_ms: None,
        runs: None,
        shown: None,
    })
}

impl Names {
    fn add(&mut self, name: Option<&str>) {
        if let Some(name) = name
            && self.0.len() <= MAX_NAMES
            && !self.0.contains(name)
        {
            self.0.insert(name.to_owned());
        }
    }

    /// All names, or the first of them and a sign that there are more; nothing of nothing.
    fn joined(&self) -> Option<String> {
        let shown: Vec<&str> = self.0.iter().take(MAX_NAMES).map(String::as_str).collect();
        let more = if self.0.len() > MAX_NAMES { ", …" } else { "" };
        (!shown.is_empty()).then(|| shown.join(", ") + more)
    }
}

#[cfg(test)]
pub(super) mod tests;
