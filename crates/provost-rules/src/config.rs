//! How layers of configuration combine.
//!
//! Each layer is a list of [`Setting`]s: a key, a value and the place it was written at. A later
//! layer replaces what an earlier one said, except for the keys that guard something: those can
//! only be tightened, because a later layer is easier to reach than an earlier one. Reading
//! files and the environment is the binary's work.

mod error;
mod form;
mod keys;
mod policy;

use std::collections::BTreeMap;

use provost_kernel::{Config, Message};
use serde::Serialize;
use serde_json::{Map, Value};

pub use error::ConfigError;
pub use form::{Form, Forms, Misfit};
pub use keys::{Keys, Kind};
pub use policy::Policy;

/// Variables that start with `PROVOST_` and are not configuration: the home (which is needed to
/// find the configuration), the three files of the adapter protocol, what a hook is told, and
/// secrets, which no file of the configuration holds.
pub const RESERVED_VARIABLES: [&str; 9] = [
    "PROVOST_CLAIM",
    "PROVOST_GUARD",
    "PROVOST_HOME",
    "PROVOST_LOG",
    "PROVOST_MCP_TOKEN",
    "PROVOST_NTFY_TOKEN",
    "PROVOST_REPLY",
    "PROVOST_REQUEST",
    "PROVOST_WEBHOOK_SECRET",
];

/// How many characters a name in an open table has at most.
pub(crate) const MAX_NAME: usize = 64;

/// Where a value was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Message)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[message(code = "config.origin")]
pub enum Origin {
    /// In provost itself.
    #[message(en = "built in", zh = "内置")]
    BuiltIn,
    /// In a configuration file, at a line that is counted from 1.
    #[message(en = "`{path}:{line}`", zh = "`{path}:{line}`")]
    File { path: String, line: usize },
    /// In a configuration file as a revision of the repository has it.
    #[message(en = "`{path}:{line}` at `{revision}`", zh = "`{revision}` 处的 `{path}:{line}`")]
    Revision { path: &'static str, revision: String, line: usize },
    /// In an environment variable.
    #[message(en = "variable `{name}`", zh = "环境变量 `{name}`")]
    Environment { name: String },
    /// On the command line.
    #[message(en = "flag `{name}`", zh = "参数 `{name}`")]
    Flag { name: String },
}

/// One key with its value and the place where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The whole key as TOML writes it, such as `identity.user` or `adapter."gpt-5.1"`.
    pub key: String,
    pub value: Value,
    pub origin: Origin,
}

/// A key as a file writes it, before it is known to exist.
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

impl Effective {
    /// The defaults.
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
        for mut later in layer {
            if let Some(earlier) = self.settings.get(&later.key) {
                later.value = Policy::of(&later.key).combine(&earlier.value, later.value);
            }
            self.settings.insert(later.key.clone(), later);
        }
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

    /// Every key that is set, with the place where it was written.
    pub fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.settings.values()
    }

    /// The value of a key and where it was written; none when it is not set.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.get(key)
    }

    /// Everything that was set in an open table, such as `adapter`, in order.
    pub fn members(&self, section: &str) -> impl Iterator<Item = &Setting> {
        let prefix = join(section, "");
        self.settings.values().filter(move |it| it.key.starts_with(&prefix))
    }

    /// What was set under a name in an open table.
    pub fn member(&self, section: &str, name: &str) -> Option<&Setting> {
        self.settings.get(&member_key(section, name))
    }
}

impl Node {
    /// The value, with sections as tables.
    fn value(&self) -> Value {
        match self {
            Self::Section(entries) => {
                entries.iter().map(|it| (it.name.clone(), it.node.value())).collect()
            }
            Self::Value(value) => value.clone(),
        }
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
            return Err(match keys.of_files(name) {
                Some(key) => ConfigError::only_files(name, key),
                None => ConfigError::unknown_variable(keys, name),
            });
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
        match (keys.kind(&key), node) {
            (None, Node::Section(entries)) => collect(keys, &key, entries, found)?,
            (Some(Kind::Open), Node::Section(entries)) => {
                for entry in entries {
                    found.push(member(&key, entry)?);
                }
            }
            (_, node) => found.push(checked(keys, key, node.value(), origin.clone())?),
        }
    }
    Ok(())
}

/// Makes the setting of a name in an open table: the whole table under the name is its value.
fn member(section: &str, Entry { name, origin, node }: &Entry) -> Result<Setting, ConfigError> {
    if !is_name(name) {
        return Err(ConfigError::bad_name(section, name, origin));
    }
    let (key, value, origin) = (member_key(section, name), node.value(), origin.clone());
    let Value::Object(fields) = &value else {
        return Err(ConfigError::WrongType {
            key,
            origin,
            expected: Kind::Section,
            found: value.into(),
        });
    };
    if let Some((field, found)) = fields.iter().find(|(_, it)| !is_plain(it)) {
        let expected = if found.is_array() { Kind::Texts } else { Kind::Text };
        let key = join(&key, &error::shown(field));
        return Err(ConfigError::WrongType { key, origin, expected, found: found.clone().into() });
    }
    Ok(Setting { key, value, origin })
}

/// Makes a setting, if the value is one that the key can hold.
fn checked(keys: &Keys, key: String, value: Value, origin: Origin) -> Result<Setting, ConfigError> {
    if let (Some(Kind::Tables(form)), Value::Array(elements)) = (keys.kind(&key), &value) {
        for (number, element) in (1..).zip(elements) {
            if let Err(misfit) = form.check(element) {
                let misfit = misfit.into();
                return Err(ConfigError::BadElement { key, number, origin, misfit });
            }
        }
    }
    // The types of the kernel are the only authority; the schema serves to explain.
    let mut whole = Value::Null;
    insert(&mut whole, &key, value.clone());
    let holds = keys.kind(&key).is_some()
        && serde_json::from_value::<Config>(whole).is_ok()
        && is_plain(&value);
    if holds {
        return Ok(Setting { key, value, origin });
    }
    let expected = keys.kind(&key).cloned().unwrap_or(Kind::Section);
    Err(ConfigError::WrongType { key, origin, expected, found: value.into() })
}

/// Whether no text in the value is empty or has a control character, and nothing is a date: no
/// such text could be the name of a user or a machine, and a NUL would cut a command line short.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && !text.chars().any(char::is_control),
        Value::Array(elements) => elements.iter().all(is_plain),
        Value::Object(fields) => fields.values().all(is_plain),
        Value::Bool(_) | Value::Number(_) => true,
        Value::Null => false,
    }
}

/// Whether a name can stand in an open table; the schema says the same as a pattern.
fn is_name(name: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-');
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
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
    for name in names(key) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[name];
    }
    *place = value;
}

/// The names that a key consists of. Only the last one can stand in quotes: see [`member_key`].
fn names(key: &str) -> impl Iterator<Item = &str> {
    let (path, quoted) = match key.split_once(".\"") {
        Some((path, rest)) => (path, Some(rest.trim_end_matches('"'))),
        None => (key, None),
    };
    path.split('.').chain(quoted)
}

/// The key of a name in an open table. A name with a dot stands in quotes, as in TOML.
fn member_key(section: &str, name: &str) -> String {
    if name.contains('.') { join(section, &format!("\"{name}\"")) } else { join(section, name) }
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}

#[cfg(test)]
mod tests {
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
            .map_err(|error| error.to_string());
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

    /// STORY-3.3, STORY-3.4: the seed's limits are the most, whatever a layer says.
    #[test]
    fn the_limits_of_a_story_can_only_be_tightened() {
        let scope = |key: &str, n: u32| json!({"story": {"scope": {key: n}}});
        check(&[], "story.scope.hard_lines", Ok(json!(3000)));
        let layers = [scope("hard_lines", 900), scope("hard_lines", 300)];
        check(&layers, "story.scope.hard_lines", Ok(json!(300)));
        for (key, seed) in
            [("warn_lines", 1500), ("warn_files", 15), ("hard_lines", 3000), ("hard_files", 25)]
        {
            let whole = format!("story.scope.{key}");
            check(&[scope(key, seed)], &whole, Ok(json!(seed)));
            let expected = format!(
                "`{whole}` may only shrink: it is `{seed}` (built in), then `{}` (`0.toml:1`)",
                seed + 1
            );
            check(&[scope(key, seed + 1)], &whole, Err(&expected));
        }
        check(
            &[scope("warn_files", 5), scope("warn_files", 6)],
            "story.scope.warn_files",
            Err(
                "`story.scope.warn_files` may only shrink: it is `5` (`0.toml:1`), then `6` (`1.toml:1`)",
            ),
        );
    }

    #[test]
    fn the_level_of_proof_can_only_be_raised() {
        let level = |it: &str| json!({"proof": {"level": it}});
        check(&[], "proof.level", Ok(json!("standard")));
        check(&[level("basic")], "proof.level", Ok(json!("basic")));
        check(&[level("basic"), level("strict")], "proof.level", Ok(json!("strict")));
        check(
            &[level("strict"), level("standard")],
            "proof.level",
            Err(
                "`proof.level` may only be raised: it is `\"strict\"` (`0.toml:1`), then `\"standard\"` (`1.toml:1`)",
            ),
        );
    }

    #[test]
    fn a_required_sandbox_stays_required() {
        let required = |it: bool| json!({"sandbox": {"required": it}});
        check(&[], "sandbox.required", Ok(json!(false)));
        check(&[required(false), required(true)], "sandbox.required", Ok(json!(true)));
        check(&[required(true), required(true)], "sandbox.required", Ok(json!(true)));
        check(&[required(true), json!({"sandbox": {}})], "sandbox.required", Ok(json!(true)));
        check(
            &[required(true), json!({}), required(false)],
            "sandbox.required",
            Err(
                "`sandbox.required` may not be switched off: it is `true` (`0.toml:1`), then `false` (`2.toml:1`)",
            ),
        );
    }

    #[test]
    fn an_adapter_is_one_setting_that_a_later_layer_replaces_as_a_whole() {
        let one = json!({"adapter": {"a": {"kind": "command", "argv": ["x"]}, "b": {"kind": "y"}}});
        let two = json!({"adapter": {"a": {"kind": "chat"}}});
        let only = std::slice::from_ref(&one);
        check(only, "adapter.a", Ok(json!({"kind": "command", "argv": ["x"]})));
        check(only, "adapter.a.kind", Ok(Value::Null));
        check(&[one.clone(), two.clone()], "adapter.a", Ok(json!({"kind": "chat"})));
        check(&[one.clone(), two.clone()], "adapter.b", Ok(json!({"kind": "y"})));
        check(&[two, json!({"adapter": {}})], "adapter.a", Ok(json!({"kind": "chat"})));

        let dotted = json!({"adapter": {"m-5.1_x": {"kind": "z", "deep": {"er": [1, true]}}}});
        let effective = merged(&[one, dotted]).unwrap();
        let keys: Vec<_> = effective.members("adapter").map(|it| it.key.as_str()).collect();
        assert_eq!(keys, ["adapter.\"m-5.1_x\"", "adapter.a", "adapter.b"]);
        let setting = effective.member("adapter", "m-5.1_x").unwrap();
        assert_eq!(setting.origin, Origin::File { path: "1.toml".to_owned(), line: 1 });
        assert_eq!(effective.member("adapter", "m-5"), None);
        let config = effective.config().unwrap();
        assert_eq!(config.adapter["m-5.1_x"], json!({"kind": "z", "deep": {"er": [1, true]}}));
        assert_eq!(config.adapter.len(), 3);
    }

    #[test]
    fn the_name_of_an_adapter_is_a_plain_word() {
        let schema = Config::schema();
        let pattern = schema["properties"]["adapter"]["propertyNames"]["pattern"].as_str().unwrap();
        let pattern = regex::Regex::new(pattern).unwrap();
        let (longest, longer) = ("x".repeat(64), "x".repeat(65));
        for (name, expected) in [
            ("claude", true),
            ("gpt-5.1", true),
            ("A_b", true),
            (longest.as_str(), true),
            (longer.as_str(), false),
            ("", false),
            ("a b", false),
            ("script:pass", false),
            ("a/b", false),
            ("模型", false),
            ("a\"b", false),
            ("a\n", false),
        ] {
            let layer = json!({"adapter": {name: {"kind": "x"}}});
            assert_eq!(merged(&[layer]).is_ok(), expected, "{name:?}");
            assert_eq!(pattern.is_match(name), expected, "{name:?}");
        }
        check(
            &[json!({"adapter": {"script:pass": {}}})],
            "lang",
            Err("`\"script:pass\"` (`0.toml:1`) cannot be a name in `adapter`"),
        );
    }

    #[test]
    fn commands_that_prepare_are_a_list_that_a_later_layer_replaces() {
        let layer = |list: Value| json!({"prepare": list});
        let npm = json!([{"command": "npm ci", "when": "package-lock.json"}, {"command": "make"}]);
        check(&[], "prepare", Ok(json!([])));
        check(&[layer(npm.clone())], "prepare", Ok(npm.clone()));
        check(&[layer(npm), layer(json!([]))], "prepare", Ok(json!([])));
        for (list, expected) in [
            (
                json!([{"command": "x"}, {"comand": "x"}]),
                "element 2 of `prepare` (`0.toml:1`): unknown key `comand`",
            ),
            (
                json!([{"when": "x"}]),
                "element 1 of `prepare` (`0.toml:1`): it has 0 of `command`, `ecosystem`, expected exactly one",
            ),
            (
                json!([{"command": "x", "ecosystem": "uv"}]),
                "element 1 of `prepare` (`0.toml:1`): it has 2 of `command`, `ecosystem`, expected exactly one",
            ),
            (json!([1]), "element 1 of `prepare` (`0.toml:1`): it is `1`, expected a table"),
            (
                json!([{"command": "x", "when": null}]),
                "element 1 of `prepare` (`0.toml:1`): `when` is a date or a number out of range, expected a text that is not empty and has no control character",
            ),
            (
                json!({}),
                "`prepare` is a table (`0.toml:1`), expected a list of tables of `command`, `ecosystem`, `folder`, `when`",
            ),
            (
                json!("make"),
                "`prepare` is `\"make\"` (`0.toml:1`), expected a list of tables of `command`, `ecosystem`, `folder`, `when`",
            ),
        ] {
            check(&[layer(list)], "lang", Err(expected));
        }
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
            (
                json!({"task": {"quota_wait": "soon"}}),
                "`task.quota_wait` is `\"soon\"` (`0.toml:1`), expected seconds or a text such as `45s`, `30m` or `1h30m`",
            ),
            (
                json!({"sandbox": {"required": 1}}),
                "`sandbox.required` is `1` (`0.toml:1`), expected `true` or `false`",
            ),
            (json!({"task": {"coders": "x"}}), "unknown key `task.coders` (`0.toml:1`)"),
            (json!({"adapter": "x"}), "`adapter` is `\"x\"` (`0.toml:1`), expected a table"),
            (json!({"adapter": {"a": 1}}), "`adapter.a` is `1` (`0.toml:1`), expected a table"),
            (
                json!({"adapter": {"a": {"argv": ["x", ""]}}}),
                "`adapter.a.argv` is `[\"x\",\"\"]` (`0.toml:1`), expected a list of texts that are not empty and have no control character",
            ),
            (
                json!({"adapter": {"a": {"b": {"c": null}}}}),
                "`adapter.a.b` is a table (`0.toml:1`), expected a text that is not empty and has no control character",
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
            .map_err(|error| error.to_string());
        assert_eq!(actual, expected.map_err(str::to_owned), "{variables:?}");
    }

    #[test]
    fn a_variable_sets_the_key_that_it_is_named_after() {
        check_environment(&[("PROVOST_LANG", "zh")], Ok(json!([["lang", "zh"]])));
        check_environment(&[("PROVOST_LANG", "")], Ok(json!([])));
        check_environment(
            &[("PROVOST_HOME", "/x"), ("PROVOST_REPLY", "y"), ("PROVOST_CLAIM", "z")],
            Ok(json!([])),
        );
        check_environment(
            &[("PROVOST_REMOTE_ALIASES", "a, b,"), ("PROVOST_JOB_OUTPUT_LIMIT_BYTES", "10")],
            Ok(json!([["remote.aliases", ["a", "b"]], ["job.output_limit_bytes", 10]])),
        );
        check_environment(
            &[("PROVOST_SANDBOX_REQUIRED", "true"), ("PROVOST_TASK_QUOTA_WAIT", "30m")],
            Ok(json!([["sandbox.required", true], ["task.quota_wait", "30m"]])),
        );
        check_environment(
            &[("PROVOST_SANDBOX_REQUIRED", "yes")],
            Err(
                "`sandbox.required` is `\"yes\"` (variable `PROVOST_SANDBOX_REQUIRED`), expected `true` or `false`",
            ),
        );
        check_environment(
            &[("PROVOST_ADAPTER_MINE", "x")],
            Err("variable `PROVOST_ADAPTER_MINE` cannot set `adapter`"),
        );
        check_environment(
            &[("PROVOST_PREPARE", "make")],
            Err("variable `PROVOST_PREPARE` cannot set `prepare`"),
        );
        check_environment(&[("PROVOST_LNAG", "zh")], Err("unknown variable `PROVOST_LNAG`"));
        check_environment(
            &[("PROVOST_LOCK_STALE_MINUTES", "soon")],
            Err(
                "`lock.stale_minutes` is `\"soon\"` (variable `PROVOST_LOCK_STALE_MINUTES`), expected a whole number from 1 to 4294967295",
            ),
        );
    }

    /// The rules of earlier layers stand first, so that no later layer can overrule them.
    #[test]
    fn a_later_layer_adds_its_rules_behind_the_earlier_ones() {
        let rule = |effect: &str| json!({"effect": effect, "command": ["curl"]});
        let user = json!({"guard": {"rules": [rule("deny")], "unknown_fields": "drop"}});
        let project = json!({"guard": {"rules": [rule("allow"), rule("ask")]}});
        let config = merged(&[user.clone(), project]).unwrap().config().unwrap();
        let effects: Vec<_> = config.guard.rules.iter().map(|it| it.effect.as_str()).collect();
        assert_eq!(effects, ["deny", "allow", "ask"]);

        let loose = json!({"guard": {"unknown_fields": "pass"}});
        assert!(merged(std::slice::from_ref(&loose)).is_ok(), "what is built in was not chosen");
        assert!(merged(&[loose.clone(), user.clone()]).is_ok());
        let error = merged(&[user, loose]).unwrap_err();
        assert!(error.to_string().contains("may not be loosened"), "{error}");
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
