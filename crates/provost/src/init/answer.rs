//! The answer of `provost init`: what stands in the way, what was written, what to type next.

use provost_adapter::preset::installed::InstalledAgent;
use provost_engine::task::Trial;
use provost_kernel::{Lang, Message, guard::Harness, message::Phrase};
use provost_rules_task::{detect::Detected, setup::TaskKeys};
use serde::Serialize;

use super::{
    look::{Head, Look},
    problem::Problem,
};
use crate::view::{Page, View};

/// What was written.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Written {
    pub(super) file: bool,
    pub(super) committed: bool,
}

/// The answer, as a script reads it.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    ready: bool,
    repository: String,
    branch: Option<String>,
    commit: String,
    uncommitted: usize,
    detected: Detected,
    test: Option<String>,
    trial: Trial,
    agents: Vec<InstalledAgent>,
    coder: Option<String>,
    /// What `provost.toml` lacked.
    added: TaskKeys,
    written: Written,
    problems: Vec<Trouble>,
    next: Vec<String>,
}

/// A problem, as a script reads it.
#[derive(Debug, Serialize)]
struct Trouble {
    message: Phrase,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<Phrase>,
    serious: bool,
}

impl Answer {
    pub(super) fn new(
        look: Look,
        added: TaskKeys,
        written: Written,
        problems: Vec<Problem>,
        lang: Lang,
    ) -> Self {
        let ready = problems.iter().all(|it| !it.is_serious());
        let client = look.coder.as_ref().and_then(|it| Harness::of_preset(it.preset?.name));
        let next = if ready { next(client, lang) } else { Vec::new() };
        let trouble = |it: &Problem| Trouble {
            message: Phrase::of(it),
            hints: it.hints().into_iter().map(Phrase).collect(),
            serious: it.is_serious(),
        };
        let Head { commit, branch, uncommitted } = look.head;
        Self {
            ready,
            repository: look.repository.into_string(),
            branch,
            commit,
            uncommitted,
            detected: look.detected,
            test: look.command,
            trial: look.trial,
            agents: look.agents,
            coder: look.coder.map(|it| it.name),
            added,
            written,
            problems: problems.iter().map(trouble).collect(),
            next,
        }
    }
}

/// What to type next: the first task, and what makes it safer.
fn next(client: Option<Harness>, lang: Lang) -> Vec<String> {
    let goal = lang.pick("what should change", "要改什么");
    let mut next = vec![format!("provost do {goal:?}")];
    if let Some(client) = client {
        next.push(format!("provost guard install --client {client}"));
    }
    if client == Some(Harness::Claude) {
        next.push("claude mcp add provost -- provost mcp".to_owned());
    }
    next
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        for it in &self.problems {
            let mark = if it.serious { "✗" } else { "!" };
            page.line(&format!("{mark} {}", page.lang.render(&it.message.0)));
            for hint in &it.hints {
                let label = page.lang.pick("hint: ", "提示：");
                page.line(&format!("  {label}{}", page.lang.render(&hint.0)));
            }
        }
        match self.written {
            Written { file: true, committed: true } => {
                page.write("wrote and committed `provost.toml`", "已写入并提交 `provost.toml`");
            }
            Written { file: true, committed: false } => {
                page.write("wrote `provost.toml`", "已写入 `provost.toml`");
            }
            Written { file: false, committed: true } => {
                page.write("committed `provost.toml`", "已提交 `provost.toml`");
            }
            Written { file: false, committed: false } => {}
        }
        let [first, more @ ..] = self.next.as_slice() else { return };
        let label = page.lang.pick("next: ", "下一步：");
        page.line(&format!("{label}{first}"));
        for it in more {
            let label = page.lang.pick("also: ", "还可以：");
            page.line(&format!("{label}{it}"));
        }
    }
}
