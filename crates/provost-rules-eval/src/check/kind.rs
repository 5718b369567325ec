//! The kinds of checks with their parameters, as a suite writes them.

use std::collections::BTreeMap;

use provost_kernel::task::Usd;
use serde::Deserialize;
use serde_json::Value;

use super::{super::path::Place, judged::Example, text::Pattern};

/// A kind of check with its parameters.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    /// The artifact keeps to its schema.
    #[serde(alias = "json-schema")]
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
    /// Texts that all, or at least one, or none stand at a place. `from` names more of `all`.
    Contains {
        at: Place,
        #[serde(default)]
        all: Vec<String>,
        #[serde(default)]
        any: Vec<String>,
        #[serde(default)]
        none: Vec<String>,
        from: Option<Place>,
        #[serde(default)]
        ignore_case: bool,
    },
    /// A regular expression matches, or must not.
    Regex {
        at: Place,
        pattern: Pattern,
        #[serde(default)]
        absent: bool,
    },
    /// A value is what the case says, or the suite. Numbers may differ by the tolerance.
    Equals {
        at: Place,
        to: Option<Place>,
        value: Option<Value>,
        #[serde(default)]
        tolerance: f64,
        #[serde(default)]
        ignore_case: bool,
    },
    /// The answer took no longer.
    Latency { max_ms: u64 },
    /// The answer cost no more.
    Cost { max_tokens: Option<u64>, max_usd: Option<Usd> },
    /// A program of the person's own says whether the answer is right.
    Command { run: String },
    /// A model says whether the answer meets a criterion. It is asked about the examples first.
    Judge {
        at: Place,
        criterion: String,
        #[serde(default)]
        given: Vec<Place>,
        examples: Vec<Example>,
        #[serde(default = "every")]
        agreement: f64,
    },
    /// A judge's verdict is what is expected of the document.
    Calibrated { at: Place, task_type: Place, expected: Place },
}

/// The least and the most of each label.
pub type Bands = BTreeMap<String, (Option<f64>, Option<f64>)>;

impl Kind {
    /// The artifact that it looks into first.
    pub(in super::super) fn artifact(&self) -> Option<&str> {
        if let Self::Schema { artifact } = self {
            return Some(artifact);
        }
        self.places().first()?.artifact()
    }

    /// Every place that it looks at, what it judges first.
    pub(in super::super) fn places(&self) -> Vec<&Place> {
        match self {
            Self::Schema { .. }
            | Self::Latency { .. }
            | Self::Cost { .. }
            | Self::Command { .. } => Vec::new(),
            Self::Contains { at, from, .. } => [at].into_iter().chain(from).collect(),
            Self::Equals { at, to, .. } => [at].into_iter().chain(to).collect(),
            Self::Judge { at, given, .. } => [at].into_iter().chain(given).collect(),
            Self::Shape { lists, texts } => lists.keys().chain(texts).collect(),
            Self::Equal { pairs } => pairs.iter().flat_map(|(one, other)| [one, other]).collect(),
            Self::Band { label, number, .. } => vec![label, number],
            Self::Adds { at, to, .. } => vec![at, to],
            Self::Specific { at, intent, .. } => vec![at, intent],
            Self::Grounded { at, text, .. } | Self::Quoted { at, text } => vec![at, text],
            Self::Calibrated { at, task_type, expected } => vec![at, task_type, expected],
            Self::Items { at, .. }
            | Self::Range { at, .. }
            | Self::Regex { at, .. }
            | Self::VerbLed { at, .. }
            | Self::Actionable { at, .. }
            | Self::Distinct { at, .. }
            | Self::Headline { at, .. }
            | Self::Produces { at, .. } => vec![at],
        }
    }

    /// The bands of a check that has them.
    pub(in super::super) fn bands(&self) -> Option<&Bands> {
        if let Self::Band { bands, .. } = self { Some(bands) } else { None }
    }
}

/// A judge agrees with every example unless the suite says otherwise.
fn every() -> f64 {
    1.0
}
