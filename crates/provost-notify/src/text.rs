//! What a notice says to a person.

use provost_desk::{remote::is_invisible, task::addressed};
use provost_kernel::{
    Lang, Message, TaskId, Text,
    notify::{Notice, NoticeKind},
};

/// A question and a reason are cut after so many characters: ntfy takes 4,096 bytes.
const LONGEST: usize = 1000;
/// So many notices are named one by one in a digest.
const NAMED: usize = 20;

/// What happened, in a few words.
#[derive(Debug, Message)]
#[message(code = "notice.headline")]
pub enum Headline<'a> {
    #[message(en = "✅ {task} is ready for review", zh = "✅ {task} 待审阅")]
    Ready { task: &'a str },
    #[message(en = "🔴 {task} failed", zh = "🔴 {task} 已失败")]
    Failed { task: &'a str },
    #[message(en = "❓ {task} asks you", zh = "❓ {task} 有问题要问你")]
    Asks { task: &'a str },
    #[message(en = "🟡 {task} needs you", zh = "🟡 {task} 需要你处理")]
    Paused { task: &'a str },
    #[message(en = "💰 {task} has spent 80 % of its budget", zh = "💰 {task} 已用去预算的 80%")]
    Budget { task: &'a str },
    #[message(en = "🛡 the guard failed in {project}", zh = "🛡 {project} 的守卫出现故障")]
    Guard { project: &'a str },
    #[message(en = "🔔 provost can reach you", zh = "🔔 provost 可以通知到你")]
    Test,
    #[message(en = "🔔 {count} changes in {project}", zh = "🔔 {project} 有 {count} 项变化")]
    Digest { count: usize, project: &'a str },
}

/// More about it.
#[derive(Debug, Message)]
#[message(code = "notice.line")]
enum Line<'a> {
    #[message(en = "Attempt {attempt} of {most}", zh = "第 {attempt} 次尝试，共 {most} 次")]
    Attempt { attempt: u16, most: u16 },
    #[message(en = "Reason: {code}", zh = "原因：{code}")]
    Code { code: &'a str },
    #[message(en = "and {count} more: `provost inbox`", zh = "另有 {count} 项：`provost inbox`")]
    More { count: usize },
    #[message(
        en = "Show it in {project}: `provost show {task}`",
        zh = "在 {project} 中查看：`provost show {task}`"
    )]
    Show { task: &'a str, project: &'a str },
}

/// The title of one notice.
pub fn title(notice: &Notice, project: &str, lang: Lang) -> String {
    let task = notice.task_id.as_ref().map_or("", |it| it.as_str());
    let headline = match notice.kind {
        NoticeKind::Ready => Headline::Ready { task },
        NoticeKind::Failed => Headline::Failed { task },
        NoticeKind::Paused if notice.is_question() => Headline::Asks { task },
        NoticeKind::Paused => Headline::Paused { task },
        NoticeKind::Budget => Headline::Budget { task },
        NoticeKind::Guard => Headline::Guard { project },
        NoticeKind::Test => Headline::Test,
    };
    lang.render(&headline.text())
}

/// What else one notice says, a line each.
pub fn notice_lines(notice: &Notice, lang: Lang) -> Vec<String> {
    let say = |it: &Text| shortened(&said(it, notice.task_id.as_ref(), lang));
    let mut lines = Vec::new();
    let message = say(&notice.message);
    // That the budget is nearly spent has nothing to do with what the task waits for.
    let is_pause = notice.kind == NoticeKind::Paused;
    // A question is often the message, too.
    let questions = notice.questions.iter().filter(|_| is_pause).map(say);
    lines.extend(questions.filter(|it| *it != message));
    if !message.is_empty() && notice.kind != NoticeKind::Budget {
        lines.insert(0, message);
    }
    if let Some(code) = notice.pause_reason_code.filter(|_| is_pause) {
        lines.push(lang.render(&Line::Code { code: code.as_str() }.text()));
    }
    if notice.attempt > 0 {
        let (attempt, most) = (notice.attempt, notice.max_attempts);
        lines.push(lang.render(&Line::Attempt { attempt, most }.text()));
    }
    lines
}

/// The command that says more, for who sits at a terminal.
pub(crate) fn show_line(notice: &Notice, project: &str, lang: Lang) -> Option<String> {
    let task = notice.task_id.as_ref()?;
    Some(lang.render(&Line::Show { task: task.as_str(), project }.text()))
}

/// The title and the lines of several notices together.
pub fn digest(notices: &[&Notice], project: &str, lang: Lang) -> (String, Vec<String>) {
    let headline = Headline::Digest { count: notices.len(), project };
    let mut lines: Vec<String> =
        notices.iter().take(NAMED).map(|it| title(it, project, lang)).collect();
    if let Some(count) = notices.len().checked_sub(NAMED).filter(|it| *it > 0) {
        lines.push(lang.render(&Line::More { count }.text()));
    }
    (lang.render(&headline.text()), lines)
}

/// A text whose commands name the task. What somebody else wrote stays letter for letter.
fn said(text: &Text, task: Option<&TaskId>, lang: Lang) -> String {
    let line = lang.render(text);
    match task.filter(|_| text.code().is_some()) {
        Some(task) => addressed(&line, task),
        None => line,
    }
}

/// One line of at most [`LONGEST`] characters, without what an agent could turn a phone's text around with,
/// or drive a terminal.
fn shortened(text: &str) -> String {
    let seen =
        text.chars().filter(|&it| it.is_whitespace() || !(it.is_control() || is_invisible(it)));
    let text: String = seen.collect();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}
