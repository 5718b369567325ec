//! The keys of the configuration, read from its schema, so that no second list can lag behind.

use std::collections::BTreeMap;

use provost_kernel::Lang;
use serde_json::Value;

use super::join;

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
    Text,
    Texts,
    Choice(Vec<String>),
    Number {
        least: u64,
        most: Option<u64>,
    },
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

    /// The key that a variable sets.
    pub(super) fn of_variable(&self, name: &str) -> Option<&str> {
        self.iter().find(|key| variable(key) == name)
    }
}

/// The variable that sets a key.
pub(super) fn variable(key: &str) -> String {
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
            Self::Text | Self::Choice(_) | Self::Section | Self::Other => text.into(),
        }
    }

    /// What a value must be, as the end of a sentence.
    pub(super) fn describe(&self, lang: Lang) -> String {
        match self {
            Self::Section => lang.pick("a table", "表").to_owned(),
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

fn kind(property: &Value) -> Kind {
    let texts = |value: &Value| {
        value.as_array().map(|it| it.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    };
    match property["type"].as_str() {
        Some("object") if property["properties"].is_object() => Kind::Section,
        Some("string") => texts(&property["enum"]).map_or(Kind::Text, Kind::Choice),
        Some("array") if property["items"]["type"] == "string" => Kind::Texts,
        Some("integer") => Kind::Number {
            least: property["minimum"].as_u64().unwrap_or_default(),
            most: property["maximum"].as_u64().or(match property["format"].as_str() {
                Some("uint32") => Some(u32::MAX.into()),
                _ => None,
            }),
        },
        _ => Kind::Other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use provost_kernel::Config;

    use super::*;

    #[test]
    fn each_key_has_a_variable_of_its_own_and_a_kind_that_people_understand() {
        let keys = Keys::of(&Config::schema());
        let variables: BTreeSet<_> = keys.iter().map(variable).collect();
        assert_eq!(variables.len(), keys.iter().count());
        for key in keys.iter() {
            assert_eq!(keys.of_variable(&variable(key)), Some(key));
            assert_ne!(keys.kind(key), Some(&Kind::Other), "{key}");
        }
    }

    #[test]
    fn a_section_knows_its_names() {
        let keys = Keys::of(&Config::schema());
        let top: Vec<_> = keys.names("").collect();
        assert_eq!(top, ["identity", "job", "lang", "lock", "remote", "retention"]);
        assert_eq!(keys.names("identity").collect::<Vec<_>>(), ["host", "user"]);
        assert_eq!(keys.names("lang").count(), 0);
        assert!(keys.contains("identity", "user"));
        assert!(!keys.contains("", "identity.user"));
    }
}
