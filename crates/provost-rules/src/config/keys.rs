//! The keys of the configuration, read from its schema, so that no second list can lag behind.

use std::{collections::BTreeMap, slice};

use provost_kernel::{
    Message,
    task::{Usd, Wall},
};
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

/// What a key can hold; displays as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "config.kind")]
pub enum Kind {
    #[message(en = "a table", zh = "表")]
    Section,
    /// A table whose names are the person's own; each of them is a setting.
    #[message(en = "a table", zh = "表")]
    Open,
    #[message(
        en = "a text that is not empty and has no control character",
        zh = "非空且不含控制字符的文本"
    )]
    Text,
    #[message(
        en = "a list of texts that are not empty and have no control character",
        zh = "由非空且不含控制字符的文本组成的列表"
    )]
    Texts,
    #[message(en = "one of {0:names}", zh = " {0:names} 之一")]
    Choice(Vec<String>),
    #[message(en = "a whole number, at least {least}", zh = "不小于 {least} 的整数")]
    Number { least: u64 },
    #[message(en = "a whole number from {least} to {most}", zh = "{least} 到 {most} 之间的整数")]
    Between { least: u64, most: u64 },
    #[message(en = "`true` or `false`", zh = " `true` 或 `false`")]
    Switch,
    #[message(en = "an amount in US dollars", zh = "美元金额")]
    Money,
    /// A length of time.
    #[message(
        en = "seconds or a text such as `45s`, `30m` or `1h30m`",
        zh = "秒数，或 `45s`、`30m`、`1h30m` 这样的文本"
    )]
    Time,
    /// A list of tables that all have this form.
    #[message(
        en = "a list of tables of {fields:names}",
        zh = "由 {fields:names} 组成的表的列表",
        arg(fields = field0.names())
    )]
    Tables(Box<Form>),
    /// A form that only the schema can describe.
    #[message(
        en = "what `provost config schema` says",
        zh = " `provost config schema` 所描述的形式"
    )]
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
            Self::Number { .. } | Self::Between { .. } => {
                text.parse::<u64>().map_or_else(|_| text.into(), Value::from)
            }
            Self::Money => text.parse::<f64>().map_or_else(|_| text.into(), Value::from),
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
            | Self::Between { .. }
            | Self::Switch
            | Self::Money
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
            Self::Number { least } => value.as_u64().is_some_and(|it| it >= *least),
            Self::Between { least, most } => {
                value.as_u64().is_some_and(|it| (*least..=*most).contains(&it))
            }
            Self::Switch => value.is_boolean(),
            Self::Money => serde_json::from_value::<Usd>(value.clone()).is_ok(),
            Self::Time => serde_json::from_value::<Wall>(value.clone()).is_ok(),
            Self::Tables(form) => {
                value.as_array().is_some_and(|it| it.iter().all(|it| form.check(it).is_ok()))
            }
            Self::Other => true,
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
        // Of our types, only money has parts.
        ["number"] => Kind::Money,
        // Of our types, only a length of time is a number or a text.
        ["integer", "string"] => Kind::Time,
        ["integer"] => {
            let least = property["minimum"].as_u64().unwrap_or_default();
            let of_format = match property["format"].as_str() {
                Some("uint32") => Some(u32::MAX.into()),
                _ => None,
            };
            match property["maximum"].as_u64().or(of_format) {
                Some(most) => Kind::Between { least, most },
                None => Kind::Number { least },
            }
        }
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
            ("proof.level", json!("strict"), json!("high")),
            ("guard.unknown_fields", json!("pass"), json!("keep")),
            ("guard.rules", json!([{"effect": "deny", "host": ["x"]}]), json!([{"host": ["x"]}])),
            ("task.quota_wait", json!("1h30m"), json!("soon")),
            ("task.limits.usd", json!(2.5), json!(-1)),
            ("task.limits.attempts", json!(50), json!(51)),
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
                "land",
                "lang",
                "lock",
                "notify",
                "prepare",
                "proof",
                "remote",
                "retention",
                "run",
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
