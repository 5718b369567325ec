//! Whether a check of a suite can judge at all.
//!
//! A check that passes whatever the answer is would be a gate that is always open, and one that
//! never passes would hide what it was meant to find: both are errors of the suite.

use provost_kernel::Message;

use super::{super::path::Place, Kind};

/// Why a check says nothing about an answer.
#[derive(Debug, PartialEq, Eq, Message)]
#[message(code = "eval.suite.unsound")]
pub(in super::super) enum Unsound {
    #[message(en = "can never fail: it reads no artifact", zh = "永远不会失败：它不读取任何产物")]
    NoArtifact,
    #[message(en = "can never fail: `pairs` is empty", zh = "永远不会失败：`pairs` 为空")]
    NoPairs,
    #[message(
        en = "can never fail: `lists` and `texts` are empty",
        zh = "永远不会失败：`lists` 与 `texts` 均为空"
    )]
    NoShape,
    #[message(
        en = "can never fail: `{place}` is compared with itself",
        zh = "永远不会失败：`{place}` 与自身比较"
    )]
    SamePlace { place: String },
    #[message(en = "can never fail: `{field}` is 0", zh = "永远不会失败：`{field}` 为 0")]
    Zero { field: &'static str },
    #[message(
        en = "can never pass: `min` is greater than `max`",
        zh = "永远不会通过：`min` 大于 `max`"
    )]
    MinOverMax,
    #[message(en = "can never pass: `bands` is empty", zh = "永远不会通过：`bands` 为空")]
    NoBands,
    #[message(
        en = "reads one value, and `{place}` names several",
        zh = "只读取一个值，而 `{place}` 指向多个"
    )]
    Several { place: String },
}

impl Kind {
    /// Why the check says nothing, if it does not.
    pub(in super::super) fn unsound(&self) -> Option<Unsound> {
        self.numbers().or_else(|| self.shape()).or_else(|| self.subject())
    }

    fn numbers(&self) -> Option<Unsound> {
        let is_zero = |field, least: &usize| (*least == 0).then_some(Unsound::Zero { field });
        let is_wrong = |it: bool| it.then_some(Unsound::MinOverMax);
        match self {
            Self::Specific { least, .. }
            | Self::VerbLed { least, .. }
            | Self::Produces { least, .. }
            | Self::Grounded { least, .. } => is_zero("least", least),
            Self::Headline { weight, .. } => {
                (*weight <= 0.0).then_some(Unsound::Zero { field: "weight" })
            }
            Self::Items { min, max, .. } => is_wrong(min > max),
            Self::Range { min, max, .. } => is_wrong(min > max),
            Self::Shape { lists, .. } => {
                is_wrong(lists.values().any(|(min, max)| max.is_some_and(|it| it < *min)))
            }
            Self::Schema { .. }
            | Self::Band { .. }
            | Self::Equal { .. }
            | Self::Actionable { .. }
            | Self::Distinct { .. }
            | Self::Adds { .. }
            | Self::Quoted { .. }
            | Self::Calibrated { .. } => None,
        }
    }

    fn shape(&self) -> Option<Unsound> {
        match self {
            Self::Shape { lists, texts } if lists.is_empty() && texts.is_empty() => {
                Some(Unsound::NoShape)
            }
            Self::Band { bands, .. } if bands.is_empty() => Some(Unsound::NoBands),
            Self::Equal { pairs } if pairs.is_empty() => Some(Unsound::NoPairs),
            Self::Equal { pairs } => pairs
                .iter()
                .find(|(one, other)| one == other)
                .map(|(one, _)| Unsound::SamePlace { place: one.as_str().to_owned() }),
            Self::Schema { .. }
            | Self::Shape { .. }
            | Self::Items { .. }
            | Self::Band { .. }
            | Self::Range { .. }
            | Self::Specific { .. }
            | Self::VerbLed { .. }
            | Self::Actionable { .. }
            | Self::Distinct { .. }
            | Self::Adds { .. }
            | Self::Headline { .. }
            | Self::Produces { .. }
            | Self::Grounded { .. }
            | Self::Quoted { .. }
            | Self::Calibrated { .. } => None,
        }
    }

    fn subject(&self) -> Option<Unsound> {
        let places = self.places();
        let single = self.single_places();
        if let Some(several) = single.into_iter().find(|it| it.is_list()) {
            return Some(Unsound::Several { place: several.as_str().to_owned() });
        }
        let reads =
            matches!(self, Self::Schema { .. }) || places.iter().any(|it| it.artifact().is_some());
        (!reads).then_some(Unsound::NoArtifact)
    }

    /// The places of which only one value is read.
    fn single_places(&self) -> Vec<&Place> {
        match self {
            Self::Schema { .. }
            | Self::VerbLed { .. }
            | Self::Distinct { .. }
            | Self::Produces { .. } => Vec::new(),
            Self::Specific { intent, .. } => vec![intent],
            Self::Grounded { text, .. } | Self::Quoted { text, .. } => vec![text],
            Self::Adds { at, .. } => vec![at],
            Self::Shape { .. }
            | Self::Items { .. }
            | Self::Band { .. }
            | Self::Range { .. }
            | Self::Equal { .. }
            | Self::Actionable { .. }
            | Self::Headline { .. }
            | Self::Calibrated { .. } => self.places(),
        }
    }
}
