//! `provost story waive`: waives the proof of a criterion, as a person.

use provost_engine::story::{Waiver, Waiving, waive};
use provost_kernel::{
    Exit,
    story::{CriterionId, StoryName},
};

use super::{desk, person};
use crate::{
    session::{AnyFault, Run, Session},
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A waiver proves nothing, and the story does not count as done by it. It says who knows that the\nproof is missing, and it ends when the text of the criterion changes. It is for people: it is\nrefused where an agent runs.\n\nExample:\n  provost story waive US-001 AC-2 --because 'checked by hand on the device'"
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
    /// The criterion: `AC-2`
    #[arg(value_name = "CRITERION")]
    criterion: CriterionId,
    /// Why the proof is not needed
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        waive_criterion(session, &self.story, self.criterion, &self.because)
    }
}

/// Waives the proof of a criterion, for the person whom the caller has made sure of.
pub(crate) fn waive_criterion(
    session: &mut Session,
    story: &StoryName,
    criterion: CriterionId,
    because: &str,
) -> Result<Exit, AnyFault> {
    let desk = desk(session)?;
    let actor = &wiring::actor();
    let waived = waive(&desk, &Waiver { actor, request_id: None, story, criterion, because })?;
    session.output.show(&waived);
    Ok(Exit::Success)
}

impl View for Waiving {
    fn page(&self, page: &mut Page<'_>) {
        let (story, id, text) = (&self.story_id, self.criterion, &self.text);
        page.write(
            format!("waived {story} {id}, which is not proven: {text}"),
            format!("{story} {id} 已豁免，未经证明：{text}"),
        );
    }
}
