//! The guidance that is in force: what a run made current, whole or not at all.
//!
//! The file holds the digest of its rules. One whose rules have another digest was damaged or edited
//! by hand, and is rejected.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Guidance, Rule, RuleKey, RunName, Scaffold};
use crate::{Digest, Message, Record};

/// The guidance in force for a mission, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct Current {
    run: RunName,
    scaffold: Digest,
    guidance: Guidance,
}

/// Everything that a judge applies: the scaffold, and what was learned under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rulebook {
    pub scaffold: Scaffold,
    pub guidance: Guidance,
}

/// Why rules cannot be in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.current", exit = Integrity)]
pub enum CurrentError {
    /// The rules are not those that the digest was made of.
    #[message(
        en = "the rules do not match `guidance_sha256`",
        zh = "规则与 `guidance_sha256` 不符"
    )]
    Altered,
    /// There is no checklist, or it is blank.
    #[message(en = "missing checklist `G0`", zh = "缺少检查清单 `G0`")]
    NoChecklist,
    #[message(en = "rule {0} is empty", zh = "规则 {0} 为空")]
    Blank(RuleKey),
    /// A key that the next new rule could be given again.
    #[message(en = "rule {0} is beyond `next_key`", zh = "规则 {0} 超出 `next_key`")]
    KeyAhead(RuleKey),
    #[message(
        en = "the rules have {bytes} bytes, the limit is {limit}",
        zh = "规则共 {bytes} 字节，上限为 {limit}",
        arg(limit = BYTES)
    )]
    TooLong { bytes: usize },
}

/// The limit of all rules together: a prompt never truncates them, so more is refused.
const BYTES: usize = 64 * 1024;

/// The fields of the file.
#[derive(Serialize, Deserialize)]
struct Wire {
    run: RunName,
    step: u64,
    next_key: u32,
    scaffold_sha256: Digest,
    guidance_sha256: Digest,
    guidance: BTreeMap<RuleKey, Rule>,
}

impl Current {
    /// The guidance of a run, to be in force under its scaffold.
    pub fn new(
        run: RunName,
        scaffold: &Scaffold,
        guidance: Guidance,
    ) -> Result<Self, CurrentError> {
        check(&guidance)?;
        Ok(Self { run, scaffold: scaffold.digest(), guidance })
    }

    /// The run that it comes from.
    pub fn run(&self) -> &RunName {
        &self.run
    }

    /// The digest of the scaffold that the rules were learned under.
    pub fn scaffold(&self) -> Digest {
        self.scaffold
    }

    pub fn guidance(&self) -> &Guidance {
        &self.guidance
    }

    /// The rules, to judge by.
    pub fn into_guidance(self) -> Guidance {
        self.guidance
    }
}

impl Record for Current {
    const SCHEMA: &'static str = "provost.current/1";
    const KEYS: &'static [&'static str] =
        &["guidance", "guidance_sha256", "next_key", "run", "scaffold_sha256", "step"];
}

impl Rulebook {
    /// What pins all of it, and so what a verdict names.
    pub fn digest(&self) -> Digest {
        let both = format!("{}\0{}\0", self.scaffold.digest(), self.guidance.digest());
        Digest::of_bytes(both.as_bytes())
    }
}

impl TryFrom<Wire> for Current {
    type Error = CurrentError;

    fn try_from(wire: Wire) -> Result<Self, CurrentError> {
        let Wire { run, step, next_key, scaffold_sha256, guidance_sha256, guidance } = wire;
        let guidance = Guidance { step, next_key, rules: guidance };
        if guidance.digest() != guidance_sha256 {
            return Err(CurrentError::Altered);
        }
        check(&guidance)?;
        Ok(Self { run, scaffold: scaffold_sha256, guidance })
    }
}

impl From<Current> for Wire {
    fn from(current: Current) -> Self {
        let Current { run, scaffold, guidance } = current;
        Self {
            run,
            step: guidance.step,
            next_key: guidance.next_key,
            scaffold_sha256: scaffold,
            guidance_sha256: guidance.digest(),
            guidance: guidance.rules,
        }
    }
}

fn check(guidance: &Guidance) -> Result<(), CurrentError> {
    if guidance.checklist().trim().is_empty() {
        return Err(CurrentError::NoChecklist);
    }
    for (key, rule) in &guidance.rules {
        if rule.text.trim().is_empty() {
            return Err(CurrentError::Blank(*key));
        }
        if key.number() >= guidance.next_key {
            return Err(CurrentError::KeyAhead(*key));
        }
    }
    let bytes = guidance.rules.values().map(|it| it.text.len()).sum();
    if bytes > BYTES { Err(CurrentError::TooLong { bytes }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::RecordFile;

    fn guidance(rules: &[(u32, &str)]) -> Guidance {
        let rule =
            |&(number, text): &(u32, &str)| (RuleKey::new(number), Rule::seed(text.to_owned()));
        Guidance { step: 3, next_key: 5, rules: rules.iter().map(rule).collect() }
    }

    fn scaffold(text: &str) -> Scaffold {
        Scaffold::new([("S1".parse().unwrap(), text.to_owned())].into()).unwrap()
    }

    fn current(rules: &[(u32, &str)]) -> Result<Current, CurrentError> {
        Current::new("run-1".parse().unwrap(), &scaffold("s"), guidance(rules))
    }

    fn written() -> Value {
        let current = current(&[(0, "check it"), (4, "如果没有测试,则不通过")]).unwrap();
        serde_json::to_value(RecordFile::new(current)).unwrap()
    }

    #[test]
    fn what_was_written_is_read_again_with_every_key() {
        let value = written();
        let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        keys.retain(|it| *it != "schema");
        keys.sort_unstable();
        assert_eq!(keys, Current::KEYS);
        assert_eq!(value["guidance"]["G4"]["text"], "如果没有测试,则不通过");
        let read = RecordFile::<Current>::read(value).unwrap().value;
        assert_eq!(read, current(&[(0, "check it"), (4, "如果没有测试,则不通过")]).unwrap());
    }

    /// What is not exactly what was made current is not in force.
    #[test]
    fn damaged_rules_are_no_rules() {
        let check = |change: fn(&mut Value)| {
            let mut value = written();
            change(&mut value);
            assert!(RecordFile::<Current>::read(value.clone()).is_err(), "{value}");
        };
        check(|it| it["guidance"]["G4"]["text"] = json!("If anything, then pass."));
        check(|it| it["guidance"]["G1"] = json!({"text": "One more."}));
        check(|it| _ = it["guidance"].as_object_mut().unwrap().remove("G4"));
        check(|it| it["guidance"]["S1"] = json!({"text": "A scaffold."}));
        check(|it| it["guidance_sha256"] = json!("0"));
        check(|it| it["next_key"] = json!(4));
        check(|it| it["run"] = json!("../x"));
        check(|it| _ = it.as_object_mut().unwrap().remove("scaffold_sha256"));
        check(|it| it["schema"] = json!("provost.current/2"));
        check(|it| *it = json!([]));
    }

    #[test]
    fn what_says_nothing_or_too_much_is_never_made_current() {
        let long = "x".repeat(BYTES);
        for (rules, expected) in [
            (&[(1, "a")][..], CurrentError::NoChecklist),
            (&[(0, " ")], CurrentError::NoChecklist),
            (&[(0, "a"), (2, "\n")], CurrentError::Blank(RuleKey::new(2))),
            (&[(0, "a"), (5, "b")], CurrentError::KeyAhead(RuleKey::new(5))),
            (&[(0, "a"), (1, &long)], CurrentError::TooLong { bytes: BYTES + 1 }),
        ] {
            assert_eq!(current(rules).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_rulebook_is_pinned_by_both_its_parts() {
        let digest = |scaffolding: &str, rules: &[(u32, &str)]| {
            Rulebook { scaffold: scaffold(scaffolding), guidance: guidance(rules) }.digest()
        };
        let first = digest("s", &[(0, "a")]);
        assert_eq!(first, digest("s", &[(0, "a")]));
        assert_ne!(first, digest("t", &[(0, "a")]));
        assert_ne!(first, digest("s", &[(0, "b")]));
        assert_ne!(first, digest("s", &[(0, "a"), (1, "b")]));
    }
}
