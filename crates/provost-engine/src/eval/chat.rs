//! An engine that is a model behind an OpenAI-compatible interface: four questions for each case,
//! each answer held against its schema before the next one is asked.

use std::time::Duration;

use provost_adapter::{
    ApiKey, CallError, Cancel, Failure,
    model::{ChatModel, ChatModelSettings, Model as _, Timeout},
};
use provost_kernel::{
    Message as _, Text,
    eval::{Artifacts, ErrorCode, Meta, Response, StepError},
    model::{ModelRequest, ResponseFormat},
};
use provost_rules::retry::RetryPolicy;
use provost_rules_eval::{
    check::{Kind, Rubric, check_case},
    suite::SchemaTexts,
};
use serde_json::{Value, json};

use super::{
    answer::first_object,
    error::EvalError,
    fault::Fault,
    generator::GeneratorError,
    template::{Template, templates},
    work_queue::{Outcome, Turn, WorkQueue},
};

/// A model, and how it is asked.
#[derive(Debug)]
pub struct ChatPlan {
    chat: ChatModel,
    base: String,
    model: String,
    schemas: SchemaTexts,
    repairs: u32,
}

/// How long one answer may be: many times the longest artifact, because models think aloud.
const MAX_TOKENS: u32 = 8192;
const NAME: &str = "http";

/// How a model is asked.
#[derive(Debug)]
pub struct ChatOrder<'a> {
    /// The address up to and without `/chat/completions`.
    pub base: &'a str,
    pub model: Option<&'a str>,
    pub key: ApiKey,
    pub reach: Reach,
    pub retries: u32,
    /// How long one question may take, with its repetitions.
    pub timeout: Duration,
    /// How often a model may repair an answer that is none.
    pub repairs: u32,
    pub schemas: SchemaTexts,
}

/// Where a model may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    ThisMachine,
    Anywhere,
}

impl ChatPlan {
    /// A model at an address. Without leave, it must be on this machine.
    pub fn new(order: ChatOrder<'_>) -> Result<Self, EvalError> {
        let ChatOrder { base, model, key, reach, retries, timeout, repairs, schemas } = order;
        let settings = ChatModelSettings {
            base: base.to_owned(),
            model: model.unwrap_or_default().to_owned(),
            key,
            connections: 0,
            timeout: Timeout::Call(timeout),
            retry: RetryPolicy::eval(retries),
        };
        let chat = ChatModel::new(NAME, settings)?;
        if !chat.is_here() && reach == Reach::ThisMachine {
            return Err(GeneratorError::NotHere(base.to_owned()).into());
        }
        let model = model.ok_or(GeneratorError::NoModel)?.to_owned();
        Ok(Self { chat, base: base.to_owned(), model, schemas, repairs })
    }

    /// What an answer depends on besides the request.
    pub(super) fn identity(&self, profile: provost_kernel::eval::Profile) -> Value {
        let templates = templates(profile);
        let texts: serde_json::Map<String, Value> = templates
            .iter()
            .map(|it| (it.version.to_owned(), it.digest().to_string().into()))
            .collect();
        json!({"kind": "http", "base": self.base, "model": self.model, "temperature": 0,
            "max_tokens": MAX_TOKENS, "templates": texts})
    }

    /// Asks for every artifact of one case.
    pub(super) fn ask(&self, turn: &Turn, queue: &WorkQueue<'_, '_>) -> Outcome {
        let request = &turn.request;
        let mut meta = Meta {
            run_id: Some(request.run_id.clone()),
            engine_version: Some(request.engine_version.clone()),
            ..Meta::default()
        };
        let mut artifacts = Artifacts::new();
        let steps = templates(request.profile);
        let has = |name: &String| steps.iter().any(|it| it.artifact == name);
        if let Some(missing) = queue.setting.suite.artifacts.iter().find(|it| !has(it)) {
            let fault = Fault::NoTemplate { artifact: missing.clone() };
            return Err(fault.error(ErrorCode::TemplateMissing));
        }
        for template in steps {
            let (made, model) = self
                .step(&template, turn, &artifacts, queue)
                .map_err(|it| StepError { failed_step: Some(template.step), ..it })?;
            artifacts.insert(template.artifact.to_owned(), made);
            meta.model_id = model.or(meta.model_id).or_else(|| Some(self.model.clone()));
            meta.template_versions
                .insert(template.artifact.to_owned(), template.version.to_owned());
        }
        meta.repairs = turn.repairs();
        Ok(Response { meta, artifacts })
    }

    /// One step, with as many repairs as are allowed; those that were needed are counted.
    fn step(
        &self,
        template: &Template,
        turn: &Turn,
        artifacts: &Artifacts,
        queue: &WorkQueue<'_, '_>,
    ) -> Result<(Value, Option<String>), StepError> {
        let schema = self.schemas.get(template.artifact).map_or("{}", String::as_str);
        let mut prompt = template.prompt(schema);
        let evidence = template.evidence(&turn.request, artifacts);
        let mut repairs = 0;
        loop {
            let (text, model) = self.say(turn, &prompt, &evidence, queue.setting.cancel)?;
            let problem = match first_object(&text) {
                None => Fault::NoObject.error(ErrorCode::Parse),
                Some(made) => match schema_problem(template, turn, &made, queue) {
                    None => return Ok((made, model)),
                    Some(problem) => StepError::new(ErrorCode::SchemaInvalid, &problem),
                },
            };
            if repairs >= self.repairs {
                return Err(problem);
            }
            repairs += 1;
            turn.repair();
            // The model sees what was wrong, not its own words: they are not instructions.
            prompt = format!(
                "{}\nAn earlier answer was refused: {}",
                template.prompt(schema),
                problem.message
            );
        }
    }

    /// One question, which the model port asks again where that may help.
    fn say(
        &self,
        turn: &Turn,
        prompt: &str,
        evidence: &str,
        cancel: &Cancel,
    ) -> Result<(String, Option<String>), StepError> {
        let plain = ModelRequest::instruct(prompt, evidence);
        let mut request = plain.clone();
        request.format = ResponseFormat::JsonObject;
        request.decode.max_new_tokens = Some(MAX_TOKENS);
        // Each repetition of a case has a seed of its own: it would measure nothing otherwise.
        request.decode.seed = Some(turn.epoch.into());
        let mut asked = self.chat.ask(&request, cancel);
        // A server that does not know a field is asked without what it may not know.
        let unknown_field = CallError::Failed(Failure::Http { status: 400 });
        if asked.as_ref().is_err_and(|it| it.error == unknown_field) {
            asked = self.chat.ask(&plain, cancel);
        }
        let reply = asked.map_err(|it| step_error(&it.error))?;
        match reply.unfinished {
            None => Ok((reply.text, reply.model)),
            Some(reason) => Err(step_error(&CallError::Failed(Failure::Unfinished { reason }))),
        }
    }
}

/// What a call without a reply means for a case.
fn step_error(error: &CallError) -> StepError {
    let code = match error {
        CallError::TimedOut => ErrorCode::Timeout,
        CallError::Failed(Failure::BodyTooLarge | Failure::Body { .. }) => ErrorCode::Parse,
        CallError::Failed(_)
        | CallError::NotAuthorised
        | CallError::Quota { .. }
        | CallError::Budget
        | CallError::Missing
        | CallError::Cancelled
        | CallError::NotRecorded => ErrorCode::Provider,
    };
    StepError::new(code, &error.text())
}

/// What a schema says against an artifact.
fn schema_problem(
    template: &Template,
    turn: &Turn,
    made: &Value,
    queue: &WorkQueue<'_, '_>,
) -> Option<Text> {
    let suite = queue.setting.suite;
    let is_its = |it: &&provost_rules_eval::suite::SuiteCheck| matches!(&it.kind, Kind::Schema { artifact } if artifact == template.artifact);
    let name = &suite.checks.iter().find(is_its)?.name;
    let mut alone = Artifacts::new();
    alone.insert(template.artifact.to_owned(), made.clone());
    let said = check_case(suite, &turn.case, &alone, Rubric::Standard);
    let check = said.into_iter().find(|it| it.name == *name)?;
    check.text()
}
