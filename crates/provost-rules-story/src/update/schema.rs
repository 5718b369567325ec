//! The JSON Schema of an update, made from the table that the parser reads.

use serde_json::{Map, Value, json};

use super::keys::{FILE, Key, Presence, Shape, TextForm, TextKind, UPDATE};

/// The schema of an update (draft 2020-12), for servers that offer it as a tool.
pub fn schema() -> Value {
    object(UPDATE)
}

pub(crate) fn object(keys: &[Key]) -> Value {
    object_without(keys, "")
}

fn object_without(keys: &[Key], left_out: &str) -> Value {
    // A flag that is always refused is not offered.
    let offered = keys.iter().filter(|it| it.name != left_out);
    let offered = offered.filter(|it| it.is_offered());
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in offered {
        if key.presence == Presence::Required {
            required.push(key.name);
        }
        for name in key.spellings() {
            properties.insert(name.to_owned(), property(key));
        }
    }
    let mut schema =
        json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// One type for each key, and no alternatives: clients that fill in a form, or take `key=value` on
/// a command line, read nothing else. What is taken besides (`null` for an absent key, one text
/// instead of a list, the older forms of explanations) is not offered.
fn property(key: &Key) -> Value {
    let mut schema = shape(&key.shape);
    schema["description"] = json!(key.about[0]);
    schema
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Truth => json!({"type": "boolean"}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::Text(form) => text(*form),
        Shape::Texts { each, most } | Shape::OneOrMoreTexts { each, most } => texts(*each, *most),
        Shape::StoryId => json!({"type": "string", "pattern": "^[Uu][Ss]-[0-9]{1,6}$"}),
        Shape::OneOf(words) => json!({"type": "string", "enum": words}),
        Shape::Object(keys) => object(keys),
        Shape::Criteria { keys, most } => json!({
            "type": "object",
            "propertyNames": {"pattern": "^([Aa][Cc]-?)?0*[1-9][0-9]{0,3}$"},
            "additionalProperties": object(keys),
            "maxProperties": most,
        }),
        Shape::Explanations { keys, most } => json!({
            "type": "object",
            "additionalProperties": object_without(keys, FILE),
            "maxProperties": most,
        }),
        Shape::Waiver => json!(false),
    }
}

fn texts(each: TextForm, most: usize) -> Value {
    json!({"type": "array", "items": text(each), "maxItems": most})
}

fn text(form: TextForm) -> Value {
    let mut schema = json!({"type": "string", "maxLength": form.most});
    match form.kind {
        TextKind::Lines => {}
        TextKind::Line | TextKind::Inside => schema["minLength"] = json!(1),
    }
    schema
}
