//! The tools for an operator: each is a step of the plan's state, in the claims log.

use std::sync::Arc;

use provost_engine::{
    Interrupt,
    story::{
        self, Operated,
        operation::{Afterwards, Failed, Operation},
        tool::Arguments,
    },
};
use serde_json::json;

use crate::{House, Reply, Trouble, tools::place_of};

pub(crate) fn stop(house: &dyn House, arguments: &Arguments) -> Result<Reply, Trouble> {
    let afterwards = match arguments.truth("deleteRecord") {
        Some(true) => Afterwards::History,
        Some(false) | None => Afterwards::Listed,
    };
    let operated = operate(house, arguments, &Operation::Stop(afterwards))?;
    // The log is the truth about stories, and nothing is ever deleted from it.
    Ok(Reply::of(&operated).with("cleanedUp", &false).with("deleted", &false))
}

pub(crate) fn retry(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let operated = operate(house, arguments, &Operation::Retry)?;
    let page = story::plan_page(&house.desk()?, Some(&operated.execution_id))?;
    let handled = json!({"policy": "keep", "action": "none"});
    let reply = with_prompt(house, &operated, interrupt)?;
    Ok(reply.with("progress", &page.progress).with("wipHandled", &handled))
}

pub(crate) fn claim_ready(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let operated = operate(house, arguments, &Operation::Claim)?;
    let path = operated.execution.worktree_path.clone();
    Ok(with_prompt(house, &operated, interrupt)?.with("worktreePath", &path))
}

pub(crate) fn set_agent_id(house: &dyn House, arguments: &Arguments) -> Result<Reply, Trouble> {
    let agent = arguments.text("agentTaskId").unwrap_or_default().to_owned();
    let operated = operate(house, arguments, &Operation::Attach { agent: agent.clone() })?;
    Ok(Reply::of(&operated).with("agentTaskId", &agent))
}

pub(crate) fn reset_stagnation(house: &dyn House, arguments: &Arguments) -> Result<Reply, Trouble> {
    let failed = match arguments.truth("resumeExecution") {
        Some(false) => Failed::StaysFailed,
        Some(true) | None => Failed::RunsAgain,
    };
    Ok(Reply::of(&operate(house, arguments, &Operation::Reset(failed))?))
}

fn operate(
    house: &dyn House,
    arguments: &Arguments,
    operation: &Operation,
) -> Result<Operated, Trouble> {
    let branch = arguments.text("branch").unwrap_or_default();
    Ok(story::operate(&house.desk()?, branch, operation)?)
}

/// The answer, with what the agent of the next open story is told.
fn with_prompt(
    house: &dyn House,
    operated: &Operated,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    house.engine(&place_of(&operated.execution), interrupt, &mut |engine| {
        let prompt = story::next_prompt(engine, &operated.execution_id)?;
        Ok(Reply::of(operated).with("agentPrompt", &prompt))
    })
}
