//! Whether an order was given before: a request id stands for one body, for good (LOOP-U5).

use provost_kernel::{Digest, Exit, Message, RequestId, Text};

/// What to do with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// Nobody used this id: carry it out, and remember id and body with its effect.
    First,
    /// The same order again: give the answer of the first time.
    Same,
}

/// A request id that came back with another body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text())]
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

impl Message for RequestConflict {
    fn text(&self) -> Text {
        Text::each(|lang| {
            let id = &self.request_id;
            lang.pick(
                format!("the request id `{id}` was used for another order"),
                format!("请求 id `{id}` 已用于另一个指令"),
            )
        })
    }

    fn hints(&self) -> Vec<Text> {
        Text::each_of(|lang| {
            vec![
                lang.pick("give every new order an id of its own", "请为每个新指令使用新的 id")
                    .to_owned(),
            ]
        })
    }

    fn exit(&self) -> Exit {
        Exit::Conflict
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
        assert_eq!(error.to_string(), "the request id `r1` was used for another order");
        assert_eq!(error.text().render(provost_kernel::Lang::Zh), "请求 id `r1` 已用于另一个指令");
        assert_eq!(
            error.hints_in(provost_kernel::Lang::En),
            ["give every new order an id of its own"]
        );
        assert_eq!(error.exit(), Exit::Conflict);
    }
}
