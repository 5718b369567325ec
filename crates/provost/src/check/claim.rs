//! `provost check claim`: checks an update against a story. Nothing is run.
//!
//! An update that breaks the contract is judged and refused. Only what keeps provost from judging,
//! such as a story that cannot be read, is an error.

use provost_kernel::{
    Exit, Lang,
    story::{ClaimResult, CriterionStatus, Story},
};
use provost_rules_story::{
    claim::{CheckedClaim, check_bytes, read_story},
    progress::{label, progress},
};

use serde::Serialize;

use crate::{
    input::Source,
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The story is one JSON object: {\"id\": \"US-001\", \"acceptanceCriteria\": [\"…\"]}\n\nExamples:\n  provost check claim update.json --story story.json\n  provost check claim - --story story.json --json < update.json\n\nNothing is run: evidence is labelled NOT_RUN, and a criterion passes only if it is claimed with a\ncommand, a file or a test. Exits with 0 if the update is accepted, with 1 if it is rejected, and\nwith 2 if it is invalid."
)]
pub(super) struct Args {
    /// The agent's update; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// The story; `-` is standard input
    #[arg(long, value_name = "FILE")]
    story: String,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let (update, story) = (Source::from(self.file.as_str()), Source::from(self.story.as_str()));
        story.check_beside(&update)?;
        let read = read_story(&story.read()?).map_err(|error| story.content_error(error))?;
        let checked = check_bytes(&read, &update.read()?);
        session.output.show(&Answer { story: &read, checked: &checked });
        Ok(match checked.result {
            ClaimResult::Accept => Exit::Success,
            ClaimResult::Reject => Exit::Refused,
        })
    }
}

/// The checked claim, with the story that it is about.
#[derive(Serialize)]
#[serde(transparent)]
struct Answer<'a> {
    #[serde(skip)]
    story: &'a Story,
    checked: &'a CheckedClaim,
}

impl View for Answer<'_> {
    fn page(&self, page: &mut Page<'_>) {
        let (lang, checked) = (page.lang, self.checked);
        let result = match checked.result {
            ClaimResult::Accept => lang.pick("accepted", "接受"),
            ClaimResult::Reject => lang.pick("rejected", "拒绝"),
        };
        page.row("result", "结果", result);
        if checked.result == ClaimResult::Accept {
            let claimed = progress(self.story, &checked.ac_status);
            page.row("claimed", "声称", lang.render(&label(&self.story.id, claimed)));
            for (id, status) in &checked.ac_status {
                page.line(&format!("  {}", page.labelled(id, shown(status, lang))));
            }
        }
        checked.findings.iter().for_each(|it| page.finding(it));
    }
}

/// Nothing was run, so that nothing is shown as passed.
fn shown(status: &CriterionStatus, lang: Lang) -> String {
    let word = if status.passes {
        lang.pick("claimed, not verified", "已声称，未验证")
    } else {
        lang.pick("not passed", "未通过")
    };
    let said = status.blocked_reason.as_ref().or(status.command.as_ref());
    match said {
        Some(said) => {
            let said = said.replace(['\n', '\r'], " ");
            lang.pick(format!("{word} ({said})"), format!("{word}（{said}）"))
        }
        None => word.to_owned(),
    }
}
