//! Orders that only a person may give.

use provost_kernel::Message;

use crate::session::{AnyFault, Session};

/// Environment variables of agents: those that provost sets, and those that clients set for their
/// commands.
const OF_AGENTS: [&str; 13] = [
    "PROVOST_CLAIM",
    "PROVOST_GUARD",
    "PROVOST_REPLY",
    "PROVOST_REQUEST",
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "CURSOR_AGENT",
    "OPENCODE",
];

/// An order for people came from an agent.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "story.person",
    en = "only a person may do this; `{variable}` is set, so an agent runs here",
    zh = "只有人可以这样做，而 `{variable}` 表明这里是智能体在工作",
    hint(en = "ask the person", zh = "请交由人处理"),
    exit = Refused
)]
struct AgentError {
    variable: &'static str,
}

/// Refuses where an agent runs.
pub(crate) fn person(session: &Session) -> Result<(), AnyFault> {
    let is_set = |name: &str| !matches!(session.environment.text(name), Ok(None));
    match OF_AGENTS.into_iter().find(|it| is_set(it)) {
        Some(variable) => Err(AgentError { variable }.into()),
        None => Ok(()),
    }
}
