//! A plan as one JSON object: `prd.json`, in the spelling of either of the tools that write it.

use provost_form::{
    Expected, Field, Form, Limits, Problem, ProblemKind, Problems, Shape as _, Table,
    nearest::nearest, text,
};
use provost_kernel::story::{CriterionId, StoryId};

use super::{
    LIMITS, Place, PlanProblem, Refusal,
    draft::{At, Draft, DraftCriterion, DraftStory},
    remark::Remark,
};

const DEPTH: usize = 16;

/// The keys that are read, and those that others keep there.
const PLAN_KEYS: &[&str] = &[
    "title",
    "project",
    "description",
    "branch",
    "branchName",
    "priority",
    "dependencies",
    "userStories",
    "stories",
    "testsMayChange",
    "repository",
];
const STORY_KEYS: &[&str] = &[
    "id",
    "title",
    "description",
    "acceptanceCriteria",
    "priority",
    "passes",
    "notes",
    "verificationCommands",
    "testsMayChange",
];
const CRITERION_KEYS: &[&str] = &["id", "text", "description", "criterion", "verify", "passes"];

/// Reads a plan from JSON.
pub(super) fn read(text: &str) -> Result<Draft, Refusal> {
    let refusal = |it: Problem<PlanProblem>| (Place::of(it.path, it.line), it.kind);
    let form = Form::json(text.as_bytes(), Limits { bytes: LIMITS.bytes, depth: DEPTH });
    let form = form.map_err(|it| refusal(it.map(PlanProblem::from)))?;
    let problems = Problems::default();
    let draft = plan(&form.field(&problems));
    problems.into_result(draft).map_err(|it| refusal(it.into_first()))
}

fn plan(field: &Field<'_, PlanProblem>) -> Option<Draft> {
    let mut table = field.table()?;
    let mut draft = Draft::default();
    remark_keys(&mut table, field, PLAN_KEYS, &mut draft);
    draft.title = first_text(&mut table, &["title", "project"]).map(|it| it.value);
    draft.branch = first_text(&mut table, &["branchName", "branch"]);
    draft.description = table.optional("description", text()).into_iter().collect();
    draft.priority = scalar(&mut table, "priority");
    for it in items(&mut table, "dependencies") {
        draft.dependencies.extend(it.read(&text()).map(|value| At { value, place: place(&it) }));
    }
    draft.leave = leave(&mut table);
    let key = if field.value.get("userStories").is_some() { "userStories" } else { "stories" };
    for (counted, it) in (1..).zip(items(&mut table, key)) {
        let story = story(&it, counted, &mut draft)?;
        draft.stories.push(story);
    }
    Some(draft)
}

fn story(field: &Field<'_, PlanProblem>, counted: u32, draft: &mut Draft) -> Option<DraftStory> {
    let mut table = field.table()?;
    remark_keys(&mut table, field, STORY_KEYS, draft);
    remark_mark(&mut table, draft);
    let id = |it: String| it.parse().map_err(PlanProblem::StoryId);
    let id = match table.field("id") {
        Some(it) => it.read(&text().and_then(id))?,
        None => StoryId::from_number(counted),
    };
    let title = table.optional("title", text()).unwrap_or_default();
    let mut story = DraftStory::new(id, title, place(field));
    story.description = table.optional("description", text()).into_iter().collect();
    story.priority = scalar(&mut table, "priority");
    for it in items(&mut table, "acceptanceCriteria") {
        story.criteria.push(criterion(&it, draft)?);
    }
    story.leave = leave(&mut table);
    bind(&mut table, &mut story, draft);
    Some(story)
}

/// The tests that the work may change.
fn leave(table: &mut Table<'_, PlanProblem>) -> Vec<String> {
    items(table, "testsMayChange").iter().filter_map(|it| it.read(&text().filled())).collect()
}

/// A criterion is a text, or an object with a text and a command.
fn criterion(field: &Field<'_, PlanProblem>, draft: &mut Draft) -> Option<DraftCriterion> {
    let (text, verify) = if field.value.is_object() {
        let mut table = field.table()?;
        remark_keys(&mut table, field, CRITERION_KEYS, draft);
        remark_mark(&mut table, draft);
        let found = first_text(&mut table, &["text", "description", "criterion"]);
        if found.is_none() {
            table.report("text", ProblemKind::Missing { expected: Expected::Text });
        }
        (found?.value, table.optional("verify", text()))
    } else {
        (field.read(&text())?, None)
    };
    // An entry that says nothing would shift the numbers of those after it.
    if super::normalise(&text).is_empty() {
        field.report(PlanProblem::EmptyCriterion);
    }
    let lines = text.lines().map(str::to_owned).collect();
    Some(DraftCriterion { parts: vec![lines], verify, place: place(field) })
}

/// Gives the commands of a story to its criteria: by id, or one for each in their order.
fn bind(table: &mut Table<'_, PlanProblem>, story: &mut DraftStory, draft: &mut Draft) {
    let Some(commands) = table.field("verificationCommands") else { return };
    let mut given = Vec::new();
    if commands.value.is_object() {
        for (key, it) in commands.entries().into_iter().flatten() {
            let at = key.parse().ok().map(|id: CriterionId| usize::from(id.get()) - 1);
            match at.filter(|at| *at < story.criteria.len()) {
                Some(at) => given.push((at, it)),
                None => it.report(PlanProblem::VerifyNowhere(key)),
            }
        }
    } else {
        let items = commands.items().unwrap_or_default();
        if items.len() == story.criteria.len() {
            given.extend(items.into_iter().enumerate());
        } else if !items.is_empty() {
            draft.remark(place(&commands), Remark::UnboundCommand);
        }
    }
    for (at, it) in given.into_iter().filter(|(_, it)| !it.value.is_null()) {
        let Some(command) = it.read(&text()) else { continue };
        if story.criteria[at].verify.replace(command).is_some() {
            it.report(PlanProblem::VerifyTwice);
        }
    }
}

/// Other tools keep keys of their own here; only a typo matters.
fn remark_keys(
    table: &mut Table<'_, PlanProblem>,
    field: &Field<'_, PlanProblem>,
    known: &'static [&str],
    draft: &mut Draft,
) {
    table.know(known.iter().copied());
    for unknown in table.unknown() {
        let meant = nearest(&unknown.key, known.iter().copied());
        if let Some(meant) = meant.filter(|it| field.value.get(it).is_none()) {
            let place = place(&unknown.field);
            draft.remark(place, Remark::UnknownKey { key: unknown.key, meant });
        }
    }
}

/// A mark that something is done proves nothing.
fn remark_mark(table: &mut Table<'_, PlanProblem>, draft: &mut Draft) {
    if let Some(field) = table.field("passes").filter(|it| *it.value == true) {
        draft.remark(place(&field), Remark::MarkIgnored);
    }
}

fn place(field: &Field<'_, PlanProblem>) -> Place {
    Place::of(field.path.clone(), None)
}

fn first_text(table: &mut Table<'_, PlanProblem>, keys: &[&str]) -> Option<At<String>> {
    let field = keys.iter().find_map(|key| table.field(key))?;
    Some(At { value: field.read(&text())?, place: place(&field) })
}

/// A text or a number, as its text.
fn scalar(table: &mut Table<'_, PlanProblem>, key: &str) -> Option<At<String>> {
    let field = table.field(key)?;
    let number = field.value.as_number().map(ToString::to_string);
    let value = number.or_else(|| field.read(&text()))?;
    Some(At { value, place: place(&field) })
}

fn items<'a>(table: &mut Table<'a, PlanProblem>, key: &str) -> Vec<Field<'a, PlanProblem>> {
    table.field(key).and_then(|it| it.items()).unwrap_or_default()
}
