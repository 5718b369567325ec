//! The configuration: every key that provost reads, its meaning and its built-in value.
//!
//! What stands in the documentation of a field is its description in the published JSON Schema.
//! How the layers of a configuration combine is a judgement and lives in `provost-rules`.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};

use crate::Lang;

/// The configuration of provost, as `provost.toml` writes it.
///
/// No text may be empty or contain a control character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(title = "provost.toml")]
pub struct Config {
    /// The language of messages. When it is not set, the locale decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Lang")]
    pub lang: Option<Lang>,
    /// Who may run provost, and on which machine. A later layer can repeat it, not change it.
    pub identity: IdentityConfig,
    /// Commands that run as another user or on another machine, through SSH.
    pub remote: RemoteConfig,
    /// The lock of a running task.
    pub lock: LockConfig,
    /// The processes that provost supervises.
    pub job: JobConfig,
    /// How long files are kept that provost could do without.
    pub retention: RetentionConfig,
}

/// Who may run provost, and on which machine (LOOP-A1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct IdentityConfig {
    /// The user who may run provost, as `id -un` prints it. When it is not set, any user may.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub user: Option<String>,
    /// The machine on which provost may run, as `hostname` prints it. When it is not set, any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub host: Option<String>,
}

/// Commands that run as another user or on another machine (LOOP-A2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct RemoteConfig {
    /// The SSH configuration's `Host` aliases that may be used. A later layer can only remove.
    pub aliases: Vec<String>,
    /// The shell that runs the command on the other side.
    pub shell: String,
}

/// The lock of a running task (LOOP-U9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct LockConfig {
    /// How many minutes a holder on another machine may be silent before its lock is taken over.
    pub stale_minutes: NonZeroU32,
}

/// The processes that provost supervises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct JobConfig {
    /// How many seconds a process has between the request to end and its end by force.
    pub grace_seconds: u32,
    /// How many bytes of output are kept of one process; what is over is cut off and said so.
    pub output_limit_bytes: NonZeroU64,
}

/// How long files are kept that provost could do without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
pub struct RetentionConfig {
    // The limit and the direction are HOOK-2.6.
    /// How many days the replay of a session is kept. A later layer can only shorten it.
    #[schemars(extend("maximum" = 7))]
    pub replay_days: NonZeroU32,
    /// How many hours a temporary file is kept that a crash left behind.
    pub temporary_hours: NonZeroU32,
    /// How many corrupt versions of one file are kept aside.
    pub quarantine_copies: NonZeroU32,
}

impl Config {
    /// The JSON Schema of `provost.toml`, without references, so that each key stands in its
    /// place.
    pub fn schema() -> serde_json::Value {
        let settings = SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true);
        settings.into_generator().into_root_schema_for::<Self>().to_value()
    }
}

impl Default for RemoteConfig {
    fn default() -> Self {
        Self { aliases: Vec::new(), shell: "zsh -lc".to_owned() }
    }
}

impl Default for LockConfig {
    fn default() -> Self {
        const { Self { stale_minutes: NonZeroU32::new(30).unwrap() } }
    }
}

impl Default for JobConfig {
    fn default() -> Self {
        const {
            let output_limit_bytes = NonZeroU64::new(16 * 1024 * 1024).unwrap();
            Self { grace_seconds: 5, output_limit_bytes }
        }
    }
}

impl Default for RetentionConfig {
    fn default() -> Self {
        const {
            Self {
                replay_days: NonZeroU32::new(7).unwrap(),
                temporary_hours: NonZeroU32::MIN,
                quarantine_copies: NonZeroU32::new(3).unwrap(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_built_in_values_are_the_published_ones() {
        assert_eq!(
            serde_json::to_value(Config::default()).unwrap(),
            json!({
                "identity": {},
                "remote": {"aliases": [], "shell": "zsh -lc"},
                "lock": {"stale_minutes": 30},
                "job": {"grace_seconds": 5, "output_limit_bytes": 16_777_216},
                "retention": {"replay_days": 7, "temporary_hours": 1, "quarantine_copies": 3},
            }),
        );
    }

    #[test]
    fn a_key_that_nobody_reads_is_refused_at_every_depth() {
        for (text, expected) in [
            ("{}", true),
            (r#"{"identity": {"user": "ann"}}"#, true),
            (r#"{"idenity": {}}"#, false),
            (r#"{"identity": {"usr": "ann"}}"#, false),
            (r#"{"lock": {"stale_minutes": 0}}"#, false),
            (r#"{"retention": {"temporary_hours": -1}}"#, false),
        ] {
            assert_eq!(serde_json::from_str::<Config>(text).is_ok(), expected, "{text}");
        }
    }

    /// Walks every object of the schema: a key without a description is a key nobody can use.
    #[track_caller]
    fn each_property_is_described(schema: &Value) -> usize {
        let Some(properties) = schema["properties"].as_object() else { return 0 };
        properties
            .iter()
            .map(|(key, it)| {
                assert!(it["description"].is_string(), "{key}");
                assert!(it["$ref"].is_null(), "{key}");
                1 + each_property_is_described(it)
            })
            .sum()
    }

    #[test]
    fn the_schema_describes_every_key() {
        assert_eq!(each_property_is_described(&Config::schema()), 16);
    }
}
