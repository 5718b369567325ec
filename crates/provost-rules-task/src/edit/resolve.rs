//! What changes make of the fields that hold now.

use provost_kernel::{
    RecordFile,
    task::{ChangeKind, Overrides, SpecChange, TaskSpec},
};
use serde_json::{Map, Value};

use super::{EditError, Field, GOAL, Kind, MAX_ATTEMPTS, Until, edited, known, value_of};
use crate::{policy::Policy, spec::secret_in};

/// The fields of a spec.
pub(super) fn object(spec: &RecordFile<TaskSpec>) -> Map<String, Value> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(fields)) => fields,
        // A spec is an object; were it none, it would have no field to change.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// What holds after changes: every one of them, or an error and none.
pub fn resolve(
    kept: &RecordFile<TaskSpec>,
    current: &Overrides,
    changes: &[SpecChange],
    has_begun: bool,
) -> Result<Overrides, EditError> {
    let mut next = current.clone();
    let mut now = object(&edited(kept, &current.fields)?);
    for change in changes {
        let field = known(&change.key)?;
        if has_begun && field.until == Until::Begun {
            return Err(EditError::Begun {
                key: field.key,
                task: Some(kept.value.task_id.clone()),
            });
        }
        if let Some(kind) = secret_in(&change.value) {
            return Err(EditError::Secret { key: field.key, kind });
        }
        if field.key == GOAL && change.value.as_str().is_none_or(|it| it.trim().is_empty()) {
            return Err(EditError::NoGoal);
        }
        apply(field, &read(field, change)?, &mut now, &mut next)?;
    }
    if next == *current {
        return Err(EditError::Unchanged);
    }
    let spec = edited(kept, &next.fields)?;
    Policy::new(&spec.value).map_err(EditError::Policy)?;
    Ok(next)
}

/// A change whose value is what its field holds: a form sends what a person typed.
fn read(field: &Field, change: &SpecChange) -> Result<SpecChange, EditError> {
    let mut change = change.clone();
    if let (Value::String(text), true) = (&change.value, field.kind != Kind::Text) {
        change.value = value_of(field, text.trim())?;
    }
    Ok(change)
}

fn apply(
    field: &Field,
    change: &SpecChange,
    now: &mut Map<String, Value>,
    next: &mut Overrides,
) -> Result<(), EditError> {
    let key = field.key;
    if key == MAX_ATTEMPTS {
        let number = change.value.as_u64().and_then(|it| u16::try_from(it).ok());
        let is_default = change.value.is_null();
        let wrong = || EditError::NotANumber { key, value: change.value.to_string() };
        next.max_attempts = if is_default { None } else { Some(number.ok_or_else(wrong)?) };
        return Ok(());
    }
    let (outer, inner) = key.split_once('.').map_or((key, None), |(a, b)| (a, Some(b)));
    let before = now.get(outer).cloned().unwrap_or_default();
    let value = match (inner, change.how) {
        (Some(inner), _) => {
            let mut parts = before.as_object().cloned().unwrap_or_default();
            parts.insert(inner.to_owned(), change.value.clone());
            parts.retain(|_, it| !it.is_null());
            Value::Object(parts)
        }
        (None, ChangeKind::Set) => change.value.clone(),
        (None, ChangeKind::Add) => {
            let mut list = listed(&before);
            // The first one would forbid all others.
            if list.is_empty() && key == "allowed_paths" {
                let value = listed(&change.value).iter().filter_map(Value::as_str).collect();
                return Err(EditError::AllAllowed { value });
            }
            for it in listed(&change.value) {
                if !list.contains(&it) {
                    list.push(it);
                }
            }
            Value::Array(list)
        }
        (None, ChangeKind::Remove) => {
            let mut list = listed(&before);
            for it in listed(&change.value) {
                let Some(place) = list.iter().position(|known| *known == it) else {
                    let value = it.as_str().map_or_else(|| it.to_string(), str::to_owned);
                    return Err(EditError::NotThere { key, value });
                };
                list.remove(place);
            }
            Value::Array(list)
        }
    };
    now.insert(outer.to_owned(), value.clone());
    if value != before {
        next.fields.insert(outer.to_owned(), value);
    }
    Ok(())
}

fn listed(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::edit::parse;

    /// `changes` separated by spaces, on a task with one allowed path and one dollar.
    #[track_caller]
    fn check(changes: &str, has_begun: bool, expected: Result<Value, &str>) {
        let mut kept = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        kept.value.allowed_paths = vec!["src".to_owned()];
        kept.value.budget = serde_json::from_value(json!({"usd": 1})).unwrap();
        let changes: Vec<_> = changes.split(' ').map(|it| parse(it).unwrap()).collect();
        let actual = resolve(&kept, &Overrides::default(), &changes, has_begun)
            .map(|it| serde_json::to_value(it).unwrap())
            .map_err(|it| it.to_string());
        assert_eq!(actual, expected.map_err(str::to_owned));
    }

    #[test]
    fn the_first_allowed_path_is_set_and_not_added() {
        let kept = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        let resolved =
            |change: &str| resolve(&kept, &Overrides::default(), &[parse(change).unwrap()], true);
        let refused = resolved("allowed_paths+=docs").unwrap_err().to_string();
        assert_eq!(refused, "`allowed_paths` is empty, so that every file may be changed already");
        assert!(resolved("allowed_paths=docs").is_ok());
        assert!(resolved("constraints+=small").is_ok());
    }

    /// Ruling 74.
    #[test]
    fn changes_hold_together_or_not_at_all() {
        let fields = |it: Value| Ok(json!({ "fields": it }));
        check("allowed_paths+=docs", true, fields(json!({"allowed_paths": ["src", "docs"]})));
        check(
            "allowed_paths+=docs allowed_paths-=src",
            true,
            fields(json!({"allowed_paths": ["docs"]})),
        );
        check("allowed_paths=", true, fields(json!({"allowed_paths": null})));
        check("budget.usd=5", true, fields(json!({"budget": {"usd": 5}})));
        check("budget.wall=5m", true, fields(json!({"budget": {"usd": 1, "wall": "5m"}})));
        check("budget.usd=", true, fields(json!({"budget": {}})));
        check("max_attempts=7", true, Ok(json!({"max_attempts": 7})));
        check("base_ref=v1", false, fields(json!({"base_ref": "v1"})));
        check("base_ref=v1", true, fields(json!({"base_ref": "v1"})));
        check("task_type=x", true, Err("`task_type` cannot be changed after the first attempt"));
        check("allowed_paths+=src", true, Err("that changes nothing: the task says so already"));
        check("allowed_paths-=x", true, Err("`allowed_paths` does not contain `x`"));
        check(
            "allowed_paths+=../x",
            true,
            Err("field `allowed_paths[1]` is not a path inside the repository"),
        );
        check("goal=x forbidden_globs+=a[", true, Err("invalid glob `a[` in `forbidden_globs`"));
        check(
            "coder_timeout_seconds=0",
            true,
            Err("field `coder_timeout_seconds` is not between 1 and 604800"),
        );
    }

    #[test]
    fn a_secret_is_not_kept() {
        let change = SpecChange {
            key: "goal".to_owned(),
            how: ChangeKind::Set,
            value: json!("use sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        };
        let kept = RecordFile::new(TaskSpec::new("t1".parse().unwrap()));
        let error = resolve(&kept, &Overrides::default(), &[change], false).unwrap_err();
        assert!(matches!(error, EditError::Secret { key: "goal", .. }), "{error}");
    }
}
