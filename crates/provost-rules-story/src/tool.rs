//! The tools that agents and operators are offered: their names, what they take, what they touch.
//!
//! A tool's schema and the check of its arguments come from one table of keys, like those of an
//! update. What a tool does is not here.

mod keys;

use std::str::FromStr;

use provost_form::{Form, Problems, nearest::nearest};
use provost_kernel::Finding;
use serde_json::{Map, Value};

use self::keys::UNUSED;
use super::update::{
    form::{self, present},
    keys::{Key, UPDATE},
    problem::findings,
    schema,
};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    Start,
    Status,
    Get,
    Declare,
    Update,
    Verify,
    Stop,
    Retry,
    ClaimReady,
    SetAgentId,
    ResetStagnation,
    Doctor,
}

/// Whom a tool is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Agent,
    /// A person or program that may stop and restart agents.
    Operator,
}

/// What a call changes; a client may ask a person by it, so it has to be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing is recorded.
    Reads,
    /// Each call is recorded.
    Records,
    /// The same call again changes nothing more.
    RecordsOnce,
    /// The same, and something that went on no longer does.
    Ends,
}

/// A name that no tool has, and the nearest one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTool {
    pub nearest: Option<&'static str>,
}

/// Arguments that have the form of their table.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    tool: Tool,
    arguments: Value,
}

impl Tool {
    /// Every tool, those for agents first.
    pub const ALL: [Self; 12] = [
        Self::Start,
        Self::Status,
        Self::Get,
        Self::Declare,
        Self::Update,
        Self::Verify,
        Self::Stop,
        Self::Retry,
        Self::ClaimReady,
        Self::SetAgentId,
        Self::ResetStagnation,
        Self::Doctor,
    ];

    /// The name that people know.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "ralph_start",
            Self::Status => "ralph_status",
            Self::Get => "ralph_get",
            Self::Declare => "ralph_declare",
            Self::Update => "ralph_update",
            Self::Verify => "ralph_verify",
            Self::Stop => "ralph_stop",
            Self::Retry => "ralph_retry",
            Self::ClaimReady => "ralph_claim_ready",
            Self::SetAgentId => "ralph_set_agent_id",
            Self::ResetStagnation => "ralph_reset_stagnation",
            Self::Doctor => "ralph_doctor",
        }
    }

    pub fn audience(self) -> Audience {
        match self {
            Self::Start
            | Self::Status
            | Self::Get
            | Self::Declare
            | Self::Update
            | Self::Verify => Audience::Agent,
            Self::Stop
            | Self::Retry
            | Self::ClaimReady
            | Self::SetAgentId
            | Self::ResetStagnation
            | Self::Doctor => Audience::Operator,
        }
    }

    pub fn effect(self) -> Effect {
        match self {
            Self::Status | Self::Get | Self::Doctor => Effect::Reads,
            // A second call is another submission, another declaration or another look.
            Self::Start
            | Self::Declare
            | Self::Update
            | Self::Verify
            | Self::Retry
            | Self::ClaimReady => Effect::Records,
            Self::SetAgentId | Self::ResetStagnation => Effect::RecordsOnce,
            Self::Stop => Effect::Ends,
        }
    }

    /// The schema of its arguments (draft 2020-12).
    pub fn schema(self) -> Value {
        schema::object(self.keys())
    }

    /// Reads its arguments: everything that is wrong with them is said at once.
    ///
    /// An update that is wrong is on record, so its arguments are checked where it is taken.
    pub fn read(self, object: Map<String, Value>) -> Result<Arguments, Vec<Finding>> {
        let form = Form::value(Value::Object(object));
        let problems = Problems::default();
        if self != Self::Update {
            form::check(&form.field(&problems), self.keys());
        }
        // The same rules under the name of what they are about here.
        let renamed = |mut it: Finding| {
            if let Some(rest) = it.rule.strip_prefix("UPDATE_") {
                it.rule = format!("ARGUMENT_{rest}").into();
            }
            it
        };
        match problems.into_result(Some(())) {
            Ok(()) => Ok(Arguments { tool: self, arguments: form.into_root() }),
            Err(invalid) => Err(findings(&invalid).into_iter().map(renamed).collect()),
        }
    }

    fn keys(self) -> &'static [Key] {
        match self {
            Self::Start => keys::START,
            Self::Status => keys::STATUS,
            Self::Get => keys::GET,
            Self::Declare => keys::DECLARE,
            Self::Update => UPDATE,
            Self::Verify => keys::VERIFY,
            Self::Stop => keys::STOP,
            Self::Retry => keys::RETRY,
            Self::ClaimReady => keys::CLAIM_READY,
            Self::SetAgentId => keys::SET_AGENT_ID,
            Self::ResetStagnation => keys::RESET_STAGNATION,
            Self::Doctor => keys::DOCTOR,
        }
    }
}

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(name: &str) -> Result<Self, UnknownTool> {
        let names = || Self::ALL.iter().map(|it| it.name());
        let found = Self::ALL.into_iter().find(|it| it.name() == name);
        found.ok_or_else(|| UnknownTool { nearest: nearest(name, names()) })
    }
}

impl Arguments {
    /// All of them, as they were sent.
    pub fn value(&self) -> &Value {
        &self.arguments
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.argument(name)?.as_str()
    }

    pub fn truth(&self, name: &str) -> Option<bool> {
        self.argument(name)?.as_bool()
    }

    pub fn count(&self, name: &str) -> Option<u64> {
        self.argument(name)?.as_u64()
    }

    /// A list of texts; empty if there is none.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let list = self.argument(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The keys that were sent and have no effect, so that the answer can say so.
    pub fn unused(&self) -> Vec<&'static str> {
        let unused = self.tool.keys().iter().filter(|it| it.about == UNUSED);
        unused.map(|it| it.name).filter(|it| self.argument(it).is_some()).collect()
    }

    /// What stands under a key, in whichever spelling.
    fn argument(&self, name: &str) -> Option<&Value> {
        let key = self.tool.keys().iter().find(|it| it.name == name)?;
        key.spellings().find_map(|it| present(self.arguments.get(it)))
    }
}

#[cfg(test)]
mod tests {
    use provost_kernel::story::ExecutionStatus;
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(tool: Tool, arguments: Value, expected: &[&str]) {
        let Value::Object(object) = arguments else { panic!("no object") };
        let found = tool.read(object).map_or_else(
            |it| it.iter().map(|it| format!("{} {}", it.rule, it.subject)).collect(),
            |_| Vec::new(),
        );
        assert_eq!(found, expected, "{tool:?}");
    }

    #[test]
    fn a_tool_takes_what_its_table_has_and_nothing_else() {
        check(Tool::Start, json!({"prdPath": "prd.md"}), &[]);
        check(Tool::Start, json!({}), &["ARGUMENT_MISSING_KEY /prdPath"]);
        check(
            Tool::Start,
            json!({"prdpath": "prd.md"}),
            &["ARGUMENT_UNKNOWN_KEY /prdpath", "ARGUMENT_MISSING_KEY /prdPath"],
        );
        check(Tool::Start, json!({"prdPath": 1}), &["ARGUMENT_WRONG_TYPE /prdPath"]);
        check(Tool::Status, json!({}), &[]);
        check(Tool::Status, json!({"status": "running", "historyLimit": 3}), &[]);
        check(Tool::Status, json!({"status": "done"}), &["ARGUMENT_WRONG_TYPE /status"]);
        check(Tool::Declare, json!({"storyId": "US-001", "files": ["a.rs"]}), &[]);
        check(Tool::Declare, json!({"storyId": "US-001", "expectedFiles": ["a.rs"]}), &[]);
        check(Tool::Verify, json!({"storyId": "one"}), &["ARGUMENT_STORY_ID /storyId"]);
        check(Tool::Stop, json!({"branch": "\u{1b}x"}), &["ARGUMENT_CONTROL_CHARACTER /branch"]);
        check(Tool::SetAgentId, json!({"branch": "b"}), &["ARGUMENT_MISSING_KEY /agentTaskId"]);
        check(Tool::Doctor, json!({"x": 1}), &["ARGUMENT_UNKNOWN_KEY /x"]);
    }

    #[test]
    fn an_unknown_key_comes_with_the_nearest_one() {
        let Value::Object(object) = json!({"prdPth": "prd.md", "prdPath": "x"}) else { panic!() };
        let findings = Tool::Start.read(object).unwrap_err();
        assert_eq!(findings[0].message, "unknown key");
        assert_eq!(findings[0].hint.as_ref().unwrap(), &"did you mean `prdPath`?");
    }

    #[test]
    fn either_spelling_is_read() {
        for key in ["expectedFiles", "files"] {
            let Value::Object(object) = json!({"storyId": "US-1", key: ["a", "b"]}) else {
                panic!()
            };
            let read = Tool::Declare.read(object).unwrap();
            assert_eq!(read.texts("expectedFiles"), ["a", "b"]);
        }
    }

    #[test]
    fn what_changes_nothing_is_named() {
        let sent =
            json!({"prdPath": "x", "autoMerge": true, "worktree": null, "onConflict": "agent"});
        let Value::Object(object) = sent else { panic!() };
        let read = Tool::Start.read(object).unwrap();
        assert_eq!(read.unused(), ["autoMerge", "onConflict"]);
    }

    #[test]
    fn a_name_leads_to_its_tool_or_to_the_nearest() {
        for tool in Tool::ALL {
            assert_eq!(tool.name().parse(), Ok(tool));
            assert_eq!(tool.schema()["type"], "object");
            assert_eq!(tool.schema()["additionalProperties"], false);
        }
        let error = "ralph_updat".parse::<Tool>().unwrap_err();
        assert_eq!(error.nearest, Some("ralph_update"));
        assert_eq!("rm".parse::<Tool>().unwrap_err().nearest, None);
    }

    /// A client that takes `key=value` on its command line reads the type of each key and nothing
    /// else: an alternative would reach the tool as a text.
    #[test]
    fn every_key_has_one_type_that_a_command_line_can_fill() {
        #[track_caller]
        fn check(schema: &Value) {
            for word in ["anyOf", "oneOf", "allOf", "not", "if", "$ref"] {
                assert!(schema.get(word).is_none(), "{word} in {schema}");
            }
            let kind = schema["type"].as_str().unwrap_or("none");
            assert!(
                ["string", "boolean", "integer", "array", "object"].contains(&kind),
                "{kind} in {schema}"
            );
            let properties = schema["properties"].as_object().into_iter().flat_map(Map::values);
            let inside = [schema.get("items"), schema.get("additionalProperties")];
            let inside = inside.into_iter().flatten().filter(|it| it.is_object());
            properties.chain(inside).for_each(check);
        }
        for tool in Tool::ALL {
            check(&tool.schema());
        }
    }

    /// Ruling 48: six tools for an agent, six for an operator.
    #[test]
    fn an_agent_is_offered_six_tools() {
        let agents = Tool::ALL.into_iter().filter(|it| it.audience() == Audience::Agent);
        let names: Vec<_> = agents.map(Tool::name).collect();
        let expected = "ralph_start ralph_status ralph_get ralph_declare ralph_update ralph_verify";
        assert_eq!(names.join(" "), expected);
    }

    #[test]
    fn the_words_of_a_status_are_those_of_an_execution() {
        let schema = Tool::Status.schema();
        let words = &schema["properties"]["status"]["enum"];
        assert_eq!(*words, json!(ExecutionStatus::WORDS));
    }
}
