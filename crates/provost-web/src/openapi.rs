//! The `OpenAPI` document, from the same table as the router.

use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    answer::Ready,
    route::{Access, Effect, Kind, Param, Route},
    routes,
};

/// What every route can be refused with.
const REFUSALS: [(u16, &str); 13] = [
    (400, "a parameter or the body is not valid"),
    (401, "no valid key"),
    (403, "read-only, or the request comes from an agent or another site"),
    (404, "not here"),
    (405, "another method"),
    (408, "the request took too long"),
    (409, "not in this state, or the request id was used for another order"),
    (412, "the result has moved"),
    (413, "the body is too large"),
    (415, "the body is not JSON"),
    (421, "another host"),
    (422, "not admissible"),
    (429, "too many orders"),
];

/// The document.
pub(crate) fn document(version: &str) -> Ready {
    let settings = SchemaSettings::draft2020_12().with(|it| {
        it.definitions_path = "/components/schemas".into();
        it.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in routes::all() {
        let operation = operation(route, &mut generator);
        let entry = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(entry) = entry.as_object_mut() {
            entry.insert(route.method.as_str().to_ascii_lowercase(), operation);
        }
    }
    let mut schemas = generator.take_definitions(true);
    schemas.insert("Refusal".to_owned(), refusal());
    let document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "provost",
            "version": version,
            "description": "The desk: what people read and order. Trade the token of `provost serve` \
                            at `/api/session` for a key.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    });
    Ready::new(document.to_string().into_bytes())
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let mut success = json!({"description": "done"});
    if let Some(answer) = route.answer.filter(|_| route.status != 204) {
        let schema = answer(generator);
        success["content"] = json!({media(route): {"schema": schema}});
    }
    if route.may_wait {
        let mut later = success.clone();
        later["description"] = "a coordinator will carry it out".into();
        responses.insert("202".to_owned(), later);
    }
    responses.insert(route.status.to_string(), success);
    if route.method.as_str() == "GET" {
        responses.insert("304".to_owned(), json!({"description": "the client has it"}));
    }
    let body = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}});
    for (status, about) in REFUSALS {
        let refusal = match status {
            401 => json!({"description": about}),
            _ => json!({"description": about, "content": body}),
        };
        responses.insert(status.to_string(), refusal);
    }
    responses.insert(
        "503".to_owned(),
        json!({"description": "busy, or the files do not fit together", "content": body}),
    );
    let mut operation = json!({
        "summary": route.summary,
        "operationId": id(route),
        "parameters": route.params.iter().map(|it| parameter(route, it)).collect::<Value>(),
        "responses": responses,
        "security": match route.access {
            Access::Key => json!([{"key": []}]),
            Access::Open => json!([]),
        },
        "x-writes": route.effect == Effect::Writes,
    });
    if let Some(body) = route.body {
        let schema = body(generator);
        let content = json!({"application/json": {"schema": schema}});
        operation["requestBody"] = json!({"required": true, "content": content});
    }
    operation
}

fn media(route: &Route) -> &'static str {
    if route.path == "/api/stream" {
        "text/event-stream"
    } else if route.path.contains("/log/") {
        "text/plain"
    } else {
        "application/json"
    }
}

/// `get_api_tasks_id`.
fn id(route: &Route) -> String {
    let path = route.path.replace(['{', '}'], "").replace('/', "_");
    format!("{}{path}", route.method.as_str().to_ascii_lowercase())
}

fn parameter(route: &Route, param: &Param) -> Value {
    let is_in_path = route.path.contains(&format!("{{{}}}", param.name));
    let schema = match param.kind {
        Kind::Task => json!({"type": "string", "pattern": "^[A-Za-z0-9-][A-Za-z0-9_-]{0,199}$"}),
        Kind::Attempt => json!({"type": "integer", "minimum": 1, "maximum": 999}),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Number { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Kind::Text { most } => json!({"type": "string", "maxLength": most}),
    };
    json!({
        "name": param.name,
        "in": if is_in_path { "path" } else { "query" },
        "required": is_in_path,
        "description": param.about,
        "schema": schema,
    })
}

fn refusal() -> Value {
    json!({
        "type": "object",
        "required": ["code", "args", "hint"],
        "properties": {
            "code": {"type": "string"},
            "args": {"type": "object"},
            "hint": {"type": "array", "items": {"type": "object"}},
        },
    })
}
