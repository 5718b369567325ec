//! The words of the permission policy: what a tool call may do, and what was ruled.
//!
//! A policy is the list of a person's own rules. What provost itself protects is not part of it:
//! those rules are built in, and they cannot be switched off.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Message, Text, Timestamp, text_id::text_id, words::words};

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

words! {
    /// How strict the built-in rules are.
    pub enum GuardLevel {
        /// Some of what would be asked about is recorded instead.
        Relaxed = "relaxed",
        /// As the table of the built-in rules says.
        Standard = "standard",
        /// What would be asked about is refused, and what would be recorded is asked about.
        Strict = "strict",
    }
}

words! {
    /// Built-in rules that are switched together. What belongs to none is always in force.
    pub enum Pack {
        Git = "git",
        Database = "database",
        Kubernetes = "kubernetes",
        Cloud = "cloud",
        Containers = "containers",
        Network = "network",
    }
}

/// Which packs of built-in rules are in force. What one that is off says is only recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each pack is a switch of its own")]
pub struct GuardPacks {
    /// Work that git would lose or overwrite.
    pub git: bool,
    /// Tables, databases and rows.
    pub database: bool,
    /// Objects of a cluster.
    pub kubernetes: bool,
    /// What runs and is stored at a provider.
    pub cloud: bool,
    /// Containers, their volumes, and what they see of the machine.
    pub containers: bool,
    /// What is sent elsewhere, and what can be reached from there.
    pub network: bool,
}

/// What a call is held against besides the built-in rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The rules of the person, in their order: the first that fits decides.
    pub rules: Vec<PolicyRule>,
    /// The rules that came with the repository, in their order. They can only tighten what the
    /// rest says.
    pub repository: Vec<PolicyRule>,
    pub level: GuardLevel,
    pub packs: GuardPacks,
    /// The time, for rules that end. Without one no rule ends that refuses, and every one that
    /// permits until some day has ended.
    pub now: Option<Timestamp>,
}

text_id! {
    /// A day as a rule names it, `2026-12-31`; the rule holds to the end of it, in UTC.
    pub struct Day(String): DayError;
}

/// Why a text is not a [`Day`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "day",
    en = "`{0}` is not a day",
    zh = "`{0}` 不是日期",
    hint(en = "write it as `2026-12-31`", zh = "写法：`2026-12-31`")
)]
pub struct DayError(String);

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
    /// Names of built-in rules that the call must meet, such as `git.reset-hard`. A rule that allows
    /// and names one also answers its refusal, where a person may permit that at all; its command
    /// is then the whole command, unless the last word is `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rule: Vec<String>,
    /// Why, in the person's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub why: Option<String>,
    /// The last day on which the rule holds, in UTC: `2026-12-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Day")]
    pub until: Option<Day>,
    /// The folder of the project that the rule is for, absolute. Without it, it is for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub project: Option<String>,
}

/// Something about a repository that decides whether a rule speaks against a call.
///
/// The policy names the facts that it needs and the engine looks them up; an unknown fact counts as false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryFact {
    /// The folder lies in a linked worktree that is temporary.
    ThrowAway { folder: String },
    /// Every commit of the branch is in what is checked out, or in its upstream.
    Merged { folder: String, branch: String },
    /// The branch was begun in this clone; `HEAD` is the one that is checked out.
    OwnBranch { folder: String, branch: String },
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
    /// The program that asks: who changes it has no guard any more.
    pub program: Option<String>,
    /// What is known of repositories.
    pub facts: Vec<RepositoryFact>,
    /// The links that lie on the way to what the call touches.
    pub links: Vec<FollowedLink>,
}

/// A symbolic link, and where it leads; both paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedLink {
    pub at: String,
    pub to: String,
}

/// Paths as they stand in a call. They may hold secrets, so they are only counted where a ruling is
/// shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TouchedPaths(pub Vec<String>);

impl fmt::Debug for TouchedPaths {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} paths", self.0.len())
    }
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
    /// What would make the call pass or be judged anew, should it hold.
    #[serde(skip)]
    pub open: Vec<RepositoryFact>,
    /// The absolute paths that the call touches: links on the way to them lead elsewhere.
    #[serde(skip)]
    pub touched: TouchedPaths,
}

impl Default for GuardPacks {
    fn default() -> Self {
        Self {
            git: true,
            database: true,
            kubernetes: true,
            cloud: true,
            containers: true,
            network: true,
        }
    }
}

impl GuardPacks {
    /// Whether a pack is in force.
    pub fn has(self, pack: Pack) -> bool {
        match pack {
            Pack::Git => self.git,
            Pack::Database => self.database,
            Pack::Kubernetes => self.kubernetes,
            Pack::Cloud => self.cloud,
            Pack::Containers => self.containers,
            Pack::Network => self.network,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            repository: Vec::new(),
            level: GuardLevel::Standard,
            packs: GuardPacks::default(),
            now: None,
        }
    }
}

impl Policy {
    /// The rules of a person, and everything else as it is built in.
    pub fn of_rules(rules: Vec<PolicyRule>) -> Self {
        Self { rules, ..Self::default() }
    }
}

impl PolicyRule {
    /// A rule that fits everything.
    pub fn new(effect: Effect) -> Self {
        Self {
            id: None,
            effect,
            tool: Vec::new(),
            path: Vec::new(),
            command: Vec::new(),
            host: Vec::new(),
            rule: Vec::new(),
            why: None,
            until: None,
            project: None,
        }
    }
}

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, DayError> {
        let fail = || DayError(crate::shorten(text));
        let is_written = text.len() == 10 && text.is_ascii();
        let time = format!("{text}T00:00:00Z");
        // A day that the calendar does not have is none.
        let read: Timestamp = time.parse().map_err(|_| fail())?;
        if is_written && read.to_string() == time { Ok(Self(text.to_owned())) } else { Err(fail()) }
    }
}

impl Day {
    /// Whether the day is over at a time.
    pub fn is_over(&self, now: Timestamp) -> bool {
        now.to_string().get(..10).is_none_or(|today| today > self.0.as_str())
    }
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
            program: None,
            facts: Vec::new(),
            links: Vec::new(),
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
        let text = r#"{"effect":"ask","command":["git","push"],"until":"2026-12-31"}"#;
        let rule: PolicyRule = serde_json::from_str(text).unwrap();
        assert_eq!(rule.effect, Effect::Ask);
        assert_eq!(rule.tool, Vec::<String>::new());
        assert_eq!(serde_json::to_string(&rule).unwrap(), text);
        let wrong = r#"{"effect":"ask","comand":["git"]}"#;
        assert!(serde_json::from_str::<PolicyRule>(wrong).is_err());
    }

    #[test]
    fn a_day_holds_to_its_end() {
        for text in ["2026-12-31", "2028-02-29"] {
            assert!(text.parse::<Day>().is_ok(), "{text}");
        }
        for text in ["", "2026-2-1", "2026-02-30", "2026-12-31T00:00:00Z", "soon", "+026-12-31"] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        let day: Day = "2026-12-31".parse().unwrap();
        assert!(!day.is_over("2026-12-31T23:59:59Z".parse().unwrap()));
        assert!(day.is_over("2027-01-01T00:00:00Z".parse().unwrap()));
    }
}
