//! `provost learn mission`: a mission in which a judge learns from people, ready to be run.

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use provost_adapter::select::AdapterConfig;
use provost_kernel::{
    Exit,
    learn::{Endpoint, MissionName},
    task::TaskType,
};
use provost_rules_learn::judge_mission::template;
use serde::Serialize;

use crate::{
    config,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn mission engineering_impl > judge.toml\n\nThe endpoint is the judge of the configuration where that is a chat interface; otherwise it is one\nto be filled in."
)]
pub(super) struct Args {
    /// The task type
    #[arg(
        value_name = "TASK_TYPE",
        value_parser = PossibleValuesParser::new(TaskType::WORDS).try_map(|it| it.parse::<TaskType>())
    )]
    task_type: TaskType,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
struct Answer {
    mission: MissionName,
    toml: String,
}

/// How many questions a model is asked at once, and how long it has for each.
const CONCURRENCY: u32 = 4;
const TIMEOUT_SECONDS: u32 = 120;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let endpoint = judge(session)?;
        let toml = template(self.task_type, endpoint.as_ref(), session.output.lang);
        let mission = MissionName::of_judge(self.task_type);
        session.output.show(&Answer { mission, toml });
        Ok(Exit::Success)
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        self.toml.lines().for_each(|it| page.line(it));
    }
}

/// The judge of the configuration, if it is a chat interface whose model is known.
fn judge(session: &mut Session) -> Result<Option<Endpoint>, AnyFault> {
    let configuration = session.configuration()?;
    let task = &configuration.config.task;
    let Some(name) = &task.judge else { return Ok(None) };
    let adapters = config::adapters(&configuration.config)?;
    let Some(AdapterConfig::Chat { base, model, key_variable, .. }) = adapters.get(name) else {
        return Ok(None);
    };
    let model = task.judge_model.clone().or_else(|| model.clone());
    Ok(model.map(|model| Endpoint::Chat {
        base_url: base.clone(),
        model,
        key_variable: key_variable.clone(),
        concurrency: CONCURRENCY,
        timeout_seconds: TIMEOUT_SECONDS,
    }))
}
