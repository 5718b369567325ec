//! The words of the permission policy: what a tool call may do, and what was ruled.
//!
//! A policy is the list of a person's own rules. What provost itself protects is not part of it:
//! those rules are built in, and they cannot be switched off.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Text;

/// What becomes of a tool call; the later is the stricter.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It runs.
    Allow,
    /// It runs, and is written down.
    Record,
    /// A person decides; where no person can be asked, it is refused.
    Ask,
    /// It is refused.
    Deny,
}

/// The rules of a person, in their order: the first that fits decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    #[serde(default)]
    pub rules: Vec<PolicyRule>,
}

/// One rule of a person. A condition that names nothing fits everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRule {
    /// The name under which it appears in answers; without one it is `user.N`, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub id: Option<String>,
    /// What becomes of a tool call that the rule fits.
    pub effect: Effect,
    /// Names of tools, or `shell`, `write`, `read`, `web`, `agent` for all of a kind; a final `*`
    /// stands for the rest of a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool: Vec<String>,
    /// Globs of paths, absolute, from `~`, or from the project's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// The words a command begins with, the program first: `["git", "push"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Names of hosts; `*.example.com` stands for all below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<String>,
    /// Why, in the person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub why: Option<String>,
}

/// A tool that an agent wants to use, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The name as the client says it.
    pub tool: Option<String>,
    pub input: Value,
    /// The folder the call runs in, absolute.
    pub directory: String,
    /// The project's folder, if it is another one.
    pub root: Option<String>,
    /// Further folders that the call may write to, such as the one where an attempt leaves its
    /// answer.
    pub granted: Vec<String>,
    /// The home of provost.
    pub home: Option<String>,
    /// The person's own home folder, if it is known.
    pub user_home: Option<String>,
}

/// What was ruled on a tool call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyRuling {
    pub effect: Effect,
    /// The stable name of the rule that decided, such as `git.force-push`.
    pub rule: Cow<'static, str>,
    pub why: Text,
    /// The part of the call that the rule stands on; secrets are taken out.
    pub subject: String,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Text>,
}

impl Effect {
    /// Whether the call runs without anybody being asked.
    pub fn passes(self) -> bool {
        match self {
            Self::Allow | Self::Record => true,
            Self::Ask | Self::Deny => false,
        }
    }

    /// The word as it stands in a configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Record => "record",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl ToolCall {
    /// A command for a shell, as `guard explain` looks at it.
    pub fn shell(command: &str, directory: &str) -> Self {
        Self {
            tool: Some("Bash".to_owned()),
            input: serde_json::json!({ "command": command }),
            directory: directory.to_owned(),
            root: None,
            granted: Vec::new(),
            home: None,
            user_home: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_effect_is_the_greater_one() {
        let mut effects = [Effect::Deny, Effect::Allow, Effect::Ask, Effect::Record];
        effects.sort_unstable();
        assert_eq!(effects.map(Effect::as_str), ["allow", "record", "ask", "deny"]);
        assert_eq!(effects.map(Effect::passes), [true, true, false, false]);
    }

    #[test]
    fn a_rule_is_read_as_it_is_written() {
        let text = r#"{"rules":[{"effect":"ask","command":["git","push"]}]}"#;
        let policy: Policy = serde_json::from_str(text).unwrap();
        assert_eq!(policy.rules[0].effect, Effect::Ask);
        assert_eq!(policy.rules[0].tool, Vec::<String>::new());
        assert_eq!(serde_json::to_string(&policy).unwrap(), text);
        let wrong = r#"{"rules":[{"effect":"ask","comand":["git"]}]}"#;
        assert!(serde_json::from_str::<Policy>(wrong).is_err());
    }
}
