//! Whether a check of a suite can judge at all.
//!
//! A check that passes whatever the answer is would be a gate that is always open, and one that
//! never passes would hide what it was meant to find: both are errors of the suite.

use provost_kernel::Message;

use super::{super::path::Place, Kind};

/// Why a check says nothing about an answer.
#[derive(Debug, PartialEq, Message)]
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
    #[message(en = "can never pass: `{field}` is 0", zh = "永远不会通过：`{field}` 为 0")]
    Never { field: &'static str },
    #[message(en = "can never pass: `bands` is empty", zh = "永远不会通过：`bands` 为空")]
    NoBands,
    #[message(
        en = "can never fail: `all`, `any`, `none` and `from` are empty",
        zh = "永远不会失败：`all`、`any`、`none` 与 `from` 均为空"
    )]
    NoTexts,
    #[message(
        en = "can never fail: `{field}` has an empty text, which stands everywhere",
        zh = "永远不会失败：`{field}` 含有空文本，空文本处处存在"
    )]
    EmptyText { field: &'static str },
    #[message(
        en = "can never fail: the pattern matches every text",
        zh = "永远不会失败：该模式匹配任何文本"
    )]
    EmptyMatch,
    #[message(
        en = "can never pass: the pattern matches every text",
        zh = "永远不会通过：该模式匹配任何文本"
    )]
    NeverAbsent,
    #[message(
        en = "needs either `to`, a place of the case, or `value`",
        zh = "需要 `to`（用例中的位置）或 `value` 之一"
    )]
    ToOrValue,
    #[message(en = "has a tolerance below 0", zh = "容差小于 0")]
    Tolerance,
    #[message(
        en = "can never fail: neither `max_tokens` nor `max_usd` is set",
        zh = "永远不会失败：未设置 `max_tokens` 或 `max_usd`"
    )]
    NoLimit,
    #[message(en = "names no program in `run`", zh = "`run` 未指定程序")]
    NoProgram,
    #[message(en = "has a blank criterion", zh = "评判标准为空")]
    NoCriterion,
    #[message(
        en = "needs examples of a right and of a wrong answer, to know whether the judge can tell them apart",
        zh = "需要正确与错误答案的示例各至少一个，以确认评委能区分"
    )]
    NoExamples,
    #[message(
        en = "can never fail: an `agreement` of {found} is no better than chance; use more than 0.5 and at most 1",
        zh = "永远不会失败：`agreement` 为 {found}，并不优于随机；应大于 0.5 且不超过 1"
    )]
    Agreement { found: f64 },
    #[message(
        en = "reads one value, and `{place}` names several",
        zh = "只读取一个值，而 `{place}` 指向多个"
    )]
    Several { place: String },
}

impl Kind {
    /// Why the check says nothing, if it does not.
    pub(in super::super) fn unsound(&self) -> Option<Unsound> {
        let own = self.numbers().or_else(|| self.shape()).or_else(|| self.texts());
        own.or_else(|| self.outside()).or_else(|| self.subject())
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
            Self::Latency { max_ms } => {
                (*max_ms == 0).then_some(Unsound::Never { field: "max_ms" })
            }
            Self::Schema { .. }
            | Self::Contains { .. }
            | Self::Regex { .. }
            | Self::Equals { .. }
            | Self::Cost { .. }
            | Self::Command { .. }
            | Self::Judge { .. }
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
            | Self::Latency { .. }
            | Self::Contains { .. }
            | Self::Regex { .. }
            | Self::Equals { .. }
            | Self::Cost { .. }
            | Self::Command { .. }
            | Self::Judge { .. }
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

    /// What checks of texts and values ask for.
    fn texts(&self) -> Option<Unsound> {
        if let Self::Contains { all, any, none, from, .. } = self {
            let is_blank = |it: &[String]| it.iter().any(String::is_empty);
            let lists = [("all", all), ("any", any), ("none", none)];
            if let Some((field, _)) = lists.into_iter().find(|(_, it)| is_blank(it)) {
                return Some(Unsound::EmptyText { field });
            }
            let is_open = lists.iter().all(|(_, it)| it.is_empty()) && from.is_none();
            return is_open.then_some(Unsound::NoTexts);
        }
        if let Self::Regex { pattern, absent, .. } = self {
            let unsound = if *absent { Unsound::NeverAbsent } else { Unsound::EmptyMatch };
            return pattern.is_open().then_some(unsound);
        }
        let Self::Equals { at, to, value, tolerance, .. } = self else { return None };
        if to.as_ref() == Some(at) {
            return Some(Unsound::SamePlace { place: at.as_str().to_owned() });
        }
        // A tolerance that is no number is as wrong as one below 0.
        let is_bad = tolerance.is_nan() || *tolerance < 0.0;
        let is_one = to.is_some() != value.is_some();
        (!is_one).then_some(Unsound::ToOrValue).or(is_bad.then_some(Unsound::Tolerance))
    }

    /// What is asked of others.
    fn outside(&self) -> Option<Unsound> {
        match self {
            Self::Cost { max_tokens: None, max_usd: None } => Some(Unsound::NoLimit),
            Self::Command { run } if run.trim().is_empty() => Some(Unsound::NoProgram),
            Self::Judge { criterion, examples, agreement, .. } => {
                let has = |pass| examples.iter().any(|it| it.pass == pass);
                if criterion.trim().is_empty() {
                    Some(Unsound::NoCriterion)
                } else if !(has(true) && has(false)) {
                    Some(Unsound::NoExamples)
                } else {
                    let is_fair = *agreement > 0.5 && *agreement <= 1.0;
                    (!is_fair).then_some(Unsound::Agreement { found: *agreement })
                }
            }
            Self::Cost { .. }
            | Self::Command { .. }
            | Self::Schema { .. }
            | Self::Shape { .. }
            | Self::Items { .. }
            | Self::Band { .. }
            | Self::Range { .. }
            | Self::Equal { .. }
            | Self::Equals { .. }
            | Self::Contains { .. }
            | Self::Regex { .. }
            | Self::Latency { .. }
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
        // A measurement and a program look at the whole answer.
        let is_whole = matches!(
            self,
            Self::Schema { .. } | Self::Latency { .. } | Self::Cost { .. } | Self::Command { .. }
        );
        let reads = is_whole || places.iter().any(|it| it.artifact().is_some());
        (!reads).then_some(Unsound::NoArtifact)
    }

    /// The places of which only one value is read.
    fn single_places(&self) -> Vec<&Place> {
        match self {
            Self::Schema { .. }
            | Self::VerbLed { .. }
            | Self::Distinct { .. }
            | Self::Produces { .. }
            | Self::Contains { .. }
            | Self::Regex { .. }
            | Self::Latency { .. }
            | Self::Cost { .. }
            | Self::Command { .. }
            | Self::Judge { .. } => Vec::new(),
            Self::Specific { intent, .. } => vec![intent],
            Self::Grounded { text, .. } | Self::Quoted { text, .. } => vec![text],
            Self::Adds { at, .. } => vec![at],
            Self::Shape { .. }
            | Self::Items { .. }
            | Self::Band { .. }
            | Self::Range { .. }
            | Self::Equal { .. }
            | Self::Equals { .. }
            | Self::Actionable { .. }
            | Self::Headline { .. }
            | Self::Calibrated { .. } => self.places(),
        }
    }
}
