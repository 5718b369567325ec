//! What a task may cost: asked before each attempt, so that the one that would exceed it is not
//! started, and before each call of an agent, which may spend what is left and no more.
//!
//! The cost of the next attempt is estimated by the dearest one so far. A limit for which an
//! adapter reports no cost cannot be enforced, and is reported as unchecked.

use provost_kernel::{
    Message,
    task::{Budget, Usd, Wall},
};

/// What one attempt cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub wall: Wall,
    /// None when the adapter does not report it.
    pub tokens: Option<u64>,
    /// None when the adapter does not report it.
    pub usd: Option<Usd>,
}

/// A part of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "task.budget_part")]
pub enum Part {
    #[message(en = "attempts", zh = "尝试次数")]
    Attempts,
    #[message(en = "time", zh = "时间")]
    Wall,
    #[message(en = "tokens", zh = "词元")]
    Tokens,
    #[message(en = "money", zh = "费用")]
    Usd,
}

/// A limit of the budget that cannot be enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.budget_unreported",
    en = "{0}: no adapter reported the cost",
    zh = "{0}：没有适配器报告花费"
)]
pub struct Unreported(pub Part);

/// A part of the budget that the next attempt would exceed.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.budget_exceeded",
    en = "{part}: {spent} of {limit} spent, another attempt would exceed the limit",
    zh = "{part}：已用 {spent}，上限 {limit}，再尝试一次会超出"
)]
pub struct Exceeded {
    pub part: Part,
    pub spent: String,
    pub limit: String,
}

/// A part of the budget and what was spent of it, where an agent was stopped at a limit.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "task.budget_reached",
    en = "{part}: {spent} of {limit} spent",
    zh = "{part}：已用 {spent}，上限 {limit}"
)]
pub struct Reached {
    pub part: Part,
    pub spent: Spent,
    pub limit: String,
}

/// What was spent of a part.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "task.budget_spent")]
pub enum Spent {
    #[message(en = "{0}", zh = "{0}")]
    Known(String),
    #[message(en = "an unknown amount", zh = "未知数额")]
    Unknown,
}

/// All parts with a limit, in one line.
#[derive(Debug, Message)]
#[message(code = "task.budget_reached_parts", en = "{0:clauses}", zh = "{0:clauses}")]
pub struct ReachedParts(pub Vec<Reached>);

/// All parts that the next attempt would exceed, in one line.
#[derive(Debug, Message)]
#[message(code = "task.budget_exceeded_parts", en = "{0:clauses}", zh = "{0:clauses}")]
pub struct ExceededParts(pub Vec<Exceeded>);

impl ExceededParts {
    /// Whether attempts are used up, and nothing else is.
    pub fn is_of_attempts_alone(&self) -> bool {
        self.0.iter().all(|it| it.part == Part::Attempts)
    }
}

/// The limits that the next attempt would exceed; empty when it may start.
pub fn exceeded(
    budget: &Budget,
    consumed: u16,
    max_attempts: u16,
    costs: &[Cost],
) -> Vec<Exceeded> {
    let mut found = Vec::new();
    let mut limit = |part, exceeded: bool, spent: String, limit: String| {
        if exceeded {
            found.push(Exceeded { part, spent, limit });
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
    found
}

/// The limits that an attempt was not checked against, because no adapter reported the cost.
pub fn unreported(budget: &Budget, tokens: Option<u64>, usd: Option<Usd>) -> Vec<Unreported> {
    let tokens = (budget.tokens.is_some() && tokens.is_none()).then_some(Part::Tokens);
    let usd = (budget.usd.is_some() && usd.is_none()).then_some(Part::Usd);
    [tokens, usd].into_iter().flatten().map(Unreported).collect()
}

/// What is left in dollars and tokens; a part without a limit stays so. A cost that is not reported
/// takes nothing away.
pub fn left(budget: &Budget, costs: &[Cost]) -> Budget {
    let (tokens, usd) = spent(costs);
    let usd_left = |most: Usd| {
        let spent = usd.unwrap_or_default().in_micros();
        Usd::micros(most.in_micros().saturating_sub(spent))
    };
    Budget {
        usd: budget.usd.map(usd_left),
        tokens: budget.tokens.map(|most| most.saturating_sub(tokens.unwrap_or_default())),
        wall: None,
    }
}

/// Whether one of the parts has come to its end.
pub fn is_used_up(left: &Budget) -> bool {
    left.usd.is_some_and(|it| it.in_micros() == 0) || left.tokens == Some(0)
}

/// The parts that stop a task: those that another attempt would exceed, else those in which an agent can
/// have come to a limit that it did not report.
pub fn stopping(budget: &Budget, costs: &[Cost]) -> Vec<Part> {
    let exceeded = exceeded(budget, 0, u16::MAX, costs);
    if !exceeded.is_empty() {
        return exceeded.into_iter().map(|it| it.part).collect();
    }
    reached(budget, costs).0.into_iter().map(|it| it.part).collect()
}

/// What was spent of the parts with a limit, for a person.
pub fn reached(budget: &Budget, costs: &[Cost]) -> ReachedParts {
    let (tokens, usd) = spent(costs);
    let known = |it: Option<String>| it.map_or(Spent::Unknown, Spent::Known);
    let usd = budget.usd.map(|most| Reached {
        part: Part::Usd,
        spent: known(usd.map(|it| it.to_string())),
        limit: most.to_string(),
    });
    let tokens = budget.tokens.map(|most| Reached {
        part: Part::Tokens,
        spent: known(tokens.map(|it| it.to_string())),
        limit: most.to_string(),
    });
    ReachedParts(usd.into_iter().chain(tokens).collect())
}

/// The parts of which four fifths are spent, for a person who may still raise the limit; none where
/// that is true of no part.
pub fn nearly_spent(budget: &Budget, costs: &[Cost]) -> Option<ReachedParts> {
    let is_near = |spent: u64, most: u64| spent.saturating_mul(5) >= most.saturating_mul(4);
    let (tokens, usd) = spent(costs);
    let mut parts = Vec::new();
    let mut add = |part, spent: String, limit: String| {
        parts.push(Reached { part, spent: Spent::Known(spent), limit });
    };
    if let (Some(most), Some(usd)) = (budget.usd, usd)
        && is_near(usd.in_micros(), most.in_micros())
    {
        add(Part::Usd, usd.to_string(), most.to_string());
    }
    if let (Some(most), Some(tokens)) = (budget.tokens, tokens)
        && is_near(tokens, most)
    {
        add(Part::Tokens, tokens.to_string(), most.to_string());
    }
    if let Some(Wall(most)) = budget.wall {
        let walls: Vec<u64> = costs.iter().map(|it| it.wall.0).collect();
        let spent = sum(&walls);
        if is_near(spent, most) {
            add(Part::Wall, format!("{spent}s"), format!("{most}s"));
        }
    }
    (!parts.is_empty()).then_some(ReachedParts(parts))
}

/// What all attempts spent together; none where no adapter said.
fn spent(costs: &[Cost]) -> (Option<u64>, Option<Usd>) {
    let tokens = costs.iter().filter_map(|it| it.tokens).reduce(u64::saturating_add);
    (tokens, costs.iter().filter_map(|it| it.usd).reduce(Usd::plus))
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

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;

    use super::*;

    /// `costs` is `seconds/tokens/micros` of each attempt; `-` is not reported.
    #[track_caller]
    fn check(budget: &str, consumed: u16, costs: &str, expected: &[Part]) {
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
        let exceeded = exceeded(&budget, consumed, 3, &costs);
        let parts: Vec<Part> = exceeded.iter().map(|it| it.part).collect();
        assert_eq!(parts, expected, "{costs:?}");
    }

    #[test]
    fn the_attempt_that_would_exceed_a_limit_is_not_started() {
        check("{}", 0, "", &[]);
        check("{}", 2, "9999/-/-", &[]);
        check("{}", 3, "", &[Part::Attempts]);
        check("{}", 4, "", &[Part::Attempts]);
        check(r#"{"wall": 100}"#, 0, "", &[]);
        check(r#"{"wall": 100}"#, 1, "50/-/-", &[]);
        check(r#"{"wall": 100}"#, 1, "51/-/-", &[Part::Wall]);
        check(r#"{"wall": 100}"#, 1, "10/-/- 45/-/-", &[]);
        check(r#"{"wall": 100}"#, 1, "10/-/- 46/-/-", &[Part::Wall]);
        check(r#"{"wall": 100}"#, 1, "46/-/- 10/-/-", &[Part::Wall]);
        check(r#"{"wall": 0}"#, 0, "", &[Part::Wall]);
        check(r#"{"tokens": 10}"#, 1, "1/5/-", &[]);
        check(r#"{"tokens": 10}"#, 1, "1/6/-", &[Part::Tokens]);
        check(r#"{"tokens": 10}"#, 1, "1/10/- 1/0/-", &[Part::Tokens]);
        check(r#"{"tokens": 10}"#, 1, "1/9/- 1/-/-", &[Part::Tokens]);
        check(r#"{"tokens": 10, "usd": 1}"#, 1, "1/-/-", &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/5", &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/6", &[Part::Usd]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/2 1/-/4", &[]);
        check(r#"{"usd": 0.00001}"#, 1, "1/-/4 1/-/3", &[Part::Usd]);
        check(r#"{"usd": 0}"#, 0, "", &[Part::Usd]);
        check(
            r#"{"usd": 0, "tokens": 0, "wall": 0}"#,
            3,
            "",
            &[Part::Attempts, Part::Wall, Part::Tokens, Part::Usd],
        );
        check(
            r#"{"wall": 18446744073709551615}"#,
            0,
            "18446744073709551615/-/- 9/-/-",
            &[Part::Wall],
        );
    }

    #[test]
    fn a_limit_without_a_reported_cost_is_not_checked() {
        let check = |budget: &str, tokens, usd, expected: &[Part]| {
            let budget = serde_json::from_str(budget).unwrap();
            let parts: Vec<Part> = unreported(&budget, tokens, usd).iter().map(|it| it.0).collect();
            assert_eq!(parts, expected);
        };
        let limits = r#"{"tokens": 10, "usd": 1}"#;
        check(limits, None, None, &[Part::Tokens, Part::Usd]);
        check(limits, Some(5), None, &[Part::Usd]);
        check(limits, Some(5), Some(Usd::micros(5)), &[]);
        check("{}", None, None, &[]);
    }

    #[test]
    fn an_agent_may_spend_what_is_left() {
        let cost = |tokens, micros: Option<u64>| Cost {
            tokens,
            usd: micros.map(Usd::micros),
            ..Cost::default()
        };
        let check = |costs: &[Cost], expected: &str, is_end: bool, said: &str| {
            let budget: Budget =
                serde_json::from_str(r#"{"usd": 1, "tokens": 100, "wall": 9}"#).unwrap();
            let left = left(&budget, costs);
            assert_eq!(serde_json::to_string(&left).unwrap(), expected);
            assert_eq!(is_used_up(&left), is_end);
            assert_eq!(reached(&budget, costs).text().to_string(), said);
        };
        let unknown = "an unknown amount of 100 spent";
        check(
            &[],
            r#"{"usd":1,"tokens":100}"#,
            false,
            &format!("money: an unknown amount of $1 spent; tokens: {unknown}"),
        );
        check(
            &[cost(None, Some(250_000)), cost(None, Some(250_000))],
            r#"{"usd":0.5,"tokens":100}"#,
            false,
            &format!("money: $0.5 of $1 spent; tokens: {unknown}"),
        );
        check(
            &[cost(Some(60), Some(1)), cost(Some(60), None)],
            r#"{"usd":0.999999,"tokens":0}"#,
            true,
            "money: $0.000001 of $1 spent; tokens: 120 of 100 spent",
        );
        assert!(left(&Budget::default(), &[cost(Some(9), Some(9))]).is_unlimited());
        assert!(!is_used_up(&Budget::default()));
        let zh =
            Lang::Zh.render(&reached(&serde_json::from_str(r#"{"usd": 1}"#).unwrap(), &[]).text());
        assert_eq!(zh, "费用：已用 未知数额，上限 $1");
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
        let exceeded = exceeded(&budget, 1, 3, &[cost]);
        let texts: Vec<_> = exceeded.iter().map(|it| it.text().to_string()).collect();
        assert_eq!(
            texts,
            [
                "time: 80s of 90s spent, another attempt would exceed the limit",
                "money: $1.3 of $2.5 spent, another attempt would exceed the limit",
            ],
        );
        assert_eq!(
            Lang::Zh.render(&exceeded[1].text()),
            "费用：已用 $1.3，上限 $2.5，再尝试一次会超出"
        );
    }

    #[test]
    fn four_fifths_of_a_limit_are_told() {
        let cost = |usd: u64, tokens, wall| Cost {
            wall: Wall(wall),
            usd: Some(Usd::micros(usd)),
            tokens: Some(tokens),
        };
        let near = |budget: &Budget, costs: &[Cost]| -> Vec<Part> {
            let parts = nearly_spent(budget, costs).map(|it| it.0).unwrap_or_default();
            parts.into_iter().map(|it| it.part).collect()
        };
        let budget =
            Budget { usd: Some(Usd::micros(1_000_000)), tokens: Some(100), wall: Some(Wall(60)) };
        assert_eq!(near(&budget, &[]), []);
        assert_eq!(near(&budget, &[cost(799_999, 79, 47)]), []);
        assert_eq!(near(&budget, &[cost(800_000, 79, 47)]), [Part::Usd]);
        assert_eq!(near(&budget, &[cost(1, 50, 20), cost(1, 30, 20)]), [Part::Tokens]);
        assert_eq!(near(&budget, &[cost(0, 0, 24), cost(0, 0, 24)]), [Part::Wall]);
        assert_eq!(near(&Budget::default(), &[cost(9, 9, 9)]), []);
    }
}
