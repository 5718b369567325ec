//! The kinds of checks, and what each says of one case.
//!
//! A kind is an algorithm; its numbers come from the suite. A check whose subject is missing is
//! skipped, and a check that cannot judge fails: neither is ever a pass.

mod content;
mod fault;
mod form;
mod grounded;
mod soundness;

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{
    Message as _, Text,
    eval::{Artifacts, Case, CheckResult, CheckStatus},
};
use serde::Deserialize;

pub use super::path::Subject;
use super::{
    path::Place,
    suite::{Suite, SuiteCheck},
};

/// The check that fails when an engine's output cannot be judged. It appears only then.
pub const ENGINE_OUTPUT: &str = "engine.output";

/// Which checks of a suite are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rubric {
    Standard,
    /// The optional checks, too.
    Strict,
}

/// A kind of check with its parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    /// The artifact keeps to its schema.
    Schema { artifact: String },
    /// Lists have so many items, and texts are not blank.
    Shape {
        #[serde(default)]
        lists: BTreeMap<Place, (usize, Option<usize>)>,
        #[serde(default)]
        texts: Vec<Place>,
    },
    /// A list of objects with texts of a least length.
    Items { at: Place, min: usize, max: usize, fields: BTreeMap<String, usize> },
    /// A label fits its number. The lower end of a band belongs to it, the upper does not.
    Band { label: Place, number: Place, tolerance: f64, bands: Bands },
    /// A number lies between two others, both allowed.
    Range { at: Place, min: f64, max: f64 },
    /// Two places hold the same.
    Equal { pairs: Vec<(Place, Place)> },
    /// So many reasons name something.
    Specific { at: Place, intent: Place, least: usize, similarity: f64 },
    /// So many titles start with a verb.
    VerbLed { at: Place, least: usize },
    /// An action has a verb and an object.
    Actionable { at: Place, weight: f64 },
    /// No text repeats another.
    Distinct { at: Place, similarity: f64, containment: f64, least_tokens: usize },
    /// A text says something that the others do not.
    Adds { at: Place, to: Place, least_tokens: usize, least_new: f64, similarity: f64 },
    /// A headline names its subject.
    Headline { at: Place, weight: f64, weight_with_token: f64 },
    /// So many tasks make something.
    Produces { at: Place, types: Vec<String>, least: usize },
    /// Texts are made of what their source says: so many words of each, so large a share of each
    /// and of all together. Without `texts`, every text has to be.
    Grounded {
        at: Place,
        text: Place,
        least: usize,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        together: f64,
        texts: Option<usize>,
    },
    /// Each quote stands in its source.
    Quoted { at: Place, text: Place },
    /// A judge's verdict is what is expected of the document.
    Calibrated { at: Place, task_type: Place, expected: Place },
}

/// The least and the most of each label.
pub type Bands = BTreeMap<String, (Option<f64>, Option<f64>)>;

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Pass,
    Fail(Text),
    /// What it looks at is not there.
    Missing,
}

impl From<fault::Fault> for Outcome {
    fn from(fault: fault::Fault) -> Self {
        Self::Fail(fault.text())
    }
}

/// Asks every check of the suite about one case, in the order of the suite (EVAL-4.1).
pub fn check_case(
    suite: &Suite,
    case: &Case,
    artifacts: &Artifacts,
    rubric: Rubric,
) -> Vec<CheckResult> {
    let subject = Subject { case, artifacts };
    let mut results: Vec<_> = asked(suite, rubric).map(|it| ask(suite, it, subject)).collect();
    explain_skips(suite, &mut results);
    results
}

/// Says of a skipped check where it looked, unless a check that failed says why nothing is there.
fn explain_skips(suite: &Suite, results: &mut [CheckResult]) {
    let failed: BTreeSet<_> = results
        .iter()
        .filter(|it| it.status == CheckStatus::Fail)
        .map(|it| it.name.clone())
        .collect();
    for result in results.iter_mut().filter(|it| it.status == CheckStatus::Skipped) {
        if result.blocked_by.as_ref().is_some_and(|it| failed.contains(it)) {
            continue;
        }
        let check = suite.checks.iter().find(|it| it.name == result.name);
        let place = check.and_then(|it| it.kind.places().into_iter().next());
        let at = place.map_or_else(String::new, |it| it.as_str().to_owned());
        let text = fault::Fault::NoSubject { at }.text();
        *result = CheckResult::without_subject(result.level, &result.name, &text);
    }
}

/// The checks that are asked.
pub fn asked(suite: &Suite, rubric: Rubric) -> impl Iterator<Item = &SuiteCheck> {
    suite.checks.iter().filter(move |it| rubric == Rubric::Strict || !it.optional)
}

fn ask(suite: &Suite, check: &SuiteCheck, subject: Subject<'_>) -> CheckResult {
    let SuiteCheck { name, level, kind, .. } = check;
    let artifact = kind.artifact();
    let is_there = |it: &str| subject.artifacts.get(it).is_some_and(serde_json::Value::is_object);
    // The check of the schema reports an artifact that is missing.
    let outcome = match (artifact, kind) {
        (_, Kind::Schema { artifact }) => form::schema(suite, artifact, subject),
        (Some(artifact), _) if !is_there(artifact) => Outcome::Missing,
        _ => look(suite, kind, subject),
    };
    match outcome {
        Outcome::Pass => CheckResult::pass(*level, name),
        Outcome::Fail(message) => CheckResult::fail(*level, name, &message),
        Outcome::Missing => {
            let blocker = artifact.and_then(|it| suite.schema_check(it));
            CheckResult::skipped(*level, name, blocker.unwrap_or(ENGINE_OUTPUT))
        }
    }
}

fn look(suite: &Suite, kind: &Kind, subject: Subject<'_>) -> Outcome {
    let lexicon = &suite.lexicon;
    let outcome = match kind {
        Kind::Schema { artifact } => Some(form::schema(suite, artifact, subject)),
        Kind::Shape { lists, texts } => Some(form::shape(lists, texts, subject)),
        Kind::Items { at, min, max, fields } => Some(form::items(at, *min..=*max, fields, subject)),
        Kind::Band { label, number, tolerance, bands } => {
            Some(form::band(label, number, *tolerance, bands, subject))
        }
        Kind::Range { at, min, max } => Some(form::range(at, *min..=*max, subject)),
        Kind::Equal { pairs } => Some(form::equal(pairs, subject)),
        Kind::Calibrated { at, task_type, expected } => {
            Some(form::calibrated(suite, at, task_type, expected, subject))
        }
        Kind::Specific { at, intent, least, similarity } => {
            content::specific(lexicon, at, intent, (*least, *similarity), subject)
        }
        Kind::VerbLed { at, least } => content::titles(lexicon, at, *least, subject),
        Kind::Actionable { at, weight } => content::actionable(lexicon, at, *weight, subject),
        Kind::Distinct { at, similarity, containment, least_tokens } => {
            let limits = (*similarity, *containment, *least_tokens);
            content::distinct(lexicon, at, limits, subject)
        }
        Kind::Adds { at, to, least_tokens, least_new, similarity } => {
            let limits = (*least_tokens, *least_new, *similarity);
            content::adds(lexicon, at, to, limits, subject)
        }
        Kind::Headline { at, weight, weight_with_token } => {
            content::headline(lexicon, at, (*weight, *weight_with_token), subject)
        }
        Kind::Produces { at, types, least } => {
            content::produces(lexicon, at, types, *least, subject)
        }
        Kind::Grounded { at, text, least, share, together, texts } => {
            let bounds = grounded::Bounds {
                least: *least,
                share: *share,
                together: *together,
                texts: *texts,
            };
            grounded::grounded(lexicon, at, text, bounds, subject)
        }
        Kind::Quoted { at, text } => content::quoted(at, text, subject),
    };
    outcome.unwrap_or(Outcome::Missing)
}

impl Kind {
    /// The artifact that it looks into first.
    pub(super) fn artifact(&self) -> Option<&str> {
        if let Self::Schema { artifact } = self {
            return Some(artifact);
        }
        self.places().first()?.artifact()
    }

    /// Every place that it looks at, what it judges first.
    pub(super) fn places(&self) -> Vec<&Place> {
        match self {
            Self::Schema { .. } => Vec::new(),
            Self::Shape { lists, texts } => lists.keys().chain(texts).collect(),
            Self::Equal { pairs } => pairs.iter().flat_map(|(one, other)| [one, other]).collect(),
            Self::Band { label, number, .. } => vec![label, number],
            Self::Adds { at, to, .. } => vec![at, to],
            Self::Specific { at, intent, .. } => vec![at, intent],
            Self::Grounded { at, text, .. } | Self::Quoted { at, text } => vec![at, text],
            Self::Calibrated { at, task_type, expected } => vec![at, task_type, expected],
            Self::Items { at, .. }
            | Self::Range { at, .. }
            | Self::VerbLed { at, .. }
            | Self::Actionable { at, .. }
            | Self::Distinct { at, .. }
            | Self::Headline { at, .. }
            | Self::Produces { at, .. } => vec![at],
        }
    }

    /// The bands of a check that has them.
    pub(super) fn bands(&self) -> Option<&Bands> {
        if let Self::Band { bands, .. } = self { Some(bands) } else { None }
    }
}

#[cfg(test)]
pub(super) mod tests;
