//! The published JSON Schemas of what this crate reads and writes.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use crate::{recording::RecordedReply, reply::Reply, request::Request, select::AdapterConfig};

/// Each schema with the name of its file.
pub fn schemas() -> [(&'static str, Value); 4] {
    [
        ("adapter-request.schema.json", schema::<Request>()),
        ("adapter-reply.schema.json", schema::<Reply>()),
        ("adapter-recording.schema.json", schema::<RecordedReply>()),
        ("adapter-config.schema.json", schema::<AdapterConfig>()),
    ]
}

/// The schema of a type, without references, so that each key stands in its place.
fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_schema_of_a_reply_says_what_the_parser_says() {
        let [_, (_, reply), ..] = schemas();
        assert_eq!(reply["required"], json!(["schema", "role"]));
        assert_eq!(reply["additionalProperties"], json!(false));
        assert_eq!(reply["properties"]["schema"]["enum"], json!(["provost.adapter/1"]));
        assert_eq!(reply["properties"]["role"]["oneOf"][1]["const"], json!("judge"));
    }

    #[test]
    fn every_key_of_a_request_stands_in_its_schema() {
        let [(_, request), ..] = schemas();
        let keys: Vec<&str> =
            request["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            [
                "attempt",
                "budget",
                "deadline_seconds",
                "evidence",
                "evidence_files",
                "model",
                "prompt",
                "role",
                "rubric",
                "schema",
                "task_code",
                "task_id",
                "temperature",
            ],
        );
        assert_eq!(request["properties"]["temperature"]["const"], json!(0));
    }
}
