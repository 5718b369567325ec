//! `provost review`: judge a result without sight of the verdict.

use provost_desk::{
    Desk,
    learn::{BlindView, RequestKind, ReviewRequest},
};
use provost_kernel::{Exit, Message, RequestId, TaskId, task::Order};
use serde::Serialize;

use super::{order::reviewed, text};
use crate::{
    ask,
    output::Format,
    session::{AnyFault, Run, Session},
    story::person,
    view::{Page, View},
    wiring::{actor, desk},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost review\n  provost review t1 --approve\n  provost review t1 --reject \"no test fails without the change\"\n\nShows the goal, the change and what was run, and neither verdict, scores nor reasons. A result that\nwas drawn, or that a rule asks for, measures the rules of the judge; other reviews teach it. Without\nan id: the next result that a review is asked for; `--list` lists them all. It is refused where an\nagent runs (1)."
)]
pub(crate) struct Args {
    /// The id of the task, or the start of it; the next that is asked for, if not given
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// You would accept it
    #[arg(long, conflicts_with = "reject")]
    approve: bool,
    /// You would not accept it, and why; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    reject: Option<String>,
    /// List the results that a review is asked for
    #[arg(long, conflicts_with_all = ["id", "approve", "reject"])]
    list: bool,
    /// Idempotency key: a repeated request has no second effect
    #[arg(long, value_name = "R")]
    request_id: Option<String>,
}

/// Why nothing was reviewed.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "review", exit = Refused)]
enum ReviewError {
    #[message(
        en = "no review is asked for",
        zh = "没有需要评审的结果",
        hint(
            en = "tasks of a type are drawn when they end; `provost review ID` reviews one of your choice",
            zh = "有类型的任务结束时会抽样；`provost review ID` 评审你选择的结果"
        ),
        exit = Success
    )]
    NothingAsked,
    #[message(
        en = "`{task}` was not reviewed",
        zh = "没有评审 `{task}`",
        hint(
            en = "run `provost review {task} --approve` or `provost review {task} --reject TEXT`",
            zh = "运行 `provost review {task} --approve` 或 `provost review {task} --reject TEXT`"
        )
    )]
    Undecided { task: TaskId },
}

/// What waits for a review.
#[derive(Serialize)]
struct Requests {
    requests: Vec<ReviewRequest>,
}

/// The evidence, as a script reads it.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown<'a>(&'a BlindView);

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let desk = desk(session)?;
        if self.list {
            session.output.show(&Requests { requests: desk.review_requests()? });
            return Ok(Exit::Success);
        }
        let Some(task) = self.task(&desk)? else {
            session.output.show(&Requests { requests: Vec::new() });
            return Ok(Exit::Success);
        };
        let view = desk.blind_view(&task)?;
        let Some(order) = self.decision(session, &view)? else {
            return Ok(Exit::Success);
        };
        person(session)?;
        let request_id = self.request_id.as_deref().map(str::parse::<RequestId>).transpose()?;
        let receipt = desk.review_blind(&view, order, actor(), request_id)?;
        reviewed(session, &desk, receipt)
    }
}

impl Args {
    /// The task that is named, or the first that a review is asked for.
    fn task(&self, desk: &Desk) -> Result<Option<TaskId>, AnyFault> {
        if let Some(id) = &self.id {
            return Ok(Some(desk.meant(Some(id))?));
        }
        Ok(desk.review_requests()?.into_iter().next().map(|it| it.task_id))
    }

    /// What the person says. Where nobody is at a terminal and nothing was said, the result is shown.
    fn decision(&self, session: &mut Session, view: &BlindView) -> Result<Option<Order>, AnyFault> {
        if self.approve {
            return Ok(Some(Order::Approve));
        }
        if let Some(because) = &self.reject {
            return Ok(Some(Order::Reject { because: text::read(because)? }));
        }
        let lang = session.output.lang;
        if session.output.format() == Format::Json || !ask::is_possible() {
            session.output.show(&Shown(view));
            return Ok(None);
        }
        session.output.begin(|page| shown(page, view));
        let undecided = || ReviewError::Undecided { task: view.task_id.clone() };
        let question = lang
            .pick("Would you accept it? [y/n, Enter for later]", "你会接受它吗？[y/n，回车为稍后]");
        let said = ask::line(question).unwrap_or_default();
        if ask::is_yes(&said) {
            return Ok(Some(Order::Approve));
        }
        if !matches!(said.to_lowercase().as_str(), "n" | "no" | "否") {
            return Err(undecided().into());
        }
        let because = ask::line(lang.pick("Why not?", "为什么？")).unwrap_or_default();
        if because.is_empty() {
            Err(undecided().into())
        } else {
            Ok(Some(Order::Reject { because }))
        }
    }
}

fn kind(kind: RequestKind) -> (&'static str, &'static str) {
    match kind {
        RequestKind::Drawn => ("drawn by lot", "抽样"),
        RequestKind::Asked => {
            ("a rule that is being measured changes its verdict", "有待测规则会改变其裁决")
        }
    }
}

fn shown(page: &mut Page<'_>, view: &BlindView) {
    let BlindView { task_id, attempt, request, items, .. } = view;
    let (en, zh) = request.map_or(("of your own choice", "自选"), kind);
    page.write(
        format!("`{task_id}`, attempt {attempt}, without its verdict ({en})"),
        format!("`{task_id}` 第 {attempt} 次尝试，不显示裁决（{zh}）"),
    );
    for item in items {
        page.line("");
        page.line(&format!("── {}", item.name));
        item.text.lines().for_each(|it| page.exact(it));
    }
    page.line("");
}

impl View for Shown<'_> {
    fn page(&self, page: &mut Page<'_>) {
        shown(page, self.0);
        let task = &self.0.task_id;
        page.write(
            format!(
                "next: provost review {task} --approve, or provost review {task} --reject TEXT"
            ),
            format!(
                "下一步：provost review {task} --approve，或 provost review {task} --reject TEXT"
            ),
        );
    }
}

impl View for Requests {
    fn page(&self, page: &mut Page<'_>) {
        if self.requests.is_empty() {
            let error = ReviewError::NothingAsked;
            page.line(&page.lang.render(&error.text()));
            for hint in error.hints() {
                page.line(&page.lang.render(&hint));
            }
        }
        for ReviewRequest { task_id, attempt, task_type, kind: why } in &self.requests {
            let (en, zh) = kind(*why);
            page.write(
                format!("{task_id}  attempt {attempt}  {task_type}  {en}"),
                format!("{task_id}  第 {attempt} 次尝试  {task_type}  {zh}"),
            );
        }
    }
}
