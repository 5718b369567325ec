//! `provost guard sweep`: clears up what agents and hooks left behind, and says what.

use provost_engine::guard::sweep::{Swept, sweep};
use provost_kernel::Exit;
use provost_vault::{RealDisk, SystemClock, Why};
use serde::Serialize;

use crate::{
    gc::{label, retention},
    output::Format,
    report,
    session::{AnyFault, Preparation, Run, Session},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost guard sweep\n\nRemoves replays that are older than seven days and temporary files that nobody writes any more,\ncounts agents that ran for more than five minutes as failed, applies what hooks could not write\nin time, and removes the marker of a swarm after an hour. Hooks do most of this themselves at\nthe beginning and at the end of a session."
)]
pub(super) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    removed: Vec<Removed>,
    lost_agents: &'a [String],
    applied: usize,
    markers: Vec<String>,
    failures: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Removed {
    path: String,
    bytes: u64,
    why: Why,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let retention = retention(&session.configuration()?.config.retention);
        let swept = sweep(&RealDisk, &session.layout()?, &SystemClock, &retention);
        for error in &swept.failed {
            report::complain(&mut session.output, error.as_ref());
        }
        match session.output.format() {
            Format::Json => {
                let answer = answer(session, &swept);
                session.output.document(&answer);
            }
            Format::Text => print(session, &swept),
        }
        Ok(if swept.failed.is_empty() { Exit::Success } else { Exit::Unable })
    }
}

fn answer<'a>(session: &Session, swept: &'a Swept) -> Answer<'a> {
    let lang = session.output.lang;
    let removed = swept.removed.iter();
    Answer {
        removed: removed
            .map(|it| Removed { path: it.at.path().into(), bytes: it.len, why: it.why })
            .collect(),
        lost_agents: &swept.lost_agents,
        applied: swept.n_applied,
        markers: swept.marker.iter().map(|it| it.path().into()).collect(),
        failures: swept.failed.iter().map(|it| lang.render(&it.text())).collect(),
    }
}

fn print(session: &mut Session, swept: &Swept) {
    let (lang, output) = (session.output.lang, &mut session.output);
    for it in &swept.removed {
        output.line(&format!("{}  {}", label(it.why, lang), it.at.path()));
    }
    for agent in &swept.lost_agents {
        output.line(&format!("{}  {agent}", lang.pick("lost agent", "失联智能体")));
    }
    if let Some(marker) = &swept.marker {
        output.line(&format!("{}  {}", lang.pick("marker    ", "标记  "), marker.path()));
    }
    let (files, agents) = (swept.removed.len(), swept.lost_agents.len());
    let (applied, markers) = (swept.n_applied, usize::from(swept.marker.is_some()));
    output.message(&lang.pick(
        format!(
            "removed files: {files}, lost agents: {agents}, operations applied: {applied}, markers: {markers}"
        ),
        format!("已删除文件 {files} 个,失联智能体 {agents} 个,补记操作 {applied} 项,标记 {markers} 个"),
    ));
}
