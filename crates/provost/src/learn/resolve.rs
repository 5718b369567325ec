//! `provost learn resolve`: a person says what is the matter with a ticket.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_engine::learn::GuidanceStore;
use provost_kernel::{
    Exit,
    learn::{Resolution, TicketKey},
};
use provost_vault::{RealDisk, SystemClock, prepare_home};
use serde::Serialize;

use super::find;
use crate::{
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
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

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let Self { ticket_key: key, resolution, .. } = self;
        page.line(&match (self.changed, self.left_out) {
            (false, _) => page.lang.pick(
                format!("`{key}` was already resolved as {resolution}"),
                format!("`{key}` 先前已标为 {resolution}"),
            ),
            (true, true) => page.lang.pick(
                format!("resolved `{key}` as {resolution}: later runs ignore it"),
                format!("`{key}` 已标为 {resolution}：以后的运行不再使用"),
            ),
            (true, false) => page.lang.pick(
                format!("resolved `{key}` as {resolution}: later runs still use it"),
                format!("`{key}` 已标为 {resolution}：以后的运行仍会使用"),
            ),
        });
    }
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        let (dir, layout) = find(session, &self.mission)?;
        prepare_home(&RealDisk, &layout)?;
        let actor = wiring::actor();
        let (clock, request_id) = (&SystemClock, None);
        let store = GuidanceStore { layout: &layout, clock, actor: &actor, request_id };
        let changed = store.resolve(&dir, &self.key, self.resolution)?;
        session.output.show(&Answer {
            mission: dir.mission.as_str(),
            ticket_key: &self.key,
            resolution: self.resolution,
            changed,
            left_out: self.resolution.leaves_out(),
        });
        Ok(Exit::Success)
    }
}
