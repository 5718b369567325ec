//! Guidance as a file: what a mission begins with, and what it has learned.
//!
//! One layout serves both: scaffold and rules side by side in the file of the mission, rules alone
//! in the file of a run. The scaffold is read here and never written back: it has a file of its
//! own, which pins every text by its digest (LEARN-1.3).

mod apply;
mod difference;
mod error;
mod log;

use std::collections::BTreeMap;

use provost_form::{Limits, json};
use provost_kernel::{
    Digest, Timestamp,
    learn::{Guidance, MissionName, Rule, RuleKey, Scaffold, ScaffoldKey, TicketKey},
    shorten,
};
use serde_json::{Map, Value, json};

pub use self::{
    apply::{Applied, Apply, ApplyError, Change, PROMOTION, apply, remove},
    difference::{Difference, differences},
    error::{Expected, GuidanceError, GuidanceWarning},
    log::{Cause, LogError, Logged, rebuild, replay, restored, state_digest},
};
use super::lifecycle::confidence;
use crate::words::WORDS;

/// What a file of guidance holds for one mission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    pub scaffold: Scaffold,
    pub guidance: Guidance,
    /// As it was written: artifacts hold no other time than this.
    pub updated_at: String,
    /// What was ignored, by its place in the file.
    pub warnings: Vec<GuidanceWarning>,
}

const LIMITS: Limits = Limits { bytes: 16 * 1024 * 1024, depth: 16 };
/// The fields of a mission's section; `focus` is that of older files.
const FIELDS: [&str; 6] = ["step", "updated_at", "experiences", "metadata", "next_key", "focus"];
/// The reflection that is named for a rule which no reflection wrote.
const NO_REFLECTION: &str = "seed";
const SCAFFOLD_SCHEMA: &str = "provost.scaffold/1";

/// Reads the section of a mission (LEARN-1.1, LEARN-3.5).
///
/// Texts of the scaffold are kept byte for byte; those of rules lose the white space around them.
pub fn read(text: &str, mission: &MissionName) -> Result<Seed, GuidanceError> {
    let value = json::parse(text.as_bytes(), LIMITS).map_err(GuidanceError::Json)?;
    let root = value.as_object().ok_or(GuidanceError::NotObject)?;
    if root.contains_key("version") && root.contains_key("guidance") {
        return Err(GuidanceError::Legacy);
    }
    let section = root.get(mission.as_str()).ok_or_else(|| GuidanceError::NoMission {
        mission: mission.clone(),
        known: root.keys().map(|it| shorten(it)).collect(),
    })?;
    let section = section
        .as_object()
        .ok_or_else(|| GuidanceError::not(mission.as_str(), Expected::Object))?;
    Section { mission: mission.as_str(), fields: section, warnings: Vec::new() }.read()
}

/// The rules of a run as its file; the scaffold is not in it.
pub fn write(mission: &MissionName, guidance: &Guidance, updated_at: &str) -> Value {
    let mut experiences = Map::new();
    let mut metadata = Map::new();
    for (key, rule) in &guidance.rules {
        experiences.insert(key.to_string(), Value::String(rule.text.clone()));
        if *rule != Rule::seed(rule.text.clone()) {
            metadata.insert(key.to_string(), written(rule, updated_at));
        }
    }
    json!({mission.as_str(): {
        "step": guidance.step,
        "updated_at": updated_at,
        "experiences": experiences,
        "metadata": metadata,
        "next_key": guidance.next_key,
    }})
}

/// Scaffold and rules together: a file that a mission can begin with.
pub fn whole(
    mission: &MissionName,
    scaffold: &Scaffold,
    guidance: &Guidance,
    updated_at: &str,
) -> Value {
    let mut file = write(mission, guidance, updated_at);
    if let Some(rules) = file[mission.as_str()]["experiences"].as_object_mut() {
        let fixed = scaffold.rules().iter();
        rules.extend(fixed.map(|(key, text)| (key.to_string(), Value::String(text.clone()))));
    }
    file
}

/// The scaffold as its file: each text with its digest, and the digest of all.
pub fn scaffold_file(scaffold: &Scaffold) -> Value {
    let rule = |text: &String| json!({"text": text, "sha256": Digest::of_bytes(text.as_bytes())});
    let rules: Map<String, Value> =
        scaffold.rules().iter().map(|(key, text)| (key.to_string(), rule(text))).collect();
    json!({"schema": SCAFFOLD_SCHEMA, "rules": rules, "sha256": scaffold.digest()})
}

/// Reads the file of a scaffold, and refuses one whose texts are not those of its digests.
pub fn read_scaffold(text: &str) -> Result<Scaffold, GuidanceError> {
    let value = json::parse(text.as_bytes(), LIMITS).map_err(GuidanceError::Json)?;
    let forged = |at: &str| GuidanceError::Forged { at: shorten(at) };
    if value.get("schema").and_then(Value::as_str) != Some(SCAFFOLD_SCHEMA) {
        return Err(forged("schema"));
    }
    let rules = value.get("rules").and_then(Value::as_object).ok_or_else(|| forged("rules"))?;
    let mut texts = BTreeMap::new();
    for (name, rule) in rules {
        let key: ScaffoldKey = name.parse().map_err(|_| forged(name))?;
        let text = rule.get("text").and_then(Value::as_str).ok_or_else(|| forged(name))?;
        if rule.get("sha256") != Some(&json!(Digest::of_bytes(text.as_bytes()))) {
            return Err(forged(name));
        }
        texts.insert(key, text.to_owned());
    }
    let scaffold = Scaffold::new(texts).map_err(GuidanceError::Scaffold)?;
    let is_whole = value.get("sha256") == Some(&json!(scaffold.digest()));
    if is_whole { Ok(scaffold) } else { Err(forged("sha256")) }
}

/// What a file says of one mission.
struct Section<'a> {
    mission: &'a str,
    fields: &'a Map<String, Value>,
    warnings: Vec<GuidanceWarning>,
}

impl Section<'_> {
    fn read(mut self) -> Result<Seed, GuidanceError> {
        for name in self.fields.keys().filter(|it| !FIELDS.contains(&it.as_str())) {
            self.warnings.push(GuidanceWarning::Ignored(shorten(name)));
        }
        let step = self.required("step")?;
        let step = step.as_u64().ok_or_else(|| self.not("step", Expected::FromZero))?;
        let updated_at = self.required("updated_at")?.as_str().filter(|it| is_time(it));
        let updated_at =
            updated_at.ok_or_else(|| self.not("updated_at", Expected::Time))?.to_owned();
        let (scaffold, mut rules) = self.experiences()?;
        self.metadata(&mut rules)?;
        let next_key = self.next_key(&rules)?;
        let scaffold = Scaffold::new(scaffold).map_err(GuidanceError::Scaffold)?;
        let guidance = Guidance { step, next_key, rules };
        Ok(Seed { scaffold, guidance, updated_at, warnings: self.warnings })
    }

    fn experiences(&self) -> Result<(Texts, Rules), GuidanceError> {
        let list = self.required("experiences")?.as_object().filter(|it| !it.is_empty());
        let list = list.ok_or_else(|| self.not("experiences", Expected::Rules))?;
        let (mut scaffold, mut rules) = (Texts::new(), Rules::new());
        for (name, value) in list {
            let at = format!("experiences.{}", shorten(name));
            let text = value.as_str().ok_or_else(|| self.not(&at, Expected::Text))?;
            if let Ok(key) = name.parse::<ScaffoldKey>() {
                scaffold.insert(key, text.to_owned());
            } else if let Ok(key) = name.parse::<RuleKey>() {
                rules.insert(key, Rule::seed(text.trim().to_owned()));
            } else {
                return Err(GuidanceError::Namespace { key: shorten(name) });
            }
        }
        self.checklist(&mut rules);
        if let Some((key, _)) = rules.iter().find(|(_, rule)| rule.text.is_empty()) {
            return Err(self.not(&format!("experiences.{key}"), Expected::NonBlank));
        }
        if rules.contains_key(&RuleKey::CHECKLIST) {
            Ok((scaffold, rules))
        } else {
            Err(GuidanceError::NoChecklist { mission: shorten(self.mission) })
        }
    }

    /// Older files have the checklist in `focus`.
    fn checklist(&self, rules: &mut Rules) {
        let is_open = rules.get(&RuleKey::CHECKLIST).is_none_or(|it| is_placeholder(&it.text));
        let focus = self.fields.get("focus").and_then(Value::as_str).map(str::trim);
        if let Some(focus) = focus.filter(|it| is_open && !it.is_empty()) {
            rules.insert(RuleKey::CHECKLIST, Rule::seed(focus.to_owned()));
        }
    }

    fn metadata(&mut self, rules: &mut Rules) -> Result<(), GuidanceError> {
        let Some(value) = self.fields.get("metadata") else { return Ok(()) };
        let list = value.as_object().ok_or_else(|| self.not("metadata", Expected::Object))?;
        for (name, value) in list {
            let rule = name.parse::<RuleKey>().ok().and_then(|key| rules.get_mut(&key));
            if let Some(rule) = rule {
                Entry::new(name, value)?.fill(rule)?;
            } else {
                // A scaffold rule has no history: nothing ever happens to it.
                let name = format!("metadata.{}", shorten(name));
                self.warnings.push(GuidanceWarning::Ignored(name));
            }
        }
        Ok(())
    }

    /// The number of the next new rule: more than every number that is in use.
    fn next_key(&mut self, rules: &Rules) -> Result<u32, GuidanceError> {
        let least = rules.keys().map(|it| it.number().saturating_add(1)).max().unwrap_or(1);
        let Some(value) = self.fields.get("next_key") else { return Ok(least) };
        let number = value.as_u64().and_then(|it| u32::try_from(it).ok());
        let number = number.ok_or_else(|| self.not("next_key", Expected::FromOne))?;
        if number < least {
            self.warnings.push(GuidanceWarning::NextKey { least, last: least - 1 });
        }
        Ok(number.max(least))
    }

    fn required(&self, field: &str) -> Result<&Value, GuidanceError> {
        let missing = || GuidanceError::Missing { at: self.at(field) };
        self.fields.get(field).ok_or_else(missing)
    }

    fn not(&self, field: &str, expected: Expected) -> GuidanceError {
        GuidanceError::not(&self.at(field), expected)
    }

    fn at(&self, field: &str) -> String {
        format!("{}.{field}", shorten(self.mission))
    }
}

type Texts = BTreeMap<ScaffoldKey, String>;
type Rules = BTreeMap<RuleKey, Rule>;

/// What a file says of the history of one rule.
struct Entry<'a> {
    name: &'a str,
    fields: &'a Map<String, Value>,
}

impl<'a> Entry<'a> {
    fn new(name: &'a str, value: &'a Value) -> Result<Self, GuidanceError> {
        let at = || format!("metadata.{}", shorten(name));
        let fields =
            value.as_object().ok_or_else(|| GuidanceError::not(&at(), Expected::Object))?;
        Ok(Self { name, fields })
    }

    fn fill(&self, rule: &mut Rule) -> Result<(), GuidanceError> {
        if !self.text("updated_at")?.is_some_and(is_time) {
            return Err(self.not("updated_at", Expected::Time));
        }
        let id = self.text("reflection_id")?.filter(|it| !it.trim().is_empty());
        let id = id.ok_or_else(|| self.not("reflection_id", Expected::ReflectionId))?;
        rule.reflection_id = (id != NO_REFLECTION).then(|| id.to_owned());
        rule.rationale = self.text("rationale")?.map(str::to_owned);
        rule.hits = self.count("hit_count")?;
        rule.misses = self.count("miss_count")?;
        rule.sources = self.sources()?;
        Ok(())
    }

    fn sources(&self) -> Result<Vec<TicketKey>, GuidanceError> {
        let Some(value) = self.fields.get("sources") else { return Ok(Vec::new()) };
        let not = || self.not("sources", Expected::TicketKeys);
        let keys = value.as_array().ok_or_else(not)?.iter();
        keys.map(|it| it.as_str().and_then(|it| it.parse().ok()).ok_or_else(not)).collect()
    }

    fn text(&self, field: &str) -> Result<Option<&str>, GuidanceError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| self.not(field, Expected::Text)),
        }
    }

    fn count(&self, field: &str) -> Result<u64, GuidanceError> {
        let Some(value) = self.fields.get(field) else { return Ok(0) };
        value.as_u64().ok_or_else(|| self.not(field, Expected::FromZero))
    }

    fn not(&self, field: &str, expected: Expected) -> GuidanceError {
        GuidanceError::not(&format!("metadata.{}.{field}", shorten(self.name)), expected)
    }
}

fn written(rule: &Rule, updated_at: &str) -> Value {
    json!({
        "updated_at": updated_at,
        "reflection_id": rule.reflection_id.as_deref().unwrap_or(NO_REFLECTION),
        "sources": rule.sources,
        "rationale": rule.rationale,
        "hit_count": rule.hits,
        "miss_count": rule.misses,
        "confidence": confidence(rule.hits, rule.misses),
    })
}

/// Whether a text is a time of ISO 8601; without an offset it is one as well, and so is a day.
fn is_time(text: &str) -> bool {
    let forms = [text.to_owned(), format!("{text}Z"), format!("{text}T00:00:00Z")];
    forms.iter().any(|it| it.parse::<Timestamp>().is_ok())
}

fn is_placeholder(text: &str) -> bool {
    text.is_empty() || WORDS.placeholders.has(&text.to_lowercase())
}

#[cfg(test)]
mod tests;
