//! Texts that are put together, changed or decoded.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

use super::super::{
    super::{super::path_zones::UNKNOWN, stdin},
    call::Given,
    machine::Machine,
    value::{Origin, Value, join},
};

impl Machine<'_> {
    /// `'%s %s' % (a, b)` and its kin.
    pub(in super::super) fn formatted(&mut self, format: &Value, given: &Value) -> Value {
        let Some(text) = format.known_text() else {
            return Value::Unknown(format.origin().and(given.origin()).and(Origin::COMPUTED));
        };
        let values = given.members().map_or_else(|| vec![given.clone()], <[Value]>::to_vec);
        let mut values = values.into_iter();
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            parts.push(Value::text(before));
            let end = after.find(|it: char| it.is_ascii_alphabetic() || it == '%').unwrap_or(0);
            match after.get(end..end + 1) {
                Some("%") => parts.push(Value::text("%")),
                _ => parts.push(values.next().unwrap_or(Value::NOTHING)),
            }
            rest = after.get(end + 1..).unwrap_or_default();
        }
        parts.push(Value::text(rest));
        join(&parts, "")
    }

    /// `'{} {x}'.format(a, x=b)`
    pub(super) fn braced(&mut self, format: &Value, given: &Given) -> Value {
        let Some(text) = format.known_text() else {
            return Value::Unknown(format.origin().and(given.origin()).and(Origin::COMPUTED));
        };
        let mut parts = Vec::new();
        let mut rest = text;
        let mut next = 0;
        while let Some((before, after)) = rest.split_once('{') {
            parts.push(Value::text(before));
            let Some((name, behind)) = after.split_once('}') else { break };
            let name = name.split([':', '!']).next().unwrap_or_default();
            let value = match (name.parse::<usize>(), given.named(name)) {
                (Ok(at), _) => given.at(at),
                (Err(_), Some(value)) => value.clone(),
                (Err(_), None) => {
                    next += 1;
                    given.at(next - 1)
                }
            };
            parts.push(value);
            rest = behind;
        }
        parts.push(Value::text(rest));
        join(&parts, "")
    }

    pub(super) fn decoded(&mut self, how: &str, value: &Value) -> Value {
        let read = value.known_text().and_then(|it| match how.rsplit('.').next() {
            Some("fromhex" | "unhexlify" | "a2b_hex") => hexadecimal(it),
            Some(
                "b64decode" | "atob" | "decode64" | "strict_decode64" | "decode_base64" | "decoded"
                | "a2b_base64" | "urlsafe_b64decode",
            ) => base64(it),
            _ => None,
        });
        let origin = value.origin().and(Origin::DECODED).and(Origin::COMPUTED);
        read.map_or(Value::Unknown(origin), |it| Value::Text(it, origin))
    }
}

/// The characters of some numbers.
pub(super) fn characters(values: &[Value]) -> Value {
    let flat = values
        .iter()
        .flat_map(|it| it.members().map_or_else(|| vec![it.clone()], <[Value]>::to_vec));
    let mut text = String::new();
    for it in flat {
        let Value::Number(number) = it else {
            return Value::Unknown(it.origin().and(Origin::COMPUTED));
        };
        let one = u32::try_from(number).ok().and_then(char::from_u32);
        text.push(one.unwrap_or(UNKNOWN));
    }
    Value::built(text, Origin::DECODED)
}

pub(super) fn backwards(value: &Value) -> Value {
    match value {
        Value::List(all) => Value::List(all.iter().rev().cloned().collect()),
        Value::Text(..) => changed(value, |it| it.chars().rev().collect()),
        Value::Unknown(_)
        | Value::Number(_)
        | Value::Dict(_)
        | Value::Known(_)
        | Value::Function(_)
        | Value::Several(_) => Value::Unknown(value.origin().and(Origin::COMPUTED)),
    }
}

pub(super) fn changed(value: &Value, change: impl Fn(&str) -> String) -> Value {
    match value.known_text() {
        Some(text) => Value::built(change(text), value.origin()),
        None => Value::Unknown(value.origin().and(Origin::COMPUTED)),
    }
}

pub(super) fn replaced(value: &Value, from: &Value, to: &Value) -> Value {
    match (value.known_text(), from.known_text(), to.known_text()) {
        (Some(text), Some(from), Some(to)) if !from.is_empty() && text.len() < 4096 => {
            Value::built(text.replace(from, to), value.origin())
        }
        _ => Value::Unknown(value.origin().and(Origin::COMPUTED)),
    }
}

pub(super) fn split(value: &Value, by: &Value) -> Value {
    let Some(text) = value.known_text() else { return Value::Unknown(value.origin()) };
    let parts: Vec<Value> = match by.known_text() {
        Some("") => text.chars().take(4096).map(|it| Value::text(&it.to_string())).collect(),
        Some(sign) => text.split(sign).map(Value::text).collect(),
        None => text.split_whitespace().map(Value::text).collect(),
    };
    Value::List(parts)
}

fn hexadecimal(text: &str) -> Option<String> {
    let digits: Vec<char> = text.chars().filter(|it| !it.is_whitespace()).collect();
    let pairs = digits.chunks(2).map(|it| it.iter().collect::<String>());
    let escaped: String = pairs.flat_map(|it| ["\\x".to_owned(), it]).collect();
    digits.iter().all(char::is_ascii_hexdigit).then(|| stdin::unescape(&escaped))
}

/// What a text of base64 stands for, if that is a text.
fn base64(text: &str) -> Option<String> {
    let standard = text.replace('-', "+").replace('_', "/");
    let bare = standard.trim().trim_end_matches('=');
    STANDARD_NO_PAD.decode(bare).ok().and_then(|it| String::from_utf8(it).ok())
}
