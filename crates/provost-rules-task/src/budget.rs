//! What a task may cost: asked before each attempt, so that the one that would exceed it is not
//! started.
//!
//! Nobody knows what the next attempt costs; the dearest one so far is the measure. What an
//! adapter does not report cannot be held, and is said so.

use provost_kernel::Text;
use provost_kernel::task::{Budget, Usd, Wall};

/// What one attempt cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub wall: Wall,
    /// None when the adapter does not report it.
    pub tokens: Option<u64>,
    /// None when the adapter does not report it.
    pub usd: Option<Usd>,
}

/// Which part of a budget is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Attempts,
    Wall,
    Tokens,
    Usd,
}

/// A part of the budget that the next attempt would exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exceeded {
    pub part: Part,
    pub spent: String,
    pub limit: String,
}

/// Whether the next attempt may start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetRuling {
    /// Empty when it may.
    pub exceeded: Vec<Exceeded>,
    /// Limits that could not be held against anything, because nothing was reported.
    pub unchecked: Vec<Part>,
}

/// Holds what was spent, and what the next attempt would cost, against the budget.
pub fn check(budget: &Budget, consumed: u16, max_attempts: u16, costs: &[Cost]) -> BudgetRuling {
    let mut ruling = BudgetRuling::default();
    let mut limit = |part, exceeded: bool, spent: String, limit: String| {
        if exceeded {
            ruling.exceeded.push(Exceeded { part, spent, limit });
        }
    };
    limit(Part::Attempts, consumed >= max_attempts, consumed.to_string(), max_attempts.to_string());
    if let Some(Wall(most)) = budget.wall {
        let walls: Vec<u64> = costs.iter().map(|it| it.wall.0).collect();
        let spent = sum(&walls);
        limit(Part::Wall, is_exceeded(&walls, most), format!("{spent}s"), format!("{most}s"));
    }
    let reported: Vec<u64> = costs.iter().filter_map(|it| it.tokens).collect();
    if let Some(most) = budget.tokens {
        let spent = sum(&reported).to_string();
        limit(Part::Tokens, is_exceeded(&reported, most), spent, most.to_string());
    }
    let paid: Vec<Usd> = costs.iter().filter_map(|it| it.usd).collect();
    if let Some(most) = budget.usd {
        let spent = paid.iter().fold(Usd::default(), |sum, &it| sum.plus(it));
        let dearest = paid.iter().copied().max().unwrap_or_default();
        let is_exceeded = spent >= most || spent.plus(dearest) > most;
        limit(Part::Usd, is_exceeded, spent.to_string(), most.to_string());
    }
    let silent = |is_limited: bool, reports: usize| is_limited && reports < costs.len();
    if silent(budget.tokens.is_some(), reported.len()) {
        ruling.unchecked.push(Part::Tokens);
    }
    if silent(budget.usd.is_some(), paid.len()) {
        ruling.unchecked.push(Part::Usd);
    }
    ruling
}

/// The limits that an attempt could not be held against, because no adapter reported the cost.
pub fn unreported(budget: &Budget, tokens: Option<u64>, usd: Option<Usd>) -> Vec<Part> {
    let tokens = (budget.tokens.is_some() && tokens.is_none()).then_some(Part::Tokens);
    let usd = (budget.usd.is_some() && usd.is_none()).then_some(Part::Usd);
    [tokens, usd].into_iter().flatten().collect()
}

/// How long the steps may still run; none when time is not limited.
pub fn remaining_wall(budget: &Budget, costs: &[Cost]) -> Option<Wall> {
    let walls: Vec<u64> = costs.iter().map(|it| it.wall.0).collect();
    budget.wall.map(|most| Wall(most.0.saturating_sub(sum(&walls))))
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, &it| sum.saturating_add(it))
}

/// Whether nothing is left, or less than the dearest attempt cost.
fn is_exceeded(parts: &[u64], most: u64) -> bool {
    let spent = sum(parts);
    let dearest = parts.iter().copied().max().unwrap_or_default();
    spent >= most || spent.saturating_add(dearest) > most
}

impl Part {
    fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Attempts => ("attempts", "尝试次数"),
            Self::Wall => ("time", "时间"),
            Self::Tokens => ("tokens", "token"),
            Self::Usd => ("money", "费用"),
        }
    }

    /// That nobody said what was spent of it.
    pub fn describe(self) -> Text {
        let (en, zh) = self.name();
        Text::pair(
            format!("{en}: no adapter reported what was spent"),
            format!("{zh}:没有程序报告花费"),
        )
    }
}

impl Exceeded {
    /// What is used up, in one sentence.
    pub fn describe(&self) -> Text {
        let Self { part, spent, limit } = self;
        let (en, zh) = part.name();
        Text::pair(
            format!("{en}: {spent} of {limit} are spent, and another attempt would exceed it"),
            format!("{zh}:已用 {spent},上限 {limit},再尝试一次会超出"),
        )
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    /// `costs` is `seconds/tokens/micros` of each attempt; `-` is not reported.
    #[track_caller]
    fn check(budget: &str, consumed: u16, costs: &str, exceeded: &[Part], unchecked: &[Part]) {
        let budget = serde_json::from_str(budget).unwrap();
        let costs: Vec<Cost> = costs
            .split_whitespace()
            .map(|it| {
                let parts: Vec<Option<u64>> = it.split('/').map(|it| it.parse().ok()).collect();
                Cost {
                    wall: Wall(parts[0].unwrap()),
                    tokens: parts[1],
                    usd: parts[2].map(Usd::micros),
                }
            })
            .collect();
        let ruling = super::check(&budget, consumed, 3, &costs);
        let parts: Vec<Part> = ruling.exceeded.iter().map(|it| it.part).collect();
        assert_eq!(parts, exceeded, "{costs:?}");
        assert_eq!(ruling.unchecked, unchecked, "{costs:?}");
    }

    #[test]
    fn the_attempt_that_would_exceed_a_limit_is_not_started() {
        check("{}", 0, "", &[], &[]);
        check("{}", 2, "9999/-/-", &[], &[]);
        check("{}", 3, "", &[Part::Attempts], &[]);
        check("{}", 4, "", &[Part::Attempts], &[]);
        check(r#"{"wall": 100}"#, 0, "", &[], &[]);
        check(r#"{"wall": 100}"#, 1, "50/-/-", &[], &[]);
        check(r#"{"wall": 100}"#, 1, "51/-/-", &[Part::Wall], &[]);
        check(r#"{"wall": 100}"#, 1, "10/-/- 45/-/-", &[], &[]);
        check(r#"{"wall": 100}"#, 1, "10/-/- 46/-/-", &[Part::Wall], &[]);
        check(r#"{"wall": 100}"#, 1, "46/-/- 10/-/-", &[Part::Wall], &[]);
        check(r#"{"wall": 0}"#, 0, "", &[Part::Wall], &[]);
        check(r#"{"tokens": 10}"#, 1, "1/5/-", &[], &[]);
        check(r#"{"tokens": 10}"#, 1, "1/6/-", &[Part::Tokens], &[]);
        check(r#"{"tokens": 10}"#, 1, "1/10/- 1/0/-", &[Part::Tokens], &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/5", &[], &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/6", &[Part::Usd], &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/2 1/-/4", &[], &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/4 1/-/3", &[Part::Usd], &[]);
        check(r#"{"usd": 0}"#, 0, "", &[Part::Usd], &[]);
        check(
            r#"{"usd": 0, "tokens": 0, "wall": 0}"#,
            3,
            "",
            &[Part::Attempts, Part::Wall, Part::Tokens, Part::Usd],
            &[],
        );
        check(
            r#"{"wall": 18446744073709551615}"#,
            0,
            "18446744073709551615/-/- 9/-/-",
            &[Part::Wall],
            &[],
        );
    }

    #[test]
    fn what_nobody_reports_is_not_checked() {
        check(r#"{"tokens": 10, "usd": 1}"#, 1, "1/-/-", &[], &[Part::Tokens, Part::Usd]);
        check(r#"{"tokens": 10, "usd": 1}"#, 1, "1/5/5", &[], &[]);
        check(r#"{"tokens": 10}"#, 1, "1/9/- 1/-/-", &[Part::Tokens], &[Part::Tokens]);
        check(r#"{"usd": 1}"#, 1, "1/-/5 1/-/-", &[], &[Part::Usd]);
        check(r#"{"tokens": 10, "usd": 1}"#, 0, "", &[], &[]);
    }

    #[test]
    fn time_runs_out() {
        let budget: Budget = serde_json::from_str(r#"{"wall": 100}"#).unwrap();
        let cost = |seconds| Cost { wall: Wall(seconds), ..Cost::default() };
        assert_eq!(remaining_wall(&budget, &[cost(30), cost(20)]), Some(Wall(50)));
        assert_eq!(remaining_wall(&budget, &[cost(300)]), Some(Wall(0)));
        assert_eq!(remaining_wall(&Budget::default(), &[cost(300)]), None);
    }

    #[test]
    fn a_person_reads_what_is_used_up() {
        let budget = serde_json::from_str(r#"{"usd": 2.5, "wall": 90}"#).unwrap();
        let cost = Cost { wall: Wall(80), usd: Some(Usd::micros(1_300_000)), tokens: None };
        let ruling = super::check(&budget, 1, 3, &[cost]);
        let texts: Vec<_> = ruling.exceeded.iter().map(|it| it.describe().to_string()).collect();
        assert_eq!(
            texts,
            [
                "time: 80s of 90s are spent, and another attempt would exceed it",
                "money: $1.3 of $2.5 are spent, and another attempt would exceed it",
            ],
        );
        assert_eq!(
            ruling.exceeded[1].describe().render(Lang::Zh),
            "费用:已用 $1.3,上限 $2.5,再尝试一次会超出"
        );
    }
}
