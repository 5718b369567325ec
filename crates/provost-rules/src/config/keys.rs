//! The keys of the configuration, read from its schema, so that no second list can lag behind.

use std::{collections::BTreeMap, slice};

use provost_kernel::{Lang, task::Wall};
use serde_json::Value;

use super::{Form, is_plain, join};

/// The prefix of every variable that belongs to provost.
pub(crate) const PREFIX: &str = "PROVOST_";

/// Every key that exists, with what it can hold.
#[derive(Clone, Debug)]
pub struct Keys {
    /// By whole key, such as `identity` and `identity.user`.
    kinds: BTreeMap<String, Kind>,
}

/// What a key can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Section,
    /// A table whose names are the person's own; each of them is a setting.
    Open,
    Text,
    Texts,
    Choice(Vec<String>),
    Number {
        least: u64,
        most: Option<u64>,
    },
    Switch,
    /// A length of time.
    Time,
    /// A list of tables that all have this form.
    Tables(Box<Form>),
    /// A form that only the schema can describe.
    Other,
}

impl Keys {
    /// Reads the keys of a schema that contains no references.
    pub fn of(schema: &Value) -> Self {
        let mut kinds = BTreeMap::new();
        collect("", schema, &mut kinds);
        Self { kinds }
    }

    /// What a key can hold; none when it is a section or no key at all.
    pub fn kind(&self, key: &str) -> Option<&Kind> {
        self.kinds.get(key).filter(|it| **it != Kind::Section)
    }

    /// Every key that can hold a value, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().filter(|(_, kind)| **kind != Kind::Section).map(|(key, _)| key.as_str())
    }

    /// Whether a section has this name in it. A name that contains a dot is never a key: TOML
    /// lets one write `"identity.user"` in quotes, and that is another key.
    pub(super) fn contains(&self, section: &str, name: &str) -> bool {
        !name.contains('.') && self.kinds.contains_key(&join(section, name))
    }

    /// The names in a section, in order.
    pub(super) fn names<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a str> {
        self.kinds.keys().filter_map(move |key| {
            let (parent, name) = key.rsplit_once('.').unwrap_or(("", key));
            (parent == section).then_some(name)
        })
    }

    /// Every key with the variable that sets it.
    pub(super) fn variables(&self) -> impl Iterator<Item = (String, &str)> {
        let settable = |key: &&str| !self.kind(key).is_some_and(Kind::is_of_files);
        self.iter().filter(settable).map(|key| (variable(key), key))
    }

    /// The key that a variable sets.
    pub(super) fn of_variable(&self, name: &str) -> Option<&str> {
        self.variables().find(|(variable, _)| variable == name).map(|(_, key)| key)
    }

    /// The key that a variable seems to mean, and that only a file can set.
    pub(super) fn of_files(&self, name: &str) -> Option<&str> {
        self.iter().filter(|key| self.kind(key).is_some_and(Kind::is_of_files)).find(|key| {
            let rest = name.strip_prefix(&variable(key));
            rest.is_some_and(|it| it.is_empty() || it.starts_with('_'))
        })
    }
}

/// The variable that sets a key.
fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase())
}

impl Kind {
    /// Reads the text of a variable; a text that does not fit stays a text and is refused later.
    pub(super) fn read(&self, text: &str) -> Value {
        match self {
            Self::Texts => {
                text.split(',').map(str::trim).filter(|it| !it.is_empty()).collect::<Value>()
            }
            Self::Number { .. } => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
            Self::Switch => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
            Self::Text
            | Self::Choice(_)
            | Self::Time
            | Self::Section
            | Self::Open
            | Self::Tables(_)
            | Self::Other => text.into(),
        }
    }

    /// Whether only a file can express such a value: a variable is one text.
    fn is_of_files(&self) -> bool {
        match self {
            Self::Open | Self::Tables(_) => true,
            Self::Section
            | Self::Text
            | Self::Texts
            | Self::Choice(_)
            | Self::Number { .. }
            | Self::Switch
            | Self::Time
            | Self::Other => false,
        }
    }

    /// Whether a value is of this kind. Where a type of the kernel reads the value as well, that
    /// one is the authority.
    pub(super) fn holds(&self, value: &Value) -> bool {
        match self {
            Self::Section | Self::Open => value.is_object(),
            Self::Text => is_text(value),
            Self::Texts => value.as_array().is_some_and(|it| it.iter().all(is_text)),
            Self::Choice(names) => value.as_str().is_some_and(|it| names.iter().any(|n| n == it)),
            Self::Number { least, most } => {
                value.as_u64().is_some_and(|it| it >= *least && most.is_none_or(|most| it <= most))
            }
            Self::Switch => value.is_boolean(),
            Self::Time => serde_json::from_value::<Wall>(value.clone()).is_ok(),
            Self::Tables(form) => {
                value.as_array().is_some_and(|it| it.iter().all(|it| form.check(it).is_ok()))
            }
            Self::Other => true,
        }
    }

    /// What a value must be, as the end of a sentence.
    pub(super) fn describe(&self, lang: Lang) -> String {
        match self {
            Self::Section | Self::Open => lang.pick("a table", "表").to_owned(),
            Self::Switch => lang.pick("`true` or `false`", " `true` 或 `false`").to_owned(),
            Self::Time => lang
                .pick(
                    "seconds or a text such as `45s`, `30m` or `1h30m`",
                    "秒数,或 `45s`、`30m`、`1h30m` 这样的文本",
                )
                .to_owned(),
            Self::Tables(form) => {
                let names = form.names();
                lang.pick(
                    format!("a list of tables of {names}"),
                    format!("由 {names} 组成的表的列表"),
                )
            }
            Self::Text => lang
                .pick(
                    "a text that is not empty and has no control character",
                    "非空且不含控制字符的文本",
                )
                .to_owned(),
            Self::Texts => lang
                .pick(
                    "a list of texts that are not empty and have no control character",
                    "由非空且不含控制字符的文本组成的列表",
                )
                .to_owned(),
            Self::Choice(names) => {
                let names: Vec<_> = names.iter().map(|it| format!("`{it}`")).collect();
                let names = names.join(", ");
                lang.pick(format!("one of {names}"), format!(" {names} 之一"))
            }
            Self::Number { least, most: None } => lang.pick(
                format!("a whole number, at least {least}"),
                format!("不小于 {least} 的整数"),
            ),
            Self::Number { least, most: Some(most) } => lang.pick(
                format!("a whole number from {least} to {most}"),
                format!("{least} 到 {most} 之间的整数"),
            ),
            Self::Other => lang
                .pick("what `provost config schema` says", "`provost config schema` 所描述的形式")
                .to_owned(),
        }
    }
}

fn collect(section: &str, schema: &Value, kinds: &mut BTreeMap<String, Kind>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let key = join(section, name);
        if property["properties"].is_object() {
            collect(&key, property, kinds);
        }
        kinds.insert(key, kind(property));
    }
}

/// What a property of a schema can hold.
pub(super) fn kind(property: &Value) -> Kind {
    if let Some(names) = choices(property) {
        return Kind::Choice(names);
    }
    match types(property).as_slice() {
        ["object"] if property["properties"].is_object() => Kind::Section,
        ["object"] if property["additionalProperties"].is_object() => Kind::Open,
        ["string"] => Kind::Text,
        ["array"] if property["items"]["type"] == "string" => Kind::Texts,
        ["array"] if property["items"]["properties"].is_object() => {
            Kind::Tables(Form::of(&property["items"]).into())
        }
        ["boolean"] => Kind::Switch,
        // Of our types, only a length of time is a number or a text.
        ["integer", "string"] => Kind::Time,
        ["integer"] => Kind::Number {
            least: property["minimum"].as_u64().unwrap_or_default(),
            most: property["maximum"].as_u64().or(match property["format"].as_str() {
                Some("uint32") => Some(u32::MAX.into()),
                _ => None,
            }),
        },
        _ => Kind::Other,
    }
}

/// The words that a property can be, in each of the ways in which a schema says so.
fn choices(property: &Value) -> Option<Vec<String>> {
    let word = |it: &Value| it.as_str().map(str::to_owned);
    let list = |key: &str, of: fn(&Value) -> &Value| -> Option<Vec<String>> {
        property[key].as_array()?.iter().map(|it| word(of(it))).collect()
    };
    let one = word(&property["const"]).map(|it| vec![it]);
    one.or_else(|| list("enum", |it| it)).or_else(|| list("oneOf", |it| &it["const"]))
}

fn is_text(value: &Value) -> bool {
    value.is_string() && is_plain(value)
}

/// The types that a property allows, besides that of being absent.
fn types(property: &Value) -> Vec<&str> {
    let types = &property["type"];
    let all = types.as_array().map_or_else(|| slice::from_ref(types), Vec::as_slice);
    all.iter().filter_map(Value::as_str).filter(|it| *it != "null").collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use provost_kernel::Config;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_key_has_a_variable_of_its_own_and_a_kind_that_people_understand() {
        let keys = Keys::of(&Config::schema());
        let variables: BTreeSet<_> = keys.iter().map(variable).collect();
        assert_eq!(variables.len(), keys.iter().count());
        for key in keys.iter() {
            assert_ne!(keys.kind(key), Some(&Kind::Other), "{key}");
            let is_of_files = ["adapter", "guard.rules", "prepare", "story.gates"].contains(&key);
            let (by_variable, by_file) =
                if is_of_files { (None, Some(key)) } else { (Some(key), None) };
            assert_eq!(keys.of_variable(&variable(key)), by_variable);
            assert_eq!(keys.of_files(&variable(key)), by_file);
        }
        assert_eq!(keys.of_files("PROVOST_ADAPTER_MINE"), Some("adapter"));
        assert_eq!(keys.of_files("PROVOST_ADAPTERS"), None);
    }

    #[test]
    fn a_kind_holds_what_it_says() {
        let keys = Keys::of(&Config::schema());
        for (key, good, bad) in [
            ("identity.user", json!("ann"), json!(1)),
            ("identity.host", json!("h"), json!("")),
            ("remote.aliases", json!([]), json!([1])),
            ("lang", json!("zh"), json!("fr")),
            ("lock.stale_minutes", json!(1), json!(0)),
            ("retention.replay_days", json!(7), json!(8)),
            ("sandbox.required", json!(false), json!("false")),
            ("guard.unknown_fields", json!("pass"), json!("keep")),
            ("guard.rules", json!([{"effect": "deny", "host": ["x"]}]), json!([{"host": ["x"]}])),
            ("task.quota_wait", json!("1h30m"), json!("soon")),
            ("prepare", json!([{"command": "x"}]), json!([{"when": "x"}])),
            (
                "story.gates",
                json!([{"id": "x", "kind": "build", "command": "make"}]),
                json!([{"id": "x", "kind": "deploy", "command": "make"}]),
            ),
            ("adapter", json!({}), json!([])),
        ] {
            let kind = keys.kind(key).unwrap();
            assert!(kind.holds(&good), "{key}");
            assert!(!kind.holds(&bad), "{key}");
        }
    }

    #[test]
    fn a_section_knows_its_names() {
        let keys = Keys::of(&Config::schema());
        let top: Vec<_> = keys.names("").collect();
        assert_eq!(
            top,
            [
                "adapter",
                "guard",
                "identity",
                "job",
                "lang",
                "lock",
                "prepare",
                "remote",
                "retention",
                "sandbox",
                "story",
                "task",
            ],
        );
        assert_eq!(keys.names("identity").collect::<Vec<_>>(), ["host", "user"]);
        assert_eq!(keys.names("lang").count(), 0);
        assert!(keys.contains("identity", "user"));
        assert!(!keys.contains("", "identity.user"));
    }
}
