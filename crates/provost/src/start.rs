//! `provost` alone: what waits, what runs, and where to go next.

use std::io::{self, IsTerminal as _};

use provost_desk::task::{Inbox, Listing, Phase, Waiting};
use provost_kernel::{Exit, Message as _, TaskId};

use crate::{
    paint::Tone,
    session::{AnyFault, Preparation, Run, Session},
    task::show::{complain_of, complain_of_altered},
    view::Page,
    wiring::desk,
};

/// How many tasks are named; the rest is counted.
const SHOWN: usize = 5;

/// The command without a word.
#[derive(Debug)]
pub(crate) struct Start;

impl Start {
    /// Whether a person reads it. A script gets the help, as ever.
    pub(crate) fn is_wanted() -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }
}

impl Run for Start {
    fn preparation(&self) -> Preparation {
        Preparation::None
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        if let Err(error) = session.configuration() {
            // Outside of any project there is nothing to show yet.
            if session.home().is_err() {
                begin(&mut session.output.page(), None);
                return Ok(Exit::Success);
            }
            return Err(error);
        }
        let home = match session.home() {
            Ok(home) => home,
            Err(error) => {
                if !is_nowhere(&error) {
                    return Err(error);
                }
                begin(&mut session.output.page(), None);
                return Ok(Exit::Success);
            }
        };
        if !home.path.exists() {
            begin(&mut session.output.page(), Some(home.path.as_str()));
            return Ok(Exit::Success);
        }
        let desk = desk(session)?;
        let inbox = desk.inbox()?;
        complain_of(session, &inbox.unreadable);
        for (task, path) in &inbox.altered {
            complain_of_altered(session, task, path);
        }
        let overview = desk.overview(Listing::default())?;
        let of = |phase: Phase| -> Vec<TaskId> {
            let rows = overview.rows.iter().filter(|it| it.phase == phase);
            rows.map(|it| it.entry.task_id.clone()).collect()
        };
        let page = &mut session.output.page();
        waiting_tasks(page, &inbox);
        tasks(page, &of(Phase::Running), ("runs", "运行中"));
        tasks(page, &of(Phase::Queued), ("queued", "排队中"));
        show_commands(page);
        Ok(Exit::Success)
    }
}

fn is_nowhere(error: &AnyFault) -> bool {
    error.0.text().code() == Some("home.nowhere")
}

/// Says how to begin where provost has not worked yet.
fn begin(page: &mut Page<'_>, home: Option<&str>) {
    match home {
        Some(_) => page.write("no tasks here yet", "这里还没有任务"),
        None => page.write("not in a git repository", "当前不在 git 仓库中"),
    }
    if home.is_none() {
        command(
            page,
            "cd REPOSITORY",
            "provost works in a git repository",
            "provost 在 git 仓库中工作",
        );
    }
    command(page, "provost init", "set up the repository", "设置仓库");
    command(
        page,
        "provost do \"what should change\"",
        "change something, and prove it",
        "做一项改动，并加以证明",
    );
    command(page, "provost demo", "watch it work, without an API key", "观看演示，无需密钥");
    command(page, "provost help", "all commands", "全部命令");
}

/// What waits for a person. What cannot be trusted is named apart, and waits as well.
fn waiting_tasks(page: &mut Page<'_>, inbox: &Inbox) {
    let count = inbox.waiting.len() + inbox.altered.len();
    if count == 0 {
        page.write("nothing waits for you", "没有等你处理的事项");
    } else {
        page.write(format!("waits for you: {count}"), format!("等你处理：{count}"));
        inbox.waiting.iter().take(SHOWN).for_each(|it| waiting(page, it));
        if let Some(more) = inbox.waiting.len().checked_sub(SHOWN).filter(|it| *it > 0) {
            page.write(
                format!("  and {more} more: `provost inbox`"),
                format!("  另有 {more} 项：`provost inbox`"),
            );
        }
    }
}

/// Tasks of one phase, with their number.
fn tasks(page: &mut Page<'_>, of: &[TaskId], (en, zh): (&str, &str)) {
    if of.is_empty() {
        return;
    }
    let count = of.len();
    page.write(format!("{en}: {count}"), format!("{zh}：{count}"));
    for task in of.iter().take(SHOWN) {
        page.spans(&[Tone::Plain.of("  "), Tone::Bold.of(task.as_str())]);
    }
}

/// Where to go next.
fn show_commands(page: &mut Page<'_>) {
    command(
        page,
        "provost do \"what should change\"",
        "change something, and prove it",
        "做一项改动，并加以证明",
    );
    command(page, "provost tui", "everything, live, in this terminal", "在终端中实时查看");
    command(page, "provost serve", "the same in a browser", "在浏览器中查看");
    command(page, "provost help", "all commands", "全部命令");
}

/// A task that waits, with the command that is most likely wanted.
fn waiting(page: &mut Page<'_>, it: &Waiting) {
    let phase = page.lang.render(&it.phase.text());
    let mut spans = vec![
        Tone::Plain.of("  "),
        Tone::Bold.of(it.task_id.as_str()),
        Tone::Warn.of(format!("  {phase}  ")),
    ];
    spans.extend(it.next.first().map(|next| Tone::Bold.of(next.command.as_str())));
    page.spans(&spans);
}

fn command(page: &mut Page<'_>, command: &str, en: &str, zh: &str) {
    let why = page.lang.pick(format!("  ({en})"), format!("（{zh}）"));
    page.spans(&[Tone::Plain.of("> "), Tone::Bold.of(command), Tone::Dim.of(why)]);
}
