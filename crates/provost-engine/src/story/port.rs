//! What a desk asks of the engine about stories.

use provost_desk::{
    Desk, PortError,
    story::{ComparedStory, Stories, StoryPort, Waiver, Waiving},
};
use provost_kernel::story::{Execution, StoryRow};

use super::{Freshness, waive};

impl StoryPort for Freshness {
    fn compare(
        &self,
        desk: &Desk,
        stories: &Stories<'_>,
        execution: &Execution,
        rows: Vec<StoryRow>,
    ) -> Result<Vec<ComparedStory>, PortError> {
        let compared = Self::compare(self, desk, stories, execution, &rows)?;
        let shown = |row: StoryRow| {
            let stale = compared.stale(&row);
            ComparedStory { row: compared.shown(row), stale }
        };
        Ok(rows.into_iter().map(shown).collect())
    }

    fn waive(&self, desk: &Desk, waiver: &Waiver<'_>) -> Result<Waiving, PortError> {
        Ok(waive(desk, waiver)?)
    }
}
