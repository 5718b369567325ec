//! Which finished tasks a person is asked to review blind.
//!
//! A label that somebody gives of their own accord is given because something was odd. A draw knows
//! what the judge decided and a number that nobody chose, and nothing of the label or of any rule;
//! so a label that is given for it stands for the tasks that nobody looked at.

use provost_kernel::{Digest, TaskId, Timestamp, learn::Label};
use serde::{Deserialize, Serialize};

use crate::{measure::fresh::Way, pool};

/// One line of the draws of a mission: it is kept before anybody can review the attempt for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    pub task_id: TaskId,
    pub attempt: u16,
    /// What the judge decided.
    pub judged: Label,
    pub drawn_at: Timestamp,
    pub outcome: Outcome,
}

/// What became of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Outcome {
    /// A person is asked to review it. `weight` is that of [`Way::Drawn`].
    Drawn { weight: u16 },
    /// Nobody is asked.
    Left,
    /// A person is asked, because a rule that bets changes the verdict.
    Asked { rule: String },
}

/// How many tasks of each verdict were judged in the week before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    pub passed: u32,
    pub failed: u32,
}

/// How many reviews of each verdict a week is worth. A mission with fewer tasks has all reviewed.
const PER_WEEK: u32 = 5;
const WHOLE: u32 = 1000;
/// How long a task counts among the recent ones.
const WEEK_SECONDS: i64 = 7 * 24 * 60 * 60;

impl Recent {
    /// Counts the draws of the week before a moment, each attempt once.
    pub fn before<'a>(draws: impl IntoIterator<Item = &'a Draw>, at: Timestamp) -> Self {
        let since = at.seconds().saturating_sub(WEEK_SECONDS);
        let is_recent = |it: &&Draw| {
            !matches!(it.outcome, Outcome::Asked { .. }) && it.drawn_at.seconds() > since
        };
        draws.into_iter().filter(is_recent).fold(Self::default(), |sum, it| match it.judged {
            Label::Pass => Self { passed: sum.passed.saturating_add(1), ..sum },
            Label::Fail => Self { failed: sum.failed.saturating_add(1), ..sum },
        })
    }

    /// The share of tasks with a verdict that is drawn, in thousandths; at least one in a thousand.
    fn rate(self, judged: Label) -> u32 {
        let tasks = match judged {
            Label::Pass => self.passed,
            Label::Fail => self.failed,
        };
        // The task at hand is one of them.
        (PER_WEEK * WHOLE / tasks.saturating_add(1)).clamp(1, WHOLE)
    }

    /// What a payoff counts for a ticket that is drawn at the rate of its verdict.
    fn weight(self, judged: Label) -> u16 {
        let rarer = self.rate(Label::Pass).min(self.rate(Label::Fail));
        let weight = (rarer * WHOLE).div_ceil(self.rate(judged));
        u16::try_from(weight).unwrap_or(u16::MAX)
    }
}

/// Draws a task, by a number that follows from its name and a key that nobody reads. The key has a
/// fixed length, so no name stands for another one behind it.
pub fn draw(key: &Digest, task: &TaskId, judged: Label, recent: Recent) -> Outcome {
    let rate = recent.rate(judged);
    match pool::place(&format!("{key}:{task}"), [rate, WHOLE - rate]) {
        0 => Outcome::Drawn { weight: recent.weight(judged) },
        _ => Outcome::Left,
    }
}

impl Outcome {
    /// How the label of a blind review counts; none where nobody is asked for it.
    pub fn way(&self) -> Option<Way> {
        match self {
            Self::Drawn { weight } => Some(Way::Drawn { weight: *weight }),
            Self::Asked { rule } => Some(Way::Asked { rule: rule.clone() }),
            Self::Left => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Digest = Digest::ZERO;

    fn id(number: u32) -> TaskId {
        format!("task-{number}").parse().unwrap()
    }

    fn drawn(number: u32, judged: Label, recent: Recent) -> bool {
        draw(&KEY, &id(number), judged, recent) != Outcome::Left
    }

    #[test]
    fn where_there_are_few_tasks_all_are_drawn() {
        for passed in 0..5 {
            let recent = Recent { passed, failed: 0 };
            for number in 0..200 {
                let outcome = draw(&KEY, &id(number), Label::Pass, recent);
                assert_eq!(outcome, Outcome::Drawn { weight: 1000 }, "{passed}");
            }
        }
    }

    /// As many of the passes as of the fails are drawn, however many more there are.
    #[test]
    fn both_verdicts_are_drawn_alike_and_the_rarer_counts_for_less() {
        let recent = Recent { passed: 79, failed: 19 };
        let count = |judged, n: u32| (0..n).filter(|it| drawn(*it, judged, recent)).count();
        let (passes, fails) = (count(Label::Pass, 8000), count(Label::Fail, 2000));
        assert!((420..580).contains(&passes), "{passes} of 8000, five of 80 are drawn");
        assert!((420..580).contains(&fails), "{fails} of 2000, five of 20 are drawn");
        let weight = |judged| {
            let mut ways = (0..8000).filter_map(|it| draw(&KEY, &id(it), judged, recent).way());
            ways.next().map(|it| it.weight())
        };
        assert_eq!(weight(Label::Pass), Some(1.0));
        // 62 of 1000 passes are drawn, and 250 of 1000 fails.
        assert_eq!(weight(Label::Fail), Some(0.248));
    }

    /// A draw knows nothing but the name, the key and the verdict.
    #[test]
    fn another_key_draws_other_tasks() {
        let recent = Recent { passed: 49, failed: 49 };
        let with = |key: &Digest| -> Vec<u32> {
            (0..400)
                .filter(|it| draw(key, &id(*it), Label::Pass, recent) != Outcome::Left)
                .collect()
        };
        let (one, other) = (with(&KEY), with(&Digest::of_bytes(b"other")));
        assert_ne!(one, other);
        assert_eq!(one, with(&KEY));
        assert!((20..60).contains(&one.len()) && (20..60).contains(&other.len()));
    }

    #[test]
    fn a_week_has_seven_days_and_a_request_is_no_task() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let line = |number: u32, day: &str, judged, outcome| Draw {
            task_id: id(number),
            attempt: 1,
            judged,
            drawn_at: at(&format!("2026-11-{day}T12:00:00Z")),
            outcome,
        };
        let draws = [
            line(1, "01", Label::Pass, Outcome::Left),
            line(2, "08", Label::Pass, Outcome::Left),
            line(3, "09", Label::Fail, Outcome::Drawn { weight: 1000 }),
            line(2, "09", Label::Pass, Outcome::Asked { rule: "r".to_owned() }),
        ];
        let recent = Recent::before(&draws, at("2026-11-09T12:00:01Z"));
        assert_eq!(recent, Recent { passed: 1, failed: 1 });
        assert_eq!(Recent::before(&draws, at("2026-12-09T12:00:00Z")), Recent::default());
    }

    #[test]
    fn what_is_asked_counts_for_its_rule_alone() {
        let way = |outcome: Outcome| outcome.way();
        assert_eq!(way(Outcome::Left), None);
        assert_eq!(way(Outcome::Drawn { weight: 5 }), Some(Way::Drawn { weight: 5 }));
        let rule = "r".to_owned();
        assert_eq!(way(Outcome::Asked { rule: rule.clone() }), Some(Way::Asked { rule }));
    }
}
