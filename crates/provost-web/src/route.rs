//! The words of the table of routes: what an address takes, what it answers, who answers it.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use provost_kernel::{Actor, AttemptNumber, TaskId};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    App,
    answer::Answer,
    refusal::{Own, Refusal},
};

/// One row of the table. The router and the `OpenAPI` document are both made from it.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// Its parts; a part in braces is the parameter of that name.
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) params: &'static [Param],
    /// The body that it takes, if any.
    pub(crate) body: Option<SchemaOf>,
    /// What it answers with: the status, and the schema of the body.
    pub(crate) status: u16,
    pub(crate) answer: Option<SchemaOf>,
    /// Whether it may also answer with 202: it takes effect later.
    pub(crate) may_wait: bool,
    pub(crate) access: Access,
    pub(crate) effect: Effect,
    pub(crate) handler: Handler,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Delete,
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Who has a key.
    Key,
    /// Everybody; who has a key is told more.
    Open,
}

/// What becomes of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing: it is a question, whatever its method.
    Reads,
    /// Something changes: refused by a read-only server, and counted.
    Writes,
}

pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// Who answers.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// On a thread that may wait for files.
    Blocking(fn(&Asked<'_>) -> Result<Answer, Refusal>),
    /// The event stream.
    Stream,
}

/// A parameter in the path or behind the question mark, with its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) about: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// The id of a task.
    Task,
    /// The number of an attempt.
    Attempt,
    Word(&'static [&'static str]),
    Number {
        least: u64,
        most: u64,
    },
    /// So many bytes at most.
    Text {
        most: usize,
    },
}

/// A request that passed the gates.
pub(crate) struct Asked<'a> {
    pub(crate) app: &'a App,
    pub(crate) values: &'a BTreeMap<&'static str, String>,
    pub(crate) body: Value,
    /// Whether it came with a key.
    pub(crate) is_known: bool,
    /// The key itself.
    pub(crate) key: Option<&'a str>,
}

/// The schema of a type.
pub(crate) fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema of an object whose parts the desk describes.
pub(crate) fn object(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "object"})
}

impl Route {
    pub(crate) const fn get(
        path: &'static str,
        summary: &'static str,
        handler: fn(&Asked<'_>) -> Result<Answer, Refusal>,
    ) -> Self {
        Self {
            method: Method::Get,
            path,
            summary,
            params: &[],
            body: None,
            status: 200,
            answer: Some(object),
            access: Access::Key,
            effect: Effect::Reads,
            may_wait: false,
            handler: Handler::Blocking(handler),
        }
    }

    /// A write that has a body.
    pub(crate) const fn post(
        path: &'static str,
        summary: &'static str,
        handler: fn(&Asked<'_>) -> Result<Answer, Refusal>,
        body: SchemaOf,
    ) -> Self {
        let route = Self::get(path, summary, handler);
        Self { method: Method::Post, body: Some(body), effect: Effect::Writes, ..route }
    }

    pub(crate) const fn with(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }

    pub(crate) const fn answers(self, answer: SchemaOf) -> Self {
        Self { answer: Some(answer), ..self }
    }

    pub(crate) const fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    pub(crate) const fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// It may take effect later.
    pub(crate) const fn waits(self) -> Self {
        Self { may_wait: true, ..self }
    }

    /// It only asks, although it has a body.
    pub(crate) const fn reads(self) -> Self {
        Self { effect: Effect::Reads, ..self }
    }

    pub(crate) const fn open(self) -> Self {
        Self { access: Access::Open, ..self }
    }
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

impl Param {
    pub(crate) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about }
    }

    /// Refuses a value outside of the limits.
    pub(crate) fn check(&self, value: &str) -> Result<(), Refusal> {
        let is_valid = match self.kind {
            Kind::Task => value.parse::<TaskId>().is_ok(),
            Kind::Attempt => attempt(value).is_some(),
            Kind::Word(words) => words.contains(&value),
            Kind::Number { least, most } => {
                number(value).is_some_and(|it| (least..=most).contains(&it))
            }
            Kind::Text { most } => value.len() <= most && !value.contains('\0'),
        };
        if is_valid { Ok(()) } else { Err(Refusal::parameter(self.name)) }
    }
}

/// A number without a sign or leading zeros.
fn number(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|_| is_plain)
}

fn attempt(text: &str) -> Option<AttemptNumber> {
    u16::try_from(number(text)?).ok()?.try_into().ok()
}

impl Asked<'_> {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        number(self.text(name)?)
    }

    pub(crate) fn task(&self) -> Result<TaskId, Refusal> {
        self.text("id").and_then(|it| it.parse().ok()).ok_or_else(|| Refusal::parameter("id"))
    }

    pub(crate) fn attempt(&self) -> Result<AttemptNumber, Refusal> {
        self.text("n").and_then(attempt).ok_or_else(|| Refusal::parameter("n"))
    }

    /// The body as a type that refuses what it does not know.
    pub(crate) fn body<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_value(self.body.clone()).map_err(|error| {
            let why = provost_kernel::shorten(&error.to_string());
            Own::BadBody { why }.with(StatusCode::BAD_REQUEST)
        })
    }

    /// Who orders, as the audit names them.
    pub(crate) fn actor(&self) -> Actor {
        self.app.actor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_keeps_its_limits() {
        let check = |kind, value: &str, is_valid| {
            let param = Param::new("p", kind, "");
            assert_eq!(param.check(value).is_ok(), is_valid, "{param:?} {value:?}");
        };
        let limit = Kind::Number { least: 1, most: 100 };
        for (value, is_valid) in [
            ("1", true),
            ("100", true),
            ("0", false),
            ("101", false),
            ("01", false),
            ("+1", false),
            ("-1", false),
            ("1.0", false),
            ("", false),
            ("１", false),
            ("99999999999999999999", false),
        ] {
            check(limit, value, is_valid);
        }
        for value in ["..", ".", "a/b", "../../etc/passwd", "a\0", "_x", "", "a b", "%2e%2e"] {
            check(Kind::Task, value, false);
        }
        check(Kind::Task, "fix-login", true);
        check(Kind::Attempt, "1", true);
        check(Kind::Attempt, "0", false);
        check(Kind::Attempt, "1000", false);
        check(Kind::Word(&["a"]), "a", true);
        check(Kind::Word(&["a"]), "A", false);
        check(Kind::Text { most: 2 }, "ab", true);
        check(Kind::Text { most: 2 }, "abc", false);
        check(Kind::Text { most: 2 }, "\0", false);
    }
}
