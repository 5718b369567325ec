//! One operation on the rules: add, update, delete or merge.

use provost_kernel::learn::{
    HypothesesMode, Hypothesis, Operation, RejectCode, RuleKey, TicketKey,
};
use serde_json::{Map, Value};

use super::{
    bench::{Bench, Refusal, check_length, check_wording},
    hypothesis, reader,
};
use crate::text::looks_like_scaffold_key;

/// What an operation was found to be.
#[derive(Debug)]
pub(super) enum Judged {
    Operation(Operation),
    /// An addition or merge in a mission that has rules wait for support.
    Hypothesis(Hypothesis),
    /// It says that there is nothing to do.
    Nothing,
}

/// The fields that mean something.
pub(super) const FIELDS: &[&str] =
    &["op", "key", "text", "rationale", "evidence", "merged_from", "falsifier", "dimension"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Add,
    Update,
    Delete,
    Merge,
}

/// What a text that should be the key of a rule is.
enum Key {
    Absent,
    Rule(RuleKey),
    Scaffold(String),
    Neither(String),
}

/// Judges one item of the list of operations.
pub(super) fn judge(bench: &mut Bench<'_, '_>, item: &Value) -> Result<Judged, Refusal> {
    let Value::Object(item) = item else {
        return Err(Refusal::new(RejectCode::NotObject, reader::kind(item)));
    };
    let word = match item.get("op").and_then(Value::as_str) {
        Some("none") => return Ok(Judged::Nothing),
        Some("add") => Word::Add,
        Some("update") => Word::Update,
        Some("delete") => Word::Delete,
        Some("merge") => Word::Merge,
        Some(_) | None => {
            let detail = item.get("op").map(reader::shown).unwrap_or_default();
            return Err(Refusal::new(RejectCode::BadOp, &detail));
        }
    };
    let target = target(word, item)?;
    let evidence = bench.evidence(item)?;
    let rationale = rationale(bench, item)?;
    match (word, target) {
        (Word::Add, _) => add(bench, item, rationale, evidence),
        (_, None) => Err(Refusal::bare(RejectCode::MissingKey)),
        (Word::Update, Some(key)) => {
            bench.check_exists(key)?;
            let text = rule_text(bench, item, Some(key), &evidence)?;
            Ok(Judged::Operation(Operation::Update { key, text, rationale, evidence }))
        }
        (Word::Delete, Some(RuleKey::CHECKLIST)) => Err(Refusal::bare(RejectCode::ChecklistDelete)),
        (Word::Delete, Some(key)) => {
            bench.check_exists(key)?;
            Ok(Judged::Operation(Operation::Delete { key, rationale, evidence }))
        }
        (Word::Merge, Some(key)) => {
            bench.check_exists(key)?;
            let merged_from = merged_from(bench, item, key)?;
            if bench.ground.mode == HypothesesMode::HypothesesOnly {
                return hypothesis::judge_fields(bench, item).map(Judged::Hypothesis);
            }
            let text = rule_text(bench, item, Some(key), &evidence)?;
            Ok(Judged::Operation(Operation::Merge { key, merged_from, text, rationale, evidence }))
        }
    }
}

/// An addition: of a rule that is there in another wording, it is an update.
fn add(
    bench: &mut Bench<'_, '_>,
    item: &Map<String, Value>,
    rationale: Option<String>,
    evidence: Vec<TicketKey>,
) -> Result<Judged, Refusal> {
    let similar = reader::text(item, "text").and_then(|it| bench.similar_rule(&it));
    if similar.is_none() && bench.ground.mode == HypothesesMode::HypothesesOnly {
        return hypothesis::judge_fields(bench, item).map(Judged::Hypothesis);
    }
    let text = rule_text(bench, item, similar, &evidence)?;
    Ok(Judged::Operation(match similar {
        Some(key) => Operation::Update { key, text, rationale, evidence },
        None => Operation::Add { text, rationale, evidence },
    }))
}

/// The rule that an operation is about. A scaffold rule is none for any of them, also where the
/// operation needs no key (LEARN-1.3, LEARN-3.5).
fn target(word: Word, item: &Map<String, Value>) -> Result<Option<RuleKey>, Refusal> {
    match read_key(item.get("key")) {
        Key::Scaffold(text) => Err(Refusal::new(RejectCode::ScaffoldTarget, &text)),
        Key::Absent => Ok(None),
        Key::Rule(key) => Ok(Some(key)),
        Key::Neither(_) if word == Word::Add => Ok(None),
        Key::Neither(text) => Err(Refusal::new(RejectCode::BadKeyNamespace, &text)),
    }
}

fn read_key(value: Option<&Value>) -> Key {
    let text = match value {
        None | Some(Value::Null) => return Key::Absent,
        Some(Value::String(text)) if text.trim().is_empty() => return Key::Absent,
        Some(Value::String(text)) => text,
        Some(other) => return Key::Neither(reader::shown(other)),
    };
    match text.parse() {
        Ok(key) => Key::Rule(key),
        Err(_) if looks_like_scaffold_key(text) => Key::Scaffold(text.clone()),
        Err(_) => Key::Neither(text.clone()),
    }
}

/// The rules that a merge takes away: at least one, all there, none that is protected.
fn merged_from(
    bench: &Bench<'_, '_>,
    item: &Map<String, Value>,
    target: RuleKey,
) -> Result<Vec<RuleKey>, Refusal> {
    let list = match item.get("merged_from") {
        Some(Value::Array(list)) if !list.is_empty() => list,
        Some(_) | None => return Err(Refusal::bare(RejectCode::MergeFromEmpty)),
    };
    let mut keys = Vec::new();
    for value in list {
        let key = match read_key(Some(value)) {
            Key::Scaffold(text) => {
                return Err(Refusal::new(RejectCode::MergeFromProtected, &text));
            }
            Key::Rule(RuleKey::CHECKLIST) if target != RuleKey::CHECKLIST => {
                let text = RuleKey::CHECKLIST.to_string();
                return Err(Refusal::new(RejectCode::MergeFromProtected, &text));
            }
            Key::Rule(key) => key,
            Key::Neither(text) => return Err(Refusal::new(RejectCode::BadKeyNamespace, &text)),
            Key::Absent => return Err(Refusal::bare(RejectCode::MergeFromEmpty)),
        };
        if key == target {
            return Err(Refusal::new(RejectCode::MergeSelf, &key.to_string()));
        }
        bench.check_exists(key)?;
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

/// The text that an operation would write under a key. A checklist says what to look at, and may
/// speak of both answers.
fn rule_text(
    bench: &mut Bench<'_, '_>,
    item: &Map<String, Value>,
    key: Option<RuleKey>,
    evidence: &[TicketKey],
) -> Result<String, Refusal> {
    let text = reader::text(item, "text").ok_or_else(|| Refusal::bare(RejectCode::TextEmpty))?;
    bench.check_rule(&text, evidence)?;
    if key != Some(RuleKey::CHECKLIST) {
        bench.check_decides(&text)?;
    }
    bench.check_not_scaffold(&text)?;
    bench.check_conflict(&text)?;
    Ok(text)
}

/// Why the model wants it; nothing where it does not say.
fn rationale(bench: &Bench<'_, '_>, item: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    let Some(text) = reader::text(item, "rationale") else { return Ok(None) };
    check_length(&text, bench.ground.limits.rationale, RejectCode::RationaleTooLong)?;
    check_wording(&text).map_err(|it| it.about("rationale"))?;
    Ok(Some(text))
}
