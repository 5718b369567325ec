//! `provost learn init`: a mission out of a file of cases, ready to be run.

use camino::Utf8PathBuf;
use provost_engine::learn::{InitOrder, Initialised, init};
use provost_kernel::{
    Exit, Message,
    learn::{Endpoint, KeyError, MissionName},
};

use crate::{
    environment,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn init --tickets cases.csv --base-url http://127.0.0.1:8000/v1 --model qwen3\n\nA CSV file has a column `label` with `pass` or `fail`; `id` and `reason` are optional, and every\nother column is evidence. Lines of JSON need `label` and `items`. Nothing that exists is replaced."
)]
pub(super) struct Args {
    /// The cases: CSV, or one JSON object per line
    #[arg(long, value_name = "FILE")]
    tickets: Utf8PathBuf,
    /// The address of the model, without `/chat/completions`
    #[arg(long, value_name = "URL")]
    base_url: String,
    /// The model
    #[arg(long, value_name = "NAME")]
    model: String,
    /// The environment variable that holds the key
    #[arg(long, value_name = "NAME")]
    key_variable: Option<String>,
    /// The name of the mission [default: the name of the file]
    #[arg(long, value_name = "NAME")]
    mission: Option<MissionName>,
    /// The folder of the mission [default: its name]
    #[arg(long, value_name = "DIR")]
    dir: Option<Utf8PathBuf>,
}

/// How many questions a model is asked at once, and how long it has for each.
const CONCURRENCY: u32 = 4;
const TIMEOUT_SECONDS: u32 = 120;
/// How many invalid lines are shown.
const SHOWN: usize = 5;

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let folder = environment::current_folder()?;
        let mission = match &self.mission {
            Some(mission) => mission.clone(),
            None => named_after(&self.tickets)?,
        };
        let endpoint = Endpoint::Chat {
            base_url: self.base_url.clone(),
            model: self.model.clone(),
            key_variable: self.key_variable.clone(),
            concurrency: CONCURRENCY,
            timeout_seconds: TIMEOUT_SECONDS,
        };
        let made = init(&InitOrder {
            tickets: &folder.join(&self.tickets),
            folder: &folder.join(self.dir.as_deref().unwrap_or(mission.as_str().into())),
            mission: &mission,
            endpoint: &endpoint,
            language: session.output.lang,
        })?;
        session.output.show(&made);
        Ok(Exit::Success)
    }
}

/// A mission is called like its file.
fn named_after(tickets: &camino::Utf8Path) -> Result<MissionName, KeyError> {
    tickets.file_stem().unwrap_or_default().parse()
}

impl View for Initialised {
    fn page(&self, page: &mut Page<'_>) {
        let Self { mission, file, passes, fails, .. } = self;
        let count = passes + fails;
        page.write(
            format!("mission `{mission}`: {count} tickets, {passes} pass, {fails} fail"),
            format!("任务目标 `{mission}`：{count} 个工单，通过 {passes}，不通过 {fails}"),
        );
        page.row("file", "文件", file);
    }

    fn notes(&self, page: &mut Page<'_>) {
        for reject in self.rejects.iter().take(SHOWN) {
            page.warning(page.lang.render(&reject.text()));
        }
        let more = self.rejects.len().saturating_sub(SHOWN);
        if more > 0 {
            let (en, zh) =
                (format!("{more} more invalid tickets"), format!("另有 {more} 行无效的工单"));
            page.warning(page.lang.pick(en, zh));
        }
        let file = &self.file;
        let (en, zh) = (
            format!("write into `G0` what has to be checked, then: `provost learn run {file}`"),
            format!("请在 `G0` 中写明要检查什么，然后：`provost learn run {file}`"),
        );
        page.hint(page.lang.pick(en, zh));
    }
}
