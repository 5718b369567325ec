//! Orders that only a person may give.

use provost_kernel::{Exit, Message, Text};

use crate::session::{AnyFault, Session};

/// What stands in the environment where an agent works: what provost gives its own, and what
/// clients give to the commands of theirs.
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

/// An order for people came from where an agent works.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.text())]
struct AgentError {
    variable: &'static str,
}

/// Refuses to go on where an agent works.
pub(crate) fn person(session: &Session) -> Result<(), AnyFault> {
    let is_set = |name: &str| !matches!(session.environment.text(name), Ok(None));
    match OF_AGENTS.into_iter().find(|it| is_set(it)) {
        Some(variable) => Err(AgentError { variable }.into()),
        None => Ok(()),
    }
}

impl Message for AgentError {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let variable = self.variable;
            lang.pick(
                format!(
                    "only a person may do this, and `{variable}` says that an agent works here"
                ),
                format!("只有人可以这样做,而 `{variable}` 表明这里是代理在工作"),
            )
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| vec![lang.pick("ask the person", "请交由人处理").to_owned()])
    }

    fn exit(&self) -> Exit {
        Exit::Refused
    }
}
