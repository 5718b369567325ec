//! `provost learn resolve`: a person says what is the matter with a ticket.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_engine::learn::Office;
use provost_kernel::{
    Exit,
    learn::{Resolution, TicketKey},
};
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::find;
use crate::{
    output::Format,
    session::{AnyFault, Preparation, Run, Session},
    story::person,
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn resolve demo photo-17::fail --as label_wrong\n\n`label_wrong` and `evidence_missing` leave the ticket out of later runs; `rule_gap` and\n`out_of_scope` keep it. The newest word on a ticket counts, and each is in the audit chain. Only a\nperson may do this."
)]
pub(super) struct Args {
    /// The name of a mission, or its file
    #[arg(value_name = "MISSION")]
    mission: String,
    /// The key of the ticket, as `provost learn queue` shows it
    #[arg(value_name = "KEY")]
    key: TicketKey,
    /// The resolution
    #[arg(
        long = "as",
        value_name = "WORD",
        value_parser = PossibleValuesParser::new(Resolution::WORDS).try_map(|it| it.parse::<Resolution>())
    )]
    resolution: Resolution,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    mission: &'a str,
    ticket_key: &'a TicketKey,
    resolution: Resolution,
    changed: bool,
    /// Whether later runs leave the ticket out.
    left_out: bool,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let (site, layout) = find(session, &self.mission)?;
        prepare_home(&RealDisk, &layout)?;
        let actor = wiring::actor();
        let office = Office { layout: &layout, clock: &SystemClock, actor: &actor };
        let changed = office.resolve(&site, &self.key, self.resolution)?;
        let (key, resolution, lang) = (&self.key, self.resolution, session.output.lang);
        let left_out = resolution.leaves_out();
        match session.output.format() {
            Format::Json => session.output.document(&Answer {
                mission: site.mission.as_str(),
                ticket_key: key,
                resolution,
                changed,
                left_out,
            }),
            Format::Text if !changed => session.output.line(&lang.pick(
                format!("`{key}` was resolved as {resolution} already"),
                format!("`{key}` 先前已标为 {resolution}"),
            )),
            Format::Text if left_out => session.output.line(&lang.pick(
                format!("`{key}` is resolved as {resolution}: later runs leave it out"),
                format!("`{key}` 已标为 {resolution}:以后的运行不再使用"),
            )),
            Format::Text => session.output.line(&lang.pick(
                format!("`{key}` is resolved as {resolution}: it stays"),
                format!("`{key}` 已标为 {resolution}:仍会使用"),
            )),
        }
        Ok(Exit::Success)
    }
}
