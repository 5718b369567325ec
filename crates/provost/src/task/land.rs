//! `provost land`: put the result of a task onto a branch, or take it back.

mod request;

use camino::Utf8Path;
use provost_desk::{
    Desk,
    task::{Next, Sought},
};
use provost_engine::task::{
    Consent, LandOutcome, LandReport, LandRequest, destination, land, undo,
};
use provost_kernel::{
    Exit, Source, TaskId, shorten,
    task::{LandMethod, short},
};
use provost_rules_task::landing::{LandError, Stage, stage};
use serde::Serialize;

use self::request::Requested;
use super::{live::Live, show::brief};
use crate::{
    ask::{self, Asked},
    ignored,
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring::{Wiring, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost land t1\n  provost land t1 --branch fix-login\n  provost land t1 --pr\n  provost land t1 --undo\n\nThe result goes onto the branch that the task set out from, as one commit of yours. Where that\nbranch has moved on, the test is proven again on the merge, before the branch moves.\nExit codes: 0 landed, 1 refused and nothing was changed, 2 error, 5 the branch or the task is busy.\nIt is refused where an agent runs (1)."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person types")]
pub(crate) struct Args {
    /// The id of the task, or the start of it; not needed where exactly one result can land
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    how: How,
    /// Put it onto a new branch, which starts where the task started
    #[arg(long, value_name = "NAME", conflicts_with = "undo")]
    branch: Option<String>,
    /// Put it onto a branch of its own, push that, and open a pull or merge request with `gh` or
    /// `glab`
    #[arg(long, conflicts_with = "undo")]
    pr: bool,
    /// Open the request as a draft
    #[arg(long, requires = "pr")]
    draft: bool,
    /// Take a result that has landed back, by a new commit
    #[arg(long, conflicts_with_all = ["squash", "merge", "rebase"])]
    undo: bool,
    /// Approve the result without a question
    #[arg(long, short)]
    yes: bool,
    /// A person ordered it on the page
    #[arg(long, hide = true)]
    from_page: bool,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct How {
    /// One commit on the branch
    #[arg(long)]
    squash: bool,
    /// A merge of the branch with the attempt
    #[arg(long)]
    merge: bool,
    /// The commit of the attempt, put onto the branch with its time
    #[arg(long)]
    rebase: bool,
}

/// The answer, as a script reads it.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    report: LandReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Requested>,
    #[serde(skip)]
    next: Vec<Next>,
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        person(session)?;
        ignored::refuse_tracked(session)?;
        let desk = desk(session)?;
        let task = &match &self.id {
            None if !self.undo => desk.only(Sought::Landable)?,
            id => desk.meant(id.as_deref())?,
        };
        let spec = desk.spec(task)?.value;
        let status = desk.look(task)?.trusted()?.status.value;
        let repository = Utf8Path::new(&spec.repo_path).as_std_path();
        let mut wiring = Wiring::new(session, repository, &spec.base_ref)?;
        if self.from_page {
            wiring.actor.source = Source::Web;
        }
        let live = Live::new(session.output.lang, session.flags.quiet);
        let mut to = None;
        let report = if self.undo {
            wiring.listen()?;
            live.during(|| undo(wiring.engine(&live), task))
        } else {
            let stage = stage(&status)?;
            let own = self.pr.then(|| format!("provost/{task}"));
            let branch = self.branch.as_deref().or(own.as_deref());
            if self.pr {
                // Nothing is changed where the request could not be opened.
                let onto = destination(wiring.engine(&live), task, None)?;
                let at = Utf8Path::new(&spec.repo_path);
                to = Some(request::Target::find(session, at, task, onto)?);
            }
            if stage != Stage::Landed {
                note_untold(session, task, &desk.untold(&status)?);
            }
            let consent = match stage {
                Stage::Unconfirmed if self.yes => Consent::Given,
                Stage::Unconfirmed => {
                    let onto = destination(wiring.engine(&live), task, branch)?;
                    confirm(session, &desk, task, &onto)?
                }
                Stage::Approved | Stage::Unfinished | Stage::Landed => Consent::NotGiven,
            };
            wiring.listen()?;
            let request = LandRequest { method: self.method(), branch, consent };
            live.during(|| land(wiring.engine(&live), task, &request))
        };
        let report = report?;
        let stage = if self.draft { request::Stage::Draft } else { request::Stage::Ready };
        let at = Utf8Path::new(&spec.repo_path);
        let request =
            to.map(|to| request::open(session, &desk, at, &report, (&to, stage))).transpose()?;
        show(session, &desk, report, request)
    }
}

impl Args {
    fn method(&self) -> Option<LandMethod> {
        match &self.how {
            How { squash: true, .. } => Some(LandMethod::Squash),
            How { merge: true, .. } => Some(LandMethod::Merge),
            How { rebase: true, .. } => Some(LandMethod::Rebase),
            How { squash: false, merge: false, rebase: false } => None,
        }
    }
}

/// Names what a person said that the result does not know of.
fn note_untold(session: &mut Session, task: &TaskId, untold: &[String]) {
    let lang = session.output.lang;
    for text in untold {
        let text = shorten(text);
        session.output.message(&lang.pick(
            format!("no attempt of `{task}` was told \"{text}\": `provost resume {task}` does"),
            format!("`{task}` 的尝试尚未得知“{text}”：运行 `provost resume {task}` 可告知"),
        ));
    }
}

/// Asks the person whether the result is good; that is its approval.
fn confirm(
    session: &mut Session,
    desk: &Desk,
    task: &TaskId,
    onto: &str,
) -> Result<Consent, AnyFault> {
    if ask::is_possible() {
        let view = desk.view(task)?;
        session.output.begin(|page| brief(page, &view));
    }
    let question = session.output.lang.pick(
        format!("Approve the result of `{task}` and land it on `{onto}`?"),
        format!("批准 `{task}` 的结果并合入 `{onto}`？"),
    );
    match ask::confirm(&question) {
        Asked::Yes => Ok(Consent::Given),
        Asked::No => Err(LandError::Declined { task: task.clone() }.into()),
        // The engine says what is missing.
        Asked::Nobody => Ok(Consent::NotGiven),
    }
}

fn show(
    session: &mut Session,
    desk: &Desk,
    report: LandReport,
    request: Option<Requested>,
) -> Result<Exit, AnyFault> {
    let next = desk.next(&desk.look(&report.task_id)?.status.value)?;
    session.output.show(&Answer { report, request, next });
    Ok(Exit::Success)
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let LandReport { task_id, outcome, branch, method, by, .. } = &self.report;
        let commit = short(&self.report.commit);
        match outcome {
            LandOutcome::Landed => page.line(&landed(&self.report, page.lang)),
            LandOutcome::AlreadyLanded => page.write(
                format!("`{task_id}` has landed before: {branch} {commit} · {method} · by {by}"),
                format!("`{task_id}` 先前已合入：{branch} {commit} · {method} · {by}"),
            ),
            LandOutcome::Recorded => page.write(
                format!("`{task_id}` had landed on {branch} as {commit}; that is recorded now"),
                format!("`{task_id}` 已合入 {branch}（{commit}）；现已补记"),
            ),
            LandOutcome::Undone => page.write(
                format!(
                    "`{task_id}` was taken back from {branch} by {commit} · the tests were not run · by {by}"
                ),
                format!("`{task_id}` 已由 {commit} 从 {branch} 撤销 · 未运行测试 · {by}"),
            ),
        }
        match &self.request {
            Some(Requested { said: Some(said), .. }) => {
                page.write(format!("Requested: {said}"), format!("已创建请求：{said}"));
            }
            Some(Requested { command: Some(command), .. }) => {
                page.write(
                    format!("{branch} is pushed; neither `gh` nor `glab` is installed"),
                    format!("{branch} 已推送；未安装 `gh` 或 `glab`"),
                );
                page.line(&format!("  {command}"));
            }
            Some(_) | None => {}
        }
        page.next(&self.next);
    }
}

/// Where the result is now, what is proven of it, and whose it is.
fn landed(report: &LandReport, lang: provost_kernel::Lang) -> String {
    let LandReport { task_id, branch, method, proof, by, agent, .. } = report;
    let commit = short(&report.commit);
    let proof = proof.map(|it| format!(" · {it}")).unwrap_or_default();
    let with = agent.as_ref().map(|it| lang.pick(format!(", with {it}"), format!("，智能体 {it}")));
    let with = with.unwrap_or_default();
    lang.pick(
        format!("`{task_id}` landed on {branch} as {commit} · {method}{proof} · by {by}{with}"),
        format!("`{task_id}` 已合入 {branch}：{commit} · {method}{proof} · {by}{with}"),
    )
}
