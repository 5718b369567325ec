//! One hypothesis: a rule that is proposed and waits for support.

use provost_kernel::learn::{Hypothesis, RejectCode};
use serde_json::{Map, Value};

use super::{
    bench::{Bench, Refusal, check_length, check_wording},
    reader,
};
use crate::{
    signature::signature,
    text::{forbidden_dimension, is_binary},
};

/// The fields that mean something.
pub(super) const FIELDS: &[&str] = &["text", "dimension", "falsifier", "evidence"];

/// The most characters of a dimension.
const DIMENSION: u32 = 40;

/// Judges one item of the list of hypotheses.
pub(super) fn judge(bench: &mut Bench<'_, '_>, item: &Value) -> Result<Hypothesis, Refusal> {
    match item {
        Value::Object(item) => judge_fields(bench, item),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(Refusal::new(RejectCode::NotObject, reader::kind(item)))
        }
    }
}

/// Judges the fields of a hypothesis (LEARN-2.3, LEARN-4.1), which an operation may have as well.
pub(super) fn judge_fields(
    bench: &mut Bench<'_, '_>,
    item: &Map<String, Value>,
) -> Result<Hypothesis, Refusal> {
    let text = reader::text(item, "text").ok_or_else(|| Refusal::bare(RejectCode::TextEmpty))?;
    // Asked first, because a copy is one of what is cited; refused last, after the text.
    let evidence = bench.evidence(item);
    bench.check_rule(&text, evidence.as_deref().unwrap_or_default())?;
    if !is_binary(&text, bench.ground.terms) {
        return Err(Refusal::bare(RejectCode::NotBinary));
    }
    bench.check_decides(&text)?;
    let signature = signature(&text);
    if signature.is_empty() {
        return Err(Refusal::bare(RejectCode::TextEmpty));
    }
    bench.check_not_scaffold(&text)?;
    bench.check_conflict(&text)?;
    let falsifier = falsifier(bench, item)?;
    let dimension = dimension(bench, item)?;
    Ok(Hypothesis { signature, text, falsifier, dimension, evidence: evidence? })
}

/// What would show that the rule is wrong.
fn falsifier(bench: &Bench<'_, '_>, item: &Map<String, Value>) -> Result<String, Refusal> {
    let text = reader::text(item, "falsifier")
        .ok_or_else(|| Refusal::bare(RejectCode::FalsifierMissing))?;
    check_length(&text, bench.ground.limits.falsifier, RejectCode::FalsifierTooLong)?;
    check_wording(&text)
        .and_then(|()| bench.check_leak(&text))
        .and_then(|()| bench.check_names_no_scaffold(&text))
        .map_err(|it| it.about("falsifier"))?;
    Ok(text)
}

/// What the rule looks at. A value that is not a text could be anything, a brand included.
fn dimension(bench: &Bench<'_, '_>, item: &Map<String, Value>) -> Result<Option<String>, Refusal> {
    let value = match item.get("dimension") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    if !value.is_string() {
        return Err(Refusal::new(RejectCode::BrandDimension, reader::kind(value)));
    }
    let Some(text) = reader::text(item, "dimension") else { return Ok(None) };
    check_length(&text, DIMENSION, RejectCode::TextTooLong).map_err(|it| it.about("dimension"))?;
    match forbidden_dimension(&text, bench.ground.forbidden_dimensions) {
        Some(word) => Err(Refusal::new(RejectCode::BrandDimension, &word)),
        None => Ok(Some(text)),
    }
}
