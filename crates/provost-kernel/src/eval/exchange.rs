//! What the runner asks an engine, and what comes back: artifacts, or the step that failed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Profile;
use crate::{Text, model::Usage, words::words};

/// What an engine made: one JSON value for each name, such as `summary`.
pub type Artifacts = Map<String, Value>;

/// What an engine is asked for one case (EVAL-3.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub run_id: String,
    pub engine_version: String,
    pub profile: Profile,
    /// The fields of the case that the engine may see.
    pub input: Map<String, Value>,
}

/// What an engine answers (EVAL-3.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Response {
    #[serde(default)]
    pub meta: Meta,
    pub artifacts: Artifacts,
}

/// Which engine, templates and model made an answer: what a drift is attributed to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub template_versions: BTreeMap<String, String>,
    /// How often the model was asked again because its answer was invalid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repairs: Option<u32>,
    /// What the answer cost, as far as the engine says.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub usage: Usage,
    /// What the judge of the answer cost.
    #[serde(default, skip_serializing_if = "Usage::is_unknown")]
    pub judge_usage: Usage,
    /// How long the answer took when it was given; a recording keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
}

words! {
    /// A step of an engine.
    pub enum Step {
        Summarize = "summarize",
        Score = "score",
        Todos = "todos",
        Card = "card",
    }
}

words! {
    /// Why an engine made nothing that can be judged.
    pub enum ErrorCode {
        Timeout = "AI_TIMEOUT",
        Provider = "AI_PROVIDER_ERROR",
        SchemaInvalid = "AI_SCHEMA_INVALID",
        Parse = "AI_PARSE_ERROR",
        TemplateMissing = "TEMPLATE_MISSING",
        /// The parts of an answer, or the answer and its request, do not belong together.
        RunInconsistent = "RUN_INCONSISTENT",
        /// The engine's program could not be started.
        Spawn = "SPAWN_FAILED",
        /// No recording has this request.
        RecordingMiss = "RECORDING_MISS",
        /// A program or a judge of the suite could not say anything of an answer.
        CheckUnavailable = "CHECK_UNAVAILABLE",
    }
}

/// What an error of an engine means to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorEffect {
    /// The output is bad: the check `engine.output` fails.
    Judged,
    /// Nothing was measured: the case has no result.
    NotMeasured,
}

/// A step of an engine that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepError {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<Step>,
    pub error_code: ErrorCode,
    /// In English, or what an engine wrote.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_code: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub message_args: Map<String, Value>,
    #[serde(default)]
    pub retryable: bool,
}

impl StepError {
    /// An error that asking again does not help against.
    pub fn new(error_code: ErrorCode, message: &Text) -> Self {
        let (message, message_code, message_args) = message.to_parts();
        Self {
            failed_step: None,
            error_code,
            message,
            message_code,
            message_args,
            retryable: false,
        }
    }

    /// The message, before it is rendered.
    pub fn text(&self) -> Text {
        Text::from_parts(&self.message, self.message_code.as_deref(), &self.message_args)
    }
}

impl Request {
    /// The request as one JSON object: the input beside the three words of the runner.
    pub fn to_json(&self) -> Value {
        let mut object = self.input.clone();
        object.insert("profile".to_owned(), self.profile.as_str().into());
        object.insert("engine_version".to_owned(), self.engine_version.as_str().into());
        object.insert("run_id".to_owned(), self.run_id.as_str().into());
        Value::Object(object)
    }
}

impl ErrorCode {
    /// What the error means to the gate: bad output is judged, an engine that is not there is not.
    pub fn effect(self) -> ErrorEffect {
        match self {
            Self::SchemaInvalid | Self::Parse | Self::RunInconsistent => ErrorEffect::Judged,
            Self::Timeout
            | Self::Provider
            | Self::TemplateMissing
            | Self::Spawn
            | Self::RecordingMiss
            | Self::CheckUnavailable => ErrorEffect::NotMeasured,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// EVAL-3.1: intent, text, profile and engine version reach the engine.
    #[test]
    fn a_request_is_one_object() {
        let Value::Object(input) = json!({"intent_text": "i", "extracted_text": "t"}) else {
            unreachable!()
        };
        let request = Request {
            run_id: "eval_a".to_owned(),
            engine_version: "1".to_owned(),
            profile: Profile::Creator,
            input,
        };
        let expected = json!({"intent_text": "i", "extracted_text": "t", "profile": "creator",
            "engine_version": "1", "run_id": "eval_a"});
        assert_eq!(request.to_json(), expected);
    }

    /// EVAL-3.2: what an engine adds beside the artifacts is not needed.
    #[test]
    fn a_response_needs_artifacts_alone() {
        let read = |value| serde_json::from_value::<Response>(value);
        assert!(read(json!({"artifacts": {"summary": {}}, "debug": {"warnings": []}})).is_ok());
        assert!(read(json!({"meta": {}})).is_err());
        assert!(read(json!({"artifacts": []})).is_err());
    }
}
