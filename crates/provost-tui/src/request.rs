//! From what a person filled in to an order.

use provost_desk::task::{Action, FieldKind};
use provost_kernel::{Clock, IdError, Message, RequestId, task::Order};
use serde_json::{Map, Value, json};

use crate::{app::Sent, launch::LandRequest};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// For the desk.
    Order(Order),
    /// For a process that the binary starts.
    Run,
    Land(LandRequest),
}

/// What was filled in is not an order.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "tui.request")]
pub(crate) enum RequestError {
    #[message(en = "`{value}` is not a number", zh = "`{value}` 不是数字")]
    Number { value: String },
    #[message(en = "`{action}` cannot be ordered like this", zh = "不能这样下达 `{action}`")]
    Form { action: &'static str },
}

/// Reads what was filled in.
pub(crate) fn read(sent: &Sent) -> Result<Request, RequestError> {
    let offer = &sent.offer;
    let mut payload = Value::Object(offer.payload.clone());
    for (name, text) in &sent.values {
        let field = offer.fields.iter().find(|it| it.name == *name);
        let value = match field.map(|it| it.kind) {
            Some(FieldKind::Number) => {
                let number = text
                    .trim()
                    .parse::<u64>()
                    .map_err(|_| RequestError::Number { value: provost_kernel::shorten(text) })?;
                Value::from(number)
            }
            Some(FieldKind::Word | FieldKind::Branch | FieldKind::Path) => text.trim().into(),
            Some(FieldKind::Text) | None => text.as_str().into(),
        };
        put(&mut payload, name, value);
    }
    let form = || RequestError::Form { action: offer.action.as_str() };
    match offer.action {
        Action::Run => Ok(Request::Run),
        Action::UndoLand => Ok(Request::Land(LandRequest::Undo)),
        Action::Land => {
            let branch = payload.get("branch").and_then(Value::as_str).map(str::to_owned);
            Ok(Request::Land(LandRequest::Onto { branch }))
        }
        Action::Approve
        | Action::Reject
        | Action::Answer
        | Action::Pause
        | Action::PauseNow
        | Action::Resume
        | Action::Reset
        | Action::Rerun
        | Action::Rejudge
        | Action::Edit
        | Action::Override
        | Action::Set
        | Action::Rollback
        | Action::Accept => {
            let mut order = Map::new();
            order.insert("action".to_owned(), json!(offer.action));
            if payload.as_object().is_some_and(|it| !it.is_empty()) {
                order.insert("payload".to_owned(), payload);
            }
            serde_json::from_value(Value::Object(order)).map(Request::Order).map_err(|_| form())
        }
    }
}

/// Puts a value where its name says: `changes.0.value` is a place in a list.
fn put(payload: &mut Value, name: &str, value: Value) {
    let mut place = payload;
    for part in name.split('.') {
        if let Value::Array(items) = place {
            let at = part.parse::<usize>().unwrap_or(items.len()).min(items.len());
            if at == items.len() {
                items.push(Value::Null);
            }
            place = &mut items[at];
            continue;
        }
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(fields) = place else { return };
        place = fields.entry(part).or_insert(Value::Null);
    }
    *place = value;
}

/// A request id of its own for every order that a person gives.
pub(crate) fn id(clock: &dyn Clock) -> Result<RequestId, IdError> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("tui-{}-{}-{count}", clock.millis().0, std::process::id()).parse()
}

#[cfg(test)]
mod tests {
    use provost_desk::task::Seen;

    use super::*;
    use crate::{
        app::tests::offer,
        model::{Field, Offer},
    };

    fn sent(offer: Offer, values: &[(&str, &str)]) -> Sent {
        let values = values.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned()));
        Sent {
            task: "t1".to_owned(),
            offer,
            values: values.collect(),
            seen: Seen { attempt: 1, state_version: 1 },
        }
    }

    #[test]
    fn what_is_filled_in_becomes_an_order() {
        let approve = sent(offer(Action::Approve, "", &[]), &[]);
        assert_eq!(read(&approve).unwrap(), Request::Order(Order::Approve));
        let reject = offer(Action::Reject, "", &[("because", true)]);
        let reject = sent(reject, &[("because", " 不对\nno ")]);
        let because = " 不对\nno ".to_owned();
        assert_eq!(read(&reject).unwrap(), Request::Order(Order::Reject { because }));
        let mut rerun = offer(Action::Rerun, "", &[("attempt", true)]);
        rerun.fields[0] = Field { kind: FieldKind::Number, ..rerun.fields[0].clone() };
        let order = read(&sent(rerun.clone(), &[("attempt", "2")])).unwrap();
        assert!(matches!(order, Request::Order(Order::Rerun { attempt }) if attempt.get() == 2));
        for wrong in ["two", "-1", "2; rm -rf /"] {
            let error = read(&sent(rerun.clone(), &[("attempt", wrong)])).unwrap_err();
            assert!(matches!(error, RequestError::Number { .. }), "{wrong}");
        }
        let land = offer(Action::Land, "", &[("branch", false)]);
        let onto = |branch: Option<&str>| {
            Request::Land(LandRequest::Onto { branch: branch.map(str::to_owned) })
        };
        assert_eq!(read(&sent(land.clone(), &[])).unwrap(), onto(None));
        assert_eq!(read(&sent(land, &[("branch", "next")])).unwrap(), onto(Some("next")));
    }

    #[test]
    fn a_name_with_dots_is_a_place() {
        let mut payload = json!({"changes": [{"field": "test_cmd", "kind": "SET"}]});
        put(&mut payload, "changes.0.value", "make test".into());
        put(&mut payload, "because", "x".into());
        assert_eq!(
            payload,
            json!({
                "changes": [{"field": "test_cmd", "kind": "SET", "value": "make test"}],
                "because": "x",
            })
        );
        put(&mut payload, "changes.9.value", "y".into());
        assert_eq!(payload["changes"][1]["value"], "y");
    }
}
