//! `provost story waive`: a person does without the proof of a criterion.

use provost_engine::story::waive;
use provost_kernel::{
    Exit,
    story::{CriterionId, StoryName},
};

use super::{desk, person};
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "A waiver proves nothing, and the story does not count as done by it. It says who knows that the\nproof is missing, and it ends when the text of the criterion changes. It is for people: it is\nrefused where an agent works.\n\nExample:\n  provost story waive US-001 AC-2 --because 'checked by hand on the device'"
)]
pub(super) struct Args {
    /// The story: `US-001`, or `BRANCH:US-001`
    #[arg(value_name = "ID")]
    story: StoryName,
    /// The criterion: `AC-2`
    #[arg(value_name = "CRITERION")]
    criterion: CriterionId,
    /// Why nobody needs the proof
    #[arg(long, value_name = "TEXT")]
    because: String,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let desk = desk(session)?;
        let waived = waive(&desk, &wiring::actor(), &self.story, self.criterion, &self.because)?;
        let lang = session.output.lang;
        match session.output.format() {
            Format::Json => session.output.document(&waived),
            Format::Text => {
                let (story, id, text) = (&waived.story_id, waived.criterion, &waived.text);
                session.output.line(&lang.pick(
                    format!("{story} {id} is waived, and not proven: {text}"),
                    format!("{story} {id} 已豁免,未经证明:{text}"),
                ));
            }
        }
        Ok(Exit::Success)
    }
}
