//! Where a check looks: a place in the artifacts or in the case, `*` for every item of a list.

use provost_kernel::eval::{Artifacts, Case, Meta};
use serde::Deserialize;
use serde_json::Value;

use super::check::Verdicts;

/// A place such as `/score/reasons/*` or `/case/intent_text`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Place {
    /// The artifact; nothing for the case.
    artifact: Option<String>,
    keys: Vec<String>,
    text: String,
}

/// What a check looks at.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub case: &'a Case,
    pub artifacts: &'a Artifacts,
    pub meta: &'a Meta,
    /// What programs and judges said of the answer, by the name of the check.
    pub said: &'a Verdicts,
}

/// A text that is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a place: write it as `/score/reasons/*`")]
pub struct PlaceError(String);

impl Place {
    /// The artifact that it is in; nothing for the case.
    pub fn artifact(&self) -> Option<&str> {
        self.artifact.as_deref()
    }

    /// The place as the suite writes it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The field of the case that it is in; nothing for an artifact.
    pub fn field(&self) -> Option<&str> {
        if self.artifact.is_some() { None } else { self.keys.first().map(String::as_str) }
    }

    /// Whether it names every item of a list.
    pub fn is_list(&self) -> bool {
        self.keys.iter().any(|it| it == "*")
    }

    /// The one value there.
    pub fn value<'a>(&self, subject: Subject<'a>) -> Option<&'a Value> {
        let (root, keys) = self.root(subject)?;
        keys.iter().try_fold(root, |value, key| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => value.get(key.as_str()),
        })
    }

    /// The one text there.
    pub fn text<'a>(&self, subject: Subject<'a>) -> Option<&'a str> {
        self.value(subject)?.as_str()
    }

    /// Every value there, `*` standing for each item; nothing if a part of the way is missing.
    pub fn values<'a>(&self, subject: Subject<'a>) -> Option<Vec<&'a Value>> {
        let (root, keys) = self.root(subject)?;
        let mut values = vec![root];
        for key in keys {
            if key == "*" {
                let lists: Option<Vec<_>> = values.into_iter().map(Value::as_array).collect();
                values = lists?.into_iter().flatten().collect();
            } else {
                values.retain_mut(|value| match value.get(key.as_str()) {
                    Some(inner) => {
                        *value = inner;
                        true
                    }
                    None => false,
                });
                if values.is_empty() {
                    return None;
                }
            }
        }
        Some(values)
    }

    /// Every text there; what is not a text is left out.
    pub fn texts<'a>(&self, subject: Subject<'a>) -> Option<Vec<&'a str>> {
        Some(self.values(subject)?.into_iter().filter_map(Value::as_str).collect())
    }

    fn root<'a>(&self, subject: Subject<'a>) -> Option<(&'a Value, &[String])> {
        if let Some(name) = &self.artifact {
            return Some((subject.artifacts.get(name)?, &self.keys));
        }
        let (first, rest) = self.keys.split_first()?;
        Some((subject.case.fields.get(first)?, rest))
    }
}

impl TryFrom<String> for Place {
    type Error = PlaceError;

    fn try_from(text: String) -> Result<Self, PlaceError> {
        let mut keys = text.split('/').map(str::to_owned);
        let (start, root) = (keys.next(), keys.next().unwrap_or_default());
        let keys: Vec<_> = keys.collect();
        let is_case = root == "case";
        let is_bad = start.is_none_or(|it| !it.is_empty())
            || root.is_empty()
            || keys.iter().any(String::is_empty)
            || (is_case && keys.is_empty());
        if is_bad {
            return Err(PlaceError(text));
        }
        Ok(Self { artifact: (!is_case).then_some(root), keys, text })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_lead_into_artifacts_and_the_case() {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let case = Case { id: "a".to_owned(), fields: object(json!({"t": "x"})), expect: None };
        let artifacts =
            object(json!({"a": {"l": [{"n": "1"}, {}, {"n": "2"}], "e": [], "s": "v"}}));
        let (meta, said) = (Meta::default(), Verdicts::new());
        let subject = Subject { case: &case, artifacts: &artifacts, meta: &meta, said: &said };
        let texts = |place: &str| Place::try_from(place.to_owned()).unwrap().texts(subject);
        let text = |place: &str| Place::try_from(place.to_owned()).unwrap().text(subject);
        assert_eq!((text("/a/l/2/n"), text("/a/l/3/n"), text("/a/l/x")), (Some("2"), None, None));
        assert_eq!(texts("/case/t"), Some(vec!["x"]));
        assert_eq!(texts("/a/l/*/n"), Some(vec!["1", "2"]));
        assert_eq!(texts("/a/s"), Some(vec!["v"]));
        assert_eq!(texts("/a/e/*"), Some(vec![]));
        assert_eq!(texts("/a/s/*"), None);
        assert_eq!(texts("/b/s"), None);
        assert_eq!(texts("/a/x"), None);
        for bad in ["", "a", "a/b", "/", "/case", "/a//b", "/a/"] {
            assert!(Place::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
    }
}
