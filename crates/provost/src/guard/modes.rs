//! `provost guard modes`: which modes there are, and which of them are active.

use provost_engine::guard::mode::list;
use provost_kernel::{
    Exit, Lang,
    guard::{Mode, ModeState, Moment},
};
use provost_vault::{RealDisk, SystemClock};
use serde::Serialize;

use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  provost guard modes")]
pub(super) struct Args {}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    modes: Vec<Row>,
}

/// One mode.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    pub(super) mode: Mode,
    pub(super) active: bool,
    /// Whether it keeps other exclusive modes out.
    exclusive: bool,
    started_at: Option<Moment>,
    session_id: Option<String>,
}

impl Row {
    pub(super) fn of(mode: Mode, state: &ModeState) -> Self {
        let ModeState { active, started_at, session_id, mode: _, updated_at: _ } = state.clone();
        Self { mode, active, exclusive: mode.is_exclusive(), started_at, session_id }
    }
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        // A corrupt state is put aside and recorded by the process that meets it.
        Preparation::Identity
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let layout = session.layout()?;
        let modes = list(&RealDisk, &layout, &SystemClock)?;
        let modes: Vec<Row> = modes.iter().map(|(mode, state)| Row::of(*mode, state)).collect();
        session.output.show(&Answer { modes });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        for row in &self.modes {
            page.line(&line(row, page.lang));
        }
    }
}

fn line(row: &Row, lang: Lang) -> String {
    let mode = format!("{:<10}", row.mode.as_str());
    let state = match (row.active, &row.started_at) {
        (false, _) => lang.pick("off", "关闭").to_owned(),
        (true, None) => lang.pick("on", "开启").to_owned(),
        (true, Some(at)) => {
            let at = at.as_str();
            lang.pick(format!("on since {at}"), format!("开启于 {at}"))
        }
    };
    let session_id = row.session_id.as_deref().filter(|_| row.active);
    let of_session = session_id
        .map_or(String::new(), |it| lang.pick(format!(", session {it}"), format!("，会话 {it}")));
    format!("{mode}  {state}{of_session}")
}
