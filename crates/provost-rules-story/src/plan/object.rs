//! A plan as one JSON object: `prd.json`, in the spelling of either of the tools that write it.

use provost_kernel::story::{CriterionId, StoryId};
use provost_rules::{json, nearest::nearest};
use serde_json::{Map, Value};

use super::{
    LIMITS, Place, PlanProblem, Refusal, Shape,
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
];
const CRITERION_KEYS: &[&str] = &["id", "text", "description", "criterion", "verify", "passes"];

/// Reads a plan from JSON.
pub(super) fn read(text: &str) -> Result<Draft, Refusal> {
    let limits = json::Limits { bytes: LIMITS.bytes, depth: DEPTH };
    let value = json::parse(text.as_bytes(), limits)
        .map_err(|error| (Place::File, PlanProblem::Json(error)))?;
    let Value::Object(object) = value else {
        return Err(shape(Place::File, Shape::Object));
    };
    let mut draft = Draft::default();
    let root = Place::File;
    remark_keys(&object, PLAN_KEYS, &root, &mut draft);
    draft.title = first_text(&object, &["title", "project"], &root)?.map(|it| it.value);
    draft.branch = first_text(&object, &["branchName", "branch"], &root)?;
    draft.description = text_of(&object, "description", &root)?.into_iter().collect();
    draft.priority = scalar(&object, "priority", &root)?;
    for (value, place) in list(&object, "dependencies", &root)? {
        let value = as_text(value, &place)?.to_owned();
        draft.dependencies.push(At { value, place });
    }
    let key = if object.contains_key("userStories") { "userStories" } else { "stories" };
    for (counted, (value, place)) in (1..).zip(list(&object, key, &root)?) {
        read_story(value, counted, place, &mut draft)?;
    }
    Ok(draft)
}

fn read_story(value: &Value, counted: u32, place: Place, draft: &mut Draft) -> Result<(), Refusal> {
    let Value::Object(object) = value else {
        return Err(shape(place, Shape::Story));
    };
    remark_keys(object, STORY_KEYS, &place, draft);
    if object.get("passes") == Some(&Value::Bool(true)) {
        draft.remark(place.key("passes"), Remark::MarkIgnored);
    }
    let id = match text_of(object, "id", &place)? {
        Some(text) => {
            text.parse().map_err(|error| (place.key("id"), PlanProblem::StoryId(error)))?
        }
        None => StoryId::from_number(counted),
    };
    let title = text_of(object, "title", &place)?.unwrap_or_default();
    let mut story = DraftStory::new(id, title, place.clone());
    story.description = text_of(object, "description", &place)?.into_iter().collect();
    story.priority = scalar(object, "priority", &place)?;
    for (value, place) in list(object, "acceptanceCriteria", &place)? {
        story.criteria.push(read_criterion(value, place, draft)?);
    }
    bind(object, &place, &mut story, draft)?;
    draft.stories.push(story);
    Ok(())
}

/// A criterion is a text, or an object with a text and a command.
fn read_criterion(
    value: &Value,
    place: Place,
    draft: &mut Draft,
) -> Result<DraftCriterion, Refusal> {
    let (text, verify) = match value {
        Value::String(text) => (text.clone(), None),
        Value::Object(object) => {
            remark_keys(object, CRITERION_KEYS, &place, draft);
            if object.get("passes") == Some(&Value::Bool(true)) {
                draft.remark(place.key("passes"), Remark::MarkIgnored);
            }
            let text = first_text(object, &["text", "description", "criterion"], &place)?;
            let text = text.ok_or_else(|| shape(place.key("text"), Shape::Text))?;
            (text.value, text_of(object, "verify", &place)?)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            return Err(shape(place, Shape::Criterion));
        }
    };
    // An entry that says nothing would shift the numbers of those after it.
    if super::normalise(&text).is_empty() {
        return Err((place, PlanProblem::EmptyCriterion));
    }
    let lines = text.lines().map(str::to_owned).collect();
    Ok(DraftCriterion { parts: vec![lines], verify, place })
}

/// Gives the commands of a story to its criteria: by id, or one for each in their order.
fn bind(
    object: &Map<String, Value>,
    place: &Place,
    story: &mut DraftStory,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    const KEY: &str = "verificationCommands";
    let place = place.key(KEY);
    let mut given = Vec::new();
    match object.get(KEY) {
        None | Some(Value::Null) => {}
        Some(Value::Array(commands)) if commands.len() == story.criteria.len() => {
            given.extend(commands.iter().enumerate().map(|(at, it)| (at, it, place.key(at))));
        }
        Some(Value::Array(commands)) => {
            if !commands.is_empty() {
                draft.remark(place, Remark::UnboundCommand);
            }
        }
        Some(Value::Object(commands)) => {
            for (key, command) in commands {
                let nowhere = || (place.key(key), PlanProblem::VerifyNowhere(key.clone()));
                let id: CriterionId = key.parse().map_err(|_| nowhere())?;
                let at = usize::from(id.get()) - 1;
                if at >= story.criteria.len() {
                    return Err(nowhere());
                }
                given.push((at, command, place.key(key)));
            }
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            return Err(shape(place, Shape::Commands));
        }
    }
    for (at, command, place) in given {
        if command.is_null() {
            continue;
        }
        let command = as_text(command, &place)?.to_owned();
        if story.criteria[at].verify.replace(command).is_some() {
            return Err((place, PlanProblem::VerifyTwice));
        }
    }
    Ok(())
}

fn remark_keys(
    object: &Map<String, Value>,
    known: &'static [&str],
    place: &Place,
    draft: &mut Draft,
) {
    for key in object.keys().filter(|it| !known.contains(&it.as_str())) {
        // Other tools keep keys of their own here; only a slip matters.
        if let Some(meant) =
            nearest(key, known.iter().copied()).filter(|it| !object.contains_key(*it))
        {
            draft.remark(place.key(key), Remark::UnknownKey { key: key.clone(), meant });
        }
    }
}

fn shape(place: Place, shape: Shape) -> Refusal {
    (place, PlanProblem::Shape(shape))
}

fn as_text<'a>(value: &'a Value, place: &Place) -> Result<&'a str, Refusal> {
    value.as_str().ok_or_else(|| shape(place.clone(), Shape::Text))
}

fn text_of(
    object: &Map<String, Value>,
    key: &str,
    place: &Place,
) -> Result<Option<String>, Refusal> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => as_text(value, &place.key(key)).map(|it| Some(it.to_owned())),
    }
}

fn first_text(
    object: &Map<String, Value>,
    keys: &[&str],
    place: &Place,
) -> Result<Option<At<String>>, Refusal> {
    for key in keys {
        if let Some(value) = text_of(object, key, place)? {
            return Ok(Some(At { value, place: place.key(key) }));
        }
    }
    Ok(None)
}

/// A text or a number, as its text.
fn scalar(
    object: &Map<String, Value>,
    key: &str,
    place: &Place,
) -> Result<Option<At<String>>, Refusal> {
    let place = place.key(key);
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(At { value: text.clone(), place })),
        Some(Value::Number(number)) => Ok(Some(At { value: number.to_string(), place })),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            Err(shape(place, Shape::Number))
        }
    }
}

fn list<'a>(
    object: &'a Map<String, Value>,
    key: &str,
    place: &Place,
) -> Result<Vec<(&'a Value, Place)>, Refusal> {
    let place = place.key(key);
    match object.get(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            Ok(items.iter().enumerate().map(|(at, it)| (it, place.key(at))).collect())
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            Err(shape(place, Shape::List))
        }
    }
}
