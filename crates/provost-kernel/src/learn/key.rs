//! The names of `learn`, checked once, where they enter the process.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Label;
use crate::{Message, shorten, task::TaskType, text_id::text_id};

text_id! {
    /// The name of a mission, and of its folder: letters and digits of any script, `_`, `-` and `.`,
    /// at most 100 bytes; it starts with a letter or a digit.
    pub struct MissionName(String): KeyError;
}

text_id! {
    /// The name of one run of a mission, and of its folder: letters and digits of any script, `_` and
    /// `-`, at most 100 bytes; it starts with a letter or a digit. Files beside it have a dot in theirs.
    pub struct RunName(String): KeyError;
}

text_id! {
    /// What one labelled case is called, whatever its label: one line of at most 200 bytes, without
    /// `::` and without a colon at its end, so that the key of a ticket can be taken apart again.
    pub struct GroupId(String): KeyError;
}

/// A case with its label: `{group_id}::{label}`. It holds the label, so no rollout may see it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct TicketKey {
    group: GroupId,
    label: Label,
}

text_id! {
    /// The key of a rule that may be learned: `G0`, `G1`, … (LEARN-3.5).
    #[schemars(with = "String", extend("pattern" = "^G(0|[1-9][0-9]{0,8})$"))]
    pub struct RuleKey(u32): KeyError;
}

text_id! {
    /// The key of a scaffold rule: `S1`, `S2`, … Nothing that changes guidance has one of these.
    #[schemars(with = "String", extend("pattern" = "^S(0|[1-9][0-9]{0,8})$"))]
    pub struct ScaffoldKey(u32): KeyError;
}

/// A text that is not the name that it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.key")]
pub enum KeyError {
    #[message(
        en = "invalid mission name {0:?}", zh = "任务目标名称 {0:?} 无效",
        hint(
            en = "use letters, digits, `_`, `-` and `.`; start with a letter or a digit; at most {limit} bytes",
            zh = "只用字母、数字、`_`、`-` 和 `.`，以字母或数字开头，最多 {limit} 字节"
        ),
        arg(limit = MISSION_BYTES)
    )]
    Mission(String),
    #[message(
        en = "invalid run name {0:?}", zh = "运行名称 {0:?} 无效",
        hint(
            en = "use letters, digits, `_` and `-`; start with a letter or a digit; at most {limit} bytes",
            zh = "只用字母、数字、`_` 和 `-`，以字母或数字开头，最多 {limit} 字节"
        ),
        arg(limit = MISSION_BYTES)
    )]
    Run(String),
    #[message(
        en = "invalid group id {0:?}", zh = "组 id {0:?} 无效",
        hint(
            en = "use one line without `::`, at most {limit} bytes",
            zh = "只用一行，不含 `::`，最多 {limit} 字节"
        ),
        arg(limit = GROUP_BYTES)
    )]
    Group(String),
    #[message(
        en = "invalid ticket key {0:?}",
        zh = "工单键 {0:?} 无效",
        hint(
            en = "write it as `GROUP::pass` or `GROUP::fail`",
            zh = "写作 `GROUP::pass` 或 `GROUP::fail`"
        )
    )]
    Ticket(String),
    #[message(
        en = "invalid rule key {0:?}",
        zh = "规则键 {0:?} 无效",
        hint(en = "write it as `G0`, `G1`, …", zh = "写作 `G0`、`G1`……")
    )]
    Rule(String),
    #[message(
        en = "invalid scaffold rule key {0:?}",
        zh = "骨架规则键 {0:?} 无效",
        hint(en = "write it as `S1`, `S2`, …", zh = "写作 `S1`、`S2`……")
    )]
    Scaffold(String),
}

const MISSION_BYTES: usize = 100;
const GROUP_BYTES: usize = 200;
/// Nine digits fit into the number.
const DIGITS: usize = 9;
const SEPARATOR: &str = "::";

impl RuleKey {
    /// The checklist: always there, never removed.
    pub const CHECKLIST: Self = Self(0);

    pub fn new(number: u32) -> Self {
        Self(number)
    }

    pub fn number(self) -> u32 {
        self.0
    }
}

impl ScaffoldKey {
    pub fn number(self) -> u32 {
        self.0
    }
}

impl TicketKey {
    pub fn new(group: GroupId, label: Label) -> Self {
        Self { group, label }
    }

    pub fn group(&self) -> &GroupId {
        &self.group
    }

    pub fn label(&self) -> Label {
        self.label
    }
}

impl MissionName {
    const JUDGE: &str = "judge-";

    /// The mission in which the judge of a task type learns from people.
    pub fn of_judge(task_type: TaskType) -> Self {
        Self(format!("{}{task_type}", Self::JUDGE))
    }

    /// The task type whose judge learns in this mission; none for any other mission.
    pub fn judged_type(&self) -> Option<TaskType> {
        TaskType::ALL.iter().copied().find(|it| Self::of_judge(*it) == *self)
    }
}

impl FromStr for MissionName {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let allows = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.');
        let is_name = text.len() <= MISSION_BYTES
            && text.chars().next().is_some_and(char::is_alphanumeric)
            && text.chars().all(allows);
        if is_name { Ok(Self(text.to_owned())) } else { Err(KeyError::Mission(shorten(text))) }
    }
}

impl FromStr for RunName {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let is_name = !text.contains('.') && text.parse::<MissionName>().is_ok();
        if is_name { Ok(Self(text.to_owned())) } else { Err(KeyError::Run(shorten(text))) }
    }
}

impl FromStr for GroupId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let is_id = !text.is_empty()
            && text.len() <= GROUP_BYTES
            && text.trim() == text
            && !text.contains(SEPARATOR)
            && !text.ends_with(':')
            && !text.chars().any(is_break);
        if is_id { Ok(Self(text.to_owned())) } else { Err(KeyError::Group(shorten(text))) }
    }
}

impl FromStr for TicketKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let fail = || KeyError::Ticket(shorten(text));
        let (group, label) = text.split_once(SEPARATOR).ok_or_else(fail)?;
        let group = group.parse().map_err(|_| fail())?;
        Ok(Self { group, label: label.parse().map_err(|_| fail())? })
    }
}

impl FromStr for RuleKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        numbered(text, 'G').map(Self).ok_or_else(|| KeyError::Rule(shorten(text)))
    }
}

impl FromStr for ScaffoldKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        numbered(text, 'S').map(Self).ok_or_else(|| KeyError::Scaffold(shorten(text)))
    }
}

/// The number of a key in exactly one spelling: no sign, no leading zero, no digit of another
/// script, so that two texts never mean one rule.
fn numbered(text: &str, letter: char) -> Option<u32> {
    let digits = text.strip_prefix(letter)?;
    let is_plain = !digits.is_empty()
        && digits.len() <= DIGITS
        && digits.bytes().all(|it| it.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    if is_plain { digits.parse().ok() } else { None }
}

/// Whether a character would end a line or hide in it.
fn is_break(it: char) -> bool {
    it.is_control() || matches!(it, '\u{2028}' | '\u{2029}')
}

impl fmt::Display for TicketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{SEPARATOR}{}", self.group, self.label)
    }
}

impl fmt::Display for RuleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "G{}", self.0)
    }
}

impl fmt::Display for ScaffoldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}", self.0)
    }
}

text_id!(TicketKey: KeyError);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: FromStr<Err = KeyError> + fmt::Display>(text: &str, is_one: bool) {
        let parsed = text.parse::<T>();
        assert_eq!(parsed.is_ok(), is_one, "{text:?}");
        if let Ok(key) = parsed {
            assert_eq!(key.to_string(), text);
        }
    }

    /// LEARN-1.3, LEARN-3.5: a key has one spelling, and no look-alike is one.
    #[test]
    fn a_key_of_a_rule_has_one_spelling() {
        for good in ["G0", "G1", "G10", "G999999999"] {
            check::<RuleKey>(good, true);
        }
        for bad in [
            "S1",
            "g1",
            "G",
            "G01",
            "G00",
            "G+1",
            "G-1",
            "G 1",
            " G1",
            "G1 ",
            "G1\n",
            "Ｇ1",
            "G１",
            "G1.0",
            "G1000000000",
            "Ѕ1",
            "G\u{200b}1",
            "G1\0",
            "",
        ] {
            check::<RuleKey>(bad, false);
        }
        check::<ScaffoldKey>("S1", true);
        for bad in ["G1", "s1", "S01", "Ѕ1", "Ｓ1", "S١"] {
            check::<ScaffoldKey>(bad, false);
        }
    }

    #[test]
    fn a_ticket_key_can_be_taken_apart_again() {
        check::<TicketKey>("QC-1::fail", true);
        check::<TicketKey>("组 7::pass", true);
        check::<TicketKey>("a:b::pass", true);
        for bad in ["QC-1", "QC-1::", "QC-1::Pass", "::pass", "a::b::pass", "a:::pass", "a\n::pass"]
        {
            check::<TicketKey>(bad, false);
        }
        let key: TicketKey = "QC-1::fail".parse().unwrap();
        assert_eq!((key.group().as_str(), key.label()), ("QC-1", Label::Fail));
    }

    #[test]
    fn every_task_type_has_a_mission_of_its_judge() {
        for &task_type in TaskType::ALL {
            let mission = MissionName::of_judge(task_type);
            check::<MissionName>(mission.as_str(), true);
            assert_eq!(mission.judged_type(), Some(task_type));
        }
        for other in ["judge-", "judge-x", "engineering_impl", "judge-engineering_impl-2"] {
            assert_eq!(other.parse::<MissionName>().unwrap().judged_type(), None, "{other}");
        }
        let mission = MissionName::of_judge(TaskType::EngineeringImpl);
        assert_eq!(mission.as_str(), "judge-engineering_impl");
    }

    #[test]
    fn a_mission_is_one_plain_component_of_a_path() {
        for good in ["rust-pr-acceptance", "挡风板检查", "judge.feature", "1"] {
            check::<MissionName>(good, true);
        }
        for bad in ["", ".", "..", "../x", "a/b", "_audit", "-x", "a b", "a\0", &"a".repeat(101)] {
            check::<MissionName>(bad, false);
        }
        for (name, is_one) in [
            ("run-1", true),
            ("基线_2", true),
            ("current.json", false),
            ("a.lock", false),
            ("..", false),
            ("", false),
            ("-x", false),
        ] {
            check::<RunName>(name, is_one);
        }
    }
}
