//! The tools for agents: from arguments to the engine, and from what it says to an answer.

use provost_engine::story::{
    self, Dependencies, OutputName, Starting, StatusFilter, StatusPage, StoryError,
    tool::{Arguments, Tool},
};
use provost_kernel::{
    shorten,
    story::{Execution, Plan, StoryId, StoryName, StoryRow},
};
use serde_json::{Map, Value, json};

use crate::{
    Host, HostError, Place, Reply, address::Address, failures, operator, page, watch::Watch,
};

/// So many plans, stories or updates are in one answer.
const PAGE: usize = 30;
/// Where the updates of a story are in an answer.
const UPDATES: &str = "/stories/0/attempts";

/// Carries out a call. Whatever is the matter, there is an answer.
pub(crate) fn call(
    host: &dyn Host,
    tool: Tool,
    arguments: Map<String, Value>,
    watch: &Watch,
) -> Reply {
    let arguments = match tool.read(arguments) {
        Ok(arguments) => arguments,
        Err(findings) => return Reply::refused(&findings).localized(host.lang()),
    };
    let done = match tool {
        Tool::Start => start(host, &arguments, watch),
        Tool::Status => status(host, &arguments),
        Tool::Get => get(host, &arguments),
        Tool::Declare => declare(host, &arguments, watch),
        Tool::Update => update(host, &arguments, watch),
        Tool::Verify => verify(host, &arguments, watch),
        Tool::Stop => operator::stop(host, &arguments),
        Tool::Retry => operator::retry(host, &arguments, watch),
        Tool::ClaimReady => operator::claim_ready(host, &arguments, watch),
        Tool::SetAgentId => operator::set_agent_id(host, &arguments),
        Tool::ResetStagnation => operator::reset_stagnation(host, &arguments),
        Tool::Doctor => host.doctor(),
    };
    let reply =
        done.unwrap_or_else(|error| Reply::failed(&error, host.lang())).localized(host.lang());
    match arguments.unused().as_slice() {
        [] => reply,
        unused => reply.with("ignoredKeys", &unused),
    }
}

fn start(host: &dyn Host, arguments: &Arguments, watch: &Watch) -> Result<Reply, HostError> {
    let path = arguments.text("prdPath").unwrap_or_default();
    let file = host.plan(path, arguments.text("projectRoot"))?;
    let dependencies = match arguments.truth("ignoreDependencies") {
        Some(true) => Dependencies::Ignored,
        Some(false) | None => Dependencies::Required,
    };
    let place = Place { project: file.project.clone(), base: "HEAD".to_owned() };
    host.engine(&place, &watch.interrupt, watch, &mut |engine| {
        let starting =
            Starting { name: &file.name, bytes: &file.bytes, project: &file.project, dependencies };
        let (execution, plan) = story::start(engine, starting)?;
        let prompt = story::next_prompt(engine, execution.id.as_str())?;
        Ok(started(&execution, &plan, prompt, dependencies))
    })
}

fn started(
    execution: &Execution,
    plan: &Plan,
    prompt: Option<String>,
    dependencies: Dependencies,
) -> Reply {
    let stories: Vec<Value> = plan
        .stories
        .iter()
        .map(|it| {
            json!({
                "storyId": it.id,
                "title": it.title,
                "description": it.description,
                "acceptanceCriteria": it.criteria,
                "priority": it.priority,
                "passes": false,
            })
        })
        .collect();
    Reply::of(&json!({
        "success": true,
        "executionId": execution.id,
        "branch": execution.branch,
        "status": execution.status,
        "worktreePath": execution.worktree_path,
        "baseCommitSha": execution.base_commit_sha,
        "agentPrompt": prompt,
        "dependencies": plan.dependencies,
        "dependenciesSatisfied": match dependencies {
            // A caller that required them was refused if one was open.
            Dependencies::Required => Value::Bool(true),
            Dependencies::Ignored => Value::Null,
        },
        "stories": stories,
        "findings": plan.notices,
    }))
}

fn status(host: &dyn Host, arguments: &Arguments) -> Result<Reply, HostError> {
    let Some(first) = first_item(arguments) else { return Ok(Reply::no_cursor(host.lang())) };
    let filter = StatusFilter {
        project: arguments.text("project").map(str::to_owned),
        status: arguments.text("status").and_then(|it| it.parse().ok()),
        history_limit: arguments.count("historyLimit"),
        page: StatusPage { first, most: PAGE },
    };
    let report = story::status_report(&host.desk()?, host.freshness(), &filter)?;
    let mut reply = Reply::of(&report).localized(host.lang());
    page::cut_part(&mut reply.value, "/executions", first, report.n_executions);
    Ok(reply)
}

fn get(host: &dyn Host, arguments: &Arguments) -> Result<Reply, HostError> {
    let Some(first) = first_item(arguments) else { return Ok(Reply::no_cursor(host.lang())) };
    let desk = host.desk()?;
    let Some(name) = named(arguments) else {
        let mut reply =
            Reply::of(&story::plan_view(&desk, host.freshness(), arguments.text("branch"))?);
        page::cut(&mut reply.value, "/stories", first, PAGE);
        return Ok(reply);
    };
    let mut reply = Reply::of(&story::story_view(&desk, host.freshness(), &name)?);
    // The newest updates are on the first page.
    if let Some(updates) = reply.value.pointer_mut(UPDATES).and_then(Value::as_array_mut) {
        updates.reverse();
    }
    page::cut(&mut reply.value, UPDATES, first, PAGE);
    Ok(reply)
}

/// The item of a list that an answer begins with; none for a cursor that we did not give.
fn first_item(arguments: &Arguments) -> Option<usize> {
    arguments.text("cursor").map_or(Some(0), |it| it.parse().ok())
}

fn declare(host: &dyn Host, arguments: &Arguments, watch: &Watch) -> Result<Reply, HostError> {
    let (name, place, _) = story_of(host, arguments)?;
    let files = arguments.texts("expectedFiles");
    let reason = arguments.text("reason").map(str::to_owned);
    host.engine(&place, &watch.interrupt, watch, &mut |engine| {
        let declared = story::declare(engine, &name, &files, reason.clone())?;
        Ok(Reply::of(&declared).with("success", &true))
    })
}

/// Takes an update. One that cannot be read is on record if the story is known.
fn update(host: &dyn Host, arguments: &Arguments, watch: &Watch) -> Result<Reply, HostError> {
    let bytes = arguments.value().to_string().into_bytes();
    let desk = host.desk()?;
    // A note needs neither the repository nor its configuration.
    if let Some(answer) = story::note(&desk, &host.actor(), named(arguments).as_ref(), &bytes)? {
        let none: [String; 0] = [];
        return Ok(Reply::judged(&answer, !answer.success).with("outputs", &none));
    }
    drop(desk);
    let found = story_of(host, arguments);
    let (name, place, execution) = match found {
        Ok(found) => found,
        Err(error) => {
            let answer = story::unreadable(&bytes);
            return answer.map(|it| Reply::judged(&it, true)).ok_or(error);
        }
    };
    host.engine(&place, &watch.interrupt, watch, &mut |engine| {
        let answer = story::update(engine, Some(&name), &bytes)?;
        // A false statement that it is done is answered with a refusal.
        let is_short = answer.original_passes && !answer.passes;
        let reply = Reply::judged(&answer, !answer.success || is_short);
        with_outputs(reply, engine.desk, &execution, &name.story, watch)
    })
}

fn verify(host: &dyn Host, arguments: &Arguments, watch: &Watch) -> Result<Reply, HostError> {
    let (name, place, execution) = story_of(host, arguments)?;
    host.engine(&place, &watch.interrupt, watch, &mut |engine| {
        let answer = story::verify(engine, &name)?;
        // A story that is open is not an error of the caller.
        let reply = Reply::judged(&answer, !answer.success);
        with_outputs(reply, engine.desk, &execution, &name.story, watch)
    })
}

/// The answer with where what commands printed can be read, for the newest look, and with the end of
/// what those printed that failed.
fn with_outputs(
    reply: Reply,
    desk: &provost_engine::Desk,
    execution: &Execution,
    story: &StoryId,
    watch: &Watch,
) -> Result<Reply, StoryError> {
    let outputs: Vec<OutputName> = story::newest_outputs(desk, &execution.id, story)?;
    let failed = failures::of(desk, &execution.id, story, &outputs, &watch.failed())?;
    let address = |output| {
        let (execution, story) = (execution.id.clone(), story.clone());
        Address::Evidence { execution, story, output }.to_string()
    };
    let addresses: Vec<String> = outputs.into_iter().map(address).collect();
    let reply = reply.with("outputs", &addresses);
    Ok(if failed.is_empty() { reply } else { reply.with("failedCommands", &failed) })
}

/// The story that arguments name, the place where it is looked at, and its execution.
fn story_of(
    host: &dyn Host,
    arguments: &Arguments,
) -> Result<(StoryName, Place, Execution), HostError> {
    let name = named(arguments).ok_or_else(|| {
        let name = shorten(arguments.text("storyId").unwrap_or_default());
        StoryError::Missing { name, known: Vec::new() }
    })?;
    let desk = host.desk()?;
    let found: (Execution, StoryRow) =
        story::find(&desk.stories().map_err(StoryError::from)?, &name)?;
    let (execution, row) = found;
    let name = StoryName { of: Some(execution.id.to_string()), story: row.story_id };
    Ok((name, place_of(&execution), execution))
}

/// Where the stories of an execution are looked at.
pub(crate) fn place_of(execution: &Execution) -> Place {
    Place {
        project: execution.project_root.clone().into(),
        base: execution.base_commit_sha.clone().unwrap_or_else(|| "HEAD".to_owned()),
    }
}

fn named(arguments: &Arguments) -> Option<StoryName> {
    let story = arguments.text("storyId")?.parse().ok()?;
    Some(StoryName { of: arguments.text("branch").map(str::to_owned), story })
}

/// What the agent of a story is told.
pub(crate) fn prompt(
    host: &dyn Host,
    name: &StoryName,
    watch: &Watch,
) -> Result<String, HostError> {
    let desk = host.desk()?;
    let (execution, _): (Execution, StoryRow) =
        story::find(&desk.stories().map_err(StoryError::from)?, name)?;
    let mut told = String::new();
    host.engine(&place_of(&execution), &watch.interrupt, watch, &mut |engine| {
        told = story::story_prompt(engine, name)?;
        Ok(Reply::of(&Value::Null))
    })?;
    Ok(told)
}
