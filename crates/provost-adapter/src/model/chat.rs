//! A model behind an OpenAI-compatible interface, with connections that stay open.

use std::time::Duration;

use provost_kernel::{
    Message as _,
    learn::{Answer, CallProblem, Decode, Message, Price, Question},
};
use serde::Serialize;
use ureq::Agent;

use super::{Model, spent, transport};
use crate::{
    call_result::{CallOutcome, RetryAfter},
    cancel::{Cancel, Target},
    chat::{ChatKey, Client, Patience, Retries},
    error::AdapterError,
    log::Log,
};

/// A model behind an OpenAI-compatible interface. Ending one call ends all: it is done with then.
#[derive(Debug)]
pub struct ChatModel {
    client: Client,
    /// One for all calls, so that a connection serves one call after another.
    agent: Agent,
    model: String,
    patience: Patience,
    price: Price,
}

/// How a model is reached.
#[derive(Clone, Debug)]
pub struct ChatModelSettings {
    /// The address up to and without `/chat/completions`.
    pub base: String,
    /// The model, where the question names none.
    pub model: String,
    pub key: ChatKey,
    /// How many questions it is asked at once: so many connections stay open.
    pub concurrency: usize,
    /// How long one try may take.
    pub timeout: Duration,
    pub retries: Retries,
    pub price: Price,
}

/// The body of a request. What says nothing is left out: not every server knows it.
#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Message],
    temperature: f64,
    top_p: f64,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    repetition_penalty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_repeat_ngram_size: Option<u32>,
}

impl ChatModelSettings {
    /// A model at this address, without a key and without a price.
    pub fn new(base: &str, model: &str) -> Self {
        Self {
            base: base.to_owned(),
            model: model.to_owned(),
            key: ChatKey::NotNeeded,
            concurrency: 1,
            timeout: Duration::from_mins(1),
            retries: ChatModel::RETRIES,
            price: Price::default(),
        }
    }
}

impl ChatModel {
    /// How often a server in trouble is asked again.
    pub const RETRIES: Retries =
        Retries { times: 3, first: Duration::from_millis(500), longest: Duration::from_secs(20) };

    /// Refuses an address that could send a key where it should not go.
    pub fn new(settings: ChatModelSettings) -> Result<Self, AdapterError> {
        let ChatModelSettings { base, model, key, concurrency, timeout, retries, price } = settings;
        let client = Client::new(&model, &base, key, retries)?;
        let agent = client.agent(concurrency.max(1))?;
        let patience = Patience::each(timeout, retries);
        Ok(Self { client, agent, model, patience, price })
    }

    fn body(&self, question: &Question) -> Vec<u8> {
        let Question { model, messages, decode } = question;
        let Decode {
            temperature,
            top_p,
            max_new_tokens,
            seed,
            repetition_penalty,
            no_repeat_ngram_size,
            stop,
        } = decode;
        let is_neutral = (repetition_penalty - 1.0).abs() < f64::EPSILON;
        let body = Body {
            model: model.as_deref().unwrap_or(&self.model),
            messages,
            temperature: *temperature,
            top_p: *top_p,
            max_tokens: *max_new_tokens,
            stream: false,
            seed: *seed,
            stop,
            repetition_penalty: (!is_neutral).then_some(*repetition_penalty),
            no_repeat_ngram_size: *no_repeat_ngram_size,
        };
        // Plain texts and finite numbers always have a JSON form.
        serde_json::to_vec(&body).unwrap_or_default()
    }
}

impl Model for ChatModel {
    /// What was cut off at the longest length is what was said: whoever reads it will see.
    fn ask(&self, question: &Question, cancel: &Cancel) -> Result<Answer, CallProblem> {
        let mut log = Log::default();
        let held = cancel.hold(Target::Http(self.agent.clone()));
        let body = self.body(question);
        let asked = self.client.ask(&self.agent, &body, self.patience, cancel, &mut log);
        drop(held);
        match asked {
            Ok(completion) => {
                let spent = spent(question, &completion.text, completion.usage, self.price);
                Ok(Answer { text: completion.text, spent })
            }
            Err(outcome) => Err(problem(&self.model, &outcome, &log)),
        }
    }
}

/// Why there is no answer; a quota that is spent is told from everything else.
fn problem(model: &str, outcome: &CallOutcome, log: &Log) -> CallProblem {
    let detail = detail(model, outcome, log);
    match outcome {
        CallOutcome::Quota { retry_after } => {
            let after = retry_after.map(|it| match it {
                RetryAfter::In(wait) => format!("{} s", wait.as_secs()),
                RetryAfter::At(time) => time.to_string(),
            });
            CallProblem::Quota { detail, after }
        }
        CallOutcome::Answer(_)
        | CallOutcome::TimedOut
        | CallOutcome::NotAuthorised
        | CallOutcome::Failed(_)
        | CallOutcome::Missing
        | CallOutcome::Cancelled => transport(detail),
    }
}

/// Why there is no answer, with the words that the server and the log have for it.
fn detail(model: &str, outcome: &CallOutcome, log: &Log) -> String {
    let noted = |key: &str| log.lines().iter().rev().find_map(|it| it.strip_prefix(key));
    let why = noted("error_code=").or_else(|| noted("key="));
    let why = why.map_or_else(String::new, |it| format!(" ({it})"));
    format!("`{model}`: {}{why}", outcome.text())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::tests::question, *};

    #[test]
    fn the_body_says_how_to_choose_words_and_nothing_that_is_not_asked_for() {
        let model = ChatModel::new(ChatModelSettings::new("http://127.0.0.1:1/v1", "m")).unwrap();
        let body = |question: &Question| -> Value {
            serde_json::from_slice(&model.body(question)).unwrap()
        };
        let mut question = question("问");
        assert_eq!(
            body(&question),
            json!({
                "model": "m",
                "messages": [{ "role": "user", "content": "问" }],
                "temperature": 0.1,
                "top_p": 0.9,
                "max_tokens": 16,
                "stream": false,
                "seed": 43,
            }),
        );
        question.model = Some("other".to_owned());
        question.decode.seed = None;
        question.decode.stop = vec!["END".to_owned()];
        question.decode.repetition_penalty = 1.05;
        question.decode.no_repeat_ngram_size = Some(4);
        let sent = body(&question);
        assert_eq!(sent["model"], "other");
        assert_eq!(sent["stop"], json!(["END"]));
        assert_eq!(sent["repetition_penalty"], json!(1.05));
        assert_eq!(sent["no_repeat_ngram_size"], json!(4));
        assert_eq!(sent.get("seed"), None);
    }

    #[test]
    fn a_key_is_not_sent_in_the_open() {
        let mut settings = ChatModelSettings::new("http://x.example/v1", "m");
        assert!(ChatModel::new(settings.clone()).is_ok());
        settings.key = ChatKey::FromVariable { variable: "K".to_owned(), secret: None };
        assert!(matches!(ChatModel::new(settings), Err(AdapterError::BadAddress { .. })));
    }
}
