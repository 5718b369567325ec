//! How layers of configuration combine.
//!
//! Each layer is a list of [`Setting`]s: a key, a value and the place it was written at. A later
//! layer replaces what an earlier one said, except for the keys that guard something: those can
//! only be tightened, because a later layer is easier to reach than an earlier one. Reading
//! files and the environment is the binary's work.

mod error;
mod keys;

use std::collections::BTreeMap;

use provost_kernel::Config;
use serde::Serialize;
use serde_json::{Map, Value};

pub use error::ConfigError;
pub use keys::{Keys, Kind};

/// Variables that start with `PROVOST_` and are no configuration: the home (which is needed to
/// find the configuration) and the two files of the adapter protocol.
pub const RESERVED_VARIABLES: [&str; 3] = ["PROVOST_HOME", "PROVOST_REPLY", "PROVOST_REQUEST"];

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// In provost itself.
    BuiltIn,
    /// In a file of configuration, at a line that is counted from 1.
    File { path: String, line: usize },
    /// In a variable of the environment.
    Environment { name: String },
    /// On the command line.
    Flag { name: String },
}

/// One key with its value and the place where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key, such as `identity.user`.
    pub key: String,
    pub value: Value,
    pub origin: Origin,
}

/// A key as a file writes it, before anybody knows whether there is such a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// One segment of a key.
    pub name: String,
    pub origin: Origin,
    pub node: Node,
}

/// What a file writes under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Section(Vec<Entry>),
    /// A value; `null` stands for one that JSON cannot express, such as a date.
    Value(Value),
}

/// The configuration that the layers added so far amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effective {
    settings: BTreeMap<String, Setting>,
}

/// What a later layer may do to the value of an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Anything.
    Replace,
    /// Repeat it.
    Keep,
    /// Leave out some elements of a list that was set before; what is built in was not set.
    Narrow,
    /// Choose a smaller number.
    Shrink,
}

impl Policy {
    /// The keys that a later layer can only tighten (ruling on layers, LOOP-A1, HOOK-2.6).
    pub const TIGHTENING: [(&str, Self); 4] = [
        ("identity.host", Self::Keep),
        ("identity.user", Self::Keep),
        ("remote.aliases", Self::Narrow),
        ("retention.replay_days", Self::Shrink),
    ];

    /// The policy of a key.
    pub fn of(key: &str) -> Self {
        let guarded = Self::TIGHTENING.iter().find(|(name, _)| *name == key);
        guarded.map_or(Self::Replace, |&(_, policy)| policy)
    }

    fn allows(self, earlier: &Setting, later: &Value) -> bool {
        match self {
            Self::Replace => true,
            Self::Keep => earlier.value == *later,
            Self::Narrow => {
                let elements = |value: &Value| value.as_array().cloned().unwrap_or_default();
                let allowed = elements(&earlier.value);
                earlier.origin == Origin::BuiltIn
                    || elements(later).iter().all(|it| allowed.contains(it))
            }
            Self::Shrink => later.as_u64() <= earlier.value.as_u64(),
        }
    }
}

impl Effective {
    /// The values that hold when nobody says anything.
    pub fn built_in() -> Self {
        let mut settings = BTreeMap::new();
        // Serialising plain data cannot fail; if it did, every key would be reported as unset.
        let value = serde_json::to_value(Config::default()).unwrap_or_default();
        flatten(String::new(), value, &mut settings);
        Self { settings }
    }

    /// Adds a layer on top; on an error nothing of it is taken.
    pub fn add(&mut self, layer: Vec<Setting>) -> Result<(), ConfigError> {
        let refused = layer.iter().find_map(|later| {
            let earlier = self.settings.get(&later.key)?;
            let policy = Policy::of(&later.key);
            (!policy.allows(earlier, &later.value)).then(|| ConfigError::Loosened {
                policy,
                earlier: Box::new(earlier.clone()),
                later: Box::new(later.clone()),
            })
        });
        if let Some(error) = refused {
            return Err(error);
        }
        self.settings.extend(layer.into_iter().map(|it| (it.key.clone(), it)));
        Ok(())
    }

    /// The configuration as the rest of provost uses it.
    pub fn config(&self) -> Result<Config, ConfigError> {
        let whole = self.settings.values().fold(Value::Null, |whole, it| {
            let mut whole = whole;
            insert(&mut whole, &it.key, it.value.clone());
            whole
        });
        serde_json::from_value(whole).map_err(ConfigError::Incoherent)
    }

    /// The value of a key and where it was written; none when it is not set.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.get(key)
    }
}

/// Turns what a file says into settings: every key is known and every value is of its type.
pub fn settings(keys: &Keys, entries: &[Entry]) -> Result<Vec<Setting>, ConfigError> {
    let mut found = Vec::new();
    collect(keys, "", entries, &mut found)?;
    Ok(found)
}

/// Turns the variables of the environment that start with `PROVOST_` into settings.
///
/// An empty variable counts as not set, as it does for the locale.
pub fn settings_of_environment<'a>(
    keys: &Keys,
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Setting>, ConfigError> {
    let mut found = Vec::new();
    for (name, text) in variables {
        if RESERVED_VARIABLES.contains(&name) {
            continue;
        }
        let Some(key) = keys.of_variable(name) else {
            return Err(ConfigError::unknown_variable(keys, name));
        };
        if text.is_empty() {
            continue;
        }
        let origin = Origin::Environment { name: name.to_owned() };
        let value = keys.kind(key).map(|it| it.read(text)).unwrap_or_default();
        found.push(checked(keys, key.to_owned(), value, origin)?);
    }
    Ok(found)
}

fn collect(
    keys: &Keys,
    section: &str,
    entries: &[Entry],
    found: &mut Vec<Setting>,
) -> Result<(), ConfigError> {
    for Entry { name, origin, node } in entries {
        if !keys.contains(section, name) {
            return Err(ConfigError::unknown_key(keys, section, name, origin));
        }
        let key = join(section, name);
        match node {
            Node::Section(entries) if keys.kind(&key).is_none() => {
                collect(keys, &key, entries, found)?;
            }
            Node::Section(_) => {
                let table = Value::Object(Map::new());
                found.push(checked(keys, key, table, origin.clone())?);
            }
            Node::Value(value) => found.push(checked(keys, key, value.clone(), origin.clone())?),
        }
    }
    Ok(())
}

/// Makes a setting, if the value is one that the key can hold.
fn checked(keys: &Keys, key: String, value: Value, origin: Origin) -> Result<Setting, ConfigError> {
    // The types of the kernel are the only authority; the schema serves to explain.
    let mut whole = Value::Null;
    insert(&mut whole, &key, value.clone());
    let holds = !value.is_null()
        && keys.kind(&key).is_some()
        && serde_json::from_value::<Config>(whole).is_ok()
        && texts_are_plain(&value);
    if holds {
        return Ok(Setting { key, value, origin });
    }
    let expected = keys.kind(&key).cloned().unwrap_or(Kind::Section);
    Err(ConfigError::WrongType { key, origin, expected, found: value })
}

/// Whether no text in the value is empty or has a control character: none of them could be the
/// name of a user or a machine, and a NUL would cut a command line short.
fn texts_are_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && !text.chars().any(char::is_control),
        Value::Array(elements) => elements.iter().all(texts_are_plain),
        Value::Object(fields) => fields.values().all(texts_are_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn flatten(key: String, value: Value, settings: &mut BTreeMap<String, Setting>) {
    if let Value::Object(fields) = value {
        for (name, field) in fields {
            flatten(join(&key, &name), field, settings);
        }
    } else {
        settings.insert(key.clone(), Setting { key, value, origin: Origin::BuiltIn });
    }
}

/// Puts a value at a dotted key, making the tables on the way.
fn insert(whole: &mut Value, key: &str, value: Value) {
    let mut place = whole;
    for name in key.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[name];
    }
    *place = value;
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

#[cfg(test)]
mod tests {
    use provost_kernel::{Fault as _, Lang};
    use serde_json::json;

    use super::*;

    /// Reads JSON as a file at `path` would be read, one line for each top-level key.
    fn file(path: &str, layer: &Value) -> Result<Vec<Setting>, ConfigError> {
        settings(&Keys::of(&Config::schema()), &entries(path, layer))
    }

    fn entries(path: &str, table: &Value) -> Vec<Entry> {
        let fields = table.as_object().into_iter().flatten().enumerate();
        let entry = |(at, (name, value)): (usize, (&String, &Value))| Entry {
            name: name.clone(),
            origin: Origin::File { path: path.to_owned(), line: at + 1 },
            node: if value.is_object() {
                Node::Section(entries(path, value))
            } else {
                Node::Value(value.clone())
            },
        };
        fields.map(entry).collect()
    }

    fn merged(layers: &[Value]) -> Result<Effective, ConfigError> {
        let mut effective = Effective::built_in();
        for (at, layer) in layers.iter().enumerate() {
            effective.add(file(&format!("{at}.toml"), layer)?)?;
        }
        Ok(effective)
    }

    #[track_caller]
    fn check(layers: &[Value], key: &str, expected: Result<Value, &str>) {
        let actual = merged(layers)
            .map(|it| it.setting(key).map(|it| it.value.clone()).unwrap_or_default())
            .map_err(|error| error.text(Lang::En));
        assert_eq!(actual, expected.map_err(str::to_owned), "{layers:?}");
    }

    #[test]
    fn a_later_layer_replaces_an_earlier_one() {
        check(&[], "lock.stale_minutes", Ok(json!(30)));
        let (ten, sixty) =
            (json!({"lock": {"stale_minutes": 10}}), json!({"lock": {"stale_minutes": 60}}));
        check(&[ten.clone(), sixty.clone()], "lock.stale_minutes", Ok(json!(60)));
        check(&[sixty, ten], "lock.stale_minutes", Ok(json!(10)));
        check(
            &[json!({"lang": "zh"}), json!({"job": {"grace_seconds": 0}})],
            "lang",
            Ok(json!("zh")),
        );
        check(&[json!({"lang": "zh"})], "identity.user", Ok(Value::Null));
    }

    /// LOOP-A1: an identity that was set once stays.
    #[test]
    fn an_identity_can_be_repeated_and_not_changed() {
        let ann = json!({"identity": {"user": "ann"}});
        let bob = json!({"identity": {"user": "bob"}});
        check(&[ann.clone(), ann.clone()], "identity.user", Ok(json!("ann")));
        check(&[ann.clone(), json!({"identity": {}})], "identity.user", Ok(json!("ann")));
        check(&[ann.clone(), json!({"identity": {"host": "h"}})], "identity.host", Ok(json!("h")));
        check(
            &[ann, json!({}), bob],
            "identity.user",
            Err(
                "`identity.user` may not change: it is `\"ann\"` (`0.toml:1`), then `\"bob\"` (`2.toml:1`)",
            ),
        );
    }

    #[test]
    fn aliases_can_only_be_removed() {
        let layer = |aliases: &[&str]| json!({"remote": {"aliases": aliases}});
        check(&[layer(&["a", "b"])], "remote.aliases", Ok(json!(["a", "b"])));
        check(&[layer(&["a", "b"]), layer(&["b"])], "remote.aliases", Ok(json!(["b"])));
        check(&[layer(&["a", "b"]), layer(&[])], "remote.aliases", Ok(json!([])));
        check(
            &[layer(&["a"]), layer(&["a", "c"])],
            "remote.aliases",
            Err(
                "`remote.aliases` may only lose elements: it is `[\"a\"]` (`0.toml:1`), then `[\"a\",\"c\"]` (`1.toml:1`)",
            ),
        );
        check(
            &[layer(&["a"]), layer(&[]), layer(&["a"])],
            "remote.aliases",
            Err(
                "`remote.aliases` may only lose elements: it is `[]` (`1.toml:1`), then `[\"a\"]` (`2.toml:1`)",
            ),
        );
    }

    /// HOOK-2.6: seven days are the most, whatever a layer says.
    #[test]
    fn replays_can_only_be_kept_for_a_shorter_time() {
        let days = |n: u32| json!({"retention": {"replay_days": n}});
        check(&[days(7)], "retention.replay_days", Ok(json!(7)));
        check(&[days(3), days(1)], "retention.replay_days", Ok(json!(1)));
        check(
            &[days(8)],
            "retention.replay_days",
            Err(
                "`retention.replay_days` may only shrink: it is `7` (built in), then `8` (`0.toml:1`)",
            ),
        );
        check(
            &[days(1), days(2)],
            "retention.replay_days",
            Err(
                "`retention.replay_days` may only shrink: it is `1` (`0.toml:1`), then `2` (`1.toml:1`)",
            ),
        );
    }

    #[test]
    fn a_refused_layer_leaves_nothing_behind() {
        let mut effective = merged(&[json!({"identity": {"user": "ann"}})]).unwrap();
        let before = effective.clone();
        let layer = file("x", &json!({"identity": {"user": "bob"}, "lang": "zh"})).unwrap();
        assert!(effective.add(layer).is_err());
        assert_eq!(effective, before);
    }

    #[test]
    fn unknown_keys_and_wrong_types_are_named() {
        for (layer, expected) in [
            (json!({"idenity": {}}), "unknown key `idenity` (`0.toml:1`)"),
            (json!({"identity": {"usr": "ann"}}), "unknown key `identity.usr` (`0.toml:1`)"),
            (
                json!({"lang": "zh", "identity.user": "x"}),
                "unknown key `\"identity.user\"` (`0.toml:1`)",
            ),
            (json!({"lang": "de"}), "`lang` is `\"de\"` (`0.toml:1`), expected one of `en`, `zh`"),
            (json!({"lang": {}}), "`lang` is a table (`0.toml:1`), expected one of `en`, `zh`"),
            (
                json!({"lang": null}),
                "`lang` is a date or a number out of range (`0.toml:1`), expected one of `en`, `zh`",
            ),
            (json!({"identity": "ann"}), "`identity` is `\"ann\"` (`0.toml:1`), expected a table"),
            (
                json!({"identity": {"user": 1}}),
                "`identity.user` is `1` (`0.toml:1`), expected a text that is not empty and has no control character",
            ),
            (
                json!({"identity": {"user": ""}}),
                "`identity.user` is `\"\"` (`0.toml:1`), expected a text that is not empty and has no control character",
            ),
            (
                json!({"remote": {"shell": "sh\u{0}"}}),
                "`remote.shell` is `\"sh\\u0000\"` (`0.toml:1`), expected a text that is not empty and has no control character",
            ),
            (
                json!({"remote": {"aliases": ["a", 1]}}),
                "`remote.aliases` is `[\"a\",1]` (`0.toml:1`), expected a list of texts that are not empty and have no control character",
            ),
            (
                json!({"lock": {"stale_minutes": 0}}),
                "`lock.stale_minutes` is `0` (`0.toml:1`), expected a whole number from 1 to 4294967295",
            ),
            (
                json!({"lock": {"stale_minutes": 4_294_967_296_u64}}),
                "`lock.stale_minutes` is `4294967296` (`0.toml:1`), expected a whole number from 1 to 4294967295",
            ),
            (
                json!({"retention": {"replay_days": "7"}}),
                "`retention.replay_days` is `\"7\"` (`0.toml:1`), expected a whole number from 1 to 7",
            ),
        ] {
            check(&[layer], "lang", Err(expected));
        }
    }

    #[track_caller]
    fn check_environment(variables: &[(&str, &str)], expected: Result<Value, &str>) {
        let keys = Keys::of(&Config::schema());
        let actual = settings_of_environment(&keys, variables.iter().copied())
            .map(|it| it.into_iter().map(|it| json!([it.key, it.value])).collect::<Value>())
            .map_err(|error| error.text(Lang::En));
        assert_eq!(actual, expected.map_err(str::to_owned), "{variables:?}");
    }

    #[test]
    fn a_variable_sets_the_key_that_it_is_named_after() {
        check_environment(&[("PROVOST_LANG", "zh")], Ok(json!([["lang", "zh"]])));
        check_environment(&[("PROVOST_LANG", "")], Ok(json!([])));
        check_environment(&[("PROVOST_HOME", "/x"), ("PROVOST_REPLY", "y")], Ok(json!([])));
        check_environment(
            &[("PROVOST_REMOTE_ALIASES", "a, b,"), ("PROVOST_JOB_OUTPUT_LIMIT_BYTES", "10")],
            Ok(json!([["remote.aliases", ["a", "b"]], ["job.output_limit_bytes", 10]])),
        );
        check_environment(&[("PROVOST_LNAG", "zh")], Err("unknown variable `PROVOST_LNAG`"));
        check_environment(
            &[("PROVOST_LOCK_STALE_MINUTES", "soon")],
            Err(
                "`lock.stale_minutes` is `\"soon\"` (variable `PROVOST_LOCK_STALE_MINUTES`), expected a whole number from 1 to 4294967295",
            ),
        );
    }

    #[test]
    fn every_guarded_key_exists() {
        let keys = Keys::of(&Config::schema());
        for (key, _) in Policy::TIGHTENING {
            assert!(keys.kind(key).is_some(), "{key}");
        }
    }

    #[test]
    fn the_configuration_holds_what_was_merged() {
        let layer = json!({"identity": {"user": "ann"}, "remote": {"aliases": ["a"]}});
        let config = merged(&[layer]).unwrap().config().unwrap();
        assert_eq!(config.identity.user.as_deref(), Some("ann"));
        assert_eq!(config.remote.aliases, ["a"]);
        assert_eq!(config.remote.shell, "zsh -lc");
        assert_eq!(Effective::built_in().config().unwrap(), Config::default());
    }
}
