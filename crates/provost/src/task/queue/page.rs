//! What is said of several tasks: a line when one ends, and what is left at the end.

use provost_desk::task::Phase;
use provost_kernel::{
    Exit, Lang, Message as _, TaskId, Text,
    task::{PauseCode, State, Status},
};
use serde::{Serialize, Serializer};

use crate::view::{Page, View};

/// A task that has ended.
#[derive(Debug, Serialize)]
pub(super) struct Ended {
    task_id: TaskId,
    state: Option<State>,
    pause_reason_code: Option<PauseCode>,
    message: String,
    #[serde(serialize_with = "code")]
    pub(super) exit: Exit,
    log: Option<String>,
    #[serde(skip)]
    phase: Option<Phase>,
    /// What the green test proves, in one line.
    #[serde(skip)]
    proof: Option<String>,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
pub(super) struct Summary<'a> {
    pub(super) tasks: &'a [Ended],
    /// The tasks that have not begun.
    pub(super) waiting: &'a [TaskId],
    /// The tasks that a person removed before they began.
    pub(super) removed: &'a [TaskId],
    pub(super) exit: u8,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a field so")]
fn code<S: Serializer>(exit: &Exit, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(exit.code())
}

impl Ended {
    pub(super) fn new(
        status: &Status,
        proof: Option<&Text>,
        exit: Exit,
        log: String,
        lang: Lang,
    ) -> Self {
        Self {
            task_id: status.task_id.clone(),
            state: Some(status.state),
            pause_reason_code: status.pause_reason_code,
            message: lang.render(&status.text()),
            exit,
            log: Some(log),
            phase: Some(Phase::of(status)),
            proof: proof.map(|it| lang.render(it)),
        }
    }

    /// A task whose state cannot be told.
    pub(super) fn unknown(task_id: TaskId, exit: Exit) -> Self {
        Self {
            task_id,
            state: None,
            pause_reason_code: None,
            message: String::new(),
            exit,
            log: None,
            phase: None,
            proof: None,
        }
    }

    /// The line of a task.
    pub(super) fn line(&self, page: &mut Page<'_>) {
        let mark = match self.exit {
            Exit::Success => "✓",
            Exit::Paused | Exit::Quota => "!",
            Exit::Refused | Exit::Unable | Exit::Conflict | Exit::Integrity => "✗",
        };
        let word = self.phase.map(|it| page.lang.render(&it.text())).unwrap_or_default();
        let proof = self.proof.as_ref().filter(|_| self.exit == Exit::Success);
        let said = proof.unwrap_or(&self.message);
        page.line(&format!("{mark} {}  {word} · {said}", self.task_id));
        // Its own words are in the log alone.
        if let (Exit::Unable | Exit::Conflict | Exit::Integrity, Some(log)) = (self.exit, &self.log)
        {
            page.item("output", "输出", log);
        }
    }
}

impl View for Summary<'_> {
    fn page(&self, _page: &mut Page<'_>) {}

    fn notes(&self, page: &mut Page<'_>) {
        let left = self.waiting.len();
        if left > 0 {
            let (tasks, them) =
                if left == 1 { ("task still waits", "it") } else { ("tasks still wait", "them") };
            page.message(
                format!("{left} {tasks}: `provost run --jobs 1` begins {them}"),
                format!("还有 {left} 个任务在等待：运行 `provost run --jobs 1` 可继续"),
            );
        }
        if !self.tasks.is_empty() {
            page.message(
                "next: `provost inbox` shows what needs you, `provost show ID` one task".to_owned(),
                "下一步：`provost inbox` 列出需要你处理的任务，`provost show ID` 查看其中一个"
                    .to_owned(),
            );
        }
    }
}
