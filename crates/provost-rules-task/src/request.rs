//! Whether an order was given before: a request id stands for one body, for good (LOOP-U5).

use provost_kernel::{Digest, Message, RequestId};

/// What to do with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// The id is new: carry it out, and remember id and body with its effect.
    First,
    /// The same order again: give the answer of the first time.
    Same,
}

/// A request id that came back with another body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "task.request",
    en = "request id `{request_id}` was used for another order",
    zh = "请求 id `{request_id}` 已用于另一个指令",
    hint(en = "use a new id for every order", zh = "请为每个新指令使用新的 id"),
    exit = Conflict
)]
pub struct RequestConflict {
    pub request_id: RequestId,
}

/// Holds an order against the body that is remembered for its id.
pub fn check(
    request_id: &RequestId,
    remembered: Option<Digest>,
    body: Digest,
) -> Result<Repetition, RequestConflict> {
    match remembered {
        None => Ok(Repetition::First),
        Some(it) if it == body => Ok(Repetition::Same),
        Some(_) => Err(RequestConflict { request_id: request_id.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-U5: the same body repeats the answer, another body is refused.
    #[test]
    fn an_id_stands_for_one_body() {
        let id: RequestId = "r1".parse().unwrap();
        let (a, b) = (Digest::of_bytes(b"a"), Digest::of_bytes(b"b"));
        assert_eq!(check(&id, None, a), Ok(Repetition::First));
        assert_eq!(check(&id, Some(a), a), Ok(Repetition::Same));
        let error = check(&id, Some(a), b).unwrap_err();
        assert_eq!(error.to_string(), "request id `r1` was used for another order");
        assert_eq!(error.hints(), ["use a new id for every order"]);
        assert_eq!(error.exit(), provost_kernel::Exit::Conflict);
    }
}
