//! The tools for an operator: each is a step of the plan's state, in the claims log.

use provost_engine::story::{
    self, Operated,
    operation::{Afterwards, Failed, Operation},
    tool::Arguments,
};
use serde_json::json;

use crate::{Host, HostError, Reply, tools::place_of, watch::Watch};

pub(crate) fn stop(host: &dyn Host, arguments: &Arguments) -> Result<Reply, HostError> {
    let afterwards = match arguments.truth("deleteRecord") {
        Some(true) => Afterwards::History,
        Some(false) | None => Afterwards::Listed,
    };
    let operated = operate(host, arguments, &Operation::Stop(afterwards))?;
    // The log is the truth about stories, and nothing is ever deleted from it.
    Ok(Reply::of(&operated).with("cleanedUp", &false).with("deleted", &false))
}

pub(crate) fn retry(
    host: &dyn Host,
    arguments: &Arguments,
    watch: &Watch,
) -> Result<Reply, HostError> {
    let operated = operate(host, arguments, &Operation::Retry)?;
    let view = story::plan_view(&host.desk()?, host.freshness(), Some(&operated.execution_id))?;
    let handled = json!({"policy": "keep", "action": "none"});
    let reply = with_prompt(host, &operated, watch)?;
    Ok(reply.with("progress", &view.progress).with("wipHandled", &handled))
}

pub(crate) fn claim_ready(
    host: &dyn Host,
    arguments: &Arguments,
    watch: &Watch,
) -> Result<Reply, HostError> {
    let operated = operate(host, arguments, &Operation::Claim)?;
    let path = operated.execution.worktree_path.clone();
    Ok(with_prompt(host, &operated, watch)?.with("worktreePath", &path))
}

pub(crate) fn set_agent_id(host: &dyn Host, arguments: &Arguments) -> Result<Reply, HostError> {
    let agent = arguments.text("agentTaskId").unwrap_or_default().to_owned();
    let operated = operate(host, arguments, &Operation::Attach { agent: agent.clone() })?;
    Ok(Reply::of(&operated).with("agentTaskId", &agent))
}

pub(crate) fn reset_stagnation(host: &dyn Host, arguments: &Arguments) -> Result<Reply, HostError> {
    let failed = match arguments.truth("resumeExecution") {
        Some(false) => Failed::StaysFailed,
        Some(true) | None => Failed::RunsAgain,
    };
    Ok(Reply::of(&operate(host, arguments, &Operation::Reset(failed))?))
}

fn operate(
    host: &dyn Host,
    arguments: &Arguments,
    operation: &Operation,
) -> Result<Operated, HostError> {
    let branch = arguments.text("branch").unwrap_or_default();
    Ok(story::operate(&host.desk()?, branch, operation)?)
}

/// The answer, with what the agent of the next open story is told.
fn with_prompt(host: &dyn Host, operated: &Operated, watch: &Watch) -> Result<Reply, HostError> {
    host.engine(&place_of(&operated.execution), &watch.interrupt, watch, &mut |engine| {
        let prompt = story::next_prompt(engine, &operated.execution_id)?;
        Ok(Reply::of(operated).with("agentPrompt", &prompt))
    })
}
