//! The tools for agents: from arguments to the engine, and from what it says to an answer.

use std::sync::Arc;

use provost_engine::{
    Interrupt,
    story::{
        self, Answer, BoardFilter, Dependencies, Starting, StoryError,
        tool::{Arguments, Tool},
    },
};
use provost_kernel::story::{Execution, Plan, StoryId, StoryName, StoryRow};
use serde_json::{Map, Value, json};

use crate::{House, Place, Reply, Trouble, address::Address, operator};

/// Carries out a call. Whatever is the matter, there is an answer.
pub(crate) fn call(
    house: &dyn House,
    tool: Tool,
    arguments: Map<String, Value>,
    interrupt: &Arc<Interrupt>,
) -> Reply {
    let arguments = match tool.read(arguments, house.lang()) {
        Ok(arguments) => arguments,
        Err(findings) => return Reply::refused(&findings),
    };
    let done = match tool {
        Tool::Start => start(house, &arguments, interrupt),
        Tool::Status => status(house, &arguments),
        Tool::Get => get(house, &arguments),
        Tool::Declare => declare(house, &arguments, interrupt),
        Tool::Update => update(house, &arguments, interrupt),
        Tool::Verify => verify(house, &arguments, interrupt),
        Tool::Stop => operator::stop(house, &arguments),
        Tool::Retry => operator::retry(house, &arguments, interrupt),
        Tool::ClaimReady => operator::claim_ready(house, &arguments, interrupt),
        Tool::SetAgentId => operator::set_agent_id(house, &arguments),
        Tool::ResetStagnation => operator::reset_stagnation(house, &arguments),
        Tool::Doctor => house.doctor(),
    };
    let reply = done.unwrap_or_else(|trouble| Reply::trouble(&trouble, house.lang()));
    match arguments.unused().as_slice() {
        [] => reply,
        unused => reply.with("ignoredKeys", &unused),
    }
}

fn start(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let path = arguments.text("prdPath").unwrap_or_default();
    let file = house.plan(path, arguments.text("projectRoot"))?;
    let dependencies = match arguments.truth("ignoreDependencies") {
        Some(true) => Dependencies::Ignored,
        Some(false) | None => Dependencies::Required,
    };
    let place = Place { project: file.project.clone(), base: "HEAD".to_owned() };
    house.engine(&place, interrupt, &mut |engine| {
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
            // Whoever required them was refused if one was open.
            Dependencies::Required => Value::Bool(true),
            Dependencies::Ignored => Value::Null,
        },
        "stories": stories,
        "findings": plan.notices,
    }))
}

fn status(house: &dyn House, arguments: &Arguments) -> Result<Reply, Trouble> {
    let filter = BoardFilter {
        project: arguments.text("project").map(str::to_owned),
        status: arguments.text("status").and_then(|it| it.parse().ok()),
        history_limit: arguments.count("historyLimit"),
    };
    Ok(Reply::of(&story::board(&house.desk()?, &filter)?))
}

fn get(house: &dyn House, arguments: &Arguments) -> Result<Reply, Trouble> {
    let desk = house.desk()?;
    let page = match named(arguments) {
        Some(name) => story::story_page(&desk, &name)?,
        None => story::plan_page(&desk, arguments.text("branch"))?,
    };
    Ok(Reply::of(&page))
}

fn declare(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let (name, place, _) = story_of(house, arguments)?;
    let files = arguments.texts("expectedFiles");
    let reason = arguments.text("reason").map(str::to_owned);
    house.engine(&place, interrupt, &mut |engine| {
        let declared = story::declare(engine, &name, &files, reason.clone())?;
        Ok(Reply::of(&declared).with("success", &true))
    })
}

/// Takes an update. One that cannot be read is on record if the story is known.
fn update(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let bytes = Value::Object(arguments.object().clone()).to_string().into_bytes();
    let found = story_of(house, arguments);
    let (name, place, execution) = match found {
        Ok(found) => found,
        Err(trouble) => {
            let answer = story::unreadable(&house.desk()?, &bytes);
            return answer.map(|it| Reply::judged(&it, true)).ok_or(trouble);
        }
    };
    house.engine(&place, interrupt, &mut |engine| {
        let answer = story::update(engine, Some(&name), &bytes)?;
        let outputs = outputs(engine.desk, &execution, &name.story)?;
        // Whoever says that it is done and is not is told so as a refusal.
        let is_short = answer.original_passes && !answer.passes;
        Ok(judged(&answer, !answer.success || is_short, &outputs))
    })
}

fn verify(
    house: &dyn House,
    arguments: &Arguments,
    interrupt: &Arc<Interrupt>,
) -> Result<Reply, Trouble> {
    let (name, place, execution) = story_of(house, arguments)?;
    house.engine(&place, interrupt, &mut |engine| {
        let answer = story::verify(engine, &name)?;
        let outputs = outputs(engine.desk, &execution, &name.story)?;
        // A story that is open is no error of whoever asked.
        Ok(judged(&answer, !answer.success, &outputs))
    })
}

fn judged(answer: &Answer, is_error: bool, outputs: &[String]) -> Reply {
    Reply::judged(answer, is_error).with("outputs", &outputs)
}

/// Where what commands printed can be read, for the newest look.
fn outputs(
    desk: &provost_engine::Desk,
    execution: &Execution,
    story: &StoryId,
) -> Result<Vec<String>, StoryError> {
    let found = story::newest_outputs(desk, &execution.id, story)?;
    let address = |output| {
        let (execution, story) = (execution.id.clone(), story.clone());
        Address::Evidence { execution, story, output }.to_string()
    };
    Ok(found.into_iter().map(address).collect())
}

/// The story that arguments name, the place where it is looked at, and its execution.
fn story_of(
    house: &dyn House,
    arguments: &Arguments,
) -> Result<(StoryName, Place, Execution), Trouble> {
    let name = named(arguments).ok_or_else(|| {
        let name = arguments.text("storyId").unwrap_or_default().chars().take(60).collect();
        StoryError::Missing { name, known: Vec::new() }
    })?;
    let desk = house.desk()?;
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
    house: &dyn House,
    name: &StoryName,
    interrupt: &Arc<Interrupt>,
) -> Result<String, Trouble> {
    let desk = house.desk()?;
    let (execution, _): (Execution, StoryRow) =
        story::find(&desk.stories().map_err(StoryError::from)?, name)?;
    let mut told = String::new();
    house.engine(&place_of(&execution), interrupt, &mut |engine| {
        told = story::story_prompt(engine, name)?;
        Ok(Reply::of(&Value::Null))
    })?;
    Ok(told)
}
