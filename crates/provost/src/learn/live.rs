//! How far a run is, on a terminal: one line that is written over.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use provost_engine::learn::Progress;
use provost_kernel::Lang;

/// Shows progress on standard error, if that is a terminal.
#[derive(Debug)]
pub(super) struct Live {
    lang: Lang,
    is_shown: bool,
    started: Instant,
    last: Mutex<Option<Instant>>,
}

/// A terminal shows no more than so many lines in a second.
const PAUSE: Duration = Duration::from_millis(100);

impl Live {
    pub(super) fn new(lang: Lang, is_quiet: bool) -> Self {
        let is_shown = io::stderr().is_terminal() && !is_quiet;
        Self { lang, is_shown, started: Instant::now(), last: Mutex::new(None) }
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if self.is_shown {
            // A terminal that went away shows nothing.
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    pub(super) fn show(&self, progress: &Progress) {
        if !self.is_shown {
            return;
        }
        let mut shown = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.is_some_and(|it| it.elapsed() < PAUSE) {
            return;
        }
        *shown = Some(Instant::now());
        let seconds = self.started.elapsed().as_secs();
        let line = line(progress, self.lang);
        let seconds = self.lang.pick(format!(", {seconds} s"), format!(",{seconds} 秒"));
        let _ = write!(io::stderr(), "\r\x1b[K{line}{seconds}");
    }
}

fn line(progress: &Progress, lang: Lang) -> String {
    match *progress {
        Progress::Judged { epoch, done, of, calls, replayed } => lang.pick(
            format!("epoch {epoch}: {done} of {of} tickets, {calls} calls, {replayed} of them remembered"),
            format!("第 {epoch} 轮:{done}/{of} 个工单,{calls} 次调用,其中 {replayed} 次取自记录"),
        ),
        Progress::Reflected { cycle, applied, rejects, rules } => {
            let applied = if applied {
                lang.pick("applied", "已应用")
            } else {
                lang.pick("not applied", "未应用")
            };
            lang.pick(
                format!("reflection {cycle}: {applied}, {rejects} rejected, {rules} rules"),
                format!("反思 {cycle}:{applied},拒绝 {rejects} 项,{rules} 条规则"),
            )
        }
        Progress::Epoch { epoch, correct, of } => lang.pick(
            format!("epoch {epoch}: {correct} of {of} right"),
            format!("第 {epoch} 轮:{correct}/{of} 正确"),
        ),
        Progress::Measuring { of } => lang.pick(
            format!("measuring on {of} tickets of the audit pool"),
            format!("在审计池的 {of} 个工单上测量"),
        ),
    }
}
