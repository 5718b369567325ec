//! The form of a table inside a value, read from its schema: an element of a list, an adapter.
//!
//! It names the first thing that is wrong in a table, in words that a person can act on. The
//! reader that turns the table into a type stays the authority.

use std::collections::{BTreeMap, BTreeSet};

use provost_form::nearest::nearest;
use provost_kernel::Message;
use serde_json::Value;

use super::{
    Kind,
    error::{Found, shown},
    keys::kind,
};

/// What a table can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    fields: BTreeMap<String, Kind>,
    required: BTreeSet<String>,
    /// Fields of which a table has exactly one.
    one_of: Vec<String>,
}

/// The forms of a table that says in one of its fields which of them it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forms {
    /// The name of that field.
    tag: String,
    forms: BTreeMap<String, Form>,
}

/// What is wrong in a table, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "config.misfit")]
pub enum Misfit {
    #[message(
        en = "it is {found}, expected a table",
        zh = "值为 {found}，应为表",
        arg(found = Found::from(found))
    )]
    NotATable { found: Value },
    /// It does not say which form it has.
    #[message(
        en = "it has no `{tag}`",
        zh = "缺少 `{tag}`",
        hint(en = "`{tag}` is one of {known:names}", zh = "`{tag}` 应为 {known:names} 之一")
    )]
    NoForm { tag: String, known: Vec<String> },
    /// There is no such form.
    #[message(
        en = "unknown `{tag}` {found}",
        zh = "未知的 `{tag}` {found}",
        arg(found = Found::from(found)),
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "`{tag}` is one of {known:names}",
            zh = "`{tag}` 应为 {known:names} 之一"
        )
    )]
    UnknownForm { tag: String, found: Value, nearest: Option<String>, known: Vec<String> },
    #[message(
        en = "unknown key `{key}`",
        zh = "未知的键 `{key}`",
        hint(
            when = nearest.is_some(),
            en = "did you mean `{nearest}`?",
            zh = "是否想写 `{nearest}`？"
        ),
        hint(
            when = nearest.is_none(),
            en = "the keys here are {known:names}",
            zh = "此处可用的键：{known:names}"
        )
    )]
    UnknownKey { key: String, nearest: Option<String>, known: Vec<String> },
    /// A field that must be there is not, or is an empty list.
    #[message(
        en = "`{key}` is missing or empty",
        zh = "缺少 `{key}` 或其为空",
        hint(en = "the keys here are {known:names}", zh = "此处可用的键：{known:names}")
    )]
    Missing { key: String, known: Vec<String> },
    /// Of some fields there has to be one.
    #[message(
        en = "it has {given} of {keys:names}, expected exactly one",
        zh = "在 {keys:names} 中给出了 {given} 个，应恰好一个"
    )]
    NotOne { keys: Vec<String>, given: usize },
    #[message(
        en = "`{key}` is {found}, expected {expected}",
        zh = "`{key}` 的值为 {found}，应为{expected}",
        arg(found = Found::from(found)),
        arg(near = near(expected, found)),
        hint(
            when = near(expected, found).is_some(),
            en = "did you mean `{near}`?",
            zh = "是否想写 `{near}`？"
        )
    )]
    WrongType { key: String, expected: Kind, found: Value },
}

/// The choice that a value was probably meant to be.
fn near<'a>(expected: &'a Kind, found: &Value) -> Option<&'a str> {
    let Kind::Choice(names) = expected else { return None };
    nearest(found.as_str()?, names.iter().map(String::as_str))
}

impl Form {
    /// Reads the form of a schema that contains no references.
    pub fn of(schema: &Value) -> Self {
        let fields = schema["properties"].as_object().into_iter().flatten();
        let required = schema["required"].as_array().into_iter().flatten();
        let one_of = schema["oneOf"].as_array().into_iter().flatten();
        Self {
            one_of: one_of.filter_map(|it| it["required"][0].as_str()).map(str::to_owned).collect(),
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
        let given = self.one_of.iter().filter(|it| fields.contains_key(*it)).count();
        if !self.one_of.is_empty() && given != 1 {
            return Err(Misfit::NotOne { keys: self.one_of.clone(), given });
        }
        let wrong = self.fields.iter().find_map(|(key, expected)| {
            let found = fields.get(key)?;
            (!expected.holds(found)).then(|| (key.clone(), expected.clone(), found.clone()))
        });
        wrong.map_or(Ok(()), |(key, expected, found)| {
            Err(Misfit::WrongType { key, expected, found })
        })
    }

    /// The fields, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        self.fields.keys().map(String::as_str).collect()
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

#[cfg(test)]
mod tests {
    use provost_kernel::Lang;
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
        assert_eq!(misfit.text().to_string(), text, "{table}");
        assert_eq!(
            Lang::En.render_all(&misfit.hints()).first().map(String::as_str),
            hint,
            "{table}"
        );
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
                Lang::Zh.render(&misfit.text()),
                Lang::Zh.render_all(&misfit.hints()).concat()
            )
        };
        assert_eq!(zh(json!({})), "缺少 `kind`|`kind` 应为 `cat`、`hound` 之一");
        assert_eq!(zh(json!({"kind": "hond"})), "未知的 `kind` `\"hond\"`|是否想写 `hound`？");
        assert_eq!(zh(json!({"kind": "cat", "color": 1})), "未知的键 `color`|是否想写 `colour`？");
        assert_eq!(
            zh(json!({"kind": "hound"})),
            "缺少 `names` 或其为空|此处可用的键：`kind`、`names`、`owner`"
        );
        assert_eq!(
            zh(json!({"kind": "cat", "colour": 1})),
            "`colour` 的值为 `1`，应为 `black`、`white` 之一|"
        );
        assert_eq!(zh(json!([])), "值为 `[]`，应为表|");
    }
}
