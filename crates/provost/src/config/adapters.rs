//! The adapters of the configuration, as the crate of the adapters reads them.

use std::{collections::BTreeMap, path::Path};

use provost_adapter::{
    preset::addition::{AdditionError, Author},
    select::{AdapterConfig, preset_meant},
};
use provost_kernel::{Config, Message};
use provost_rules::config::{Effective, Forms, Misfit, Origin};
use serde_json::Value;

/// The published schema that says what an adapter can be.
const SCHEMA: &str = "adapter-config.schema.json";

/// The field of an adapter that says what it is.
const TAG: &str = "kind";

/// The table of the configuration that holds the adapters.
const SECTION: &str = "adapter";

/// An adapter of the configuration that cannot be used.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "config.adapter",
    en = "adapter `{name}`{at}: {reason}",
    zh = "适配器 `{name}`{at}：{reason}",
    arg(at = origin.clone().map(At)),
    hint(
        when = reason.hints().is_empty(),
        en = "correct `[adapter.{name}]`: docs/adapters.md describes every kind",
        zh = "请更正 `[adapter.{name}]`：`docs/adapters.md` 描述了所有的种类"
    ),
    inherit = reason
)]
pub(crate) struct AdapterConfigError {
    name: String,
    /// Where the adapter was written, if the layers are at hand.
    origin: Option<Origin>,
    reason: Reason,
}

/// What is wrong with an adapter.
#[derive(Debug, Message)]
#[message(code = "config.adapter.reason")]
enum Reason {
    #[message(transparent)]
    Misfit(Box<Misfit>),
    #[message(transparent)]
    Addition(Box<AdditionError>),
    /// The table fits its schema, and the type that reads it refuses it.
    #[message(en = "{0}", zh = "{0}")]
    Type(String),
}

#[derive(Debug, Message)]
#[message(code = "config.adapter.at", en = " ({0})", zh = "（{0}）")]
struct At(Origin);

/// Reads every adapter of the configuration.
pub(crate) fn adapters(
    config: &Config,
) -> Result<BTreeMap<String, AdapterConfig>, AdapterConfigError> {
    if config.adapter.is_empty() {
        return Ok(BTreeMap::new());
    }
    let schema = provost_adapter::schemas().into_iter().find(|(name, _)| *name == SCHEMA);
    let forms = Forms::of(&schema.map(|(_, it)| it).unwrap_or_default(), TAG);
    let read = |(name, table): (&String, &Value)| Ok((name.clone(), adapter(&forms, name, table)?));
    config.adapter.iter().map(read).collect()
}

/// Completes a table that only adds to a preset, under the name of the preset.
pub(super) fn completed(mut config: Config) -> Config {
    for (name, table) in &mut config.adapter {
        let (Some(fields), Some(preset)) = (table.as_object_mut(), preset_meant(name)) else {
            continue;
        };
        if !fields.contains_key(TAG) && !fields.contains_key("preset") {
            fields.insert(TAG.to_owned(), "preset".into());
            fields.insert("preset".to_owned(), preset.name.into());
        }
    }
    config
}

/// Refuses what an adapter's author may not decide. Whether a file is the person's own is asked only
/// where that decides.
pub(super) fn check_authors(
    adapters: &BTreeMap<String, AdapterConfig>,
    effective: &Effective,
    is_own: impl Fn(&Origin) -> bool,
) -> Result<(), AdapterConfigError> {
    for (name, adapter) in adapters {
        let origin = effective.member(SECTION, name).map(|it| it.origin.clone());
        let checked = adapter.check_author(Author::Repository).or_else(|refused| {
            let is_own = origin.as_ref().is_some_and(&is_own);
            if is_own { adapter.check_author(Author::Person) } else { Err(refused) }
        });
        if let Err(error) = checked {
            let reason = Reason::Addition(error.into());
            return Err(AdapterConfigError { name: name.clone(), origin, reason });
        }
    }
    Ok(())
}

/// Resolves the relative paths of adapters against the folder of the file that names them.
///
/// Those of the base revision have no folder yet: a run resolves them in a checkout of the base.
pub(super) fn rooted(mut config: Config, effective: &Effective) -> Config {
    for (name, table) in &mut config.adapter {
        let Some(Origin::File { path, .. }) = effective.member(SECTION, name).map(|it| &it.origin)
        else {
            continue;
        };
        let Some(folder) = Path::new(path).parent() else { continue };
        let Ok(adapter) = serde_json::from_value::<AdapterConfig>(table.clone()) else { continue };
        let resolved = adapter.rooted(folder, |it| folder.join(it).is_file());
        if resolved != adapter
            && let Ok(value) = serde_json::to_value(&resolved)
        {
            *table = value;
        }
    }
    config
}

fn adapter(forms: &Forms, name: &str, table: &Value) -> Result<AdapterConfig, AdapterConfigError> {
    let fail = |reason| AdapterConfigError { name: name.to_owned(), origin: None, reason };
    forms.check(table).map_err(|misfit| fail(Reason::Misfit(misfit.into())))?;
    serde_json::from_value(table.clone()).map_err(|error| fail(Reason::Type(error.to_string())))
}

impl AdapterConfigError {
    /// The same error, with the place where the adapter was written.
    pub(super) fn located(self, effective: &Effective) -> Self {
        let origin = effective.member(SECTION, &self.name).map(|it| it.origin.clone());
        Self { origin, ..self }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(table: Value) -> Result<AdapterConfig, AdapterConfigError> {
        let adapter = BTreeMap::from([("mine".to_owned(), table)]);
        let config = Config { adapter, ..Config::default() };
        adapters(&config).map(|mut it| it.remove("mine").unwrap())
    }

    #[test]
    fn every_kind_of_adapter_can_be_configured() {
        for table in [
            json!({"kind": "command", "argv": ["x"], "variables": ["KEY"], "remote": "builder"}),
            json!({"kind": "chat", "base": "http://127.0.0.1:1/v1", "model": "m"}),
            json!({"kind": "chat", "base": "b", "key_variable": "K", "format": "json_object"}),
            json!({"kind": "recording", "file": "answers.jsonl"}),
            json!({"kind": "script", "behaviour": "fail_then_fix"}),
            json!({"kind": "preset", "preset": "claude-code", "program": "/opt/claude"}),
            json!({"kind": "preset", "preset": "codex", "model": "m", "args": ["--oss"], "variables": ["K"]}),
        ] {
            let adapter = read(table.clone()).map_err(|error| error.to_string()).unwrap();
            let written = serde_json::to_value(adapter).unwrap();
            for (key, value) in table.as_object().unwrap() {
                assert_eq!(&written[key], value, "{table}");
            }
        }
        assert_eq!(adapters(&Config::default()).unwrap().len(), 0);
    }

    #[test]
    fn what_is_wrong_in_an_adapter_is_named() {
        for (table, expected) in [
            (json!({"argv": ["x"]}), "adapter `mine`: it has no `kind`"),
            (
                json!({"kind": "comand", "argv": ["x"]}),
                "adapter `mine`: unknown `kind` `\"comand\"`",
            ),
            (json!({"kind": "command"}), "adapter `mine`: `argv` is missing or empty"),
            (
                json!({"kind": "command", "argv": ["x"], "base": "y"}),
                "adapter `mine`: unknown key `base`",
            ),
            (
                json!({"kind": "command", "argv": "x"}),
                "adapter `mine`: `argv` is `\"x\"`, expected a list of texts that are not empty and have no control character",
            ),
            (
                json!({"kind": "chat", "base": "b", "format": "xml"}),
                "adapter `mine`: `format` is `\"xml\"`, expected one of `text`, `json_object`",
            ),
        ] {
            assert_eq!(read(table).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_table_under_the_name_of_a_preset_needs_no_kind() {
        for (name, table, expected) in [
            ("codex", json!({"model": "m"}), Some("codex")),
            ("claude", json!({}), Some("claude-code")),
            ("mine", json!({"model": "m"}), None),
            ("codex", json!({"preset": "gemini"}), None),
        ] {
            let adapter = BTreeMap::from([(name.to_owned(), table)]);
            let config = completed(Config { adapter, ..Config::default() });
            let read = adapters(&config).ok().and_then(|mut it| it.remove(name));
            let Some(AdapterConfig::Preset { preset, .. }) = read else {
                assert_eq!(expected, None, "{name}");
                continue;
            };
            assert_eq!(Some(preset.as_str()), expected, "{name}");
        }
    }

    /// The schema must not lag behind the type: what the type refuses is a misfit.
    #[test]
    fn nothing_is_accepted_that_the_type_refuses() {
        for table in [
            json!(null),
            json!([]),
            json!({"kind": "script", "behaviour": "dance"}),
            json!({"kind": "script", "behaviour": null}),
            json!({"kind": "recording", "file": 1}),
            json!({"kind": "preset", "preset": "x", "program": ["y"]}),
            json!({"kind": "chat", "base": "b", "model": {}}),
        ] {
            let error = read(table.clone()).unwrap_err();
            assert!(matches!(error.reason, Reason::Misfit(_)), "{table}: {error}");
            assert_eq!(error.hints().len(), 1);
        }
    }
}
