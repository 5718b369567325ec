//! The form of a table inside a value, read from its schema: an element of a list, an adapter.
//!
//! It names the first thing that is wrong in a table, in words that a person can act on. Whoever
//! reads the table into a type stays the authority.

use std::collections::{BTreeMap, BTreeSet};

use provost_kernel::{Lang, Text};
use serde_json::Value;

use super::{
    Kind,
    error::{describe, shown},
    keys::kind,
};
use crate::nearest::nearest;

/// What a table can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    fields: BTreeMap<String, Kind>,
    required: BTreeSet<String>,
}

/// The forms of a table that says in one of its fields which of them it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// The name of that field.
    tag: String,
    forms: BTreeMap<String, Form>,
}

/// What is wrong in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    NotATable {
        found: Value,
    },
    /// It does not say which form it has.
    NoForm {
        tag: String,
        known: Vec<String>,
    },
    /// There is no such form.
    UnknownForm {
        tag: String,
        found: Value,
        nearest: Option<String>,
        known: Vec<String>,
    },
    UnknownKey {
        key: String,
        nearest: Option<String>,
        known: Vec<String>,
    },
    /// A field that must be there is not, or is an empty list.
    Missing {
        key: String,
        known: Vec<String>,
    },
    WrongType {
        key: String,
        expected: Kind,
        found: Value,
    },
}

impl Form {
    /// Reads the form of a schema that contains no references.
    pub fn of(schema: &Value) -> Self {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let required = schema["required"].as_array().into_iter().flatten();
        Self {
            fields: fields.map(|(name, it)| (name.clone(), kind(it))).collect(),
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    /// Whether a table has this form.
    pub fn check(&self, table: &Value) -> Result<(), Misfit> {
        let Value::Object(fields) = table else {
            return Err(Misfit::NotATable { found: table.clone() });
        };
        let known = || self.fields.keys().cloned().collect();
        if let Some(key) = fields.keys().find(|it| !self.fields.contains_key(*it)) {
            let nearest = nearest(key, self.fields.keys().map(String::as_str));
            return Err(Misfit::UnknownKey {
                key: shown(key),
                nearest: nearest.map(str::to_owned),
                known: known(),
            });
        }
        let is_empty = |it: &Value| it.as_array().is_some_and(Vec::is_empty);
        let is_missing = |key: &&String| fields.get(*key).is_none_or(is_empty);
        if let Some(key) = self.required.iter().find(is_missing) {
            return Err(Misfit::Missing { key: key.clone(), known: known() });
        }
        let wrong = self.fields.iter().find_map(|(key, expected)| {
            let found = fields.get(key)?;
            (!expected.holds(found)).then(|| (key.clone(), expected.clone(), found.clone()))
        });
        wrong.map_or(Ok(()), |(key, expected, found)| {
            Err(Misfit::WrongType { key, expected, found })
        })
    }

    /// The fields, for a sentence.
    pub(super) fn names(&self) -> String {
        listed(self.fields.keys())
    }
}

impl Forms {
    /// Reads the forms of a schema that contains no references.
    pub fn of(schema: &Value, tag: &str) -> Self {
        let variants = schema["oneOf"].as_array().into_iter().flatten();
        let form = |it: &Value| {
            let name = it["properties"][tag]["const"].as_str()?;
            Some((name.to_owned(), Form::of(it)))
        };
        Self { tag: tag.to_owned(), forms: variants.filter_map(form).collect() }
    }

    /// Whether a table has the form that it says it has.
    pub fn check(&self, table: &Value) -> Result<(), Misfit> {
        let Value::Object(fields) = table else {
            return Err(Misfit::NotATable { found: table.clone() });
        };
        let (tag, known) = (self.tag.clone(), || self.forms.keys().cloned().collect());
        let Some(found) = fields.get(&self.tag) else {
            return Err(Misfit::NoForm { tag, known: known() });
        };
        let name = found.as_str().unwrap_or_default();
        let Some(form) = self.forms.get(name) else {
            let nearest = nearest(name, self.forms.keys().map(String::as_str));
            return Err(Misfit::UnknownForm {
                tag,
                found: found.clone(),
                nearest: nearest.map(str::to_owned),
                known: known(),
            });
        };
        form.check(table)
    }
}

impl Misfit {
    /// What is wrong, as the end of a sentence.
    pub fn text(&self) -> Text {
        Text::each(|lang| match self {
            Self::NotATable { found } => {
                let found = describe(found, lang);
                lang.pick(
                    format!("it is {found}, expected a table"),
                    format!("值为 {found},应为表"),
                )
            }
            Self::NoForm { tag, .. } => {
                lang.pick(format!("it has no `{tag}`"), format!("缺少 `{tag}`"))
            }
            Self::UnknownForm { tag, found, .. } => {
                let found = describe(found, lang);
                lang.pick(format!("unknown `{tag}` {found}"), format!("未知的 `{tag}` {found}"))
            }
            Self::UnknownKey { key, .. } => {
                lang.pick(format!("unknown key `{key}`"), format!("未知的键 `{key}`"))
            }
            Self::Missing { key, .. } => {
                lang.pick(format!("`{key}` is missing or empty"), format!("缺少 `{key}` 或其为空"))
            }
            Self::WrongType { key, expected, found } => {
                let (found, expected) = (describe(found, lang), expected.describe(lang));
                lang.pick(
                    format!("`{key}` is {found}, expected {expected}"),
                    format!("`{key}` 的值为 {found},应为{expected}"),
                )
            }
        })
    }

    /// What to write instead; none where the text says it.
    pub fn hint(&self, lang: Lang) -> Option<String> {
        match self {
            Self::UnknownForm { nearest: Some(name), .. }
            | Self::UnknownKey { nearest: Some(name), .. } => {
                Some(lang.pick(format!("did you mean `{name}`?"), format!("是否想写 `{name}`?")))
            }
            Self::NoForm { tag, known } | Self::UnknownForm { tag, nearest: None, known, .. } => {
                let known = listed(known);
                Some(lang.pick(
                    format!("`{tag}` is one of {known}"),
                    format!("`{tag}` 应为 {known} 之一"),
                ))
            }
            Self::UnknownKey { nearest: None, known, .. } | Self::Missing { known, .. } => {
                let known = listed(known);
                Some(
                    lang.pick(
                        format!("the keys here are {known}"),
                        format!("此处可用的键:{known}"),
                    ),
                )
            }
            Self::WrongType { expected: Kind::Choice(names), found, .. } => {
                let near = nearest(found.as_str()?, names.iter().map(String::as_str))?;
                Some(lang.pick(format!("did you mean `{near}`?"), format!("是否想写 `{near}`?")))
            }
            Self::NotATable { .. } | Self::WrongType { .. } => None,
        }
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Animals: a hound has names and may have an owner, a cat may have a colour.
    fn animals() -> Forms {
        let schema = json!({"oneOf": [
            {
                "properties": {
                    "kind": {"type": "string", "const": "hound"},
                    "names": {"type": "array", "items": {"type": "string"}},
                    "owner": {"type": ["string", "null"]},
                },
                "required": ["kind", "names"],
            },
            {
                "properties": {
                    "kind": {"type": "string", "const": "cat"},
                    "colour": {"oneOf": [{"const": "black"}, {"const": "white"}]},
                },
                "required": ["kind"],
            },
        ]});
        Forms::of(&schema, "kind")
    }

    #[track_caller]
    fn check(table: Value, text: &str, hint: Option<&str>) {
        let misfit = animals().check(&table).unwrap_err();
        assert_eq!(misfit.text().render(Lang::En), text, "{table}");
        assert_eq!(misfit.hint(Lang::En).as_deref(), hint, "{table}");
    }

    #[test]
    fn a_table_that_fits_is_left_alone() {
        for table in [
            json!({"kind": "hound", "names": ["rex"]}),
            json!({"kind": "hound", "names": ["rex"], "owner": "ann"}),
            json!({"kind": "cat"}),
            json!({"kind": "cat", "colour": "white"}),
        ] {
            assert_eq!(animals().check(&table), Ok(()), "{table}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named_with_what_would() {
        let kinds = Some("`kind` is one of `cat`, `hound`");
        let keys = Some("the keys here are `kind`, `names`, `owner`");
        check(json!(3), "it is `3`, expected a table", None);
        check(json!({"names": ["rex"]}), "it has no `kind`", kinds);
        check(
            json!({"kind": "hond", "names": ["rex"]}),
            "unknown `kind` `\"hond\"`",
            Some("did you mean `hound`?"),
        );
        check(json!({"kind": 1}), "unknown `kind` `1`", kinds);
        check(json!({"kind": "xyz"}), "unknown `kind` `\"xyz\"`", kinds);
        check(
            json!({"kind": "hound", "name": ["rex"]}),
            "unknown key `name`",
            Some("did you mean `names`?"),
        );
        check(json!({"kind": "hound", "colour": "black"}), "unknown key `colour`", keys);
        check(json!({"kind": "hound"}), "`names` is missing or empty", keys);
        check(json!({"kind": "hound", "names": []}), "`names` is missing or empty", keys);
        check(
            json!({"kind": "hound", "names": "rex"}),
            "`names` is `\"rex\"`, expected a list of texts that are not empty and have no control character",
            None,
        );
        check(
            json!({"kind": "hound", "names": ["rex"], "owner": 1}),
            "`owner` is `1`, expected a text that is not empty and has no control character",
            None,
        );
        check(
            json!({"kind": "cat", "colour": "red"}),
            "`colour` is `\"red\"`, expected one of `black`, `white`",
            None,
        );
        check(
            json!({"kind": "cat", "colour": "blakc"}),
            "`colour` is `\"blakc\"`, expected one of `black`, `white`",
            Some("did you mean `black`?"),
        );
        check(
            json!({"kind": "hound", "names": ["rex", ""]}),
            "`names` is `[\"rex\",\"\"]`, expected a list of texts that are not empty and have no control character",
            None,
        );
    }

    #[test]
    fn a_misfit_speaks_chinese() {
        let zh = |table: Value| {
            let misfit = animals().check(&table).unwrap_err();
            format!(
                "{}|{}",
                misfit.text().render(Lang::Zh),
                misfit.hint(Lang::Zh).unwrap_or_default()
            )
        };
        assert_eq!(zh(json!({})), "缺少 `kind`|`kind` 应为 `cat`, `hound` 之一");
        assert_eq!(zh(json!({"kind": "hond"})), "未知的 `kind` `\"hond\"`|是否想写 `hound`?");
        assert_eq!(zh(json!({"kind": "cat", "color": 1})), "未知的键 `color`|是否想写 `colour`?");
        assert_eq!(
            zh(json!({"kind": "hound"})),
            "缺少 `names` 或其为空|此处可用的键:`kind`, `names`, `owner`"
        );
        assert_eq!(
            zh(json!({"kind": "cat", "colour": 1})),
            "`colour` 的值为 `1`,应为 `black`, `white` 之一|"
        );
        assert_eq!(zh(json!([])), "值为 `[]`,应为表|");
    }
}
