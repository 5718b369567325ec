//! `provost init --remove`: takes out what `provost init` wrote, and leaves what was changed since.

use camino::Utf8Path;
use provost_engine::task::{carry_out_removal, plan_removal};
use provost_kernel::Exit;
use provost_rules_task::setup::TaskKeys;
use serde::Serialize;

use super::Consent;
use crate::{
    ask::Asked,
    config::PROJECT_FILE,
    session::{AnyFault, Session},
    view::{Page, View},
};

/// The answer, as a script reads it.
#[derive(Debug, Default, Serialize)]
struct Answer {
    removed: TaskKeys,
    /// Keys that somebody has changed since.
    kept: Vec<String>,
    /// Whether nothing was left of the file.
    file_removed: bool,
    done: bool,
}

pub(super) fn run(
    session: &mut Session,
    root: &Utf8Path,
    consent: Consent,
) -> Result<Exit, AnyFault> {
    let layout = session.layout()?;
    let Some(plan) = plan_removal(&layout, &root.join(PROJECT_FILE))? else {
        session.output.show(&Answer { done: true, ..Answer::default() });
        return Ok(Exit::Success);
    };
    let removal = &plan.removal;
    let file_removed = removal.text.is_none() && !removal.removed.is_empty();
    session.output.begin(|page| proposal(page, &removal.removed, &removal.kept));
    let lang = session.output.lang;
    let question = lang.pick("Take this out of `provost.toml`?", "从 `provost.toml` 中取出这些？");
    let asked = if removal.removed.is_empty() { Asked::Yes } else { consent.to(question) };
    let done = asked == Asked::Yes && consent != Consent::Never;
    if done {
        carry_out_removal(&layout, &plan)?;
    }
    let (removed, kept) = (removal.removed.clone(), removal.kept.clone());
    session.output.show(&Answer { removed, kept, file_removed, done });
    Ok(match (done, asked, consent) {
        (true, _, _) | (_, _, Consent::Never) => Exit::Success,
        (false, Asked::Nobody, _) => Exit::Paused,
        (false, Asked::Yes | Asked::No, _) => Exit::Refused,
    })
}

fn proposal(page: &mut Page<'_>, removed: &TaskKeys, kept: &[String]) {
    for (key, value) in removed {
        page.line(&format!("- task.{key} = {value:?}"));
    }
    for key in kept {
        page.write(
            format!("  task.{key} was changed since, and stays"),
            format!("  task.{key} 已被修改，予以保留"),
        );
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        match (self.done, self.removed.is_empty()) {
            (true, true) => page.message(
                "nothing of `provost init` is left in `provost.toml`",
                "`provost.toml` 中没有 `provost init` 写入的内容",
            ),
            (true, false) if self.file_removed => page.message(
                "removed `provost.toml`; commit that to make it count",
                "已删除 `provost.toml`；提交后生效",
            ),
            (true, false) => page.message(
                "changed `provost.toml`; commit that to make it count",
                "已更改 `provost.toml`；提交后生效",
            ),
            (false, _) => page.message(
                "nothing was changed; `provost init --remove --yes` does it",
                "没有更改任何内容；`provost init --remove --yes` 会执行",
            ),
        }
    }
}
