//! A season of a mission: what labels proved about one judge proves nothing about another.

use provost_rules_learn::measure::event::Event;

use super::{GuidanceStore, LearnError, MissionDir, adopt::LedgerStatus, refusal::Refusal};

/// What stands between the judge that a season rests on and why a person began it.
const BECAUSE: &str = "; because ";

/// The judge and the rules of the mission that a season rests on.
pub(super) fn basis(season: &str) -> &str {
    season.split_once(BECAUSE).map_or(season, |it| it.0)
}

impl GuidanceStore<'_> {
    /// Begins a season by a person's decision: the bank is new, shadows end, and rules in force count as
    /// adopted until they are proven again.
    pub fn begin_season(&self, dir: &MissionDir, why: &str) -> Result<LedgerStatus, LearnError> {
        let book = dir.book(self.layout)?;
        let nothing = || Refusal::NothingMeasured { mission: dir.mission.clone() };
        let because = format!("{}{BECAUSE}{why}", basis(book.season().ok_or_else(nothing)?));
        self.enter(dir, vec![Event::SeasonBegan { because }])?;
        dir.verify(self.layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_no_part_of_what_a_season_rests_on() {
        for (season, expected) in [
            ("model m; rules 1a", "model m; rules 1a"),
            ("model m; rules 1a; because a new checklist", "model m; rules 1a"),
            ("model m; rules 1a; because x; because y", "model m; rules 1a"),
        ] {
            assert_eq!(basis(season), expected);
        }
    }
}
