//! What is asked for a case, and what an engine's answer is worth.

use provost_form::{Limits, json};
use provost_kernel::{
    Message, Text,
    eval::{Case, ErrorCode, Profile, Request, Response, StepError},
    shorten,
};
use serde_json::Value;

use super::suite::CaseForm;

/// An answer that is larger is not read.
pub const MAX_ANSWER: usize = 4 * 1024 * 1024;
const LIMITS: Limits = Limits { bytes: MAX_ANSWER, depth: 32 };

/// The id of the run of a case.
pub fn run_id(case: &str) -> String {
    format!("eval_{case}")
}

/// What an engine is asked: the fields that it may see (EVAL-3.1).
pub fn request(case: &Case, form: &CaseForm, profile: Profile, engine_version: &str) -> Request {
    let sent = form.fields.iter().filter(|it| it.sent);
    let input = sent.filter_map(|it| Some((it.name.clone(), case.fields.get(&it.name)?.clone())));
    Request {
        run_id: run_id(&case.id),
        engine_version: engine_version.to_owned(),
        profile,
        input: input.collect(),
    }
}

/// Reads an answer: a response, or the error object of an engine (EVAL-3.2).
pub fn read(bytes: &[u8]) -> Result<Response, StepError> {
    from_value(parse(bytes)?)
}

/// Reads the JSON of an answer.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, StepError> {
    json::parse(bytes, LIMITS).map_err(|error| StepError::new(ErrorCode::Parse, &error.text()))
}

/// Reads an answer that is JSON already.
pub fn from_value(value: Value) -> Result<Response, StepError> {
    if value.get("error_code").is_some() {
        let error = serde_json::from_value::<StepError>(value);
        // An engine writes its own text, and none of ours.
        let foreign =
            |it| StepError { message_code: None, message_args: serde_json::Map::new(), ..it };
        return Err(error.map_or_else(
            |it| StepError::new(ErrorCode::Parse, &shorten(&it.to_string()).into()),
            foreign,
        ));
    }
    serde_json::from_value(value)
        .map_err(|it| StepError::new(ErrorCode::Parse, &shorten(&it.to_string()).into()))
}

/// Checks that an answer belongs to its request: one to another run is inconsistent, another engine
/// version is only worth a warning.
pub fn belongs(request: &Request, response: &Response) -> Result<Option<Text>, StepError> {
    if let Some(found) = response.meta.run_id.as_ref().filter(|it| **it != request.run_id) {
        let (found, asked) = (shorten(found), request.run_id.clone());
        let text = Mismatch::Run { found, asked }.text();
        return Err(StepError::new(ErrorCode::RunInconsistent, &text));
    }
    let version = response.meta.engine_version.as_ref();
    let other =
        version.filter(|it| **it != request.engine_version && !request.engine_version.is_empty());
    Ok(other.map(|found| {
        let (found, asked) = (shorten(found), request.engine_version.clone());
        Mismatch::Version { found, asked }.text()
    }))
}

/// An answer that does not fit its request.
#[derive(Debug, Message)]
#[message(code = "eval.response")]
enum Mismatch {
    #[message(
        en = "the answer is to `{found}`, not to `{asked}`",
        zh = "应答属于 `{found}`，而不是 `{asked}`"
    )]
    Run { found: String, asked: String },
    #[message(
        en = "meta.mismatch: engine version `{found}`, asked for `{asked}`",
        zh = "`meta.mismatch`：引擎版本为 `{found}`，要求的是 `{asked}`"
    )]
    Version { found: String, asked: String },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::suite::shared, *};

    fn case() -> Case {
        let fields = json!({"id": "a", "source_type": "web", "intent_text": "i", "extracted_text": "t",
            "notes": "secret"});
        Case { id: "a".to_owned(), fields: fields.as_object().cloned().unwrap(), expect: None }
    }

    /// EVAL-3.1: notes and ids of files stay with the runner.
    #[test]
    fn an_engine_sees_what_it_may() {
        let request = request(&case(), &shared().case, Profile::Engineer, "0.1.0");
        assert_eq!(
            request.to_json(),
            json!({"source_type": "web", "intent_text": "i",
            "extracted_text": "t", "profile": "engineer", "engine_version": "0.1.0", "run_id": "eval_a"})
        );
    }

    #[test]
    fn answers_are_read_or_refused() {
        let code = |text: &str| read(text.as_bytes()).map(drop).map_err(|it| it.error_code);
        assert_eq!(code(r#"{"artifacts": {}}"#), Ok(()));
        assert_eq!(code(r#"{"artifacts": {}, "artifacts": {}}"#), Err(ErrorCode::Parse));
        assert_eq!(code("Sure! Here is the JSON"), Err(ErrorCode::Parse));
        assert_eq!(code(""), Err(ErrorCode::Parse));
        assert_eq!(code("[]"), Err(ErrorCode::Parse));
        assert_eq!(
            code(r#"{"error_code": "AI_TIMEOUT", "message": "m", "failed_step": "score"}"#),
            Err(ErrorCode::Timeout)
        );
        assert_eq!(code(r#"{"error_code": "WHAT", "message": "m"}"#), Err(ErrorCode::Parse));
        assert_eq!(code(&format!("\"{}\"", "x".repeat(MAX_ANSWER))), Err(ErrorCode::Parse));
    }

    #[test]
    fn an_answer_belongs_to_its_request() {
        let request = request(&case(), &shared().case, Profile::Engineer, "0.1.0");
        let held = |meta: Value| {
            let response = from_value(json!({"meta": meta, "artifacts": {}})).unwrap();
            belongs(&request, &response)
                .map(|it| usize::from(it.is_some()))
                .map_err(|it| it.error_code)
        };
        assert_eq!(held(json!({})), Ok(0));
        assert_eq!(held(json!({"run_id": "eval_a", "engine_version": "0.1.0"})), Ok(0));
        assert_eq!(held(json!({"run_id": "eval_b"})), Err(ErrorCode::RunInconsistent));
        assert_eq!(held(json!({"engine_version": "9"})), Ok(1));
    }
}
