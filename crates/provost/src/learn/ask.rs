//! `provost learn ask`: which result a person should review next, for the rules that are measured.

use std::sync::Arc;

use camino::Utf8PathBuf;
use provost_adapter::Cancel;
use provost_engine::learn::{Asked, AskedFor, Asking};
use provost_kernel::Exit;
use serde::Serialize;

use super::{in_file, supplies::Supplies};
use crate::{
    environment,
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  provost learn ask judge.toml\n\nLooks for the newest result that nobody reviewed and whose verdict changes with a rule that is being\nmeasured, and asks you to review it: `provost review` shows it without the verdict. Rules are then\nproven with far fewer reviews. It asks the judge at most 16 times."
)]
pub(super) struct Args {
    /// The file of a mission over reviews
    #[arg(value_name = "MISSION.toml")]
    file: Utf8PathBuf,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer<'a> {
    mission: String,
    /// The rule that a review is asked for; null where no rule is being measured.
    rule: Option<&'a AskedFor>,
    #[serde(flatten)]
    asked: Asked,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = wiring::desk(session)?;
        person(session)?;
        let file = environment::current_folder()?.join(&self.file);
        let asking = Asking::new(&file, &desk).map_err(|error| in_file(session, &file, error))?;
        let calls = asking.calls();
        if calls > 0 {
            let said = session.output.lang.pick(
                format!("asks the judge at most {calls} times"),
                format!("最多询问评审 {calls} 次"),
            );
            session.output.message(&said);
        }
        let supplies = Supplies::new(session, &asking.mission, &file)?;
        let pool = supplies.pool(&asking.mission)?;
        let cancel = Cancel::new();
        let end = cancel.clone();
        environment::on_signal(&Arc::default(), move |_| end.cancel())?;
        let asked = asking.run(&desk, &pool, &cancel)?;
        let mission = asking.mission.mission.to_string();
        session.output.show(&Answer { mission, rule: asking.rule.as_ref(), asked });
        Ok(Exit::Success)
    }
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let Some(AskedFor { name, text, .. }) = self.rule else {
            page.write(
                format!("no rule of `{}` is being measured", self.mission),
                format!("`{}` 没有正在测量的规则", self.mission),
            );
            return;
        };
        let Asked { task_id, looked } = &self.asked;
        page.line(&format!("{name}  {text}"));
        match task_id {
            Some(task) => page.write(
                format!("it changes the verdict on `{task}`; next: provost review {task}"),
                format!("它会改变 `{task}` 的裁决；下一步：provost review {task}"),
            ),
            None => page.write(
                format!("it changes none of the {looked} newest verdicts that nobody reviewed"),
                format!("它没有改变最新 {looked} 个未评审结果中的任何裁决"),
            ),
        }
    }
}
