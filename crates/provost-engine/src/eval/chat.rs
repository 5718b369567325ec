//! An engine that is a model behind an OpenAI-compatible interface: four questions for each case,
//! each answer held against its schema before the next one is asked.

use std::{collections::BTreeMap, time::Duration};

use provost_adapter::{
    ApiKey, CallError, Cancel, Failure,
    model::{ChatModel, ChatModelSettings, Model as _, Timeout},
};
use provost_kernel::{
    Message as _, Text,
    eval::{Artifacts, ErrorCode, Meta, Response, StepError},
    model::{ModelReply, ModelRequest, ResponseFormat},
};
use provost_rules::retry::RetryPolicy;
use provost_rules_eval::{
    check::{Kind, Rubric, check_case},
    prompt::{Prompts, ReplyForm},
    suite::SchemaTexts,
};
use serde_json::{Value, json};

use super::{
    answer::first_object,
    error::EvalError,
    fault::Fault,
    generator::GeneratorError,
    template::templates,
    work_queue::{Outcome, Turn, WorkQueue},
};

/// A model, and how it is asked.
#[derive(Debug)]
pub struct ChatPlan {
    chat: ChatModel,
    base: String,
    model: String,
    schemas: SchemaTexts,
    /// The prompts of the suite; those of Read→Do where it has none.
    prompts: Option<Prompts>,
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
    pub prompts: Option<Prompts>,
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
        let ChatOrder { base, model, key, reach, retries, timeout, repairs, schemas, prompts } =
            order;
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
        Ok(Self { chat, base: base.to_owned(), model, schemas, prompts, repairs })
    }

    /// What an answer depends on besides the request.
    pub(super) fn identity(&self, profile: provost_kernel::eval::Profile) -> Value {
        let texts: BTreeMap<String, String> = match &self.prompts {
            Some(prompts) => prompts.digests(),
            None => templates(profile)
                .iter()
                .map(|it| (it.version.to_owned(), it.digest().to_string()))
                .collect(),
        };
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
        let suite = queue.setting.suite;
        let Some(prompts) = &self.prompts else {
            let steps = templates(request.profile);
            let has = |name: &String| steps.iter().any(|it| it.artifact == name);
            if let Some(missing) = suite.artifacts.iter().find(|it| !has(it)) {
                let fault = Fault::NoTemplate { artifact: missing.clone() };
                return Err(fault.error(ErrorCode::TemplateMissing));
            }
            for template in steps {
                let schema = self.schemas.get(template.artifact).map_or("{}", String::as_str);
                let step = Asked {
                    artifact: template.artifact,
                    prompt: template.prompt(schema),
                    evidence: template.evidence(request, &artifacts),
                    reply: ReplyForm::Object,
                };
                let made = self
                    .step(&step, turn, &mut meta, queue)
                    .map_err(|it| StepError { failed_step: Some(template.step), ..it })?;
                artifacts.insert(template.artifact.to_owned(), made);
                let version = template.version.to_owned();
                meta.template_versions.insert(template.artifact.to_owned(), version);
            }
            meta.repairs = turn.repairs();
            return Ok(Response { meta, artifacts });
        };
        for prompt in prompts.iter() {
            let schema = self.schemas.get(&prompt.artifact).map(String::as_str);
            let step = Asked {
                artifact: &prompt.artifact,
                prompt: prompt.render(request, &artifacts, schema),
                evidence: String::new(),
                reply: prompt.reply,
            };
            let made = self.step(&step, turn, &mut meta, queue)?;
            artifacts.insert(prompt.artifact.clone(), made);
            meta.template_versions.insert(prompt.artifact.clone(), prompt.version.clone());
        }
        meta.repairs = turn.repairs();
        Ok(Response { meta, artifacts })
    }

    /// One step, with as many repairs as are allowed; those that were needed are counted.
    fn step(
        &self,
        asked: &Asked<'_>,
        turn: &Turn,
        meta: &mut Meta,
        queue: &WorkQueue<'_, '_>,
    ) -> Result<Value, StepError> {
        let mut prompt = asked.prompt.clone();
        let mut repairs = 0;
        loop {
            let reply = self.say(turn, &prompt, asked, queue.setting.cancel)?;
            meta.usage = meta.usage.plus(reply.usage);
            meta.model_id =
                reply.model.or(meta.model_id.take()).or_else(|| Some(self.model.clone()));
            let made = match asked.reply {
                ReplyForm::Text => Some(json!({"text": spoken(&reply.text)})),
                ReplyForm::Object => first_object(&reply.text),
            };
            let problem = match made {
                None => Fault::NoObject.error(ErrorCode::Parse),
                Some(made) => match schema_problem(asked.artifact, turn, &made, queue) {
                    None => return Ok(made),
                    Some(problem) => StepError::new(ErrorCode::SchemaInvalid, &problem),
                },
            };
            if repairs >= self.repairs {
                return Err(problem);
            }
            repairs += 1;
            turn.repair();
            // The model sees what was wrong, not its own words: they are not instructions.
            let Asked { prompt: first, .. } = asked;
            prompt = format!("{first}\nAn earlier answer was refused: {}", problem.message);
        }
    }

    /// One question, which the model port asks again where that may help.
    fn say(
        &self,
        turn: &Turn,
        prompt: &str,
        asked: &Asked<'_>,
        cancel: &Cancel,
    ) -> Result<ModelReply, StepError> {
        let plain = ModelRequest::instruct(prompt, &asked.evidence);
        let mut request = plain.clone();
        request.format = match asked.reply {
            ReplyForm::Object => ResponseFormat::JsonObject,
            ReplyForm::Text => ResponseFormat::Text,
        };
        request.decode.max_new_tokens = Some(MAX_TOKENS);
        // Each repetition of a case has a seed of its own: it would measure nothing otherwise.
        request.decode.seed = Some(turn.epoch.into());
        let mut answer = self.chat.ask(&request, cancel);
        // A server that does not know a field is asked without what it may not know.
        if answer.as_ref().is_err_and(|it| is_unknown_field(&it.error)) {
            answer = self.chat.ask(&plain, cancel);
        }
        let reply = answer.map_err(|it| step_error(&it.error))?;
        match reply.unfinished {
            None => Ok(reply),
            Some(reason) => Err(step_error(&CallError::Failed(Failure::Unfinished { reason }))),
        }
    }
}

/// What a model is asked in one step.
struct Asked<'a> {
    artifact: &'a str,
    prompt: String,
    evidence: String,
    reply: ReplyForm,
}

/// What a model said after it thought aloud.
fn spoken(text: &str) -> &str {
    match text.rsplit_once("</think>") {
        Some((thought, said)) if thought.trim_start().starts_with("<think>") => said.trim(),
        Some(_) | None => text.trim(),
    }
}

/// Whether a server refused a field that it does not know.
pub(super) fn is_unknown_field(error: &CallError) -> bool {
    *error == CallError::Failed(Failure::Http { status: 400 })
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
    artifact: &str,
    turn: &Turn,
    made: &Value,
    queue: &WorkQueue<'_, '_>,
) -> Option<Text> {
    let suite = queue.setting.suite;
    let is_its = |it: &&provost_rules_eval::suite::SuiteCheck| matches!(&it.kind, Kind::Schema { artifact: its } if its == artifact);
    let name = &suite.checks.iter().find(is_its)?.name;
    let mut alone = Artifacts::new();
    alone.insert(artifact.to_owned(), made.clone());
    let said = check_case(suite, &turn.case, &alone, Rubric::Standard);
    let check = said.into_iter().find(|it| it.name == *name)?;
    check.text()
}
