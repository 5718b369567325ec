//! `provost learn queue`: the tickets that reflection gave up on.

use std::collections::BTreeMap;

use provost_engine::learn::QueueRow;
use provost_kernel::Exit;
use serde::Serialize;

use super::Which;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn queue demo\n\nResolve each with `provost learn resolve MISSION KEY --as label_wrong`."
)]
pub(super) struct Args {
    #[command(flatten)]
    which: Which,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    mission: &'a str,
    run: &'a str,
    n: usize,
    by_reason_code: BTreeMap<&'a str, usize>,
    items: &'a [QueueRow],
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, _) = self.which.find(session)?;
        let (run, rows) = dir.queue(self.which.run.as_ref())?;
        let mut by_reason_code: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &rows {
            *by_reason_code.entry(&row.reason_code).or_default() += 1;
        }
        let mission = dir.mission.as_str();
        session.output.show(&Answer {
            mission,
            run: run.as_str(),
            n: rows.len(),
            by_reason_code,
            items: &rows,
        });
        Ok(Exit::Success)
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, run, n, items, .. } = self;
        page.write(
            format!("unresolved tickets of run `{run}`: {n}"),
            format!("运行 `{run}` 有 {n} 个未解决的工单"),
        );
        for it in *items {
            ticket(page, it);
        }
        if items.iter().any(|it| it.resolution.is_none()) {
            page.hint(format!(
                "`provost learn resolve {mission} KEY --as label_wrong|evidence_missing|rule_gap|out_of_scope`"
            ));
        }
    }
}

fn ticket(page: &mut Page<'_>, row: &QueueRow) {
    let QueueRow { ticket_key, reason_code, .. } = row;
    let epochs: Vec<String> = row.epochs.iter().map(ToString::to_string).collect();
    let epochs = epochs.join(", ");
    let resolution = row.resolution.map(|it| format!("  [{it}]")).unwrap_or_default();
    page.write(
        format!("{ticket_key}  {reason_code}, epochs {epochs}{resolution}"),
        format!("{ticket_key}  {reason_code}，轮次 {epochs}{resolution}"),
    );
    if let (Some(verdict), Some(reason)) = (row.pred_verdict, &row.pred_reason) {
        page.write(
            format!("    the model said {verdict}: {reason}"),
            format!("    模型判为 {verdict}：{reason}"),
        );
    }
    if let Some(note) = row.uncertainty_note.as_ref().filter(|it| !it.is_empty()) {
        page.item("  reflection", "  反思", note);
    }
}
