//! Orders that only a person may give.

use provost_kernel::{Message, guard::Harness};

use crate::session::{AnyFault, Session};

/// Environment variables that provost sets for agents.
const OWN: [&str; 4] = ["PROVOST_CLAIM", "PROVOST_GUARD", "PROVOST_REPLY", "PROVOST_REQUEST"];

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
    let of_clients = Harness::entries().flat_map(|it| it.agent.variables).copied();
    match OWN.into_iter().chain(of_clients).find(|it| is_set(it)) {
        Some(variable) => Err(AgentError { variable }.into()),
        None => Ok(()),
    }
}
