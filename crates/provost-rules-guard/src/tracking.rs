//! What hooks tell about agents, and what becomes of the tracked state (HOOK-2.2).
//!
//! [`operation`] turns a payload into one change and [`apply`] makes it. Both are total: an
//! operation that does not fit the state, such as the end of an unknown agent, changes
//! nothing.

use std::{collections::BTreeSet, time::Duration};

use provost_kernel::{
    Decimal, Millis,
    guard::{Agent, AgentStatus, HookInput, HookType, Mode, Moment, Operation, ToolUse, Tracking},
};
use serde_json::Value;

use super::{
    sanitize,
    touched::{Author, author, changed_file, duration},
};

/// An agent that runs longer than this is taken for lost. Not to be mixed up with
/// [`MARKER_STALE_AFTER`](super::mode::MARKER_STALE_AFTER), which is about modes.
pub const AGENT_STALE_AFTER: Duration = Duration::from_mins(5);

/// How many agents that have ended are remembered.
pub const REMEMBERED: usize = 100;

/// The modes that an agent may be started in, the one that counts first.
const PARENT_MODES: [Mode; 5] =
    [Mode::Ultrapilot, Mode::Autopilot, Mode::Swarm, Mode::Ultrawork, Mode::Ralph];

/// How many characters of a name, of a tool or of a model, are kept.
const NAME_CHARACTERS: usize = 100;

/// How many characters of a path are kept.
const PATH_CHARACTERS: usize = 1000;

/// What an agent is called whose client does not say.
const UNKNOWN_TYPE: &str = "unknown";

/// What stands in place of the last words of an agent that was lost.
const LOST: &str = "marked as failed: it ran for more than 5 minutes";

/// The mode in which an agent is started while these are active.
pub fn parent_mode(active: &BTreeSet<Mode>) -> Option<Mode> {
    PARENT_MODES.into_iter().find(|it| active.contains(it))
}

/// What a hook changes in the tracked state; nothing for most of them.
pub fn operation(input: &HookInput, parent_mode: Option<Mode>, now: Millis) -> Option<Operation> {
    match input.hook {
        HookType::SubagentStart => started(input, parent_mode, now),
        HookType::SubagentStop => stopped(input, now),
        HookType::PostToolUse => used(input, now),
        HookType::SessionEnd => {
            input.session_id.clone().map(|session_id| Operation::EndSession { session_id })
        }
        HookType::KeywordDetector
        | HookType::Ralph
        | HookType::PersistentMode
        | HookType::StopContinuation
        | HookType::SessionStart
        | HookType::PreToolUse
        | HookType::Autopilot
        | HookType::PreCompact
        | HookType::SetupInit
        | HookType::SetupMaintenance
        | HookType::PermissionRequest => None,
    }
}

/// Makes one change.
#[must_use]
pub fn apply(mut state: Tracking, operation: &Operation, now: Millis) -> Tracking {
    let is_changed = match operation {
        Operation::Start { agent } => start(&mut state, agent),
        Operation::Stop { agent_id, at, succeeded, summary, model } => {
            let ending = Ending { at, succeeded: *succeeded, summary, model };
            stop(&mut state, agent_id, &ending)
        }
        Operation::ToolUse { agent_id, tool_use, file } => {
            use_tool(&mut state, agent_id, tool_use, file.as_ref())
        }
        Operation::EndSession { session_id } => {
            let n_before = state.agents.len();
            state.agents.retain(|it| it.session_id.as_ref() != Some(session_id));
            state.agents.len() != n_before
        }
    };
    if is_changed {
        state.last_updated = Some(now.into());
    }
    state
}

/// Gives up on agents that have run for too long, and names them.
#[must_use]
pub fn fail_stale(mut state: Tracking, now: Millis) -> (Tracking, Vec<String>) {
    let mut lost = Vec::new();
    for agent in state.agents.iter_mut().filter(|it| is_stale(it, now)) {
        agent.status = AgentStatus::Failed;
        agent.completed_at = Some(now.into());
        agent.duration_ms = span(&agent.started_at, &now.into());
        agent.output_summary = Some(LOST.to_owned());
        lost.push(agent.agent_id.clone());
    }
    if !lost.is_empty() {
        state.total_failed = state.total_failed.saturating_add(lost.len() as u64);
        state.last_updated = Some(now.into());
        forget_the_oldest(&mut state);
    }
    (state, lost)
}

/// Whether an agent has run for too long. One whose start is not a time never has.
pub fn is_stale(agent: &Agent, now: Millis) -> bool {
    let age = agent.started_at.millis().and_then(|it| u64::try_from(it).ok()).map(Millis);
    agent.status == AgentStatus::Running
        && age.is_some_and(|started| now.since(started) > AGENT_STALE_AFTER)
}

fn started(input: &HookInput, parent_mode: Option<Mode>, now: Millis) -> Option<Operation> {
    let Author::Agent(id) = author(input) else { return None };
    let task = input.prompt_text();
    let agent = Agent {
        agent_id: id.to_owned(),
        agent_type: name(input.text("agent_type").unwrap_or(UNKNOWN_TYPE)),
        session_id: input.session_id.clone(),
        started_at: now.into(),
        parent_mode: parent_mode.map_or("none", Mode::as_str).to_owned(),
        task_description: task.map(|it| sanitize::text(&it, Agent::TASK_CHARACTERS)),
        file_ownership: Vec::new(),
        status: AgentStatus::Running,
        completed_at: None,
        duration_ms: None,
        output_summary: None,
        tool_usage: Vec::new(),
        tool_calls: 0,
        token_usage: None,
        cost_usd: Decimal::ZERO,
        model: input.text("model").map(name),
    };
    Some(Operation::Start { agent: Box::new(agent) })
}

fn stopped(input: &HookInput, now: Millis) -> Option<Operation> {
    let Author::Agent(id) = author(input) else { return None };
    // No client says whether an agent succeeded, so only a plain `false` is a failure.
    let succeeded = input.fields.get("success") != Some(&Value::Bool(false));
    let said = ["output", "last_assistant_message"].iter().find_map(|it| input.fields.get(*it));
    Some(Operation::Stop {
        agent_id: id.to_owned(),
        at: now.into(),
        succeeded,
        summary: said.map(|it| sanitize::text(&sanitize::json(it), Agent::SUMMARY_CHARACTERS)),
        model: input.text("model").map(name),
    })
}

fn used(input: &HookInput, now: Millis) -> Option<Operation> {
    let Author::Agent(id) = author(input) else { return None };
    let tool_use = ToolUse {
        tool_name: name(input.tool_name.as_deref()?),
        timestamp: now.into(),
        duration_ms: duration(input),
        success: Some(!input.has("error")),
    };
    let file = changed_file(input).map(|it| sanitize::text(&it, PATH_CHARACTERS));
    Some(Operation::ToolUse { agent_id: id.to_owned(), tool_use, file })
}

fn name(text: &str) -> String {
    sanitize::text(text, NAME_CHARACTERS)
}

/// An agent that is known already was counted already.
fn start(state: &mut Tracking, agent: &Agent) -> bool {
    if state.agents.iter().any(|it| it.agent_id == agent.agent_id) {
        return false;
    }
    state.agents.push(agent.clone());
    state.total_spawned = state.total_spawned.saturating_add(1);
    true
}

/// How an agent has ended.
struct Ending<'a> {
    at: &'a Moment,
    succeeded: bool,
    summary: &'a Option<String>,
    model: &'a Option<String>,
}

fn stop(state: &mut Tracking, id: &str, ending: &Ending<'_>) -> bool {
    let running = |it: &&mut Agent| it.agent_id == id && it.status == AgentStatus::Running;
    let Some(agent) = state.agents.iter_mut().find(running) else { return false };
    agent.status = if ending.succeeded { AgentStatus::Completed } else { AgentStatus::Failed };
    agent.completed_at = Some(ending.at.clone());
    agent.duration_ms = span(&agent.started_at, ending.at);
    agent.output_summary = ending.summary.clone().or_else(|| agent.output_summary.take());
    agent.model = ending.model.clone().or_else(|| agent.model.take());
    let total = if ending.succeeded { &mut state.total_completed } else { &mut state.total_failed };
    *total = total.saturating_add(1);
    forget_the_oldest(state);
    true
}

/// A call counts for every agent that is known; a file belongs only to one that is running.
fn use_tool(state: &mut Tracking, id: &str, tool_use: &ToolUse, file: Option<&String>) -> bool {
    let Some(agent) = state.agents.iter_mut().find(|it| it.agent_id == id) else { return false };
    agent.tool_calls = agent.tool_calls.saturating_add(1);
    push_newest(&mut agent.tool_usage, tool_use.clone(), Agent::LISTED_TOOL_USES);
    if let Some(file) = file.filter(|_| agent.status == AgentStatus::Running) {
        agent.file_ownership.retain(|it| it != file);
        push_newest(&mut agent.file_ownership, file.clone(), Agent::LISTED_FILES);
    }
    true
}

fn push_newest<T>(items: &mut Vec<T>, item: T, n_kept: usize) {
    items.push(item);
    items.drain(..items.len().saturating_sub(n_kept));
}

/// Forgets the agents that ended first, if too many have ended. The order of the rest stays.
fn forget_the_oldest(state: &mut Tracking) {
    let has_ended = |it: &Agent| it.status != AgentStatus::Running;
    let ended_at = |it: &Agent| it.completed_at.as_ref().and_then(Moment::millis).unwrap_or(0);
    let mut ended: Vec<(i64, usize)> = state
        .agents
        .iter()
        .enumerate()
        .filter(|(_, it)| has_ended(it))
        .map(|(place, it)| (ended_at(it), place))
        .collect();
    ended.sort_unstable();
    ended.truncate(ended.len().saturating_sub(REMEMBERED));
    let forgotten: BTreeSet<usize> = ended.into_iter().map(|(_, place)| place).collect();
    let mut place = 0..;
    state.agents.retain(|_| place.next().is_none_or(|it: usize| !forgotten.contains(&it)));
}

/// Milliseconds from one instant to a later one.
fn span(from: &Moment, to: &Moment) -> Option<u64> {
    u64::try_from(to.millis()?.checked_sub(from.millis()?)?).ok()
}

#[cfg(test)]
mod tests;
