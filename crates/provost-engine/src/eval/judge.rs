//! A model that judges answers by a criterion of the suite.

use std::time::Duration;

use provost_adapter::{
    ApiKey, Cancel,
    model::{ChatModel, ChatModelSettings, Model as _, Timeout},
};
use provost_kernel::{
    Message as _,
    eval::{ErrorCode, StepError},
    model::{ModelRequest, ResponseFormat, Usage},
};
use provost_rules::retry::RetryPolicy;
use provost_rules_eval::check::{Question, Verdict};
use serde_json::{Value, json};

use super::{
    answer::first_object,
    chat::{Reach, is_unknown_field},
    error::EvalError,
    fault::Fault,
    generator::GeneratorError,
};

/// A model, and how it is asked.
#[derive(Debug)]
pub struct JudgePlan {
    chat: ChatModel,
    base: String,
    pub model: String,
}

/// How a judge is reached.
#[derive(Debug)]
pub struct JudgeOrder<'a> {
    pub base: &'a str,
    pub model: Option<&'a str>,
    pub key: ApiKey,
    pub reach: Reach,
    pub retries: u32,
    pub timeout: Duration,
}

/// What a judge said, and what it cost.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) verdict: Verdict,
    pub(super) usage: Usage,
}

/// How often a judge is asked again that gave no verdict.
const AGAIN: u32 = 1;
const NAME: &str = "judge";

impl JudgePlan {
    /// A model at an address. Without leave, it must be on this machine.
    pub fn new(order: JudgeOrder<'_>) -> Result<Self, EvalError> {
        let JudgeOrder { base, model, key, reach, retries, timeout } = order;
        let model = model.ok_or(GeneratorError::NoJudgeModel)?.to_owned();
        let settings = ChatModelSettings {
            base: base.to_owned(),
            model: model.clone(),
            key,
            connections: 0,
            timeout: Timeout::Call(timeout),
            retry: RetryPolicy::eval(retries),
        };
        let chat = ChatModel::new(NAME, settings)?;
        if !chat.is_here() && reach == Reach::ThisMachine {
            return Err(GeneratorError::NotHere(base.to_owned()).into());
        }
        Ok(Self { chat, base: base.to_owned(), model })
    }

    /// What verdicts depend on.
    pub(super) fn identity(&self) -> Value {
        json!({"base": self.base, "model": self.model})
    }

    /// Asks about one answer.
    pub(super) fn ask(&self, question: &Question, cancel: &Cancel) -> Result<Said, StepError> {
        let plain = ModelRequest::instruct(&question.instructions, &question.data);
        let mut request = plain.clone();
        request.format = ResponseFormat::JsonObject;
        let mut usage = Usage::default();
        for _ in 0..=AGAIN {
            let mut asked = self.chat.ask(&request, cancel);
            if asked.as_ref().is_err_and(|it| is_unknown_field(&it.error)) {
                asked = self.chat.ask(&plain, cancel);
            }
            let reply = asked.map_err(|it| {
                Fault::JudgeUnavailable { why: it.error.text() }.error(ErrorCode::CheckUnavailable)
            })?;
            usage = usage.plus(reply.usage);
            if let Some(verdict) = first_object(&reply.text).as_ref().and_then(Verdict::read) {
                return Ok(Said { verdict, usage });
            }
        }
        Err(Fault::NoVerdict.error(ErrorCode::CheckUnavailable))
    }
}
