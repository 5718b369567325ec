//! `provost learn season`: what was proven so far no longer holds, says a person.

use provost_engine::learn::GuidanceStore;
use provost_kernel::{Exit, Message};
use provost_vault::{RealDisk, SystemClock, prepare_home};

use super::find;
use crate::{
    ask::{self, Asked},
    session::{AnyFault, Run, Session},
    story::person,
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn season demo --because \"the model behind the address is another one\"\n\nLabels prove something about one judge. Another model or other fixed rules begin a season by\nthemselves; this is for a change that provost cannot see. Rules that are measured start again\nwithout what they have won, and rules in force count as adopted until they are proven again. Only a\nperson at a terminal may do this. Exits with 1 when it is refused or declined."
)]
pub(super) struct Args {
    /// The name of a mission, or its file
    #[arg(value_name = "MISSION")]
    mission: String,
    /// What has changed
    #[arg(long, value_name = "REASON", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    because: String,
}

/// Why no season began.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.season", exit = Refused)]
enum SeasonError {
    #[message(en = "no season began", zh = "没有开始新阶段", exit = Refused)]
    Declined,
    #[message(
        en = "no season began: a person has to confirm it at a terminal",
        zh = "没有开始新阶段：没有人在终端前确认",
        hint(en = "run the command at a terminal", zh = "请在终端中运行该命令"),
        exit = Refused
    )]
    Nobody,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let (dir, layout) = find(session, &self.mission)?;
        prepare_home(&RealDisk, &layout)?;
        let actor = wiring::actor();
        let (clock, request_id) = (&SystemClock, None);
        let store = GuidanceStore { layout: &layout, clock, actor: &actor, request_id };
        let mission = &dir.mission;
        let question = session.output.lang.pick(
            format!("Begin a season of `{mission}`, so that nothing counts as proven?"),
            format!("开始 `{mission}` 的新阶段，使此前的证明不再计入？"),
        );
        match ask::confirm(&question) {
            Asked::Yes => {}
            Asked::No => return Err(SeasonError::Declined.into()),
            Asked::Nobody => return Err(SeasonError::Nobody.into()),
        }
        session.output.show(&store.begin_season(&dir, &self.because)?);
        Ok(Exit::Success)
    }
}
