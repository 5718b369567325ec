//! Requests that join no queue of a task: one effect for a request id, however often it is sent, also
//! after a restart (LOOP-U5). The desk remembers them.

use axum::http::StatusCode;
use provost_desk::request::{Claim, Claimed};
use serde::Serialize;
use serde_json::Value;

use crate::{
    refusal::{Own, Refusal},
    route::Asked,
};

/// What came of a request before it is carried out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    /// It is new.
    Nothing,
    /// It was claimed, and nothing says what came of it: it was refused, or a crash cut it off.
    Unsettled,
}

/// Carries out a request and remembers its receipt, or repeats the receipt with `deduplicated`.
///
/// `admit` refuses what shall not even be claimed. `carry_out` of an unsettled request must do what is
/// left of it. What it refuses is not remembered as done.
pub(super) fn once<T: Serialize>(
    asked: &Asked<'_>,
    claim: &Claim<'_>,
    admit: impl FnOnce() -> Result<(), Refusal>,
    carry_out: impl FnOnce(Before) -> Result<T, Refusal>,
) -> Result<Value, Refusal> {
    let desk = &asked.app.desk;
    let _turn = asked.app.turns.take(claim.request_id);
    let mut known = desk.recall_request(claim)?;
    if !matches!(known, Claimed::Repeated { receipt: Some(_) }) {
        admit()?;
    }
    if known == Claimed::First {
        known = desk.claim_request(claim)?;
    }
    let before = match known {
        Claimed::First => Before::Nothing,
        Claimed::Repeated { receipt: None } => Before::Unsettled,
        Claimed::Repeated { receipt: Some(receipt) } => return Ok(repeated(receipt)),
    };
    let unable = |_| Own::Unable.with(StatusCode::INTERNAL_SERVER_ERROR);
    let receipt = serde_json::to_value(carry_out(before)?).map_err(unable)?;
    desk.settle_request(claim, receipt.clone())?;
    Ok(receipt)
}

/// The receipt of the first time, and that it is that.
fn repeated(mut receipt: Value) -> Value {
    if let Some(fields) = receipt.as_object_mut() {
        fields.insert("deduplicated".to_owned(), true.into());
    }
    receipt
}
