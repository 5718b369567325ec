//! `provost learn hypotheses`: what was proposed as a rule, and what supports it.

use std::collections::BTreeSet;

use provost_kernel::{Exit, Lang};
use provost_rules_learn::hypothesis::{Record, Status};
use serde::Serialize;
use serde_json::Value;

use super::Which;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn hypotheses demo\n\nTickets whose label a person called wrong support nothing."
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
    hypotheses: Value,
    #[serde(skip)]
    records: Vec<&'a Record>,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (dir, _) = self.which.find(session)?;
        let (run, pool) = dir.hypotheses(self.which.run.as_ref())?;
        let mut records: Vec<&Record> = pool.records().values().collect();
        records.sort_by_key(|it| (rank(it.status), it.first_seq));
        session.output.show(&Answer {
            mission: dir.mission.as_str(),
            run: run.as_str(),
            hypotheses: pool.file(),
            records,
        });
        Ok(Exit::Success)
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (run, count) = (self.run, self.records.len());
        page.write(
            format!("hypotheses in run `{run}`: {count}"),
            format!("运行 `{run}` 中有 {count} 条假设"),
        );
        for it in &self.records {
            record(page, it);
        }
    }
}

fn record(page: &mut Page<'_>, record: &Record) {
    let status = status(record.status, page.lang);
    let rule = record.rule.map(|it| format!(" ({it})")).unwrap_or_default();
    page.line(&format!("{status}{rule}  {}", record.text));
    let human: Vec<_> = record.cited.iter().filter(|(_, it)| it.human).collect();
    let cycles: BTreeSet<u64> = human.iter().map(|(_, it)| it.cycle_root).collect();
    let keys: Vec<String> = human.iter().map(|(key, _)| key.to_string()).collect();
    let (n_keys, n_cycles, keys) = (keys.len(), cycles.len(), keys.join(", "));
    page.write(
        format!("    {n_keys} tickets in {n_cycles} cycles: {keys}"),
        format!("    {n_keys} 个工单，{n_cycles} 次反思：{keys}"),
    );
    page.item("  false if", "  证伪条件", &record.falsifier);
}

/// What a person can still do something about comes first.
fn rank(status: Status) -> u8 {
    match status {
        Status::Promoted => 0,
        Status::Shadow => 1,
        Status::Candidate => 2,
        Status::Rejected => 3,
        Status::Retired => 4,
    }
}

fn status(status: Status, lang: Lang) -> &'static str {
    match status {
        Status::Candidate => lang.pick("candidate", "候选"),
        Status::Shadow => lang.pick("measured", "测量中"),
        Status::Promoted => lang.pick("promoted", "已晋升"),
        Status::Rejected => lang.pick("rejected", "已否决"),
        Status::Retired => lang.pick("retired", "已退役"),
    }
}
