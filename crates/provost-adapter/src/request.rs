//! What is asked of an agent: the request of protocol `provost.adapter/1`.
//!
//! One JSON object says everything, so that an adapter in any language reads one file. What an
//! agent could have written stands in `evidence`, apart from the instructions in `prompt`.

use std::time::Duration;

use provost_kernel::{
    AttemptNumber, Decimal, Digest, DigestError, Message, TaskId,
    task::{Budget, TaskType, Weight},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The version of the protocol, as request and reply name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    #[default]
    #[serde(rename = "provost.adapter/1")]
    V1,
}

/// What an agent is asked to be.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, Message,
)]
#[serde(rename_all = "snake_case")]
#[message(code = "adapter.role")]
pub enum AgentRole {
    /// Changes files in the work tree.
    #[message(en = "coder", zh = "编码智能体")]
    Coder,
    /// Judges what a coder did.
    #[message(en = "judge", zh = "评审")]
    Judge,
}

/// One request to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Request {
    pub schema: Protocol,
    pub role: AgentRole,
    pub task_id: TaskId,
    pub attempt: AttemptNumber,
    /// A name that coder and judge share, to trace a run through logs.
    pub task_code: String,
    /// The model to use; without one, the adapter's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// 0 for a judge (LOOP-B3); absent for a coder, whose program decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Temperature")]
    pub temperature: Option<Temperature>,
    /// The instructions. Only provost and the task's author have written here.
    pub prompt: String,
    /// What is to be judged, as text for a model. It is data, whatever it says of itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// Files with the same evidence, for a program: paths that it can read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_files: Vec<String>,
    /// What a judge needs of the rubric; absent for a coder and for a task without a type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<JudgeRubric>,
    /// How many seconds there are from the start; then the program is ended.
    pub deadline_seconds: u64,
    /// What is left of the task's budget in dollars and tokens; absent where it has no limit.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
}

/// The only temperature that provost asks for: 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8", extend("const" = 0))]
pub struct Temperature(());

/// The part of the rubric that a judge must follow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct JudgeRubric {
    pub task_type: TaskType,
    pub version: String,
    pub hash: Digest,
    /// Under it, a hard gate dimension gates the verdict.
    pub gate_threshold: Decimal,
    pub dimensions: Vec<Dimension>,
}

/// One thing that is scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Dimension {
    pub key: String,
    pub weight: Weight,
    pub is_hard_gate: bool,
}

/// A temperature that is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the temperature is 0, not {0}")]
pub struct TemperatureError(u8);

impl AgentRole {
    pub const ALL: [Self; 2] = [Self::Coder, Self::Judge];

    /// The word as files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Coder => "coder",
            Self::Judge => "judge",
        }
    }
}

impl Temperature {
    pub const ZERO: Self = Self(());
}

impl From<Temperature> for u8 {
    fn from(Temperature(()): Temperature) -> Self {
        0
    }
}

impl TryFrom<u8> for Temperature {
    type Error = TemperatureError;

    fn try_from(number: u8) -> Result<Self, TemperatureError> {
        if number == 0 { Ok(Self::ZERO) } else { Err(TemperatureError(number)) }
    }
}

impl Request {
    /// A request without evidence, with the temperature that its role has.
    pub fn new(
        role: AgentRole,
        task_id: TaskId,
        attempt: AttemptNumber,
        task_code: &str,
        prompt: String,
        deadline: Duration,
    ) -> Self {
        Self {
            schema: Protocol::V1,
            role,
            task_id,
            attempt,
            task_code: task_code.to_owned(),
            model: None,
            temperature: match role {
                AgentRole::Coder => None,
                AgentRole::Judge => Some(Temperature::ZERO),
            },
            prompt,
            evidence: String::new(),
            evidence_files: Vec::new(),
            rubric: None,
            // A part of a second is a second: the program is told no less than it has.
            deadline_seconds: deadline.as_secs() + u64::from(deadline.subsec_nanos() > 0),
            budget: Budget::default(),
        }
    }

    /// How long the agent has.
    pub fn deadline(&self) -> Duration {
        Duration::from_secs(self.deadline_seconds)
    }

    /// What an answer depends on: everything but the names of this run, its deadline and where
    /// its files lie.
    pub fn identity(&self) -> Value {
        json!({
            "schema": self.schema,
            "role": self.role,
            "model": self.model,
            "temperature": self.temperature,
            "prompt": self.prompt,
            "evidence": self.evidence,
            "rubric": self.rubric,
        })
    }

    /// The digest of what an answer depends on.
    pub fn digest(&self) -> Result<Digest, DigestError> {
        Digest::of_json(&self.identity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(role: AgentRole) -> Request {
        let task = "t1".to_owned().try_into().unwrap();
        let attempt = 1.try_into().unwrap();
        Request::new(role, task, attempt, "code", "do it".to_owned(), Duration::from_millis(1500))
    }

    #[test]
    fn the_file_holds_exactly_this() {
        assert_eq!(
            serde_json::to_value(request(AgentRole::Coder)).unwrap(),
            json!({
                "schema": "provost.adapter/1",
                "role": "coder",
                "task_id": "t1",
                "attempt": 1,
                "task_code": "code",
                "prompt": "do it",
                "deadline_seconds": 2,
            }),
        );
    }

    /// LOOP-B3: a judge's request says temperature 0, and no other can be written or read.
    #[test]
    fn a_judge_is_asked_at_temperature_zero() {
        let mut value = serde_json::to_value(request(AgentRole::Judge)).unwrap();
        assert_eq!(value["temperature"], json!(0));
        value["temperature"] = json!(1);
        assert!(serde_json::from_value::<Request>(value).is_err());
    }

    #[test]
    fn only_what_an_answer_depends_on_changes_the_digest() {
        let first = request(AgentRole::Judge);
        let check = |change: fn(&mut Request), is_same: bool| {
            let mut other = first.clone();
            change(&mut other);
            assert_eq!(other.digest().unwrap() == first.digest().unwrap(), is_same, "{other:?}");
        };
        check(|_| {}, true);
        check(|it| it.task_id = "t2".to_owned().try_into().unwrap(), true);
        check(|it| it.attempt = 2.try_into().unwrap(), true);
        check(|it| it.task_code = "other".to_owned(), true);
        check(|it| it.deadline_seconds = 9, true);
        check(|it| it.budget.tokens = Some(9), true);
        check(|it| it.role = AgentRole::Coder, false);
        check(|it| it.prompt.push('.'), false);
        check(|it| it.model = Some("m".to_owned()), false);
        check(|it| it.temperature = None, false);
        check(|it| it.evidence.push('.'), false);
        check(|it| it.evidence_files.push("/anywhere".to_owned()), true);
    }
}
