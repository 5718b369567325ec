//! Where a request differs from the nearest one that was recorded.

use provost_kernel::Message;
use serde_json::Value;

/// The first difference to the nearest recorded request.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(
    code = "recording.difference",
    en = "the nearest recorded request (number {number}) differs first in `{path}`{at}: recorded \
          `{recorded}`, asked `{asked}`",
    zh = "最接近的录制请求（第 {number} 个）首先在 `{path}`{at} 不同：录制为 `{recorded}`,\
          请求为 `{asked}`",
    arg(at = at.map(Character))
)]
pub struct Difference {
    /// Which of the recorded requests, from 1.
    pub number: usize,
    /// The JSON pointer of the value that differs.
    pub path: String,
    /// The character at which two texts part, from 0.
    pub at: Option<usize>,
    /// The recorded value, or the part of it around the difference.
    pub recorded: String,
    /// The same of the request that was asked.
    pub asked: String,
}

/// Where two strings differ.
#[derive(Message)]
#[message(code = "recording.character", en = " at character {0}", zh = " 第 {0} 个字符")]
struct Character(usize);

/// How much of a value is shown, before and after the difference.
const BEFORE: usize = 10;
const AFTER: usize = 40;

impl Difference {
    /// The first difference between a request that was recorded, the `number`-th, and another.
    pub fn between(number: usize, recorded: &Value, asked: &Value) -> Option<Self> {
        let (path, at, recorded, asked) = first(recorded, asked, String::new())?;
        Some(Self { number, path, at, recorded, asked })
    }
}

/// The first difference to that request of the same role which has most in common.
pub(crate) fn nearest<'a>(
    asked: &Value,
    recorded: impl Iterator<Item = &'a Value>,
) -> Option<Difference> {
    let of_role = recorded.enumerate().filter(|(_, it)| it["role"] == asked["role"]);
    let (index, best) = of_role.max_by_key(|(index, it)| {
        // Of equals, the first.
        (likeness(it, asked), std::cmp::Reverse(*index))
    })?;
    Difference::between(index + 1, best, asked)
}

/// How much two requests have in common: equal fields first, then how far the others agree.
fn likeness(one: &Value, two: &Value) -> (usize, usize) {
    let (Some(one), Some(two)) = (one.as_object(), two.as_object()) else { return (0, 0) };
    let equal = one.iter().filter(|(key, it)| two.get(*key) == Some(it)).count();
    let agree = one
        .iter()
        .filter_map(|(key, it)| Some((it.to_string(), two.get(key)?.to_string())))
        .map(|(one, two)| parting(&one, &two))
        .sum();
    (equal, agree)
}

/// At which character two texts part.
fn parting(one: &str, two: &str) -> usize {
    one.chars().zip(two.chars()).take_while(|(one, two)| one == two).count()
}

type Found = (String, Option<usize>, String, String);

fn first(recorded: &Value, asked: &Value, path: String) -> Option<Found> {
    match (recorded, asked) {
        (Value::Object(recorded), Value::Object(asked)) => {
            let keys = recorded.keys().chain(asked.keys().filter(|it| !recorded.contains_key(*it)));
            let value = |map: &serde_json::Map<String, Value>, key: &str| {
                map.get(key).cloned().unwrap_or_default()
            };
            keys.into_iter().find_map(|key| {
                first(&value(recorded, key), &value(asked, key), format!("{path}/{key}"))
            })
        }
        (Value::Array(recorded), Value::Array(asked)) => {
            let length = recorded.len().max(asked.len());
            let value = |list: &[Value], at: usize| list.get(at).cloned().unwrap_or_default();
            (0..length).find_map(|at| {
                first(&value(recorded, at), &value(asked, at), format!("{path}/{at}"))
            })
        }
        (Value::String(recorded), Value::String(asked)) if recorded != asked => {
            let at = parting(recorded, asked);
            Some((path, Some(at), around(recorded, at), around(asked, at)))
        }
        _ if recorded == asked => None,
        _ => Some((path, None, around(&recorded.to_string(), 0), around(&asked.to_string(), 0))),
    }
}

/// The part of a text around a character, on one line.
fn around(text: &str, at: usize) -> String {
    let start = at.saturating_sub(BEFORE);
    let part: String = text.chars().skip(start).take(BEFORE + AFTER).collect();
    let cut = if start > 0 { "…" } else { "" };
    format!("{cut}{}", part.escape_debug())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(recorded: Value, asked: Value, expected: Option<(&str, Option<usize>)>) {
        let found = first(&recorded, &asked, String::new());
        let actual = found.as_ref().map(|(path, at, ..)| (path.as_str(), *at));
        assert_eq!(actual, expected, "{recorded} {asked}");
    }

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        check(json!({"a": 1}), json!({"a": 1}), None);
        check(json!({"a": 1}), json!({"a": 2}), Some(("/a", None)));
        check(json!({"a": "xyz"}), json!({"a": "xz"}), Some(("/a", Some(1))));
        check(json!({"a": null}), json!({"a": {"b": 1}}), Some(("/a", None)));
        check(
            json!({"a": [1, {"b": "x"}]}),
            json!({"a": [1, {"b": "中"}]}),
            Some(("/a/1/b", Some(0))),
        );
        check(json!({"a": [1]}), json!({"a": [1, 2]}), Some(("/a/1", None)));
        check(json!({}), json!({"z": 1}), Some(("/z", None)));
        check(json!({"z": 1}), json!({}), Some(("/z", None)));
    }

    #[test]
    fn a_difference_is_shown_on_one_line() {
        assert_eq!(around("a\nb", 0), "a\\nb");
        assert_eq!(around(&"x".repeat(1000), 500).chars().count(), 1 + BEFORE + AFTER);
    }
}
